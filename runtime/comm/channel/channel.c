/*
 * channel.c - the calls of channels, and their fast path: a slot is claimed, filled or read, and
 * moved on by one swap, which also shows whether a coroutine waits. If the claim fails, a wait
 * follows (claim.h).
 *
 * A coroutine that finds the ring full (or empty) enters a queue, marks the slot that it waits for
 * (lf/ring.h), and sleeps; the coroutine that moves a marked slot on wakes the first of each queue.
 * A wake-up is a hint: a third coroutine may be faster, and the woken one then waits at the queue's
 * head. Only the next slot is marked, so the woken coroutine passes the hint on when it is done: it
 * marks the next slot, or wakes the next waiter if that slot has moved on already. A receiver may
 * also be given an element past the ring, or its slot in it: send_past(). With tickets a wake-up is
 * not a hint but a credit: channel_ticket.c; the queues here then serve select alone.
 */
#include <errno.h>
#include <string.h>

#include <cohart/coroutine.h>

#include "../../core/hook.h"
#include "../../core/lf/ticket.h"
#include "../../fault/give_up.h"
#include "claim.h"

const char co_chan_element[] = "element in channel";
const char co_chan_room[] = "room in channel";

/* A coroutine waits in one of the two queues: wake the first of each. */
NOINLINE int co_chan_wake_two(struct co_waitq *a, struct co_waitq *b)
{
	co_wake_known(a);
	return co_wake_known(b);
}

/* The error of a claim that fails without a wait. */
static NOINLINE int refusal(struct co_chan *c, enum co_chan_side side, bool single)
{
	if (is_over(c, side))
		return -EPIPE;
	/* A single member's next slot is ahead: a confined other side has broken the ring. */
	if (single && co_ring_turn(next_slot(c, side)) > 0)
		return -EPROTO;
	return -EAGAIN;
}

/* Copy by memcpy() to the claimed slot. Out of line, so that fill() needs no frame. */
static NOINLINE int fill_any(struct co_chan *c, const void *elem, struct co_slot *slot,
			     uintptr_t stamp)
{
	memcpy(co_slot_payload(slot), elem, c->elem_size);
	return commit_slot(c, (struct co_claimed){ slot, stamp });
}

static NOINLINE int empty_any(struct co_chan *c, void *elem, struct co_slot *slot, uintptr_t stamp)
{
	memcpy(elem, co_slot_payload(slot), c->elem_size);
	return release_slot(c, (struct co_claimed){ slot, stamp });
}

static NOINLINE int fill(struct co_chan *c, const void *elem, struct co_slot *slot, uintptr_t stamp)
{
	if (!co_chan_copy_words(co_slot_payload(slot), elem, elem, c->elem_size))
		return fill_any(c, elem, slot, stamp);
	return commit_slot(c, (struct co_claimed){ slot, stamp });
}

static NOINLINE int empty(struct co_chan *c, void *elem, struct co_slot *slot, uintptr_t stamp)
{
	if (!co_chan_copy_words(elem, co_slot_payload(slot), elem, c->elem_size))
		return empty_any(c, elem, slot, stamp);
	return release_slot(c, (struct co_claimed){ slot, stamp });
}

/* All calls are last, so that nothing is saved for them. */
INLINE int put_claimed(struct co_chan *c, const void *elem, struct co_claimed h)
{
	if (!co_chan_copy_short(co_slot_payload(h.slot), elem, elem, c->elem_size))
		return fill(c, elem, h.slot, h.stamp);
	return commit_slot(c, h);
}

INLINE int take_claimed(struct co_chan *c, void *elem, struct co_claimed h)
{
	if (!co_chan_copy_short(elem, co_slot_payload(h.slot), elem, c->elem_size))
		return empty(c, elem, h.slot, h.stamp);
	return release_slot(c, h);
}

