/*
 * counter.h - completion counter: things that are under way, and a wait until none is.
 *
 * Example
 *	struct co_counter left = { 0 };
 *	co_counter_add(&left, 3);
 *	... each of the three, on any hart, when it is done: co_counter_done(&left);
 *	int r = co_counter_wait(&left);
 *
 * Zero-filled is valid: nothing under way. It must lie in memory that every hart may use.
 */
#ifndef COHART_COUNTER_H
#define COHART_COUNTER_H

#include <cohart/detail/wait.h>

struct co_counter {
	struct co_a32 state; /* counter.c */
	struct co_waitq queue;
};

/* n more are under way, at most a million in all (asserted). Context: any. Order: relaxed. */
void co_counter_add(struct co_counter *c, uint32_t n);

/*
 * One is done. Fewer than were added (asserted).
 * Context: any. Order: release (what the doer wrote is seen after the wait), then a look for
 * waiters.
 */
void co_counter_done(struct co_counter *c);

/*
 * Wait until none is under way.
 * @return 0; -ETIMEDOUT; -ECANCELED. After 0 the counter's memory may be given to another use.
 * Context: coroutine. Order: acquire; paired with every co_counter_done().
 */
int co_counter_wait(struct co_counter *c);
int co_counter_wait_until(struct co_counter *c, uint64_t deadline);

#endif
