/*
 * mpmc.h - claiming positions of a ring by compare-and-swap: any number of senders and receivers.
 *
 * Source: seed A4; D. Vyukov's bounded MPMC queue (1024cores.net), the idea.
 */
#ifndef COHART_LF_MPMC_H
#define COHART_LF_MPMC_H

#include "ring.h"

/* A free slot for the caller alone, *pos its position; NULL: full, or closed. */
static inline struct co_slot *co_mpmc_reserve(struct co_ring *r, uintptr_t *pos)
{
	/* relaxed: a guess; the compare-and-swap decides. */
	uintptr_t tail = co_atomic_load(&r->tail, CO_RELAXED);

	while (!(tail & CO_RING_CLOSED)) {
		intptr_t stage = co_ring_stage(r, tail);

		if (stage < 0)
			return NULL;
		if (stage == 0 && co_atomic_cas(&r->tail, tail, co_ring_next(r, tail))) {
			*pos = tail;
			return co_ring_slot(r, tail);
		}
		tail = co_atomic_load(&r->tail, CO_RELAXED);
	}
	return NULL;
}

/* The oldest full slot, the caller's alone, *pos its position; NULL: empty just now. */
static inline struct co_slot *co_mpmc_peek(struct co_ring *r, uintptr_t *pos)
{
	uintptr_t head = co_atomic_load(&r->head, CO_RELAXED);

	for (;;) {
		intptr_t stage = co_ring_stage(r, head);

		if (stage < 1)
			return NULL;
		if (stage == 1 && co_atomic_cas(&r->head, head, co_ring_next(r, head))) {
			*pos = head;
			return co_ring_slot(r, head);
		}
		head = co_atomic_load(&r->head, CO_RELAXED);
	}
}

#endif
