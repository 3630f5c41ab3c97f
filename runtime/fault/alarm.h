/* alarm.h - the interface of alarm.c. */
#ifndef COHART_FAULT_ALARM_H
#define COHART_FAULT_ALARM_H

#include <stdbool.h>

struct hal_trap;

/* The hook `hart_boot`. */
void co_alarm_init(unsigned hart);
/* Does this board have alarms? */
bool co_alarms(void);
/*
 * Handle the alarm, which has been cleared. Returns why the coroutine that runs must end, as by a
 * fault, or NULL.
 * Context: trap.
 */
const char *co_alarm(const struct hal_trap *t);
/* fault.c: that, once it is in use; an image without coroutines but main()'s does not have it. */
extern const char *(*co_alarm_handler)(const struct hal_trap *t);
/*
 * Ask a hart where it is, by its alarm; wait for CO_ALARM_US at most. True: its heartbeat says.
 * Context: hart 0.
 */
bool co_alarm_ask(unsigned hart);
#define CO_ALARM_US 50000

#endif
