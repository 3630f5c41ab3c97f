/* mark.h - hal/mark.h for AArch64. */
#ifndef HAL_ARCH_MARK_H
#define HAL_ARCH_MARK_H

#define hal_mark_at(code, p)                                       \
	__asm__ volatile("hint #%c0\n\tldrb wzr, [%1]"             \
			 :                                         \
			 : "i"(HAL_MARK_HINT_ARM + (code)), "r"(p) \
			 : "memory")

#endif
