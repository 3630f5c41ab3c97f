/*
 * vectors.S - an exception: save all registers in a struct hal_trap on the trap stack, call
 * co_trap(), which may change it, and load all registers from it.
 *
 * Exceptions come in modes whose sp and lr are their own: no stack is needed to begin with, and
 * both are free to use once lr has given the pc. co_trap() then runs in system mode like all C, on
 * the trap stack, and takes no alarm. A fault in it gets the trap stack once more, from its end.
 * One in that call ends the run by hal_fault_again(), and one there stops the hart. The lowest bits
 * of TPIDRPRW, the trap stack's end, count.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B1.8, B1.9.
 */
#include <hal/asm.h>
#include <hal_arch/trap.h>

#define MODE_BITS 0x1f
#define MODE_USER 0x10
#define MODE_SVC 0x13
#define MODE_SYS 0x1f
#define SPSR_T (1 << 5)
#define SPSR_F (1 << 6)

	.syntax	unified

/*
 * lr lies that far behind the instruction, in either state. No alarm (FIQ) from here on: it would
 * have the trap stack from its end. One that has come before this waits (on_alarm).
 */
.macro on kind, arm, thumb
	cpsid	f
	.if	\arm - \thumb
	mrs	sp, SPSR
	tst	sp, #SPSR_T
	subeq	lr, lr, #\arm
	subne	lr, lr, #\thumb
	.else
	sub	lr, lr, #\arm
	.endif
	mov	sp, #\kind
	b	save
.endm

	.section .text.hal_vectors, "ax", %progbits
	.balign	32
	.globl	hal_vectors
	.type	hal_vectors, %function
hal_vectors:
	b	halt			/* reset: never comes here */
	b	on_undefined
	b	on_svc
	b	on_fetch
	b	on_data
	b	halt			/* Hyp mode's own */
	b	on_irq
/*
 * It has hit the first instructions of another exception, whose TPIDRPRW may still be User mode's:
 * it stays pending, and comes when that has unmasked it.
 */
on_alarm:
	mrs	sp, SPSR
	and	sp, sp, #MODE_BITS
	cmp	sp, #MODE_USER
	cmpne	sp, #MODE_SYS
	beq	1f
	mrs	sp, SPSR
	orr	sp, sp, #SPSR_F
	msr	SPSR_c, sp
	subs	pc, lr, #4
1:
	on	HAL_TRAP_FIQ 4 4
on_undefined:
	on	HAL_TRAP_UNDEFINED 4 2
on_svc:
	on	HAL_TRAP_SVC 4 2
on_fetch:
	on	HAL_TRAP_FETCH 4 4
on_data:
	on	HAL_TRAP_DATA 8 8
on_irq:
	on	HAL_TRAP_IRQ 4 4

/*
 * save: not callable from C. The registers of system mode; FIQ mode has some more of its own. Then
 * co_trap(struct hal_trap *), and back from supervisor mode, whose lr and sp are nobody's.
 * In: sp the kind, lr the pc. Out: as co_trap() left the struct.
 */
save:
	mcr	p15, 0, r0, c13, c0, 2	/* TPIDRURW, which nobody uses */
	mrs	r0, SPSR
	and	r0, r0, #MODE_BITS
	cmp	r0, #MODE_USER
	beq	hal_user_trap_entry	/* hal/arch/arm/cross.S */
	mrc	p15, 0, r0, c13, c0, 4	/* TPIDRPRW */
	tst	r0, #2
	bne	1f
	cmp	r0, #4			/* no trap stack yet? */
	blo	give_up
	add	r0, r0, #1
	mcr	p15, 0, r0, c13, c0, 4
	bic	r0, r0, #3
	sub	r0, r0, #HAL_TRAP_BYTES
	hal_trap_save
	cps	#MODE_SYS
	mov	sp, r0
	hal_trap_save_fp
	mov	fp, #0
	bl	co_trap
	mov	r0, sp
	hal_trap_load_fp
	mrc	p15, 0, r1, c13, c0, 4
	bic	r1, r1, #3
	mcr	p15, 0, r1, c13, c0, 4
	cps	#MODE_SVC
	mov	lr, r0
	ldr	r1, [lr, #HAL_TRAP_SPSR]
	msr	SPSR_cxsf, r1
	clrex
	ldm	lr, {r0-r14}^
	nop
	ldr	lr, [lr, #HAL_TRAP_PC]
	movs	pc, lr
1:	tst	r0, #1
	bne	halt
	/* fall through */
	.size	hal_vectors, . - hal_vectors

/*
 * give_up: not callable from C. hal_fault_again(), on the first hart that comes here; TPIDRPRW is
 * 3: a fault there halts.
 */
give_up:
	mov	r2, #3
	mcr	p15, 0, r2, c13, c0, 4
	ldr	r1, =fault_again
1:	ldrex	r0, [r1]
	cmp	r0, #0
	bne	halt
	strex	r0, r2, [r1]
	cmp	r0, #0
	bne	1b
	mov	r0, lr
	mrc	p15, 0, r1, c6, c0, 0	/* DFAR */
	cps	#MODE_SYS
	mov	r2, sp
	ldr	sp, =hal_boot_stack_end
	mov	fp, #0
	mov	lr, #0
	b	hal_fault_again
halt:
	wfi
	b	halt

	.section .bss.fault_again, "aw", %nobits
	.balign	4
fault_again:
	.zero	4
