/* timeline.c - rings of events in main memory, and the scheduler's notes there: timeline.h. */
#include "hart_var.h"
#include "hook.h"
#include "option.h"
#include "timeline.h"

#define LEAST 16u
#define MOST 0x1000000u

unsigned co_timeline_events;
CO_OPTION = { .word = "--timeline=",
	      .value = &co_timeline_events,
	      .most = MOST,
	      .unit = "events a hart, at most 16777216 (0: no timeline)" };

struct co_timeline_head *co_timeline;

static size_t ring_bytes(void)
{
	return sizeof(struct co_trace_ring) +
	       co_timeline_events * sizeof(uintptr_t) * CO_TRACE_WORDS;
}

size_t co_timeline_bytes(void)
{
	unsigned n = LEAST;

	if (!co_timeline_events)
		return 0;
	while (n < co_timeline_events)
		n *= 2;
	co_timeline_events = n;
	return co_round_up(HAL_PAGE_BYTES + co_machine.harts * ring_bytes(), HAL_PAGE_BYTES);
}

void co_timeline_carve(uintptr_t at)
{
	if (!co_timeline_events)
		return;
	co_timeline = (struct co_timeline_head *)at;
	*co_timeline = (struct co_timeline_head){
		.magic = "Cohart timeline",
		.word_bytes = sizeof(uintptr_t),
		.event_words = CO_TRACE_WORDS,
		.events = co_timeline_events,
		.harts = co_machine.harts,
		.hz = co_machine.hz,
		.self = at,
		.rings = at + HAL_PAGE_BYTES,
		.ring_bytes = ring_bytes(),
	};
}

struct co_trace_ring *co_timeline_ring(unsigned hart)
{
	return co_timeline
		       ? (void *)(uintptr_t)(co_timeline->rings + hart * co_timeline->ring_bytes)
		       : &co_area_at(hart)->trace;
}

void co_timeline_init(unsigned hart)
{
	struct co_trace_ring *r = co_timeline_ring(hart);

	co_atomic_store(&r->count, 0, CO_RELAXED); /* `online` publishes all */
	r->mask = (co_timeline ? co_timeline->events : CO_TRACE_EVENTS) - 1;
	r->group = co_hart_group(hart);
	r->role = co_hart_role(hart);
}

void co_timeline_start(struct co_executor *e)
{
	if (!co_timeline)
		return;
	e->trace = co_timeline_ring(e->hart);
	/* As a device that needs no look, and whose interrupt ends each sleep. */
	e->devices++;
	e->ringing++;
	co_attend(e);
}

void co_timeline_mark(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c,
		      uintptr_t mark)
{
	co_timeline_record(r, what, value, (uintptr_t)c | mark, c ? co_timeline_generation(c) : 0);
}

void co_timeline_note(uintptr_t mark, const char *kind, const void *slot, uint32_t number,
		      size_t bytes)
{
	co_timeline_record(co_executor.trace, (uintptr_t)kind, (uintptr_t)slot, bytes << 3 | mark,
			   number);
}

void co_timeline_put(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c)
{
	co_timeline_record(r, what, value, (uintptr_t)c, c ? co_timeline_generation(c) : 0);
}

void co_timeline_spawn(struct co *c, co_fn *fn)
{
	/* relaxed, all: the spawner's own until the hand-over. */
	uintptr_t name = co_atomic_load(&c->name, CO_RELAXED);

	uint32_t generation = co_timeline_generation(c) + 1;

	if (co_atomic_load(&c->noted, CO_RELAXED) != generation)
		name = 0;
	c->flags |= CO_FLAG_TRACED;
	co_timeline_record(co_executor.trace, CO_TRACE_SPAWN, name ? name : (uintptr_t)fn,
			   (uintptr_t)c, generation);
}

/*
 * Note the coroutines, except `but`, that have become ready since the last look. In the ring, which
 * begins with `first`, they stand behind e->trace_last; all do if that is NULL.
 */
static NOINLINE void note_ready(struct co_executor *e, const struct co *first, const struct co *but)
{
	const struct co *c = first;

	while (c && (c = c->prev_ready) != e->trace_last) {
		if (c != but)
			co_timeline_put(e->trace, CO_TRACE_READY, !but, c);
		if (c == first)
			break;
	}
}

NOINLINE void co_timeline_wait_noting_ready(const struct co *c, const char *kind)
{
	struct co_executor *e = &co_executor;

	note_ready(e, c, NULL);
	e->trace_last = c->prev_ready;
	co_timeline_wait(c, kind);
}

/* Note coroutines that c, which runs, has made ready, if there are any. */
INLINE void note_woken(struct co_executor *e, const struct co *c)
{
	if (__builtin_expect(c->prev_ready != e->trace_last, 0))
		note_ready(e, c, NULL);
}

void co_timeline_wakes(const struct co *c)
{
	struct co_executor *e = &co_executor;

	note_woken(e, c);
	e->trace_last = c->prev_ready;
}

INLINE void leave(struct co_executor *e, const struct co *c)
{
	note_woken(e, c);
	e->trace_last = c->prev_ready == c ? NULL : c->prev_ready;
}

void co_timeline_end(const struct co *c)
{
	struct co_executor *e = &co_executor;

	leave(e, c);
	co_timeline_put(e->trace, CO_TRACE_END, 0, c);
}

NOINLINE void co_timeline_run_noting_ready(const struct co *first, const struct co *to)
{
	struct co_executor *e = &co_executor;

	note_ready(e, first, to);
	co_timeline_put(e->trace, CO_TRACE_SWITCH, (uintptr_t)to->fn, to);
	e->trace_last = to->prev_ready;
}

CO_HART_VAR(bool, timeline_lost); /* the hart's loss has been noted; hart 0's */

/* The hook is called again and again for a while. */
static void note_lost(unsigned hart)
{
	bool *noted = co_hart_var(timeline_lost, hart);

	if (co_executor.trace && !*noted)
		co_timeline_put(co_executor.trace, (uintptr_t) "hart is lost", hart, NULL);
	*noted = true;
}

CO_HOOKS = { .hart_lost = note_lost };
