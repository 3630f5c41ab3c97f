/*
 * bringup.S - the entry of `make bringup RUNG=1`, before anything else of the image: a stack, and
 * the board's console. No map, no trap handler, no thread-locals; .bss is not cleared.
 */
#include <hal/asm.h>

#ifdef BOARD_SBI
#define HAL_IE sie
#define HAL_TVEC stvec
#else
#define HAL_IE mie
#define HAL_TVEC mtvec
#endif

	.section .text.bringup, "ax", %progbits
	.option norelax
/*
 * _Noreturn void hal_bringup_entry(uintptr_t hwid, uintptr_t dtb): reset. In: a0, a1. Harts other
 * than 0 wait for ever, as does one that traps: nothing listens to it yet.
 */
	.globl	hal_bringup_entry
	.type	hal_bringup_entry, %function
hal_bringup_entry:
	csrw	HAL_IE, zero
	la	t0, park
	csrw	HAL_TVEC, t0
#ifndef BOARD_SBI
	bnez	a0, park
#endif
	la	gp, __global_pointer$
	la	sp, hal_boot_stack + HAL_BOOT_STACK_BYTES
	tail	co_bringup_first
	.balign	4
park:
	wfi
	j	park
	.size	hal_bringup_entry, . - hal_bringup_entry
