/*
 * smccc.S - calls of the firmware. hal/drivers/psci.h has the interface.
 *
 * The firmware may change x0 to x17, as may any function.
 * Source: SMC Calling Convention (DEN 0028) 2.6.
 */
#include <hal/asm.h>

/*
 * intptr_t hal_hvc(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c)
 * In: x0 function, x1 to x3 its arguments. Out: x0 the firmware's answer. Clobbers: x1 to x17.
 */
func hal_hvc
	hvc	#0
	ret
endfunc hal_hvc

/*
 * intptr_t hal_smc(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c)
 * In, out, clobbers: as hal_hvc().
 */
func hal_smc
	smc	#0
	ret
endfunc hal_smc
