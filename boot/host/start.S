/*
 * start.S - where a host image begins. The C library's own start file would call main(), which is
 * the program's and runs as a coroutine. hal_host_start() passes co_boot() in main()'s place: the
 * library readies itself and calls it.
 */
#include <hal/asm.h>

/*
 * _Noreturn void hal_host_start(void)
 * In: the stack as the kernel leaves it, argc and then argv on top; rdx: the dynamic linker's exit
 * handler. Clobbers: all; it does not return.
 * Source: System V ABI, AMD64 Architecture Processor Supplement, 3.4.1; glibc's
 * __libc_start_main().
 */
func hal_host_start
	xorl	%ebp, %ebp
	movq	%rdx, %r9
	movq	(%rsp), %rsi
	leaq	8(%rsp), %rdx
	leaq	co_boot(%rip), %rdi
	xorl	%ecx, %ecx
	xorl	%r8d, %r8d
	andq	$-16, %rsp
	pushq	%rax
	pushq	%rsp
	call	*__libc_start_main@GOTPCREL(%rip)
	hlt
endfunc hal_host_start
