/*
 * gic.c - doorbells and alarms by a GICv2 or a GICv3. gic.h has the interface.
 */
#include <stdbool.h>

#include <hal/alarm.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal_arch/icc.h>

#include "gic.h"
#include "gicd.h"
#include "gicv2.h"
#include "gicv3.h"

static struct {
	bool v3;
	uintptr_t gicd, gicc, gicr;
	const uintptr_t *affinity;
} gic;

void hal_gic_init(uintptr_t gicd, uintptr_t gicc, uintptr_t gicr, const uintptr_t *affinity)
{
	gic.affinity = affinity;
	gic.v3 = hal_icc_exists();
	gic.gicd = gicd;
	gic.gicc = gicc;
	gic.gicr = gicr;
	if (gic.v3)
		hal_gicv3_init(gicd, affinity);
	else
		hal_gicv2_init(gicd);
}

void hal_irq_init_hart(unsigned hart)
{
	if (gic.v3)
		hal_gicv3_init_hart(gic.gicr, hart);
	else
		hal_gicv2_init_hart(gic.gicd, gic.gicc);
}

void hal_irq_listen(unsigned id, bool on)
{
	if (gic.v3)
		hal_gicv3_listen(gic.gicd, gic.affinity[0], id, on);
	else if (on) /* else it is pending no more */
		hal_gicv2_listen(gic.gicd, id);
}

int hal_line_open(unsigned id, unsigned hart, bool urgent)
{
	return gic.v3 ? hal_gicv3_line_open(id, hart, urgent)
		      : hal_gicv2_line_open(gic.gicd, (unsigned)gic.affinity[hart], id, urgent);
}

void hal_line_close(unsigned id)
{
	if (gic.v3)
		hal_gicv3_line_close(id);
	else
		hal_gicd_mask(gic.gicd, id);
}

bool hal_line_busy(unsigned id)
{
	return hal_gicd_busy(gic.gicd, id);
}

void hal_line_ready(void)
{
}

bool hal_line_take(unsigned id)
{
	return gic.v3 ? hal_gicv3_line_take(id) : hal_gicd_take(gic.gicd, id);
}

void hal_line_unmask(unsigned id)
{
	hal_gicd_unmask(gic.gicd, id);
}

int hal_line_priority(unsigned id, unsigned priority)
{
	return hal_gicd_priority(gic.gicd, id, priority);
}

uintptr_t hal_ipi_doorbell(unsigned hart)
{
	uintptr_t affinity = gic.affinity[hart];

	return gic.v3 ? hal_icc_doorbell(affinity) : hal_gicv2_doorbell((unsigned)affinity);
}

void hal_ipi_ring(uintptr_t doorbell)
{
	if (gic.v3)
		hal_icc_ring(doorbell);
	else
		hal_gicv2_ring(gic.gicd, doorbell);
}

void hal_ipi_clear(void)
{
	if (gic.v3)
		hal_icc_clear();
	else
		hal_gicv2_clear(gic.gicd);
}

int hal_alarm_init_hart(unsigned hart)
{
	(void)hart;
	return gic.v3 ? hal_gicv3_alarm_init_hart() : hal_gicv2_alarm_init_hart(gic.gicd, gic.gicc);
}

void hal_alarm_ring(unsigned hart)
{
	if (gic.v3)
		hal_gicv3_alarm_ring(hal_ipi_doorbell(hart));
	else
		hal_gicv2_alarm_ring(gic.gicd, (unsigned)gic.affinity[hart]);
}

void hal_alarm_clear(const struct hal_trap *t)
{
	(void)t;
	if (gic.v3)
		hal_gicv3_alarm_clear();
	else
		hal_gicv2_alarm_clear(gic.gicd, gic.gicc);
}
