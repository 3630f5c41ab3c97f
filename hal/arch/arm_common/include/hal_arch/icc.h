/*
 * icc.h - a hart's side of a GICv3, by system registers: what hal/drivers/gicv3.c leaves to the
 * architecture. A doorbell here is what hal_icc_doorbell() (hal_arch/registers.h) makes of an
 * affinity.
 *
 * Source: Arm GIC Architecture Specification v3 and v4 (IHI 0069), 12.2 and 12.5.
 */
#ifndef HAL_ARCH_ICC_H
#define HAL_ARCH_ICC_H

#include <stdbool.h>

#include <hal_arch/sysreg.h>

#define HAL_ICC_NONE 1020 /* this and above: not an interrupt */

/* Let interrupts through that are more urgent than `priority`. */
static inline void hal_icc_enable(uint8_t priority)
{
	hal_sysreg_write(ICC_SRE, hal_sysreg_read(ICC_SRE) | 1);
	hal_isb();
	hal_sysreg_write(ICC_CTLR, 0); /* the end of an interrupt also deactivates it */
	hal_sysreg_write(ICC_PMR, priority);
	hal_sysreg_write(ICC_IGRPEN1, 1);
	hal_isb();
}

/* Group 0 as well, which comes as FIQ. */
static inline void hal_icc_alarm_enable(void)
{
	hal_sysreg_write(ICC_IGRPEN0, 1);
	hal_isb();
}

/* Acknowledge one of group 0. HAL_ICC_NONE or above: there was none. */
static inline uintptr_t hal_icc_alarm_take(void)
{
	return hal_sysreg_read(ICC_IAR0);
}

/* The end of one that was acknowledged. */
static inline void hal_icc_alarm_end(uintptr_t id)
{
	hal_sysreg_write(ICC_EOIR0, id);
	hal_isb();
}

static inline void hal_icc_ring(uintptr_t doorbell)
{
	hal_dsb_stores(); /* a write to a system register does not wait for stores by itself */
	hal_sysreg_write64(ICC_SGI1R, hal_icc_sgi(doorbell, 0));
	hal_isb();
}

/* Make that interrupt of group 0 pending. */
static inline void hal_icc_alarm_ring(uintptr_t doorbell, unsigned id)
{
	hal_dsb_stores(); /* as there */
	hal_sysreg_write64(ICC_SGI0R, hal_icc_sgi(doorbell, id));
	hal_isb();
}

/* The most urgent interrupt that is pending here, which stays so; HAL_ICC_NONE or above: none. */
static inline uintptr_t hal_icc_pending(void)
{
	return hal_sysreg_read(ICC_HPPIR1);
}

/*
 * Acknowledge and end at once. A timer that is pending alone is acknowledged too: its line stays
 * up, so it is pending again after the end. So is a device's line, which is more urgent: then the
 * doorbell ends the next sleep.
 */
static inline void hal_icc_clear(void)
{
	uintptr_t id = hal_sysreg_read(ICC_IAR1);

	hal_dsb(); /* the acknowledge has had its effect before memory is looked at */
	if (id < HAL_ICC_NONE)
		hal_sysreg_write(ICC_EOIR1, id);
	hal_isb();
}

#endif
