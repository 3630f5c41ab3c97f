/*
 * vectors.S - an exception: save all registers in a struct hal_trap on the trap stack, call
 * co_trap(), which may change it, and load all registers from it.
 *
 * An exception in co_trap() itself gets the trap stack once more, from its end. One in that call
 * ends the run by hal_fault_again(), and one there stops the hart.
 * TPIDR_EL1 counts: the trap stack's end, then 0, then 1.
 *
 * Source: Arm ARM (DDI 0487) D1.10.
 */
#include <hal/asm.h>
#include <hal_arch/trap.h>

/* A fault of C or of a coroutine. SP_EL1 is the trap stack's end. */
.macro on_sp_el0 kind
	.balign	128
	sub	sp, sp, #HAL_TRAP_BYTES
	stp	x0, x1, [sp, #HAL_TRAP_X(0)]
	mrs	x0, SP_EL0
	mov	x1, #\kind
	b	save
.endm

/* A fault of co_trap(). Its stack may be the cause: exchange sp and x0 without memory. */
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
	/* The table ends here: there is no way into EL0 in 32-bit state. */

/*
 * save: not callable from C. The rest of the registers, co_trap(struct hal_trap *), and back.
 * In: x0 the stack pointer, x1 the kind; x0, x1 are saved. Out: as co_trap() left the struct.
 */
save:
	str	x1, [sp, #HAL_TRAP_KIND]
	hal_trap_save
	mrs	x2, TPIDR_EL0
	str	x2, [sp, #HAL_TRAP_TP]
	ldr	x3, [sp, #HAL_TRAP_BYTES]
	msr	TPIDR_EL0, x3
	mov	x0, sp
	mov	x29, xzr
	bl	co_trap
	hal_trap_load
	add	x1, sp, #HAL_TRAP_BYTES
	msr	TPIDR_EL1, x1		/* whatever it was for a fault in the handler */
	ldp	x0, x1, [sp, #HAL_TRAP_X(0)]
	add	sp, sp, #HAL_TRAP_BYTES
	eret
	.size	hal_vectors, . - hal_vectors

/*
 * give_up: not callable from C. hal_fault_again(), on the first hart that comes here; TPIDR_EL1 is
 * 1: a fault there halts.
 */
give_up:
	mov	x0, #1
	msr	TPIDR_EL1, x0
	ldr	x1, =fault_again
#ifdef __ARM_FEATURE_ATOMICS
	swp	w0, w2, [x1]
#else
1:	ldxr	w2, [x1]
	stxr	w3, w0, [x1]
	cbnz	w3, 1b
#endif
	cbnz	w2, halt
	mrs	x0, ELR_EL1
	mrs	x1, FAR_EL1
	mov	x2, sp
	ldr	x3, =hal_boot_stack_end
	mov	sp, x3
	mov	x29, xzr
	mov	x30, xzr
	b	hal_fault_again
halt:
	wfi
	b	halt

	.section .bss.fault_again, "aw", %nobits
	.balign	4
fault_again:
	.zero	4