/*
 * Choose how a static channel by default claims from its first use on: as is usual on this machine.
 * Several coroutines may choose at once: relaxed, loads and stores, since the old values are as
 * good. Each side comes here before it claims, a side with one member, too: it may have to take
 * tickets. The ring needs no change for tickets: its head has a flag.
 */
static void choose_claim(struct co_chan *c)
{
	if (!(co_chan_way_of(c, CO_CHAN_SENDER) & CO_CLAIM_DEFAULT))
		return;
	co_atomic_store(&c->recv_way, co_chan_claim_of(c, CO_CHAN_RECEIVER), CO_RELAXED);
	co_atomic_store(&c->send_way, co_chan_claim_of(c, CO_CHAN_SENDER), CO_RELAXED);
}

/* Each of the four is code of its own. */
INLINE int claim_slot(struct co_chan *c, enum co_chan_side side, bool single, struct co_claimed *h,
		      uint64_t deadline)
{
	if (co_chan_claim_one_by(single ? CO_CLAIM_SINGLE : CO_CLAIM_CAS, c, side, CO_RING_WAITED,
				 h))
		return 0;
	if (!deadline)
		return refusal(c, side, single);
	return co_chan_go_on(c, side, single, 0, h, deadline, CHANGED);
}

/*
 * Claim the side's next slot, waiting for it until the deadline; 0: not at all. Without tickets.
 * Returns 0; -EAGAIN (deadline 0); -EPIPE: closed (receivers: and drained); -ETIMEDOUT; -ECANCELED;
 * -EPROTO: the opposite side is confined and has broken the ring.
 */
static NOINLINE int claim_or_wait(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
				  uint64_t deadline)
{
	bool single = co_chan_is_single(c, side);

	if (side == CO_CHAN_SENDER)
		return claim_slot(c, CO_CHAN_SENDER, single, h, deadline);
	return claim_slot(c, CO_CHAN_RECEIVER, single, h, deadline);
}

/*
 * Send through the ring: after a wait, at a first use, or where waiting receivers take nothing. Or
 * without a ring.
 */
static NOINLINE int send_by_ring(struct co_chan *c, const void *elem, uint64_t deadline)
{
	struct co_claimed h;
	int r;

	if (co_chan_is_rendezvous(c))
		return co_chan_rendezvous_send(c, elem, deadline);
	choose_claim(c);
	if (co_chan_has_tickets(c))
		return co_chan_ticket_send(c, elem, deadline);
	r = claim_or_wait(c, CO_CHAN_SENDER, &h, deadline);
	if (r)
		return r;
	return put_claimed(c, elem, h);
}

static NOINLINE int recv_by_ring(struct co_chan *c, void *elem, uint64_t deadline)
{
	struct co_claimed h;
	int r;

	if (co_chan_is_rendezvous(c))
		return co_chan_rendezvous_recv(c, elem, deadline);
	choose_claim(c);
	if (co_chan_has_tickets(c))
		return co_chan_ticket_recv(c, elem, deadline);
	r = claim_or_wait(c, CO_CHAN_RECEIVER, &h, deadline);
	if (r)
		return r;
	return take_claimed(c, elem, h);
}

/* As fill(), for a receiver whose token has been taken: into its control block, or its buffer. */
static NOINLINE int hand_any(struct co_chan *c, const void *elem, struct co *receiver,
			     uint32_t place)
{
	memcpy(receiver->value, elem, c->elem_size);
	return co_wake_with(receiver, place);
}

/* hand_any() for a select on this hart. */
static NOINLINE int hand_select(struct co_chan *c, const void *elem, struct co *receiver,
				uint32_t place)
{
	co_chan_copy(receiver->value, elem, c->elem_size);
	return co_wake_here(receiver, (int)place);
}

static NOINLINE int hand_any_here(struct co_chan *c, const void *elem, struct co *receiver)
{
	void *into = co_wait_into(receiver);

	if (!co_chan_copy_words(into, elem, (void *)((uintptr_t)into | (uintptr_t)elem),
				c->elem_size))
		memcpy(into, elem, c->elem_size);
	return co_wake_here(receiver, CO_WOKEN_DONE);
}

