/*
 * channel_ticket.c - channels for harts without compare-and-swap: credits and tickets
 * (lf/ticket.h).
 *
 * Here a wake-up is not a hint, but brings a credit. So coroutines wait for credits, first come,
 * first served; a waiter woken without one (by a close) looks around.
 */
#include "../../core/core.h"
#include "../../core/lf/ticket.h"
#include "channel.h"

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
	struct co_waiter *w;

	/* A coroutine that enters after this looks at the channel before it sleeps. */
	while ((w = co_waitq_pick(&credit->queue)))
		co_wake(w);
}

void co_chan_ticket_close(struct co_credit *credit)
{
	/* A receiver that has given its credit before this is found to have drawn below. */
	co_credit_ask(credit);
	wake_waiting(credit);
}

/* One side of a channel. */
struct side {
	struct co_chan *c;
	struct co_credit *credit;
	bool (*over)(struct co_chan *c); /* no credit will come any more */
	const char *kind;
};

static bool closed(struct co_chan *c)
{
	return co_ring_is_closed(&c->ring);
}

INLINE struct side side_of(struct co_chan *c, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER
		       ? (struct side){ c, &c->room, closed, co_chan_room }
		       : (struct side){ c, &c->elements, co_chan_drained, co_chan_element };
}

/* Wait for a credit, registered. 0: the caller has it; else it is not registered any more. */
static int await_credit(const struct side *s, uint64_t deadline)
{
	struct co *self = co_self();

	for (;;) {
		struct co_waiter *w = co_wait_prepare(NULL, s->c, s->kind);
		int r = 0;

		if (co_credit_wait(s->credit, w)) {
			co_wait_withdraw(self);
			return 0;
		}
		if (s->over(s->c))
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
			return co_credit_quit(s->credit, w) ? 0 : r;
	}
}

/* The caller is registered for a credit. */
static NOINLINE int credit_later(struct co_chan *c, enum co_chan_side side, uint64_t deadline)
{
	struct side s = side_of(c, side);

	if (deadline == 0) /* another coroutine took it in between */
		return co_credit_quit(s.credit, NULL) ? 0 : -EAGAIN;
	return await_credit(&s, deadline);
}

/* There is no credit, and the caller does not wait. */
static NOINLINE int ticket_refusal(struct co_chan *c, enum co_chan_side side)
{
	return side_of(c, side).over(c) ? -EPIPE : -EAGAIN;
}

/* Spin for the ticket's slot, which is claimed for a copy at most (co_chan_reserve()). */
static void await_turn(struct co_claimed h)
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

/* The credits of the opposite side: `side` gives one when it is through with a slot. */
INLINE struct co_credit *credit_of_other(struct co_chan *c, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &c->elements : &c->room;
}

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

INLINE int pass_full(struct co_chan *c, struct co_claimed h)
{
	return pass(c, CO_CHAN_SENDER, h, h.stamp + CO_RING_FULL);
}

/* The slot is not free yet, or the copy is long. */
static NOINLINE int put_slowly(struct co_chan *c, const void *elem, struct co_slot *slot,
			       uintptr_t stamp)
{
	struct co_claimed h = { slot, stamp };

	await_turn(h);
	if (!co_chan_copy_words(co_slot_payload(slot), elem, elem, c->elem_size))
		co_chan_copy(co_slot_payload(slot), elem, c->elem_size);
	return pass_full(c, h);
}

static NOINLINE int get_slowly(struct co_chan *c, void *elem, struct co_slot *slot, uintptr_t stamp)
{
	struct co_claimed h = { slot, stamp };

	await_turn(h);
	if (!co_chan_copy_words(elem, co_slot_payload(slot), elem, c->elem_size))
		co_chan_copy(elem, co_slot_payload(slot), c->elem_size);
	return pass(c, CO_CHAN_RECEIVER, h, h.stamp + CO_RING_SHAPE_TURN(c->shape));
}

/* With a credit. All calls are last, so that nothing is saved for them. */
INLINE int put_by_ticket(struct co_chan *c, const void *elem)
{
	uint64_t shape = c->shape;
	bool late;
	struct co_claimed h = co_ticket_draw(&c->ring, &c->ring.tail, shape, 0, &late);

	if (late)
		return -EPIPE; /* the credit is lost with the channel */
	if (co_ring_turn(h) ||
	    !co_chan_copy_short(co_slot_payload(h.slot), elem, elem, CO_RING_SHAPE_PAYLOAD(shape)))
		return put_slowly(c, elem, h.slot, h.stamp);
	return pass_full(c, h);
}

