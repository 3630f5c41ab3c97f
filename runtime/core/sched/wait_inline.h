/*
 * wait_inline.h - waits and wakes as inline functions, for objects whose waits are counted to the
 * instruction. A function named x_inline() is x() inline; wait.c has x().
 */
#ifndef COHART_WAIT_INLINE_H
#define COHART_WAIT_INLINE_H

#include "park.h"

/* Results of a wait; 0 is a hint. */
#define CO_WOKEN_WITH ((int)CO_WAITER_TAKES) /* the waker has written `value` */
#define CO_WOKEN_DONE 2 /* the waker, on the waiter's hart, has written where `into` says */

/* The rare parts, called last, so that the fast paths save no registers. */
/* Lock q. Returns the first waiter, or NULL. */
struct co_waiter *co_wait_lock(struct co_waitq *q);
int co_wait_sleep_timed(struct co *c, uint64_t deadline);
/* c, which runs, goes on after co_wait_in_place_until(). */
int co_wait_park_until(struct co *c, uint64_t deadline);
int co_wait_refuse(struct co_waiter *w);
/* The first free node for waits on several queues, if none has been used; NULL: all are in use. */
struct co_node *co_wait_first_node(struct co_executor *e);

/* Begin a wait of c, as wakers and reports see it. */
static inline void co_wait_arm_as(struct co *c, const void *object, uint32_t token)
{
	co_atomic_store(&c->waits_for, (uintptr_t)object, CO_RELAXED);
	co_token_set(&c->token, CO_ARMED | CO_IN_PLACE | token);
}

/*
 * `q`: the queue that c->waiter is about to enter, or NULL. It is set before the token, which
 * end_wait() (fault/give_up.c) takes first.
 */
static inline void co_wait_arm(struct co *c, struct co_waitq *q, const void *object,
			       const char *kind)
{
	c->waiter.queue = q;
	co_atomic_store(&c->waits_kind, (uintptr_t)kind, CO_RELAXED);
	co_wait_arm_as(c, object, 0);
}

/*
 * As co_wait_prepare_inline(), for a caller that has locked q and has its first waiter. `place`:
 * CO_WAITER_TAKES if a waker may hand over a value, by `value` or `into` of the control block;
 * CO_WAITER_TAKES_HERE if a waker on this hart may; or 0. The caller sets `into` before other
 * coroutines run.
 */
static inline __attribute__((always_inline, nonnull(2))) struct co_waiter *
co_wait_begin(struct co *c, struct co_waitq *q, struct co_waiter *first, const void *object,
	      const char *kind, bool front, uint32_t place)
{
	struct co_waiter *w;

	CO_ASSERT_COROUTINE(c);
	co_wait_arm(c, q, object, kind);
	w = &c->waiter;
	co_plain_store(&w->place, place);
	co_waitq_unlock(q, co_waitq_link(first, w, front));
	return w;
}

/* co_wait_prepare(), or _front(), or _as(). */
INLINE struct co_waiter *co_wait_prepare_inline(struct co_waitq *q, const void *object,
						const char *kind, bool front, uint32_t place)
{
	struct co_waiter *first;

	if (!co_waitq_try_lock(q, &first))
		first = co_wait_lock(q);
	return co_wait_begin(co_executor.current, q, first, object, kind, front, place);
}

/*
 * Where a value for c goes. relaxed: c's own hart reads it; other harts read `rest`, for reports.
 */
INLINE void *co_wait_into(const struct co *c)
{
	return (void *)co_atomic_load(&c->into, CO_RELAXED);
}

/* c begins to sleep: for traces and reports. */
INLINE void co_wait_note(struct co *c)
{
	co_atomic_store(&c->since, co_since(hal_time_now()), CO_RELAXED);
}

/*
 * Begin to sleep. True: the wait has ended meanwhile, and its result is c's. False: go on by
 * co_wait_go_on().
 */
INLINE bool co_wait_in_place(struct co *c, uint64_t deadline)
{
	co_wait_note(c);
	return deadline == CO_FOREVER && c->next_ready == c &&
	       co_sleep_in_place(&co_executor, c, CO_FOREVER);
}

/* co_wait_in_place() with a deadline that may come. False: go on by co_wait_park_until(). */
INLINE bool co_wait_in_place_until(struct co *c, uint64_t deadline)
{
	bool ended;

	if (c->next_ready != c)
		return false;
	co_deadline_set(c, deadline); /* for reports: nothing looks at a note of it meanwhile */
	ended = co_sleep_in_place(&co_executor, c, deadline);
	co_deadline_set(c, CO_FOREVER);
	return ended;
}

INLINE int co_wait_go_on(struct co *c, uint64_t deadline)
{
	return deadline == CO_FOREVER ? co_park_now(&co_executor, c)
				      : co_wait_sleep_timed(c, deadline);
}

