/* channel_wait.c - looks at a channel: room, elements, end, count; claims that may wait. */
#include <errno.h>

#include "../../core/lf/ticket.h"
#include "claim.h"

const char co_chan_element[] = "element in channel";
const char co_chan_room[] = "room in channel";

bool co_chan_drained(struct co_chan *c)
{
	uintptr_t final = co_ring_final(&c->ring);

	if (!final)
		return false;
	/* A single sender moves no tail: the first slot that is not full ends it. */
	if (c->send_claim == CO_CLAIM_SINGLE)
		return co_ring_turn(next_slot(c, CO_CHAN_RECEIVER)) < 0;
	return (intptr_t)(next_to_receive(c) - (final & ~CO_RING_CLOSED)) >= 0;
}

bool co_chan_can_send(struct co_chan *c)
{
	if (c->send_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->room) || co_ring_is_closed(&c->ring);
	return look_around(c, CO_CHAN_SENDER, next_slot(c, CO_CHAN_SENDER),
			   c->send_claim == CO_CLAIM_SINGLE) != SLEEP;
}

bool co_chan_can_recv(struct co_chan *c)
{
	if (c->recv_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->elements) || co_chan_drained(c);
	return look_around(c, CO_CHAN_RECEIVER, next_slot(c, CO_CHAN_RECEIVER),
			   c->recv_claim == CO_CLAIM_SINGLE) != SLEEP;
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

/* Each of the four is code of its own. */
INLINE int claim(struct co_chan *c, enum co_chan_side side, bool single, struct co_claimed *h,
		 uint64_t deadline)
{
	if (co_chan_claim_one_by(single ? CO_CLAIM_SINGLE : CO_CLAIM_CAS, c, side, CO_RING_WAITED,
				 h))
		return 0;
	if (!deadline)
		return refusal(c, side, single);
	return co_chan_go_on(c, side, single, 0, h, deadline, CHANGED);
}

int co_chan_claim(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
		  uint64_t deadline)
{
	enum co_claim by = co_chan_claim_of(c, side);

	if (by == CO_CLAIM_TICKET)
		return co_chan_ticket_claim(c, side, h, deadline);
	if (side == CO_CHAN_SENDER)
		return claim(c, CO_CHAN_SENDER, by == CO_CLAIM_SINGLE, h, deadline);
	return claim(c, CO_CHAN_RECEIVER, by == CO_CLAIM_SINGLE, h, deadline);
}
