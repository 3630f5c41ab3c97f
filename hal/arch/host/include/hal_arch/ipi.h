/* ipi.h - hal/ipi.h for a hart that is a thread: a doorbell is the number of its hart. */
#ifndef HAL_ARCH_IPI_H
#define HAL_ARCH_IPI_H

#include <stdint.h>

void hal_ipi_ring(uintptr_t doorbell);
void hal_ipi_clear(void);

#endif
