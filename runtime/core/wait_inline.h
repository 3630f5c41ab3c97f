/*
 * wait_inline.h - co_wait_prepare() and co_wait_commit() as inline functions, for objects whose
 * waits are counted to the instruction. wait.c has them as functions.
 */
#ifndef COHART_WAIT_INLINE_H
#define COHART_WAIT_INLINE_H

#include "park.h"

#define CO_WOKEN_WITH 1 /* result of a wait: the waker has written `value` */

/* The rare parts, called last, so that the fast paths save no registers. */
/* Lock q. Returns the first waiter, or NULL. */
struct co_waiter *co_wait_lock(struct co_waitq *q);
int co_wait_sleep_timed(struct co *c, uint64_t deadline);
int co_wait_refuse(struct co_waiter *w);

/* Begin a wait of c, as wakers and reports see it. */
static inline void co_wait_arm(struct co *c, const void *object, const char *kind)
{
	co_atomic_store(&c->waits_for, (uintptr_t)object, CO_RELAXED);
	co_atomic_store(&c->waits_kind, (uintptr_t)kind, CO_RELAXED);
	co_token_set(&c->token, CO_ARMED | CO_IN_PLACE);
}

/*
 * co_wait_prepare(), or _front(), for a caller that has locked q and has its first waiter. `place`:
 * CO_WAITER_TAKES if a waker may hand over a value, which is in the control block's `value` when
 * the wait ends with CO_WOKEN_WITH; or 0.
 */
static inline __attribute__((always_inline, nonnull(1))) struct co_waiter *
co_wait_begin(struct co_waitq *q, struct co_waiter *first, const void *object, const char *kind,
	      bool front, uint32_t place)
{
	struct co *c = co_executor.current;
	struct co_waiter *w;

	CO_ASSERT(c);
	co_wait_arm(c, object, kind);
	w = &c->waiter;
	w->queue = q;
	co_plain_store(&w->place, place);
	co_waitq_unlock(q, co_waitq_link(first, w, front));
	return w;
}

/* The same, for a queue that is not locked. */
INLINE struct co_waiter *co_wait_enter(struct co_waitq *q, const void *object, const char *kind,
				       bool front, uint32_t place)
{
	struct co_waiter *first;

	if (!co_waitq_try_lock(q, &first))
		first = co_wait_lock(q);
	return co_wait_begin(q, first, object, kind, front, place);
}

/* Sleep until the wait has ended. */
INLINE int co_wait_sleep_now(struct co *c, uint64_t deadline)
{
	co_event(CO_TRACE_WAIT, co_atomic_load(&c->waits_kind, CO_RELAXED));
	co_atomic_store(&c->since, co_since(hal_time_now()), CO_RELAXED); /* for reports */
	return deadline == CO_FOREVER ? co_park_now(&co_executor, c)
				      : co_wait_sleep_timed(c, deadline);
}

/* Wake the coroutine of w, whose token was taken. `result`: 0 or CO_WOKEN_WITH. Returns 0. */
INLINE int co_wake_with(struct co_waiter *w, int result)
{
	struct co *c = co_waiter_co(w);

	co_event(CO_TRACE_WAKE, c->hart);
	c->wait_result = result;
	if (result != CO_WOKEN_WITH)
		c->woken_by = w;
	return co_ready(c);
}

/* co_wait_commit(). */
INLINE int co_wait_finish(struct co_waiter *w, uint64_t deadline)
{
	struct co *c = co_container_of(w, struct co, waiter);

	/* relaxed: a cancel that is missed here arrives by a message and ends the sleep. */
	if (co_atomic_load(&c->cancel, CO_RELAXED))
		return co_wait_refuse(w);
	return co_wait_sleep_now(c, deadline);
}

#endif
