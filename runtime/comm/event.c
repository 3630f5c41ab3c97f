/*
 * event.c - a flag, and a count of how often it was set, so that a drop does not hold back those
 * who waited before it.
 */
#include <cohart/event.h>

#include "../core/core.h"

#define SET 1u

void co_event_set(struct co_event *e)
{
	uint32_t state;

	/*
	 * An or of nothing: a look that also releases, so that who drops the event after it sees
	 * this setter's work. release: pairs with co_event_drop().
	 */
	if (co_atomic_or(&e->state, 0, CO_RELEASE) & SET)
		return;
	co_waitq_lock(&e->queue);
	/* relaxed: written under the lock alone. */
	state = co_atomic_load(&e->state, CO_RELAXED);
	/*
	 * release: the setter's work; pairs with co_event_is_set(). The lock puts it before the
	 * look for waiters: who is in the queue later sees it.
	 */
	if (!(state & SET))
		co_atomic_store(&e->state, state + 2 + SET, CO_RELEASE);
	co_waitq_unlock(&e->queue);
	co_wake_all(&e->queue);
}

void co_event_drop(struct co_event *e)
{
	co_waitq_lock(&e->queue);
	/* acquire: the work of those who found it set; pairs with co_event_set()'s look. */
	co_atomic_and(&e->state, ~SET, CO_ACQUIRE);
	co_waitq_unlock(&e->queue);
}

bool co_event_is_set(const struct co_event *e)
{
	return co_atomic_load(&e->state, CO_ACQUIRE) & SET;
}

/* Set now, or since `start` was read? */
static bool released(const struct co_event *e, uint32_t start)
{
	/* acquire: pairs with co_event_set(). */
	uint32_t state = co_atomic_load(&e->state, CO_ACQUIRE);

	return (state & SET) || (state ^ start) & ~SET;
}

int co_event_wait_until(struct co_event *e, uint64_t deadline)
{
	/* acquire: pairs with co_event_set(). */
	uint32_t start = co_atomic_load(&e->state, CO_ACQUIRE);

	if (start & SET)
		return 0;
	do {
		struct co_waiter *w = co_wait_prepare(&e->queue, e, "event");
		int r = released(e, start) ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (r && !released(e, start))
			return r;
	} while (!released(e, start));
	return 0;
}

int co_event_wait(struct co_event *e)
{
	return co_event_wait_until(e, CO_FOREVER);
}
