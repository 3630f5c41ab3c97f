/*
 * registers.h - system registers by the names that both widths of Arm have for them, or, where the
 * names differ, by arm_common's.
 *
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) B4.1, B8 (generic timer), C12 (PMU); GICv3 (IHI 0069)
 * 12.5 (ICC registers).
 */
#ifndef HAL_ARCH_REGISTERS_H
#define HAL_ARCH_REGISTERS_H

#include <stdint.h>

/* Their operands among the registers of coprocessor 15. */
#define HAL_SYSREG_ID_PFR1 "0, %0, c0, c1, 1"
#define HAL_SYSREG_CTR "0, %0, c0, c0, 1"
#define HAL_SYSREG_SCTLR "0, %0, c1, c0, 0"
#define HAL_SYSREG_DCCMVAC "0, %0, c7, c10, 1"
#define HAL_SYSREG_DCCIMVAC "0, %0, c7, c14, 1"
#define HAL_SYSREG_TLBIALL "0, %0, c8, c7, 0"
#define HAL_SYSREG_TLBIASID "0, %0, c8, c7, 2"
#define HAL_SYSREG_PMOVSR "0, %0, c9, c12, 3"
#define HAL_SYSREG_INSTRET_UPPER "0, %0, c9, c13, 0" /* PMCCNTR, which stands still */
#define HAL_SYSREG_INSTRET "0, %0, c9, c13, 2"       /* PMXEVCNTR; start.S has selected 0 */
#define HAL_SYSREG_ICC_PMR "0, %0, c4, c6, 0"
#define HAL_SYSREG_ICC_IAR0 "0, %0, c12, c8, 0"
#define HAL_SYSREG_ICC_EOIR0 "0, %0, c12, c8, 1"
#define HAL_SYSREG_ICC_IAR1 "0, %0, c12, c12, 0"
#define HAL_SYSREG_ICC_EOIR1 "0, %0, c12, c12, 1"
#define HAL_SYSREG_ICC_HPPIR1 "0, %0, c12, c12, 2"
#define HAL_SYSREG_ICC_CTLR "0, %0, c12, c12, 4"
#define HAL_SYSREG_ICC_SRE "0, %0, c12, c12, 5"
#define HAL_SYSREG_ICC_IGRPEN0 "0, %0, c12, c12, 6"
#define HAL_SYSREG_ICC_IGRPEN1 "0, %0, c12, c12, 7"
#define HAL_SYSREG_TP "0, %0, c13, c0, 3" /* TPIDRURO */
#define HAL_SYSREG_CNTFRQ "0, %0, c14, c0, 0"
#define HAL_SYSREG_CNTP_CTL "0, %0, c14, c2, 1"
#define HAL_SYSREG_CNTV_CTL "0, %0, c14, c3, 1"

/* And the wide ones. */
#define HAL_SYSREG_TTBR0 "0, %Q0, %R0, c2"
#define HAL_SYSREG_ICC_SGI1R "0, %Q0, %R0, c12"
#define HAL_SYSREG_ICC_SGI0R "2, %Q0, %R0, c12"
#define HAL_SYSREG_CNTVCT "1, %Q0, %R0, c14"
#define HAL_SYSREG_CNTP_CVAL "2, %Q0, %R0, c14"
#define HAL_SYSREG_CNTV_CVAL "3, %Q0, %R0, c14"

#define hal_sysreg_read(name)                                                            \
	({                                                                               \
		uint32_t hal_v;                                                          \
		__asm__ volatile("mrc p15, " HAL_SYSREG_##name : "=r"(hal_v)::"memory"); \
		hal_v;                                                                   \
	})

#define hal_sysreg_write(name, value) \
	__asm__ volatile("mcr p15, " HAL_SYSREG_##name ::"r"((uint32_t)(value)) : "memory")

#define hal_sysreg_read64(name)                                                           \
	({                                                                                \
		uint64_t hal_v;                                                           \
		__asm__ volatile("mrrc p15, " HAL_SYSREG_##name : "=r"(hal_v)::"memory"); \
		hal_v;                                                                    \
	})

#define hal_sysreg_write64(name, value) \
	__asm__ volatile("mcrr p15, " HAL_SYSREG_##name ::"r"((uint64_t)(value)) : "memory")

static inline void hal_tlb_forget_all(void)
{
	hal_sysreg_write(TLBIALL, 0);
}

static inline void hal_tlb_forget_map(uintptr_t number)
{
	hal_sysreg_write(TLBIASID, number);
}

static inline void hal_cache_clean_line(uintptr_t address)
{
	hal_sysreg_write(DCCMVAC, address);
}

static inline void hal_cache_flush_line(uintptr_t address)
{
	hal_sysreg_write(DCCIMVAC, address);
}

static inline void hal_fiq_unmask(void)
{
	__asm__ volatile("cpsie f" ::: "memory");
}

/* Does this hart have a GICv3? */
static inline _Bool hal_icc_exists(void)
{
	return hal_sysreg_read(ID_PFR1) >> 28;
}

/* What ICC_SGI1R takes is wider than a doorbell, which is the affinity that MPIDR has. */
static inline uintptr_t hal_icc_doorbell(uintptr_t affinity)
{
	return affinity;
}

/* The value of ICC_SGI1R that makes SGI `id` pending at a doorbell's hart. */
static inline uint64_t hal_icc_sgi(uintptr_t doorbell, unsigned id)
{
	uint32_t low = (doorbell & 0xff00) << 8 | id << 24 | 1u << (doorbell & 15);
	uint32_t high = (doorbell >> 16 & 0xff) | (doorbell & 0xf0) << 8;

	return (uint64_t)high << 32 | low;
}

/*
 * A frame record, as GCC lays it in ARM state: the return address at the frame pointer, the
 * caller's frame pointer below it. (A function that calls nobody keeps the latter alone, at the
 * frame pointer: a walk that begins there ends there.) Clang has both a word higher.
 */
#ifdef __clang__
#define HAL_FRAME_ABOVE 2
#else
#define HAL_FRAME_ABOVE 1
#endif

/* Calls: bl, with a distance in words from the instruction after the next; blx. */
#define HAL_BL 0x0b000000u
#define HAL_BL_MASK 0x0f000000u
#define HAL_BL_SHIFT 8
#define HAL_BL_FROM 4
#define HAL_BLX 0xfa000000u /* to Thumb code, which a packaged C library may be */
#define HAL_BLX_MASK 0xfe000000u
#define HAL_BLR 0x012fff30u
#define HAL_BLR_MASK 0x0ffffff0u

#endif
