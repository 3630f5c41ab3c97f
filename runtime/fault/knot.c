/*
 * knot.c - detect and report a deadlock of a part of the program, while others go on.
 *
 * A knot is a set of coroutines that wait without a deadline, where each wait can be ended by none
 * but coroutines of the set (and by a cancel). Hart 0 looks for one about once a second, in two
 * steps:
 *
 *	collect  the coroutines that have waited for a second, for something whose wakers are known:
 *	         a mutex (its owner), a join (the other coroutine), a batch (its coroutines), a
 *	         channel whose other side is counted (the hook `hopeless`)
 *	reduce   take out each one that a coroutine outside of the set may wake, until none is left
 *	         to take out: what stays is the largest knot
 *
 * The coroutines run on while hart 0 reads. What it has read of a coroutine holds for an instant,
 * the same for all, if each has slept from before the reduction until after it: `since` tells.
 * A deadlock by objects whose wakers are unknown is found when the whole machine sleeps (stuck.c).
 */
#include <cohart/spm.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "../core/memory/slab.h"
#include "fault.h"

#define PERIOD_US 1000000u /* between looks, and the shortest wait that counts */
#define STEP 256           /* control blocks looked at in one call */
#define MOST 32            /* coroutines that one look collects */

struct waiting {
	const struct co *co;
	const char *kind;
	uintptr_t object;
	uintptr_t since;
};

static struct waiting set[MOST];
static unsigned size;

/* relaxed, all: for reports, and compared once more at the end. */
static uintptr_t since_of(const struct co *c)
{
	return co_atomic_load(&c->since, CO_RELAXED);
}

static uintptr_t object_of(const struct co *c)
{
	return co_atomic_load(&c->waits_for, CO_RELAXED);
}

static bool waits_for_ever(const struct co *c)
{
	return co_is_live(c) && co_sleeps(c) && co_deadline(c) == CO_FOREVER;
}

static const struct co *member(unsigned i)
{
	return i < size ? set[i].co : NULL;
}

static bool in_set(const struct co *c)
{
	unsigned i = 0;

	while (i < size && set[i].co != c)
		i++;
	return i < size;
}

static bool owner_is_stuck(uintptr_t object)
{
	const struct co *owner = co_mutex_owner_at(object);

	return owner && (!co_is_live(owner) || in_set(owner));
}

/* A batch is joined when all of it have ended: one that is stuck is enough. */
static bool batch_is_stuck(uintptr_t object)
{
	for (unsigned i = 0; i < size; i++) {
		const struct co_batch *b = set[i].co->batch;

		if (b && (uintptr_t)&b->running == object)
			return true;
	}
	return false;
}

static bool is_stuck(const struct waiting *w)
{
	if (w->kind == co_wait_mutex)
		return owner_is_stuck(w->object);
	if (w->kind == co_wait_join)
		return in_set(co_block_at(w->object));
	if (w->kind == co_wait_counter)
		return batch_is_stuck(w->object);
	return co_hooks_ask(hopeless, w->co, w->kind, w->object, member);
}

/* Has the wait gone on since it was collected? */
static bool still_waits(const struct waiting *w)
{
	return waits_for_ever(w->co) && since_of(w->co) == w->since &&
	       object_of(w->co) == w->object && co_wait_kind(w->co) == w->kind;
}

static void take_out(struct waiting *w)
{
	*w = set[--size];
}

static void reduce(void)
{
	unsigned before;

	do {
		before = size;
		for (unsigned i = size; i--;) {
			if (!is_stuck(&set[i]))
				take_out(&set[i]);
		}
	} while (size != before);
}

/* A wait that has ended meanwhile shows that what was read was of different instants. */
static bool all_still_wait(void)
{
	for (unsigned i = 0; i < size; i++) {
		if (!still_waits(&set[i]))
			return false;
	}
	return true;
}

static void report(void)
{
	static struct waiting named[MOST]; /* by the last report */
	static unsigned count;
	unsigned news = 0;

	for (unsigned i = 0; i < size; i++) {
		bool known = false;

		for (unsigned n = 0; n < count; n++)
			known |= named[n].co == set[i].co && named[n].since == set[i].since;
		news += !known;
	}
	if (!news)
		return;
	co_hooks_call(report_begins, NULL);
	co_note_places();
	co_report("\ncohart: deadlock of a part: these wait for each other, while others go on; "
		  "only a cancel or a close ends that:");
	for (unsigned i = 0; i < size; i++) {
		named[i] = set[i];
		co_list_one(set[i].co);
	}
	count = size;
}

static void collect(const struct co *c, uint64_t now)
{
	struct waiting w = { .co = c };

	if (size == MOST || !waits_for_ever(c))
		return;
	w.kind = co_wait_kind(c);
	w.object = object_of(c);
	w.since = since_of(c);
	if ((uint64_t)co_since_span(co_since(now), w.since) << CO_SINCE_SHIFT >= hal_time_hz() &&
	    still_waits(&w))
		set[size++] = w;
}

void co_knot_look(uint64_t now)
{
	static const struct co *last; /* looked at; NULL: a look begins, or is not due */
	static uint64_t due;

	if (!last) {
		if (now < due)
			return;
		due = now + PERIOD_US * hal_time_hz() / 1000000;
		size = 0;
	}
	for (unsigned n = 0; n < STEP; n++) {
		last = co_block_next_of_all(last);
		if (!last)
			break;
		collect(last, now);
	}
	if (last || !size)
		return;
	reduce();
	if (size && all_still_wait())
		report();
}
