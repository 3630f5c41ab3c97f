/*
 * park.h - how a coroutine that waits sleeps in place, or is parked: by a tail call, so that only
 * the caller's frame is kept.
 */
#ifndef COHART_PARK_H
#define COHART_PARK_H

#include <errno.h>

#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "../core.h"
#include "../lf/rest.h"
#include "../lf/start_slot.h"

/* Take the running coroutine out of the ring, where `next` follows it. */
static inline void co_ready_unlink(struct co *c, struct co *next)
{
	struct co *last = c->prev_ready;

	last->next_ready = next;
	next->prev_ready = last;
}

/* Take c out of the ring. Returns the coroutine that the ring begins with then, or NULL. */
static inline struct co *co_ready_drop(struct co *c)
{
	struct co *next = c->next_ready;

	if (next == c)
		return NULL;
	co_ready_unlink(c, next);
	return next;
}

/* Switch from `from` to `to`, with their errno. */
static inline int co_go_on_with(struct co_executor *e, struct co *from, struct co *to)
{
	from->err = errno;
	errno = to->err;
	e->current = to;
	return hal_context_switch(to->wait_result, &from->context, &to->context);
}

/* Park c, which runs, and switch to `next`. */
static inline int co_park_for(struct co_executor *e, struct co *c, struct co *next)
{
	if (!co_token_leave_place(&c->token))
		return c->wait_result; /* its wait has ended already */
	co_ready_unlink(c, next);
	return co_go_on_with(e, c, next);
}

/* Go to the next rest of a parked coroutine: is it over? A switch looks at no further rest. */
static inline bool co_rest_next_over(struct co_executor *e)
{
	e->rests = e->rests->next;
	return co_rest_over(e->rests);
}

/* Is there no more to look at than deadlines, none of which has come, and the next rest? */
static inline bool co_may_go_on(struct co_executor *e)
{
	return !e->devices && e->hart && !co_inbox_glance(&e->outlet) &&
	       !(e->resting && co_rest_next_over(e)) && hal_time_now() < e->soonest;
}

/*
 * Run other coroutines until c, which runs and whose token is set, is ready again; after
 * co_sleep_in_place() where c may sleep so. Returns c's wait_result.
 */
static inline int co_park_now(struct co_executor *e, struct co *c)
{
	struct co *next = c->next_ready;

	if (co_has_more(e) || next == c)
		return co_park_long(e, c, c);
	return co_park_for(e, c, next);
}

/*
 * May the hart sleep by co_hart_sleep(): no deadlines, no message? On hart 0 also: is an alarm set,
 * which ends the sleep? This is the usual case; idle() in executor.c does all cases, and explains
 * the order of steps.
 */
static inline bool co_may_sleep(const struct co_executor *e)
{
	return e->more == e->quiet;
}

/*
 * Sleep once, right after co_may_sleep().
 * @param place  the token of the coroutine on whose stack this runs, if its wait may end in place,
 *               or NULL
 * @param still  cancel the alarm of an earlier sleep; otherwise that alarm may end the sleep, and
 *               the next sleep has to cancel it
 * @return the coroutine in the start slot, or NULL
 */
static inline struct co *co_hart_sleep(struct co_inbox *inbox, const struct co_a32 *place,
				       bool still)
{
	/* For a coroutine in the start slot this hart is rung. */
	if (co_inbox_prepare_and_look(inbox, place ? (uintptr_t)place : CO_IDLE)) {
		if (still)
			hal_time_wake_at(CO_FOREVER); /* as in sleep_until() */
		hal_irq_wait();
		hal_ipi_clear();
	}
	co_inbox_set_awake(inbox);
	return co_start_slot_take(inbox);
}

/*
 * A coroutine has been given to this hart while it slept in place: it starts by message, whatever
 * the awake coroutine does next. Inline, since a call would cost the sleep a frame.
 */