/* Sleep until the wait has ended. */
INLINE int co_wait_sleep_inline(struct co *c, uint64_t deadline)
{
	return co_wait_in_place(c, deadline) ? c->wait_result : co_wait_go_on(c, deadline);
}

/*
 * Begin a wait of c on r (lf/rest.h), which the caller has filled in: nobody wakes c, but its own
 * hart ends the wait when r is over. The caller looks at r once more. `kind`: as for
 * co_wait_prepare().
 */
INLINE void co_rest_begin_as(struct co *c, struct co_rest *r, const void *object, const char *kind)
{
	co_atomic_store(&c->waits_kind, (uintptr_t)kind, CO_RELAXED);
	co_wait_arm_as(c, object, CO_RESTS);
	co_atomic_store(&c->rest, (uintptr_t)r, CO_RELAXED); /* hart 0 looks: co_rest_pending() */
}

/* co_rest_begin_as() at a barrier. */
INLINE void co_rest_begin(struct co *c, struct co_rest *r, const void *object)
{
	co_wait_arm_as(c, object, CO_RESTS | CO_AT_BARRIER);
	co_atomic_store(&c->rest, (uintptr_t)r, CO_RELAXED); /* hart 0 looks: co_rest_pending() */
}

/* End c's rest without sleeping: on this hart nobody else has ended it. */
INLINE void co_rest_end(struct co *c)
{
	co_token_set(&c->token, 0);
}

/* Was c cancelled before its wait? relaxed: one that is missed arrives by a message and ends it. */
INLINE bool co_wait_canceled(const struct co *c)
{
	return co_atomic_load(&c->cancel, CO_RELAXED) != 0;
}

/*
 * Sleep until r is over. `h`: this hart. `one`: r waits for word[0] alone. `value`: r's. True: all
 * words have come, and the caller calls co_rest_leave_place() next: soon, for until then other
 * harts take this hart to be asleep, but after its writes that other harts wait for, since it takes
 * a while. False: go on by co_rest_slowly().
 */
INLINE bool co_rest_sleep(struct co_hart *h, struct co *c, struct co_rest *r, bool one,
			  uint32_t value, uint64_t deadline)
{
	if (co_wait_canceled(c))
		return false;
	co_wait_note(c);
	return deadline == CO_FOREVER && c->next_ready == c && co_may_sleep(&co_executor) &&
	       co_rest_on(&h->inbox, c, r, one, value);
}

INLINE void co_rest_leave_place(struct co_hart *h, struct co *c)
{
	co_hart_awake(&h->inbox);
	co_rest_end(c);
}

/*
 * Calls: ends of waits by parties that know whether the waiter's hart sleeps in place; they wake a
 * waiter that does not by its queue. A call reads no token and no queue of the waiter's: it sets
 * the hart's word and rings.
 */

/* May c, which is about to wait, be called? Otherwise it enters a queue. */
INLINE bool co_call_may(const struct co *c, uint64_t deadline)
{
	return deadline == CO_FOREVER && c->next_ready == c && co_may_sleep(&co_executor) &&
	       !co_wait_canceled(c);
}

/*
 * Begin a wait that a call ends. The waiter then says so where its callers look, and looks around.
 */
INLINE void co_call_expect(struct co_hart *h, struct co *c, const void *object, const char *kind)
{
	CO_ASSERT_COROUTINE(c);
	co_rest_expect_call(&h->call);
	co_rest_begin_as(c, &h->call, object, kind);
}

/*
 * Sleep until c is called, unless `came`: the look around has found the event that c waits for. The
 * caller then looks again: a call may come late, or for another event. False: the hart has woken
 * for something else, and c has to wait in a queue, since an alarm that is up ends each further
 * sleep in place.
 * Context: co_call_may() was true, and this hart has done nothing since but to say so and to look.
 */
INLINE bool co_call_await(struct co_hart *h, struct co *c, bool came)
{
	if (!came) {
		co_wait_note(c);
		if (co_rest_on(&h->inbox, c, &h->call, true, 1)) {
			co_rest_leave_place(h, c);
			return true;
		}
	}
	co_rest_end(c);
	return came;
}

/* Call the coroutine that sleeps in place on hart h, which has said that it waits. Returns 0. */
INLINE int co_call(struct co_hart *h, uintptr_t doorbell)
{
	co_rest_call(&h->call);
	co_ring(doorbell);
	return 0;
}

/*
 * Wake c on another hart, with its token taken and its `value` written. `place`: from its node, and
 * the result of its wait: CO_WOKEN_WITH, plus the number in a wait on several. Returns 0.
 */
INLINE int co_wake_with(struct co *c, uint32_t place)
{
	c->wait_result = (int)place;
	if (!co_token_deliver(&c->token))
		return co_ready_parked(c);
	co_ring(c->doorbell);
	return 0;
}

/*
 * Wake c, on this hart, with its token taken. CO_WOKEN_DONE: the value is written where `into`
 * says.
 */
