/* no_alarm.c - hal/alarm.h, for a board without an interrupt for alarms. */
#include <errno.h>

#include <hal/alarm.h>

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

void hal_alarm_clear(const struct hal_trap *t)
{
	(void)t;
}
