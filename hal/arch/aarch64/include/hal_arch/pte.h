/*
 * pte.h - page table entries: 4 KiB granule, three levels, 39-bit addresses. A level is the log, to
 * the base 512, of the pages that an entry of it spans: 0 a page, 1 2 MiB, 2 1 GiB.
 *
 * Source: Arm ARM (DDI 0487) D5.3 (VMSAv8-64 translation table format descriptors).
 */
#ifndef HAL_ARCH_PTE_H
#define HAL_ARCH_PTE_H

#define HAL_PTE_XN (1ull << 53)      /* PXN */
#define HAL_PTE_USER_XN (1ull << 54) /* UXN */
#define HAL_PTE_CODE HAL_PTE_USER_XN
#define HAL_PTE_DATA (HAL_PTE_XN | HAL_PTE_USER_XN)
#define HAL_PTE_ADDRESS 0x0000fffffffff000ull

#include <hal_arch/long_pte.h>

/* Is it an address that tables speak of? */
static inline bool hal_pte_in_reach(uintptr_t address)
{
	return address < 1ull << 39;
}

#endif
