/* gicd.c - lines of devices by a GIC's distributor. gicd.h has the interface. */
#include <errno.h>

#include <hal_arch/sysreg.h>

#include "gicd.h"

#define GICD_IGROUPR 0x080
#define GICD_ISENABLER 0x100
#define GICD_ICENABLER 0x180
#define GICD_ISPENDR 0x200
#define GICD_ISACTIVER 0x300 /* acknowledged, and not ended */
#define GICD_ICACTIVER 0x380
#define GICD_IPRIORITYR 0x400
#define GICD_ICFGR 0xc00
#define SPI 32 /* the first; lower numbers are lines that each hart has one of */
#define SPI_END 1020

/*
 * Priorities of lines: more urgent than the doorbell, which would hide them (hal_icc_pending()),
 * and less than the alarm. Larger is less urgent. The controller signals the most urgent interrupt
 * alone: no line that is pending, and waits for a look, may hide one that has a handler.
 */
static const struct priorities {
	uint8_t first, usual, last;
} looked_for = { 0x50, 0x60, 0x70 }, handled = { 0x44, 0x48, 0x4c };

/* The register that has the line's bit. */
static volatile uint32_t *bits(uintptr_t gicd, unsigned offset, unsigned id)
{
	return (volatile uint32_t *)(gicd + offset) + id / 32;
}

static uint32_t bit(unsigned id)
{
	return (uint32_t)1 << id % 32;
}

static volatile uint8_t *priority_of(uintptr_t gicd, unsigned id)
{
	return (volatile uint8_t *)(gicd + GICD_IPRIORITYR) + id;
}

void hal_gicd_init(uintptr_t gicd)
{
	for (unsigned id = SPI; id < SPI_END; id += 32)
		*bits(gicd, GICD_IGROUPR, id) = ~0u;
}

/* The bits of 32 lines share a word. */
static bool set_group(uintptr_t gicd, unsigned id, bool urgent)
{
	volatile uint32_t *groups = bits(gicd, GICD_IGROUPR, id);

	*groups = urgent ? *groups & ~bit(id) : *groups | bit(id);
	return !(*groups & bit(id)) == urgent;
}

int hal_gicd_ready(uintptr_t gicd, unsigned id, bool urgent)
{
	if (id < SPI || id >= SPI_END)
		return -EINVAL;
	if (*bits(gicd, GICD_ISENABLER, id) & bit(id))
		return -EBUSY;
	*bits(gicd, GICD_ICACTIVER, id) =
		bit(id); /* left by a hart that has stopped in its handler */
	/* A level, not an edge: two bits a line. */
	((volatile uint32_t *)(gicd + GICD_ICFGR))[id / 16] &= ~((uint32_t)2 << 2 * (id % 16));
	*priority_of(gicd, id) = urgent ? handled.usual : looked_for.usual;
	if (!*priority_of(gicd, id))
		return -EINVAL; /* the controller has fewer lines */
	/* A group that cannot be read is firmware's: an ordinary line is in the right one. */
	return set_group(gicd, id, urgent) || !urgent ? 0 : -ENOTSUP;
}

void hal_gicd_mask(uintptr_t gicd, unsigned id)
{
	*bits(gicd, GICD_ICENABLER, id) = bit(id);
	hal_dsb(); /* before the device is looked at, and before a sleep */
}

void hal_gicd_unmask(uintptr_t gicd, unsigned id)
{
	hal_dsb(); /* the device has taken its signal back */
	*bits(gicd, GICD_ISENABLER, id) = bit(id);
	hal_dsb();
}

bool hal_gicd_busy(uintptr_t gicd, unsigned id)
{
	return *bits(gicd, GICD_ISACTIVER, id) & bit(id);
}

bool hal_gicd_take_urgent(uintptr_t gicd, unsigned id)
{
	if (id < SPI)
		return false;
	hal_gicd_mask(gicd, id);
	return true;
}

bool hal_gicd_take(uintptr_t gicd, unsigned id)
{
	if (!(*bits(gicd, GICD_ISPENDR, id) & *bits(gicd, GICD_ISENABLER, id) & bit(id)))
		return false;
	hal_gicd_mask(gicd, id);
	return true;
}

int hal_gicd_priority(uintptr_t gicd, unsigned id, unsigned priority)
{
	const struct priorities *p = *bits(gicd, GICD_IGROUPR, id) & bit(id) ? &looked_for
									     : &handled;

	if (priority < p->first || priority > p->last)
		return -EINVAL;
	*priority_of(gicd, id) = (uint8_t)priority;
	return 0;
}
