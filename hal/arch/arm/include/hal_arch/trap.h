/*
 * trap.h - the registers of a hart that faulted, as boot/arm/vectors.S saves them, and of a
 * confined coroutine, as cross.S does.
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

#ifdef __ASSEMBLER__
/* clang-format off */

/*
 * All of it but the FPU's part. In: the exception's mode: r0 the struct, lr the pc, sp the kind; r0
 * itself is in TPIDRURW. Clobbers: r1-r5, lr.
 */
.macro hal_trap_save
	str	lr, [r0, #HAL_TRAP_PC]
	str	sp, [r0, #HAL_TRAP_KIND]
	mrs	lr, SPSR
	str	lr, [r0, #HAL_TRAP_SPSR]
	stmib	r0, {r1-r7}
	add	lr, r0, #HAL_TRAP_R(8)
	stm	lr, {r8-r14}^
	mrc	p15, 0, r1, c13, c0, 2
	mrc	p15, 0, r2, c5, c0, 0	/* DFSR */
	mrc	p15, 0, r3, c6, c0, 0	/* DFAR */
	mrc	p15, 0, r4, c5, c0, 1	/* IFSR */
	mrc	p15, 0, r5, c6, c0, 2	/* IFAR */
	str	r1, [r0, #HAL_TRAP_R(0)]
	str	r2, [r0, #HAL_TRAP_DFSR]
	str	r3, [r0, #HAL_TRAP_DFAR]
	str	r4, [r0, #HAL_TRAP_IFSR]
	str	r5, [r0, #HAL_TRAP_IFAR]
.endm

/* The FPU's part, if there is one. In: r0 the struct. Clobbers: r1. */
.macro hal_trap_save_fp
#ifdef __ARM_FP
	vmrs	r1, FPSCR
	str	r1, [r0, #HAL_TRAP_FPSCR]
	add	r1, r0, #HAL_TRAP_D(0)
	vstmia	r1!, {d0-d15}
	vstmia	r1, {d16-d31}
#endif
.endm

.macro hal_trap_load_fp
#ifdef __ARM_FP
	ldr	r1, [r0, #HAL_TRAP_FPSCR]
	vmsr	FPSCR, r1
	add	r1, r0, #HAL_TRAP_D(0)
	vldmia	r1!, {d0-d15}
	vldmia	r1, {d16-d31}
#endif
.endm

/* clang-format on */
#endif

#endif
