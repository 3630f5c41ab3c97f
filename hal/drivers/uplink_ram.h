/*
 * uplink_ram.h - an uplink in RAM: its layout, for the driver and for the carrier, a process that
 * has RAM mapped (qemu/cluster/). Both are little-endian.
 *
 * Counters only grow, and wrap: number n of a ring is at n % HAL_UPLINK_MOST. The board never has
 * more than HAL_UPLINK_MOST descriptors under way, counting a completion that it has not read. So
 * no ring is ever full, and a write to a ring never waits.
 */
#ifndef HAL_DRIVERS_UPLINK_RAM_H
#define HAL_DRIVERS_UPLINK_RAM_H

#include <stdalign.h>

#include <cohart/atomic.h>
#include <hal/uplink.h>

#define UPLINK_RAM_READY 0x316b6c75 /* "ulk1", by layout */

struct uplink_ram {
	/* The board writes. */
	alignas(CO_LINE) struct co_a32 ready; /* UPLINK_RAM_READY: counters are set */
	alignas(CO_LINE) struct co_a32 submitted;
	/* The carrier writes. */
	alignas(CO_LINE) struct co_a32 attached; /* 1: both numbers are valid */
	uint32_t board, boards;
	alignas(CO_LINE) struct co_a32 completed;
	alignas(CO_LINE) struct hal_uplink_descriptor descriptor[HAL_UPLINK_MOST];
	struct hal_uplink_completion completion[HAL_UPLINK_MOST];
};

_Static_assert(sizeof(struct hal_uplink_descriptor) == 64, "a descriptor is a line");
_Static_assert(sizeof(struct hal_uplink_completion) == 32, "both sides have one layout");

#endif
