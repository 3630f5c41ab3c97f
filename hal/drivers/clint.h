/*
 * clint.h - RISC-V software interrupts: the CLINT's for M-mode, the ACLINT SSWI device's for
 * S-mode.
 * Source: SiFive E31 manual, chapter 9; RISC-V ACLINT specification 1.0, chapters 2 and 4.
 */
#ifndef HAL_CLINT_H
#define HAL_CLINT_H

#include <stdint.h>

/* Both devices have a word for each hart id at their start: 1 sets the interrupt pending. */
static inline void hal_clint_ring(uintptr_t base, uintptr_t hwid)
{
	/*
	 * fence w, o: what was written to memory is visible before the ring is (pairs with the
	 * woken hart's look at its inbox).
	 */
	__asm__ volatile("fence w, o" ::: "memory");
	((volatile uint32_t *)base)[hwid] = 1;
}

#endif
