/*
 * mpmc.h - claiming slots of a ring by compare-and-swap: any number of senders and receivers.
 *
 * Source: seed A4; D. Vyukov's bounded MPMC queue (1024cores.net), the idea.
 */
#ifndef COHART_LF_MPMC_H
#define COHART_LF_MPMC_H

#include "ring.h"

/*
 * Claim up to `most` slots in a row that are in `stage` (0 to fill, CO_RING_FULL to read); `next`
 * is &r->tail or &r->head. Returns how many, *h the first of them: they do not go beyond the lap's
 * end. 0: there is none just now, or the ring is closed to senders.
 */
static inline size_t co_mpmc_claim(struct co_ring *r, struct co_aword *next, uintptr_t stage,
				   size_t most, struct co_hold *h)
{
	for (;;) {
		/* relaxed: a guess; the compare-and-swap decides. */
		uintptr_t pos = co_atomic_load(next, CO_RELAXED);
		struct co_hold first = co_ring_at(r, pos);
		/* A closed tail's lap equals no stamp's. */
		intptr_t found = co_ring_stage(first);
		uintptr_t to = pos;
		size_t n = 0;

		while (n < most && found == (intptr_t)stage) {
			struct co_hold more = {
				(struct co_slot *)(void *)((unsigned char *)first.slot +
							   ++n * r->stride),
				first.lap
			};

			to = co_ring_next(r, to);
			if (n == most || (unsigned char *)more.slot == r->limit)
				break;
			found = co_ring_stage(more);
		}
		if (n && co_atomic_cas(next, pos, to)) {
			*h = first;
			return n;
		}
		/* Behind the stage: full, empty or closed. Beyond it: another has claimed it. */
		if (!n && found < (intptr_t)stage)
			return 0;
	}
}

/* Claim a free slot to fill; false: full, or closed. */
static inline bool co_mpmc_reserve(struct co_ring *r, struct co_hold *h)
{
	return co_mpmc_claim(r, &r->tail, 0, 1, h);
}

/* Claim the oldest full slot to read; false: empty just now. */
static inline bool co_mpmc_peek(struct co_ring *r, struct co_hold *h)
{
	return co_mpmc_claim(r, &r->head, CO_RING_FULL, 1, h);
}

/*
 * The short way where elements have 8 bytes: one attempt at the next slot, if it is in `stage` and
 * nobody waits for that to change.
 */
static inline bool co_mpmc_claim_8(struct co_ring *r, struct co_aword *next, uintptr_t stage,
				   struct co_hold *h)
{
	/* relaxed: a guess; the compare-and-swap decides. */
	uintptr_t pos = co_atomic_load(next, CO_RELAXED);
	uintptr_t place = co_ring_place(r, pos); /* a step is a stride */
	uintptr_t end = r->end;
	uintptr_t to = pos + CO_RING_STEP;

	h->slot = (struct co_slot *)(void *)(r->slots + place);
	h->lap = pos - place;
	/* acquire: as in co_ring_stage(). */
	if (co_atomic_load(&h->slot->stamp, CO_ACQUIRE) != h->lap + stage)
		return false;
	if (__builtin_expect(place + CO_RING_STEP == end, 0))
		to = h->lap + r->lap;
	return co_atomic_cas(next, pos, to);
}

#endif
