/*
 * alarm.c - hal/alarm.h: there is none. A signal would do, but not where sanitizers look on.
 */
#include <errno.h>

#include <hal/alarm.h>
#include <hal/trap.h>

int hal_alarm_init_hart(unsigned hart)
{
	(void)hart;
	return -ENOTSUP;
}

void hal_alarm_ring(unsigned hart)
{
	(void)hart;
}

void hal_alarm_at(uint64_t ticks)
{
	(void)ticks;
}

void hal_alarm_clear(void)
{
}

bool hal_trap_is_alarm(const struct hal_trap *t)
{
	(void)t;
	return false;
}
