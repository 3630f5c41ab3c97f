/*
 * word.h - what 64 and 32 bits of RISC-V call differently, for C and assembly.
 *
 * Source: RISC-V Unprivileged ISA; RISC-V Privileged ISA, chapters 2.2 (the halves of CSRs), 4.1.11
 * (satp).
 */
#ifndef HAL_ARCH_WORD_H
#define HAL_ARCH_WORD_H

#define HAL_WORD __SIZEOF_POINTER__

#if __riscv_xlen == 64
#define HAL_LOAD ld
#define HAL_STORE sd
#define HAL_LOG_WORD 3
#define HAL_SATP_MODE 8 /* Sv39 */
#define HAL_SATP_MODE_SHIFT 60
#define HAL_READ_COUNTER(name, n) __asm__ volatile("rd" name " %0" : "=r"(n)::"memory")
#else
#define HAL_LOAD lw
#define HAL_STORE sw
#define HAL_LOG_WORD 2
#define HAL_SATP_MODE 1 /* Sv32 */
#define HAL_SATP_MODE_SHIFT 31
/* The halves belong together if the upper one has not changed in between. */
#define HAL_READ_COUNTER(name, n)                                                              \
	({                                                                                     \
		uint32_t hal_lo, hal_hi, hal_before;                                           \
		__asm__ volatile("1: rd" name "h %0\n\trd" name " %1\n\trd" name               \
				 "h %2\n\tbne %0, %2, 1b"                                      \
				 : "=&r"(hal_before), "=&r"(hal_lo), "=&r"(hal_hi)::"memory"); \
		(n) = (uint64_t)hal_hi << 32 | hal_lo;                                         \
	})
#endif

#endif
