/*
 * gicv2.c - doorbells and alarms by a GICv2. gicv2.h has the interface.
 */
#include <errno.h>

#include <hal/irq.h>
#include <hal_arch/alarm.h>

#include "gicd.h"
#include "gicv2.h"

#define GICD_CTLR 0x000
#define GICD_IGROUPR 0x080
#define GICD_ISENABLER 0x100
#define GICD_ICENABLER0 0x180
#define GICD_IPRIORITYR 0x400
#define GICD_ITARGETSR 0x800
#define GICD_SGIR 0xf00
#define GICD_CPENDSGIR 0xf10 /* a byte for each SGI, a bit in it for each hart that has rung */
#define GICC_CTLR 0x0000
#define GICC_PMR 0x0004
#define GICC_IAR 0x000c
#define GICC_EOIR 0x0010

/* Both groups where both are ours to enable; seen from the non-secure side bit 0 is group 1. */
#define CTLR_ENABLE 3u
#define CTLR_FIQ 8u /* group 0 comes as FIQ */

#define DOORBELL 0
#define TIMER 27
#define ALARM 8        /* of group 0, with */
#define ALARM_TIMER 30 /* this */
#define ID(iar) ((iar)&0x3ff)
#define NONE 1020 /* this and above */

/* Only the most urgent of the pending interrupts is signalled. */
#define PRIORITY 0x80
#define ALARM_PRIORITY 0x40
#define LOWEST_PRIORITY 0xff

static volatile uint32_t *reg(uintptr_t base, unsigned offset)
{
	return (volatile uint32_t *)(base + offset);
}

static volatile uint8_t *byte(uintptr_t base, unsigned offset)
{
	return (volatile uint8_t *)(base + offset);
}

void hal_gicv2_init(uintptr_t gicd)
{
	hal_gicd_init(gicd);
	*reg(gicd, GICD_CTLR) = CTLR_ENABLE;
}

void hal_gicv2_init_hart(uintptr_t gicd, uintptr_t gicc)
{
	*reg(gicd, GICD_ICENABLER0) = ~0u; /* the first of these registers is each hart's own */
	*byte(gicd, GICD_IPRIORITYR + DOORBELL) = PRIORITY;
	*byte(gicd, GICD_IPRIORITYR + TIMER) = PRIORITY;
	*reg(gicd, GICD_ISENABLER) = 1u << DOORBELL | 1u << TIMER;
	*reg(gicc, GICC_PMR) = LOWEST_PRIORITY;
	*reg(gicc, GICC_CTLR) = CTLR_ENABLE;
	hal_dsb();
}

void hal_gicv2_ring(uintptr_t gicd, uintptr_t doorbell)
{
	hal_dsb_stores(); /* stores to memory are visible before the ring is */
	*reg(gicd, GICD_SGIR) = (uint32_t)doorbell | DOORBELL;
}

void hal_gicv2_clear(uintptr_t gicd)
{
	*byte(gicd, GICD_CPENDSGIR + DOORBELL) = 0xff;
	hal_dsb(); /* it has had its effect before memory is looked at */
}

void hal_gicv2_listen(uintptr_t gicd, unsigned id)
{
	*byte(gicd, GICD_IPRIORITYR + id) = PRIORITY;
	*byte(gicd, GICD_ITARGETSR + id) = *byte(gicd, GICD_ITARGETSR); /* reads as this hart */
	*reg(gicd, GICD_ISENABLER + id / 32 * 4) = 1u << id % 32;
	hal_dsb();
}

int hal_gicv2_line_open(uintptr_t gicd, unsigned cpu, unsigned id, bool urgent)
{
	int r = hal_gicd_ready(gicd, id, urgent);

	if (r)
		return r;
	*byte(gicd, GICD_ITARGETSR + id) = (uint8_t)(1u << cpu);
	hal_gicd_unmask(gicd, id);
	return 0;
}

int hal_gicv2_alarm_init_hart(uintptr_t gicd, uintptr_t gicc)
{
	const uint32_t alarms = 1u << ALARM | 1u << ALARM_TIMER;

	*reg(gicd, GICD_IGROUPR) = ~alarms; /* the first of these registers is each hart's own */
	if (*reg(gicd, GICD_IGROUPR) != ~alarms)
		return -ENOTSUP; /* groups are the firmware's */
	*byte(gicd, GICD_IPRIORITYR + ALARM) = ALARM_PRIORITY;
	*byte(gicd, GICD_IPRIORITYR + ALARM_TIMER) = ALARM_PRIORITY;
	hal_timer_never();
	*reg(gicd, GICD_ISENABLER) = alarms;
	*reg(gicc, GICC_CTLR) = CTLR_ENABLE | CTLR_FIQ;
	hal_dsb();
	hal_fiq_unmask();
	return 0;
}

void hal_gicv2_alarm_ring(uintptr_t gicd, unsigned cpu)
{
	hal_dsb_stores();
	*reg(gicd, GICD_SGIR) = (uint32_t)hal_gicv2_doorbell(cpu) | ALARM;
}

void hal_gicv2_alarm_clear(uintptr_t gicd, uintptr_t gicc)
{
	bool line = false;
	uint32_t iar;

	hal_timer_never();
	/* One line a trap: one that its handler leaves raised does not keep the hart in there. */
	while (!line && (iar = *reg(gicc, GICC_IAR), ID(iar) < NONE)) {
		line = hal_gicd_take_urgent(gicd, ID(iar));
		if (line)
			hal_line_came(ID(iar));
		*reg(gicc, GICC_EOIR) = iar;
	}
	hal_dsb();
}
