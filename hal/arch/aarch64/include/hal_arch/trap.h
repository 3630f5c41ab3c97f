/*
 * trap.h - the registers of a hart that faulted, as boot/aarch64/vectors.S saves them.
 */
#ifndef HAL_ARCH_TRAP_H
#define HAL_ARCH_TRAP_H

#define HAL_TRAP_X(n) (8 * (n)) /* x0..x30 */
#define HAL_TRAP_SP (8 * 31)    /* the stack in use when it happened */
#define HAL_TRAP_PC (8 * 32)    /* ELR_EL1 */
#define HAL_TRAP_SPSR (8 * 33)
#define HAL_TRAP_ESR (8 * 34)
#define HAL_TRAP_FAR (8 * 35)
#define HAL_TRAP_FIQ 2
#define HAL_TRAP_KIND (8 * 36) /* 0 synchronous, 1 IRQ, 2 FIQ, 3 SError */
#define HAL_TRAP_TP (8 * 37)   /* TPIDR_EL0 */
#define HAL_TRAP_FPCR (8 * 38) /* and FPSR */
#define HAL_TRAP_Q(n) (8 * 40 + 16 * (n))
#define HAL_TRAP_BYTES HAL_TRAP_Q(32) /* a multiple of 16 */

/* At the trap stack's end is the hart's thread pointer, which nothing that traps can change. */
#define HAL_TRAP_END_BYTES 16

#endif
