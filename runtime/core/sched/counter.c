/* counter.c - completion counter. */
#include "../core.h"
#include "counter.h"

void co_counter_add(struct co_counter *c, uint32_t n)
{
	if (n)
		co_counter_more(c, n);
}

void co_counter_refuse(struct co_counter *c, uint32_t n)
{
	/* Undo; a hart that saw the wrong count looks again. relaxed: it publishes nothing. */
	co_atomic_add(&c->state, -CO_JOBS(n), CO_RELAXED);
	co_wake_all(&c->queue);
	co_assert_failed(n == -1u ? "a counter that counts down has something under way"
				  : "at most a million are under way in a counter",
			 __FILE__, __LINE__);
}

NOINLINE void co_counter_over(struct co_counter *c, uint32_t before)
{
	if (!CO_LEFT(before))
		co_counter_refuse(c, -1u);
	co_wake_all(&c->queue);
	/* release: this hart uses the queue no more; pairs with settle()'s acquire. */
	co_atomic_add(&c->state, -CO_FINISHING, CO_RELEASE);
}

void co_counter_done(struct co_counter *c)
{
	co_counter_less(c);
}

static bool under_way(struct co_counter *c)
{
	return CO_LEFT(co_atomic_load(&c->state, CO_SEQ_CST)) != 0;
}

/* Wait until the last job has left the counter, a few instructions; not for jobs begun since. */
static void settle(struct co_counter *c)
{
	unsigned spins = 0;
	uint32_t state;

	while ((state = co_atomic_load(&c->state, CO_ACQUIRE)) && !CO_LEFT(state))
		co_spin(&spins);
}

const char co_wait_counter[] = "counter";

static inline int wait_for_it(struct co_counter *c, uint64_t deadline,
			      int (*commit)(struct co_waiter *, uint64_t))
{
	while (under_way(c)) {
		struct co_waiter *w = co_wait_prepare(&c->queue, c, co_wait_counter);
		int r = under_way(c) ? commit(w, deadline) : co_wait_abandon(w);

		if (r && under_way(c))
			return r;
	}
	settle(c);
	return 0;
}

int co_counter_wait_until(struct co_counter *c, uint64_t deadline)
{
	return wait_for_it(c, deadline, co_wait_commit);
}

void co_counter_wait_shielded(struct co_counter *c)
{
	int r = wait_for_it(c, CO_FOREVER, co_wait_commit_shielded);

	CO_ASSERT_OWN(!r);
}

int co_counter_wait(struct co_counter *c)
{
	return co_counter_wait_until(c, CO_FOREVER);
}
