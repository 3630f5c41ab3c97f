/* event.c - a flag: setting it releases all waiters, even if it is dropped at once. */
#include <cohart/sync.h>

#include "../handoff.h"

static bool is_set(void *event)
{
	struct co_event *e = event;

	/* acquire: the setter's work; pairs with co_event_set(). */
	return co_atomic_load(&e->set, CO_ACQUIRE);
}

/* The queue is locked, with `first`. */
INLINE void set_and_wake(struct co_event *e, struct co_waiter *first)
{
	/* release: the setter's work; pairs with is_set(). */
	co_atomic_store(&e->set, 1, CO_RELEASE);
	co_handoff_pass_all(&e->queue, first);
}

static NOINLINE void set_long(struct co_event *e)
{
	set_and_wake(e, co_wait_lock(&e->queue));
}

void co_event_set(struct co_event *e)
{
	struct co_waiter *first;

	/*
	 * An or with 0 is a load that also releases, so that a clear of the event after it sees
	 * this setter's work. release: pairs with co_event_clear().
	 */
	if (co_atomic_or(&e->set, 0, CO_RELEASE))
		return;
	if (co_waitq_try_lock(&e->queue, &first))
		set_and_wake(e, first);
	else
		set_long(e);
}

void co_event_clear(struct co_event *e)
{
	/* acquire: the work of setters that found it set; pairs with co_event_set()'s look. */
	co_atomic_swap(&e->set, 0, CO_ACQUIRE);
}

bool co_event_is_set(const struct co_event *e)
{
	return co_atomic_load(&e->set, CO_ACQUIRE);
}

int co_event_wait_until(struct co_event *e, uint64_t deadline)
{
	return is_set(e) ? 0 : co_handoff_wait(&e->queue, e, "event", is_set, deadline);
}

int co_event_wait(struct co_event *e)
{
	return co_event_wait_until(e, CO_FOREVER);
}
