/*
 * barriers.c - episode after episode of a barrier of any form and size. Each member writes the
 * number of the episode it comes to, and must see that number, or the next one, of all others when
 * it goes on.
 */
#include "stress.h"

static const char *const names[] = { "any form", "central", "tree" };

static struct state {
	struct co_barrier barrier;
	struct co_barrier_member data[STRESS_WORKERS];
	struct co_a32 reached[STRESS_WORKERS];
	unsigned members;
	unsigned episodes;
} states[STRESS_EXCHANGES];

static void come(struct stress_worker *w, struct state *s)
{
	int r;

	do {
		uint64_t deadline = stress_failed() || test_below(&w->random, 4)
					    ? CO_FOREVER
					    : co_after_us(test_below(&w->random, 20));

		r = co_barrier_wait_until(&s->barrier, w->number, deadline);
	} while (r == -ETIMEDOUT);
	if (r)
		stress_fail("co_barrier_wait_until() returned %d", r);
}

static intptr_t member(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	uint32_t reached;

	for (unsigned e = 1; e <= s->episodes; e++) {
		/* relaxed: the barrier is what orders it. */
		co_atomic_store(&s->reached[w->number], e, CO_RELAXED);
		come(w, s);
		for (unsigned i = 0; i < s->members; i++) {
			unsigned at = co_atomic_load(&s->reached[i], CO_RELAXED);

			if (at != e && at != e + 1)
				stress_fail("member %u has come to %u, not to %u", i, at, e);
		}
		co_atomic_add(&w->exchange->ledger.received, 1, CO_RELAXED);
		stress_pause(w);
	}
	/* Who was first is the run's own: the order of the ends. */
	reached = co_atomic_add(&s->reached[w->number], 1, CO_RELAXED);
	co_atomic_add(&w->exchange->ledger.order, (w->number + 1) * reached, CO_RELAXED);
	return 0;
}

void stress_barrier(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	unsigned most = l->workers_max < STRESS_WORKERS ? l->workers_max : STRESS_WORKERS;
	unsigned form = test_below(&l->random, 3);
	int r;

	s->members = stress_size(&l->random, most);
	s->episodes = l->messages / s->members / 4 + 1;
	stress_plan(l, "barrier, %s, %u members, %u episodes", names[form], s->members,
		    s->episodes);
	memset(s->data, 0, sizeof(s->data));
	memset(s->reached, 0, sizeof(s->reached));
	r = co_barrier_init(&s->barrier, s->members, (enum co_barrier_form)form, s->data);
	if (r) {
		stress_fail("co_barrier_init() returned %d", r);
		return;
	}
	stress_join(stress_start(l, "member", member, s->members), s->members);
}
