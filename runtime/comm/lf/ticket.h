/*
 * ticket.h - claiming positions by atomic adds whose result is used: without undo or retry, so the
 * cost does not grow with the number of contenders.
 *
 * Two steps. A credit says that there is something for the caller: free slots for senders, full
 * ones for receivers. A ticket, the next position, says which. A credit is taken by one add. When
 * none is left the result says so, and the caller, which is counted already, waits until a giver of
 * a credit finds it waiting and hands the credit over: first come, first served, and no third party
 * can be faster. Tickets that fall on a place without a slot are skipped: each side draws over them
 * alike.
 *
 * A coroutine that waits elsewhere too, and a close, leave CO_CREDIT_LOOK in the count: each giver
 * sees the flag in the result of its add, and looks for them.
 *
 * A ticket's slot may lag behind: its user is a copy away from being through, or holds it by choice
 * (zero-copy). Then its holder waits for the slot itself.
 *
 * Source: ours, for seed A5's machine, whose compute harts add but do not compare and swap.
 */
#ifndef COHART_LF_TICKET_H
#define COHART_LF_TICKET_H

#include <cohart/detail/waitq.h>

#include "ring.h"
#include "../../core/lf/waitq.h"

/* A woken waiter's `place`: it has been given a credit; 0: no credit, it shall look around. */
#define CO_CREDIT_GRANTED 1u

/* Take a credit; false: the caller is registered, and must co_credit_wait() or co_credit_quit(). */
static inline bool co_credit_take(struct co_credit *c)
{
	/* relaxed: a credit is a number. The slot, and the payload, come with the stamp. */
	return (intptr_t)co_atomic_add(&c->count, (uintptr_t)-CO_CREDIT_ONE, CO_RELAXED) >=
	       CO_CREDIT_ONE;
}

/* Is there one just now? Without registering. */
static inline bool co_credit_any(struct co_credit *c)
{
	/* relaxed: a moment old anyway. */
	return (intptr_t)co_atomic_load(&c->count, CO_RELAXED) >= CO_CREDIT_ONE;
}

/* Let givers look from now on, for one that waits elsewhere. Is there a credit? */
static inline bool co_credit_ask(struct co_credit *c)
{
	/*
	 * acq_rel: releases the entry, or the end, to a giver that finds the flag, and acquires the
	 * writes of earlier givers; pairs with co_credit_add_row().
	 */
	return (intptr_t)co_atomic_or(&c->count, CO_CREDIT_LOOK, CO_ACQ_REL) >= CO_CREDIT_ONE;
}

/* A registered caller enters the queue: true if a credit was pending for it and is its own now. */
static inline bool co_credit_wait(struct co_credit *c, struct co_waiter *w)
{
	struct co_waiter *first = co_waitq_lock(&c->queue);
	bool got = co_plain_load(&c->pending) > 0;

	w->queue = &c->queue;
	co_plain_store(&w->place, 0);
	if (got)
		co_plain_store(&c->pending, co_plain_load(&c->pending) - 1);
	else
		first = co_waitq_link(first, w, false);
	co_waitq_unlock(&c->queue, first);
	return got;
}

/*
 * A registered caller gives up; w is its node, NULL if it never entered the queue. True: a credit
 * was pending for it after all, and is its own.
 */
static inline bool co_credit_quit(struct co_credit *c, struct co_waiter *w)
{
	struct co_waiter *first = co_waitq_lock(&c->queue);
	bool got = co_plain_load(&c->pending) > 0;

	if (w && co_waitq_linked(first, w))
		first = co_waitq_unlink(first, w);
	if (got)
		co_plain_store(&c->pending, co_plain_load(&c->pending) - 1);
	else
		co_plain_store(&c->dead, co_plain_load(&c->dead) + 1);
	co_waitq_unlock(&c->queue, first);
	return got;
}

/* Take up to `most` credits. Returns how many; the caller is not registered for others. */
static inline size_t co_credit_take_row(struct co_credit *c, size_t most)
{
	/* relaxed, both: as in co_credit_take(). */
	intptr_t there = (intptr_t)co_atomic_load(&c->count, CO_RELAXED) / CO_CREDIT_ONE;
	size_t n = there <= 0 ? 0 : (size_t)there < most ? (size_t)there : most;
	size_t got = 0;

	if (!n)
		return 0;
	there = (intptr_t)co_atomic_add(&c->count, -(n * CO_CREDIT_ONE), CO_RELAXED) /
		CO_CREDIT_ONE;
	if (there > 0)
		got = (size_t)there < n ? (size_t)there : n;
	for (size_t missed = n - got; missed; missed--) /* others took some in between */
		got += co_credit_quit(c, NULL);
	return got;
}

