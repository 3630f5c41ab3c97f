/*
 * start.S - from reset to C, on RISC-V.
 *
 * All harts come here in M-mode at once. Each sets up the thin M-mode shim, with the state that
 * stays in force (memory protection wide open, all traps and supervisor interrupts delegated, Sstc
 * and the counters allowed), and drops to S-mode for good. Hart 0 then runs co_boot(). Each
 * secondary hart sleeps in M-mode before the drop, until its start record and a machine software
 * interrupt arrive.
 *
 * With BOARD_SBI there is firmware below, which enters some hart in S-mode, and each other one when
 * it is asked to (hal/drivers/sbi.c). The first that comes here is hart 0, whatever its hart id.
 *
 * A board with BOARD_SHIM_FORWARDS has neither Sstc nor doorbells for S-mode: there the shim takes
 * the machine's timer and software interrupts and forwards them (shim.S). A hart without S-mode is
 * found by its misa and stays in M-mode, where this code runs with the M-mode registers.
 *
 * The first C lines run without a map, until C has built one, where nothing is writable and
 * executable.
 */
#include <hal/asm.h>
#include <hal_arch/here.h>
#include <hal_arch/word.h>

#define MSTATUS_MPP_S (1 << 11)
#define MSTATUS_FS_CLEAN (2 << 13) /* not "initial": hal/arch/riscv/context.S */
#define SSTATUS_FS (3 << 13)
#define SSTATUS_SIE (1 << 1)
#define SIE_SSIE (1 << 1)
#define MIE_MSIE (1 << 3)
#define MIE_MTIE (1 << 7)
#ifdef BOARD_SBI
#define HAL_IE sie
#define HAL_IE_DOORBELL SIE_SSIE
#else
#define HAL_IE mie
#define HAL_IE_DOORBELL MIE_MSIE
#endif
#define MISA_S_BIT 18
/* The shim answers environment calls, and hands illegal instructions on (shim.S, "undelegated"). */
#define MEDELEG_BUT_SCALL_ILLEGAL ~(1 << 9 | 1 << 2)
#define STCE (1 << 31) /* of menvcfg's upper half */
#define PMP_NAPOT_RWX 0x1f

/* What C expects in registers, but for sp and tp. */
	.macro c_arguments
	mv	a0, s6
	mv	a1, s1
	li	ra, 0			/* the end of every backtrace */
	li	s0, 0
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	.endm

/* This hart's hal_here (hal_arch/here.h) is %tprel_lo(hal_here) behind that. */
	.macro here reg
	lui	\reg, %tprel_hi(hal_here)
	add	\reg, \reg, tp, %tprel_add(hal_here)
	.endm

	.section .text.boot, "ax", %progbits
	.option norelax
/*
 * _start: reset. In: a0 = hart id, a1 = device tree. Does not return.
 * Clobbers everything.
 */
	.globl	_start
	.type	_start, %function
_start:
#ifdef BOARD_SBI
	csrw	sie, zero
	csrci	sstatus, SSTATUS_SIE
	li	t0, SSTATUS_FS
	csrc	sstatus, t0
	li	t0, MSTATUS_FS_CLEAN
	csrs	sstatus, t0
	li	t0, -1
	csrw	scounteren, t0
	mv	s0, a0
	mv	s1, a1
	la	t0, entered
	li	t1, 1
	amoswap.w t1, t1, (t0)		/* relaxed: it orders nothing */
	beqz	t1, hart0
#else
	csrw	mie, zero
	csrw	mip, zero
	la	t0, hal_shim_fault
	csrw	mtvec, t0
	mv	s0, a0
	mv	s1, a1
#ifdef BOARD_SHIM_FORWARDS
	li	s4, 0			/* where its doorbell is, on a hart that stays in M-mode */
	csrr	t0, misa
	slli	t0, t0, 8*HAL_WORD - 1 - MISA_S_BIT
	bltz	t0, 1f
	li	s4, BOARD_CLINT_BASE
	slli	t0, s0, 2
	add	s4, s4, t0
	j	2f