INLINE int hand(struct co_chan *c, const void *elem, struct co *receiver, uint32_t place)
{
	if (!co_chan_copy_short(receiver->value, elem, elem, c->elem_size))
		return hand_any(c, elem, receiver, place);
	return co_wake_with(receiver, place);
}

INLINE int hand_here(struct co_chan *c, const void *elem, struct co *receiver, uint32_t place)
{
	void *into = co_wait_into(receiver);

	if (place & (CO_WAITER_TAKES - 1))
		return hand_select(c, elem, receiver, place);
	if (!co_chan_copy_short(into, elem, (void *)((uintptr_t)into | (uintptr_t)elem),
				c->elem_size))
		return hand_any_here(c, elem, receiver);
	return co_wake_here(receiver, CO_WOKEN_DONE);
}

/* May the caller hand an element to a waiter with that place, or one on its own hart? */
INLINE bool takes(uint32_t place, const struct co *receiver)
{
	return place & CO_WAITER_TAKES ||
	       (place == CO_WAITER_TAKES_HERE && receiver->hart == co_executor.hart);
}

/*
 * Is h the receivers' next slot, of which `head` tells? h is the senders' next slot, or a slot that
 * the caller has claimed; `pos` is its position, where many send. The caller has locked the
 * receivers' queue, and a receiver is in there: an only receiver does not move on.
 */
INLINE bool is_next_to_receive(const struct co_chan *c, struct co_claimed h, uintptr_t pos,
			       uintptr_t head, bool one_sends, bool one_receives)
{
	struct co_claimed recv;

	if (!one_sends && !one_receives)
		return head == pos;
	recv = one_receives ? co_single_at(head, &c->ring.took)
			    : co_ring_at(&c->ring, head, CO_RING_FULL);
	return recv.slot == h.slot && recv.stamp == h.stamp + CO_RING_FULL;
}

/*
 * Is the senders' next slot the receivers' next one, too? Then all elements that this sender has
 * sent before have been claimed. False for a closed channel: a receiver may know of the close
 * already. The caller has locked the receivers' queue, and a receiver is in there.
 */
INLINE bool has_caught_up(const struct co_chan *c, bool one_sends)
{
	const struct co_ring *r = &c->ring;
	bool one_receives = co_chan_way_of(c, CO_CHAN_RECEIVER) == CO_CLAIM_SINGLE;
	/* relaxed, all: none goes back; a closed tail has a flag, which equals nothing. */
	uintptr_t tail = co_atomic_load(&r->tail, CO_RELAXED);
	uintptr_t head = co_atomic_load(&r->head, CO_RELAXED);
	struct co_claimed send = { NULL, 0 };

	if (one_sends || one_receives) /* else the positions say it */
		send = one_sends ? co_single_at(tail, &r->put) : co_ring_at(r, tail, 0);
	return is_next_to_receive(c, send, tail, head, one_sends, one_receives);
}

/*
 * h has been filled, and a receiver on another hart waits, most likely. If it is alone, it is given
 * the slot, which is claimed for it: the slot's mark, found when that is released, would wake
 * another one for nothing.
 */
