/* signal.c - a count of what was sent and not received, or a queue of waiters, never both. */
#include <cohart/sync.h>

#include "../handoff.h"

/*
 * relaxed, both: written under the lock. Others read it for reports, or are in the queue: then a
 * send before their entry is seen through the lock, and a later one sees them.
 */
unsigned co_signal_count(const struct co_signal *s)
{
	return co_atomic_load(&s->kept, CO_RELAXED);
}

static void keep(struct co_signal *s, uint32_t n)
{
	co_atomic_store(&s->kept, n, CO_RELAXED);
}

static bool take_kept(void *signal)
{
	struct co_signal *s = signal;
	uint32_t n = co_signal_count(s);

	if (n)
		keep(s, n - 1);
	return n;
}

void co_signal_send(struct co_signal *s)
{
	struct co_handoff h = co_handoff_lock(&s->queue);
	struct co_waiter *w = co_handoff_pick(&h);
	bool full = !w && co_signal_count(s) == UINT32_MAX;

	if (!w && !full)
		keep(s, co_signal_count(s) + 1);
	co_handoff_give(&h, w);
	CO_ASSERT(!full);
}

unsigned co_signal_broadcast(struct co_signal *s)
{
	struct co_handoff h = co_handoff_lock(&s->queue);

	return co_handoff_give_all(&h);
}

int co_signal_try_wait(struct co_signal *s)
{
	struct co_handoff h = co_handoff_lock(&s->queue);
	bool taken = take_kept(s);

	co_handoff_unlock(&h);
	return taken ? 0 : -EAGAIN;
}

int co_signal_wait_until(struct co_signal *s, uint64_t deadline)
{
	if (co_signal_try_wait(s) == 0)
		return 0;
	return co_handoff_wait(&s->queue, s, "signal", take_kept, deadline);
}

int co_signal_wait(struct co_signal *s)
{
	return co_signal_wait_until(s, CO_FOREVER);
}

static bool any_kept(struct co_signal *const signals[], unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n && !any; i++)
		any = co_signal_count(signals[i]);
	return any;
}

int co_signal_wait_any_until(struct co_signal *const signals[], unsigned n, uint64_t deadline)
{
	struct co_waitq *queues[CO_SIGNAL_ANY_MAX];
	struct co_wait_any any;
	int r;

	CO_ASSERT(n && n <= CO_SIGNAL_ANY_MAX);
	for (unsigned i = 0; i < n; i++)
		queues[i] = &signals[i]->queue;
	for (;;) {
		for (unsigned i = 0; i < n; i++) {
			if (co_signal_try_wait(signals[i]) == 0)
				return (int)i;
		}
		r = co_wait_any_prepare(&any, queues, n, signals[0], "any of several signals");
		if (r)
			return r;
		/* The place is that of the one that gave something. */
		r = co_wait_any_commit(&any, any_kept(signals, n), deadline);
		if (r != -EAGAIN)
			return r;
	}
}

int co_signal_wait_any(struct co_signal *const signals[], unsigned n)
{
	return co_signal_wait_any_until(signals, n, CO_FOREVER);
}

unsigned co_signal_drop(struct co_signal *s)
{
	struct co_handoff h = co_handoff_lock(&s->queue);
	uint32_t n = co_signal_count(s);

	keep(s, 0);
	co_handoff_unlock(&h);
	return n;
}
