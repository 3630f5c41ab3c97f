/*
 * pte.h - page table entries of Sv39, and of Sv32, which differ in their width alone.
 *
 * Source: RISC-V Privileged ISA, 4.3 and 4.4.
 */
#ifndef HAL_ARCH_PTE_H
#define HAL_ARCH_PTE_H

#include <stdbool.h>
#include <stdint.h>

#include <hal/guard.h>

typedef uintptr_t hal_pte;

#define PTE_V 0x01
#define PTE_R 0x02
#define PTE_W 0x04
#define PTE_X 0x08
#define PTE_U 0x10 /* U-mode's, and not S-mode's (sstatus.SUM stays 0) */
#define PTE_A 0x40 /* accessed and dirty are set beforehand: no hart ever traps to set them */
#define PTE_D 0x80

static inline hal_pte hal_pte_leaf(uintptr_t pa, unsigned level, enum hal_map_prot prot)
{
	hal_pte bits = PTE_R;

	(void)level; /* leaves are alike at every level */
	if (prot >= HAL_MAP_USER_R)
		bits |= PTE_U;
	if (prot == HAL_MAP_RX || prot == HAL_MAP_USER_RX)
		bits |= PTE_X;
	else if (prot != HAL_MAP_R && prot != HAL_MAP_USER_R)
		bits |= PTE_W;
	return (hal_pte)pa >> 12 << 10 | bits | PTE_V | PTE_A | PTE_D;
}

static inline hal_pte hal_pte_table(uintptr_t pa)
{
	return (hal_pte)pa >> 12 << 10 | PTE_V;
}

static inline bool hal_pte_valid(hal_pte pte)
{
	return pte & PTE_V;
}

static inline bool hal_pte_is_table(hal_pte pte, unsigned level)
{
	(void)level;
	return (pte & (PTE_V | PTE_R | PTE_W | PTE_X)) == PTE_V;
}

static inline uintptr_t hal_pte_address(hal_pte pte)
{
	return (uintptr_t)(pte >> 10 << 12);
}

/* The rights of a leaf: enum hal_map_right. Devices look like memory: the bus knows them. */
static inline unsigned hal_pte_rights(hal_pte pte)
{
	unsigned rights = (unsigned)pte >> 1 & (HAL_MAP_READ | HAL_MAP_WRITE | HAL_MAP_EXECUTE);

	return pte & PTE_U ? rights << HAL_MAP_USER : rights;
}

/* Is it an address that tables speak of? Sv39's upper half, sign-extended, is never used here. */
static inline bool hal_pte_in_reach(uintptr_t address)
{
#if __riscv_xlen == 64
	return address < (uintptr_t)1 << 38;
#else
	(void)address;
	return true;
#endif
}

/* Tables written before this are seen by walks that start after it (this hart's sfence follows). */
static inline void hal_pte_publish(void)
{
	__asm__ volatile("fence rw, rw" ::: "memory");
}

#endif
