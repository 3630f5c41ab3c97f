/*
 * channel_wait.c - looks at a channel: is there room, is there an element, is it over, how much is
 * in it? And the wait that stands on them.
 */
#include <errno.h>

#include "../../core/lf/spsc.h"
#include "../../core/lf/ticket.h"
#include "channel.h"

const char co_chan_element[] = "element in channel";
const char co_chan_room[] = "room in channel";

/* Where each side claims next: a moment old, unless the side has one member who asks. */
static uintptr_t next_to_send(const struct co_chan *c)
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

static uintptr_t next_to_receive(const struct co_chan *c)
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
static struct co_hold next_slot(struct co_chan *c)
{
	struct co_hold h = co_single_next(&c->ring.tail, &c->ring.put);

	h.stamp &= ~CO_RING_FLAGS;
	return h;
}

static struct co_hold next_element(struct co_chan *c)
{
	struct co_ring *r = &c->ring;

	if (c->recv_claim != CO_CLAIM_SINGLE)
		return co_ring_at(r, next_to_receive(c), CO_RING_FULL);
	return co_single_next(&r->head, &r->took);
}

bool co_chan_drained(struct co_chan *c)
{
	uintptr_t final = co_ring_final(&c->ring);

	if (!final)
		return false;
	/* A single sender moves no tail: the first slot that is not full ends it. */
	if (c->send_claim == CO_CLAIM_SINGLE)
		return co_ring_turn(next_element(c)) < 0;
	return (intptr_t)(next_to_receive(c) - (final & ~CO_RING_CLOSED)) >= 0;
}

/*
 * The looks of one that has entered a queue: true if it should try again. A slot whose turn it is
 * gets no mark: that would wake a second one for it, which could overtake the first.
 */
static bool look(struct co_hold h)
{
	return co_ring_turn(h) >= 0 || co_ring_mark(h);
}

/*
 * The same of a side that has one member: nobody else can have had its turn. A confined sender or
 * receiver may say so; to try again for that would never end.
 */
__attribute__((noinline)) static bool look_alone(struct co_hold h)
{
	intptr_t turn = co_ring_turn(h);

	return turn == 0 || (turn < 0 && co_ring_mark(h));
}

bool co_chan_can_send(struct co_chan *c)
{
	struct co_ring *r = &c->ring;

	if (c->send_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->room) || co_ring_is_closed(r);
	if (c->send_claim == CO_CLAIM_SINGLE)
		return look_alone(next_slot(c)) || co_ring_shut(r);
	return look(co_ring_at(r, next_to_send(c), 0)) || co_ring_shut(r);
}

bool co_chan_can_recv(struct co_chan *c)
{
	if (c->recv_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->elements) || co_chan_drained(c);
	if (c->recv_claim == CO_CLAIM_SINGLE)
		return look_alone(next_element(c)) || co_chan_drained(c);
	return look(co_ring_at(&c->ring, next_to_receive(c), CO_RING_FULL)) || co_chan_drained(c);
}

size_t co_chan_count(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t head = next_to_receive(c);
	uintptr_t tail = next_to_send(c);

	/* Tickets drawn behind a close count for nothing. relaxed: a moment old anyway. */
	if (c->send_claim == CO_CLAIM_TICKET && co_atomic_load(&r->final, CO_RELAXED))
		tail = co_atomic_load(&r->final, CO_RELAXED) & ~CO_RING_CLOSED;
	/* The two looks are not one: a receiver may have overtaken the first. */
	return co_ring_between(r, head, co_ring_skip(r, tail));
}

/* The paths of the two sides are one: the compiler makes two of it. */
static inline __attribute__((always_inline)) int wait_and_try(struct co_chan *c,
							      enum co_chan_side side,
							      struct co_hold *h, uint64_t deadline)
{
	struct co_waitq *queue = side == CO_CHAN_SENDER ? &c->senders : &c->receivers;
	const char *kind = side == CO_CHAN_SENDER ? co_chan_room : co_chan_element;
	bool (*can)(struct co_chan *) = side == CO_CHAN_SENDER ? co_chan_can_send
							       : co_chan_can_recv;
	bool woken = false;
	int r;

	while ((r = co_chan_try_claim(c, side, h)) == -EAGAIN) {
		struct co_waiter *w = woken ? co_wait_prepare_front(queue, c, kind)
					    : co_wait_prepare(queue, c, kind);
		bool change = can(c);
		int why = change ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (why) {
			r = co_chan_try_claim(c, side, h);
			r = r == -EAGAIN ? why : r;
			break;
		}
		woken |= !change;
	}
	/* More of it, or closed: the next one should know. */
	if (woken && co_waitq_any(queue) && can(c))
		co_wake_one(queue);
	return r;
}

int co_chan_claim(struct co_chan *c, enum co_chan_side side, struct co_hold *h, uint64_t deadline)
{
	if (co_chan_claim_of(c, side) == CO_CLAIM_TICKET)
		return co_chan_ticket_claim(c, side, h, deadline);
	if (!deadline)
		return co_chan_try_claim(c, side, h);
	return side == CO_CHAN_SENDER ? wait_and_try(c, CO_CHAN_SENDER, h, deadline)
				      : wait_and_try(c, CO_CHAN_RECEIVER, h, deadline);
}
