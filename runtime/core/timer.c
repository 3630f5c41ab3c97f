/*
 * timer.c - this hart's deadlines.
 *
 * Most waits end long before their deadline, so a deadline is only noted at first: the coroutine is
 * appended to those that have one, and `soonest`, before which none comes, is made less. When the
 * clock reaches that, those that still wait are sorted into a binary heap, which the array begins
 * with. `soonest` may be earlier than all that are left: then that costs a look, and no more.
 */
#include <errno.h>

#include <hal/time.h>

#include "core.h"
#include "slab.h"

static void place_timer(struct co_executor *e, unsigned i, struct co *c)
{
	e->timer[i] = c;
	c->timer = i + 1;
}

/* Move c from index i up or down to its place in the heap. */
static void sift(struct co_executor *e, unsigned i, struct co *c)
{
	while (i && e->timer[(i - 1) / 2]->deadline > c->deadline) {
		place_timer(e, i, e->timer[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;) {
		unsigned child = 2 * i + 1;

		if (child + 1 < e->sorted &&
		    e->timer[child + 1]->deadline < e->timer[child]->deadline)
			child++;
		if (child >= e->sorted || e->timer[child]->deadline >= c->deadline)
			break;
		place_timer(e, i, e->timer[child]);
		i = child;
	}
	place_timer(e, i, c);
}

static NOINLINE void make_room(struct co_executor *e)
{
	if (e->timer != e->few_timers)
		return;
	e->timer = co_slabs_timers(e->hart);
	for (unsigned i = 0; i < e->timers; i++)
		place_timer(e, i, e->few_timers[i]);
}

void co_timer_add(struct co_executor *e, struct co *c, uint64_t deadline)
{
	c->deadline = deadline;
	co_atomic_store(&c->due, co_since(deadline) | 1, CO_RELAXED); /* for reports */
	if (e->timers == CO_PER_HART)
		make_room(e);
	place_timer(e, e->timers, c);
	if (deadline < e->soonest)
		e->soonest = deadline;
	if (!e->timers++) {
		e->timed = true;
		co_attend(e);
	}
}

/* Take the heap's element i out. Returns the place that is free then: the one behind the heap. */
static NOINLINE unsigned leave_heap(struct co_executor *e, unsigned i)
{
	e->sorted--;
	if (i < e->sorted)
		sift(e, i, e->timer[e->sorted]);
	return e->sorted;
}

void co_timer_remove(struct co_executor *e, struct co *c)
{
	unsigned i = c->timer - 1;

	c->timer = 0;
	co_atomic_store(&c->due, 0, CO_RELAXED);
	if (i < e->sorted)
		i = leave_heap(e, i);
	if (i < --e->timers)
		place_timer(e, i, e->timer[e->timers]);
	if (!e->timers) {
		e->soonest = CO_FOREVER;
		e->timed = false;
		co_attend(e);
	}
}

static void sort(struct co_executor *e)
{
	while (e->sorted < e->timers) {
		unsigned i = e->sorted++;

		sift(e, i, e->timer[i]);
	}
	if (e->timers)
		e->soonest = e->timer[0]->deadline;
}

void co_timer_poll(struct co_executor *e)
{
	while (e->soonest <= hal_time_now()) {
		struct co *c;

		sort(e);
		c = e->timer[0];
		if (c->deadline > hal_time_now())
			return;
		co_timer_remove(e, c);
		co_wait_end(c, -ETIMEDOUT);
	}
}
