/*
 * handoff.h - queues whose wake-ups hand something over: a coroutine that is woken has what it
 * waited for.
 *
 * The object's own words are guarded by its queue's lock, held for a few instructions, so that
 * "nothing there: enter" and "a coroutine waits: give" are one step each. A waiter whose token the
 * clock or a cancel has taken is given nothing any more, and one that was given something cannot
 * time out: nothing is given twice, or lost.
 */
#ifndef COHART_HANDOFF_H
#define COHART_HANDOFF_H

#include "../core/core.h"

/* A queue whose lock the caller holds. */
struct co_handoff {
	struct co_waitq *queue;
	struct co_waiter *first; /* the longest waiter, whose wait may have ended; NULL: none */
};

/* Out of line: inline, its loop would cost each caller registers. */
static __attribute__((noinline, unused)) struct co_waiter *co_handoff_spin(struct co_waitq *q)
{
	return co_waitq_lock(q);
}

static inline struct co_handoff co_handoff_lock(struct co_waitq *q)
{
	struct co_handoff h = { .queue = q };

	if (!co_waitq_try_lock(q, &h.first))
		h.first = co_handoff_spin(q);
	return h;
}

static inline void co_handoff_unlock(struct co_handoff *h)
{
	co_waitq_unlock(h->queue, h->first);
}

/* Take the longest waiter out and end its wait. False: its wait had ended, so it gets nothing. */
static inline bool co_handoff_take_first(struct co_handoff *h)
{
	struct co_waiter *w = h->first;

	h->first = co_waitq_unlink(w, w);
	return co_token_take(w->token);
}

/* Take out the longest waiter whose wait has not ended, to give to it. NULL: there is none. */
static inline struct co_waiter *co_handoff_pick(struct co_handoff *h)
{
	return co_waitq_pick_locked(&h->first);
}

/* Unlock, and wake w, unless it is NULL. The object is not accessed after that. */
static inline void co_handoff_give(struct co_handoff *h, struct co_waiter *w)
{
	co_handoff_unlock(h);
	if (w)
		co_wake(w);
}

/* Unlock, and wake all that wait now, each once. Returns how many that were. */
static inline unsigned co_handoff_give_all(struct co_handoff *h)
{
	return co_waitq_wake_all(h->queue, h->first);
}

/* Sleep. 0: the caller was given something; -ETIMEDOUT, -ECANCELED: nothing, it left the queue. */
static inline int co_handoff_sleep(uint64_t deadline)
{
	struct co *c = co_executor.current;

	/* relaxed: a cancel that is missed here arrives by a message and ends the sleep. */
	if (co_atomic_load(&c->cancel, CO_RELAXED))
		return co_wait_withdraw(c) ? 0 : -ECANCELED;
	return co_wait_sleep(c, deadline);
}

/*
 * Take something of the object now, or be given it.
 * @param take  with the lock held: true if there was something, and it is taken
 * @param kind  as for co_wait_prepare()
 * @return 0; -ETIMEDOUT, -ECANCELED: nothing was taken
 */
static inline int co_handoff_wait(struct co_waitq *q, void *object, const char *kind,
				  bool (*take)(void *object), uint64_t deadline)
{
	struct co_waiter *w = co_wait_prepare(NULL, object, kind);
	struct co_handoff h = co_handoff_lock(q);
	int r;

	if (take(object)) {
		co_handoff_unlock(&h);
		co_wait_withdraw(co_executor.current);
		return 0;
	}
	w->queue = q;
	co_waitq_unlock(q, co_waitq_link(h.first, w, false));
	r = co_handoff_sleep(deadline);
	if (r)
		co_waitq_leave(w);
	return r;
}

#endif
