/* park.h - giving the hart away as a function's last act: the caller's frame alone is kept. */
#ifndef COHART_PARK_H
#define COHART_PARK_H

#include <errno.h>

#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "core.h"
#include "lf/start_slot.h"

/* Take the one that runs out of the ring; `next` is another one. */
static inline void co_ready_unlink(struct co *c, struct co *next)
{
	struct co *last = c->prev_ready;

	last->next_ready = next;
	next->prev_ready = last;
}

/* The same, with any other one next, or none. Returns the next, where the ring begins, or NULL. */
static inline struct co *co_ready_drop(struct co *c)
{
	struct co *next = c->next_ready;

	if (next == c)
		return NULL;
	co_ready_unlink(c, next);
	return next;
}

/* What `from` keeps beside its registers is put down, that of `to` taken up, before the switch. */
static inline int co_go_on_with(struct co_executor *e, struct co *from, struct co *to)
{
	from->err = errno;
	errno = to->err;
	e->current = to;
	co_event(CO_TRACE_SWITCH, 0);
	return hal_context_switch(to->wait_result, &from->context, &to->context);
}

/* co_park() for c, the one that runs, whose token has been set. */
static inline int co_park_now(struct co_executor *e, struct co *c)
{
	struct co *next = c->next_ready;

	if (co_has_more(e))
		return co_park_long(e, c, c);
	if (next == c)
		return co_park_alone(e, c);
	if (!co_token_leave_place(&c->token))
		return c->wait_result; /* the end of its wait has been handed over already */
	co_ready_unlink(c, next);
	return co_go_on_with(e, c, next);
}

/*
 * Sleep where no time matters, there is no message, and it is not hart 0: as most sleep. idle() in
 * executor.c is for the others, and says why things are in this order.
 */
static inline bool co_rest_may(const struct co_executor *e)
{
	return e->more == e->quiet;
}

/*
 * Once, right after co_rest_may().
 * @param place  the token of the coroutine on whose stack that is, if the end of its wait can be
 *               handed over here, or NULL
 * @param still  take back what alarm an earlier sleep may have set; else that can end this one, and
 *               the next one has to
 * @return what this hart was given meanwhile to start, or NULL
 */
static inline struct co *co_rest(struct co_executor *e, const struct co_a32 *place, bool still)
{
	struct co_inbox *inbox = &e->self->inbox;

	hal_ipi_clear();
	if (co_inbox_prepare_and_look(inbox, place) && !(place && co_token_delivered(place))) {
		if (still)
			hal_time_wake_at(CO_FOREVER); /* as there */
		hal_irq_wait();
	}
	co_inbox_set_awake(inbox);
	return co_start_slot_take(inbox);
}

/* To a coroutine, or to the executor's loop if there is none; this stack is left for good. */
_Noreturn static inline void co_enter(struct co_executor *e, struct co *next)
{
	if (!next)
		hal_context_begin(e->stack_top, co_executor_loop);
	errno = next->err;
	e->current = next;
	co_event(CO_TRACE_SWITCH, 0);
	if (next->fresh)
		hal_context_begin(next->stack_top, co_entry);
	hal_context_jump(next->wait_result, &next->context);
}

#endif
