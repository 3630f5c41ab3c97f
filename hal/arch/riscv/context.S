/*
 * context.S - hal/context.h for RISC-V.
 *
 * A suspended context is ra and s0-s11 in the words below its stack pointer, which stays where the
 * caller had it: that saves two instructions, and nothing else writes there, since interrupts are
 * masked and traps have a stack of their own. tp and gp are the hart's and stay.
 *
 * fs0-fs11, where the ABI has a callee preserve them, and fcsr are saved only if sstatus.SD says
 * that a floating-point register was written since this coroutine began or was resumed. A context
 * with them has the address that loads them in ra's place. A switch leaves the registers clean for
 * the next coroutine, so a coroutine that never calculates saves nothing; a coroutine that has
 * calculated saves them at each switch from then on. A hart that does not track writes says dirty
 * always. While the registers are clean, fcsr is 0: rounding mode and flags are a coroutine's own,
 * and cost nothing where they are the default.
 *
 * A debugger unwinds a suspended context as a call that returns to hal_context_suspended, with the
 * context's stack pointer (qemu/gdb/cohart.py): the directives there say where the registers are.
 * Source: RISC-V Privileged ISA, 3.1.6.6 (FS, SD).
 */
#include <hal/asm.h>
#include <hal_arch/word.h>

	.cfi_sections .debug_frame

#ifdef __riscv_float_abi_double
#define FP
#endif

#define RA_AT -14*HAL_WORD /* ra, where that address has its place */
/* Bytes below the stack pointer of the first floating-point register, aligned. */
#define FP_AT ((14 * HAL_WORD + 15) & ~7)
#define SSTATUS_FS_DIRTY (1 << 13) /* the bit by which dirty (3) differs from clean (2) */

#define FCSR_AT (FP_AT + 8 * 12)

	.macro each_saved op, base
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11
	\op	s\n, -2*HAL_WORD - HAL_WORD*\n\base
	.endr
	.endm

	.macro each_saved_fp op, base
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11
	\op	fs\n, -FP_AT - 8*\n\base
	.endr
	.endm

	/* The registers that the next one finds are nobody's, and fcsr is 0. Clobbers: t1. */
	.macro fp_clean
#ifdef FP
	fscsr	zero
	li	t1, SSTATUS_FS_DIRTY
	csrc	sstatus, t1
#endif
	.endm

	/* Make them clean, where they may be so already. */
	.macro fp_clean_if_dirty
#ifdef FP
	csrr	t1, sstatus
	bgez	t1, 9f
	fp_clean
9:
#endif
	.endm

	/* Go on where the context at \to was suspended. */
	.macro resume to
	HAL_LOAD sp, 0(\to)
	HAL_LOAD ra, -1*HAL_WORD(sp)
	each_saved HAL_LOAD, (sp)
	ret
	.endm

/*
 * int hal_context_switch(int result, struct hal_context *from, const struct hal_context *to)
 * In: a0, a1, a2. Out: a0, there. Clobbers: caller-saved registers; all further registers are to's
 * when it returns there.
 */
func hal_context_switch
	.cfi_startproc
#ifdef FP
	csrr	t0, sstatus
	bltz	t0, 1f
#endif
	HAL_STORE ra, -1*HAL_WORD(sp)
	each_saved HAL_STORE, (sp)
	.cfi_remember_state
	.cfi_offset ra, -1*HAL_WORD
	each_saved .cfi_offset
	HAL_STORE sp, 0(a1)
	.globl	hal_context_suspended
hal_context_suspended:
	resume	a2
#ifdef FP
	.cfi_restore_state
	.cfi_remember_state
	.cfi_offset ra, RA_AT
	each_saved .cfi_offset
	each_saved_fp .cfi_offset
suspended_with_fp: /* a symbol: debuggers take it for another function's frame */
1:	jal	t1, 2f /* t1: it is no link register, which a ret would be foretold by */
/* Where a context goes on that was suspended with its floating-point registers. */
	HAL_LOAD ra, RA_AT(sp)
	lw	t1, -FCSR_AT(sp)
	each_saved_fp fld, (sp)
	fscsr	t1
	ret
	.cfi_restore_state
2:	HAL_STORE t1, -1*HAL_WORD(sp)
	HAL_STORE ra, RA_AT(sp)
	each_saved HAL_STORE, (sp)
	each_saved_fp fsd, (sp)
	frcsr	t1
	sw	t1, -FCSR_AT(sp)
	fp_clean
	HAL_STORE sp, 0(a1)
	resume	a2
#endif
	.cfi_endproc
endfunc hal_context_switch

/*
 * void hal_context_jump(int result, const struct hal_context *to)
 * In: a0, a1. Out: a0, there. Clobbers: t1. Does not return; the present context is lost.
 */
func hal_context_jump
	fp_clean_if_dirty
	resume	a1
endfunc hal_context_jump

/*
 * int hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
 * In: a0, a1, a2. Out: a0. Clobbers: t0. FP registers start as they are.
 */
func hal_context_init
	la	t0, first_step
	HAL_STORE t0, -1*HAL_WORD(a1)
	HAL_STORE zero, -2*HAL_WORD(a1)
	HAL_STORE a2, -3*HAL_WORD(a1)
	HAL_STORE a1, 0(a0)
	li	a0, 0
	ret
endfunc hal_context_init

/* Where a new context begins: s0 and ra are 0, the end of every backtrace, s1 is its entry. */
first_step:
	li	ra, 0
	jr	s1

/*
 * _Noreturn void hal_context_begin(uintptr_t stack_top, void (*entry)(void))
 * In: a0, a1. Clobbers: t1. Does not return; the present context is lost.
 */
func hal_context_begin
	fp_clean_if_dirty
	mv	sp, a0
	li	s0, 0
	li	ra, 0
	jr	a1
endfunc hal_context_begin
