/*
 * mutex.c - an owner, and a queue it is handed along.
 */
#include <cohart/mutex.h>

#include "handoff.h"

_Static_assert(offsetof(struct co_mutex, owner) == 0, "reports look for the owner there");

/* relaxed, both: written under the lock; others look for reports, or for themselves. */
static struct co *owner_of(const struct co_mutex *m)
{
	return (struct co *)co_atomic_load(&m->owner, CO_RELAXED);
}

static void set_owner(struct co_mutex *m, const struct co *c)
{
	co_atomic_store(&m->owner, (uintptr_t)c, CO_RELAXED);
}

bool co_mutex_try_lock(struct co_mutex *m)
{
	struct co *self = co_executor.current;
	bool is_free;

	CO_ASSERT(self);
	co_waitq_lock(&m->queue);
	is_free = !owner_of(m);
	if (is_free)
		set_owner(m, self);
	co_waitq_unlock(&m->queue);
	return is_free;
}

static int lock_slow(struct co_mutex *m, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_waiter *w;

	if (owner_of(m) == self)
		return -EDEADLK;
	w = co_wait_prepare(NULL, m, co_wait_mutex);
	co_waitq_lock(&m->queue);
	if (owner_of(m)) {
		co_handoff_enter(&m->queue, w);
		return co_handoff_sleep(w, deadline);
	}
	set_owner(m, self);
	co_waitq_unlock(&m->queue);
	co_wait_withdraw(self);
	return 0;
}

int co_mutex_lock_until(struct co_mutex *m, uint64_t deadline)
{
	return co_mutex_try_lock(m) ? 0 : lock_slow(m, deadline);
}

int co_mutex_lock(struct co_mutex *m)
{
	return co_mutex_lock_until(m, CO_FOREVER);
}

void co_mutex_unlock(struct co_mutex *m)
{
	struct co_waiter *w;

	CO_ASSERT(co_self() && owner_of(m) == co_self());
	co_waitq_lock(&m->queue);
	w = co_handoff_pick(&m->queue);
	set_owner(m, w ? co_waiter_co(w) : NULL);
	co_waitq_unlock(&m->queue);
	if (w)
		co_wake(w);
}

struct co *co_mutex_owner(const struct co_mutex *m)
{
	return owner_of(m);
}
