/*
 * channel_ticket.c - channels for harts without compare-and-swap: credits and tickets
 * (lf/ticket.h).
 *
 * Here a wake-up is not a hint, but brings a credit. So coroutines wait for credits, first come,
 * first served; a waiter woken without one (by a close) looks around.
 */
#include <errno.h>

#include "../../comm/lf/ticket.h"
#include "claim.h"

/* Hand over a credit that is due. */
static NOINLINE void hand_credit(struct co_credit *credit)
{
	struct co_waiter *w = co_credit_hand(credit);

	if (w)
		co_wake(w);
}

/* After a close, or the last element before one: wake all that wait for a credit. */
static void wake_waiting(struct co_credit *credit)
{
	/* A coroutine that enters after this looks at the channel before it sleeps. */
	(void)co_wake_all_after(&credit->queue);
}

void co_chan_ticket_close(struct co_credit *credit)
{
	/* A receiver that has given its credit before this is found to have drawn below. */
	co_credit_ask(credit);
	wake_waiting(credit);
}

/* The credits that `side` takes. */
INLINE struct co_credit *credit_of(struct co_chan *c, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &c->room : &c->elements;
}

/* The credits that `side` gives, one for each slot that it is through with. */
INLINE struct co_credit *credit_of_other(struct co_chan *c, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &c->elements : &c->room;
}

/* Wait for a credit, registered. 0: the caller has it; else it is not registered any more. */
static int await_credit(struct co_chan *c, enum co_chan_side side, uint64_t deadline)
{
	const char *kind = side == CO_CHAN_SENDER ? co_chan_room : co_chan_element;
	struct co_credit *credit = credit_of(c, side);
	struct co *self = co_self();

	for (;;) {
		struct co_waiter *w = co_wait_prepare(NULL, c, kind);
		int r = 0;

		if (co_credit_wait(credit, w)) {
			co_wait_withdraw(self);
			return 0;
		}
		if (co_chan_is_over(c, side))
			r = -EPIPE;
		else if (co_canceled())
			r = -ECANCELED;
		if (r) {
			if (co_wait_withdraw(self) && w->place == CO_CREDIT_GRANTED)
				return 0;
		} else {
			r = co_wait_sleep(self, deadline);
			if (r == 0 && w->place == CO_CREDIT_GRANTED)
				return 0;
		}
		if (r)
			return co_credit_quit(credit, w) ? 0 : r;
	}
}

/* Spin for the ticket's slot, which is claimed for a copy at most (co_chan_reserve()). */
static NOINLINE void await_turn(struct co_claimed h)
{
	unsigned spins = 0;

	while (co_ring_turn(h) != 0)
		co_spin(&spins);
}

/*
 * The last element before the end has been claimed: no more credits come for other waiters. A
 * waiter that enters a queue later acquires the ticket, and the end, by the lock.
 */
static NOINLINE void look_for_end(struct co_chan *c)
{
	if (!co_ring_final(&c->ring) || !co_chan_drained(c))
		return;
	wake_waiting(&c->elements);
	co_wake_all_after(&c->receivers); /* pairs with co_chan_drained() */
}

/*
 * A hart without compare-and-swap has no cache either, so memory accesses are the cost: the ring's
 * shape and place, the slot's stamp, and three adds.
 */

/* Notify the opposite side: the count of its credits says that somebody waits. Returns 0. */
static NOINLINE int notify_side(struct co_chan *c, enum co_chan_side side, uintptr_t was)
{
	/* If the caller that it was due to is gone, the credit is there for others only now. */
	if (co_credit_is_due(was))
		hand_credit(credit_of_other(c, side));
	if (side == CO_CHAN_RECEIVER)
		look_for_end(c);
	co_wake_one(side == CO_CHAN_SENDER ? &c->receivers : &c->senders);
	return 0;
}

/* The slot's payload is in place, or was read: `stamp` is the slot's next one. */
INLINE int pass(struct co_chan *c, enum co_chan_side side, struct co_claimed h, uintptr_t stamp)
{
	uintptr_t was;

	co_ticket_pass(h, stamp);
	was = co_credit_add(credit_of_other(c, side));
	if (__builtin_expect(co_credit_is_due(was) || co_credit_look(was), 0))
		return notify_side(c, side, was);
	return 0;
}

/* Copy an element to (from) a ticket's slot. `bytes`: of an element. */
INLINE void copy_elem(enum co_chan_side side, void *elem, struct co_claimed h, size_t bytes,
		      bool is_long)
{
	void *payload = co_slot_payload(h.slot);
	void *to = side == CO_CHAN_SENDER ? payload : elem;
	const void *from = side == CO_CHAN_SENDER ? elem : payload;

	if (is_long)
		co_chan_copy_long(to, from, elem, bytes);
	else if (!co_chan_copy_short(to, from, elem, (uint32_t)bytes))
		memcpy(to, from, bytes);
}

/* From the stamp of a ticket's slot to that of the slot's next stage. */
INLINE uintptr_t step(enum co_chan_side side, uint64_t shape)
{
	return side == CO_CHAN_SENDER ? CO_RING_FULL : CO_RING_SHAPE_TURN(shape);
}

