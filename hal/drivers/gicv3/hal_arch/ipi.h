/*
 * ipi.h - hal/ipi.h with a GICv3: a bell is what rings it when it is written to
 * ICC_SGI1R_EL1. Source: Arm GIC Architecture Specification v3 and v4 (IHI 0069), 4 and 12.
 */
#ifndef HAL_ARCH_IPI_H
#define HAL_ARCH_IPI_H

#include <hal_arch/sysreg.h>

static inline void hal_ipi_ring(uintptr_t bell)
{
	hal_dsb_stores(); /* a write to a system register does not wait for stores by itself */
	hal_sysreg_write(icc_sgi1r_el1, bell);
	hal_isb();
}

#define HAL_GIC_NONE 1020 /* this and above: not an interrupt */

/*
 * Acknowledge and end at once. A timer that is pending alone is acknowledged too: its line stays
 * up, so it is pending again after the end.
 */
static inline void hal_ipi_clear(void)
{
	uint64_t id = hal_sysreg_read(icc_iar1_el1);

	hal_dsb(); /* the acknowledge has had its effect before memory is looked at */
	if (id < HAL_GIC_NONE)
		hal_sysreg_write(icc_eoir1_el1, id);
	hal_isb();
}

#endif
