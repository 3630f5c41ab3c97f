/*
 * confined_end.c - the runtime's half of a channel whose other half is confined.
 *
 * The two share the buffer alone, and in it the stamps, which are only ever compared: each side has
 * its own words, and queues and pointers are the runtime's (lf/spsc.h: that is how a side with one
 * member works anyway). So the confined side moves elements by itself, and what it may break is
 * theirs. Here it waits, and wakes: it names a slot and the stamp that it waits for, and the slot
 * is checked to be one.
 */
#include <errno.h>

#include "../comm/channel/channel.h"
#include "confined.h"

static bool is_fresh(const struct co_ring *r)
{
	const uintptr_t slots = (uintptr_t)r->slots;

	/* relaxed, all: nobody uses it. */
	return !co_atomic_load(&r->tail, CO_RELAXED) && !co_atomic_load(&r->final, CO_RELAXED) &&
	       co_atomic_load(&r->head, CO_RELAXED) == CO_RING_FULL &&
	       co_atomic_load(&r->put, CO_RELAXED) == slots &&
	       co_atomic_load(&r->took, CO_RELAXED) == slots;
}

static bool seen_by(const struct co_domain *d, uintptr_t p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += sizeof(uintptr_t)) {
		if (co_domain_allows(d, p + i, 1, CO_READ))
			return true;
	}
	return false;
}

int co_domain_channel(struct co_domain *d, struct co_chan *c, enum co_end_side side,
		      struct co_end *end)
{
	const struct co_ring *r;

	if (!d || !co_atomic_load(&d->id, CO_RELAXED) || !c || !end || (unsigned)side > CO_RECEIVES)
		return -EINVAL;
	r = &c->ring;
	if (c->send_claim != CO_CLAIM_SINGLE || c->recv_claim != CO_CLAIM_SINGLE || !is_fresh(r) ||
	    seen_by(d, (uintptr_t)c, sizeof(*c)))
		return -EINVAL;
	if (!co_domain_allows(d, (uintptr_t)r->slots, (size_t)(r->limit - r->slots),
			      CO_READ | CO_WRITE))
		return -EFAULT;
	if (co_atomic_load(&d->alive, CO_ACQUIRE))
		return -EBUSY;
	for (unsigned i = 0; i < d->ends; i++) {
		if (d->end[i].chan == c && d->end[i].side == side)
			return -EINVAL;
	}
	if (d->ends == CO_DOMAIN_ENDS)
		return -ENOSPC;
	d->end[d->ends].chan = c;
	d->end[d->ends].side = side;
	*end = (struct co_end){
		.ring = *r, .elem_size = c->elem_size, .number = d->ends, .side = side
	};
	d->ends++;
	return 0;
}

/* The channel of an end, or NULL. */
static struct co_chan *chan_of(const struct co_domain *d, uintptr_t end)
{
	return end < d->ends ? d->end[end].chan : NULL;
}

/* The slot of that number, with the stamp that makes it the caller's turn. False: there is none. */
static bool hold_of(const struct co_chan *c, uintptr_t place, uintptr_t stamp, struct co_hold *h)
{
	const struct co_ring *r = &c->ring;

	if (place > r->last / CO_RING_STEP || stamp & CO_RING_WAITED)
		return false;
	*h = (struct co_hold){ (struct co_slot *)(void *)(r->slots + place * r->stride), stamp };
	return true;
}

int co_confined_await(struct co_domain *d, uintptr_t end, uintptr_t place, uintptr_t stamp,
		      uintptr_t us)
{
	struct co_chan *c = chan_of(d, end);
	struct co_waiter *w;
	struct co_hold h;
	bool sends;

	if (!c || !hold_of(c, place, stamp, &h))
		return -EINVAL;
	sends = d->end[end].side == CO_SENDS;
	w = co_wait_prepare(sends ? &c->senders : &c->receivers, c,
			    sends ? "room in channel" : co_chan_element);
	/* Closed is looked at first: what was sent before that is seen by the look at the slot. */
	if (co_ring_shut(&c->ring)) {
		co_wait_abandon(w);
		return sends || co_ring_turn(h) != 0 ? -EPIPE : 0;
	}
	if (co_ring_mark(h)) {
		co_wait_abandon(w);
		return 0;
	}
	/* Between the two looks. A close that comes from here on finds it in the queue. */
	if (co_ring_shut(&c->ring)) {
		co_wait_abandon(w);
		return 0; /* and ask again */
	}
	return co_wait_commit(w, us == UINTPTR_MAX ? CO_FOREVER : co_after_us(us));
}

int co_confined_wake(struct co_domain *d, uintptr_t end)
{
	struct co_chan *c = chan_of(d, end);

	if (!c)
		return -EINVAL;
	if (d->end[end].side == CO_SENDS)
		co_chan_wake(&c->receivers, &c->senders);
	else
		co_chan_wake(&c->senders, &c->receivers);
	return 0;
}

int co_confined_close(struct co_domain *d, uintptr_t end)
{
	struct co_chan *c = chan_of(d, end);

	if (!c)
		return -EINVAL;
	co_chan_close(c);
	return 0;
}

void co_confined_close_all(struct co_domain *d, bool lost)
{
	for (unsigned i = 0; i < d->ends; i++) {
		struct co_chan *c = d->end[i].chan;

		if (!lost || co_chan_lost_usable(c))
			co_chan_close(c);
	}
}
