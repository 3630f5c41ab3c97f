/*
 * semihost.S - the call itself. Source: RISC-V Semihosting 0.4, chapter 2: these three
 * instructions, uncompressed, in one page.
 */
#include <hal/asm.h>

/*
 * intptr_t hal_semihost(uintptr_t op, void *arg)
 * In: a0, a1. Out: a0. Clobbers: nothing else.
 */
	.section .text.hal_semihost, "ax", %progbits
	.balign	16
	.globl	hal_semihost
	.type	hal_semihost, %function
hal_semihost:
	.option push
	.option norvc
	slli	x0, x0, 0x1f
	.globl	hal_semihost_call
hal_semihost_call:
	ebreak
	srai	x0, x0, 7
	.option pop
	ret
	.size	hal_semihost, . - hal_semihost
