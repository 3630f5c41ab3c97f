/*
 * rest.h - a coroutine that waits for words of its own memory, into which others write.
 *
 * Others' memory is only written, by plain stores, and there is no queue: a writer stores a word
 * and rings the waiter's hart, whether that sleeps or not.
 *
 * No lost wake-up: a hart clears its doorbell after a sleep, and looks at the words of all that
 * rest there after that. A word that comes later is followed by a ring, which stays pending and
 * ends the next sleep at once. A writer must know the doorbell, which may change: the waiter
 * announces a new one in the writer's memory and then looks at its words; the writer stores the
 * word and then looks for the doorbell. Both use the place of the doorbell by atomic accesses, so
 * one is first: either the writer finds the doorbell, or the waiter acquires the word.
 */
#ifndef COHART_LF_REST_H
#define COHART_LF_REST_H

#include <stdbool.h>

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>

/* Wait for the words from..end-1 from now on. */
static inline void co_rest_expect(struct co_rest *r, uint32_t from, uint32_t end)
{
	/* relaxed: the waiter's own; hart 0 looks at `end` first. */
	co_atomic_store(&r->from, from, CO_RELAXED);
	/* release: hart 0 sees that the hart has woken; pairs with co_rest_pending(). */
	co_atomic_store(&r->end, end, CO_RELEASE);
}

static inline uint32_t co_rest_value(const struct co_rest *r)
{
	/* relaxed: the waiter writes it; other harts read it for reports. */
	return co_atomic_load(&r->value, CO_RELAXED);
}

/*
 * A word by its number, which may be the number behind the last one. As an int: no zeros are
 * extended.
 */
static inline const struct co_a32 *co_rest_word(const struct co_rest *r, uint32_t i)
{
	return r->word + (int32_t)i;
}

/* Has one word come? */
static inline bool co_rest_has(const struct co_a32 *w, uint32_t value)
{
	/* acquire: the writer's writes before the word; pairs with co_rest_post(). */
	return co_atomic_load(w, CO_ACQUIRE) == value;
}

/* Have all the words come? The waiter's look, which remembers how far it got. */
static inline bool co_rest_come(struct co_rest *r)
{
	/* relaxed, all: the waiter's own. */
	uint32_t end = co_atomic_load(&r->end, CO_RELAXED);
	uint32_t i = co_atomic_load(&r->from, CO_RELAXED);
	uint32_t value = co_rest_value(r);

	while (i != end && co_rest_has(&r->word[i], value))
		i++;
	if (i == end)
		return true; /* and `from` stays, for the next time */
	co_atomic_store(&r->from, i, CO_RELAXED);
	return false;
}

static inline bool co_rest_stopped(const struct co_rest *r)
{
	/* acquire: why it was stopped; pairs with co_rest_stop(). */
	return co_atomic_load(&r->stop, CO_ACQUIRE) != 0;
}

/* Is there a reason to go on? There is a word to come at least. */
static inline bool co_rest_over(struct co_rest *r)
{
	const struct co_a32 *next = co_rest_word(r, co_atomic_load(&r->from, CO_RELAXED));

	/* relaxed, all: the waiter looks which. */
	return (co_atomic_load(next, CO_RELAXED) == co_rest_value(r) && co_rest_come(r)) ||
	       co_atomic_load(&r->stop, CO_RELAXED);
}

/* Does r end as soon as `other`, a rest on r's hart, is over? */
static inline bool co_rest_with(const struct co_rest *r, const struct co_rest *other)
{
	return r->with && r->with == other->with && co_rest_value(r) == co_rest_value(other);
}

/*
 * co_rest_over() for hart 0: would the waiter find a reason to go on? Right if the waiter has slept
 * all the time, else a guess. It reads no memory but r.
 */
static inline bool co_rest_pending(const struct co_rest *r)
{
	/* acquire: hart 0 sees that the waiter has woken, if so; pairs with co_rest_expect(). */
	uint32_t end = co_atomic_load(&r->end, CO_ACQUIRE);
	/* relaxed, all: with the number of the waiter's sleep, hart 0 has acquired these. */
	uint32_t value = co_rest_value(r);

	if (co_atomic_load(&r->stop, CO_RELAXED))
		return true;
	for (uint32_t i = co_atomic_load(&r->from, CO_RELAXED); i < end; i++) {
		if (i >= CO_REST_WORDS || co_atomic_load(&r->word[i], CO_RELAXED) != value)
			return false;
	}
	return true;
}

/*
 * Store a word of another coroutine's rest.
 * @param ring_by  where, in the writer's memory, the waiter announces its doorbell
 * @return the doorbell to ring; 0: none is announced yet, and the waiter will look at the word
 */
static inline uintptr_t co_rest_post(struct co_a32 *word, uint32_t value, struct co_aword *ring_by)
{
	/* release: the writes before the word; pairs with co_rest_has(). */
	co_atomic_store(word, value, CO_RELEASE);
	/*
	 * release: hands the word to a waiter that announces its doorbell later; else this access
	 * finds the doorbell. Pairs with co_rest_announce(). `ring_by` is in the writer's own
	 * memory.
	 */
	return co_atomic_or(ring_by, 0, CO_RELEASE);
}

/* Announce a doorbell, not 0, in the memory of a writer. The waiter then looks at its words. */
static inline void co_rest_announce(struct co_aword *ring_by, uintptr_t doorbell)
{
	/* acquire: the word of a writer that was first, for later looks; see co_rest_post(). */
	co_atomic_swap(ring_by, doorbell, CO_ACQUIRE);
}

/* ---- A rest of one word, which whoever rings sets ---- */

/* The hart's own, once. */
static inline void co_rest_init_call(struct co_rest *r)
{
	/* relaxed: the hart's own; see co_rest_expect(). */
	co_atomic_store(&r->value, 1, CO_RELAXED);
	co_rest_expect(r, 0, 1);
}

/* Wait to be called from now on. The waiter then says so to its callers, and looks around. */
static inline void co_rest_expect_call(struct co_rest *r)
{
	/*
	 * relaxed: a caller acquires it with the waiter's word that it waits. A call that came late
	 * is lost, and the waiter's look sees the event that it was for.
	 */
	co_atomic_store(&r->word[0], 0, CO_RELAXED);
}

/* Call the waiter, which has said that it waits; then ring. One that comes late is spurious. */
static inline void co_rest_call(struct co_rest *r)
{
	/* relaxed: the ring publishes it, and the event that it is for has a word of its own. */
	co_atomic_store(&r->word[0], 1, CO_RELAXED);
}

/* Let a rest be over in any case. The caller then rings the waiter, whether that sleeps or not. */
static inline void co_rest_stop(struct co_rest *r, uint32_t why)
{
	/* release: why; pairs with co_rest_stopped(). */
	co_atomic_or(&r->stop, why, CO_RELEASE);
}

#endif
