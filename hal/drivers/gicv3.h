/*
 * gicv3.h - the Arm interrupt controller, as far as doorbells and wake-ups need it.
 *
 * No interrupt is ever taken but the alarm and urgent lines, of group 0: SGI 0 is the
 * doorbell and the virtual timer's PPI the deadline, and while one is pending WFI does not wait.
 *
 * Source: Arm GIC Architecture Specification v3 and v4 (IHI 0069), 4 (handling), 12 (registers).
 */
#ifndef HAL_GICV3_H
#define HAL_GICV3_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes between the redistributors of two harts. */
#define HAL_GICR_BYTES 0x20000

/*
 * Let interrupts of group 1 through.
 * @param affinity  of each hart's MPIDR, kept
 * Context: hart 0, before further harts start.
 */
void hal_gicv3_init(uintptr_t gicd, const uintptr_t *affinity);

/*
 * Wake this hart's redistributor and let its doorbell and timer through.
 * @param region  where the redistributors of some harts lie, this hart's among them
 * @param index   which of them it is
 * Context: each hart for itself.
 */
void hal_gicv3_init_hart(uintptr_t region, unsigned index);

/*
 * Let alarms (hal/alarm.h) through, after hal_gicv3_init_hart(): SGI 8 and the physical timer's PPI
 * are in group 0, which comes as FIQ.
 * @return 0; -ENOTSUP: a secure side keeps group 0 for itself
 * Context: each hart for itself.
 */
int hal_gicv3_alarm_init_hart(void);
/* doorbell: of hal_icc_doorbell() */
void hal_gicv3_alarm_ring(uintptr_t doorbell);
void hal_gicv3_alarm_clear(void);

/*
 * Let a device's interrupt end the sleep of the hart of that affinity, and of no other; or of none.
 * @param id  32 to 1019, a level: it is pending as long as the device raises it
 */
void hal_gicv3_listen(uintptr_t gicd, uintptr_t affinity, unsigned id, bool on);

/* hal_line_open() and hal_line_take() (hal/irq.h) of a board; the rest of a line is in gicd.h. */
int hal_gicv3_line_open(unsigned id, unsigned hart, bool urgent);
void hal_gicv3_line_close(unsigned id);
bool hal_gicv3_line_take(unsigned id);
/* The distributor that hal_gicv3_init() was given. */
extern uintptr_t hal_gicv3_gicd;

#endif
