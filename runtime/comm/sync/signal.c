/* signal.c - a count of sends that nobody has waited for, or a queue of waiters, never both. */
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

static void keep_sent(struct co_signal *s, uint32_t n)
{
	co_atomic_store(&s->kept, n, CO_RELAXED);
}

static bool take_kept(void *signal)
{
	struct co_signal *s = signal;
	uint32_t n = co_signal_count(s);

	if (n)
		keep_sent(s, n - 1);
	return n;
}

/* Give to w, or keep: as after co_handoff_begin(). */
INLINE void give_one(struct co_signal *s, struct co_waiter *w)
{
	uint32_t n = co_signal_count(s);

	if (w) {
		co_handoff_pass(&s->queue, w);
		return;
	}
	keep_sent(s, n + (n != UINT32_MAX));
	co_waitq_unlock(&s->queue, NULL);
	CO_ASSERT_THAT(n != UINT32_MAX,
		       "a signal keeps at most 2^32 - 2 that nobody has waited for");
}

static NOINLINE void give_first(struct co_signal *s)
{
	give_one(s, co_handoff_first(&s->queue));
}

void co_signal_send(struct co_signal *s)
{
	struct co_waiter *w;

	if (co_handoff_begin(&s->queue, &w))
		give_one(s, w);
	else
		give_first(s);
}

unsigned co_signal_broadcast(struct co_signal *s)
{
	return co_waitq_wake_all(&s->queue, co_wait_lock(&s->queue));
}

int co_signal_try_wait(struct co_signal *s)
{
	struct co_waiter *first = co_wait_lock(&s->queue);
	bool taken = take_kept(s);

	co_waitq_unlock(&s->queue, first);
	return taken ? 0 : -EAGAIN;
}

int co_signal_wait_until(struct co_signal *s, uint64_t deadline)
{
	return co_handoff_wait(&s->queue, s, "signal", take_kept, deadline);
}

int co_signal_wait(struct co_signal *s)
{
	return co_signal_wait_until(s, CO_FOREVER);
}

/* Enter each queue, and look. Returns 1: something is kept; 0; -ENOBUFS: there are no nodes. */
static int enter_all(struct co_wait_any *any, struct co_signal *const signals[], unsigned n)
{
	co_wait_any_begin(any, signals[0], "any of several signals");
	for (unsigned i = 0; i < n; i++) {
		if (!co_wait_any_enter(any, &signals[i]->queue))
			return -ENOBUFS;
		if (co_signal_count(signals[i]))
			return 1;
	}
	return 0;
}

int co_signal_wait_any_until(struct co_signal *const signals[], unsigned n, uint64_t deadline)
{
	struct co_wait_any any;
	int ready, r;

	CO_ASSERT_THAT(n && n <= CO_SIGNAL_ANY_MAX,
		       "1 to CO_SIGNAL_ANY_MAX signals are waited for at once");
	do {
		for (unsigned i = 0; i < n; i++) {
			if (co_signal_try_wait(signals[i]) == 0)
				return (int)i;
		}
		ready = enter_all(&any, signals, n);
		/* The result is the place of the signal that gave something. */
		r = co_wait_any_commit(&any, ready, deadline);
	} while (r == -EAGAIN && ready > 0);
	return r == -EAGAIN ? ready : r;
}

int co_signal_wait_any(struct co_signal *const signals[], unsigned n)
{
	return co_signal_wait_any_until(signals, n, CO_FOREVER);
}

unsigned co_signal_drop(struct co_signal *s)
{
	struct co_waiter *first = co_wait_lock(&s->queue);
	uint32_t n = co_signal_count(s);

	keep_sent(s, 0);
	co_waitq_unlock(&s->queue, first);
	return n;
}
