/*
 * context.S - switching stacks. hal/context.h has the contract.
 *
 * A saved context is a frame of the callee-saved registers (AAPCS64 6.1.1, 6.1.2) at its stack
 * pointer. FPCR and FPSR are 0 in most; where they are not, a second frame above the first has
 * them, and the first returns to the code that loads them.
 *
 * A debugger unwinds a suspended context as a call that returns to hal_context_suspended, with the
 * context's stack pointer (qemu/gdb/cohart.py): the directives there say where the registers are.
 */
#include <hal/asm.h>
#include <hal_arch/frame.h>

	.cfi_sections .debug_frame

/*
 * int hal_context_switch(int result, struct hal_context *from, const struct hal_context *to)
 * In: w0 result, x1 from, x2 to. Out: w0, on the stack of `to`. Clobbers: what any call may.
 */
func hal_context_switch
	.cfi_startproc
	mrs	x9, FPCR
	mrs	x10, FPSR
	orr	x11, x9, x10
	cbnz	x11, .Lsave_fp
.Lsave:
	stp	x29, x30, [sp, #-HAL_FRAME_BYTES]!
	hal_frame_each stp
	.cfi_remember_state
	hal_frame_cfi
	mov	x9, sp
	.globl	hal_context_suspended
hal_context_suspended:
	str	x9, [x1]
	ldr	x9, [x2]
.Lresume:
	mov	sp, x9
	hal_frame_each ldp
	ldp	x29, x30, [sp], #HAL_FRAME_BYTES
	ret
	.cfi_restore_state
.Lsave_fp:
	stp	x9, x10, [sp, #-32]!
	str	x30, [sp, #16]
	msr	FPCR, xzr
	msr	FPSR, xzr
	adr	x30, .Lload_fp
	.cfi_def_cfa_offset 32
	.cfi_offset x30, 16 - 32
	b	.Lsave
.Lload_fp:
	ldp	x9, x10, [sp]
	ldr	x30, [sp, #16]
	add	sp, sp, #32
	msr	FPCR, x9
	msr	FPSR, x10
	ret

/*
 * _Noreturn void hal_context_jump(int result, const struct hal_context *to)
 * In: w0 result, x1 to. Out: does not return; w0, on the stack of `to`. Clobbers: all. It shares
 * the tail of the switch.
 */
	.globl	hal_context_jump
	.type	hal_context_jump, %function
hal_context_jump:
	msr	FPCR, xzr
	msr	FPSR, xzr
	ldr	x9, [x1]
	b	.Lresume
	.size	hal_context_jump, . - hal_context_jump
	.cfi_endproc
endfunc hal_context_switch

/*
 * int hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
 * In: x0 c, x1 stack_top, x2 entry. Out: w0, 0. Clobbers: x1, x9.
 */
func hal_context_init
	sub	x1, x1, #HAL_FRAME_BYTES
	adr	x9, context_enter
	stp	xzr, x9, [x1, #HAL_FRAME_X29]
	str	x2, [x1, #HAL_FRAME_X19]
	str	x1, [x0]
	mov	w0, wzr
	ret

/*
 * Not callable: the first switch to a context returns here, x19 being its entry(). Starting it with
 * x29 and x30 at 0 ends backtraces there.
 */
context_enter:
	mov	x30, xzr
	br	x19
endfunc hal_context_init

/*
 * _Noreturn void hal_context_begin(uintptr_t stack_top, void (*entry)(void))
 * In: x0, x1. Does not return; the present context is lost.
 */
func hal_context_begin
	msr	FPCR, xzr
	msr	FPSR, xzr
	mov	sp, x0
	mov	x29, xzr
	mov	x30, xzr
	br	x1
endfunc hal_context_begin
