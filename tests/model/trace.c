/*
 * trace.c - the model of core/lf/trace.h: what a reader gets of a ring that goes on is an event
 * that was noted, whole, and the one that it asked for; and what was there before is had.
 */
#define CO_TRACE_WORDS 2

#include <string.h>

#include "core/lf/trace.h"
#include "relacy/model.h"

#define EVENTS 4

#define PLACES 2

static struct {
	struct co_trace_ring ring;
	struct co_aword place[PLACES][CO_TRACE_WORDS];
} all;
#define ring all.ring

static void reset(unsigned threads)
{
	memset(&all, 0, sizeof(all));
	ring.mask = PLACES - 1;
}

/* Both words of the n-th are known by it. */
static void note_all(void)
{
	for (uintptr_t n = 0; n < EVENTS; n++)
		co_trace_put(&ring, (const uintptr_t[]){ n + 10, n + 20 });
}

static void look(void)
{
	uintptr_t count = co_trace_noted(&ring);
	uintptr_t event[CO_TRACE_WORDS];

	MODEL_CHECK(count <= EVENTS);
	if (!count || !co_trace_get(&ring, count - 1, event))
		return;
	MODEL_CHECK(event[0] == count - 1 + 10 && event[1] == count - 1 + 20);
}

static void one_reader(unsigned i)
{
	if (i == 0)
		note_all();
	else
		look();
}

static void one_that_looks_again(unsigned i)
{
	uintptr_t event[CO_TRACE_WORDS];

	if (i == 0) {
		note_all();
		return;
	}
	look();
	look();
	if (co_trace_noted(&ring) == EVENTS)
		MODEL_CHECK(co_trace_get(&ring, EVENTS - 1, event));
}

const struct model models[] = {
	{ "a writer, a reader", 2, reset, one_reader, .bound = 4 },
	{ "a writer, two readers", 3, reset, one_reader, .bound = 2 },
	{ "a writer, a reader that looks again", 2, reset, one_that_looks_again, .bound = 3 },
	{ 0 },
};
