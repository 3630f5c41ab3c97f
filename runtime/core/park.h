/*
 * park.h - giving the hart away, for those who do it as the last thing of a function: what is kept
 * then is the caller's frame alone.
 */
#ifndef COHART_PARK_H
#define COHART_PARK_H

#include <errno.h>

#include "core.h"

/* Take the one that runs out of the ring. Returns the next, where it begins now, or NULL. */
static inline struct co *co_ready_drop(struct co *c)
{
	struct co *next = c->next_ready;
	struct co *last = c->prev_ready;

	if (next == c)
		return NULL;
	last->next_ready = next;
	next->prev_ready = last;
	return next;
}

/*
 * What must be kept for `from` beside its registers is put down, and taken up for `to`, before the
 * switch.
 */
static inline int co_go_on_with(struct co_executor *e, struct co *from, struct co *to)
{
	from->err = errno;
	errno = to->err;
	e->current = to;
	return hal_context_switch(to->wait_result, &from->context, &to->context);
}

/* co_park() for c, the one that runs. */
static inline int co_park_now(struct co_executor *e, struct co *c)
{
	struct co *next = co_ready_drop(c);

	if (!next || co_has_more(e))
		return co_park_long(e, c, next);
	return co_go_on_with(e, c, next);
}

#endif
