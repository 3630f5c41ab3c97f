/*
 * counter.h - the fast paths of a completion counter, inline.
 *
 * The upper part of the word is the number of jobs under way, in units of CO_JOB. The lower part
 * counts how often that number has left 0 and not been handled as 0 again. A waiter may free the
 * counter when nothing is under way, but the last job to finish still looks for waiters then: so
 * the waiter waits for the lower part too. Every other job touches the counter once.
 */
#ifndef COHART_CORE_COUNTER_H
#define COHART_CORE_COUNTER_H

#include <cohart/coroutine.h>

#define CO_FINISHING 1u
#define CO_JOB 0x1000u
#define CO_JOBS(n) ((uint32_t)(n)*CO_JOB)
#define CO_LEFT(state) ((state) / CO_JOB)

/* Undo n that were too many, or that were never added, and assert. */
_Noreturn void co_counter_refuse(struct co_counter *c, uint32_t n);

/* Add n jobs, at least one. */
static inline void co_counter_more(struct co_counter *c, uint32_t n)
{
	uint32_t before = co_atomic_add(&c->state, CO_JOBS(n), CO_RELAXED);

	/* The usual case: there were some, and at most half as many as there may be. */
	if ((int32_t)before >= (int32_t)CO_JOB && n <= CO_LEFT(~0u) / 2)
		return;
	if (n > CO_LEFT(~0u) - CO_LEFT(before))
		co_counter_refuse(c, n);
	/* relaxed: the jobs that will count down are started after this. */
	if (!CO_LEFT(before))
		co_atomic_add(&c->state, CO_FINISHING, CO_RELAXED);
}

/* Handle a count that has become 0, or that was 0 `before` (asserts). */
void co_counter_over(struct co_counter *c, uint32_t before);

/* A job is done. Returns true if it was the last one, after notifying the waiter. */
static inline bool co_counter_less(struct co_counter *c)
{
	/*
	 * seq_cst: releases the job's work to the waiter's acquire, and comes before the look for
	 * waiters; pairs with co_wait_prepare() and under_way(), counter.c.
	 */
	uint32_t before = co_atomic_add(&c->state, -CO_JOB, CO_SEQ_CST);

	if (before >= CO_JOBS(2))
		return false;
	co_counter_over(c, before);
	return true;
}

#endif
