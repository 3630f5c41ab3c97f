/*
 * gicv3_alarm.c - hal/alarm.h, and lines of hal/irq.h, for a board whose interrupt controller is
 * always a GICv3. Others choose: gic.c.
 */
#include <hal/alarm.h>
#include <hal/ipi.h>
#include <hal/irq.h>

#include "gicd.h"
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

void hal_alarm_clear(const struct hal_trap *t)
{
	(void)t;
	hal_gicv3_alarm_clear();
}

int hal_line_open(unsigned id, unsigned hart, bool urgent)
{
	return hal_gicv3_line_open(id, hart, urgent);
}

void hal_line_close(unsigned id)
{
	hal_gicv3_line_close(id);
}

bool hal_line_busy(unsigned id)
{
	return hal_gicd_busy(hal_gicv3_gicd, id);
}

void hal_line_ready(void)
{
}

bool hal_line_take(unsigned id)
{
	return hal_gicv3_line_take(id);
}

void hal_line_unmask(unsigned id)
{
	hal_gicd_unmask(hal_gicv3_gicd, id);
}

int hal_line_priority(unsigned id, unsigned priority)
{
	return hal_gicd_priority(hal_gicv3_gicd, id, priority);
}
