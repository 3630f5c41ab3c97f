/*
 * signal.c - a count of what was sent and not received, or a queue of those who wait, never both.
 */
#include <cohart/signal.h>

#include "handoff.h"

/*
 * relaxed, all of it: written under the lock; others look for reports, or are in the queue: then a
 * send that came before their entry is seen through the lock, and a later one sees them.
 */
static uint32_t kept(const struct co_signal *s)
{
	return co_atomic_load(&s->kept, CO_RELAXED);
}

static void keep(struct co_signal *s, uint32_t n)
{
	co_atomic_store(&s->kept, n, CO_RELAXED);
}

void co_signal_send(struct co_signal *s)
{
	struct co_waiter *w;
	bool full = false;

	co_waitq_lock(&s->queue);
	w = co_handoff_pick(&s->queue);
	if (!w) {
		full = kept(s) == UINT32_MAX;
		keep(s, kept(s) + !full);
	}
	co_waitq_unlock(&s->queue);
	CO_ASSERT(!full);
	if (w)
		co_wake(w);
}

unsigned co_signal_broadcast(struct co_signal *s)
{
	struct co_waiter *first = NULL, **end = &first;
	struct co_waiter *w;
	unsigned n = 0;

	/*
	 * All at one moment: those who are woken and wait again are not meant. A node whose token
	 * is taken is the taker's until its coroutine is woken.
	 */
	co_waitq_lock(&s->queue);
	while ((w = co_handoff_pick(&s->queue))) {
		*end = w;
		end = &w->next;
	}
	*end = NULL;
	co_waitq_unlock(&s->queue);
	for (w = first; w; n++) {
		struct co_waiter *next = w->next;

		co_wake(w);
		w = next;
	}
	return n;
}

int co_signal_try_wait(struct co_signal *s)
{
	uint32_t n;

	co_waitq_lock(&s->queue);
	n = kept(s);
	if (n)
		keep(s, n - 1);
	co_waitq_unlock(&s->queue);
	return n ? 0 : -EAGAIN;
}

static int wait_slow(struct co_signal *s, uint64_t deadline)
{
	struct co_waiter *w = co_wait_prepare(NULL, s, "signal");
	uint32_t n;

	co_waitq_lock(&s->queue);
	n = kept(s);
	if (!n) {
		co_handoff_enter(&s->queue, w);
		return co_handoff_sleep(w, deadline);
	}
	keep(s, n - 1);
	co_waitq_unlock(&s->queue);
	co_wait_withdraw(co_executor.current);
	return 0;
}

int co_signal_wait_until(struct co_signal *s, uint64_t deadline)
{
	return co_signal_try_wait(s) == 0 ? 0 : wait_slow(s, deadline);
}

int co_signal_wait(struct co_signal *s)
{
	return co_signal_wait_until(s, CO_FOREVER);
}

static bool any_kept(struct co_signal *const signals[], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (kept(signals[i]))
			return true;
	}
	return false;
}

/*
 * In all queues: sleep, or see what is kept.
 * @return the place that gave something; -EAGAIN: none has, look again; -ETIMEDOUT, -ECANCELED
 */
static int sleep_for_any(struct co_signal *const signals[], unsigned n, uint64_t deadline)
{
	struct co *c = co_executor.current;
	int r;

	if (any_kept(signals, n))
		r = co_wait_withdraw(c) ? 0 : -EAGAIN;
	else if (co_atomic_load(&c->cancel, CO_RELAXED)) /* relaxed: as in co_handoff_sleep() */
		r = co_wait_withdraw(c) ? 0 : -ECANCELED;
	else
		r = co_wait_sleep(c, deadline);
	return r ? r : (int)c->woken_by->place;
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
		r = sleep_for_any(signals, n, deadline);
		co_wait_any_leave(&any);
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
	uint32_t n;

	co_waitq_lock(&s->queue);
	n = kept(s);
	keep(s, 0);
	co_waitq_unlock(&s->queue);
	return n;
}

unsigned co_signal_count(const struct co_signal *s)
{
	return kept(s);
}
