/*
 * semihost.S - the call out of the machine. hal/semihost.h has the contract.
 */
#include <hal/asm.h>

	.syntax	unified

/*
 * intptr_t hal_semihost(uintptr_t op, void *arg)
 * In: r0 op, r1 arg. Out: r0 the host's result. Clobbers: none (the call leaves no trace in system
 * mode).
 * Source: Arm "Semihosting for AArch32 and AArch64" 2.0, 3.
 */
func hal_semihost
	.globl	hal_semihost_call
hal_semihost_call:
	svc	#0x123456
	bx	lr
endfunc hal_semihost
