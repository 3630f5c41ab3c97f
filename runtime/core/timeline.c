/* timeline.c - rings of events in main memory, and the scheduler's notes there: timeline.h. */
#include <hal/time.h>

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

/* A hart's ring in main memory, before its events. */
struct lane {
	struct co_trace_ring ring;
	alignas(CO_LINE) uint32_t group;
	uint32_t role;
};

struct co_timeline_head *co_timeline;

static size_t ring_bytes(void)
{
	return sizeof(struct lane) + co_timeline_events * sizeof(uintptr_t) * CO_TRACE_WORDS;
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

static struct lane *lane_of(unsigned hart)
{
	return (struct lane *)(uintptr_t)(co_timeline->rings + hart * co_timeline->ring_bytes);
}

struct co_trace_ring *co_timeline_ring(unsigned hart)
{
	return co_timeline ? &lane_of(hart)->ring : &co_area_at(hart)->trace;
}

void co_timeline_init(unsigned hart)
{
	struct co_trace_ring *r = co_timeline_ring(hart);

	co_atomic_store(&r->count, 0, CO_RELAXED); /* `online` publishes all */
	r->mask = CO_TRACE_EVENTS - 1;
	r->event = co_area_at(hart)->events;
	if (!co_timeline)
		return;
	r->mask = co_timeline->events - 1;
	r->event = (void *)(lane_of(hart) + 1);
	lane_of(hart)->group = co_hart_group(hart);
	lane_of(hart)->role = co_hart_role(hart);
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

/* Of a coroutine `who`, or 0, with that generation. */
INLINE void put(struct co_trace_ring *r, uintptr_t what, uintptr_t value, uintptr_t who,
		uint32_t generation)
{
	uint64_t stamp = hal_time_now() << CO_GENERATION_BITS | (uint16_t)generation;
	uintptr_t event[CO_TRACE_WORDS];

	event[CO_EVENT_STAMP] = (uintptr_t)stamp;
	if (CO_EVENT_WHAT > 1)
		event[CO_EVENT_WHAT - 1] = (uintptr_t)(stamp >> 32);
	event[CO_EVENT_WHAT] = what;
	event[CO_EVENT_VALUE] = value;
	event[CO_EVENT_WHO] = who;
	co_trace_put(r, event);
}

/* relaxed: its hart alone writes it, or has handed it over. */
INLINE uint32_t generation_of(const struct co *c)
{
	return co_atomic_load(&c->generation, CO_RELAXED);
}

void co_timeline_mark(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c,
		      uintptr_t mark)
{
	put(r, what, value, (uintptr_t)c | mark, c ? generation_of(c) : 0);
}

void co_timeline_note(uintptr_t mark, const char *kind, const void *slot, uint32_t number,
		      size_t bytes)
{
	put(co_executor.trace, (uintptr_t)kind, (uintptr_t)slot, bytes << 3 | mark, number);
}

void co_timeline_put(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c)
{
	put(r, what, value, (uintptr_t)c, c ? generation_of(c) : 0);
}

void co_timeline_spawn(struct co *c, co_fn *fn)
{
	/* relaxed, all: the spawner's own until the hand-over. */
	uintptr_t name = co_atomic_load(&c->name, CO_RELAXED);

	uint32_t generation = generation_of(c) + 1;

	if (co_atomic_load(&c->noted, CO_RELAXED) != generation)
		name = 0;
	c->flags |= CO_FLAG_TRACED;
	put(co_executor.trace, CO_TRACE_SPAWN, name ? name : (uintptr_t)fn, (uintptr_t)c,
	    generation);
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

/* co_timeline_wait() where c has made coroutines ready. */
static NOINLINE void wait_noting_ready(const struct co *c, const char *kind)
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

void co_timeline_wait(const struct co *c, const char *kind)
{
	struct co_executor *e = &co_executor;

	if (__builtin_expect(c->prev_ready != e->trace_last, 0)) {
		wait_noting_ready(c, kind);
		return;
	}
	e->trace_last = c->prev_ready == c ? NULL : c->prev_ready;
	/* relaxed: its own. */
	put(e->trace, (uintptr_t)kind, co_atomic_load(&c->waits_for, CO_RELAXED),
	    (uintptr_t)c | CO_EVENT_IS_WAIT, generation_of(c));
}

void co_timeline_end(const struct co *c)
{
	struct co_executor *e = &co_executor;

	leave(e, c);
	co_timeline_put(e->trace, CO_TRACE_END, 0, c);
}

/* co_timeline_run() where more coroutines are ready. */
static NOINLINE void run_noting_ready(const struct co *first, const struct co *to)
{
	struct co_executor *e = &co_executor;

	note_ready(e, first, to);
	co_timeline_put(e->trace, CO_TRACE_SWITCH, (uintptr_t)to->fn, to);
	e->trace_last = to->prev_ready;
}

void co_timeline_run(const struct co *first, const struct co *to)
{
	struct co_executor *e = &co_executor;

	if (first != to || first->prev_ready != first) {
		run_noting_ready(first, to);
		return;
	}
	put(e->trace, CO_TRACE_SWITCH, (uintptr_t)to->fn, (uintptr_t)to, generation_of(to));
	e->trace_last = to->prev_ready;
}

bool co_timeline_wake(struct co *c)
{
	put(co_executor.trace, CO_TRACE_WAKE, c->hart, (uintptr_t)c, generation_of(c));
	if (!co_token_leave_noted(&c->token))
		return false;
	co_ring(c->doorbell);
	return true;
}

/* A lost hart that goes on, or whose coroutines are given up again, is noted again. */
static void note_lost(unsigned hart)
{
	static unsigned noted;

	if (co_executor.trace && noted != hart + 1)
		co_timeline_put(co_executor.trace, (uintptr_t) "hart is lost", hart, NULL);
	noted = hart + 1;
}

CO_HOOKS = { .hart_lost = note_lost };
