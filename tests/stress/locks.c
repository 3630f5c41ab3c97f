/*
 * locks.c - workers that exclude each other, by a mutex or a tournament lock: one at a time is
 * inside, and as many times as they say. And signals: as many are received as were sent.
 */
#include "stress.h"

enum { CONTENDERS = 64, K = 3 };

static struct state {
	struct co_mutex mutex;
	struct co_tlock tlock;
	struct co_tlock_node nodes[CO_TLOCK_NODES(CONTENDERS, K)];
	bool by_tlock;
	unsigned workers;
	unsigned each;
	struct co_a32 inside;
	uint32_t entries; /* plain: the lock guards it */
	uint32_t order;
	struct co_signal signal;
} states[STRESS_EXCHANGES];

static int enter(struct stress_worker *w, struct state *s)
{
	unsigned way = stress_failed() ? 0 : test_below(&w->random, 4);
	uint64_t deadline = way == 1 ? co_after_us(test_below(&w->random, 50)) : CO_FOREVER;

	if (s->by_tlock)
		return co_tlock_lock_until(&s->tlock, w->number, deadline);
	if (way == 2)
		return co_mutex_try_lock(&s->mutex);
	return co_mutex_lock_until(&s->mutex, deadline);
}

static void leave(struct stress_worker *w, struct state *s)
{
	if (s->by_tlock)
		co_tlock_unlock(&s->tlock, w->number);
	else
		co_mutex_unlock(&s->mutex);
}

static intptr_t contender(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	uint32_t entered = 0;
	int r = 0;

	while (entered < s->each) {
		r = enter(w, s);
		if (r == 0) {
			/* relaxed, both: the lock orders them. */
			if (co_atomic_add(&s->inside, 1, CO_RELAXED))
				stress_fail("two are inside");
			s->entries++;
			s->order = (s->order ^ w->number) * 0x01000193u;
			stress_pause(w);
			co_atomic_add(&s->inside, (uint32_t)-1, CO_RELAXED);
			leave(w, s);
			entered++;
		}
		if (!stress_again(r))
			break;
		stress_pause(w);
	}
	stress_ended("lock", r);
	co_atomic_add(&w->exchange->ledger.received, entered, CO_RELAXED);
	return 0;
}

void stress_lock(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	struct stress_worker *all;
	unsigned most = l->workers_max < CONTENDERS ? l->workers_max : CONTENDERS;
	unsigned quitters = test_below(&l->random, 3) ? 0 : 2;

	memset(s, 0, sizeof(*s));
	s->by_tlock = test_below(&l->random, 3) == 0;
	s->workers = stress_size(&l->random, most);
	s->each = l->messages / s->workers / 2 + 1;
	stress_plan(l, "%s, %u contenders of %u, %u cancels",
		    s->by_tlock ? "tournament lock" : "mutex", s->workers, s->each, quitters);
	if (s->by_tlock && co_tlock_init(&s->tlock, s->workers, K, s->nodes)) {
		stress_fail("co_tlock_init() failed");
		return;
	}
	all = stress_start(l, "contender", contender, s->workers);
	stress_cancel(l, all, s->workers, quitters);
	stress_join(all, s->workers);
	STRESS_CHECK(s->entries == co_atomic_load(&l->ledger.received, CO_RELAXED));
	co_atomic_store(&l->ledger.order, s->order, CO_RELAXED);
}

static intptr_t signaller(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];

	for (unsigned i = 0; i < s->each; i++) {
		co_signal_send(&s->signal);
		stress_pause(w);
	}
	return 0;
}

static int receive_signal(struct stress_worker *w, struct state *s)
{
	struct co_signal *const twice[] = { &s->signal, &s->signal };
	int r;

	switch (stress_failed() ? 0 : test_below(&w->random, 4)) {
	case 0:
		return co_signal_wait(&s->signal);
	case 1:
		return co_signal_wait_until(&s->signal, co_after_us(test_below(&w->random, 50)));
	case 2:
		return co_signal_try_wait(&s->signal);
	default:
		r = co_signal_wait_any(twice, 2);
		return r < 0 ? r : 0;
	}
}

/* Until it is cancelled. */
static intptr_t listener(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	int r;

	do {
		r = receive_signal(w, s);
		if (r == 0)
			co_atomic_add(&w->exchange->ledger.received, 1, CO_RELAXED);
		stress_pause(w);
	} while (stress_again(r));
	stress_ended("wait for a signal", r);
	return 0;
}

void stress_signal(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	unsigned side = l->workers_max / 2;
	unsigned senders = stress_size(&l->random, side < CONTENDERS ? side : CONTENDERS);
	unsigned listeners = stress_size(&l->random, side < CONTENDERS ? side : CONTENDERS);
	struct stress_worker *all;

	memset(s, 0, sizeof(*s));
	s->each = l->messages / senders + 1;
	stress_plan(l, "signals, %u senders of %u, %u listeners", senders, s->each, listeners);
	all = stress_start(l, "listener", listener, listeners);
	stress_join(stress_start(l, "signaller", signaller, senders), senders);
	/* Some are cancelled while signals are still under way. */
	for (unsigned i = 0; i < listeners; i++) {
		co_cancel(all[i].co);
		stress_join(&all[i], 1);
	}
	STRESS_CHECK(co_atomic_load(&l->ledger.received, CO_RELAXED) +
			     co_signal_count(&s->signal) ==
		     senders * s->each);
}
