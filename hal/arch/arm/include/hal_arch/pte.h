/*
 * pte.h - page table entries: long descriptors (LPAE), three levels, of which the top one has four
 * entries that count for 32-bit addresses. A level is the log, to the base 512, of the pages that
 * an entry of it spans: 0 a page, 1 2 MiB, 2 1 GiB.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B3.6.
 */
#ifndef HAL_ARCH_PTE_H
#define HAL_ARCH_PTE_H

#define HAL_PTE_XN (1ull << 54) /* for all; unprivileged code may not even read it */
#define HAL_PTE_USER_XN HAL_PTE_XN
#define HAL_PTE_CODE 0
#define HAL_PTE_DATA HAL_PTE_XN
#define HAL_PTE_ADDRESS 0xfffff000u

#include <hal_arch/long_pte.h>

/* Is it an address that tables speak of? */
static inline bool hal_pte_in_reach(uintptr_t address)
{
	(void)address;
	return true;
}

#endif