INLINE int get_by_ticket(struct co_chan *c, void *elem)
{
	uint64_t shape = c->shape;
	bool late;
	struct co_claimed h = co_ticket_draw(&c->ring, &c->ring.head, shape, CO_RING_FULL, &late);

	if (co_ring_turn(h) ||
	    !co_chan_copy_short(elem, co_slot_payload(h.slot), elem, CO_RING_SHAPE_PAYLOAD(shape)))
		return get_slowly(c, elem, h.slot, h.stamp);
	return pass(c, CO_CHAN_RECEIVER, h, h.stamp + CO_RING_SHAPE_TURN(shape));
}

static NOINLINE int send_by_credit(struct co_chan *c, const void *elem, uint64_t deadline)
{
	int r = credit_later(c, CO_CHAN_SENDER, deadline);

	return r ? r : put_by_ticket(c, elem);
}

static NOINLINE int recv_by_credit(struct co_chan *c, void *elem, uint64_t deadline)
{
	int r = credit_later(c, CO_CHAN_RECEIVER, deadline);

	return r ? r : get_by_ticket(c, elem);
}

int co_chan_ticket_send(struct co_chan *c, const void *elem, uint64_t deadline)
{
	if (!deadline && !co_credit_any(&c->room))
		return ticket_refusal(c, CO_CHAN_SENDER);
	return co_credit_take(&c->room) ? put_by_ticket(c, elem)
					: send_by_credit(c, elem, deadline);
}

int co_chan_ticket_recv(struct co_chan *c, void *elem, uint64_t deadline)
{
	if (!deadline && !co_credit_any(&c->elements))
		return ticket_refusal(c, CO_CHAN_RECEIVER);
	return co_credit_take(&c->elements) ? get_by_ticket(c, elem)
					    : recv_by_credit(c, elem, deadline);
}

/* ---- Rows ---- */

/* Copy any element. `elem`: `to` or `from`, whichever is not in a slot. */
INLINE void copy_elem(void *to, const void *from, const void *elem, size_t bytes)
{
	if (!co_chan_copy_short(to, from, elem, (uint32_t)bytes) &&
	    !co_chan_copy_words(to, from, elem, bytes))
		memcpy(to, from, bytes);
}

/*
 * Fill (read) the slots of n tickets in order. The wait for a slot depends on earlier slots alone,
 * whose users wait for still earlier slots alone. Returns how many; fewer if the channel is closed.
 */
INLINE size_t move_ticket_row(struct co_chan *c, enum co_chan_side side, unsigned char *elems,
			      size_t n)
{
	bool sends = side == CO_CHAN_SENDER;
	uint64_t shape = c->shape;
	uintptr_t turn = sends ? CO_RING_FULL : CO_RING_SHAPE_TURN(shape);
	size_t bytes = CO_RING_SHAPE_PAYLOAD(shape), done = 0;

	/* Places without a slot are drawn over: once more for each. */
	while (done < n) {
		size_t drawn = n - done;
		uintptr_t pos = co_ticket_draw_row(sends ? &c->ring.tail : &c->ring.head, drawn);

		if (sends && pos & CO_RING_CLOSED)
			return done; /* as in put_by_ticket() */
		for (; drawn; drawn--, pos += CO_RING_STEP) {
			unsigned char *elem = elems + done * bytes;
			struct co_claimed h;

			if (!co_ticket_has_slot(shape, pos))
				continue;
			h = co_ticket_slot(&c->ring, shape, pos, sends ? 0 : CO_RING_FULL);
			if (co_ring_turn(h))
				await_turn(h);
			if (sends)
				copy_elem(co_slot_payload(h.slot), elem, elem, bytes);
			else
				copy_elem(elem, co_slot_payload(h.slot), elem, bytes);
			co_ticket_pass(h, h.stamp + turn);
			done++;
		}
	}
	return done;
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
	size_t n = co_credit_take_row(side_of(c, side).credit, most);

	if (n)
		n = side == CO_CHAN_SENDER ? move_ticket_row(c, CO_CHAN_SENDER, elems, n)
					   : move_ticket_row(c, CO_CHAN_RECEIVER, elems, n);
	if (n)
		give_row(c, side, n);
	return n;
}
