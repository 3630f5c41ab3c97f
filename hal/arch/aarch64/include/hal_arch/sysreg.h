/*
 * sysreg.h - system registers by the name their manual gives them.
 */
#ifndef HAL_ARCH_SYSREG_H
#define HAL_ARCH_SYSREG_H

#include <stdint.h>

#define hal_sysreg_read(name)                                               \
	({                                                                  \
		uint64_t hal_v;                                             \
		__asm__ volatile("mrs %0, " #name : "=r"(hal_v)::"memory"); \
		hal_v;                                                      \
	})

#define hal_sysreg_write(name, value) \
	__asm__ volatile("msr " #name ", %x0" ::"rZ"((uint64_t)(value)) : "memory")

/* What was written to system registers holds for, and what was read precedes, all that follows. */
static inline void hal_isb(void)
{
	__asm__ volatile("isb" ::: "memory");
}

/* Loads and stores before it, maintenance included, are complete for every hart. */
static inline void hal_dsb(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

/* Stores before it are complete for every hart. */
static inline void hal_dsb_stores(void)
{
	__asm__ volatile("dsb ishst" ::: "memory");
}

/* End the WFE of all harts. */
static inline void hal_sev(void)
{
	hal_dsb();
	__asm__ volatile("sev" ::: "memory");
}

/* This hart's number in its cluster. */
static inline unsigned hal_cpu_affinity0(void)
{
	return hal_sysreg_read(mpidr_el1) & 0xff;
}

#endif
