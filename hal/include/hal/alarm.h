/*
 * alarm.h - the interrupt that a hart takes, although all are masked: for the watch, which finds
 * the place of a hart that reaches no scheduling point, and ends the coroutine that keeps it.
 *
 * It comes as a trap: co_trap() asks hal_trap_is_alarm() (trap.h) and calls hal_alarm_clear().
 * One that comes while the hart handles a trap comes later, or not at all.
 *
 * A line of a device that is opened as urgent (irq.h) comes as an alarm, too.
 */
#ifndef HAL_ALARM_H
#define HAL_ALARM_H

#include <stdint.h>

struct hal_trap;

/*
 * Let this hart take alarms from now on.
 * @return 0; -ENOTSUP: this board has no alarms (hal/drivers/no_alarm.c), and the functions below
 *         do nothing
 * Context: each hart once, while it boots, after hal_irq_init_hart(); its trap stack is there.
 */
int hal_alarm_init_hart(unsigned hart);

/*
 * Raise the alarm of a hart. Context: any. Order: this hart's earlier stores are visible to `hart`
 * in the trap. Cost: a device write or two.
 */
void hal_alarm_ring(unsigned hart);

/*
 * Raise this hart's alarm at a time; CO_FOREVER, or a time near it: never. A hart has one pending
 * alarm: a new time replaces an earlier time or hal_alarm_ring(), and a ring replaces a time; so
 * the handler checks all possible reasons at each alarm. Order: as hal_alarm_clear().
 */
void hal_alarm_at(uint64_t ticks);

/*
 * Take back the ring and the time that was set; call hal_line_came() (irq.h) for an urgent line
 * that has come. Context: the trap t. Order: before later loads, so that a ring whose reason the
 * loads miss comes again.
 */
void hal_alarm_clear(const struct hal_trap *t);

#endif
