/*
 * trace.h - the last events of a hart: a ring that its hart writes, and any other may read at any
 * moment, without either waiting.
 *
 * A reader looks at the count, then at an event's words, then at the count again, and drops an
 * event that the writer may have begun to overwrite meanwhile. So one of the ring's places is never
 * readable.
 */
#ifndef COHART_LF_TRACE_H
#define COHART_LF_TRACE_H

#include <cohart/atomic.h>
#include <cohart/debug.h>

#ifndef CO_TRACE_WORDS
#define CO_TRACE_WORDS (__SIZEOF_POINTER__ == 8 ? 4 : 5) /* sched/trace.h */
#endif

struct co_trace_ring {
	alignas(CO_LINE) struct co_a32 count; /* events so far */
	uint32_t mask;                        /* places - 1; a power of two are there */
	struct co_aword (*event)[CO_TRACE_WORDS];
};

_Static_assert(CO_TRACE_WORDS <= 5, "co_trace_put() writes all");
_Static_assert((CO_TRACE_EVENTS & (CO_TRACE_EVENTS - 1)) == 0, "the count goes round");

/* Write a word of an event. */
static inline void co_trace_word(struct co_aword *word, uintptr_t value)
{
	/* release: a reader of it sees the count that was before; pairs with co_trace_get(). */
	co_atomic_store(word, value, CO_RELEASE);
}

/* Context: its hart alone. */
static inline void co_trace_put(struct co_trace_ring *r, const uintptr_t event[CO_TRACE_WORDS])
{
	/* relaxed: its own. */
	uint32_t n = co_atomic_load(&r->count, CO_RELAXED);
	struct co_aword *word = r->event[n & r->mask];

	/* No loop: compilers would keep it, and the event in memory. */
	co_trace_word(&word[0], event[0]);
	co_trace_word(&word[1], event[1]);
#if CO_TRACE_WORDS > 2
	co_trace_word(&word[2], event[2]);
#endif
#if CO_TRACE_WORDS > 3
	co_trace_word(&word[3], event[3]);
#endif
#if CO_TRACE_WORDS > 4
	co_trace_word(&word[4], event[4]);
#endif
	/* release: the words are there; pairs with co_trace_noted(). */
	co_atomic_store(&r->count, n + 1, CO_RELEASE);
}

/* How many events there have been, n: numbers n - r->mask to n - 1 can be read. */
static inline uint32_t co_trace_noted(const struct co_trace_ring *r)
{
	/* acquire: pairs with co_trace_put(). */
	return co_atomic_load(&r->count, CO_ACQUIRE);
}

/* Read event n (co_trace_noted()). False: it has been overwritten, or is being overwritten. */
static inline bool co_trace_get(const struct co_trace_ring *r, uint32_t n,
				uintptr_t event[CO_TRACE_WORDS])
{
	/* acquire: a word of a later event brings the count that it came after. */
	for (unsigned i = 0; i < CO_TRACE_WORDS; i++)
		event[i] = co_atomic_load(&r->event[n & r->mask][i], CO_ACQUIRE);
	/* relaxed: the loads of the words have acquired the count that this load must see. */
	return co_atomic_load(&r->count, CO_RELAXED) - n <= r->mask;
}

#endif
