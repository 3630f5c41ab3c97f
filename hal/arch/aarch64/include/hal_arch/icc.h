/*
 * icc.h - a hart's side of a GICv3, by system registers: what hal/drivers/gicv3.c leaves to the
 * architecture. A bell is what rings it when it is written to ICC_SGI1R_EL1.
 *
 * Source: Arm GIC Architecture Specification v3 and v4 (IHI 0069), 12.2 (AArch64 registers).
 */
#ifndef HAL_ARCH_ICC_H
#define HAL_ARCH_ICC_H

#include <stdbool.h>

#include <hal_arch/sysreg.h>

#define HAL_ICC_NONE 1020 /* this and above: not an interrupt */

/* Does this hart have a GICv3? */
static inline bool hal_icc_exists(void)
{
	return hal_sysreg_read(id_aa64pfr0_el1) >> 24 & 15;
}

/* Let through what is more urgent than that. */
static inline void hal_icc_enable(uint8_t priority)
{
	hal_sysreg_write(icc_sre_el1, hal_sysreg_read(icc_sre_el1) | 1);
	hal_isb();
	hal_sysreg_write(icc_ctlr_el1, 0); /* the end of an interrupt also deactivates it */
	hal_sysreg_write(icc_pmr_el1, priority);
	hal_sysreg_write(icc_igrpen1_el1, 1);
	hal_isb();
}

/* Group 0 as well, which comes as FIQ. */
static inline void hal_icc_alarm_enable(void)
{
	hal_sysreg_write(icc_igrpen0_el1, 1);
	hal_isb();
}

/* Acknowledge and end one. False: there was none. */
static inline bool hal_icc_alarm_take(void)
{
	uint64_t id = hal_sysreg_read(icc_iar0_el1);

	if (id >= HAL_ICC_NONE)
		return false;
	hal_sysreg_write(icc_eoir0_el1, id);
	hal_isb();
	return true;
}

/* Interrupt 0 for that hart, as ICC_SGI1R_EL1 takes it. */
static inline uintptr_t hal_icc_bell(uintptr_t affinity)
{
	uint64_t aff0 = affinity & 0xff, aff1 = affinity >> 8 & 0xff, aff2 = affinity >> 16 & 0xff;
	uint64_t aff3 = affinity >> 32 & 0xff;

	return aff3 << 48 | aff0 >> 4 << 44 | aff2 << 32 | aff1 << 16 | 1u << (aff0 & 15);
}

static inline void hal_icc_ring(uintptr_t bell)
{
	hal_dsb_stores(); /* a write to a system register does not wait for stores by itself */
	hal_sysreg_write(icc_sgi1r_el1, bell);
	hal_isb();
}

/* Make that interrupt of group 0 pending. */
static inline void hal_icc_alarm_ring(uintptr_t bell, unsigned id)
{
	hal_dsb_stores(); /* as there */
	hal_sysreg_write(icc_sgi0r_el1, bell | id << 24);
	hal_isb();
}

/*
 * Acknowledge and end at once. A timer that is pending alone is acknowledged too: its line stays
 * up, so it is pending again after the end.
 */
static inline void hal_icc_clear(void)
{
	uint64_t id = hal_sysreg_read(icc_iar1_el1);

	hal_dsb(); /* the acknowledge has had its effect before memory is looked at */
	if (id < HAL_ICC_NONE)
		hal_sysreg_write(icc_eoir1_el1, id);
	hal_isb();
}

#endif
