/* channel_slot.c - slots in place: the caller fills or reads a slot that it has claimed. */
#include <errno.h>

#include "claim.h"

/* The caller's counted ends note its claimed slots. A handler has none. */
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

static NOINLINE int hold_later(struct co_chan *c, struct co_chan_slot *s, enum co_chan_side side,
			       uint64_t deadline, bool waits)
{
	struct co_claimed h;
	int r;

	/*
	 * Others spin for a ticket's slot, so it must not be claimed for longer than a copy; and
	 * there may be no slots.
	 */
	co_chan_choose_claim(c);
	if (co_chan_has_tickets(c) || co_chan_is_rendezvous(c))
		return -ENOTSUP;
	r = co_chan_claim_or_wait(c, side, &h, deadline, waits);
	return r ? r : give_slot(c, s, h);
}

/* Claim the next slot of a side for the caller, or wait for it. */
INLINE int hold(struct co_chan *c, struct co_chan_slot *s, enum co_chan_side side,
		uint64_t deadline)
{
	struct co_claimed h;

	touch_elem(s);
	if (!co_chan_claim(co_chan_way_of(c, side), c, side, CO_RING_WAITED, &h))
		return hold_later(c, s, side, deadline, true);
	return give_slot(c, s, h);
}

int co_chan_reserve_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	return hold(c, s, CO_CHAN_SENDER, deadline);
}

int co_chan_try_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	touch_elem(s);
	return hold_later(c, s, CO_CHAN_SENDER, 0, false);
}

int co_chan_peek_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	return hold(c, s, CO_CHAN_RECEIVER, deadline);
}

int co_chan_try_peek(struct co_chan *c, struct co_chan_slot *s)
{
	touch_elem(s);
	return hold_later(c, s, CO_CHAN_RECEIVER, 0, false);
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

void co_chan_commit(struct co_chan *c, struct co_chan_slot *s)
{
	co_chan_publish(c, CO_CHAN_SENDER, let_go(s));
}

void co_chan_release(struct co_chan *c, struct co_chan_slot *s)
{
	co_chan_publish(c, CO_CHAN_RECEIVER, let_go(s));
}
