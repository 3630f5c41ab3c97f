/*
 * channel_slot.c - a channel's elements in place.
 */
#include <errno.h>

#include "../core/core.h"
#include "channel.h"

enum side { SENDER, RECEIVER };

/* May the caller be counted as an end of a channel? A handler is not. */
static inline bool bound(void)
{
	const struct co *self = co_executor.current;

	return self && self->cleanups;
}

static __attribute__((noinline)) int lent(struct co_chan *c, struct co_hold h)
{
	co_chan_lent(co_executor.current, c, h);
	return 0;
}

/* The caller's next slot of its side, which it then holds. */
static inline int hold(struct co_chan *c, struct co_chan_slot *s, enum side side, bool wait,
		       uint64_t deadline)
{
	struct co_hold h = { NULL, 0 };
	int r;

	/*
	 * With tickets and with the paper's adds, others wait for a slot that is taken by looking:
	 * neither side may hold one for longer than a copy takes.
	 */
	if (!c->plain)
		return -ENOTSUP;
	co_chan_touch(s);
	if (wait && side == SENDER)
		r = co_chan_claim_slot(c, &h, deadline);
	else if (wait)
		r = co_chan_claim_element(c, &h, deadline);
	else
		r = side == SENDER ? co_chan_try_slot(c, &h) : co_chan_try_element(c, &h);
	if (r)
		return r;
	*s = (struct co_chan_slot){ co_slot_payload(h.slot), h.stamp };
	return bound() ? lent(c, h) : 0;
}

static inline struct co_hold let_go(struct co_chan_slot *s)
{
	struct co_hold h;

	CO_ASSERT(s->data);
	h.slot = (struct co_slot *)(void *)((unsigned char *)s->data - sizeof(uint64_t));
	h.stamp = s->stamp;
	s->data = NULL;
	return h;
}

int co_chan_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, SENDER, true, CO_FOREVER);
}

int co_chan_reserve_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	return hold(c, s, SENDER, true, deadline);
}

int co_chan_try_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, SENDER, false, 0);
}

void co_chan_commit(struct co_chan *c, struct co_chan_slot *s)
{
	/* In place there is nothing to tell but by the slot. */
	if (co_ring_commit(let_go(s)))
		co_chan_wake_receivers(c);
}

int co_chan_peek(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, RECEIVER, true, CO_FOREVER);
}

int co_chan_peek_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	return hold(c, s, RECEIVER, true, deadline);
}

int co_chan_try_peek(struct co_chan *c, struct co_chan_slot *s)
{
	return hold(c, s, RECEIVER, false, 0);
}

void co_chan_release(struct co_chan *c, struct co_chan_slot *s)
{
	if (co_ring_release(&c->ring, let_go(s)))
		co_chan_wake(&c->senders, &c->receivers);
}
