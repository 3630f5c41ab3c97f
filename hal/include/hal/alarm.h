/*
 * alarm.h - the one interrupt that a hart takes although all are masked: for the watch, which wants
 * to know where a hart is that reaches no scheduling point, and to end what keeps it.
 *
 * It comes as a trap: co_trap() asks hal_trap_is_alarm() (trap.h) and calls hal_alarm_clear().
 * One that comes while the hart handles a trap comes later, or not at all.
 */
#ifndef HAL_ALARM_H
#define HAL_ALARM_H

#include <stdint.h>

/*
 * Let this hart take alarms from now on.
 * @return 0; -ENOTSUP: this board has no such interrupt (hal/drivers/no_alarm.c), and the functions
 *         below do nothing
 * Context: each hart once, while it boots, after hal_irq_init_hart(); its trap stack is there.
 */
int hal_alarm_init_hart(unsigned hart);

/*
 * Raise the alarm of a hart. Context: any. Order: what this hart wrote before is visible to the
 * other in the trap. Cost: a device write or two.
 */
void hal_alarm_ring(unsigned hart);

/*
 * Raise this hart's own at a time; CO_FOREVER, or any time so late: not. One at a time: setting it
 * anew, or somebody's hal_alarm_ring(), takes the place of the time before, and the other way
 * round: so what an alarm may be for is all looked at whenever one comes. Order: as the clear.
 */
void hal_alarm_at(uint64_t ticks);

/*
 * Take back what has raised it, the time that was set too. Context: trap. Order: it is taken back
 * before later looks at memory, so that a ring whose reason these miss comes again.
 */
void hal_alarm_clear(void);

#endif
