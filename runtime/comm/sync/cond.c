/*
 * cond.c - a condition variable is a queue. A waiter enters it before it lets go of the mutex, so
 * that a signal finds it which comes after that.
 */
#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/sync.h>

#include "mutex.h"

int co_cond_wait_until(struct co_cond *c, struct co_mutex *m, uint64_t deadline)
{
	struct co_waiter *w;
	int r, again;

	CO_ASSERT_THAT(co_mutex_owner(m) == co_self() && co_self(), "the caller has the mutex");
	w = co_wait_prepare(&c->queue, c, "condition");
	co_mutex_unlock(m); /* which does not wait */
	r = co_wait_commit(w, deadline);
	again = co_mutex_lock_shielded(m);
	return again ? again : r;
}

int co_cond_wait(struct co_cond *c, struct co_mutex *m)
{
	return co_cond_wait_until(c, m, CO_FOREVER);
}

void co_cond_signal(struct co_cond *c)
{
	co_wake_one(&c->queue);
}

void co_cond_broadcast(struct co_cond *c)
{
	co_wake_all(&c->queue);
}
