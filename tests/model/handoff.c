/*
 * handoff.c - the model of mutexes, signals and events: what is handed on reaches one waiter, also
 * if others give up at that moment; what its giver wrote is seen; no wake-up is lost.
 */
/* Sources: scheduler comm/sync/mutex.c comm/sync/signal.c comm/sync/event.c comm/handoff.c */
#include <cohart/sync.h>

#include "relacy/machine.h"

static struct co_mutex mutex;
static struct co_signal signal[2];
static struct co_event event;
static int inside;              /* what the mutex guards */
static int work[MODEL_THREADS]; /* what a giver wrote */
static struct co_a32 received;

static void reset(unsigned threads)
{
	machine_reset(threads);
	memset(&mutex, 0, sizeof(mutex));
	memset(signal, 0, sizeof(signal));
	memset(&event, 0, sizeof(event));
	memset(work, 0, sizeof(work));
	memset(&received, 0, sizeof(received));
	inside = 0;
}

static void locked(void)
{
	MODEL_CHECK(co_mutex_owner(&mutex) == co_self());
	co_plain_store(&inside, co_plain_load(&inside) + 1);
	co_mutex_unlock(&mutex);
}

static void contend(unsigned i)
{
	MODEL_CHECK(co_mutex_lock(&mutex) == 0);
	locked();
}

static void free_again(void)
{
	MODEL_CHECK(!co_mutex_owner(&mutex));
	MODEL_CHECK(!co_waitq_known(&mutex.queue));
}

/* The last one gives up at its deadline, or is handed the mutex just then. */
static void contend_in_haste(unsigned i)
{
	int r;

	if (i < 2) {
		MODEL_CHECK(co_mutex_lock(&mutex) == 0);
		locked();
		return;
	}
	machine_hasten();
	r = co_mutex_lock_until(&mutex, MACHINE_DEADLINE);
	MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
	if (r == 0)
		locked();
	else
		MODEL_CHECK(co_mutex_owner(&mutex) != co_self());
}

static void contend_cancelled(unsigned i)
{
	int r;

	if (i == 1)
		co_cancel(machine_co(0));
	r = co_mutex_lock(&mutex);
	MODEL_CHECK(r == 0 || (i == 0 && r == -ECANCELED));
	if (r == 0)
		locked();
}

/* The last one to lock may give the memory to another use. */
static struct co_a32 users;

static void reset_users(unsigned threads)
{
	reset(threads);
	memset(&users, 0, sizeof(users));
}

static void last_one_frees(unsigned i)
{
	bool last;

	MODEL_CHECK(co_mutex_lock(&mutex) == 0);
	last = co_atomic_add(&users, 1, CO_RELAXED) == 1;
	locked();
	if (last)
		model_retire(&mutex, sizeof(mutex));
}

static void send(unsigned i, unsigned which)
{
	co_plain_store(&work[i], 42);
	co_signal_send(&signal[which]);
}

/* 0 receives what 1 and 2 send. */
static void receive_two(unsigned i)
{
	if (i) {
		send(i, 0);
		return;
	}
	MODEL_CHECK(co_signal_wait(&signal[0]) == 0);
	MODEL_CHECK(co_signal_wait(&signal[0]) == 0);
	MODEL_CHECK(co_plain_load(&work[1]) == 42 && co_plain_load(&work[2]) == 42);
	MODEL_CHECK(co_signal_count(&signal[0]) == 0);
}

/* 0 may give up: then it is 1's, or kept. */
static void receive_in_haste(unsigned i)
{
	int r;

	if (i == 2) {
		send(i, 0);
		send(i, 0);
		return;
	}
	if (i == 0)
		machine_hasten();
	r = co_signal_wait_until(&signal[0], i ? CO_FOREVER : MACHINE_DEADLINE);
	MODEL_CHECK(r == 0 || (i == 0 && r == -ETIMEDOUT));
	if (r == 0)
		co_atomic_add(&received, 1, CO_RELAXED);
}

static void two_in_all(void)
{
	MODEL_CHECK(received.v + signal[0].kept.v + signal[1].kept.v == 2);
	MODEL_CHECK(!co_waitq_known(&signal[0].queue) && !co_waitq_known(&signal[1].queue));
}

/* 0 waits for either; two senders, one each. */
static void receive_any(unsigned i)
{
	struct co_signal *const either[] = { &signal[0], &signal[1] };

	if (i) {
		send(i, i - 1);
		return;
	}
	for (unsigned n = 0; n < 2; n++) {
		int r = co_signal_wait_any(either, 2);

		MODEL_CHECK(r == 0 || r == 1);
		MODEL_CHECK(co_plain_load(&work[r + 1]) == 42);
		co_atomic_add(&received, 1, CO_RELAXED);
	}
}