INLINE int co_wake_here(struct co *c, int result)
{
	c->wait_result = result;
	return co_ready_push(c);
}

/*
 * End the wait of c, which lives on another hart and has said that it waits. The caller is the only
 * party that may end it, so c is shielded and has no deadline. The wait's result is undefined.
 */
INLINE void co_wake_claimed(struct co *c)
{
	if (co_token_end(&c->token))
		co_ring(c->doorbell);
	else
		(void)co_ready_parked(c);
}

/* Wake the coroutine of w, whose token was taken, with a hint. Returns 0. */
INLINE int co_wake_inline(struct co_waiter *w)
{
	struct co *c = co_waiter_co(w);

	c->wait_result = 0;
	c->woken_by = w;
	return co_ready(c);
}

/*
 * Wake the first waiter. Returns 0, or `none` if nobody waits. The usual case, an unlocked queue
 * whose first waiter still waits, needs no frame.
 */
int co_wake_next(struct co_waitq *q, int none);
INLINE int co_wake_first(struct co_waitq *q, int none)
{
	struct co_waiter *w;
	bool taken;

	if (!co_waitq_try_lock(q, &w))
		return co_wake_next(q, none);
	if (!w) {
		co_waitq_unlock(q, NULL);
		return none;
	}
	/* Before the unlock, after which the waiter may wait anew. */
	taken = co_token_take(w->token);
	co_waitq_unlock(q, co_waitq_unlink(w, w));
	return taken ? co_wake_inline(w) : co_wake_next(q, none);
}

INLINE int co_wait_commit_inline(struct co_waiter *w, uint64_t deadline)
{
	struct co *c = co_container_of(w, struct co, waiter);

	if (co_wait_canceled(c))
		return co_wait_refuse(w);
	return co_wait_sleep_inline(c, deadline);
}

/* The number of a node among several, from the place in it. */
INLINE int co_wait_any_number(uint32_t place)
{
	return (int)(place & (CO_WAITER_TAKES - 1)) - 1;
}

/* The result of a wait that ends since the object of one node does: its number with a mark. */
INLINE int co_wait_any_ended(uint32_t place)
{
	return CO_WOKEN_WITH + co_wait_any_number(place) + 1;
}

/* By c; `count` is not used. */
INLINE void co_wait_any_begin_inline(struct co_wait_any *a, struct co *c, const void *object,
				     const char *kind)
{
	struct co_executor *e = &co_executor;
	struct co_node *free = e->free_node;

	CO_ASSERT_COROUTINE(c);
	co_wait_arm(c, NULL, object, kind); /* it waits by other nodes */
	a->first = a->end = free ? free : co_wait_first_node(e);
}

/*
 * By c, as number i, from 1. `takes`: with CO_WAITER_TAKES a waker may hand over a value by
 * `value`. Until co_wait_any_commit_inline() the nodes remain the first of the free ones: no other
 * coroutine of the hart runs meanwhile.
 */
INLINE bool co_wait_any_enter_inline(struct co_wait_any *a, size_t i, struct co *c,
				     struct co_waitq *q, uint32_t takes)
{
	struct co_node *n = a->end;
	struct co_waiter *first, *w = &n->waiter;

	if (!n)
		return false;
	a->end = n->more;
	w->token = &c->token;
	co_plain_store(&w->place, (uint32_t)i | takes);
	w->queue = q;
	if (!co_waitq_try_lock(q, &first))
		first = co_wait_lock(q);
	co_waitq_unlock(q, co_waitq_link(first, w, false));
	return true;
}

/* Take w out of its queue, if it is there still. */
INLINE void co_wait_any_drop(struct co_waiter *w)
{
	struct co_waitq *q = w->queue;
	struct co_waiter *first;

	w->queue = NULL;
	if (!co_waitq_try_lock(q, &first))
		first = co_wait_lock(q);
	if (co_waitq_linked(first, w))
		first = co_waitq_unlink(first, w);
	co_waitq_unlock(q, first);
}

INLINE int co_wait_any_commit_inline(struct co_wait_any *a, struct co *c, bool ready,
				     uint64_t deadline)
{
	struct co_executor *e = &co_executor;
	struct co_node *last, *n = a->first;
	int r = ready ? -EAGAIN : co_wait_canceled(c) ? -ECANCELED : 0;

	e->free_node = a->end;
	if (!r)
		r = co_wait_sleep_inline(c, deadline);
	else if (co_wait_withdraw(c))
		r = c->wait_result;
	if (r > 0)
		r--;
	else if (!r)
		r = co_wait_any_number(c->woken_by->place);
	if (n == a->end)
		return r;
	do {
		last = n;
		co_wait_any_drop(&n->waiter);
		n = n->more;
	} while (n != a->end);
	last->more = e->free_node;
	e->free_node = a->first;
	return r;
}

#endif
