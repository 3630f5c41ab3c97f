/*
 * alarm.S - what M-mode does below a hart in S-mode: its timer, the CLINT's, is no clock for
 * anybody (S-mode has Sstc), so it is the alarm (hal/alarm.h). It comes whatever S-mode masks, and
 * is handed down as a trap of S-mode with a cause of its own. An urgent line (hal/irq.h) comes by
 * the hart's M-mode context of the PLIC, and is handed down alike, claimed, with its number in
 * stval; stval of a timer is 0.
 *
 * mscratch points to the hart's scratch words (struct hal_boot). While the hart handles a trap
 * there is no room for another: the alarm then comes again a little later. That is so where
 * sscratch leads to a part of the trap stack that has none behind it, and in hal_trap_entry
 * itself, where sscratch is on its way. From U-mode it goes down as well, to the vector that there
 * is then; sscratch is a struct hal_user, whose word at HAL_TRAP_END_NEXT is ra: with 0 in that
 * the alarm comes later, too. Lines that have to wait are masked in mie until the next timer.
 */
#include <hal/asm.h>
#include <hal_arch/here.h>
#include <hal_arch/trap.h>
#include <hal_arch/word.h>

#ifdef HAL_ALARMS

#define SAVED_T1 0		/* of the scratch words */
#define SAVED_T2 HAL_WORD
#define HAL_ALARM_WAITS (HAL_BOOT_LINES - HAL_BOOT_SCRATCH + HAL_LINES_WAIT)
#define HAL_ALARM_CLAIMS (HAL_BOOT_LINES - HAL_BOOT_SCRATCH + HAL_LINES_CLAIM)
#define SSTATUS_SIE_SPIE_SPP 0x122
#define MSTATUS_MPP_S (1 << 11)
#define SPP_BELOW_MPP 3		/* bits between the two */
#define MIE_MTIE (1 << 7)
#define MIE_MEIE (1 << 11)
#define MIP_MEIP_BIT 11
#define IS_LINE 8		/* of mcause: 11, not 7 */
#define PLIC_CLAIM 0x200004	/* of context 0; M-mode's are the even ones, 0x1000 apart */
#define HART_SHIFT 13

/*
 * void hal_alarm_entry(void): mtvec. In: as it was when the interrupt came. Clobbers nothing.
 */
	.section .text.hal_alarm_entry, "ax", %progbits
	.option norelax			/* gp is S-mode's */
	.balign	4
	.globl	hal_alarm_entry
	.type	hal_alarm_entry, %function
hal_alarm_entry:
	csrrw	t0, mscratch, t0
	HAL_STORE t1, SAVED_T1(t0)
	HAL_STORE t2, SAVED_T2(t0)
	csrr	t1, mcause
	bgez	t1, hal_shim_fault	/* a fault of M-mode: the end */
	andi	t1, t1, IS_LINE
	bnez	t1, taken
	li	t1, MIE_MEIE
	csrs	mie, t1			/* lines that had to wait, again */
	sb	zero, HAL_ALARM_WAITS(t0)
	csrr	t1, mhartid
	slli	t1, t1, 3
	li	t2, BOARD_CLINT_BASE + HAL_CLINT_MTIMECMP
	add	t1, t1, t2
	li	t2, -1			/* taken back */
	HAL_STORE t2, 0(t1)
#if __riscv_xlen == 32
	sw	t2, 4(t1)
#endif
taken:	csrr	t2, mepc
	la	t1, hal_trap_entry
	bltu	t2, t1, 1f
	la	t1, hal_trap_entry_end
	bltu	t2, t1, later
1:	la	t1, hal_alarm_shy	/* nor in that page, if there is one */
	HAL_LOAD t1, 0(t1)
	sub	t1, t2, t1
	srli	t1, t1, 12
	beqz	t1, later
	csrr	t1, sscratch
	beqz	t1, later
	HAL_LOAD t1, HAL_TRAP_END_NEXT(t1)
	beqz	t1, later
	csrw	sepc, t2
#ifdef BOARD_PLIC_BASE
	csrr	t2, mip			/* after a timer, too: a line may wait for it */
	srli	t2, t2, MIP_MEIP_BIT
	andi	t2, t2, 1
	beqz	t2, 2f
	csrr	t1, mhartid
	slli	t1, t1, HART_SHIFT
	li	t2, BOARD_PLIC_BASE + PLIC_CLAIM
	add	t1, t1, t2
	li	t2, 1
	sb	t2, HAL_ALARM_CLAIMS(t0)
	fence	w, i			/* said before the claim: pairs with hal_line_busy() */
	lw	t2, 0(t1)		/* the line; 0: its device has taken it back */
2:
#else
	li	t2, 0
#endif
	csrw	stval, t2
	li	t1, (-1 << (8*HAL_WORD - 1)) | HAL_TRAP_ALARM
	csrw	scause, t1
	csrr	t2, mstatus
	srli	t2, t2, SPP_BELOW_MPP
	andi	t2, t2, MSTATUS_MPP_S >> SPP_BELOW_MPP
	li	t1, SSTATUS_SIE_SPIE_SPP
	csrc	mstatus, t1
	csrs	mstatus, t2
	li	t1, MSTATUS_MPP_S
	csrs	mstatus, t1
	csrr	t1, stvec
	csrw	mepc, t1
out:	HAL_LOAD t1, SAVED_T1(t0)
	HAL_LOAD t2, SAVED_T2(t0)
	csrrw	t0, mscratch, t0
	mret
later:	li	t1, MIE_MEIE
	csrc	mie, t1
	li	t1, 1
	sb	t1, HAL_ALARM_WAITS(t0)
	csrr	t1, mhartid
	slli	t1, t1, 3
	li	t2, BOARD_CLINT_BASE + HAL_CLINT_MTIMECMP
	add	t1, t1, t2
	csrr	t2, time
	addi	t2, t2, HAL_ALARM_SOON
#if __riscv_xlen == 64
	sd	t2, 0(t1)
#else
	sw	t2, 0(t1)		/* a carry that is lost makes it sooner still */
	csrr	t2, timeh
	sw	t2, 4(t1)
#endif
	j	out
	.size	hal_alarm_entry, . - hal_alarm_entry

/*
 * hal_alarm_prepare: not callable from C. M-mode takes alarms from here on, once one is set.
 * In: t0 = its scratch words. Out: nothing. Clobbers: t0, t1, t2.
 */
	.section .text.hal_alarm_prepare, "ax", %progbits
	.balign	4
	.globl	hal_alarm_prepare
	.type	hal_alarm_prepare, %function
hal_alarm_prepare:
	csrw	mscratch, t0
	csrr	t0, mhartid
	slli	t1, t0, 3
	li	t2, BOARD_CLINT_BASE + HAL_CLINT_MTIMECMP
	add	t1, t1, t2
	li	t2, -1
	HAL_STORE t2, 0(t1)
#if __riscv_xlen == 32
	sw	t2, 4(t1)
#endif
	la	t0, hal_alarm_entry
	csrw	mtvec, t0
	li	t0, MIE_MTIE | MIE_MEIE
	csrw	mie, t0
	ret
	.size	hal_alarm_prepare, . - hal_alarm_prepare

	/*
	 * The page that no alarm is taken in, for it changes sscratch, stvec and satp:
	 * hal/arch/riscv/user.c. 0 is the page zero, where nothing runs.
	 */
	.section .data.hal_alarm_shy, "aw", %progbits
	.balign	8
	.globl	hal_alarm_shy
hal_alarm_shy:
	.zero	HAL_WORD

#endif