INLINE void co_hart_given(struct co_inbox *inbox)
{
	struct co *given = co_start_slot_take(inbox);

	if (!given)
		return; /* its giver has taken it back */
	given->msg.run = co_start_msg;
	co_inbox_push(inbox, &given->msg);
}

/*
 * Sleep once on the stack of c, which has armed its token and is the hart's only ready coroutine.
 * After co_may_sleep(). The alarm of hart 0, which is set for the watch too, becomes no later.
 * `noted`: after co_token_note_place().
 * True: c's wait has been ended by another hart. False: c goes on by co_park_now().
 */
INLINE bool co_sleep_on(struct co_executor *e, const struct co *c, uint64_t deadline, bool noted)
{
	struct co_inbox *inbox = &e->self->inbox;
	uintptr_t idle = deadline == CO_FOREVER ? (uintptr_t)&c->token : CO_IDLE_TIMED;

	if (__builtin_expect(co_inbox_prepare_and_look(inbox, idle), 1)) {
		/* An alarm that comes later ends one sleep. */
		if (deadline != CO_FOREVER && __builtin_expect(deadline < e->alarm, 1))
			hal_time_wake_at(deadline);
		else if (deadline != CO_FOREVER)
			hal_time_wake_at(e->alarm);
		hal_irq_wait();
		hal_ipi_clear();
	}
	if (__builtin_expect(!co_inbox_wake_and_look(inbox), 0)) {
		co_hart_given(inbox);
		return false;
	}
	return noted ? co_token_delivered_noted(&c->token) : co_token_delivered(&c->token);
}

/* co_sleep_on() if c may sleep so. */
INLINE bool co_sleep_in_place(struct co_executor *e, const struct co *c, uint64_t deadline)
{
	return co_may_sleep(e) && co_sleep_on(e, c, deadline, false);
}

/*
 * co_sleep_in_place() for c, which rests on r: its hart sleeps until all words have come. `one`: r
 * waits for word[0] alone. `value`: r's.
 *
 * Several words may come one after another, each with a ring: between two rings the hart does
 * nothing that other harts see, so it remains asleep for them. Not without end: on hart 0 it may be
 * the alarm that rings.
 *
 * True: all words have come; c's token is still armed, and the caller calls co_hart_awake() next.
 * False: c goes on by co_rest_slowly(). Context: after co_may_sleep(), and a look that has found a
 * word missing.
 */
#define CO_REST_SLEEPS 32
INLINE void co_hart_awake(struct co_inbox *inbox)
{
	if (__builtin_expect(!co_inbox_wake_and_look(inbox), 0))
		co_hart_given(inbox);
}

INLINE bool co_rest_on(struct co_inbox *inbox, const struct co *c, struct co_rest *r, bool one,
		       uint32_t value)
{
	/* relaxed, both: its own. */
	const struct co_a32 *w = co_rest_word(r, one ? 0 : co_atomic_load(&r->from, CO_RELAXED));
	const struct co_a32 *end = one ? NULL
				       : co_rest_word(r, co_atomic_load(&r->end, CO_RELAXED));
	unsigned sleeps = CO_REST_SLEEPS;

	if (co_inbox_prepare_and_look(inbox, (uintptr_t)&c->token)) {
		do {
			hal_irq_wait();
			hal_ipi_clear();
			while (co_rest_has(w, value)) {
				if (one || ++w == end)
					return true;
			}
			/* relaxed: for a stop, too, the hart is rung; see co_inbox_called(). */
		} while (--sleeps && !co_inbox_called(inbox) &&
			 !co_atomic_load(&r->stop, CO_RELAXED));
	}
	co_hart_awake(inbox);
	return false;
}

/* Leave this stack for good and enter a coroutine. */
_Noreturn INLINE void co_enter(struct co_executor *e, struct co *next)
{
	errno = next->err;
	e->current = next;
	if (next->fresh)
		hal_context_begin(next->stack_top, co_entry);
	hal_context_jump(next->wait_result, &next->context);
}

#endif
