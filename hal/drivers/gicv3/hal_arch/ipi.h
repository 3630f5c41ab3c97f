/* ipi.h - hal/ipi.h with a GICv3: see hal_arch/icc.h. */
#ifndef HAL_ARCH_IPI_H
#define HAL_ARCH_IPI_H

#include <hal_arch/icc.h>

static inline void hal_ipi_ring(uintptr_t doorbell)
{
	hal_icc_ring(doorbell);
}

static inline void hal_ipi_clear(void)
{
	hal_icc_clear();
}

#endif
