/*
 * spsc.h - claiming positions of a ring on a side that has one member: nothing to agree on.
 *
 * A single sender keeps its position in `put`, since others may close the ring by a bit in `tail`;
 * a single receiver keeps it in `head`. Both are written by their one owner; others read them for a
 * look.
 *
 * Source: seed A6 (SPSC); the slot itself says whether it is full, so neither side reads the
 * other's position: J. Giacomoni et al., FastForward, PPoPP 2008, the idea.
 */
#ifndef COHART_LF_SPSC_H
#define COHART_LF_SPSC_H

#include "ring.h"

static inline struct co_slot *co_single_reserve(struct co_ring *r, uintptr_t *pos)
{
	/* relaxed: the caller's own word. */
	uintptr_t put = co_atomic_load(&r->put, CO_RELAXED);

	/* relaxed: a close that is missed here is as good as one that comes after. */
	if (co_ring_stage(r, put) != 0 || co_ring_is_closed(r))
		return NULL;
	/* relaxed: read by others for looks and counts alone; the stamp hands the slot over. */
	co_atomic_store(&r->put, co_ring_next(r, put), CO_RELAXED);
	*pos = put;
	return co_ring_slot(r, put);
}

static inline struct co_slot *co_single_peek(struct co_ring *r, uintptr_t *pos)
{
	uintptr_t head = co_atomic_load(&r->head, CO_RELAXED);

	if (co_ring_stage(r, head) != 1)
		return NULL;
	co_atomic_store(&r->head, co_ring_next(r, head), CO_RELAXED);
	*pos = head;
	return co_ring_slot(r, head);
}

#endif
