/*
 * clint.h - RISC-V software interrupts: the CLINT's for M-mode, the ACLINT SSWI device's for
 * S-mode.
 * Source: SiFive E31 manual, chapter 9; RISC-V ACLINT specification 1.0, chapters 2 and 4.
 */
#ifndef HAL_CLINT_H
#define HAL_CLINT_H

#include <stdint.h>

/* Both devices have a word for each hart id at their start: 1 sets the interrupt pending. */
static inline uintptr_t hal_clint_doorbell(uintptr_t base, uintptr_t hwid)
{
	return base + hwid * sizeof(uint32_t);
}

#endif
