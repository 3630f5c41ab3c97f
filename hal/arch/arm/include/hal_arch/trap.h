/*
 * trap.h - the registers of a hart that faulted, as boot/arm/vectors.S saves them.
 */
#ifndef HAL_ARCH_TRAP_H
#define HAL_ARCH_TRAP_H

#define HAL_TRAP_R(n) (4 * (n)) /* r0..r12, sp, lr */
#define HAL_TRAP_PC (4 * 15)    /* of the instruction that faulted */
#define HAL_TRAP_SPSR (4 * 16)
#define HAL_TRAP_DFSR (4 * 17)
#define HAL_TRAP_DFAR (4 * 18)
#define HAL_TRAP_IFSR (4 * 19)
#define HAL_TRAP_IFAR (4 * 20)
#define HAL_TRAP_KIND (4 * 21)
#define HAL_TRAP_FPSCR (4 * 22)
#define HAL_TRAP_D(n) (4 * 24 + 8 * (n))
#ifdef __ARM_FP
#define HAL_TRAP_BYTES HAL_TRAP_D(32) /* a multiple of 16 */
#else
#define HAL_TRAP_BYTES HAL_TRAP_D(0)
#endif

/* The kinds, in the order of their vectors. */
#define HAL_TRAP_UNDEFINED 1
#define HAL_TRAP_SVC 2
#define HAL_TRAP_FETCH 3
#define HAL_TRAP_DATA 4
#define HAL_TRAP_IRQ 6
#define HAL_TRAP_FIQ 7

#endif
