/*
 * knot.c - detect and report a deadlock of some coroutines while the rest of the program goes on.
 *
 * A knot is a set of coroutines that wait without a deadline, where each wait can be ended by none
 * but coroutines of the set (and by a cancel). Hart 0 looks for one about once a second, in two
 * steps:
 *
 *	collect  the coroutines that have waited for a second, for something whose wakers are known:
 *	         a mutex (its owner), a join (the joined coroutine), a batch (its coroutines), a
 *	         channel whose opposite ends are counted (the hook `explain`)
 *	reduce   take out each coroutine that a coroutine outside of the set may wake, until no more
 *	         can be taken out: the largest knot stays
 *
 * The coroutines run on while hart 0 reads. Its readings hold together for one instant if each
 * coroutine has slept from before the reduction until after it: an unchanged `since` proves that. A
 * deadlock by objects whose wakers are unknown is found when the whole machine sleeps (stuck.c).
 */
#include <cohart/spm.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "../core/memory/slab.h"
#include "fault.h"

#define PERIOD_US 1000000u /* between looks, and the shortest wait that counts */
#define STEP 256           /* control blocks looked at in one call */
#define MOST 32            /* coroutines collected in one look */

struct waiting {
	const struct co *co;
	struct co_awaited wait;
};

static struct waiting set[MOST];
static unsigned size;

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
	const struct co *other = co_awaited_coroutine(&w->wait);

	if (other)
		return in_set(other) || (w->wait.kind == co_wait_mutex && !co_is_live(other) &&
					 !co_is_service(other));
	if (w->wait.kind == co_wait_counter)
		return batch_is_stuck(w->wait.object);
	return co_hooks_ask(explain, &(const struct co_stuck){ .kind = w->wait.kind,
							       .object = w->wait.object,
							       .co = w->co,
							       .member = member });
}

/* Does c still wait so, for ever? */
static bool still_waits(const struct co *c, const struct co_awaited *w)
{
	const struct co_awaited now = co_awaited(c);

	return co_is_live(c) && now.kind && now.until == CO_FOREVER && now.kind == w->kind &&
	       now.object == w->object && now.since == w->since;
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

/* A wait that has ended meanwhile shows that the set was read at different instants. */
static bool all_still_wait(void)
{
	for (unsigned i = 0; i < size; i++) {
		if (!still_waits(set[i].co, &set[i].wait))
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
			known |= named[n].co == set[i].co &&
				 named[n].wait.since == set[i].wait.since;
		news += !known;
	}
	if (!news)
		return;
	co_hooks_call(report, NULL);
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
	const struct co_awaited w = co_awaited(c);

	if (size < MOST && still_waits(c, &w) &&
	    (uint64_t)co_since_span(co_since(now), w.since) << CO_SINCE_SHIFT >= hal_time_hz())
		set[size++] = (struct waiting){ c, w };
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
