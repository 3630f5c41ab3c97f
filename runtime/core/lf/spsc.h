/*
 * spsc.h - claiming slots of a ring on a side that has one member: nothing to agree on.
 *
 * The one member keeps its next slot's address in `put` (receiver: `took`), and the lap number, in
 * the form that the slot's stamp has to have, in `tail` (`head`): a claim is one comparison. The
 * flags of tail fit in: a closed tail equals no stamp. Others read these words for looks alone;
 * while the member turns to the next lap, which takes two steps, a flag tells them.
 *
 * Source: seed A6 (SPSC); the slot itself says whether it is full, so neither side reads the
 * other's position: J. Giacomoni et al., FastForward, PPoPP 2008, the idea.
 */
#ifndef COHART_LF_SPSC_H
#define COHART_LF_SPSC_H

#include "ring.h"

/* The member's next slot. `lap` is &r->tail or &r->head, `at` is &r->put or &r->took. */
static inline struct co_hold co_single_next(struct co_aword *lap, struct co_aword *at)
{
	/* relaxed: the caller's own words; a close that is missed is as good as one after. */
	struct co_hold h = { (struct co_slot *)co_atomic_load(at, CO_RELAXED),
			     co_atomic_load(lap, CO_RELAXED) };

	return h;
}

/* Move on from `slot`, which is claimed, by `stride`, the ring's. */
static inline void co_single_advance(struct co_ring *r, struct co_slot *slot, uintptr_t stride,
				     struct co_aword *lap, struct co_aword *at)
{
	unsigned char *next = (unsigned char *)slot + stride;

	if (__builtin_expect(next != r->limit, 1)) {
		/* relaxed: for looks; the stamp hands the slot over. */
		co_atomic_store(at, (uintptr_t)next, CO_RELAXED);
		return;
	}
	/*
	 * By adds, since others may close meanwhile. release, all: who sees a step sees the one
	 * before; pairs with co_single_position().
	 */
	co_atomic_add(lap, r->lap + CO_RING_TURNS, CO_RELEASE);
	co_atomic_store(at, (uintptr_t)r->slots, CO_RELEASE);
	co_atomic_add(lap, -CO_RING_TURNS, CO_RELEASE);
}

/* The position of a side with one member, for others: a moment old. */
static inline uintptr_t co_single_position(const struct co_ring *r, const struct co_aword *lap,
					   const struct co_aword *at)
{
	uintptr_t first, then, slot;

	do {
		/* acquire, both: pairs with co_single_advance(). */
		first = co_atomic_load(lap, CO_ACQUIRE);
		slot = co_atomic_load(at, CO_ACQUIRE);
		then = co_atomic_load(lap, CO_RELAXED);
		if (first & CO_RING_TURNS)
			return first & ~CO_RING_FLAGS;
		/* It repeats only if the member has turned a lap in between. */
	} while ((first ^ then) & ~CO_RING_CLOSED);
	return (first & ~CO_RING_FLAGS) + (slot - (uintptr_t)r->slots) / r->stride * CO_RING_STEP;
}

/* Claim the next slot to fill; false: it is not free, or the ring is closed. */
static inline bool co_single_reserve(struct co_ring *r, struct co_hold *h)
{
	struct co_hold next = co_single_next(&r->tail, &r->put);

	if (co_ring_stage(next) != 0)
		return false;
	co_single_advance(r, next.slot, r->stride, &r->tail, &r->put);
	*h = next;
	return true;
}

/* Claim the next slot to read; false: it is not full. */
static inline bool co_single_peek(struct co_ring *r, struct co_hold *h)
{
	struct co_hold next = co_single_next(&r->head, &r->took);

	if (co_ring_stage(next) != (intptr_t)CO_RING_FULL)
		return false;
	co_single_advance(r, next.slot, r->stride, &r->head, &r->took);
	*h = next;
	return true;
}

/*
 * The short way where elements have 8 bytes: claim the next slot if it is in `stage` (0, or
 * CO_RING_FULL) and nobody waits for that to change. `lap`, `at`: as in co_single_next().
 */
static inline bool co_single_claim_8(struct co_ring *r, struct co_aword *lap, struct co_aword *at,
				     uintptr_t stage, struct co_hold *h)
{
	*h = co_single_next(lap, at);
	/* acquire: as in co_ring_stage(). */
	if (co_atomic_load(&h->slot->stamp, CO_ACQUIRE) != h->lap + stage)
		return false;
	co_single_advance(r, h->slot, CO_RING_STRIDE(8), lap, at);
	return true;
}

#endif
