/*
 * trap.S - a trap: save the hart's registers, call co_trap(), and go on with the registers that it
 * leaves.
 *
 * sscratch (mscratch on a hart that has stayed in M-mode) holds the end of the hart's trap stack
 * (hal_arch/trap.h). While a trap is handled it holds the end of a part that is kept for a fault in
 * the handler, and while that is handled, 0: one more ends the run with a fixed line, on the stack
 * that hart 0 booted on, and a fault in that stops the hart.
 */
#include <hal/asm.h>
#include <hal_arch/trap.h>
#include <hal_arch/word.h>

	/* op x, slot, for all but x0 and sp. */
	.macro each_x op
	\op	x1, HAL_TRAP_X(1)(sp)
	.irp	n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op	x\n, HAL_TRAP_X(\n)(sp)
	.endr
	.endm

	/* Caller-saved registers: the handler is C, which preserves fs0 to fs11. */
	.macro each_f op
	.irp	n, 0,1,2,3,4,5,6,7
	\op	ft\n, HAL_TRAP_F(\n)(sp)
	\op	fa\n, HAL_TRAP_F(8 + \n)(sp)
	.endr
	.irp	n, 8,9,10,11
	\op	ft\n, HAL_TRAP_F(8 + \n)(sp)
	.endr
	.endm

	.macro vector name, mode
	.section .text.\name, "ax", %progbits
	.balign	4
	.globl	\name
	.type	\name, %function
\name:
	csrrw	sp, \mode\()scratch, sp
	beqz	sp, 1f
	addi	sp, sp, -HAL_TRAP_BYTES
	each_x	HAL_STORE
	HAL_LOAD tp, HAL_TRAP_BYTES + HAL_TRAP_END_TP(sp)
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	/* Save sp, and set the end of the trap stack's part for a fault from here on. */
	HAL_LOAD t0, HAL_TRAP_BYTES + HAL_TRAP_END_NEXT(sp)
	csrrw	t0, \mode\()scratch, t0
	HAL_STORE t0, HAL_TRAP_X(2)(sp)
	csrr	t0, \mode\()epc
	HAL_STORE t0, HAL_TRAP_PC(sp)
	csrr	t0, \mode\()cause
	HAL_STORE t0, HAL_TRAP_CAUSE(sp)
	csrr	t0, \mode\()tval
	HAL_STORE t0, HAL_TRAP_TVAL(sp)
	csrr	t0, \mode\()status
	HAL_STORE t0, HAL_TRAP_STATUS(sp)
#ifdef __riscv_float_abi_double
	frcsr	t0
	HAL_STORE t0, HAL_TRAP_FCSR(sp)
	each_f	fsd
#endif
	mv	a0, sp
	li	ra, 0
	li	s0, 0
	call	co_trap
#ifdef __riscv_float_abi_double
	HAL_LOAD t0, HAL_TRAP_FCSR(sp)
	fscsr	t0
	each_f	fld
#endif
	HAL_LOAD t0, HAL_TRAP_STATUS(sp)
	csrw	\mode\()status, t0
	HAL_LOAD t0, HAL_TRAP_PC(sp)
	csrw	\mode\()epc, t0
	HAL_LOAD t0, HAL_TRAP_BYTES + HAL_TRAP_END_FIRST(sp)
	csrw	\mode\()scratch, t0
	each_x	HAL_LOAD
	HAL_LOAD sp, HAL_TRAP_X(2)(sp)
	\mode\()ret
1:	csrr	a2, \mode\()scratch	/* the sp */
	csrw	\mode\()scratch, zero
	csrr	a0, \mode\()epc
	csrr	a1, \mode\()tval
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
 * void hal_trap_entry(void): the vector. In: as the fault left it. Calls co_trap(struct hal_trap *)
 * on the trap stack, with the hart's own tp and gp. Out: as co_trap() left the struct.
 */
	vector hal_trap_entry, s
	.globl	hal_trap_entry_end
hal_trap_entry_end:

/*
 * void hal_machine_trap_entry(void): the trap vector of a hart that has stayed in M-mode.
 */
	vector hal_machine_trap_entry, m

/*
 * hal_trap_prepare: not callable from C. Lay out the ends of a trap stack's parts.
 * In: t0 the stack's highest address, tp. Out: t0 what sscratch is to hold. Clobbers: t1, t2.
 */
	.section .text.hal_trap_prepare, "ax", %progbits
	.balign	4
	.globl	hal_trap_prepare
	.type	hal_trap_prepare, %function
hal_trap_prepare:
	addi	t1, t0, -HAL_TRAP_END_BYTES
	HAL_STORE tp, HAL_TRAP_END_TP(t1)
	HAL_STORE zero, HAL_TRAP_END_NEXT(t1)
	li	t2, HAL_TRAP_LAST_BYTES
	sub	t0, t1, t2
	HAL_STORE tp, HAL_TRAP_END_TP(t0)
	HAL_STORE t1, HAL_TRAP_END_NEXT(t0)
	HAL_STORE t0, HAL_TRAP_END_FIRST(t0)
	HAL_STORE t0, HAL_TRAP_END_FIRST(t1)
	ret
	.size	hal_trap_prepare, . - hal_trap_prepare

	.section .bss.fault_again, "aw", %nobits
	.balign	4
fault_again:
	.zero	4
