/* user.h - hal/user.h for 32-bit Arm: the offsets in a struct hal_user, and the call. */
#ifndef HAL_ARCH_USER_H
#define HAL_ARCH_USER_H

#include <hal_arch/trap.h>

/* Its registers come first, as a struct hal_trap; a word has room in immediates of 4096. */
#define HAL_USER_WORD(n) (HAL_TRAP_BYTES + 4 * (n))
#define HAL_USER_TTBR_LOW HAL_USER_WORD(0)
#define HAL_USER_TTBR_HIGH HAL_USER_WORD(1)
#define HAL_USER_TP HAL_USER_WORD(2)
/* The runtime's registers, while User mode runs. */
#define HAL_USER_HOST_TTBR_LOW HAL_USER_WORD(3)
#define HAL_USER_HOST_TTBR_HIGH HAL_USER_WORD(4)
#define HAL_USER_HOST_SP HAL_USER_WORD(5)
#define HAL_USER_HOST_TP HAL_USER_WORD(6)
#define HAL_USER_HOST_TRAP HAL_USER_WORD(7)
#define HAL_USER_HOST_CPSR HAL_USER_WORD(8)
#define HAL_USER_BYTES HAL_USER_WORD(10)

#ifndef __ASSEMBLER__

#include <stdint.h>

static inline uintptr_t hal_user_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c,
				      uintptr_t d)
{
	register uintptr_t r12 __asm__("r12") = number;
	register uintptr_t r0 __asm__("r0") = a;
	register uintptr_t r1 __asm__("r1") = b;
	register uintptr_t r2 __asm__("r2") = c;
	register uintptr_t r3 __asm__("r3") = d;

	__asm__ volatile("svc #0" : "+r"(r0) : "r"(r12), "r"(r1), "r"(r2), "r"(r3) : "memory");
	return r0;
}

#endif
#endif
