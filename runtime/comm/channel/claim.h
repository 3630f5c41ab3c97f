/*
 * claim.h - claiming slots without tickets, and the wait for one, for the compiler to see through:
 * each caller gets the code of its side alone.
 */
#ifndef COHART_COMM_CLAIM_H
#define COHART_COMM_CLAIM_H

#include <errno.h>

#ifndef CO_NO_CAS
#include "../../core/lf/mpmc.h"
#endif
#include "../../core/lf/spsc.h"
#include "channel.h"

#ifdef CO_NO_CAS
#define cas_claim_one(r, next, stage, h) ((void)(r), (void)(h), false)
#define cas_claim_row(r, next, stage, most, h) ((void)(r), (void)(h), (size_t)0 * (most))
#else
#define cas_claim_one(r, next, stage, h) co_mpmc_claim_one(r, next, stage, h)
#define cas_claim_row(r, next, stage, most, h) co_mpmc_claim(r, next, stage, most, h)
#endif

/* Claim the next slot of a side, without tickets. False: none is there just now. */
INLINE bool co_chan_claim_one_by(enum co_claim by, struct co_chan *c, enum co_chan_side side,
				 struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (by == CO_CLAIM_CAS)
		return side == CO_CHAN_SENDER ? cas_claim_one(r, &r->tail, 0, h)
					      : cas_claim_one(r, &r->head, CO_RING_FULL, h);
	if (by != CO_CLAIM_SINGLE)
		return false;
	return side == CO_CHAN_SENDER ? co_single_claim(r, &r->tail, &r->put, h)
				      : co_single_claim(r, &r->head, &r->took, h);
}

/* How a side claims by the short way; none is open to it where there are tickets. */
INLINE enum co_claim way_of(const struct co_chan *c, enum co_chan_side side)
{
	return (enum co_claim)(side == CO_CHAN_SENDER ? c->send_way : c->recv_way);
}

INLINE bool co_chan_claim_one(struct co_chan *c, enum co_chan_side side, struct co_hold *h)
{
	return co_chan_claim_one_by(way_of(c, side), c, side, h);
}

/* Claim as many slots in a row as are there, up to `most`; 0: none, or the side takes tickets. */
INLINE size_t co_chan_claim_row(struct co_chan *c, enum co_chan_side side, size_t most,
				struct co_hold *h)
{
	enum co_claim by = way_of(c, side);
	struct co_ring *r = &c->ring;

	if (by == CO_CLAIM_CAS)
		return side == CO_CHAN_SENDER ? cas_claim_row(r, &r->tail, 0, most, h)
					      : cas_claim_row(r, &r->head, CO_RING_FULL, most, h);
	if (by != CO_CLAIM_SINGLE)
		return 0;
	return side == CO_CHAN_SENDER ? co_single_claim_row(r, &r->tail, &r->put, most, h)
				      : co_single_claim_row(r, &r->head, &r->took, most, h);
}

/* Where each side claims next: a moment old, unless the side has one member, which asks. */
static inline uintptr_t next_to_send(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;

	if (c->send_claim == CO_CLAIM_SINGLE)
		return co_single_position(r, &r->tail, &r->put);
	/*
	 * relaxed: the slot of a position that is too old has come to its stage, or further, and
	 * its stamp says so.
	 */
	return co_atomic_load(&r->tail, CO_RELAXED) & ~CO_RING_FLAGS;
}

static inline uintptr_t next_to_receive(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t at;

	if (c->recv_claim == CO_CLAIM_SINGLE)
		return co_single_position(r, &r->head, &r->took);
	/*
	 * seq_cst: what a receiver finds behind a close is in one order with the claims before it.
	 */
	at = co_atomic_load(&r->head, CO_SEQ_CST);
	return co_ring_skip(r, at); /* tickets leave it on places without a slot */
}

/* Of an only sender. */
INLINE struct co_hold next_slot(struct co_chan *c)
{
	struct co_hold h = co_single_next(&c->ring.tail, &c->ring.put);

	h.stamp &= ~CO_RING_FLAGS;
	return h;
}

INLINE struct co_hold next_element(struct co_chan *c)
{
	struct co_ring *r = &c->ring;

	if (c->recv_claim != CO_CLAIM_SINGLE)
		return co_ring_at(r, next_to_receive(c), CO_RING_FULL);
	return co_single_next(&r->head, &r->took);
}

/* What one that has entered a queue finds. */
enum look { SLEEP, AGAIN, BROKEN };

