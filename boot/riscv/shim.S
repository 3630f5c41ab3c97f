/*
 * shim.S - the M-mode code below a hart in S-mode that has no timer and no doorbell of its own
 * (BOARD_SHIM_FORWARDS): the CLINT interrupts M-mode, and the shim makes the supervisor's interrupt
 * pending instead. Nothing is handled here: S-mode clears its software interrupt by itself, writes
 * its mtimecmp by itself, and calls only to have a timer that has come taken back.
 *
 * mscratch points to the hart's two words: room for a register, and its doorbell's address. Costs,
 * in instructions: a doorbell 9, a timer 10, the call 18 and 3 around it, an exception that is
 * handed on 35.
 */
#include <hal/asm.h>
#include <hal_arch/here.h>
#include <hal_arch/word.h>

#ifdef BOARD_SHIM_FORWARDS

#define MIE_MTIE (1 << 7)
#define MIP_SSIP (1 << 1)
#define MIP_STIP (1 << 5)
#define CAUSE_SCALL 9
#define MSTATUS_SIE_BIT 1
#define MSTATUS_SIE (1 << MSTATUS_SIE_BIT)
#define MSTATUS_SPIE_BIT 5
#define MSTATUS_SPIE (1 << MSTATUS_SPIE_BIT)
#define MSTATUS_SPP_BIT 8
#define MSTATUS_SPP (1 << MSTATUS_SPP_BIT)
#define MSTATUS_MPP_BIT 11 /* and 12, which is M-mode's alone */
#define MSTATUS_MPP_S (1 << MSTATUS_MPP_BIT)

/* A register is saved, and t0 points to the hart's words; and back. */
	.macro shim_begin
	csrrw	t0, mscratch, t0
	HAL_STORE t1, HAL_SHIM_SAVED(t0)
	.endm

	.macro shim_end
	HAL_LOAD t1, HAL_SHIM_SAVED(t0)
	csrrw	t0, mscratch, t0
	mret
	.endm

/*
 * void hal_shim_entry(void): mtvec, vectored: one instruction for each cause.
 * In: as S-mode left it. Clobbers nothing.
 */
	.section .text.hal_shim_entry, "ax", %progbits
	.option push
	.option norvc
	.balign	256
	.globl	hal_shim_entry
	.type	hal_shim_entry, %function
hal_shim_entry:
	j	call			/* exceptions */
	j	hal_shim_fault
	j	hal_shim_fault
	j	doorbell		/* 3: machine software interrupt */
	j	hal_shim_fault
	j	hal_shim_fault
	j	hal_shim_fault
	j	timer			/* 7: machine timer interrupt */
	.rept	8
	j	hal_shim_fault
	.endr
	.option pop

/* The ring is taken back before it is handed on: one that comes in between traps again. */
doorbell:
	shim_begin
	HAL_LOAD t1, HAL_SHIM_DOORBELL(t0)
	sw	zero, 0(t1)
	csrsi	mip, MIP_SSIP
	shim_end

/* It stays pending until mtimecmp is written, so it is masked until S-mode has done that. */
timer:
	shim_begin
	li	t1, MIE_MTIE
	csrc	mie, t1
	li	t1, MIP_STIP
	csrs	mip, t1
	shim_end

/* S-mode has written mtimecmp: take the old interrupt back and let the next one come. */
call:
	shim_begin
	csrr	t1, mcause
	addi	t1, t1, -CAUSE_SCALL
	bnez	t1, undelegated
	li	t1, HAL_SHIM_REARM
	bne	a7, t1, hal_shim_fault
	li	t1, MIP_STIP
	csrc	mip, t1
	li	t1, MIE_MTIE
	csrs	mie, t1
	csrr	t1, mepc
	addi	t1, t1, 4
	csrw	mepc, t1
	shim_end

/*
 * Not every processor lets every exception be delegated. An exception that comes here is handed to
 * S-mode as delegation would have: sepc, scause, stval, and sstatus's SPP and SPIE. One of M-mode's
 * own is a fault of the shim.
 */
undelegated:
	csrr	t1, mstatus
	srli	t1, t1, MSTATUS_MPP_BIT + 1
	andi	t1, t1, 1
	bnez	t1, hal_shim_fault
	csrr	t1, mepc
	csrw	sepc, t1
	csrr	t1, mcause
	csrw	scause, t1
	csrr	t1, mtval
	csrw	stval, t1
	csrr	t1, stvec
	csrw	mepc, t1
	li	t1, MSTATUS_SPP | MSTATUS_SPIE
	csrc	mstatus, t1
	csrr	t1, mstatus
	srli	t1, t1, MSTATUS_MPP_BIT - MSTATUS_SPP_BIT
	andi	t1, t1, MSTATUS_SPP
	csrs	mstatus, t1
	csrr	t1, mstatus
	slli	t1, t1, MSTATUS_SPIE_BIT - MSTATUS_SIE_BIT
	andi	t1, t1, MSTATUS_SPIE
	csrs	mstatus, t1
	csrci	mstatus, MSTATUS_SIE
	li	t1, MSTATUS_MPP_S
	csrs	mstatus, t1
	shim_end
	.size	hal_shim_entry, . - hal_shim_entry

/*
 * void hal_shim_rearm(void): the call. In, out: nothing. Clobbers: a7.
 */
func hal_shim_rearm
	li	a7, HAL_SHIM_REARM
	ecall
	ret
endfunc hal_shim_rearm

	/* Not in .bss: a hart may be here before hart 0 clears that. */
	.section .data.hal_shim_data, "aw", %progbits
	.balign	64
	.globl	hal_shim_data
hal_shim_data:
	.zero	BOARD_MAX_HARTS << HAL_SHIM_SHIFT

#endif
