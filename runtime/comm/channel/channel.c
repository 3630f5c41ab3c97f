/*
 * channel.c - send and receive: a slot is claimed, filled or read, and moved on by one swap, which
 * also shows whether a coroutine waits. If the claim fails, a wait follows (channel_wait.c).
 *
 * To a receiver that waits a sender may hand the element past the ring, if that is empty: up to 16
 * bytes by the receiver's control block; of any size on the receiver's own hart.
 */
#include <errno.h>

#include "claim.h"

/* A coroutine waits in one of the two queues: wake the first of each. */
NOINLINE int co_chan_wake_two(struct co_waitq *a, struct co_waitq *b)
{
	co_wake_known(a);
	return co_wake_known(b);
}

/*
 * ---- Move an element through the claimed slot h ----
 *
 * All calls are last, so that nothing is saved for them. A function out of line has `side` as its
 * last argument: c and elem stay in their registers.
 */

static NOINLINE int move_bytes(struct co_chan *c, void *elem, struct co_slot *slot, uintptr_t stamp,
			       enum co_chan_side side)
{
	void *payload = co_slot_payload(slot);

	memcpy(side == CO_CHAN_SENDER ? payload : elem, side == CO_CHAN_SENDER ? elem : payload,
	       c->elem_size);
	return co_chan_publish(c, side, (struct co_claimed){ slot, stamp });
}

/* The element is not short, or there is no hurry. */
static NOINLINE int move_long(struct co_chan *c, void *elem, struct co_slot *slot, uintptr_t stamp,
			      enum co_chan_side side)
{
	void *to = side == CO_CHAN_SENDER ? co_slot_payload(slot) : elem;
	const void *from = side == CO_CHAN_SENDER ? elem : co_slot_payload(slot);

	if (!co_chan_copy_words(to, from, elem, c->elem_size) &&
	    !co_chan_copy_odd(to, from, elem, c->elem_size))
		return move_bytes(c, elem, slot, stamp, side);
	return co_chan_publish(c, side, (struct co_claimed){ slot, stamp });
}

INLINE int move(struct co_chan *c, enum co_chan_side side, void *elem, struct co_claimed h)
{
	void *payload = co_slot_payload(h.slot);

	if (!co_chan_copy_short(side == CO_CHAN_SENDER ? payload : elem,
				side == CO_CHAN_SENDER ? elem : payload, elem, c->elem_size))
		return move_long(c, elem, h.slot, h.stamp, side);
	return co_chan_publish(c, side, h);
}

/* Move an element after a first wait that resulted in r. */
static NOINLINE int move_woken(struct co_chan *c, void *elem, uint64_t deadline, int r,
			       enum co_chan_side side)
{
	struct co_claimed h;

	r = co_chan_claim_later(c, side, &h, deadline, r);
	return r ? r : move_long(c, elem, h.slot, h.stamp, side);
}

/* The sender's claim of its next slot has failed. */
static NOINLINE int send_blocked(struct co_chan *c, void *elem, uint64_t deadline,
				 struct co_slot *slot, uintptr_t stamp)
{
	struct co_claimed h = { slot, stamp };
	int r = co_chan_wait(c, CO_CHAN_SENDER, h, false, deadline);

	return move_woken(c, elem, deadline, r, CO_CHAN_SENDER);
}

NOINLINE int co_chan_take_value(const struct co_chan *c, void *elem)
{
	co_chan_copy(elem, co_executor.current->value, c->elem_size);
	return 0;
}

/* The receiver's first wait has resulted in r. */
INLINE int recv_woken(struct co_chan *c, void *elem, uint64_t deadline, const struct co *self,
		      int r)
{
	if (r != CO_WOKEN_WITH)
		return move_woken(c, elem, deadline, r, CO_CHAN_RECEIVER);
	if (!co_chan_copy_short(elem, self->value, elem, c->elem_size))
		return co_chan_take_value(c, elem);
	return 0;
}

/* The channel has changed before the sleep, or the receiver was cancelled. */
static NOINLINE int recv_awake(struct co_chan *c, void *elem, uint64_t deadline)
{
	if (co_wait_abandon(&co_executor.current->waiter) == CO_WOKEN_WITH)
		return co_chan_take_value(c, elem);
	return move_woken(c, elem, deadline, CO_CHAN_CHANGED, CO_CHAN_RECEIVER);
}

