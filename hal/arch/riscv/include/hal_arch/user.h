/* user.h - hal/user.h for RISC-V: the offsets in a struct hal_user, and the call. */
#ifndef HAL_ARCH_USER_H
#define HAL_ARCH_USER_H

#include <hal_arch/trap.h>
#include <hal_arch/word.h>

/* Its registers come first, as a struct hal_trap. */
#define HAL_USER_WORD(n) (HAL_TRAP_BYTES + (n)*HAL_WORD)
#define HAL_USER_SATP HAL_USER_WORD(0)
#define HAL_USER_FENCE HAL_USER_WORD(1) /* not 0: maps have no numbers here */
/* The runtime's registers, while U-mode runs. */
#define HAL_USER_HOST_SP HAL_USER_WORD(2)
#define HAL_USER_HOST_GP HAL_USER_WORD(3)
#define HAL_USER_HOST_TP HAL_USER_WORD(4)
#define HAL_USER_HOST_SATP HAL_USER_WORD(5)
#define HAL_USER_HOST_SCRATCH HAL_USER_WORD(6)
#define HAL_USER_HOST_VECTOR HAL_USER_WORD(7)
#define HAL_USER_HOST_FCSR HAL_USER_WORD(8)
#define HAL_USER_F(n) (HAL_USER_WORD(10) + 8 * (n))
#define HAL_USER_BYTES HAL_USER_F(32)

#ifndef __ASSEMBLER__

#include <stdint.h>

static inline uintptr_t hal_user_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c,
				      uintptr_t d)
{
	register uintptr_t a7 __asm__("a7") = number;
	register uintptr_t a0 __asm__("a0") = a;
	register uintptr_t a1 __asm__("a1") = b;
	register uintptr_t a2 __asm__("a2") = c;
	register uintptr_t a3 __asm__("a3") = d;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}

#endif
#endif
