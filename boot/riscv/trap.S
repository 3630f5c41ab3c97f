/*
 * trap.S - a fault: save what the hart knew, tell the runtime.
 *
 * sscratch (mscratch on a hart that has stayed in M-mode) holds the top of the hart's trap stack,
 * and 0 while a trap is being handled: a fault in the handler itself finds no stack. It ends the
 * run with a fixed line, on the stack that hart 0 booted on, and a fault in that stops the hart.
 */
#include <hal/asm.h>
#include <hal_arch/trap.h>
#include <hal_arch/word.h>

	.macro vector name, mode
	.section .text.\name, "ax", %progbits
	.balign	4
	.globl	\name
	.type	\name, %function
\name:
	csrrw	sp, \mode\()scratch, sp
	beqz	sp, 1f
	addi	sp, sp, -HAL_TRAP_BYTES
	HAL_STORE x1, HAL_TRAP_X(1)(sp)
	.irp	n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	HAL_STORE x\n, HAL_TRAP_X(\n)(sp)
	.endr
	/* Its sp; and from here on no second trap is survived. */
	csrrw	t0, \mode\()scratch, zero
	HAL_STORE t0, HAL_TRAP_X(2)(sp)
	csrr	t0, \mode\()epc
	HAL_STORE t0, HAL_TRAP_PC(sp)
	csrr	t0, \mode\()cause
	HAL_STORE t0, HAL_TRAP_CAUSE(sp)
	csrr	t0, \mode\()tval
	HAL_STORE t0, HAL_TRAP_TVAL(sp)
	mv	a0, sp
	li	ra, 0
	li	s0, 0
	call	co_trap
1:	csrw	\mode\()scratch, zero
	la	t0, fault_again
	li	t1, 1
	amoadd.w t1, t1, (t0)
	bnez	t1, 2f
	la	sp, hal_boot_stack + HAL_BOOT_STACK_BYTES
	call	hal_fault_again
2:	wfi
	j	2b
	.size	\name, . - \name
	.endm

/*
 * void trap_entry(void): the vector. In: as the fault left it. Calls co_trap(struct hal_trap *)
 * on the trap stack. Does not return.
 */
	vector trap_entry, s

/*
 * void machine_trap_entry(void): the same on a hart that has stayed in M-mode.
 */
	vector machine_trap_entry, m

	.section .bss.fault_again, "aw", %nobits
	.balign	4
fault_again:
	.zero	4
