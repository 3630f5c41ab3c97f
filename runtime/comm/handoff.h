/*
 * handoff.h - queues whose wake-ups are gifts, not hints: who is woken has what it waited for.
 *
 * The object's own words are guarded by its queue's lock, held for a few instructions, so that
 * "nothing there: enter" and "somebody waits: give" are one step each. A waiter whose token the
 * clock or a cancel has taken cannot be given anything any more, and one that was given something
 * cannot time out: nothing is given twice, or lost.
 */
#ifndef COHART_HANDOFF_H
#define COHART_HANDOFF_H

#include <errno.h>

#include "../core/core.h"

/*
 * The one to give to, whose wait has ended now: the giver calls co_wake() after it has let go of
 * the lock. NULL: nobody waits. The lock is held.
 */
static inline struct co_waiter *co_handoff_pick(struct co_waitq *q)
{
	struct co_waiter *w;

	while ((w = q->head)) {
		co_waitq_unlink(q, w);
		if (co_token_take(w->token))
			break;
	}
	return w;
}

/*
 * Enter as the last one. w is fresh from co_wait_prepare(NULL, ...). The lock is held, and let go
 * of.
 */
static inline void co_handoff_enter(struct co_waitq *q, struct co_waiter *w)
{
	w->queue = q;
	co_waitq_link(q, w, false);
	/* relaxed: givers look at the list, under the lock. */
	co_atomic_add(&q->waiters, 1, CO_RELAXED);
	co_waitq_unlock(q);
}

/*
 * Sleep until given something: 0. Or -ETIMEDOUT, -ECANCELED: nothing was given, the queue is left.
 */
static inline int co_handoff_sleep(struct co_waiter *w, uint64_t deadline)
{
	struct co *c = co_executor.current;
	int r = -ECANCELED;

	/* relaxed: a cancel that is missed here comes by message while this coroutine sleeps. */
	if (!co_atomic_load(&c->cancel, CO_RELAXED))
		r = co_wait_sleep(c, deadline);
	else if (co_wait_withdraw(c))
		r = 0;
	if (r)
		co_waitq_leave(w);
	return r;
}

#endif
