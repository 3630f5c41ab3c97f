/*
 * smccc.S - calls of the firmware. hal/drivers/psci.h has the interface.
 *
 * The firmware may change r0 to r3, as may any function.
 * Source: SMC Calling Convention (DEN 0028) 2.7 (r4 and above are kept).
 */
#include <hal/asm.h>

	.syntax	unified
	.arch_extension virt
	.arch_extension sec

/*
 * intptr_t hal_hvc(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c)
 * In: r0 function, r1 to r3 its arguments. Out: r0 the firmware's answer. Clobbers: r1 to r3.
 */
func hal_hvc
	hvc	#0
	bx	lr
endfunc hal_hvc

/*
 * intptr_t hal_smc(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c)
 * In, out, clobbers: as hal_hvc().
 */
func hal_smc
	smc	#0
	bx	lr
endfunc hal_smc
