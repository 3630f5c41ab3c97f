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
#ifndef COHART_LF_ADDRING_H
#define COHART_LF_ADDRING_H

#include "ring.h"

/*
 * One attempt for the next slot of a side: `claim` and `done` are tail and put, or head and took.
 * 1: *h is the caller's; 0: it is not the side's turn there; -1: lost, start over.
 */
static inline int co_addring_claim(struct co_ring *r, struct co_aword *claim, struct co_aword *done,
				   uintptr_t stage, struct co_hold *h)
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
	/*
	 * seq_cst: before the caller's look for receivers who wait for the end of a closed ring;
	 * pairs with co_chan_drained().
	 */
	co_atomic_add(claim, (uintptr_t)-CO_RING_STEP, CO_SEQ_CST);
	return -1;
}

/* The winner is done with its position: the side's next may try. */
static inline void co_addring_done(struct co_aword *done)
{
	/* seq_cst: before the look for receivers; pairs with co_chan_drained(). */
	co_atomic_add(done, CO_RING_STEP, CO_SEQ_CST);
}

#endif
