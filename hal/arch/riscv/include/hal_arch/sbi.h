/*
 * sbi.h - calls of the firmware below S-mode (BOARD_SBI), OpenSBI as a rule.
 *
 * Source: RISC-V Supervisor Binary Interface 1.0, chapters 3 (calls), 6 (timer), 7 (doorbells).
 */
#ifndef HAL_ARCH_SBI_H
#define HAL_ARCH_SBI_H

#include <stdint.h>

#define HAL_SBI_TIME 0x54494d45
#define HAL_SBI_IPI 0x735049
#define HAL_SBI_HSM 0x48534d
#define HAL_SBI_SRST 0x53525354

/*
 * Call function fn of an extension. Registers but a0 and a1 stay as they are.
 * @return 0, or a negative error of SBI's
 * Context: any, in S-mode. Order: earlier writes of this hart are visible to the hart that a call
 * starts or rings.
 */
static inline intptr_t hal_sbi(uintptr_t extension, uintptr_t fn, uintptr_t arg0, uintptr_t arg1,
			       uintptr_t arg2)
{
	register uintptr_t a0 __asm__("a0") = arg0;
	register uintptr_t a1 __asm__("a1") = arg1;
	register uintptr_t a2 __asm__("a2") = arg2;
	register uintptr_t a6 __asm__("a6") = fn;
	register uintptr_t a7 __asm__("a7") = extension;

	/* fence w, rw: pairs with the fences of hal_ipi_clear() and of start.S. */
	__asm__ volatile("fence w, rw\n\tecall"
			 : "+r"(a0), "+r"(a1)
			 : "r"(a2), "r"(a6), "r"(a7)
			 : "memory");
	return (intptr_t)a0;
}

#endif
