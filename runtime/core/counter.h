/*
 * counter.h - a completion counter's short ways, without a call.
 *
 * One word: how many are under way, and above that how often that became more than none and has not
 * been dealt with yet as none again. The waiter may free the counter as soon as nothing is under
 * way, while the last one to finish still looks for waiters: the upper part holds the waiter back
 * until it has. The others touch the counter once and no more.
 */
#ifndef COHART_CORE_COUNTER_H
#define COHART_CORE_COUNTER_H

#include <stdbool.h>

#include <cohart/coroutine.h>
#include <cohart/debug.h>

#define CO_LEFT(state) ((state)&0xfffffu)
#define CO_FINISHING 0x100000u
/* To compare what is left with so many. */
#define CO_LEFT_TOP(n) ((uint32_t)(n) << 12)

/* n have been added that were too many, or taken that were not there: put it right, and assert. */
_Noreturn void co_counter_refuse(struct co_counter *c, uint32_t n);

/* n more, at least one. */
static inline void co_counter_more(struct co_counter *c, uint32_t n)
{
	uint32_t before = co_atomic_add(&c->state, n, CO_RELAXED);

	/* There were none, or too many: one test for both. */
	if (CO_LEFT_TOP(before + n) > CO_LEFT_TOP(n) && n <= CO_LEFT(~0u))
		return;
	if (n > CO_LEFT(~0u) - CO_LEFT(before))
		co_counter_refuse(c, n);
	/* relaxed: all that may count down have heard of it from here. */
	co_atomic_add(&c->state, CO_FINISHING, CO_RELAXED);
}

/* Nothing is left, or nothing was `before`. */
void co_counter_over(struct co_counter *c, uint32_t before);

/* One less. True if it was the last one, and the waiter has been notified. */
static inline bool co_counter_less(struct co_counter *c)
{
	/*
	 * seq_cst: releases the doer's work to the waiter's acquire, and comes before the look for
	 * waiters; pairs with co_wait_prepare() and under_way(), counter.c.
	 */
	uint32_t before = co_atomic_add(&c->state, -1u, CO_SEQ_CST);

	if (CO_LEFT_TOP(before) > CO_LEFT_TOP(1))
		return false;
	co_counter_over(c, before);
	return true;
}

#endif