INLINE int commit_by_hand(struct co_chan *c, struct co_claimed h, uintptr_t pos, bool one_sends)
{
	bool one_receives = co_chan_way_of(c, CO_CHAN_RECEIVER) == CO_CLAIM_SINGLE;
	struct co_waitq *q = &c->receivers;
	struct co_ring *r = &c->ring;
	struct co *receiver;
	struct co_waiter *w;
	uintptr_t head;

	co_hooks_needed(slot);
	if (!co_waitq_try_lock(q, &w))
		return commit_slot(c, h);
	/* relaxed: until h is full, it goes no further. */
	head = co_atomic_load(&r->head, CO_RELAXED);
	if (!w || co_plain_load(&w->place) != CO_WAITER_TAKES_HERE ||
	    co_plain_load(&w->next) != w ||
	    !is_next_to_receive(c, h, pos, head, one_sends, one_receives) ||
	    !co_token_take(w->token)) {
		co_waitq_unlock(q, w);
		return commit_slot(c, h);
	}
	if (one_receives)
		co_single_advance(r, (unsigned char *)h.slot + r->stride, &r->head, &r->took);
	else
		cas_claim_ahead(r, &r->head, head);
	co_ring_pass_by(h);
	co_waitq_unlock(q, NULL);
	receiver = co_container_of(w->token, struct co, token);
	receiver->value[0] = (uintptr_t)h.slot;
	receiver->value[1] = h.stamp + CO_RING_FULL;
	return co_wake_with(receiver, CO_WOKEN_SLOT);
}

static NOINLINE int send_by_hand_any(struct co_chan *c, const void *elem, struct co_slot *slot,
				     uintptr_t stamp, uintptr_t pos, bool one_sends)
{
	memcpy(co_slot_payload(slot), elem, c->elem_size);
	return commit_by_hand(c, (struct co_claimed){ slot, stamp }, pos, one_sends);
}

/*
 * An element that is too big for a control block goes to a receiver on another hart by its slot.
 * Until it is there the receiver waits: it may still be cancelled, and its deadline come.
 */
INLINE int send_by_hand(struct co_chan *c, const void *elem, uint64_t deadline, bool one_sends)
{
	struct co_ring *r = &c->ring;
	/* relaxed: a guess; the claim decides. */
	uintptr_t pos = co_atomic_load(&r->tail, CO_RELAXED);
	struct co_claimed h;

	if (!(one_sends ? co_single_claim(r, &r->tail, &r->put, CO_RING_WAITED, &h)
			: cas_claim_at(r, pos, &h)))
		return send_by_ring(c, elem, deadline);
	if (!co_chan_copy_words(co_slot_payload(h.slot), elem, elem, c->elem_size))
		return send_by_hand_any(c, elem, h.slot, h.stamp, pos, one_sends);
	return commit_by_hand(c, h, pos, one_sends);
}

static NOINLINE int send_by_hand_of_many(struct co_chan *c, const void *elem, uint64_t deadline)
{
	return send_by_hand(c, elem, deadline, false);
}

static NOINLINE int send_by_hand_of_one(struct co_chan *c, const void *elem, uint64_t deadline)
{
	return send_by_hand(c, elem, deadline, true);
}

/*
 * Receivers wait, most likely. If the ring is empty, the first of them may be given the element
 * past it.
 */
INLINE int send_past(struct co_chan *c, const void *elem, uint64_t deadline, bool one_sends)
{
	struct co_waitq *q = &c->receivers;
	struct co *receiver;
	struct co_waiter *w;
	struct co_a32 *token;
	uint32_t place;

	if ((one_sends && !co_waitq_known(q)) || !co_waitq_try_lock(q, &w))
		return send_by_ring(c, elem, deadline);
	token = w ? w->token : NULL;
	receiver = co_container_of(token, struct co, token);
	place = w ? co_plain_load(&w->place) : 0;
	if (!takes(place, receiver)) {
		bool by_hand = place == CO_WAITER_TAKES_HERE && co_plain_load(&w->next) == w;

		co_waitq_unlock(q, w);
		return !by_hand    ? send_by_ring(c, elem, deadline)
		       : one_sends ? send_by_hand_of_one(c, elem, deadline)
				   : send_by_hand_of_many(c, elem, deadline);
	}
	if (!has_caught_up(c, one_sends) || !co_token_take(token)) {
		co_waitq_unlock(q, w);
		return send_by_ring(c, elem, deadline);
	}
	co_waitq_unlock(q, co_waitq_unlink(w, w));
	return receiver->hart == co_executor.hart ? hand_here(c, elem, receiver, place)
						  : hand(c, elem, receiver, place);
}

