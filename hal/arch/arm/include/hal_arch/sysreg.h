/*
 * sysreg.h - system registers by the name their manual gives them.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B4.1, B8 (generic timer), C12 (PMU); GICv3 (IHI 0069)
 * 12.5 (ICC registers).
 */
#ifndef HAL_ARCH_SYSREG_H
#define HAL_ARCH_SYSREG_H

#include <stdint.h>

/* Where they are among those of coprocessor 15. */
#define HAL_CP15_ID_PFR1 "0, %0, c0, c1, 1"
#define HAL_CP15_CTR "0, %0, c0, c0, 1"
#define HAL_CP15_SCTLR "0, %0, c1, c0, 0"
#define HAL_CP15_DCCMVAC "0, %0, c7, c10, 1"
#define HAL_CP15_DCCIMVAC "0, %0, c7, c14, 1"
#define HAL_CP15_TLBIALL "0, %0, c8, c7, 0"
#define HAL_CP15_TLBIASID "0, %0, c8, c7, 2"
#define HAL_CP15_PMOVSR "0, %0, c9, c12, 3"
#define HAL_CP15_PMCCNTR "0, %0, c9, c13, 0"
#define HAL_CP15_PMXEVCNTR "0, %0, c9, c13, 2"
#define HAL_CP15_ICC_PMR "0, %0, c4, c6, 0"
#define HAL_CP15_ICC_IAR0 "0, %0, c12, c8, 0"
#define HAL_CP15_ICC_EOIR0 "0, %0, c12, c8, 1"
#define HAL_CP15_ICC_IAR1 "0, %0, c12, c12, 0"
#define HAL_CP15_ICC_EOIR1 "0, %0, c12, c12, 1"
#define HAL_CP15_ICC_CTLR "0, %0, c12, c12, 4"
#define HAL_CP15_ICC_SRE "0, %0, c12, c12, 5"
#define HAL_CP15_ICC_IGRPEN0 "0, %0, c12, c12, 6"
#define HAL_CP15_ICC_IGRPEN1 "0, %0, c12, c12, 7"
#define HAL_CP15_TPIDRURO "0, %0, c13, c0, 3"
#define HAL_CP15_CNTFRQ "0, %0, c14, c0, 0"
#define HAL_CP15_CNTP_CTL "0, %0, c14, c2, 1"
#define HAL_CP15_CNTV_CTL "0, %0, c14, c3, 1"

/* And the wide ones. */
#define HAL_CP15_TTBR0 "0, %Q0, %R0, c2"
#define HAL_CP15_ICC_SGI1R "0, %Q0, %R0, c12"
#define HAL_CP15_ICC_SGI0R "2, %Q0, %R0, c12"
#define HAL_CP15_CNTVCT "1, %Q0, %R0, c14"
#define HAL_CP15_CNTP_CVAL "2, %Q0, %R0, c14"
#define HAL_CP15_CNTV_CVAL "3, %Q0, %R0, c14"

#define hal_sysreg_read(name)                                                          \
	({                                                                             \
		uint32_t hal_v;                                                        \
		__asm__ volatile("mrc p15, " HAL_CP15_##name : "=r"(hal_v)::"memory"); \
		hal_v;                                                                 \
	})

#define hal_sysreg_write(name, value) \
	__asm__ volatile("mcr p15, " HAL_CP15_##name ::"r"((uint32_t)(value)) : "memory")

#define hal_sysreg_read64(name)                                                         \
	({                                                                              \
		uint64_t hal_v;                                                         \
		__asm__ volatile("mrrc p15, " HAL_CP15_##name : "=r"(hal_v)::"memory"); \
		hal_v;                                                                  \
	})

#define hal_sysreg_write64(name, value) \
	__asm__ volatile("mcrr p15, " HAL_CP15_##name ::"r"((uint64_t)(value)) : "memory")

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

#endif
