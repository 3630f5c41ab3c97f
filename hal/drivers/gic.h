/*
 * gic.h - a GICv2 or a GICv3, whichever the machine has: it has a GICv3 if its harts have system
 * registers for one. The functions of hal/irq.h, hal_ipi_ring() and hal_ipi_clear() (hal/ipi.h)
 * are here too.
 */
#ifndef HAL_GIC_H
#define HAL_GIC_H

#include <stdint.h>

/*
 * Let interrupts through.
 * @param gicd  distributor, of either
 * @param gicc  CPU interface of a GICv2
 * @param gicr  redistributors of a GICv3, hart by hart
 * @param affinity  of each hart's MPIDR, kept; on a GICv2 it is also the number of its CPU
 *                  interface
 * Context: hart 0, before further harts start.
 */
void hal_gic_init(uintptr_t gicd, uintptr_t gicc, uintptr_t gicr, const uintptr_t *affinity);

#endif
