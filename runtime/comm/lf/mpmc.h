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
 * end. 0: no slot is ready just now, or the ring is closed to senders.
 */
static inline size_t co_mpmc_claim(struct co_ring *r, struct co_aword *next, uintptr_t stage,
				   size_t most, struct co_claimed *h)
{
	for (;;) {
		/* relaxed: a guess; the compare-and-swap decides. */
		uintptr_t pos = co_atomic_load(next, CO_RELAXED);
		unsigned char *end;
		uintptr_t to;
		size_t n;

		*h = co_ring_at(r, pos, stage);
		n = co_ring_row(r, *h, most, &end);
		to = end != r->limit ? pos + n * CO_RING_STEP : co_ring_lap_of(r, pos) + r->lap;
		if (n && co_atomic_cas(next, pos, to))
			return n;
		/* Full, empty or closed (that stamp is ahead of all); or another has claimed it. */
		if (!n && co_ring_turn(*h) < 0)
			return 0;
	}
}

/*
 * Claim the next slot; *h is the next slot in any case. False: it is not its turn yet, or the ring
 * is closed to senders. `mark`: see co_ring_is_turn().
 */
static inline bool co_mpmc_claim_one(struct co_ring *r, struct co_aword *next, uintptr_t stage,
				     uintptr_t mark, struct co_claimed *h)
{
	/* Read once: the compiler would read them anew after each atomic. */
	const uintptr_t mask = r->mask, last = r->last;

	for (;;) {
		/* relaxed: a guess; the compare-and-swap decides. */
		uintptr_t pos = co_atomic_load(next, CO_RELAXED);
		uintptr_t place = pos & mask, lap = pos - place;
		uintptr_t stamp;

		h->slot = (struct co_slot *)(void *)(r->slots + place / CO_RING_STEP * r->stride);
		h->stamp = lap + stage;
		/* acquire: as in co_ring_turn(). */
		stamp = co_atomic_load(&h->slot->stamp, CO_ACQUIRE);
		if (co_ring_differs(stamp, h->stamp, mark)) {
			if (co_ring_ahead(stamp, *h) > 0)
				continue; /* another has claimed it */
			/*
			 * acquire: a waiter's mark, which follows, comes behind the stores of a row
			 * that its side has got through; pairs with the claims of that row's slots.
			 */
			(void)co_atomic_load(next, CO_ACQUIRE);
			return false;
		}
		if (co_atomic_cas(next, pos, co_ring_next(r, pos, place, last)))
			return true;
	}
}

#endif
