/*
 * gicv3.c - doorbells and alarms by a GICv3. gicv3.h has the interface.
 */
#include <errno.h>

#include <hal/irq.h>
#include <hal_arch/alarm.h>
#include <hal_arch/icc.h>

#include "gicd.h"
#include "gicv3.h"

#define GICD_CTLR 0x0000
#define GICD_CTLR_GRP0 (1u << 0)
#define GICD_CTLR_GRP1 (1u << 1)
#define GICD_CTLR_ARE (1u << 4)
#define GICD_CTLR_RWP (1u << 31)
#define GICD_ISENABLER 0x0100
#define GICD_ICENABLER 0x0180
#define GICD_IPRIORITYR 0x0400
#define GICD_IROUTER 0x6000

#define GICR_WAKER 0x0014
#define GICR_WAKER_SLEEP (1u << 1)
#define GICR_WAKER_ASLEEP (1u << 2)
#define GICR_SGI 0x10000 /* the frame of SGIs and PPIs */
#define GICR_IGROUPR0 (GICR_SGI + 0x0080)
#define GICR_ISENABLER0 (GICR_SGI + 0x0100)
#define GICR_ICENABLER0 (GICR_SGI + 0x0180)
#define GICR_IPRIORITYR (GICR_SGI + 0x0400)

#define DOORBELL 0 /* hal_icc_doorbell() rings it */
#define TIMER 27
#define ALARM 8        /* of group 0, with */
#define ALARM_TIMER 30 /* this */

/* Only the most urgent of the pending interrupts is signalled. */
#define ALARM_PRIORITY 0x40
/* Lower is more urgent: an acknowledge takes the doorbell before any device or timer. */
#define DOORBELL_PRIORITY 0x80
#define TIMER_PRIORITY 0xa0 /* and devices' */
#define LOWEST_PRIORITY 0xff

static _Thread_local uintptr_t own; /* this hart's redistributor */
uintptr_t hal_gicv3_gicd;
static const uintptr_t *affinities; /* by hart */

static volatile uint32_t *reg(uintptr_t base, unsigned offset)
{
	return (volatile uint32_t *)(base + offset);
}

static void set_priority(uintptr_t gicr, unsigned id, uint8_t priority)
{
	*(volatile uint8_t *)(gicr + GICR_IPRIORITYR + id) = priority;
}

void hal_gicv3_init(uintptr_t gicd, const uintptr_t *affinity)
{
	hal_gicv3_gicd = gicd;
	affinities = affinity;
	*reg(gicd, GICD_CTLR) = GICD_CTLR_ARE; /* before the group: they must not change together */
	while (*reg(gicd, GICD_CTLR) & GICD_CTLR_RWP)
		;
	hal_gicd_init(gicd);
	*reg(gicd, GICD_CTLR) = GICD_CTLR_ARE | GICD_CTLR_GRP1 | GICD_CTLR_GRP0;
}

void hal_gicv3_init_hart(uintptr_t region, unsigned index)
{
	uintptr_t gicr = own = region + index * HAL_GICR_BYTES;

	*reg(gicr, GICR_WAKER) &= ~GICR_WAKER_SLEEP;
	while (*reg(gicr, GICR_WAKER) & GICR_WAKER_ASLEEP)
		;
	*reg(gicr, GICR_ICENABLER0) = ~0u;
	*reg(gicr, GICR_IGROUPR0) = ~0u;
	set_priority(gicr, DOORBELL, DOORBELL_PRIORITY);
	set_priority(gicr, TIMER, TIMER_PRIORITY);
	*reg(gicr, GICR_ISENABLER0) = 1u << DOORBELL | 1u << TIMER;
	hal_dsb();

	hal_icc_enable(LOWEST_PRIORITY);
}

static void route(uintptr_t gicd, uintptr_t affinity, unsigned id)
{
	*reg(gicd, GICD_IROUTER + id * 8) = (uint32_t)affinity;
	*reg(gicd, GICD_IROUTER + id * 8 + 4) = (uint32_t)((uint64_t)affinity >> 32);
}

int hal_gicv3_line_open(unsigned id, unsigned hart, bool urgent)
{
	int r = hal_gicd_ready(hal_gicv3_gicd, id, urgent);

	if (r)
		return r;
	route(hal_gicv3_gicd, affinities[hart], id);
	hal_gicd_unmask(hal_gicv3_gicd, id);
	return 0;
}

/* A line that has been masked does not come any more. */
static void await_mask(void)
{
	while (*reg(hal_gicv3_gicd, GICD_CTLR) & GICD_CTLR_RWP)
		;
}

void hal_gicv3_line_close(unsigned id)
{
	hal_gicd_mask(hal_gicv3_gicd, id);
	await_mask();
}

bool hal_gicv3_line_take(unsigned id)
{
	if (hal_icc_pending() != id)
		return false;
	hal_gicv3_line_close(id);
	return true;
}

void hal_gicv3_listen(uintptr_t gicd, uintptr_t affinity, unsigned id, bool on)
{
	*(volatile uint8_t *)(gicd + GICD_IPRIORITYR + id) = TIMER_PRIORITY;
	route(gicd, affinity, id);
	*reg(gicd, (on ? GICD_ISENABLER : GICD_ICENABLER) + id / 32 * 4) = 1u << id % 32;
	hal_dsb();
}

int hal_gicv3_alarm_init_hart(void)
{
	uintptr_t gicr = own;
	const uint32_t alarms = 1u << ALARM | 1u << ALARM_TIMER;

	*reg(gicr, GICR_IGROUPR0) = ~alarms;
	if (*reg(gicr, GICR_IGROUPR0) != ~alarms)
		return -ENOTSUP; /* groups are the firmware's */
	set_priority(gicr, ALARM, ALARM_PRIORITY);
	set_priority(gicr, ALARM_TIMER, ALARM_PRIORITY);
	hal_timer_never();
	*reg(gicr, GICR_ISENABLER0) = alarms;
	hal_dsb();
	hal_icc_alarm_enable();
	hal_fiq_unmask();
	return 0;
}

void hal_gicv3_alarm_ring(uintptr_t doorbell)
{
	hal_icc_alarm_ring(doorbell, ALARM);
}

void hal_gicv3_alarm_clear(void)
{
	bool line = false;
	uintptr_t id;

	hal_timer_never();
	/* One line a trap: one that its handler leaves raised does not keep the hart in there. */
	while (!line && (id = hal_icc_alarm_take()) < HAL_ICC_NONE) {
		line = hal_gicd_take_urgent(hal_gicv3_gicd, (unsigned)id);
		if (line) {
			await_mask();
			hal_line_came((unsigned)id);
		}
		hal_icc_alarm_end(id);
	}
}
