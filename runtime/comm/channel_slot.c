/*
 * channel_slot.c - a channel's elements in place, and in bulk.
 */
#include <errno.h>
#include <limits.h>

#include "../core/core.h"
#include "channel.h"

/*
 * With tickets and with the paper's adds, others wait for a slot that is taken, by looking: it must
 * not be held for longer than a copy takes.
 */
static bool may_be_held(uint8_t claim)
{
	return claim == CO_CLAIM_CAS || claim == CO_CLAIM_SINGLE;
}

enum side { SENDER, RECEIVER };

/* The caller's next slot of its side, which it then holds. */
static inline int hold(struct co_chan *c, struct co_chan_slot *s, enum side side, bool wait,
		       uint64_t deadline)
{
	uintptr_t pos = 0;
	int r;

	if (!may_be_held(side == SENDER ? c->send_claim : c->recv_claim))
		return -ENOTSUP;
	if (wait && side == SENDER)
		r = co_chan_claim_slot(c, &pos, deadline);
	else if (wait)
		r = co_chan_claim_element(c, &pos, deadline);
	else
		r = side == SENDER ? co_chan_try_slot(c, &pos) : co_chan_try_element(c, &pos);
	if (r == 0)
		*s = (struct co_chan_slot){ co_chan_payload(c, pos), pos };
	return r;
}

static inline uintptr_t let_go(struct co_chan_slot *s)
{
	CO_ASSERT(s->data);
	s->data = NULL;
	return s->position;
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
	co_chan_put_done(c, let_go(s));
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
	co_chan_take_done(c, let_go(s));
}

int co_chan_send_many(struct co_chan *c, const void *elems, size_t n, uint64_t deadline)
{
	const unsigned char *from = elems;
	size_t done = 0;

	CO_ASSERT(n > 0 && n <= INT_MAX);
	while (done < n) {
		int r = co_chan_send_until(c, from + done * c->elem_size, deadline);

		if (r)
			return done ? (int)done : r;
		done++;
	}
	return (int)done;
}

int co_chan_recv_many(struct co_chan *c, void *elems, size_t n, uint64_t deadline)
{
	unsigned char *to = elems;
	size_t done;
	int r;

	CO_ASSERT(n > 0 && n <= INT_MAX);
	r = co_chan_recv_until(c, to, deadline);
	for (done = 1; r == 0 && done < n; done++) {
		if (co_chan_try_recv(c, to + done * c->elem_size))
			break;
	}
	return r ? r : (int)done;
}
