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

/* Its events follow. */
struct co_trace_ring {
	alignas(CO_LINE) struct co_aword count; /* events so far */
	uintptr_t mask;                         /* places - 1; a power of two are there */
	uint32_t group, role;                   /* of its hart, for qemu/timeline */
};

_Static_assert(CO_TRACE_WORDS <= 5, "co_trace_put() writes all");
_Static_assert((CO_TRACE_EVENTS & (CO_TRACE_EVENTS - 1)) == 0, "the count goes round");

static inline struct co_aword *co_trace_place(const struct co_trace_ring *r, uintptr_t n)
{
	uintptr_t bytes = (n & r->mask) * (CO_TRACE_WORDS * sizeof(struct co_aword));

	return (struct co_aword *)(void *)((unsigned char *)r + bytes + sizeof(*r));
}

/* Context: its hart alone. */
static inline void co_trace_put(struct co_trace_ring *r, const uintptr_t event[CO_TRACE_WORDS])
{
	/* relaxed: its own. */
	uintptr_t n = co_atomic_load(&r->count, CO_RELAXED);
	struct co_aword *word = co_trace_place(r, n);

	/*
	 * release, all: a reader of a word sees the count that was before; pairs with
	 * co_trace_get(). No loop: compilers would keep it, and the event in memory.
	 */
	co_atomic_store(&word[0], event[0], CO_RELEASE);
	co_atomic_store_also(&word[1], event[1]);
#if CO_TRACE_WORDS > 2
	co_atomic_store_also(&word[2], event[2]);
#endif
#if CO_TRACE_WORDS > 3
	co_atomic_store_also(&word[3], event[3]);
#endif
#if CO_TRACE_WORDS > 4
	co_atomic_store_also(&word[4], event[4]);
#endif
	/* release: the words are there; pairs with co_trace_noted(). */
	co_atomic_store(&r->count, n + 1, CO_RELEASE);
}

/* How many events there have been, n: numbers n - r->mask to n - 1 can be read. */
static inline uintptr_t co_trace_noted(const struct co_trace_ring *r)
{
	/* acquire: pairs with co_trace_put(). */
	return co_atomic_load(&r->count, CO_ACQUIRE);
}

/* Read event n (co_trace_noted()). False: it has been overwritten, or is being overwritten. */
static inline bool co_trace_get(const struct co_trace_ring *r, uintptr_t n,
				uintptr_t event[CO_TRACE_WORDS])
{
	/* acquire: a word of a later event brings the count that it came after. */
	for (unsigned i = 0; i < CO_TRACE_WORDS; i++)
		event[i] = co_atomic_load(&co_trace_place(r, n)[i], CO_ACQUIRE);
	/* relaxed: the loads of the words have acquired the count that this load must see. */
	return co_atomic_load(&r->count, CO_RELAXED) - n <= r->mask;
}

#endif
