/*
 * handoff.h - queues whose wake-ups hand something over: a coroutine wakes with the element, lock,
 * ... that it waited for.
 *
 * The object's own words are guarded by its queue's lock, held for a few instructions, so that
 * "nothing there: enter" and "a coroutine waits: give" are one step each. A waiter whose token the
 * clock or a cancel has taken is given nothing any more, and a waiter that was given something
 * cannot time out: nothing is given twice, or lost.
 */
#ifndef COHART_HANDOFF_H
#define COHART_HANDOFF_H

#include "../core/sched/wait_inline.h"

/*
 * Lock q and end the wait of the longest waiter *w, to give to it; *w NULL: none waits. *w stays
 * linked: co_handoff_pass() is next. False: another hart is at the list, or that wait has just
 * ended: q is not locked, go on by co_handoff_first().
 */
INLINE bool co_handoff_begin(struct co_waitq *q, struct co_waiter **w)
{
	if (!co_waitq_try_lock(q, w))
		return false;
	if (!*w || co_token_take((*w)->token))
		return true;
	co_waitq_unlock(q, co_waitq_unlink(*w, *w));
	return false;
}

/*
 * co_handoff_begin(), but always with success: it waits for the lock, and passes over waiters whose
 * waits have ended. Returns the waiter; NULL: none waits.
 */
struct co_waiter *co_handoff_first(struct co_waitq *q);

/* Unlock q, and wake w, its first, whose wait has been ended. The object is not accessed after. */
INLINE void co_handoff_pass(struct co_waitq *q, struct co_waiter *w)
{
	co_waitq_unlock(q, co_waitq_unlink(w, w));
	co_wake_inline(w);
}

/*
 * Unlock q, whose first waiter is `first`, and wake all, each once. The object is not accessed
 * after.
 */
INLINE void co_handoff_pass_all(struct co_waitq *q, struct co_waiter *first)
{
	if (first && co_plain_load(&first->next) == first && co_token_take(first->token))
		co_handoff_pass(q, first);
	else
		co_waitq_wake_all(q, first);
}

/*
 * Enter q, which the caller has locked, with `first` as its first waiter, and sleep.
 * @return 0: the caller was given something; -ETIMEDOUT, -ECANCELED: nothing, it has left the queue
 */
INLINE int co_handoff_enter(struct co_waitq *q, struct co_waiter *first, void *object,
			    const char *kind, uint64_t deadline)
{
	return co_wait_commit(co_wait_begin(co_executor.current, q, first, object, kind, false, 0),
			      deadline);
}

/* co_handoff_wait() for a queue that another hart is at. */
int co_handoff_wait_long(struct co_waitq *q, void *object, const char *kind,
			 bool (*take)(void *object), uint64_t deadline);

/*
 * Take something of the object now, or be given it.
 * @param take  with the lock held: true if there was something, and it is taken
 * @param kind  as for co_wait_prepare()
 * @return 0; -ETIMEDOUT, -ECANCELED: nothing was taken
 */
INLINE int co_handoff_wait(struct co_waitq *q, void *object, const char *kind,
			   bool (*take)(void *object), uint64_t deadline)
{
	struct co_waiter *first;

	if (!co_waitq_try_lock(q, &first))
		return co_handoff_wait_long(q, object, kind, take, deadline);
	if (!take(object))
		return co_handoff_enter(q, first, object, kind, deadline);
	co_waitq_unlock(q, first);
	return 0;
}

#endif
