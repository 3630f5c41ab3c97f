/*
 * trap.h - the registers of a hart that faulted, as boot/aarch64/vectors.S saves them, and of a
 * confined coroutine, as cross.S does.
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

#ifdef __ASSEMBLER__
/* clang-format off */

/* Two at a time: x2 to x29, which op stores or loads; sp is the struct. */
.macro hal_trap_x op
	\op	x2, x3, [sp, #HAL_TRAP_X(2)]
	\op	x4, x5, [sp, #HAL_TRAP_X(4)]
	\op	x6, x7, [sp, #HAL_TRAP_X(6)]
	\op	x8, x9, [sp, #HAL_TRAP_X(8)]
	\op	x10, x11, [sp, #HAL_TRAP_X(10)]
	\op	x12, x13, [sp, #HAL_TRAP_X(12)]
	\op	x14, x15, [sp, #HAL_TRAP_X(14)]
	\op	x16, x17, [sp, #HAL_TRAP_X(16)]
	\op	x18, x19, [sp, #HAL_TRAP_X(18)]
	\op	x20, x21, [sp, #HAL_TRAP_X(20)]
	\op	x22, x23, [sp, #HAL_TRAP_X(22)]
	\op	x24, x25, [sp, #HAL_TRAP_X(24)]
	\op	x26, x27, [sp, #HAL_TRAP_X(26)]
	\op	x28, x29, [sp, #HAL_TRAP_X(28)]
.endm

.macro hal_trap_q op
	\op	q0, q1, [sp, #HAL_TRAP_Q(0)]
	\op	q2, q3, [sp, #HAL_TRAP_Q(2)]
	\op	q4, q5, [sp, #HAL_TRAP_Q(4)]
	\op	q6, q7, [sp, #HAL_TRAP_Q(6)]
	\op	q8, q9, [sp, #HAL_TRAP_Q(8)]
	\op	q10, q11, [sp, #HAL_TRAP_Q(10)]
	\op	q12, q13, [sp, #HAL_TRAP_Q(12)]
	\op	q14, q15, [sp, #HAL_TRAP_Q(14)]
	\op	q16, q17, [sp, #HAL_TRAP_Q(16)]
	\op	q18, q19, [sp, #HAL_TRAP_Q(18)]
	\op	q20, q21, [sp, #HAL_TRAP_Q(20)]
	\op	q22, q23, [sp, #HAL_TRAP_Q(22)]
	\op	q24, q25, [sp, #HAL_TRAP_Q(24)]
	\op	q26, q27, [sp, #HAL_TRAP_Q(26)]
	\op	q28, q29, [sp, #HAL_TRAP_Q(28)]
	\op	q30, q31, [sp, #HAL_TRAP_Q(30)]
.endm

/* All but x0, x1, the kind and the thread pointer. In: x0 the stack pointer. Clobbers: x2, x3. */
.macro hal_trap_save
	hal_trap_x stp
	stp	x30, x0, [sp, #HAL_TRAP_X(30)]
	mrs	x2, ELR_EL1
	mrs	x3, SPSR_EL1
	stp	x2, x3, [sp, #HAL_TRAP_PC]
	mrs	x2, ESR_EL1
	mrs	x3, FAR_EL1
	stp	x2, x3, [sp, #HAL_TRAP_ESR]
	mrs	x2, FPCR
	mrs	x3, FPSR
	stp	x2, x3, [sp, #HAL_TRAP_FPCR]
	hal_trap_q stp
.endm

/* And back, with the thread pointer, but for x0 and x1. Clobbers: x0. */
.macro hal_trap_load
	hal_trap_q ldp
	ldp	x2, x3, [sp, #HAL_TRAP_FPCR]
	msr	FPCR, x2
	msr	FPSR, x3
	ldr	x2, [sp, #HAL_TRAP_TP]
	msr	TPIDR_EL0, x2
	ldp	x2, x3, [sp, #HAL_TRAP_PC]
	msr	ELR_EL1, x2
	msr	SPSR_EL1, x3
	ldp	x30, x0, [sp, #HAL_TRAP_X(30)]
	msr	SP_EL0, x0
	hal_trap_x ldp
.endm

/* clang-format on */
#endif

#endif
