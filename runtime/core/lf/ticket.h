/*
 * ticket.h - claiming positions by atomic adds whose result is used: without undo or retry, so the
 * cost does not grow with the number of contenders.
 *
 * Two steps. A credit says that there is something for the caller: free slots for senders, full
 * ones for receivers. A ticket, the next position, says which. A credit is taken by one add; when
 * none is left the result says so, and the caller, which is counted already, waits until one that
 * gives a credit finds it waiting and hands it over: first come, first served, and no third can be
 * faster. Tickets that fall on a place without a slot are skipped: each side draws over them alike.
 *
 * A ticket's slot may lag behind: its user is a copy away from being through, or holds it by choice
 * (zero-copy). Then its holder waits for the slot itself.
 *
 * Source: seed A5's machine, whose compute harts add but do not compare and swap; this is the
 * answer.
 */
#ifndef COHART_LF_TICKET_H
#define COHART_LF_TICKET_H

#include <cohart/detail/waitq.h>

#include "ring.h"
#include "waitq.h"

/* What a waiter's `place` says when it is woken; 0: no credit, it shall look around. */
#define CO_CREDIT_GRANTED 1u

/* Take a credit; false: the caller is registered, and must co_credit_wait() or co_credit_quit(). */
static inline bool co_credit_take(struct co_credit *c)
{
	/* relaxed: a credit is a number. The slot, and the payload, come with the stamp. */
	return (intptr_t)co_atomic_add(&c->count, (uintptr_t)-1, CO_RELAXED) > 0;
}

/* Is there one just now? Without registering. */
static inline bool co_credit_any(struct co_credit *c)
{
	/* seq_cst: the look of one that waits elsewhere; pairs with co_credit_give()'s add. */
	return (intptr_t)co_atomic_load(&c->count, CO_SEQ_CST) > 0;
}

/* A registered caller enters the queue: true if a credit was pending for it and is its own now. */
static inline bool co_credit_wait(struct co_credit *c, struct co_waiter *w)
{
	struct co_waiter *first = co_waitq_lock(&c->queue);
	bool got = co_plain_load(&c->pending) > 0;

	w->queue = &c->queue;
	co_plain_store(&w->place, 0);
	if (got)
		co_plain_store(&c->pending, co_plain_load(&c->pending) - 1);
	else
		first = co_waitq_link(first, w, false);
	co_waitq_unlock(&c->queue, first);
	return got;
}

/*
 * A registered caller gives up; w is its node, NULL if it never entered the queue. True: a credit
 * was pending for it after all, and is its own.
 */
static inline bool co_credit_quit(struct co_credit *c, struct co_waiter *w)
{
	struct co_waiter *first = co_waitq_lock(&c->queue);
	bool got = co_plain_load(&c->pending) > 0;

	if (w && co_waitq_linked(w))
		first = co_waitq_unlink(first, w);
	if (got)
		co_plain_store(&c->pending, co_plain_load(&c->pending) - 1);
	else
		co_plain_store(&c->dead, co_plain_load(&c->dead) + 1);
	co_waitq_unlock(&c->queue, first);
	return got;
}

/* Give a credit. Returns the waiter that has it, which the caller makes ready; NULL: none yet. */
static inline struct co_waiter *co_credit_give(struct co_credit *c)
{
	/* seq_cst: before the giver's look for waiters elsewhere; pairs with co_credit_any(). */
	while ((intptr_t)co_atomic_add(&c->count, 1, CO_SEQ_CST) < 0) {
		/* A caller is registered. One whose wait the clock or a cancel has ended will quit.
		 */
		struct co_waiter *first = co_waitq_lock(&c->queue);
		struct co_waiter *w = co_waitq_pick_locked(&first);
		bool again = false;

		if (w) {
			co_plain_store(&w->place, CO_CREDIT_GRANTED);
		} else if (co_plain_load(&c->dead)) {
			co_plain_store(&c->dead, co_plain_load(&c->dead) - 1);
			again = true;
		} else {
			co_plain_store(&c->pending, co_plain_load(&c->pending) + 1);
		}
		co_waitq_unlock(&c->queue, first);
		if (!again)
			return w;
	}
	return NULL;
}

/* The side's next position that has a slot; *closed tells what the flag said when it was drawn. */
static inline struct co_claimed co_ticket_draw(struct co_ring *r, struct co_aword *side,
					       uintptr_t stage, bool *closed)
{
	uintptr_t pos;

	do {
		/*
		 * seq_cst: a sender's ticket and a close are in one order; the last receiver's is
		 * before its look at final. Pairs with co_ring_close().
		 */
		pos = co_atomic_add(side, CO_RING_STEP, CO_SEQ_CST);
	} while (co_ring_place(r, pos) > r->last);
	*closed = pos & CO_RING_CLOSED;
	return co_ring_at(r, pos & ~CO_RING_CLOSED, stage);
}

#endif
