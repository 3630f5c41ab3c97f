/*
 * sysreg.h - system registers, by the names that hal_arch/registers.h gives them, and barriers.
 */
#ifndef HAL_ARCH_SYSREG_H
#define HAL_ARCH_SYSREG_H

#include <hal_arch/registers.h>

#define HAL_USER_ASID \
	2u /* the number of maps of code without privilege; the runtime's are 0 and 1 */

/* Writes to system registers take effect for, and reads of them precede, all later instructions. */
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

#endif
