/* worker.c - the coroutines of an exchange, and the list of kinds. */
#include "stress.h"

const struct stress_kind stress_kinds[] = {
	{ "channel", stress_channel },   { "mail", stress_mail }, { "link", stress_link },
	{ "barrier", stress_barrier },   { "lock", stress_lock }, { "signal", stress_signal },
	{ "children", stress_children },
};
const unsigned stress_kinds_count = sizeof(stress_kinds) / sizeof(*stress_kinds);

/* Some live on all harts, some on a few, where they meet often. */
static unsigned choose_hart(struct stress_exchange *l)
{
	unsigned first = l->sliced ? 1 : 0;

	return first + test_below(&l->random, co_harts() - first);
}

static void start(struct stress_exchange *l, const char *name, co_fn *fn, unsigned number)
{
	struct stress_worker *w = &l->worker[l->workers];
	unsigned hart = choose_hart(l);

	CO_ASSERT(l->workers < STRESS_WORKERS);
	*w = (struct stress_worker){ .exchange = l,
				     .number = number,
				     .random = { test_next(&l->random) },
				     .temper = test_below(&l->random, 4) };
	/* A hart may have no room: that of its neighbour will do. */
	for (unsigned i = 0; i < co_harts(); i++) {
		const struct co_attr attr = { .name = name,
					      .on = CO_ON_HART((hart + i) % co_harts()) };
		int r = co_spawn(&w->co, &attr, fn, w);

		if (r == 0) {
			l->workers++;
			return;
		}
		if (r != -EAGAIN)
			stress_fail("co_spawn() returned %d", r);
	}
	co_panic("no hart has room for '%s' %u", name, number);
}

struct stress_worker *stress_start(struct stress_exchange *l, const char *name, co_fn *fn,
				   unsigned n)
{
	struct stress_worker *first = &l->worker[l->workers];

	for (unsigned i = 0; i < n; i++)
		start(l, name, fn, i);
	return first;
}

void stress_cancel(struct stress_exchange *l, struct stress_worker *first, unsigned n,
		   unsigned quitters)
{
	for (unsigned i = 0; i < quitters; i++) {
		(void)!co_sleep_us(stress_size(&l->random, 10000));
		co_cancel(first[test_below(&l->random, n)].co);
	}
}

void stress_join(struct stress_worker *first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int r = co_join(first[i].co, NULL);

		if (r)
			stress_fail("co_join() returned %d", r);
	}
}

bool stress_again(int r)
{
	/* Not just a pause: a hart that spins keeps the others from running under --icount. */
	if (r == -EAGAIN)
		(void)!co_sleep_us(2);
	if (r == -EAGAIN || r == -ETIMEDOUT)
		return !co_canceled();
	return r >= 0;
}

void stress_ended(const char *call, int r)
{
	if (r < 0 && r != -EAGAIN && r != -ETIMEDOUT && r != -ECANCELED)
		stress_fail("a %s returned %d", call, r);
}

uint64_t stress_deadline(struct stress_worker *w)
{
	return stress_failed() || test_below(&w->random, 2)
		       ? CO_FOREVER
		       : co_after_us(test_below(&w->random, 50));
}

unsigned stress_each(const struct stress_exchange *l, unsigned senders)
{
	unsigned each = l->messages / senders + 1;

	return each < STRESS_EACH ? each : STRESS_EACH;
}

void stress_pause(struct stress_worker *w)
{
	unsigned chance = test_below(&w->random, 64);

	/* 0: never; 1: pauses; 2: sleeps; 3: both, often. */
	if (w->temper == 3 ? chance < 16 : w->temper == 1 && chance < 4)
		co_pause();
	else if (w->temper == 3 ? chance < 24 : w->temper == 2 && chance < 2)
		(void)!co_sleep_us(test_below(&w->random, 30));
}
