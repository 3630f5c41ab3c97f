/*
 * gicv2.h - the Arm interrupt controller of version 2 (GIC-400), as far as doorbells and wake-ups
 * need it.
 *
 * No interrupt is ever taken, nor acknowledged, but the alarm and urgent lines, of group 0: SGI 0
 * is the doorbell and the virtual timer's PPI the deadline, and while one is pending WFI does not
 * wait. Taking a doorbell back clears its pending bits, of all that have rung.
 *
 * The registers must be mapped as device memory without early write acknowledgement (nGnRnE,
 * strongly ordered): a doorbell that is taken back is gone before memory is looked at.
 *
 * Source: Arm GIC Architecture Specification v2 (IHI 0048), 3 (handling), 4 (registers).
 */
#ifndef HAL_GICV2_H
#define HAL_GICV2_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Let interrupts through. On a GIC with security extensions, started from the non-secure side, the
 * firmware must have put SGI 0 and PPI 27 into group 1, as PSCI firmware does.
 * Context: hart 0, before further harts start.
 */
void hal_gicv2_init(uintptr_t gicd);

/* Let this hart's doorbell and timer through. Context: each hart for itself. */
void hal_gicv2_init_hart(uintptr_t gicd, uintptr_t gicc);

/*
 * The doorbell of a hart, as hal_ipi_doorbell() (hal/ipi.h) returns it.
 * @param cpu  number of the hart's interface, 0..7: affinity 0 of its MPIDR
 */
static inline uintptr_t hal_gicv2_doorbell(unsigned cpu)
{
	return (uintptr_t)1 << (16 + cpu); /* GICD_SGIR: SGI 0 to that interface */
}

/* hal_ipi_ring() and hal_ipi_clear() (hal/ipi.h) of a board. */
void hal_gicv2_ring(uintptr_t gicd, uintptr_t doorbell);
void hal_gicv2_clear(uintptr_t gicd);

/*
 * Let alarms (hal/alarm.h) through, after hal_gicv2_init_hart(): SGI 8 and the physical timer's PPI
 * are in group 0, which comes as FIQ; all else is in group 1.
 * @return 0; -ENOTSUP: a secure side keeps group 0 for itself
 * Context: each hart for itself.
 */
int hal_gicv2_alarm_init_hart(uintptr_t gicd, uintptr_t gicc);
void hal_gicv2_alarm_ring(uintptr_t gicd, unsigned cpu);
void hal_gicv2_alarm_clear(uintptr_t gicd, uintptr_t gicc);

/*
 * Let a device's interrupt end the sleep of this hart, and of no other.
 * @param id  32 and up, a level: it is pending as long as the device raises it
 */
void hal_gicv2_listen(uintptr_t gicd, unsigned id);

/* hal_line_open() (hal/irq.h) of a board; the rest of a line is in gicd.h. */
int hal_gicv2_line_open(uintptr_t gicd, unsigned cpu, unsigned id, bool urgent);

#endif
