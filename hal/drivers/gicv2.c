/*
 * gicv2.c - doorbells and alarms by a GICv2. gicv2.h has the interface.
 */
#include <hal_arch/sysreg.h>

#include "gicv2.h"

#define GICD_CTLR 0x000
#define GICD_ISENABLER 0x100
#define GICD_ICENABLER0 0x180
#define GICD_IPRIORITYR 0x400
#define GICD_ITARGETSR 0x800
#define GICD_SGIR 0xf00
#define GICD_CPENDSGIR 0xf10 /* a byte for each SGI, a bit in it for each hart that has rung */
#define GICC_CTLR 0x0000
#define GICC_PMR 0x0004

/* Both groups where both are ours to enable; seen from the non-secure side bit 0 is group 1. */
#define CTLR_ENABLE 3u

#define DOORBELL 0
#define TIMER 27
#define PRIORITY 0x80
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

void hal_gicv2_ring(uintptr_t gicd, uintptr_t bell)
{
	hal_dsb_stores(); /* what was written to memory is visible before the ring is */
	*reg(gicd, GICD_SGIR) = (uint32_t)bell | DOORBELL;
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
