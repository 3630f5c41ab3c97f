/*
 * gicv3_alarm.c - hal/alarm.h, for a board whose interrupt controller is always a GICv3. Others
 * choose: gic.c.
 */
#include <hal/alarm.h>
#include <hal/ipi.h>

#include "gicv3.h"

int hal_alarm_init_hart(unsigned hart)
{
	(void)hart;
	return hal_gicv3_alarm_init_hart();
}

void hal_alarm_ring(unsigned hart)
{
	hal_gicv3_alarm_ring(hal_ipi_doorbell(hart));
}

void hal_alarm_clear(void)
{
	hal_gicv3_alarm_clear();
}