static void receive_any_in_haste(unsigned i)
{
	struct co_signal *const either[] = { &signal[0], &signal[1] };
	int r;

	if (i) {
		send(i, i - 1);
		return;
	}
	machine_hasten();
	r = co_signal_wait_any_until(either, 2, MACHINE_DEADLINE);
	MODEL_CHECK(r == 0 || r == 1 || r == -ETIMEDOUT);
	if (r >= 0)
		co_atomic_add(&received, 1, CO_RELAXED);
}

/* One waits for either, one for the second; a broadcast of it reaches those who wait, once each. */
static void broadcast(unsigned i)
{
	struct co_signal *const either[] = { &signal[0], &signal[1] };

	if (i == 0) {
		MODEL_CHECK(co_signal_wait_any(either, 2) >= 0);
	} else if (i == 1) {
		MODEL_CHECK(co_signal_wait(&signal[1]) == 0);
	} else {
		unsigned n = co_signal_broadcast(&signal[1]);

		MODEL_CHECK(n <= 2);
		for (; n < 2; n++)
			co_signal_send(&signal[1]);
	}
}

/* Those who wait when it is set go on, though it is dropped at once; a later one might not. */
static void set_and_wait(unsigned i)
{
	if (i == 0) {
		co_plain_store(&work[0], 42);
		co_event_set(&event);
	} else {
		MODEL_CHECK(co_event_wait(&event) == 0);
		MODEL_CHECK(co_plain_load(&work[0]) == 42);
	}
}

/* Who only looks, and finds it set, sees what was written before. */
static void set_and_look(unsigned i)
{
	if (i == 0) {
		co_plain_store(&work[0], 42);
		co_event_set(&event);
	} else if (co_event_is_set(&event)) {
		MODEL_CHECK(co_plain_load(&work[0]) == 42);
	}
}

/*
 * It is set from before. One brings work and sets it; the other drops it, then looks for work: it
 * sees it, or the event is set again.
 */
static struct co_a32 brought, seen;

static void reset_set(unsigned threads)
{
	reset(threads);
	memset(&brought, 0, sizeof(brought));
	memset(&seen, 0, sizeof(seen));
	event.set.v = 1;
}

static void bring_and_drop(unsigned i)
{
	/* relaxed, all: the event orders them. */
	if (i == 0) {
		co_atomic_store(&brought, 1, CO_RELAXED);
		co_event_set(&event);
	} else {
		co_event_clear(&event);
		co_atomic_store(&seen, co_atomic_load(&brought, CO_RELAXED), CO_RELAXED);
	}
}

static void seen_or_set(void)
{
	MODEL_CHECK(seen.v || event.set.v);
}

static void set_and_drop(unsigned i)
{
	int r;

	if (i == 0) {
		co_plain_store(&work[0], 42);
		co_event_set(&event);
		co_event_clear(&event);
		return;
	}
	machine_hasten();
	r = co_event_wait_until(&event, MACHINE_DEADLINE);
	MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
	if (r == 0)
		MODEL_CHECK(co_plain_load(&work[0]) == 42);
}

const struct model models[] = {
	{ "mutex, two", 2, reset, contend, free_again, .bound = 3 },
	{ "mutex, three", 3, reset, contend, free_again, .bound = 1 },
	{ "mutex, a deadline", 3, reset, contend_in_haste, free_again, .bound = 1 },
	{ "mutex, a cancel", 2, reset, contend_cancelled, free_again, .bound = 2 },
	{ "mutex, freed by the last", 2, reset_users, last_one_frees, .bound = 2 },
	{ "signal, two senders", 3, reset, receive_two, .bound = 2 },
	{ "signal, a deadline", 3, reset, receive_in_haste, two_in_all, .bound = 1 },
	{ "signal, either", 3, reset, receive_any, two_in_all, .bound = 1 },
	{ "signal, either, a deadline", 3, reset, receive_any_in_haste, two_in_all, .bound = 1 },
	{ "signal, a broadcast", 3, reset, broadcast, .bound = 1 },
	{ "event, two waiters", 3, reset, set_and_wait, .bound = 2 },
	{ "event, a look", 2, reset, set_and_look, .bound = 2 },
	{ "event, dropped before a look", 2, reset_set, bring_and_drop, seen_or_set, .bound = 3 },
	{ "event, dropped at once", 2, reset, set_and_drop, .bound = 3 },
	{ 0 },
};