/* Give n credits. Returns the count before, for the three functions that take `was`. */
static inline uintptr_t co_credit_add_row(struct co_credit *c, size_t n)
{
	/* acq_rel: releases the ticket, and acquires why to look; pairs with co_credit_ask(). */
	return co_atomic_add(&c->count, n * CO_CREDIT_ONE, CO_ACQ_REL);
}

static inline uintptr_t co_credit_add(struct co_credit *c)
{
	return co_credit_add_row(c, 1);
}

/* How many of n credits are for registered callers? co_credit_hand() is next for each. */
static inline size_t co_credit_due_of(uintptr_t was, size_t n)
{
	size_t due = (intptr_t)was < 0 ? (CO_CREDIT_ONE - 1 - was) / CO_CREDIT_ONE : 0;

	return due < n ? due : n;
}

/* Is the credit for a registered caller? */
static inline bool co_credit_is_due(uintptr_t was)
{
	return (intptr_t)was < 0;
}

/* Shall the giver look for others? */
static inline bool co_credit_look(uintptr_t was)
{
	return was & CO_CREDIT_LOOK;
}

/*
 * Hand over a credit that is due. Returns the waiter that has it, which the caller makes ready;
 * NULL: none yet.
 */
static inline struct co_waiter *co_credit_hand(struct co_credit *c)
{
	do {
		/* A caller is registered. One whose wait the clock or a cancel has ended will quit.
		 */
		struct co_waiter *first = co_waitq_lock(&c->queue);
		struct co_waiter *w = co_waitq_pick_locked(&first);
		bool again = false;

		if (w) {
			co_plain_store(&w->place, CO_CREDIT_GRANTED);
		} else if (co_plain_load(&c->dead)) {
			/* One only: for each further dead one, another giver may be on its way. */
			co_plain_store(&c->dead, co_plain_load(&c->dead) - 1);
			again = true;
		} else {
			co_plain_store(&c->pending, co_plain_load(&c->pending) + 1);
		}
		co_waitq_unlock(&c->queue, first);
		if (!again)
			return w;
	} while (co_credit_is_due(co_credit_add(c)));
	return NULL;
}

/* Draw a side's next n positions. Returns the first, with the flags that were there. */
static inline uintptr_t co_ticket_draw_row(struct co_aword *side, size_t n)
{
	/*
	 * relaxed: the order of one word decides between a sender's ticket and a close, and the
	 * payload comes with the stamp. The credit that its user gives then releases the ticket.
	 */
	return co_atomic_add(side, n * CO_RING_STEP, CO_RELAXED);
}

/*
 * The number of a position's slot in its lap; some have none.
 * @param shape  the ring's constants in one word: a hart without a cache reads each from afar
 */
static inline uintptr_t co_ticket_number(uint64_t shape, uintptr_t pos)
{
	uintptr_t lap = (uintptr_t)CO_RING_STEP << CO_RING_SHAPE_LAP(shape);

	return (pos & (lap - 1)) / CO_RING_STEP;
}

static inline bool co_ticket_has_slot(uint64_t shape, uintptr_t pos)
{
	return co_ticket_number(shape, pos) <= CO_RING_SHAPE_LAST(shape);
}

/* The slot of a position that has one. */
static inline struct co_claimed co_ticket_slot(const struct co_ring *r, uint64_t shape,
					       uintptr_t pos, uintptr_t stage)
{
	uintptr_t lap = (uintptr_t)CO_RING_STEP << CO_RING_SHAPE_LAP(shape);
	uintptr_t number = co_ticket_number(shape, pos);

	return (struct co_claimed){
		(struct co_slot *)(void *)(r->slots + number * CO_RING_SHAPE_STRIDE(shape)),
		(pos & -lap) + stage,
	};
}

/* Draw the side's next position that has a slot. *closed: was the flag set at the draw? */
static inline struct co_claimed co_ticket_draw(struct co_ring *r, struct co_aword *side,
					       uint64_t shape, uintptr_t stage, bool *closed)
{
	uintptr_t pos;

	do
		pos = co_ticket_draw_row(side, 1);
	while (!co_ticket_has_slot(shape, pos));
	*closed = pos & CO_RING_CLOSED;
	return co_ticket_slot(r, shape, pos, stage);
}

/*
 * The slot's user is through, where both sides take tickets: nobody waits for a slot by a mark.
 * `stamp`: the next stage's.
 */
static inline void co_ticket_pass(struct co_claimed h, uintptr_t stamp)
{
	/* release: the payload, and that it is not used any more; pairs with co_ring_turn(). */
	co_atomic_store(&h.slot->stamp, stamp, CO_RELEASE);
}

#endif
