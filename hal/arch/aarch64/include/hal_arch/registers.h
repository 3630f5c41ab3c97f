/*
 * registers.h - system registers by the names that both widths of Arm have for them, or, where the
 * names differ, by arm_common's; and AArch64 instructions for registers that only 32-bit Arm has.
 *
 * Source: Arm ARM (DDI 0487) D13; C5.4 (DC), C5.5 (TLBI).
 */
#ifndef HAL_ARCH_REGISTERS_H
#define HAL_ARCH_REGISTERS_H

#include <stdint.h>

#define HAL_SYSREG_MPIDR "mpidr_el1"
#define HAL_SYSREG_CTR "ctr_el0"
#define HAL_SYSREG_SCTLR "sctlr_el1"
#define HAL_SYSREG_TCR "tcr_el1"
#define HAL_SYSREG_TTBR0 "ttbr0_el1"
#define HAL_SYSREG_TP "tpidr_el0"
#define HAL_SYSREG_CNTFRQ "cntfrq_el0"
#define HAL_SYSREG_CNTVCT "cntvct_el0"
#define HAL_SYSREG_CNTV_CTL "cntv_ctl_el0"
#define HAL_SYSREG_CNTV_CVAL "cntv_cval_el0"
#define HAL_SYSREG_CNTP_CTL "cntp_ctl_el0"
#define HAL_SYSREG_CNTP_CVAL "cntp_cval_el0"
#define HAL_SYSREG_PMOVSR "pmovsclr_el0"
#define HAL_SYSREG_INSTRET "pmevcntr0_el0"
#define HAL_SYSREG_INSTRET_UPPER "pmevcntr1_el0" /* counts nothing */
#define HAL_SYSREG_ID_PFR0 "id_aa64pfr0_el1"
#define HAL_SYSREG_ICC_PMR "icc_pmr_el1"
#define HAL_SYSREG_ICC_IAR0 "icc_iar0_el1"
#define HAL_SYSREG_ICC_EOIR0 "icc_eoir0_el1"
#define HAL_SYSREG_ICC_IAR1 "icc_iar1_el1"
#define HAL_SYSREG_ICC_EOIR1 "icc_eoir1_el1"
#define HAL_SYSREG_ICC_HPPIR1 "icc_hppir1_el1"
#define HAL_SYSREG_ICC_CTLR "icc_ctlr_el1"
#define HAL_SYSREG_ICC_SRE "icc_sre_el1"
#define HAL_SYSREG_ICC_IGRPEN0 "icc_igrpen0_el1"
#define HAL_SYSREG_ICC_IGRPEN1 "icc_igrpen1_el1"
#define HAL_SYSREG_ICC_SGI0R "icc_sgi0r_el1"
#define HAL_SYSREG_ICC_SGI1R "icc_sgi1r_el1"

#define hal_sysreg_read(name)                                                           \
	({                                                                              \
		uint64_t hal_v;                                                         \
		__asm__ volatile("mrs %0, " HAL_SYSREG_##name : "=r"(hal_v)::"memory"); \
		hal_v;                                                                  \
	})

#define hal_sysreg_write(name, value) \
	__asm__ volatile("msr " HAL_SYSREG_##name ", %x0" ::"rZ"((uint64_t)(value)) : "memory")

#define hal_sysreg_read64(name) hal_sysreg_read(name)
#define hal_sysreg_write64(name, value) hal_sysreg_write(name, value)

static inline void hal_tlb_forget_all(void)
{
	__asm__ volatile("tlbi vmalle1" ::: "memory");
}

static inline void hal_tlb_forget_map(uintptr_t number)
{
	__asm__ volatile("tlbi aside1, %0" ::"r"((uint64_t)number << 48) : "memory");
}

static inline void hal_cache_clean_line(uintptr_t address)
{
	__asm__ volatile("dc cvac, %0" ::"r"(address) : "memory");
}

static inline void hal_cache_flush_line(uintptr_t address)
{
	__asm__ volatile("dc civac, %0" ::"r"(address) : "memory");
}

static inline void hal_fiq_unmask(void)
{
	__asm__ volatile("msr DAIFClr, #1" ::: "memory");
}

/* This hart's number in its cluster. */
static inline unsigned hal_cpu_affinity0(void)
{
	return hal_sysreg_read(MPIDR) & 0xff;
}

/* Does this hart have a GICv3? */
static inline _Bool hal_icc_exists(void)
{
	return hal_sysreg_read(ID_PFR0) >> 24 & 15;
}

/* Interrupt 0 for the hart of that affinity, as ICC_SGI1R takes it. */
static inline uintptr_t hal_icc_doorbell(uintptr_t affinity)
{
	uint64_t aff0 = affinity & 0xff, aff1 = affinity >> 8 & 0xff, aff2 = affinity >> 16 & 0xff;
	uint64_t aff3 = affinity >> 32 & 0xff;

	return aff3 << 48 | aff0 >> 4 << 44 | aff2 << 32 | aff1 << 16 | 1u << (aff0 & 15);
}

/* The value of ICC_SGI1R that raises SGI `id` at a doorbell's hart. */
static inline uint64_t hal_icc_sgi(uintptr_t doorbell, unsigned id)
{
	return doorbell | id << 24;
}

/* A frame record is two words: the caller's frame pointer, the return address. */
#define HAL_FRAME_ABOVE 2

/* Calls: bl, with a distance in words from the instruction; blr. */
#define HAL_BL 0x94000000u
#define HAL_BL_MASK 0xfc000000u
#define HAL_BL_SHIFT 6
#define HAL_BL_FROM (-4)
#define HAL_BLX HAL_BL
#define HAL_BLX_MASK HAL_BL_MASK
#define HAL_BLR 0xd63f0000u
#define HAL_BLR_MASK 0xfffffc1fu

#endif
