/*
 * local.c - copies of variables for each node and each hart. Copy 0 is the variable itself, in the
 * image; further copies are made at boot, with the tables behind the image. And each hart's copies
 * of the pages that all harts have at one address.
 */
#include <cohart/local.h>
#include <hal/probe.h>

#include "../core.h"
#include "image.h"

/* Address of the copies from 1 on, one after another. */
static uintptr_t node_copies, hart_copies;
/* Address of all harts' copies of the pages from __own_start to __own_end. */
static uintptr_t own_copies;

#define OWN_BYTES ((size_t)(__own_end - __own_start))

static uintptr_t make_copies(const char *from, const char *end, unsigned n)
{
	size_t bytes = (size_t)(end - from);
	uintptr_t ram_end = hal_board.ram.base + hal_board.ram.bytes;
	uintptr_t copies = co_round_up(hal_board.free, CO_LINE);

	if (bytes > (ram_end - copies) / n)
		co_die("%zu bytes of variables with %u copies do not fit in RAM", bytes, n);
	hal_board.free = copies;
	(void)hal_probe_take((n - 1) * bytes);
	for (unsigned i = 0; i + 1 < n; i++)
		memcpy((void *)(copies + i * bytes), from, bytes);
	return copies;
}

void co_local_make(void)
{
	node_copies = make_copies(__per_node_start, __per_node_end, co_localities(CO_NODE));
	hart_copies = make_copies(__per_hart_start, __per_hart_end, co_machine.harts);
	if (OWN_BYTES) {
		own_copies = co_round_up(hal_board.free, HAL_PAGE_BYTES);
		hal_board.free = own_copies + co_machine.harts * OWN_BYTES;
	}
}

size_t co_local_map_pages(void)
{
	return OWN_BYTES ? co_machine.harts * HAL_MAP_OWN_PAGES(OWN_BYTES) : 0;
}

int co_local_map(uintptr_t view, uintptr_t shared, unsigned hart)
{
	uintptr_t copy = own_copies + hart * OWN_BYTES;

	if (!OWN_BYTES)
		return 0;
	memcpy((void *)copy, __own_start, OWN_BYTES);
	return hal_map_own(view, shared, (uintptr_t)__own_start, OWN_BYTES, copy);
}

/* The copy if the variable is one of [from, end); else NULL. */
static void *copy_in(const char *from, const char *end, uintptr_t copies, uintptr_t variable,
		     unsigned i)
{
	uintptr_t offset = variable - (uintptr_t)from;
	size_t bytes = (size_t)(end - from);

	if (offset >= bytes)
		return NULL;
	return (void *)(i ? copies + (i - 1) * bytes + offset : variable);
}

void *co_copy_at(const void *variable, unsigned i)
{
	uintptr_t p = (uintptr_t)variable;
	void *copy = copy_in(__per_node_start, __per_node_end, node_copies, p, i);

	CO_ASSERT_THAT(!copy || i < co_localities(CO_NODE),
		       "there is a node of that number (co_localities(CO_NODE) of them)");
	if (copy)
		return copy;
	copy = copy_in(__per_hart_start, __per_hart_end, hart_copies, p, i);
	CO_ASSERT_THAT(copy, "the variable is one of CO_NODE_LOCAL() or CO_HART_LOCAL()");
	CO_ASSERT_THAT(i < co_machine.harts, "there is a hart of that number (co_harts() of them)");
	return copy;
}