static NOINLINE int send_past_of_many(struct co_chan *c, const void *elem, uint64_t deadline)
{
	return send_past(c, elem, deadline, false);
}

static NOINLINE int send_past_of_one(struct co_chan *c, const void *elem, uint64_t deadline)
{
	return send_past(c, elem, deadline, true);
}

/*
 * A sender on this hart may write to the receiver's buffer. A wild pointer faults here, in the
 * receiver: touch_elem() has read its begin.
 */
INLINE void let_write(const struct co_chan *c, void *elem, struct co *self)
{
	co_touch((unsigned char *)elem + c->elem_size - 1);
	co_atomic_store(&self->into, (uintptr_t)elem, CO_RELAXED); /* as in co_wait_into() */
}

NOINLINE void co_chan_copy_value(const struct co_chan *c, void *elem)
{
	co_chan_copy(elem, co_executor.current->value, c->elem_size);
}

/* Take the slot that commit_by_hand() has given to a receiver: release_given() finds it no more. */
INLINE struct co_claimed handed_slot(struct co *receiver)
{
	struct co_claimed h = { (struct co_slot *)(uintptr_t)receiver->value[0],
				(uintptr_t)receiver->value[1] };

	receiver->wait_result = 0;
	return h;
}

static NOINLINE int take_value(struct co_chan *c, void *elem)
{
	co_chan_copy_value(c, elem);
	return 0;
}

static NOINLINE int take_slot(struct co_chan *c, void *elem, struct co *self)
{
	struct co_claimed h = handed_slot(self);

	return empty(c, elem, h.slot, h.stamp); /* no short element has come by one */
}

/* A slot that c was given, without having run since, is free again; the element is lost. */
static void release_given(struct co *c)
{
	/*
	 * relaxed: c's hart has stopped. Had it run since, the result would be another one: not
	 * `value`, to which the sender of another element may just be writing.
	 */
	struct co_chan *chan = (struct co_chan *)co_atomic_load(&c->waits_for, CO_RELAXED);

	if (c->wait_result == CO_WOKEN_SLOT && co_chan_lost_usable(chan))
		(void)release_slot(chan, handed_slot(c));
}

static void hart_lost(unsigned hart, enum co_loss loss)
{
	co_lost_each(hart, loss, release_given);
}

CO_HOOKS_OF(slot) = { .hart_lost = hart_lost };

/* Receive after a first wait that resulted in r. */
static NOINLINE int recv_on(struct co_chan *c, void *elem, uint64_t deadline, int r)
{
	struct co_claimed h = { NULL, 0 };

	let_write(c, elem, co_executor.current);
	r = co_chan_is_single(c, CO_CHAN_RECEIVER)
		    ? co_chan_go_on(c, CO_CHAN_RECEIVER, true, c->takes, &h, deadline, r)
		    : co_chan_go_on(c, CO_CHAN_RECEIVER, false, c->takes, &h, deadline, r);
	if (r == CO_WOKEN_WITH)
		return take_value(c, elem);
	if (r == CO_WOKEN_SLOT)
		return take_slot(c, elem, co_executor.current);
	if (r)
		return r < 0 ? r : 0;
	return take_claimed(c, elem, h);
}

/* The receiver's wait has ended with that result. */
INLINE int recv_woken(struct co_chan *c, void *elem, uint64_t deadline, struct co *self, int r)
{
	if (r == CO_WOKEN_WITH)
		return co_chan_copy_short(elem, self->value, elem, c->elem_size)
			       ? 0
			       : take_value(c, elem);
	return r > CO_WOKEN_WITH ? take_slot(c, elem, self) : recv_on(c, elem, deadline, r);
}

