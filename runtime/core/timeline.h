/*
 * timeline.h - the timeline: events of harts, and calls by which the scheduler notes its own.
 *
 * With --timeline=N each hart has a ring of N events in main memory, and its scheduler notes each
 * spawn, switch, wait, wake and end there. A hart with a timeline has something to look at in each
 * scheduling point (co_executor.attention), so that it takes the slow paths, which call these
 * functions behind a look at co_executor.trace. A waiter sleeps in place by CO_NOTED (lf/waitq.h),
 * so that its waker takes a slow path, too. Spawns are slow, as with ranks, and ends, since each
 * coroutine has a flag. The fast paths have no call. qemu/timeline reads the rings in the machine's
 * memory when the run is over, from struct co_timeline_head on.
 */
#ifndef COHART_CORE_TIMELINE_H
#define COHART_CORE_TIMELINE_H

#include <hal/time.h>

#include "core.h"

/*
 * An event's words: a time of 48 bits with the lowest 16 bits of a generation; what, and a value;
 * the coroutine that it is about, or 0, with a mark. Of a wait: the object's kind, the object. Of a
 * message or a transfer: its kind; the slot that it lies in; its bytes, with a mark, and for the
 * generation its number in the slot: a receipt is of the message whose three are equal.
 */
enum {
	CO_EVENT_STAMP,
	CO_EVENT_WHAT = CO_TRACE_WORDS - 3,
	CO_EVENT_VALUE,
	CO_EVENT_WHO,
	CO_GENERATION_BITS = 16,
	/* Marks in CO_EVENT_WHO; 0: enum co_trace_kind, or a text of co_trace(). */
	CO_EVENT_IS_WAIT = 1,
	CO_EVENT_IS_BEGIN,
	CO_EVENT_IS_END,
	CO_EVENT_IS_COUNT,
	CO_EVENT_IS_VALUE,
	CO_EVENT_IS_SENT,
	CO_EVENT_IS_RECEIVED,
	CO_EVENT_MARKS = 7,
};

/* What qemu/timeline finds at the start of a page. */
struct co_timeline_head {
	char magic[16];
	uint32_t word_bytes, event_words, events, harts;
	uint64_t hz, self, rings, ring_bytes;
};

extern struct co_timeline_head *co_timeline; /* NULL: no timeline */

/* Bytes for the rings of all harts, and where they are. */
size_t co_timeline_bytes(void);
void co_timeline_carve(uintptr_t at);
/* Make a hart's ring, with or without a timeline. */
void co_timeline_init(unsigned hart);
/* Begin the timeline of this hart, if there is one. */
void co_timeline_start(struct co_executor *e);
struct co_trace_ring *co_timeline_ring(unsigned hart);

/* Note an event of a coroutine `who` of that generation, or 0. Cost: 20 instructions on rv64. */
INLINE void co_timeline_record(struct co_trace_ring *r, uintptr_t what, uintptr_t value,
			       uintptr_t who, uint32_t generation)
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

/* Its hart alone writes it, or has handed it over: no atomic load, which costs one more. */
INLINE uint32_t co_timeline_generation(const struct co *c)
{
	return co_plain_load(&c->generation.v);
}

/* Note an event, of c or of nobody, with a mark or without. Context: the hart of r. */
void co_timeline_mark(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c,
		      uintptr_t mark);
void co_timeline_put(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c);

void co_timeline_note(uintptr_t mark, const char *kind, const void *slot, uint32_t number,
		      size_t bytes);

/* Note a message or a transfer: its sending, its receipt. Without a timeline: a load, a branch. */
INLINE void co_timeline_sent(const char *kind, const void *slot, uint32_t number, size_t bytes)
{
	if (__builtin_expect(co_executor.trace != NULL, 0))
		co_timeline_note(CO_EVENT_IS_SENT, kind, slot, number, bytes);
}

INLINE void co_timeline_received(const char *kind, const void *slot, uint32_t number)
{
	if (__builtin_expect(co_executor.trace != NULL, 0))
		co_timeline_note(CO_EVENT_IS_RECEIVED, kind, slot, number, 0);
}

/*
 * A span of the coroutine that runs begins, or ends. Its name is `name`, with the name of a
 * function behind it, unless that is 0. Without a timeline: a load and a branch.
 */
INLINE void co_timeline_enter(const char *name, uintptr_t fn)
{
	if (__builtin_expect(co_executor.trace != NULL, 0))
		co_timeline_mark(co_executor.trace, (uintptr_t)name, fn, co_executor.current,
				 CO_EVENT_IS_BEGIN);
}

INLINE void co_timeline_leave(const char *name, uintptr_t fn)
{
	if (__builtin_expect(co_executor.trace != NULL, 0))
		co_timeline_mark(co_executor.trace, (uintptr_t)name, fn, co_executor.current,
				 CO_EVENT_IS_END);
}

/* A spawn has taken c, whose name is there. */
void co_timeline_spawn(struct co *c, co_fn *fn);
/* c, which runs, is about to leave the ring of ready coroutines: to wait, or since it has ended. */
void co_timeline_end(const struct co *c);
void co_timeline_wait_noting_ready(const struct co *c, const char *kind);
INLINE void co_timeline_wait(const struct co *c, const char *kind)
{
	struct co_executor *e = &co_executor;

	if (__builtin_expect(c->prev_ready != e->trace_last, 0)) {
		co_timeline_wait_noting_ready(c, kind);
		return;
	}
	e->trace_last = c->prev_ready == c ? NULL : c->prev_ready;
	/* relaxed: its own. */
	co_timeline_record(e->trace, (uintptr_t)kind, co_atomic_load(&c->waits_for, CO_RELAXED),
			   (uintptr_t)c | CO_EVENT_IS_WAIT, co_timeline_generation(c));
}

/* Coroutines that c, which runs, has made ready. */
void co_timeline_wakes(const struct co *c);
/* This hart is about to go on with `to`; the ring of ready coroutines begins with `first`. */
void co_timeline_run_noting_ready(const struct co *first, const struct co *to);
INLINE void co_timeline_run(const struct co *first, const struct co *to)
{
	struct co_executor *e = &co_executor;

	if (first != to || first->prev_ready != first) {
		co_timeline_run_noting_ready(first, to);
		return;
	}
	co_timeline_record(e->trace, CO_TRACE_SWITCH, (uintptr_t)to->fn, (uintptr_t)to,
			   co_timeline_generation(to));
	e->trace_last = to->prev_ready;
}

/* Note that c, which is not in place, is woken. True: it sleeps in place, noted, and was rung. */
INLINE bool co_timeline_wake(struct co *c)
{
	co_timeline_record(co_executor.trace, CO_TRACE_WAKE, c->hart, (uintptr_t)c,
			   co_timeline_generation(c));
	if (!co_token_leave_noted(&c->token))
		return false;
	co_ring(c->doorbell);
	return true;
}

#endif
