/*
 * irq.h - the interrupts that end a hart's sleep.
 *
 * Cohart takes no interrupt: they stay masked, and a pending doorbell or timer only ends the wait
 * instruction. Fault traps are always taken (trap.h).
 */
#ifndef HAL_IRQ_H
#define HAL_IRQ_H

#include <stdbool.h>

/*
 * Let this hart's doorbell and timer end hal_irq_wait(); everything stays masked.
 * Context: each hart once, while it boots, on its own map.
 */
void hal_irq_init_hart(unsigned hart);

/*
 * Let a device's interrupt, a level, end this hart's hal_irq_wait(); or take back its pending
 * state, after the device has been asked to raise it no more. For drivers of devices.
 * @param id  as the board's interrupt controller numbers it
 * Context: hart 0.
 */
void hal_irq_listen(unsigned id, bool on);

/*
 * void hal_irq_wait(void) (inline, hal_arch/irq.h): sleep until a doorbell or the timer is pending.
 * Returns at once if one already is, and may return without reason; nothing is acknowledged.
 */
#include <hal_arch/irq.h>

#endif
