/*
 * start_slot.h - a place for one coroutine to start, in a hart whose executor sleeps: a spawner
 * puts the coroutine there and rings, the executor looks there when it wakes. Neither uses the
 * inbox.
 *
 * No coroutine is lost: the spawner puts it in the slot, then looks whether the executor sleeps,
 * and rings; the executor says that it is awake, then empties the slot. Both use the slot by swaps,
 * so one is first: either the executor takes the coroutine, or the spawner's swap acquires from the
 * executor's that the executor is awake. An executor that slept in place swaps only if a look finds
 * something: it lowers its flag, then looks (co_inbox_wake_and_look()). These two accesses and the
 * spawner's two are seq_cst, so either the executor sees the coroutine, or the spawner sees the
 * executor awake. A spawner that finds the executor awake takes back the coroutine in the slot. A
 * party that takes a coroutine out, or replaces it by another, has to handle it: a swap gives each
 * coroutine to one party.
 */
#ifndef COHART_LF_START_SLOT_H
#define COHART_LF_START_SLOT_H

#include "inbox.h"

/*
 * Give c to a hart. Returns NULL: the hart has it, ring; else the coroutine to post by message: c,
 * or an earlier one.
 */
static inline void *co_start_slot_give(struct co_inbox *q, void *c)
{
	void *before;

	/* relaxed: a guess; the look below decides. */
	if (co_atomic_load(&q->idle, CO_RELAXED) == CO_BUSY)
		return c;
	/*
	 * seq_cst: releases c to co_start_slot_take(), or acquires that the executor has woken; and
	 * comes before the look at idle, in one order with co_inbox_wake_and_look()'s two.
	 */
	before = (void *)co_atomic_swap(&q->start_slot, (uintptr_t)c, CO_SEQ_CST);
	/*
	 * The hart has been rung for `before`, and looks at the slot no more than once for both:
	 * the older coroutine goes by message, which comes with a ring, too, if the hart sleeps.
	 */
	if (before)
		return before;
	/* seq_cst: after the swap; pairs with co_inbox_wake_and_look(). */
	if (co_atomic_load(&q->idle, CO_SEQ_CST) != CO_BUSY)
		return NULL;
	/*
	 * acquire: the slot may hold another spawner's coroutine by now; sees its spawner's writes.
	 */
	return (void *)co_atomic_swap(&q->start_slot, 0, CO_ACQUIRE);
}

/*
 * Is the slot full? relaxed: a hint; there is a ring for each coroutine, whether this look finds or
 * misses it.
 */
static inline bool co_start_slot_full(struct co_inbox *q)
{
	return co_atomic_load(&q->start_slot, CO_RELAXED) != 0;
}

/*
 * Take the coroutine in the slot. Returns NULL if it is empty. The look of a hart that has woken.
 */
static inline void *co_start_slot_take(struct co_inbox *q)
{
	/*
	 * acq_rel: sees the spawner's writes; and a reader that finds the slot empty,
	 * co_start_slot_give() or stuck.c, sees the taker awake.
	 */
	return (void *)co_atomic_swap(&q->start_slot, 0, CO_ACQ_REL);
}

#endif