/* The slot's turn has not come yet, or the copy is long. */
static NOINLINE int move_slowly(struct co_chan *c, void *elem, struct co_slot *slot,
				uintptr_t stamp, enum co_chan_side side)
{
	struct co_claimed h = { slot, stamp };

	if (co_ring_turn(h))
		await_turn(h);
	copy_elem(side, elem, h, c->elem_size, true);
	return pass(c, side, h, h.stamp + step(side, c->shape));
}

/* With a credit. All calls are last, so that nothing is saved for them. */
INLINE int move_by_ticket(struct co_chan *c, enum co_chan_side side, void *elem)
{
	bool sends = side == CO_CHAN_SENDER, closed;
	uint64_t shape = c->shape;
	struct co_claimed h = co_ticket_draw(&c->ring, co_chan_next_word(&c->ring, side), shape,
					     co_chan_stage(side), &closed);
	void *payload = co_slot_payload(h.slot);

	if (sends && closed)
		return -EPIPE; /* the credit is lost with the channel */
	if (co_ring_turn(h) || !co_chan_copy_short(sends ? payload : elem, sends ? elem : payload,
						   elem, CO_RING_SHAPE_PAYLOAD(shape)))
		return move_slowly(c, elem, h.slot, h.stamp, side);
	return pass(c, side, h, h.stamp + step(side, shape));
}

/* The caller is registered for a credit. */
static NOINLINE int move_by_credit(struct co_chan *c, void *elem, uint64_t deadline, bool waits,
				   enum co_chan_side side)
{
	int r;

	if (waits)
		r = await_credit(c, side, deadline);
	else /* another coroutine took it in between */
		r = co_credit_quit(credit_of(c, side), NULL) ? 0 : -EAGAIN;
	return r ? r : move_by_ticket(c, side, elem);
}

INLINE int move_one(struct co_chan *c, enum co_chan_side side, void *elem, uint64_t deadline,
		    bool waits)
{
	if (!waits && !co_credit_any(credit_of(c, side)))
		return co_chan_refusal(c, side);
	return co_credit_take(credit_of(c, side)) ? move_by_ticket(c, side, elem)
						  : move_by_credit(c, elem, deadline, waits, side);
}

int co_chan_ticket_send(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	return move_one(c, CO_CHAN_SENDER, elem, deadline, waits);
}

int co_chan_ticket_recv(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	return move_one(c, CO_CHAN_RECEIVER, elem, deadline, waits);
}

/* ---- Rows ---- */

/*
 * Fill (read) the slots of n tickets in order. The wait for a slot depends on earlier slots alone,
 * whose users wait for still earlier slots alone. Returns how many; fewer if the channel is closed.
 */
INLINE size_t move_row(struct co_chan *c, enum co_chan_side side, unsigned char *elems, size_t n,
		       bool is_long)
{
	uint64_t shape = c->shape;
	size_t bytes = CO_RING_SHAPE_PAYLOAD(shape), done = 0;

	/* Places without a slot are drawn over: once more for each. */
	while (done < n) {
		size_t drawn = n - done;
		uintptr_t pos = co_ticket_draw_row(co_chan_next_word(&c->ring, side), drawn);

		if (side == CO_CHAN_SENDER && pos & CO_RING_CLOSED)
			return done; /* as in move_by_ticket() */
		for (; drawn; drawn--, pos += CO_RING_STEP) {
			struct co_claimed h;

			if (!co_ticket_has_slot(shape, pos))
				continue;
			h = co_ticket_slot(&c->ring, shape, pos, co_chan_stage(side));
			if (co_ring_turn(h))
				await_turn(h);
			copy_elem(side, elems + done * bytes, h, bytes, is_long);
			co_ticket_pass(h, h.stamp + step(side, shape));
			done++;
		}
	}
	return done;
}

INLINE size_t move_row_of(struct co_chan *c, enum co_chan_side side, unsigned char *elems, size_t n)
{
	return c->elem_size > 16 ? move_row(c, side, elems, n, true)
				 : move_row(c, side, elems, n, false);
}

/* Give n credits to the opposite side: the caller is through with n slots. */
static void give_row(struct co_chan *c, enum co_chan_side side, size_t n)
{
	struct co_credit *credit = credit_of_other(c, side);
	uintptr_t was = co_credit_add_row(credit, n);

	for (size_t due = co_credit_due_of(was, n); due > 1; due--)
		hand_credit(credit);
	if (co_credit_is_due(was) || co_credit_look(was))
		notify_side(c, side, was);
}

size_t co_chan_ticket_row(struct co_chan *c, enum co_chan_side side, unsigned char *elems,
			  size_t most)
{
	size_t n = co_credit_take_row(credit_of(c, side), most);

	if (n)
		n = side == CO_CHAN_SENDER ? move_row_of(c, CO_CHAN_SENDER, elems, n)
					   : move_row_of(c, CO_CHAN_RECEIVER, elems, n);
	if (n)
		give_row(c, side, n);
	return n;
}