static NOINLINE int recv_resumed(int r, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_chan *c = co_container_of(self->waiter.queue, struct co_chan, receivers);

	return recv_woken(c, co_wait_into(self), deadline, self, r);
}

/*
 * Park: other coroutines run meanwhile. Nothing is kept in registers, which the switch would save
 * once more; the control block has the values that a resumed receiver needs.
 */
static NOINLINE int recv_parked(struct co *self, uint64_t deadline)
{
	int r = deadline == CO_FOREVER ? co_park_now(&co_executor, self)
				       : co_wait_park_until(self, deadline);

	return r == CO_WOKEN_DONE ? 0 : recv_resumed(r, deadline);
}

/*
 * The receiver's claim of its next slot has failed: there is no element. A wait as in
 * co_chan_wait(), but a sender may hand an element over.
 */
static NOINLINE int recv_blocked(struct co_chan *c, void *elem, uint64_t deadline,
				 struct co_slot *slot, uintptr_t stamp)
{
	struct co_claimed h = { slot, stamp };
	struct co_waiter *first;
	struct co *self;

	if (!co_waitq_try_lock(&c->receivers, &first))
		return move_woken(c, elem, deadline, CO_CHAN_CHANGED, CO_CHAN_RECEIVER);
	self = co_executor.current;
	co_wait_begin(self, &c->receivers, first, c, co_chan_element, false, c->takes);
	if (co_ring_mark(h) || co_ring_may_end(&c->ring) || co_wait_canceled(self))
		return recv_awake(c, elem, deadline);
	if (co_wait_in_place(self, deadline) ||
	    (deadline != CO_FOREVER && co_wait_in_place_until(self, deadline)))
		return recv_woken(c, elem, deadline, self, self->wait_result);
	/* A sender on this hart may write there. A wild pointer faults here, in the receiver. */
	co_touch((unsigned char *)elem + c->elem_size - 1);
	co_atomic_store(&self->into, (uintptr_t)elem, CO_RELAXED); /* as in co_wait_into() */
	return recv_parked(self, deadline);
}

/* Move an element through the ring. */
INLINE int move_by_ring(struct co_chan *c, enum co_chan_side side, void *elem, uint64_t deadline,
			bool waits)
{
	struct co_claimed h;

	if (co_chan_claim(co_chan_claim_of(c, side), c, side, CO_RING_WAITED, &h))
		return move(c, side, elem, h);
	if (!waits)
		return co_chan_refusal(c, side);
	return side == CO_CHAN_SENDER ? send_blocked(c, elem, deadline, h.slot, h.stamp)
				      : recv_blocked(c, elem, deadline, h.slot, h.stamp);
}

static NOINLINE int send_by_ring(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	return move_by_ring(c, CO_CHAN_SENDER, elem, deadline, waits);
}

static NOINLINE int recv_by_ring(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	return move_by_ring(c, CO_CHAN_RECEIVER, elem, deadline, waits);
}

/* ---- Send ---- */

/* The slot that `next`, a side's word, tells of, while the side does not move on. */
INLINE struct co_claimed slot_now(const struct co_ring *r, enum co_chan_side side, uintptr_t next,
				  uintptr_t way)
{
	return way == CO_CLAIM_SINGLE
		       ? co_single_at(next, side == CO_CHAN_SENDER ? &r->put : &r->took)
		       : co_ring_at(r, next, co_chan_stage(side));
}

/*
 * Is the senders' next slot the receivers' next one, too? Then all elements that this sender has
 * sent before have been claimed. False for a closed channel: a receiver may know of the close
 * already. The caller has locked the receivers' queue, and a receiver is in there: an only receiver
 * does not move on.
 */
