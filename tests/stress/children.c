/*
 * children.c - a batch whose children have records: several take those that end, by any call, and
 * each begins another one in its place, until there have been enough. Each end is given once, with
 * all that the child wrote.
 */
#include "stress.h"

enum { CHILDREN = 48, TAKERS = 6 };

static struct state {
	struct co_batch batch;
	struct co_child record[CHILDREN];
	struct child {
		struct stress_worker self; /* not one of the exchange's: its random numbers */
		uint32_t runs;             /* plain: its end hands it on with the record */
	} child[CHILDREN];
	struct co_a32 begun;
	uint32_t most; /* to begin */
} states[STRESS_EXCHANGES];

static intptr_t run(void *arg)
{
	struct child *c = arg;

	stress_pause(&c->self);
	return (intptr_t)++c->runs;
}

/* Begin child i, on a hart that has room: it has left some where it was. */
static int begin(struct stress_exchange *l, struct state *s, unsigned i, struct test_random *r)
{
	unsigned first = l->sliced ? 1 : 0;
	unsigned hart = first + test_below(r, co_harts() - first);
	int error = -ENOBUFS;

	for (unsigned n = 0; n < co_harts() && error == -ENOBUFS; n++) {
		const struct co_attr attr = { .on = CO_ON_HART((hart + n) % co_harts()) };

		error = co_batch_spawn_child(&s->batch, &attr, run, &s->child[i], &s->record[i]);
	}
	if (error)
		stress_fail("co_batch_spawn_child() returned %d", error);
	return error;
}

/* One that was given: it has ended as it should, and its number is the caller's. */
static unsigned check(struct stress_exchange *l, struct state *s, const struct co_child *one)
{
	unsigned i = (unsigned)(one - s->record);

	STRESS_CHECK(one->status == 0 && one->result == (intptr_t)s->child[i].runs);
	co_atomic_add(&l->ledger.received, 1, CO_RELAXED);
	return i;
}

static int take(struct stress_worker *w, struct state *s, struct co_child **one)
{
	CO_CHANNEL(nobody, int, 1);
	int none;
	struct co_case cases[] = { CO_CASE_RECV(&nobody, &none), co_case_batch(&s->batch, one) };
	int r;

	switch (stress_failed() ? 0 : test_below(&w->random, 4)) {
	case 0:
		return co_batch_join_any(&s->batch, one);
	case 1:
		return co_batch_join_any_until(&s->batch, one, stress_deadline(w));
	case 2:
		return co_batch_try_join_any(&s->batch, one);
	default:
		r = co_select_until(cases, 2, stress_deadline(w));
		return r < 0 ? r : cases[1].result;
	}
}

static intptr_t taker(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	struct co_child *one;
	uint32_t order = w->number + 1;
	int r;

	do {
		r = take(w, s, &one);
		if (r == 0) {
			unsigned i = check(w->exchange, s, one);

			order = (order ^ i) * 0x01000193u;
			/* relaxed: a count alone. */
			if (co_atomic_add(&s->begun, 1, CO_RELAXED) < s->most)
				(void)!begin(w->exchange, s, i, &w->random);
		}
		stress_pause(w);
	} while (stress_again(r));
	if (r != -ECHILD)
		stress_ended("wait for a child", r);
	co_atomic_add(&w->exchange->ledger.order, order, CO_RELAXED);
	return 0;
}

void stress_children(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	unsigned takers = stress_size(&l->random, TAKERS);
	unsigned left = l->workers_max > takers ? l->workers_max - takers : 1;
	unsigned children = stress_size(&l->random, left < CHILDREN ? left : CHILDREN);
	unsigned quitters = test_below(&l->random, 3) ? 0 : test_below(&l->random, takers + 1);
	uint32_t begun;
	struct stress_worker *first;
	struct co_child *one;

	memset(s, 0, sizeof(*s));
	s->most = children + l->messages / 8;
	stress_plan(l, "children, %u at a time of %u, %u who take them, %u cancels", children,
		    (unsigned)s->most, takers, quitters);
	co_atomic_store(&s->begun, children, CO_RELAXED);
	for (unsigned i = 0; i < children; i++) {
		s->child[i].self = (struct stress_worker){ .random = { test_next(&l->random) },
							   .temper = test_below(&l->random, 4) };
		if (begin(l, s, i, &l->random))
			return;
	}
	first = stress_start(l, "taker", taker, takers);
	stress_cancel(l, first, takers, quitters);
	stress_join(first, takers);
	while (co_batch_join_any(&s->batch, &one) == 0)
		(void)check(l, s, one);
	STRESS_CHECK(co_batch_join(&s->batch) == 0);
	/* relaxed: joined. Those that were not to be begun any more are counted too. */
	begun = co_atomic_load(&s->begun, CO_RELAXED);
	begun = begun < s->most ? begun : s->most;
	STRESS_CHECK(co_atomic_load(&l->ledger.received, CO_RELAXED) == begun);
}