static NOINLINE int recv_resumed(int r, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_chan *c = co_container_of(self->waiter.queue, struct co_chan, receivers);

	return recv_woken(c, co_wait_into(self), deadline, self, r);
}

/*
 * Park: other coroutines run meanwhile. Nothing is kept in registers, which the switch would save
 * once more: recv_resumed(), which is rarely needed, finds its values in the control block.
 */
static NOINLINE int recv_parked(struct co *self)
{
	int r = co_wait_go_on(self, CO_FOREVER);

	return r == CO_WOKEN_DONE ? 0 : recv_resumed(r, CO_FOREVER);
}

static NOINLINE int recv_parked_until(struct co *self, uint64_t deadline)
{
	int r = co_wait_park_until(self, deadline);

	return r == CO_WOKEN_DONE ? 0 : recv_resumed(r, deadline);
}

/* The receiver was cancelled before the wait. */
static NOINLINE int recv_refused(struct co_chan *c, void *elem, uint64_t deadline)
{
	struct co *self = co_executor.current;

	return recv_woken(c, elem, deadline, self, co_wait_refuse(&self->waiter));
}

static NOINLINE int recv_no_more(struct co_chan *c, void *elem, uint64_t deadline)
{
	return recv_on(c, elem, deadline, abandon(&co_executor.current->waiter));
}

/*
 * The receiver's claim of its next slot, h, has failed: there is no element. A wait as in
 * co_chan_wait(), but all calls are last, so that nothing is saved for them.
 */
INLINE int recv_waiting(struct co_chan *c, void *elem, uint64_t deadline, struct co_claimed h)
{
	struct co_waiter *first;
	struct co *self;

	if (!co_waitq_try_lock(&c->receivers, &first))
		return recv_on(c, elem, deadline, CHANGED);
	self = co_executor.current;
	co_wait_begin(self, &c->receivers, first, c, co_chan_element, false, c->takes);
	if (co_ring_mark(h) || co_ring_may_end(&c->ring))
		return recv_no_more(c, elem, deadline);
	if (co_wait_canceled(self))
		return recv_refused(c, elem, deadline);
	if (co_wait_in_place(self, deadline) ||
	    (deadline != CO_FOREVER && co_wait_may_until(self) &&
	     co_wait_in_place_until(self, deadline)))
		return recv_woken(c, elem, deadline, self, self->wait_result);
	let_write(c, elem, self);
	return deadline == CO_FOREVER ? recv_parked(self) : recv_parked_until(self, deadline);
}

static NOINLINE int recv_later(struct co_chan *c, void *elem, struct co_slot *slot, uintptr_t stamp)
{
	return recv_waiting(c, elem, CO_FOREVER, (struct co_claimed){ slot, stamp });
}

static NOINLINE int recv_later_until(struct co_chan *c, void *elem, uint64_t deadline,
				     struct co_slot *slot, uintptr_t stamp)
{
	return recv_waiting(c, elem, deadline, (struct co_claimed){ slot, stamp });
}

/*
 * Each way is straight code of its own. The mark of its next slot, which it knows, tells an only
 * sender that receivers wait; one of many looks at their queue before it finds the slot.
 */
INLINE int send_by(enum co_claim way, struct co_chan *c, const void *elem, uint64_t deadline)
{
	bool one = way == CO_CLAIM_SINGLE;
	struct co_claimed h;

	if (!one) {
		check_cas(c); /* it may not come to a claim */
		if (co_waitq_known(&c->receivers))
			return send_past_of_many(c, elem, deadline);
	}
	if (co_chan_claim_one_by(way, c, CO_CHAN_SENDER, one ? 0 : CO_RING_WAITED, &h))
		return put_claimed(c, elem, h);
	return one ? send_past_of_one(c, elem, deadline) : send_by_ring(c, elem, deadline);
}