INLINE bool has_caught_up(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t sends = co_chan_way_of(c, CO_CHAN_SENDER);
	uintptr_t receives = co_chan_way_of(c, CO_CHAN_RECEIVER);
	/* relaxed, all: no word goes back; a closed tail has a flag, which equals nothing. */
	uintptr_t tail = co_atomic_load(&r->tail, CO_RELAXED);
	uintptr_t head = co_atomic_load(&r->head, CO_RELAXED);
	struct co_claimed send, recv;

	/* Many on both sides: two positions. One each: the words of a slot; else `put` is 0. */
	if (tail == head && sends == CO_CLAIM_CAS)
		return true;
	if (tail + CO_RING_FULL == head &&
	    co_atomic_load(&r->put, CO_RELAXED) == co_atomic_load(&r->took, CO_RELAXED))
		return true;
	if (sends == receives)
		return false;
	send = slot_now(r, CO_CHAN_SENDER, tail, sends);
	recv = slot_now(r, CO_CHAN_RECEIVER, head, receives);
	return recv.slot == send.slot && recv.stamp == send.stamp + CO_RING_FULL;
}

/* Hand over to a receiver, whose token has been taken; `to`: its buffer, or `value`. */
static NOINLINE int hand_any(const struct co_chan *c, const void *elem, struct co *receiver,
			     uint32_t result, void *to)
{
	co_chan_copy_long(to, elem, (void *)((uintptr_t)to | (uintptr_t)elem), c->elem_size);
	return receiver->hart == co_executor.hart ? co_wake_here(receiver, (int)result)
						  : co_wake_with(receiver, result);
}

INLINE int hand_here(struct co_chan *c, const void *elem, struct co *receiver)
{
	void *into = co_wait_into(receiver);

	if (!co_chan_copy_short(into, elem, (void *)((uintptr_t)into | (uintptr_t)elem),
				c->elem_size))
		return hand_any(c, elem, receiver, CO_WOKEN_DONE, into);
	return co_wake_here(receiver, CO_WOKEN_DONE);
}

INLINE int hand_away(struct co_chan *c, const void *elem, struct co *receiver, uint32_t place)
{
	if (!co_chan_copy_short(receiver->value, elem, elem, c->elem_size))
		return hand_any(c, elem, receiver, place, receiver->value);
	return co_wake_with(receiver, place);
}

/* May the caller hand an element to a waiter with that place, or one on its own hart? */
INLINE bool takes(uint32_t place, const struct co *receiver)
{
	return place & CO_WAITER_TAKES ||
	       (place == CO_WAITER_TAKES_HERE && receiver->hart == co_executor.hart);
}

/*
 * Receivers wait, most likely. If the ring is empty, hand the element to the first of them: into
 * its buffer on this hart; into its control block on another hart, or for a select. Else send by
 * the ring.
 */
static NOINLINE int hand(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	struct co_waitq *q = &c->receivers;
	struct co_a32 *token;
	struct co *receiver;
	struct co_waiter *w;
	uint32_t place;

	if (!co_waitq_try_lock(q, &w))
		return send_by_ring(c, elem, deadline, waits);
	token = w ? w->token : NULL;
	receiver = co_container_of(token, struct co, token);
	place = w ? co_plain_load(&w->place) : 0;
	if (!takes(place, receiver) || !has_caught_up(c) || !co_token_take(token)) {
		co_waitq_unlock(q, w);
		return send_by_ring(c, elem, deadline, waits);
	}
	co_waitq_unlock(q, co_waitq_unlink(w, w));
	if (receiver->hart != co_executor.hart)
		return hand_away(c, elem, receiver, place);
	return place & (CO_WAITER_TAKES - 1) ? hand_any(c, elem, receiver, place, receiver->value)
					     : hand_here(c, elem, receiver);
}

/* By compare-and-swap, or alone: a mark may be all that keeps an only sender from its slot. */
INLINE int send_marked(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	return co_waitq_known(&c->receivers) ? hand(c, elem, deadline, waits)
					     : send_by_ring(c, elem, deadline, waits);
}

/* There is no room, or this is the first use of a static channel. */
static NOINLINE int send_otherwise(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	if (co_chan_is_rendezvous(c))
		return co_chan_rendezvous_send(c, elem, deadline, waits);
	co_chan_choose_claim(c);
	if (co_chan_has_tickets(c))
		return co_chan_ticket_send(c, elem, deadline, waits);
	return send_by_ring(c, elem, deadline, waits);
}