/*
 * A slot whose turn it is gets no mark: that would wake a second one for it, which could overtake
 * the first.
 */
INLINE enum look look_at(struct co_hold h, bool single)
{
	intptr_t turn = co_ring_turn(h);

	/*
	 * On a side with one member nobody else can have had its turn. A confined sender or
	 * receiver may say so; to try again for that would never end.
	 */
	if (turn > 0 && single)
		return BROKEN;
	return turn >= 0 || co_ring_mark(h) ? AGAIN : SLEEP;
}

INLINE enum look look_to_send(struct co_chan *c, bool single)
{
	struct co_ring *r = &c->ring;
	enum look found =
		look_at(single ? next_slot(c) : co_ring_at(r, next_to_send(c), 0), single);

	return found == SLEEP && co_ring_shut(r) ? AGAIN : found;
}

INLINE enum look look_to_receive(struct co_chan *c, bool single)
{
	struct co_ring *r = &c->ring;
	struct co_hold h = single ? co_single_next(&r->head, &r->took) : next_element(c);
	enum look found = look_at(h, single);

	return found == SLEEP && co_ring_final(r) && co_chan_drained(c) ? AGAIN : found;
}

/*
 * DEBUG=1: the side is promised to one coroutine, as long as that one lives. relaxed: an own count,
 * and that of one that lives on.
 */
static inline void check_single(struct co_chan *c, enum co_chan_side side)
{
#ifdef CO_DEBUG
	struct co_chan_user *one = side == CO_CHAN_SENDER ? &c->sender : &c->receiver;
	struct co *self = co_self();
	struct co *was = one->co;

	if (was && was != self && co_is_live(was) &&
	    co_atomic_load(&was->births, CO_RELAXED) == one->births)
		co_panic("channel 0x%lx: '%s' %s where '%s' alone should",
			 (unsigned long)(uintptr_t)c, self ? co_name(self) : "a handler",
			 side == CO_CHAN_SENDER ? "sends" : "receives", co_name(was));
	one->co = self;
	one->births = self ? co_atomic_load(&self->births, CO_RELAXED) : 0;
#else
	(void)c;
	(void)side;
#endif
}

/* On a side with one member: has its next slot been moved on by a confined one? As look_at(). */
INLINE bool was_had(struct co_chan *c, enum co_chan_side side)
{
	return co_ring_turn(side == CO_CHAN_SENDER ? next_slot(c) : next_element(c)) > 0;
}

/* Closed, and so nothing is to be had here. relaxed: one that is missed is seen before a sleep. */
INLINE bool is_over(struct co_chan *c, enum co_chan_side side)
{
	return co_ring_is_closed(&c->ring) && (side == CO_CHAN_SENDER || co_chan_drained(c));
}

/*
 * The paths of the two sides, and of those with one member and with many, are one: the compiler
 * makes four of it. A deadline of 0: do not wait. `tried`: the claim has just failed.
 */
INLINE int co_chan_await(struct co_chan *c, enum co_chan_side side, bool single, bool tried,
			 struct co_hold *h, uint64_t deadline)
{
	struct co_waitq *queue = side == CO_CHAN_SENDER ? &c->senders : &c->receivers;
	const char *kind = side == CO_CHAN_SENDER ? co_chan_room : co_chan_element;
	int why = deadline ? 0 : -EAGAIN;
	bool woken = false;

	if (single)
		check_single(c, side);
	for (;;) {
		struct co_waiter *w;
		enum look found;

		if (!tried &&
		    co_chan_claim_one_by(single ? CO_CLAIM_SINGLE : CO_CLAIM_CAS, c, side, h)) {
			why = 0;
			break;
		}
		tried = false;
		if (is_over(c, side))
			why = -EPIPE;
		if (single && why == -EAGAIN && was_had(c, side))
			return -EPROTO;
		if (why)
			break;
		w = woken && !single ? co_wait_prepare_front(queue, c, kind)
				     : co_wait_prepare(queue, c, kind);
		found = side == CO_CHAN_SENDER ? look_to_send(c, single)
					       : look_to_receive(c, single);
		if (found == SLEEP) {
			why = co_wait_commit(w, deadline);
			woken = true;
			continue;
		}
		co_wait_abandon(w);
		if (found == BROKEN)
			return -EPROTO;
	}
	/* More of it, or closed: the next one should know. */
	if (!single && woken && co_waitq_any(queue) &&
	    (side == CO_CHAN_SENDER ? co_chan_can_send(c) : co_chan_can_recv(c)))
		co_wake_one(queue);
	return why;
}

#endif
