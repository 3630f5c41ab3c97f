/*
 * bringup.S - the entry of `make bringup RUNG=1`, before anything else of the image: a stack, and
 * the board's console. No map, no vectors, no thread-locals; .bss is not cleared.
 */
#include <hal/asm.h>

	.section .text.bringup, "ax", %progbits
/*
 * _Noreturn void hal_bringup_entry(uintptr_t dtb): reset, at any exception level. In: x0. Harts
 * whose affinity is not 0 wait for ever.
 */
	.globl	hal_bringup_entry
	.type	hal_bringup_entry, %function
hal_bringup_entry:
	msr	DAIFSet, #15
	mov	x1, x0
	mrs	x0, MPIDR_EL1
	and	x0, x0, #0xffffff
	cbnz	x0, park
	ldr	x2, =hal_boot_stack_end
	mov	sp, x2
	mov	x29, xzr
	mov	x30, xzr
	b	co_bringup_first
park:
	wfe
	b	park
	.size	hal_bringup_entry, . - hal_bringup_entry
	.ltorg
