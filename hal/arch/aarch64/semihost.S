/*
 * semihost.S - the call out of the machine. hal/semihost.h has the contract.
 */
#include <hal/asm.h>

/*
 * intptr_t hal_semihost(uintptr_t op, void *arg)
 * In: x0 op, x1 arg. Out: x0 the host's result. Clobbers: none.
 * Source: Arm "Semihosting for AArch32 and AArch64" 2.0, 3.
 */
func hal_semihost
	.globl	hal_semihost_call
hal_semihost_call:
	hlt	#0xf000
	ret
endfunc hal_semihost
