/* user.h - hal/user.h for AArch64: the offsets in a struct hal_user, and the call. */
#ifndef HAL_ARCH_USER_H
#define HAL_ARCH_USER_H

#include <hal_arch/trap.h>

/* Offsets behind the registers, which are a struct hal_trap. */
#define HAL_USER_TTBR 0
/* The runtime's registers, while EL0 runs. */
#define HAL_USER_HOST_TTBR 8
#define HAL_USER_HOST_SP 16
#define HAL_USER_HOST_TRAP_SP 24
#define HAL_USER_HOST_TP 32 /* and DAIF */
#define HAL_USER_BYTES (HAL_TRAP_BYTES + 48)

#ifndef __ASSEMBLER__

#include <stdint.h>

static inline uintptr_t hal_user_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c,
				      uintptr_t d)
{
	register uintptr_t x8 __asm__("x8") = number;
	register uintptr_t x0 __asm__("x0") = a;
	register uintptr_t x1 __asm__("x1") = b;
	register uintptr_t x2 __asm__("x2") = c;
	register uintptr_t x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

#endif
#endif
