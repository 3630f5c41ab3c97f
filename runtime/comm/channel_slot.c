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

static int reserved(struct co_chan *c, struct co_chan_slot *s, uintptr_t pos, int r)
{
	if (r == 0)
		*s = (struct co_chan_slot){ co_chan_payload(c, pos), pos };
	return r;
}

int co_chan_reserve_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	uintptr_t pos = 0;
	int r = may_be_held(c->send_claim) ? co_chan_claim_slot(c, &pos, deadline) : -ENOTSUP;

	return reserved(c, s, pos, r);
}

int co_chan_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	return co_chan_reserve_until(c, s, CO_FOREVER);
}

int co_chan_try_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	uintptr_t pos = 0;
	int r = may_be_held(c->send_claim) ? co_chan_try_slot(c, &pos) : -ENOTSUP;

	return reserved(c, s, pos, r);
}

void co_chan_commit(struct co_chan *c, struct co_chan_slot *s)
{
	CO_ASSERT(s->data);
	s->data = NULL;
	co_chan_put_done(c, s->position);
}

int co_chan_peek_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline)
{
	uintptr_t pos = 0;
	int r = may_be_held(c->recv_claim) ? co_chan_claim_element(c, &pos, deadline) : -ENOTSUP;

	return reserved(c, s, pos, r);
}

int co_chan_peek(struct co_chan *c, struct co_chan_slot *s)
{
	return co_chan_peek_until(c, s, CO_FOREVER);
}

int co_chan_try_peek(struct co_chan *c, struct co_chan_slot *s)
{
	uintptr_t pos = 0;
	int r = may_be_held(c->recv_claim) ? co_chan_try_element(c, &pos) : -ENOTSUP;

	return reserved(c, s, pos, r);
}

void co_chan_release(struct co_chan *c, struct co_chan_slot *s)
{
	CO_ASSERT(s->data);
	s->data = NULL;
	co_chan_take_done(c, s->position);
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
