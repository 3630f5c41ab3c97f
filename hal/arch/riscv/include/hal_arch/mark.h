/* mark.h - hal/mark.h for RISC-V. */
#ifndef HAL_ARCH_MARK_H
#define HAL_ARCH_MARK_H

#define hal_mark_at(code, p)                                         \
	__asm__ volatile("slti x0, x0, %0\n\tlbu x0, 0(%1)"          \
			 :                                           \
			 : "i"(HAL_MARK_HINT_RISCV + (code)), "r"(p) \
			 : "memory")

#endif
