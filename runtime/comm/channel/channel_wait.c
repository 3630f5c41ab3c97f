/*
 * channel_wait.c - the next slot of a side, and waits for it. Both sides run this code; a side
 * claims alone or by compare-and-swap. With tickets: channel_ticket.c.
 *
 * A coroutine that finds the ring full (or empty) enters a queue, marks the slot that it waits for
 * (lf/ring.h), and sleeps; the coroutine that moves a marked slot on wakes the first of each queue.
 * A wake-up is a hint: a third coroutine may be faster, and the woken one then waits at the queue's
 * head. Only the next slot is marked, so the woken coroutine passes the hint on when it is done: it
 * marks the next slot, or wakes the next waiter if that slot has moved on already.
 */
#include <errno.h>

#include "../../comm/lf/ticket.h"
#include "claim.h"

const char co_chan_element[] = "element in channel";
const char co_chan_room[] = "room in channel";

/* The next position of a side; a guess, unless the caller is its single member. */
static uintptr_t next_position(const struct co_chan *c, enum co_chan_side side)
{
	const struct co_ring *r = &c->ring;
	const struct co_aword *next = side == CO_CHAN_SENDER ? &r->tail : &r->head;

	if (co_chan_is_single(c, side))
		return co_single_position(r, next, side == CO_CHAN_SENDER ? &r->put : &r->took);
	/*
	 * acquire: as in co_mpmc_claim_one(). If the position is old, the slot's stamp is ahead,
	 * and shows that. Tickets leave it on places without a slot.
	 */
	return co_ring_skip(r, co_atomic_load(next, CO_ACQUIRE) & ~CO_RING_FLAGS);
}

/* The next slot of a side. */
static struct co_claimed next_slot(struct co_chan *c, enum co_chan_side side)
{
	struct co_ring *r = &c->ring;
	struct co_claimed h;

	if (!co_chan_is_single(c, side))
		return co_ring_at(r, next_position(c, side), co_chan_stage(side));
	h = co_single_next(co_chan_next_word(r, side), co_chan_slot_word(r, side));
	h.stamp &= ~(CO_RING_CLOSED | CO_RING_TURNS);
	return h;
}

bool co_chan_drained(struct co_chan *c)
{
	uintptr_t final = co_ring_final(&c->ring);

	if (!final)
		return false;
	/* A single sender moves no tail: the first slot that is not full ends it. */
	if (co_chan_is_single(c, CO_CHAN_SENDER))
		return co_ring_turn(next_slot(c, CO_CHAN_RECEIVER)) < 0;
	return (intptr_t)(next_position(c, CO_CHAN_RECEIVER) - (final & ~CO_RING_CLOSED)) >= 0;
}

/* The result of a look by a coroutine that has entered a queue. */
enum look { SLEEP, AGAIN, BROKEN };

/*
 * h is the side's next slot, or was when a claim of it failed: if it has not come to its stage yet,
 * it still is. A slot whose turn it is gets no mark: a second waiter, woken for it, could overtake
 * the first.
 */
static enum look look_around(struct co_chan *c, enum co_chan_side side, struct co_claimed h)
{
	intptr_t turn = co_ring_turn(h);
	bool over;

	/* A single member never misses a turn; a confined other side has broken the ring. */
	if (turn > 0 && co_chan_is_single(c, side))
		return BROKEN;
	if (turn >= 0 || co_ring_mark(h))
		return AGAIN;
	over = side == CO_CHAN_SENDER ? co_ring_shut(&c->ring)
				      : co_ring_may_end(&c->ring) && co_chan_drained(c);
	return over ? AGAIN : SLEEP;
}

/* relaxed: a close that is missed is seen before a sleep. */
bool co_chan_is_over(struct co_chan *c, enum co_chan_side side)
{
	return co_ring_is_closed(&c->ring) && (side == CO_CHAN_SENDER || co_chan_drained(c));
}

bool co_chan_can_move(struct co_chan *c, enum co_chan_side side)
{
	bool sends = side == CO_CHAN_SENDER;

	if (co_chan_claim_of(c, side) != CO_CLAIM_TICKET)
		return look_around(c, side, next_slot(c, side)) != SLEEP;
	return co_credit_ask(sends ? &c->room : &c->elements) || co_chan_is_over(c, side);
}

int co_chan_refusal(struct co_chan *c, enum co_chan_side side)
{
	if (co_chan_is_over(c, side))
		return -EPIPE;
	/* A single member's next slot is ahead: a confined other side has broken the ring. */
	if (co_chan_is_single(c, side) && co_ring_turn(next_slot(c, side)) > 0)
		return -EPROTO;
	return -EAGAIN;
}

int co_chan_wait(struct co_chan *c, enum co_chan_side side, struct co_claimed h, bool front,
		 uint64_t deadline)
{
	struct co_waiter *w = co_wait_prepare_inline(
		co_chan_queue(c, side), c, side == CO_CHAN_SENDER ? co_chan_room : co_chan_element,
		front, 0);
	enum look found = look_around(c, side, h);

	if (found == SLEEP)
		return co_wait_commit_inline(w, deadline);
	(void)co_wait_abandon(w);
	return found == BROKEN ? -EPROTO : CO_CHAN_CHANGED;
}

void co_chan_pass_on(struct co_chan *c, enum co_chan_side side)
{
	struct co_waitq *queue = co_chan_queue(c, side);

	if (co_waitq_any(queue) && co_chan_can_move(c, side))
		co_wake_one(queue);
}

int co_chan_claim_later(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
			uint64_t deadline, int r)
{
	uintptr_t way = co_chan_claim_of(c, side);
	bool slept = r <= CO_CHAN_WOKEN, many = way != CO_CLAIM_SINGLE;

	for (;;) {
		if (co_chan_claim(way, c, side, CO_RING_WAITED, h)) {
			r = 0;
			break;
		}
		if (co_chan_is_over(c, side))
			r = -EPIPE;
		if (r < 0)
			break;
		r = co_chan_wait(c, side, *h, slept && many, deadline);
		slept |= r <= CO_CHAN_WOKEN;
	}
	if (many && slept)
		co_chan_pass_on(c, side);
	return r;
}

int co_chan_claim_or_wait(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
			  uint64_t deadline, bool waits)
{
	if (co_chan_claim(co_chan_claim_of(c, side), c, side, CO_RING_WAITED, h))
		return 0;
	if (!waits)
		return co_chan_refusal(c, side);
	return co_chan_claim_later(c, side, h, deadline,
				   co_chan_wait(c, side, *h, false, deadline));
}

size_t co_chan_count(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t head = next_position(c, CO_CHAN_RECEIVER);
	uintptr_t tail = next_position(c, CO_CHAN_SENDER);

	/* Tickets drawn behind a close count for nothing. relaxed: a moment old anyway. */
	if (co_chan_claim_of(c, CO_CHAN_SENDER) == CO_CLAIM_TICKET &&
	    co_atomic_load(&r->final, CO_RELAXED))
		tail = co_atomic_load(&r->final, CO_RELAXED) & ~CO_RING_CLOSED;
	/* The two looks are not one: a receiver may have overtaken the first. */
	return co_ring_between(r, head, tail);
}
