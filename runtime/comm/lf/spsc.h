/*
 * spsc.h - claiming slots of a ring on a side that has one member: nothing to agree on.
 *
 * The member keeps its next slot's address in `put` (receiver: `took`), and the stamp that the slot
 * has when it is its turn in `tail` (`head`): a claim is one comparison. The flags of tail fit in:
 * a closed tail equals no stamp. Other coroutines read these words for looks alone; while the
 * member turns to the next lap, which takes two steps, CO_RING_TURNS tells them.
 *
 * Source: seed A6 (SPSC); the slot itself says whether it is full, so neither side reads its peer's
 * position: J. Giacomoni et al., FastForward, PPoPP 2008, the idea.
 */
#ifndef COHART_LF_SPSC_H
#define COHART_LF_SPSC_H

#include "ring.h"

/* The member's next slot, whose stamp at its turn was read already. `at`: &r->put or &r->took. */
static inline struct co_claimed co_single_at(uintptr_t stamp, const struct co_aword *at)
{
	/* relaxed: the caller's own word, or a look. */
	return (struct co_claimed){ (struct co_slot *)co_atomic_load(at, CO_RELAXED), stamp };
}

/* The member's next slot. `turn` is &r->tail or &r->head, `at` is &r->put or &r->took. */
static inline struct co_claimed co_single_next(struct co_aword *turn, struct co_aword *at)
{
	/*
	 * relaxed: the member's own word, or a look; to miss a close is as good as to come before
	 * it.
	 */
	return co_single_at(co_atomic_load(turn, CO_RELAXED), at);
}

/* Move on to the first slot of the next lap. */
static inline void co_single_turn(struct co_ring *r, struct co_aword *turn, struct co_aword *at)
{
	/*
	 * By adds, since other coroutines may close meanwhile. release, from the second step on: a
	 * reader that sees a step sees the step before it; pairs with co_single_position().
	 */
	co_atomic_add(turn, r->lap + CO_RING_TURNS, CO_RELAXED);
	co_atomic_store(at, (uintptr_t)r->slots, CO_RELEASE);
	co_atomic_add(turn, -CO_RING_TURNS, CO_RELEASE);
}

/* Move on to `next`, the slot behind the claimed ones. */
static inline void co_single_advance(struct co_ring *r, unsigned char *next, struct co_aword *turn,
				     struct co_aword *at)
{
	if (__builtin_expect(next == r->limit, 0))
		co_single_turn(r, turn, at);
	else
		/* relaxed: for looks; the stamp hands the slot over. */
		co_atomic_store(at, (uintptr_t)next, CO_RELAXED);
}

/* The position of a side with one member, for others: a moment old. */
static inline uintptr_t co_single_position(const struct co_ring *r, const struct co_aword *turn,
					   const struct co_aword *at)
{
	uintptr_t first, then, slot;

	do {
		/* acquire, both: pairs with co_single_advance(). */
		first = co_atomic_load(turn, CO_ACQUIRE);
		slot = co_atomic_load(at, CO_ACQUIRE);
		then = co_atomic_load(turn, CO_RELAXED);
		if (first & CO_RING_TURNS)
			return first & ~CO_RING_FLAGS;
		/* It repeats only if the member has turned a lap in between. */
	} while ((first ^ then) & ~CO_RING_CLOSED);
	return (first & ~CO_RING_FLAGS) + (slot - (uintptr_t)r->slots) / r->stride * CO_RING_STEP;
}

/*
 * Claim up to `most` slots in a row whose turn it is. Returns how many, *h the first of them: they
 * do not go beyond the lap's end. 0: no slot is ready, or the ring is closed to senders.
 */
static inline size_t co_single_claim_row(struct co_ring *r, struct co_aword *turn,
					 struct co_aword *at, size_t most, struct co_claimed *h)
{
	unsigned char *end;
	size_t n;

	*h = co_single_next(turn, at);
	n = co_ring_row(r, *h, most, &end);
	if (n)
		co_single_advance(r, end, turn, at);
	return n;
}

/*
 * Claim the next slot; *h is the next slot in any case. False: it is not this side's turn, or the
 * ring is closed to senders. `mark`: see co_ring_is_turn().
 */
static inline bool co_single_claim(struct co_ring *r, struct co_aword *turn, struct co_aword *at,
				   uintptr_t mark, struct co_claimed *h)
{
	*h = co_single_next(turn, at);
	if (!co_ring_is_turn(*h, mark))
		return false;
	co_single_advance(r, (unsigned char *)h->slot + r->stride, turn, at);
	return true;
}

#endif
