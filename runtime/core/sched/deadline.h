/*
 * deadline.h - this hart's deadlines: deadline.c. Giving and taking a deadline is inline, since
 * most waits do both.
 */
#ifndef COHART_CORE_DEADLINE_H
#define COHART_CORE_DEADLINE_H

#include "../core.h"

/*
 * Note c, which has no note; take c's note out of the heap, and return r; bring the heap up to
 * date.
 */
void co_deadline_note(struct co_executor *e, struct co *c);
int co_deadline_leave_heap(struct co_executor *e, struct co *c, int r);
void co_deadline_sort(struct co_executor *e);

/* Give c, which lives on this hart, is noted and has none, a deadline. */
static inline void co_deadline_give(struct co_executor *e, struct co *c, uint64_t deadline)
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
static inline int co_deadline_take(struct co_executor *e, struct co *c, int r)
{
	co_deadline_set(c, CO_FOREVER);
	if (!--e->deadlines) {
		e->soonest = CO_FOREVER;
		e->timed = false;
		co_attend(e);
	}
	return __builtin_expect(c->timer <= e->sorted, 0) ? co_deadline_leave_heap(e, c, r) : r;
}

/* End the waits whose deadline has passed. */
void co_deadline_poll(struct co_executor *e);

#endif
