/*
 * irq.h - the interrupts that end a hart's sleep.
 *
 * They stay masked, and a pending doorbell or timer only ends the wait instruction. Fault traps are
 * always taken (trap.h), and so are the alarm and urgent lines (alarm.h).
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
 * Lines of devices, for programs (cohart/irq.h). A line is a level: it comes while its device
 * raises it. One that comes is pending for one hart, ends its hal_irq_wait(), and is masked at the
 * controller by hal_line_take(). The interrupt controller's driver defines all of these; where the
 * linker finds none, the board has no lines for programs.
 */
#define HAL_LINE_WEAK __attribute__((weak))
#define HAL_LINES 1024 /* numbers are below */

/*
 * Let a line through to a hart, and to no other hart.
 * @param id      as the board's interrupt controller numbers it
 * @param urgent  it interrupts the hart as the alarm does (alarm.h), which then calls
 *                hal_line_came(). Neither hal_line_take() nor the end of hal_irq_wait() is for it.
 * @return 0; -EINVAL: the controller has no line of that number, or one for
 *         each hart; -EBUSY: the runtime's, it is open
 *         already; -ENOTSUP: the controller has no way to that hart, or none for urgent lines
 * Context: any hart, one at a time.
 */
HAL_LINE_WEAK int hal_line_open(unsigned id, unsigned hart, bool urgent);
/*
 * Is an urgent line on its way to hal_line_came(), or in it, on the hart that it was opened for?
 * After hal_line_close() it does not set out any more. Context: any.
 */
HAL_LINE_WEAK bool hal_line_busy(unsigned id);

/* For drivers: an urgent line has come, and is masked. Context: the trap of the alarm. */
void hal_line_came(unsigned id);
/* Have hal_line_came() call fn; before the first urgent line is opened. Context: any. */
void hal_line_handler(void (*fn)(unsigned id));
/* Let it through no more. Context: as hal_line_open(). */
HAL_LINE_WEAK void hal_line_close(unsigned id);
/* Let pending lines end this hart's hal_irq_wait(). Context: each hart that lines are open for. */
HAL_LINE_WEAK void hal_line_ready(void);
/*
 * Has it come? True: it is masked until hal_line_unmask(). False: no, or (PLIC, GICv3) another line
 * that is open has come, too, and is to be taken first: the most urgent. The next
 * hal_irq_wait() ends at once then, so that its hart looks again.
 * Context: its hart. Order: later accesses to the device follow.
 * Cost: a device or system register read; two more and a write if it has come.
 */
HAL_LINE_WEAK bool hal_line_take(unsigned id);
/*
 * Let it come again: at once, if its device still raises it. Order: earlier accesses to the device
 * are done. Context: any hart.
 */
HAL_LINE_WEAK void hal_line_unmask(unsigned id);
/*
 * Set the priority of an open line, a number as the controller has it.
 * @return 0; -EINVAL: it has no priority of that number; -ENOTSUP: it has none
 * Context: any hart, one for a line at a time.
 */
HAL_LINE_WEAK int hal_line_priority(unsigned id, unsigned priority);

/*
 * void hal_device_order(void) (inline, hal_arch/irq.h): the caller's earlier accesses, to memory
 * and to devices, come before its later ones for harts, devices and their transfers.
 */

/*
 * void hal_irq_wait(void) (inline, hal_arch/irq.h): sleep until a doorbell or the timer is pending.
 * Returns at once if one already is, and may return without reason; nothing is acknowledged.
 */
#include <hal_arch/irq.h>

#endif