1:
#endif
	li	t0, -1			/* PMP entry 0: all of memory, for S-mode */
	csrw	pmpaddr0, t0
	li	t0, PMP_NAPOT_RWX
	csrw	pmpcfg0, t0
	li	t0, -1
	csrw	mideleg, t0		/* WARL: what cannot be delegated stays */
	csrw	mcounteren, t0
	csrw	scounteren, t0
#ifdef BOARD_SHIM_FORWARDS
	li	t0, MEDELEG_BUT_SCALL_ILLEGAL
	csrw	medeleg, t0
2:
#else
	csrw	medeleg, t0
	/* menvcfg.STCE: S-mode has stimecmp; and no timer yet. */
	li	t0, STCE
#if __riscv_xlen == 64
	slli	t0, t0, 32
	csrw	0x30a, t0
#else
	csrw	0x31a, t0		/* menvcfgh */
	li	t1, -1
	csrw	0x15d, t1		/* stimecmph */
#endif
	li	t0, -1
	csrw	0x14d, t0
#endif
	beqz	s0, hart0
#endif
	/* fall through */

/*
 * Any hart but 0: sleep until its start record is there. It is looked at after the interrupt is
 * enabled and before each sleep, so a release that came early is not missed. With BOARD_SBI the
 * record is there already, since the firmware is asked for the hart after that.
 */
secondary:
	csrwi	HAL_IE, HAL_IE_DOORBELL
	la	s2, hal_boot_records
1:	HAL_LOAD s3, 0(s2)
	beqz	s3, 2f
	HAL_LOAD t0, 0(s3)		/* number of start records */
	bgeu	s0, t0, 2f
	slli	t0, s0, HAL_LOG_WORD
	add	s3, s3, t0
	HAL_LOAD s3, HAL_WORD(s3)
	bnez	s3, 3f
2:	wfi
	j	1b
3:	fence	r, rw			/* acquire: pairs with hal_board_start_hart()'s store */
	csrw	HAL_IE, zero
	mv	s6, s3
	HAL_LOAD sp, HAL_BOOT_SP(s3)
	HAL_LOAD tp, HAL_BOOT_TP(s3)
	HAL_LOAD s5, HAL_BOOT_TRAP_SP(s3)
	la	s2, co_boot_hart
	j	enter

hart0:
	mv	s6, s0
	la	t0, __bss_start
	la	t1, __bss_end
1:	HAL_STORE zero, 0(t0)
	addi	t0, t0, HAL_WORD
	bltu	t0, t1, 1b
	la	sp, hal_boot_stack + HAL_BOOT_STACK_BYTES
	la	s5, boot_trap_stack + HAL_BOOT_STACK_BYTES
	la	tp, __boot_tls		/* errno and the like, until C has made hart 0's own */
#ifdef HAL_ALARMS
	la	s3, hal_boot_first
#endif
	la	s2, co_boot
	/* fall through */

/* To S-mode, without a map: s2(s6, s1). s5: top of the trap stack. */
enter:
#ifdef BOARD_SHIM_FORWARDS
	here	t0
	HAL_STORE s4, %tprel_lo(hal_here)(t0)
	bnez	s4, machine
	la	t0, hal_shim_entry + 1	/* vectored */
	csrw	mtvec, t0
	la	t0, hal_shim_data
	slli	t1, s0, HAL_SHIM_SHIFT
	add	t0, t0, t1
	li	t1, BOARD_CLINT_BASE
	slli	t2, s0, 2
	add	t1, t1, t2
	HAL_STORE t1, HAL_SHIM_DOORBELL(t0)
	csrw	mscratch, t0
	li	t0, MIE_MSIE | MIE_MTIE
	csrw	mie, t0
#elif defined HAL_ALARMS
	addi	t0, s3, HAL_BOOT_SCRATCH
	call	hal_alarm_prepare
#endif
	mv	t0, s5
	call	hal_trap_prepare
	csrw	sscratch, t0
	la	t0, hal_trap_entry
	csrw	stvec, t0
	csrw	satp, zero
	c_arguments
#ifdef BOARD_SBI
	jr	s2
