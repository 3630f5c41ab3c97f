/*
 * counter.c - completion counter.
 */
#include <errno.h>

#include "core.h"

/*
 * One word: how many are under way, and above that how many harts are inside co_counter_done(). The
 * waiter may free the counter as soon as nothing is under way, while the last one to finish still
 * looks for waiters: the upper part holds the waiter back until it has.
 */
#define LEFT(state) ((state)&0xfffffu)
#define FINISHING 0x100000u

void co_counter_add(struct co_counter *c, uint32_t n)
{
	uint32_t before = co_atomic_add(&c->state, n, CO_RELAXED);

	CO_ASSERT(n <= LEFT(~0u) - LEFT(before));
}

/* Nothing is left, or nothing was. */
static __attribute__((noinline)) void last_done(struct co_counter *c, uint32_t before)
{
	CO_ASSERT(LEFT(before));
	co_wake_all(&c->queue);
	/* release: this hart is through with the queue; pairs with settle()'s acquire. */
	co_atomic_add(&c->state, -FINISHING, CO_RELEASE);
}

void co_counter_done(struct co_counter *c)
{
	/* seq_cst: releases the doer's work to the waiter's acquire, and comes before the look for
	 * waiters; pairs with prepare() and under_way(). */
	uint32_t before = co_atomic_add(&c->state, FINISHING - 1, CO_SEQ_CST);

	if (LEFT(before) <= 1)
		last_done(c, before);
	else
		co_atomic_add(&c->state, -FINISHING, CO_RELEASE); /* as there */
}

static bool under_way(struct co_counter *c)
{
	return LEFT(co_atomic_load(&c->state, CO_SEQ_CST)) != 0;
}

/* Wait for the few instructions that those who counted down still need. Something new may be under
 * way by then: that is not waited for. */
static void settle(struct co_counter *c)
{
	unsigned spins = 0;

	while (co_atomic_load(&c->state, CO_ACQUIRE) >= FINISHING)
		co_spin(&spins);
}

static inline int wait_for_it(struct co_counter *c, uint64_t deadline,
			      int (*commit)(struct co_waiter *, uint64_t))
{
	while (under_way(c)) {
		struct co_waiter *w = co_wait_prepare(&c->queue, c, "counter");
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

	CO_ASSERT(!r);
}

int co_counter_wait(struct co_counter *c)
{
	return co_counter_wait_until(c, CO_FOREVER);
}
