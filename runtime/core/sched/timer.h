/* timer.h - this hart's deadlines: timer.c. Giving and taking one is inline, as most waits do both.
 */
#ifndef COHART_CORE_TIMER_H
#define COHART_CORE_TIMER_H

#include "../core.h"

/*
 * Note c, which has no note; take c's note out of the heap, and return r; bring the heap up to
 * date.
 */
void co_timer_note(struct co_executor *e, struct co *c);
int co_timer_leave_heap(struct co_executor *e, struct co *c, int r);
void co_timer_sort(struct co_executor *e);

/* Give c, which lives on this hart, is noted and has none, a deadline. */
static inline void co_timer_set(struct co_executor *e, struct co *c, uint64_t deadline)
{
	co_deadline_set(c, deadline);
	if (deadline < e->soonest)
		e->soonest = deadline;
	if (!e->deadlines++) {
		e->timed = true;
		co_attend(e);
	}
}

/* Take it away. Returns r, for a tail call. */
static inline int co_timer_clear(struct co_executor *e, struct co *c, int r)
{
	co_deadline_set(c, CO_FOREVER);
	if (!--e->deadlines) {
		e->soonest = CO_FOREVER;
		e->timed = false;
		co_attend(e);
	}
	return __builtin_expect(c->timer <= e->sorted, 0) ? co_timer_leave_heap(e, c, r) : r;
}

/* End the waits whose deadline has passed. */
void co_timer_poll(struct co_executor *e);

#endif
