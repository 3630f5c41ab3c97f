/* claim.h - claiming slots without tickets, and waiting for one: inline, for each side. */
#ifndef COHART_COMM_CLAIM_H
#define COHART_COMM_CLAIM_H

#include <errno.h>

#ifndef CO_NO_CAS
#include "../../core/lf/mpmc.h"
#endif
#include "../../core/lf/spsc.h"
#include "../../core/sched/wait_inline.h"
#include "channel.h"

/* DEBUG=1: a side with one member stays with one coroutine while that lives. relaxed: a check. */
static inline void check_single(struct co_chan *c, enum co_chan_side side)
{
#ifdef CO_DEBUG
	struct co_chan_user *one = side == CO_CHAN_SENDER ? &c->sender : &c->receiver;
	struct co *self = co_self();
	struct co *was = one->co;

	if (was && was != self && co_is_live(was) &&
	    co_atomic_load(&was->generation, CO_RELAXED) == one->generation)
		co_fail("channel 0x%lx: '%s' %s where '%s' alone should",
			(unsigned long)(uintptr_t)c, self ? co_name(self) : "a handler",
			side == CO_CHAN_SENDER ? "sends" : "receives", co_name(was));
	one->co = self;
	one->generation = self ? co_atomic_load(&self->generation, CO_RELAXED) : 0;
#else
	(void)c;
	(void)side;
#endif
}

/* DEBUG=1: compare-and-swap is for harts that have it. */
static inline void check_cas(const struct co_chan *c)
{
#ifdef CO_DEBUG
	if (!co_hart_has_cas(co_hart()))
		co_fail("channel 0x%lx claims by compare-and-swap, which hart %u does not have",
			(unsigned long)(uintptr_t)c, co_hart());
#else
	(void)c;
#endif
}

#ifdef CO_NO_CAS
#define cas_claim_one(r, next, stage, mark, h) \
	((void)(r), *(h) = (struct co_claimed){ NULL, 0 }, false)
#define cas_claim_row(r, next, stage, most, h) ((void)(r), (void)(h), (size_t)0 * (most))
#define cas_claim_at(r, pos, h) \
	((void)(r), (void)(pos), *(h) = (struct co_claimed){ NULL, 0 }, false)
#define cas_claim_ahead(r, next, pos) ((void)(r), (void)(pos))
#else
#define cas_claim_one(r, next, stage, mark, h) co_mpmc_claim_one(r, next, stage, mark, h)
#define cas_claim_row(r, next, stage, most, h) co_mpmc_claim(r, next, stage, most, h)
#define cas_claim_at(r, pos, h) co_mpmc_claim_at(r, pos, h)
#define cas_claim_ahead(r, next, pos) co_mpmc_claim_ahead(r, next, pos)
#endif

/* Claim a side's next slot, without tickets. False: none. `mark`: as in co_ring_is_turn(). */
INLINE bool co_chan_claim_one_by(uintptr_t by, struct co_chan *c, enum co_chan_side side,
				 uintptr_t mark, struct co_claimed *h)
{
	struct co_ring *r = &c->ring;

	if (by == CO_CLAIM_CAS) {
		check_cas(c);
		return side == CO_CHAN_SENDER ? cas_claim_one(r, &r->tail, 0, mark, h)
					      : cas_claim_one(r, &r->head, CO_RING_FULL, mark, h);
	}
	if (by != CO_CLAIM_SINGLE)
		return false;
	check_single(c, side);
	return side == CO_CHAN_SENDER ? co_single_claim(r, &r->tail, &r->put, mark, h)
				      : co_single_claim(r, &r->head, &r->took, mark, h);
}

INLINE bool co_chan_claim_one(struct co_chan *c, enum co_chan_side side, struct co_claimed *h)
{
	return co_chan_claim_one_by(co_chan_way_of(c, side), c, side, CO_RING_WAITED, h);
}

/*
 * Claim up to `most` slots in a row. Returns how many; 0: no slot is due, or the side takes
 * tickets.
 */
INLINE size_t co_chan_claim_row(struct co_chan *c, enum co_chan_side side, size_t most,
				struct co_claimed *h)
{
	uintptr_t by = co_chan_way_of(c, side);
	struct co_ring *r = &c->ring;

	if (by == CO_CLAIM_CAS) {
		check_cas(c);
		return side == CO_CHAN_SENDER ? cas_claim_row(r, &r->tail, 0, most, h)
					      : cas_claim_row(r, &r->head, CO_RING_FULL, most, h);
	}
	if (by != CO_CLAIM_SINGLE)
		return 0;
	check_single(c, side);
	return side == CO_CHAN_SENDER ? co_single_claim_row(r, &r->tail, &r->put, most, h)
				      : co_single_claim_row(r, &r->head, &r->took, most, h);
}

/* The next position of a side; a guess, unless the caller is its single member. */
static inline uintptr_t next_to_send(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;

	if (co_chan_is_single(c, CO_CHAN_SENDER))
		return co_single_position(r, &r->tail, &r->put);
	/*
	 * acquire: as in co_mpmc_claim_one(). If the position is old, the slot's stamp is ahead,
	 * and shows that.
	 */
	return co_atomic_load(&r->tail, CO_ACQUIRE) & ~CO_RING_FLAGS;
}

static inline uintptr_t next_to_receive(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t at;

	if (co_chan_is_single(c, CO_CHAN_RECEIVER))
		return co_single_position(r, &r->head, &r->took);
	/* acquire: as in next_to_send(). */
	at = co_atomic_load(&r->head, CO_ACQUIRE) & ~CO_RING_FLAGS;
	return co_ring_skip(r, at); /* tickets leave it on places without a slot */
}

