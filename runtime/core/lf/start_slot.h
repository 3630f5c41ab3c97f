/*
 * start_slot.h - a place for one coroutine to start, in a hart whose executor sleeps: a spawner
 * puts it there and rings, the executor looks there when it wakes. It spares both the inbox.
 *
 * Nothing gets lost: the spawner puts it there, then looks whether the executor sleeps, and rings;
 * the executor says that it is awake, then takes what is there. Both use the place by swaps, so one
 * is first: either the executor takes it, or the spawner's swap acquires from the executor's that
 * it is awake. An executor that slept in place swaps only if a look finds something: it lowers its
 * flag, then looks (co_inbox_wake_and_look()), and those two and the spawner's two are seq_cst, so
 * that one of them sees the other. A spawner that finds it awake takes back what is there, and a
 * party that takes something out, or puts something in the place of another, has to handle it:
 * there is one such at a time.
 */
#ifndef COHART_LF_START_SLOT_H
#define COHART_LF_START_SLOT_H

#include "inbox.h"

/* Give c to a hart. NULL: it has it, ring. Else what to post by message: c, or an earlier one. */
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
	 * It has been rung for what was there, and looks at that and this no more than once: older
	 * ones go by message, which comes with a ring too if it sleeps.
	 */
	if (before)
		return before;
	/* seq_cst: after the swap; pairs with co_inbox_wake_and_look(). */
	if (co_atomic_load(&q->idle, CO_SEQ_CST) != CO_BUSY)
		return NULL;
	/* acquire: it may be another's by now, with what that one wrote. */
	return (void *)co_atomic_swap(&q->start_slot, 0, CO_ACQUIRE);
}

/* Is anything there already? relaxed: a hint; for what it misses, and finds, there is a ring. */
static inline bool co_start_slot_full(struct co_inbox *q)
{
	return co_atomic_load(&q->start_slot, CO_RELAXED) != 0;
}

/* What is there, or NULL: the look of a hart that has woken. */
static inline void *co_start_slot_take(struct co_inbox *q)
{
	/*
	 * acq_rel: what its spawner wrote; and a reader that finds nothing, co_start_slot_give() or
	 * stuck.c, sees the taker awake.
	 */
	return (void *)co_atomic_swap(&q->start_slot, 0, CO_ACQ_REL);
}

#endif
