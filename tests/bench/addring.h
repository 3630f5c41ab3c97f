/*
 * addring.h - claiming positions by atomic add alone, as the paper does: the baseline to beat.
 *
 * Who finds tail = put (nobody is sending) adds, and looks: if the tail is where its own add alone
 * would have brought it, the slot is the caller's; else others have added too, and all of them take
 * their adds back and start over. The add's own result is not used, since the paper's compute harts
 * have none. As printed, the loser takes its add back from the wrong variable (to_write); here it
 * is tail. The winner moves put on when it has committed: one sender at a time, and the cost of n
 * that contend grows with n.
 *
 * Capacities are powers of two here: an add cannot skip.
 *
 * Source: seed A5.
 */
#ifndef TESTS_BENCH_ADDRING_H
#define TESTS_BENCH_ADDRING_H

#include <cohart/coroutine.h>

#include "../../runtime/comm/lf/ring.h"

/*
 * One attempt for the next slot of a side: `claim` and `done` are tail and put, or head and took.
 * 1: *h is the caller's; 0: it is not the side's turn there; -1: lost, start over.
 */
static inline int addring_claim(struct co_ring *r, struct co_aword *claim, struct co_aword *done,
				uintptr_t stage, struct co_claimed *h)
{
	/*
	 * relaxed, all of claim and done: a word that is added to has one order, and a claimer's
	 * own add comes before its look. So of two that add at least one sees the other; a look
	 * that is too old makes it lose. The slot is handed over by its stamp.
	 */
	uintptr_t settled = co_atomic_load(done, CO_RELAXED);
	uintptr_t at = co_atomic_load(claim, CO_RELAXED);

	if (at != settled)
		return -1;
	*h = co_ring_at(r, at, stage);
	if (co_ring_turn(*h) != 0)
		return 0;
	co_atomic_add(claim, CO_RING_STEP, CO_RELAXED);
	if (co_atomic_load(claim, CO_RELAXED) == at + CO_RING_STEP)
		return 1;
	co_atomic_add(claim, (uintptr_t)-CO_RING_STEP, CO_RELAXED);
	return -1;
}

/* The winner is done with its position: the side's next may try. */
static inline void addring_done(struct co_aword *done)
{
	/* relaxed: as above. */
	co_atomic_add(done, CO_RING_STEP, CO_RELAXED);
}

/* Send and receive an int, of a ring never full (empty); again while others are in the way. */
static __attribute__((noinline, unused)) int addring_send(struct co_ring *r, const int *elem)
{
	struct co_claimed h;
	unsigned spins = 0;

	while (addring_claim(r, &r->tail, &r->put, 0, &h) <= 0) {
		co_spin(&spins);
		co_pause();
	}
	*(int *)co_slot_payload(h.slot) = *elem;
	co_ring_commit(h);
	addring_done(&r->put);
	return 0;
}

static __attribute__((noinline, unused)) int addring_recv(struct co_ring *r, int *elem)
{
	struct co_claimed h;
	unsigned spins = 0;

	while (addring_claim(r, &r->head, &r->took, CO_RING_FULL, &h) <= 0) {
		co_spin(&spins);
		co_pause();
	}
	*elem = *(const int *)co_slot_payload(h.slot);
	co_ring_release(r, h);
	addring_done(&r->took);
	return 0;
}

#endif
