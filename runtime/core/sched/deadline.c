/*
 * deadline.c - this hart's deadlines.
 *
 * Most waits end long before their deadline, and the next wait of the coroutine has one, too. So a
 * coroutine with a deadline is only noted, at the end of an array, and `soonest`, before which no
 * deadline comes, is made less. The note stays when the wait ends: it is stale while its coroutine
 * has no deadline, and the coroutine's next wait uses it again. When the clock reaches `soonest`,
 * and before the hart sleeps, stale notes are dropped and the remaining notes sorted into a binary
 * heap, with which the array begins. A hart with UNSORTED notes that are not sorted yet sorts one
 * for each that it adds, so that no call has more than UNSORTED notes to sort. `soonest` may be
 * earlier than all remaining deadlines: then that costs a look, and no more.
 */
#include <errno.h>

#include <hal/time.h>

#include "../core.h"
#include "../memory/slab.h"
#include "deadline.h"

#define UNSORTED 16

static void place_timer(struct co_executor *e, unsigned i, struct co *c)
{
	e->timer[i] = c;
	c->timer = i + 1;
}

/* Move c from index i up or down to its place in the heap. */
static void sift(struct co_executor *e, unsigned i, struct co *c)
{
	uint64_t deadline = co_deadline(c);

	while (i && co_deadline(e->timer[(i - 1) / 2]) > deadline) {
		place_timer(e, i, e->timer[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;) {
		unsigned child = 2 * i + 1;

		if (child + 1 < e->sorted &&
		    co_deadline(e->timer[child + 1]) < co_deadline(e->timer[child]))
			child++;
		if (child >= e->sorted || co_deadline(e->timer[child]) >= deadline)
			break;
		place_timer(e, i, e->timer[child]);
		i = child;
	}
	place_timer(e, i, c);
}

/* Drop the note behind the heap. */
static void drop_stale(struct co_executor *e)
{
	struct co *last = e->timer[--e->notes];

	e->timer[e->sorted]->timer = 0;
	if (e->notes > e->sorted)
		place_timer(e, e->sorted, last);
}

/* Sort the note behind the heap, or drop it. */
static void sort_one(struct co_executor *e)
{
	struct co *c = e->timer[e->sorted];

	if (co_deadline(c) == CO_FOREVER)
		drop_stale(e);
	else
		sift(e, e->sorted++, c);
}

/* One more will not be sorted. */
static void sort_for_one(struct co_executor *e)
{
	if (e->notes - e->sorted >= UNSORTED)
		sort_one(e);
}

static NOINLINE void make_room(struct co_executor *e)
{
	if (e->timer != e->few_timers)
		return;
	e->timer = co_slabs_timers(e->hart);
	for (unsigned i = 0; i < e->notes; i++)
		place_timer(e, i, e->few_timers[i]);
}

NOINLINE void co_deadline_note(struct co_executor *e, struct co *c)
{
	sort_for_one(e);
	if (e->notes == CO_PER_HART)
		make_room(e);
	place_timer(e, e->notes++, c);
}

NOINLINE int co_deadline_leave_heap(struct co_executor *e, struct co *c, int r)
{
	struct co *last;
	unsigned i;

	sort_for_one(e);
	last = e->timer[--e->sorted];
	i = c->timer - 1;
	if (last != c)
		sift(e, i, last);
	place_timer(e, e->sorted, c);
	return r;
}

NOINLINE void co_deadline_sort(struct co_executor *e)
{
	while (e->sorted < e->notes)
		sort_one(e);
	e->soonest = e->sorted ? co_deadline(e->timer[0]) : CO_FOREVER;
}

void co_deadline_poll(struct co_executor *e)
{
	while (e->soonest <= hal_time_now()) {
		struct co *c;

		co_deadline_sort(e);
		if (e->soonest > hal_time_now())
			return;
		c = e->timer[0];
		(void)co_deadline_take(e, c, 0);
		drop_stale(e);
		co_wait_end(c, -ETIMEDOUT);
	}
}
