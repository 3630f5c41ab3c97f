/*
 * switch.S - the part of hal/context.h that C cannot say, for x86-64.
 *
 * A suspended context is eight words from its stack pointer up: its fiber (fiber.h), r15, r14, r13,
 * r12, rbx, rbp, the address to go on at. MXCSR and the x87 control word are the thread's: rounding
 * modes are not per coroutine.
 *
 * The processor foretells where a ret goes: back behind the call that came last. The last call was
 * the leaving coroutine's, so the prediction is right if the coroutine that goes on left off at
 * that address; their callers then often agree too, and later rets are predicted as well. If the
 * places differ, a ret is mispredicted for sure (20 cycles), so a jump is taken, whose targets the
 * processor may know.
 *
 * A debugger unwinds a suspended context as a call that returns to hal_context_suspended, with the
 * context's stack pointer (qemu/gdb/cohart.py): the directives there say where the registers are.
 * Source: System V ABI, AMD64 Architecture Processor Supplement, 3.2.1.
 */
#include <hal/asm.h>

/*
 * int hal_host_swap(int result, struct hal_context *from, const struct hal_context *to,
 *		     void *fiber)
 * In: edi, rsi, rdx, rcx. Out: eax, there. Clobbers: caller-saved registers; all further registers
 * are to's when it returns there.
 */
func hal_host_swap
	.cfi_startproc
	movl	%edi, %eax
	movq	(%rsp), %r8
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	%rcx
	.cfi_def_cfa_offset 64
	.cfi_offset rbp, -16
	.cfi_offset rbx, -24
	.cfi_offset r12, -32
	.cfi_offset r13, -40
	.cfi_offset r14, -48
	.cfi_offset r15, -56
	movq	%rsp, (%rsi)
	.globl	hal_context_suspended
hal_context_suspended:
	movq	(%rdx), %rsp
	addq	$8, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	cmpq	%r8, (%rsp)
	jne	elsewhere
	ret
	.cfi_endproc
endfunc hal_host_swap

/*
 * _Noreturn void hal_host_enter(int result, const struct hal_context *to)
 * In: edi, rsi. Out: eax, there. Does not return; the present context is lost.
 */
func hal_host_enter
	movl	%edi, %eax
	movq	(%rsi), %rsp
	addq	$8, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
elsewhere:
	popq	%rcx
	jmp	*%rcx
endfunc hal_host_enter

/*
 * _Noreturn void hal_host_first_step(void)
 * Where a new context begins. In: rbx, its entry; rbp is 0, the end of every backtrace.
 * Clobbers: all.
 */
func hal_host_first_step
	movq	%rbx, %rdi
	call	hal_host_begin
	hlt
endfunc hal_host_first_step
