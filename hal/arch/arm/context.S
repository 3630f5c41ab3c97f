/*
 * context.S - switching stacks. hal/context.h has the contract.
 *
 * A saved context is a frame of the callee-saved registers (AAPCS32 6.1.1, 6.1.2) at its stack
 * pointer, with FPSCR in r3's place, which keeps the frame aligned.
 *
 * A debugger unwinds a suspended context as a call that returns to hal_context_suspended, with the
 * context's stack pointer (qemu/gdb/cohart.py): the directives there say where the registers are.
 */
#include <hal/asm.h>

	.cfi_sections .debug_frame

#ifdef __ARM_FP
#define FRAME_R3 64 /* above d8..d15 */
#else
#define FRAME_R3 0
#endif
#define FRAME_R4 (FRAME_R3 + 4)
#define FRAME_FP (FRAME_R3 + 32)
#define FRAME_BYTES (FRAME_R3 + 40)

	.syntax	unified

/*
 * int hal_context_switch(int result, struct hal_context *from, const struct hal_context *to)
 * In: r0 result, r1 from, r2 to. Out: r0, on the stack of `to`. Clobbers: what any call may.
 */
func hal_context_switch
	.cfi_startproc
#ifdef __ARM_FP
	vmrs	r3, fpscr
#endif
	push	{r3-r11, lr}
#ifdef __ARM_FP
	vpush	{d8-d15}
#endif
	.cfi_def_cfa_offset FRAME_BYTES
	.irp	n, 4,5,6,7,8,9,10,11
	.cfi_offset r\n, FRAME_R4 + 4 * (\n - 4) - FRAME_BYTES
	.endr
	.cfi_offset lr, FRAME_FP + 4 - FRAME_BYTES
#ifdef __ARM_FP
	.irp	n, 8,9,10,11,12,13,14,15
	.cfi_offset d\n, 8 * (\n - 8) - FRAME_BYTES
	.endr
#endif
	str	sp, [r1]
	.globl	hal_context_suspended
hal_context_suspended:
	ldr	sp, [r2]
.Lresume:
#ifdef __ARM_FP
	vpop	{d8-d15}
	ldr	r3, [sp]
	vmsr	fpscr, r3
#endif
	pop	{r3-r11, pc}

/*
 * _Noreturn void hal_context_jump(int result, const struct hal_context *to)
 * In: r0 result, r1 to. Out: does not return; r0, on the stack of `to`. Clobbers: all. It shares
 * the tail of the switch.
 */
	.globl	hal_context_jump
	.type	hal_context_jump, %function
hal_context_jump:
	ldr	sp, [r1]
	b	.Lresume
	.size	hal_context_jump, . - hal_context_jump
	.cfi_endproc
endfunc hal_context_switch

/*
 * int hal_context_init(struct hal_context *c, uintptr_t stack_top, void (*entry)(void))
 * In: r0 c, r1 stack_top, r2 entry. Out: r0, 0. Clobbers: r1, r3, r12.
 */
func hal_context_init
	sub	r1, r1, #FRAME_BYTES
	adr	r12, context_enter
	mov	r3, #0
	str	r3, [r1, #FRAME_R3]
	str	r2, [r1, #FRAME_R4]
	str	r3, [r1, #FRAME_FP]
	str	r12, [r1, #FRAME_FP + 4]
	str	r1, [r0]
	mov	r0, r3
	bx	lr

/*
 * Not callable: the first switch to a context returns here, r4 being its entry(). Starting it with
 * fp and lr at 0 ends backtraces there.
 */
context_enter:
	mov	lr, #0
	bx	r4
endfunc hal_context_init

/*
 * _Noreturn void hal_context_begin(uintptr_t stack_top, void (*entry)(void))
 * In: r0, r1. Does not return; the present context is lost.
 */
func hal_context_begin
	mov	sp, r0
	mov	fp, #0
	mov	lr, #0
#ifdef __ARM_FP
	vmsr	fpscr, lr
#endif
	bx	r1
endfunc hal_context_begin
