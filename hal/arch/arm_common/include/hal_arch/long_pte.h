/*
 * long_pte.h - page table entries in the long format: of AArch64 with pages of 4 KiB, and of 32-bit
 * Arm with LPAE. They differ in the bits that forbid execution, which hal_arch/pte.h defines before
 * it includes this:
 *
 *	HAL_PTE_ADDRESS       the bits of an address
 *	HAL_PTE_DATA          nobody executes it
 *	HAL_PTE_CODE          the runtime does, nobody without privilege
 *	HAL_PTE_XN            the runtime does not
 *	HAL_PTE_USER_XN       nobody without privilege does
 */
#ifndef HAL_LONG_PTE_H
#define HAL_LONG_PTE_H

#include <stdbool.h>
#include <stdint.h>

#include <hal/guard.h>
#include <hal_arch/sysreg.h>

typedef uint64_t hal_pte;

#define HAL_PTE_VALID (1ull << 0)
#define HAL_PTE_TABLE (1ull << 1)  /* at level 0: a page */
#define HAL_PTE_DEVICE (1ull << 2) /* attribute 1 as start.S sets it (MAIR); normal is 0 */
#define HAL_PTE_USER (1ull << 6)   /* without privilege too */
#define HAL_PTE_RO (1ull << 7)
#define HAL_PTE_INNER (3ull << 8) /* coherent between the harts */
#define HAL_PTE_AF (1ull << 10)   /* used already: never fault to say so */
#define HAL_PTE_NG (1ull << 11)   /* bound to the map's number: see hal_map_activate() */

/* An entry that maps 4 KiB << 9 * level bytes at pa. */
static inline hal_pte hal_pte_leaf(uintptr_t pa, unsigned level, enum hal_map_prot prot)
{
	hal_pte pte = pa | HAL_PTE_VALID | HAL_PTE_INNER | HAL_PTE_AF | HAL_PTE_NG;

	if (level == 0)
		pte |= HAL_PTE_TABLE;
	if (prot >= HAL_MAP_USER_R)
		pte |= HAL_PTE_USER;
	if (prot != HAL_MAP_USER_RX)
		pte |= prot == HAL_MAP_RX ? HAL_PTE_CODE : HAL_PTE_DATA;
	if (prot == HAL_MAP_R || prot == HAL_MAP_RX || prot == HAL_MAP_USER_R ||
	    prot == HAL_MAP_USER_RX)
		pte |= HAL_PTE_RO;
	if (prot == HAL_MAP_DEVICE)
		pte |= HAL_PTE_DEVICE;
	return pte;
}

/* An entry that points to the table at pa, of the next level down. */
static inline hal_pte hal_pte_table(uintptr_t pa)
{
	return pa | HAL_PTE_VALID | HAL_PTE_TABLE;
}

static inline bool hal_pte_valid(hal_pte pte)
{
	return pte & HAL_PTE_VALID;
}

static inline bool hal_pte_is_table(hal_pte pte, unsigned level)
{
	return level > 0 &&
	       (pte & (HAL_PTE_VALID | HAL_PTE_TABLE)) == (HAL_PTE_VALID | HAL_PTE_TABLE);
}

static inline uintptr_t hal_pte_address(hal_pte pte)
{
	return (uintptr_t)(pte & HAL_PTE_ADDRESS);
}

/* The rights that a leaf gives: enum hal_map_right. */
static inline unsigned hal_pte_rights(hal_pte pte)
{
	unsigned rights = HAL_MAP_READ | (pte & HAL_PTE_RO ? 0 : HAL_MAP_WRITE);
	unsigned all = rights | (pte & HAL_PTE_XN ? 0 : HAL_MAP_EXECUTE);

	if (pte & HAL_PTE_USER)
		all |= (rights | (pte & HAL_PTE_USER_XN ? 0 : HAL_MAP_EXECUTE)) << HAL_MAP_USER;
	return all | (pte & HAL_PTE_DEVICE ? HAL_MAP_IS_DEVICE : 0);
}

/* Table walks see the stores to tables from here on. */
static inline void hal_pte_publish(void)
{
	hal_dsb_stores();
	hal_isb();
}

#endif