INLINE int send(struct co_chan *c, const void *elem, uint64_t deadline)
{
	uintptr_t way = co_chan_way_of(c, CO_CHAN_SENDER);

	touch_elem(elem);
	if (way == CO_CLAIM_CAS)
		return send_by(CO_CLAIM_CAS, c, elem, deadline);
	if (way == CO_CLAIM_SINGLE)
		return send_by(CO_CLAIM_SINGLE, c, elem, deadline);
	if (way == CO_CLAIM_TICKET)
		return co_chan_ticket_send(c, elem, deadline);
	return send_by_ring(c, elem, deadline);
}

INLINE int recv_by(enum co_claim way, struct co_chan *c, void *elem, uint64_t deadline)
{
	struct co_claimed h;

	if (co_chan_claim_one_by(way, c, CO_CHAN_RECEIVER, CO_RING_WAITED, &h))
		return take_claimed(c, elem, h);
	if (__builtin_constant_p(deadline) && deadline == CO_FOREVER)
		return recv_later(c, elem, h.slot, h.stamp);
	return deadline ? recv_later_until(c, elem, deadline, h.slot, h.stamp)
			: refusal(c, CO_CHAN_RECEIVER, way == CO_CLAIM_SINGLE);
}

INLINE int recv(struct co_chan *c, void *elem, uint64_t deadline)
{
	uintptr_t way = co_chan_way_of(c, CO_CHAN_RECEIVER);

	touch_elem(elem);
	if (way == CO_CLAIM_CAS)
		return recv_by(CO_CLAIM_CAS, c, elem, deadline);
	if (way == CO_CLAIM_SINGLE)
		return recv_by(CO_CLAIM_SINGLE, c, elem, deadline);
	if (way == CO_CLAIM_TICKET)
		return co_chan_ticket_recv(c, elem, deadline);
	return recv_by_ring(c, elem, deadline);
}

int co_chan_send(struct co_chan *c, const void *elem)
{
	return send(c, elem, CO_FOREVER);
}

/* A deadline of 0 has passed: the wait looks once more, like for any other. */
int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline)
{
	return send(c, elem, deadline ? deadline : 1);
}

int co_chan_try_send(struct co_chan *c, const void *elem)
{
	return send(c, elem, 0);
}

int co_chan_recv(struct co_chan *c, void *elem)
{
	return recv(c, elem, CO_FOREVER);
}

int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline)
{
	return recv(c, elem, deadline ? deadline : 1);
}

int co_chan_try_recv(struct co_chan *c, void *elem)
{
	return recv(c, elem, 0);
}

/* In place: the caller's counted ends note its claimed slots. A handler has none. */
static NOINLINE int note_claimed(struct co_chan *c, struct co_claimed h)
{
	co_chan_note_claimed(co_executor.current, c, h);
	return 0;
}

INLINE int give_slot(struct co_chan *c, struct co_chan_slot *s, struct co_claimed h)
{
	const struct co *self = co_executor.current;

	*s = (struct co_chan_slot){ co_slot_payload(h.slot), h.stamp };
	return self && self->cleanups ? note_claimed(c, h) : 0;
}

static NOINLINE int hold_long(struct co_chan *c, struct co_chan_slot *s, enum co_chan_side side,
			      uint64_t deadline)
{
	struct co_claimed h;
	int r;

	/*
	 * Others spin for a ticket's slot, so it must not be claimed for longer than a copy; and
	 * there may be no slots.
	 */
	choose_claim(c);
	if (co_chan_has_tickets(c) || co_chan_is_rendezvous(c))
		return -ENOTSUP;
	r = claim_or_wait(c, side, &h, deadline);
	return r ? r : give_slot(c, s, h);
}

/* Claim the next slot of a side for the caller. */
INLINE int hold(struct co_chan *c, struct co_chan_slot *s, enum co_chan_side side,
		uint64_t deadline)
{
	struct co_claimed h;

	touch_elem(s);
	if (!co_chan_claim_one(c, side, &h))
		return hold_long(c, s, side, deadline);
	return give_slot(c, s, h);
}

