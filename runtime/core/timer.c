/* timer.c - this hart's deadlines: a binary heap of the coroutines that have one, soonest first. */
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

		if (child + 1 < e->timers &&
		    e->timer[child + 1]->deadline < e->timer[child]->deadline)
			child++;
		if (child >= e->timers || e->timer[child]->deadline >= c->deadline)
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
	if (!e->timers++) {
		e->timed = true;
		co_attend(e);
	}
	sift(e, e->timers - 1, c);
}

void co_timer_remove(struct co_executor *e, struct co *c)
{
	unsigned i = c->timer;

	c->timer = 0;
	co_atomic_store(&c->due, 0, CO_RELAXED);
	if (!--e->timers) {
		e->timed = false;
		co_attend(e);
	}
	if (i - 1 < e->timers)
		sift(e, i - 1, e->timer[e->timers]);
}

void co_timer_poll(struct co_executor *e)
{
	while (e->timers && e->timer[0]->deadline <= hal_time_now()) {
		struct co *c = e->timer[0];

		co_timer_remove(e, c);
		co_wait_end(c, -ETIMEDOUT);
	}
}
