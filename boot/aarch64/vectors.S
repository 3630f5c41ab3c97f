/*
 * vectors.S - an exception: all registers into a struct hal_trap on the trap stack, then co_trap(),
 * and back into what it has made of them.
 *
 * An exception in co_trap() itself gets the trap stack once more, from its end. One in that call
 * ends the run from here, by semihosting, and if nobody hears that either, the hart sleeps.
 * TPIDR_EL1 counts: the trap stack's end, then 0, then 1.
 *
 * Source: Arm ARM (DDI 0487) D1.10.
 */
#include <hal/asm.h>
#include <hal_arch/trap.h>

#define SYS_WRITE0 0x04
#define SYS_EXIT_EXTENDED 0x20
#define STOPPED_RUNTIME_ERROR 0x20023
#define EXIT_CODE 1

/* A fault of C or of a coroutine. SP_EL1 is the trap stack's end. */
.macro on_sp_el0 kind
	.balign	128
	sub	sp, sp, #HAL_TRAP_BYTES
	stp	x0, x1, [sp, #HAL_TRAP_X(0)]
	mrs	x0, SP_EL0
	mov	x1, #\kind
	b	save
.endm

/* A fault of co_trap(). Its stack may be what is wrong: sp and x0 are exchanged without memory. */
.macro on_sp_el1 kind
	.balign	128
	msr	TPIDRRO_EL0, x0
	mrs	x0, TPIDR_EL1
	cbz	x0, give_up
	tbnz	x0, #0, halt
	msr	TPIDR_EL1, xzr
	add	sp, sp, x0
	sub	x0, sp, x0
	sub	sp, sp, x0
	sub	sp, sp, #HAL_TRAP_BYTES
	str	x1, [sp, #HAL_TRAP_X(1)]
	mrs	x1, TPIDRRO_EL0
	str	x1, [sp, #HAL_TRAP_X(0)]
	mov	x1, #\kind
	b	save
.endm

/* From EL0: hal/arch/aarch64/cross.S. */
.macro on_el0 kind
	.balign	128
	stp	x0, x1, [sp, #HAL_TRAP_X(0)]
	mov	x0, #\kind
	b	hal_user_trap_entry
.endm

	.section .text.hal_vectors, "ax", %progbits
	.balign	2048
	.globl	hal_vectors
	.type	hal_vectors, %function
hal_vectors:
	on_sp_el0 0
	on_sp_el0 1
	on_sp_el0 2
	on_sp_el0 3
	on_sp_el1 0
	on_sp_el1 1
	on_sp_el1 2
	on_sp_el1 3
	on_el0 0
	on_el0 1
	on_el0 2
	on_el0 3
	.rept	4			/* from EL0 in 32-bit state, which there is no way into */
	.balign	128
	b	halt
	.endr

/* Two at a time. */
.macro each_pair op
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

.macro each_q op
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

/*
 * save: not callable from C. The rest of the registers, co_trap(struct hal_trap *), and back.
 * In: x0 the stack pointer, x1 the kind; x0, x1 are saved. Out: as co_trap() left the struct.
 */
save:
	str	x1, [sp, #HAL_TRAP_KIND]
	each_pair stp
	stp	x30, x0, [sp, #HAL_TRAP_X(30)]
	mrs	x2, ELR_EL1
	mrs	x3, SPSR_EL1
	stp	x2, x3, [sp, #HAL_TRAP_PC]
	mrs	x2, ESR_EL1
	mrs	x3, FAR_EL1
	stp	x2, x3, [sp, #HAL_TRAP_ESR]
	mrs	x2, TPIDR_EL0
	str	x2, [sp, #HAL_TRAP_TP]
	ldr	x3, [sp, #HAL_TRAP_BYTES]
	msr	TPIDR_EL0, x3
	mrs	x2, FPCR
	mrs	x3, FPSR
	stp	x2, x3, [sp, #HAL_TRAP_FPCR]
	each_q	stp
	mov	x0, sp
	mov	x29, xzr
	bl	co_trap
	each_q	ldp
	ldp	x2, x3, [sp, #HAL_TRAP_FPCR]
	msr	FPCR, x2
	msr	FPSR, x3
	ldr	x2, [sp, #HAL_TRAP_TP]
	msr	TPIDR_EL0, x2
	ldp	x2, x3, [sp, #HAL_TRAP_PC]
	msr	ELR_EL1, x2
	msr	SPSR_EL1, x3
	each_pair ldp
	ldp	x30, x0, [sp, #HAL_TRAP_X(30)]
	msr	SP_EL0, x0
	add	x1, sp, #HAL_TRAP_BYTES
	msr	TPIDR_EL1, x1		/* whatever it was for a fault in the handler */
	ldp	x0, x1, [sp, #HAL_TRAP_X(0)]
	add	sp, sp, #HAL_TRAP_BYTES
	eret
	.size	hal_vectors, . - hal_vectors

/*
 * give_up: not callable from C. Say so and end the run with EXIT_CODE; TPIDR_EL1 = 1: do not come
 * here again, hlt may be a fault as well.
 */
give_up:
	mov	x0, #1
	msr	TPIDR_EL1, x0
	mov	w0, #SYS_WRITE0
	adr	x1, no_report
	hlt	#0xf000
	mov	w0, #SYS_EXIT_EXTENDED
	adr	x1, last_words
	hlt	#0xf000
halt:
	wfi
	b	halt

no_report:
	.asciz	"\nfault in the fault handler: no report can be had\n"
	.balign	8
last_words:
	.quad	STOPPED_RUNTIME_ERROR
	.quad	EXIT_CODE