INLINE struct co_claimed let_go(struct co_chan_slot *s)
{
	struct co_claimed h;

	CO_ASSERT_THAT(
		s->data,
		"a slot that is committed or released was reserved or peeked at, and not let go of since");
	h.slot = (struct co_slot *)(void *)((unsigned char *)s->data - sizeof(uint64_t));
	h.stamp = s->stamp;
	s->data = NULL;
	return h;
}

int co_chan_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, CO_CHAN_SENDER, CO_FOREVER);
}

int co_chan_reserve_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	return hold(c, s, CO_CHAN_SENDER, deadline ? deadline : 1);
}

int co_chan_try_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, CO_CHAN_SENDER, 0);
}

void co_chan_commit(struct co_chan *c, struct co_chan_slot *s)
{
	commit_slot(c, let_go(s));
}

int co_chan_peek(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, CO_CHAN_RECEIVER, CO_FOREVER);
}

int co_chan_peek_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	return hold(c, s, CO_CHAN_RECEIVER, deadline ? deadline : 1);
}

int co_chan_try_peek(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, CO_CHAN_RECEIVER, 0);
}

void co_chan_release(struct co_chan *c, struct co_chan_slot *s)
{
	release_slot(c, let_go(s));
}

void co_chan_close(struct co_chan *c)
{
	co_ring_close(&c->ring);
	co_chan_ticket_close(&c->room);
	co_chan_ticket_close(&c->elements);
	co_wake_all(&c->senders);
	co_wake_all_after(&c->receivers); /* pairs with co_ring_may_end() */
}

/* ---- Looks ---- */

bool co_chan_drained(struct co_chan *c)
{
	uintptr_t final = co_ring_final(&c->ring);

	if (!final)
		return false;
	/* A single sender moves no tail: the first slot that is not full ends it. */
	if (co_chan_is_single(c, CO_CHAN_SENDER))
		return co_ring_turn(next_slot(c, CO_CHAN_RECEIVER)) < 0;
	return (intptr_t)(next_to_receive(c) - (final & ~CO_RING_CLOSED)) >= 0;
}

bool co_chan_can_send(struct co_chan *c)
{
	if (co_chan_claim_of(c, CO_CHAN_SENDER) == CO_CLAIM_TICKET)
		return co_credit_ask(&c->room) || co_ring_is_closed(&c->ring);
	return look_around(c, CO_CHAN_SENDER, next_slot(c, CO_CHAN_SENDER),
			   co_chan_is_single(c, CO_CHAN_SENDER)) != SLEEP;
}

bool co_chan_can_recv(struct co_chan *c)
{
	if (co_chan_claim_of(c, CO_CHAN_RECEIVER) == CO_CLAIM_TICKET)
		return co_credit_ask(&c->elements) || co_chan_drained(c);
	return look_around(c, CO_CHAN_RECEIVER, next_slot(c, CO_CHAN_RECEIVER),
			   co_chan_is_single(c, CO_CHAN_RECEIVER)) != SLEEP;
}

size_t co_chan_capacity(const struct co_chan *c)
{
	return co_chan_is_rendezvous(c) ? 0 : co_ring_capacity(&c->ring);
}

bool co_chan_closed(const struct co_chan *c)
{
	return co_ring_is_closed(&c->ring);
}

size_t co_chan_count(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t head = next_to_receive(c);
	uintptr_t tail = next_to_send(c);

	/* Tickets drawn behind a close count for nothing. relaxed: a moment old anyway. */
	if (co_chan_claim_of(c, CO_CHAN_SENDER) == CO_CLAIM_TICKET &&
	    co_atomic_load(&r->final, CO_RELAXED))
		tail = co_atomic_load(&r->final, CO_RELAXED) & ~CO_RING_CLOSED;
	/* The two looks are not one: a receiver may have overtaken the first. */
	return co_ring_between(r, head, co_ring_skip(r, tail));
}