/* The next slot of a side. */
INLINE struct co_claimed next_slot(struct co_chan *c, enum co_chan_side side)
{
	struct co_ring *r = &c->ring;
	struct co_claimed h;

	if (side == CO_CHAN_RECEIVER)
		return co_chan_is_single(c, CO_CHAN_RECEIVER)
			       ? co_single_next(&r->head, &r->took)
			       : co_ring_at(r, next_to_receive(c), CO_RING_FULL);
	if (!co_chan_is_single(c, CO_CHAN_SENDER))
		return co_ring_at(r, next_to_send(c), 0);
	h = co_single_next(&r->tail, &r->put);
	h.stamp &= ~CO_RING_FLAGS;
	return h;
}

/* The result of a look by a coroutine that has entered a queue. */
enum look { SLEEP, AGAIN, BROKEN };

/* A slot whose turn it is gets no mark: a second waiter, woken for it, could overtake the first. */
INLINE enum look look_at_slot(struct co_claimed h, bool single)
{
	intptr_t turn = co_ring_turn(h);

	/* A single member never misses a turn; a confined other side has broken the ring. */
	if (turn > 0 && single)
		return BROKEN;
	return turn >= 0 || co_ring_mark(h) ? AGAIN : SLEEP;
}

/*
 * h is the side's next slot, or was when a claim of it failed: if it has not come to its stage yet,
 * it still is.
 */
INLINE enum look look_around(struct co_chan *c, enum co_chan_side side, struct co_claimed h,
			     bool single)
{
	enum look found = look_at_slot(h, single);

	if (found != SLEEP)
		return found;
	if (side == CO_CHAN_SENDER)
		return co_ring_shut(&c->ring) ? AGAIN : SLEEP;
	return co_ring_may_end(&c->ring) && co_chan_drained(c) ? AGAIN : SLEEP;
}

INLINE struct co_waitq *queue_of(struct co_chan *c, enum co_chan_side side)
{
	return side == CO_CHAN_SENDER ? &c->senders : &c->receivers;
}

/* Is the channel over for this side? relaxed: a close that is missed is seen before a sleep. */
INLINE bool is_over(struct co_chan *c, enum co_chan_side side)
{
	return co_ring_is_closed(&c->ring) && (side == CO_CHAN_SENDER || co_chan_drained(c));
}

/* There are more slots, or the channel is closed: wake the next waiter. */
static NOINLINE void pass_on_hint(struct co_chan *c, enum co_chan_side side)
{
	struct co_waitq *queue = queue_of(c, side);

	if (co_waitq_any(queue) &&
	    (side == CO_CHAN_SENDER ? co_chan_can_send(c) : co_chan_can_recv(c)))
		co_wake_one(queue);
}

/* Results of a wait for a slot; or an element was handed over, or an error. */
#define WOKEN 0
#define CHANGED 3 /* the channel changed before the sleep */

/* Was an element handed over? By `into`, `value` or a slot. */
INLINE bool is_handed(int r)
{
	return r == CO_WOKEN_DONE || r >= CO_WOKEN_WITH;
}

static NOINLINE int abandon(struct co_waiter *w)
{
	int r = co_wait_abandon(w);

	return r > WOKEN ? r : CHANGED;
}

/*
 * Wait once, after a claim of h has failed. The caller has locked the side's queue, whose first
 * waiter is `first`. `takes`: the waiter's `place`: may a sender hand its element to this receiver?
 */
INLINE int co_chan_wait(struct co_chan *c, enum co_chan_side side, bool single, uint32_t takes,
			struct co_waiter *first, bool front, struct co_claimed h, uint64_t deadline)
{
	struct co_waiter *w = co_wait_begin(co_executor.current, queue_of(c, side), first, c,
					    side == CO_CHAN_SENDER ? co_chan_room : co_chan_element,
					    front, takes);
	enum look found = look_around(c, side, h, single);
	int r;

	if (found == SLEEP)
		return co_wait_commit_inline(w, deadline);
	r = abandon(w);
	return found == BROKEN && r == CHANGED ? -EPROTO : r;
}

/*
 * Wait and claim until there is a slot, after a first wait that resulted in `r`. The code of both
 * sides, and for one and many members, is written once: the compiler makes four copies of it.
 * @return 0; as is_handed(): it has claimed no slot; the errors of claim_or_wait()
 */
INLINE int co_chan_go_on(struct co_chan *c, enum co_chan_side side, bool single, uint32_t takes,
			 struct co_claimed *h, uint64_t deadline, int r)
{
	bool slept = r <= WOKEN;

	while (!is_handed(r)) {
		if (co_chan_claim_one_by(single ? CO_CLAIM_SINGLE : CO_CLAIM_CAS, c, side,
					 CO_RING_WAITED, h)) {
			r = 0;
			break;
		}
		if (is_over(c, side))
			r = -EPIPE;
		if (r < 0)
			break;
		r = co_chan_wait(c, side, single, takes, co_wait_lock(queue_of(c, side)),
				 slept && !single, *h, deadline);
		slept |= r <= WOKEN;
	}
	if (!single && slept)
		pass_on_hint(c, side);
	return r;
}

/* The slot's payload is in place (has been read): move it on, and wake. Return 0. */
INLINE int commit_slot(struct co_chan *c, struct co_claimed h)
{
	return co_ring_commit(h) ? co_chan_wake(&c->receivers, &c->senders) : 0;
}

INLINE int release_slot(struct co_chan *c, struct co_claimed h)
{
	return co_ring_release(&c->ring, h) ? co_chan_wake(&c->senders, &c->receivers) : 0;
}

/* A wild pointer faults here, before a slot is claimed, which would block the channel for ever. */
INLINE void touch_elem(const void *elem)
{
	(void)*(const volatile unsigned char *)elem;
}

#endif
