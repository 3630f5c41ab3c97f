/*
 * waitq.h - a queue of waiters, and the token that decides who ends a wait.
 *
 * Three may want to end a wait at the same moment: a waker (any hart), the clock and a cancel (both
 * on the waiter's own hart). Whoever swaps the waiter's token from 1 to 0 ends it. Wakers do so
 * under the queue's lock, on a node that is linked, and a waiter unlinks its node under that lock
 * before it can wait anew: no wake-up reaches a later wait.
 *
 * No lost wake-up: a waiter enters, then looks at its condition; a waker makes the condition true,
 * then looks for waiters. All four are seq_cst, so one of the two sees the other.
 */
#ifndef COHART_LF_WAITQ_H
#define COHART_LF_WAITQ_H

#include <stddef.h>

#include <cohart/atomic.h>
#include <cohart/waitq.h>

/* One wait on one queue; a wait on several has a node in each, and one token. */
struct co_waiter {
	struct co_waiter *next; /* these three under the queue's lock */
	struct co_waiter *prev;
	uint32_t linked;
	uint32_t place; /* the owner's: which of several */
	struct co_waitq *queue;
	struct co_a32 *token;
};

/* Take the right to end the wait; false if somebody else has. */
static inline bool co_token_take(struct co_a32 *token)
{
	/*
	 * relaxed: who is first is decided by one word's order alone. What a waker touches of the
	 * waiter came to it by the queue's lock, and what it writes goes with the wake's message;
	 * the losers look at nothing of it.
	 */
	return co_atomic_swap(token, 0, CO_RELAXED) == 1;
}

static inline void co_token_set(struct co_a32 *token, uint32_t v)
{
	/*
	 * relaxed: wakers see it through the queue's lock; the clock and cancels are the same
	 * hart's.
	 */
	co_atomic_store(token, v, CO_RELAXED);
}

/* False: another hart is at the list, for a few instructions. */
static inline bool co_waitq_try_lock(struct co_waitq *q)
{
	/* acquire: the list is as the last holder left it; pairs with co_waitq_unlock(). */
	return !co_atomic_swap(&q->lock, 1, CO_ACQUIRE);
}

static inline void co_waitq_lock(struct co_waitq *q)
{
	unsigned spins = 0;

	while (!co_waitq_try_lock(q))
		co_spin(&spins);
}

static inline void co_waitq_unlock(struct co_waitq *q)
{
	/* release: pairs with co_waitq_lock(). */
	co_atomic_store(&q->lock, 0, CO_RELEASE);
}

static inline void co_waitq_link(struct co_waitq *q, struct co_waiter *w, bool front)
{
	struct co_waiter *neighbour = co_plain_load(front ? &q->head : &q->tail);

	co_plain_store(&w->next, front ? neighbour : NULL);
	co_plain_store(&w->prev, front ? NULL : neighbour);
	co_plain_store(&w->linked, 1);
	if (front || !neighbour)
		co_plain_store(&q->head, w);
	if (!front || !neighbour)
		co_plain_store(&q->tail, w);
	if (neighbour && front)
		co_plain_store(&neighbour->prev, w);
	else if (neighbour)
		co_plain_store(&neighbour->next, w);
}

static inline void co_waitq_unlink(struct co_waitq *q, struct co_waiter *w)
{
	struct co_waiter *next = co_plain_load(&w->next);
	struct co_waiter *prev = co_plain_load(&w->prev);

	if (prev)
		co_plain_store(&prev->next, next);
	else
		co_plain_store(&q->head, next);
	if (next)
		co_plain_store(&next->prev, prev);
	else
		co_plain_store(&q->tail, prev);
	co_plain_store(&w->linked, 0);
	/* relaxed: the count is a hint to wakers, exact under the lock. */
	co_atomic_add(&q->waiters, (uint32_t)-1, CO_RELAXED);
}

static inline void co_waitq_enter_locked(struct co_waitq *q, struct co_waiter *w, bool front)
{
	co_waitq_link(q, w, front);
	/* seq_cst: before the caller's look; pairs with co_waitq_any(). */
	co_atomic_add(&q->waiters, 1, CO_SEQ_CST);
	co_waitq_unlock(q);
}

/* Enter q, last or first. The caller then looks at its condition once more. */
static inline void co_waitq_enter(struct co_waitq *q, struct co_waiter *w, bool front)
{
	w->queue = q;
	co_waitq_lock(q);
	co_waitq_enter_locked(q, w, front);
}

/* Leave; false if a waker had taken the node out already. */
static inline bool co_waitq_leave(struct co_waiter *w)
{
	bool linked;

	co_waitq_lock(w->queue);
	linked = co_plain_load(&w->linked) != 0;
	if (linked)
		co_waitq_unlink(w->queue, w);
	co_waitq_unlock(w->queue);
	return linked;
}

/* Does anybody wait? The caller has made the condition true by a seq_cst write. */
static inline bool co_waitq_any(struct co_waitq *q)
{
	/* seq_cst: after the condition; pairs with co_waitq_enter(). */
	return co_atomic_load(&q->waiters, CO_SEQ_CST) != 0;
}

/*
 * Does anybody wait, of those whose entry the caller has acquired by other means (a mark in a
 * stamp)?
 */
static inline bool co_waitq_known(struct co_waitq *q)
{
	return co_atomic_load(&q->waiters, CO_RELAXED) != 0;
}

/* Take out the first one, which is w. */
static inline void co_waitq_shift(struct co_waitq *q, struct co_waiter *w)
{
	struct co_waiter *next = co_plain_load(&w->next);

	co_plain_store(&q->head, next);
	if (next)
		co_plain_store(&next->prev, NULL);
	else
		co_plain_store(&q->tail, NULL);
	co_plain_store(&w->linked, 0);
	/* relaxed: as in co_waitq_unlink(). */
	co_atomic_add(&q->waiters, (uint32_t)-1, CO_RELAXED);
}

/*
 * Take out the first waiter whose wait nobody has ended yet, and end it: the caller makes it ready.
 * Those found on the way have lost to the clock or a cancel: the next is meant.
 */
static inline struct co_waiter *co_waitq_pick(struct co_waitq *q)
{
	struct co_waiter *w;

	co_waitq_lock(q);
	while ((w = co_plain_load(&q->head))) {
		co_waitq_shift(q, w);
		if (co_token_take(w->token))
			break;
	}
	co_waitq_unlock(q);
	return w;
}

#endif
