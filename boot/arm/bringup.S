/*
 * bringup.S - the entry of `make bringup RUNG=1`, before anything else of the image: a stack, and
 * the board's console. No map, no vectors, no thread-locals; .bss is not cleared.
 */
#include <hal/asm.h>

	.syntax	unified
	.section .text.bringup, "ax", %progbits
/*
 * _Noreturn void hal_bringup_entry(uintptr_t zero, uintptr_t machine, uintptr_t dtb): reset, in Hyp
 * or Supervisor mode. In: r2. Harts whose affinity is not 0 wait for ever.
 */
	.globl	hal_bringup_entry
	.type	hal_bringup_entry, %function
hal_bringup_entry:
	cpsid	aif
	mov	r1, r2
	mrc	p15, 0, r0, c0, c0, 5	/* MPIDR */
	bics	r0, r0, #0xff000000
	bne	park
	ldr	sp, =hal_boot_stack_end
	mov	lr, #0
	b	co_bringup_first
park:
	wfe
	b	park
	.size	hal_bringup_entry, . - hal_bringup_entry
	.ltorg