/*
 * The mark of its next slot, which it knows, tells an only sender that receivers wait; one of many
 * looks at their queue before it finds the slot.
 */
int co_chan_send_until(struct co_chan *c, const void *element, uint64_t deadline)
{
	uintptr_t way = co_chan_way_of(c, CO_CHAN_SENDER);
	void *elem = (void *)element; /* it is read only */
	struct co_claimed h;

	touch_elem(elem);
	if (way == CO_CLAIM_CAS) {
		check_cas(c);
		if (co_waitq_known(&c->receivers))
			return hand(c, elem, deadline, true);
		if (co_chan_claim(CO_CLAIM_CAS, c, CO_CHAN_SENDER, CO_RING_WAITED, &h))
			return move(c, CO_CHAN_SENDER, elem, h);
		return send_blocked(c, elem, deadline, h.slot, h.stamp);
	}
	if (way == CO_CLAIM_SINGLE) {
		if (co_chan_claim(CO_CLAIM_SINGLE, c, CO_CHAN_SENDER, 0, &h))
			return move(c, CO_CHAN_SENDER, elem, h);
		return send_marked(c, elem, deadline, true);
	}
	return way == CO_CLAIM_TICKET ? co_chan_ticket_send(c, elem, deadline, true)
				      : send_otherwise(c, elem, deadline, true);
}

int co_chan_try_send(struct co_chan *c, const void *element)
{
	uintptr_t way = co_chan_way_of(c, CO_CHAN_SENDER);
	void *elem = (void *)element;

	touch_elem(elem);
	if (way & ~(uintptr_t)CO_CLAIM_SINGLE)
		return send_otherwise(c, elem, 0, false);
	if (way == CO_CLAIM_CAS)
		check_cas(c);
	else
		check_single(c, CO_CHAN_SENDER);
	return send_marked(c, elem, 0, false);
}

/* ---- Receive ---- */

/* send_otherwise() for a receiver. */
static NOINLINE int recv_otherwise(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	if (co_chan_is_rendezvous(c))
		return co_chan_rendezvous_recv(c, elem, deadline, waits);
	co_chan_choose_claim(c);
	if (co_chan_has_tickets(c))
		return co_chan_ticket_recv(c, elem, deadline, waits);
	return recv_by_ring(c, elem, deadline, waits);
}

int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline)
{
	uintptr_t way = co_chan_way_of(c, CO_CHAN_RECEIVER);
	struct co_claimed h;

	touch_elem(elem);
	if (way == CO_CLAIM_CAS) {
		if (co_chan_claim(CO_CLAIM_CAS, c, CO_CHAN_RECEIVER, CO_RING_WAITED, &h))
			return move(c, CO_CHAN_RECEIVER, elem, h);
	} else if (way == CO_CLAIM_SINGLE) {
		if (co_chan_claim(CO_CLAIM_SINGLE, c, CO_CHAN_RECEIVER, CO_RING_WAITED, &h))
			return move(c, CO_CHAN_RECEIVER, elem, h);
	} else if (way == CO_CLAIM_TICKET) {
		return co_chan_ticket_recv(c, elem, deadline, true);
	} else {
		return recv_otherwise(c, elem, deadline, true);
	}
	return recv_blocked(c, elem, deadline, h.slot, h.stamp);
}

int co_chan_try_recv(struct co_chan *c, void *elem)
{
	touch_elem(elem);
	return co_chan_way_of(c, CO_CHAN_RECEIVER) & ~(uintptr_t)CO_CLAIM_SINGLE
		       ? recv_otherwise(c, elem, 0, false)
		       : recv_by_ring(c, elem, 0, false);
}

/* ---- The end ---- */

void co_chan_close(struct co_chan *c)
{
	co_ring_close(&c->ring);
	co_chan_ticket_close(&c->room);
	co_chan_ticket_close(&c->elements);
	co_wake_all(&c->senders);
	co_wake_all_after(&c->receivers); /* pairs with co_ring_may_end() */
}

bool co_chan_closed(const struct co_chan *c)
{
	return co_ring_is_closed(&c->ring);
}

size_t co_chan_capacity(const struct co_chan *c)
{
	return co_chan_is_rendezvous(c) ? 0 : co_ring_capacity(&c->ring);
}