#else
	li	t0, MSTATUS_MPP_S | MSTATUS_FS_CLEAN
	csrw	mstatus, t0
	csrw	mepc, s2
	mret
#endif

#ifdef BOARD_SHIM_FORWARDS
/* Ready traps and begin in C on a hart that stays in M-mode. */
machine:
	la	t0, hal_machine_hart
	add	t0, t0, s0
	li	t1, 1
	sb	t1, 0(t0)
	mv	t0, s5
	call	hal_trap_prepare
	csrw	mscratch, t0
	la	t0, hal_machine_trap_entry
	csrw	mtvec, t0
	csrw	mstatus, zero
	c_arguments
	jr	s2
#endif

#ifndef BOARD_SBI
/*
 * hal_shim_fault: a trap in M-mode on a hart whose runtime runs in S-mode, so a fault of the shim
 * itself. Store its registers and end the run by hal_machine_trap(), on the boot stack.
 */
	.balign	4
	.globl	hal_shim_fault
hal_shim_fault:
	csrr	s0, mcause
	csrr	s1, mepc
	csrr	s2, mtval
	la	t0, hal_machine_fault	/* a debugger finds them here */
	HAL_STORE s0, 0(t0)
	HAL_STORE s1, HAL_WORD(t0)
	HAL_STORE s2, 2*HAL_WORD(t0)
	la	sp, hal_boot_stack + HAL_BOOT_STACK_BYTES
	mv	a0, s0
	mv	a1, s1
	mv	a2, s2
	call	hal_machine_trap
1:	wfi
	j	1b
#endif
	.size	_start, . - _start

/*
 * void hal_boot_enter(const struct hal_boot *rec): hart 0 leaves its boot stack.
 * In: a0. Does not return.
 */
func hal_boot_enter
	HAL_LOAD sp, HAL_BOOT_SP(a0)
#ifdef BOARD_SHIM_FORWARDS
	here	t1
	HAL_LOAD t2, %tprel_lo(hal_here)(t1)
	HAL_LOAD tp, HAL_BOOT_TP(a0)
	here	t1
	HAL_STORE t2, %tprel_lo(hal_here)(t1)
	HAL_LOAD t0, HAL_BOOT_TRAP_SP(a0)
	mv	t3, t2
	call	hal_trap_prepare
	beqz	t3, 1f
	csrw	mscratch, t0
	j	2f
1:	csrw	sscratch, t0
2:
#else
	HAL_LOAD tp, HAL_BOOT_TP(a0)
	HAL_LOAD t0, HAL_BOOT_TRAP_SP(a0)
	call	hal_trap_prepare
	csrw	sscratch, t0
#endif
	li	ra, 0
	li	s0, 0
	tail	co_boot_hart
endfunc hal_boot_enter

	.section .bss.boot, "aw", %nobits
	.balign	16
	.globl	hal_boot_stack
hal_boot_stack:
	.zero	HAL_BOOT_STACK_BYTES
boot_trap_stack:
	.zero	HAL_BOOT_STACK_BYTES
#ifndef BOARD_SBI
hal_machine_fault:
	.zero	32
#endif
#ifdef HAL_ALARMS
	.balign	HAL_WORD
	.globl	hal_boot_first
hal_boot_first:			/* hart 0's record, for its scratch words */
	.zero	HAL_BOOT_BYTES
#endif

	.section .data.boot, "aw", %progbits
	.balign	64
	.globl	hal_boot_records
	/*
	 * Where the table is of how many hart ids have a record, and of these, each once it may go:
	 * hal/arch/riscv/start.c. Not in .bss: read before hart 0 clears that.
	 */
hal_boot_records:
	.zero	HAL_WORD
#ifdef BOARD_SBI
entered:			/* 1: hart 0 has come */
	.zero	HAL_WORD
#endif
#ifdef BOARD_SHIM_FORWARDS
	/* A byte a hart id: 1 if it has stayed in M-mode. */
	.globl	hal_machine_hart
hal_machine_hart:
	.zero	BOARD_MAX_HARTS
#endif
