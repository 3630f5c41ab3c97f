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
/* Note an event, of c or of nobody, with a mark or without. Context: the hart of r. */
void co_timeline_mark(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c,
		      uintptr_t mark);
void co_timeline_put(struct co_trace_ring *r, uintptr_t what, uintptr_t value, const struct co *c);

/* Note a message or a transfer, with CO_EVENT_IS_SENT or _RECEIVED. */
void co_timeline_note(uintptr_t mark, const char *kind, const void *slot, uint32_t number,
		      size_t bytes);

/* co_timeline_note() if there is a timeline. */
INLINE void co_timeline_message(uintptr_t mark, const char *kind, const void *slot, uint32_t number,
				size_t bytes)
{
	if (__builtin_expect(co_executor.trace != NULL, 0))
		co_timeline_note(mark, kind, slot, number, bytes);
}

/*
 * Begin or end a span of the coroutine that runs, by CO_EVENT_IS_BEGIN or _END. Its name is `name`,
 * with that of a function behind it, unless that is 0. Without a timeline: a load and a branch.
 */
INLINE void co_timeline_span(uintptr_t mark, const char *name, uintptr_t fn)
{
	if (__builtin_expect(co_executor.trace != NULL, 0))
		co_timeline_mark(co_executor.trace, (uintptr_t)name, fn, co_executor.current, mark);
}

/* A spawn has taken c, whose name is there. */
void co_timeline_spawn(struct co *c, co_fn *fn);
/* c, which runs, is about to leave the ring of ready coroutines: to wait, or since it has ended. */
void co_timeline_wait(const struct co *c, const char *kind);
void co_timeline_end(const struct co *c);
/* Coroutines that c, which runs, has made ready. */
void co_timeline_wakes(const struct co *c);
/* This hart is about to go on with `to`; the ring of ready coroutines begins with `first`. */
void co_timeline_run(const struct co *first, const struct co *to);
/* Note that c, which is not in place, is woken. True: it sleeps in place, noted, and was rung. */
bool co_timeline_wake(struct co *c);

#endif
