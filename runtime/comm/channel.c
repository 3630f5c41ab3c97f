/*
 * channel.c - a ring, and two queues of those who wait on it.
 *
 * Every operation first tries the ring alone. Who finds it full (or empty) enters a queue, looks
 * again and sleeps; who makes room (or brings an element) looks for one to wake. A wake-up is a
 * hint: a third may be faster, and the woken one then waits at the head of the queue. One that was
 * woken and succeeds wakes the next if there is more, since one hint can stand for several changes.
 * With tickets it is not a hint but a credit: channel_ticket.c; the queues here then serve select
 * alone.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/spm.h>

#include "../core/core.h"
#include "../core/lf/addring.h"
#ifndef CO_NO_CAS
#include "../core/lf/mpmc.h"
#endif
#include "../core/lf/spsc.h"
#include "../core/lf/ticket.h"
#include "channel.h"

static bool claim_exists(enum co_claim claim)
{
#ifdef CO_NO_CAS
	return claim == CO_CLAIM_TICKET || claim == CO_CLAIM_ADD;
#else
	return (unsigned)claim <= CO_CLAIM_ADD;
#endif
}

/* DEBUG=1: the side is promised to one coroutine, as long as that one lives. */
static void check_single(struct co_chan *c, struct co **one, const char *does)
{
#ifdef CO_DEBUG
	struct co *self = co_self();

	if (*one && *one != self && co_is_live(*one))
		co_panic("channel 0x%lx: '%s' %s where '%s' alone should",
			 (unsigned long)(uintptr_t)c, co_name(self), does, co_name(*one));
	*one = self;
#else
	(void)c;
	(void)one;
	(void)does;
#endif
}

static bool is_power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

int co_chan_init_as(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size,
		    enum co_chan_mode mode, enum co_claim claim)
{
	size_t stride = CO_RING_STRIDE(elem_size);
	size_t capacity;

	CO_ASSERT(c && co_spm_shared(c, sizeof(*c)));
	if (!buffer || (uintptr_t)buffer % sizeof(uint64_t) || !elem_size || elem_size > bytes ||
	    elem_size > UINT32_MAX)
		return -EINVAL;
	capacity = bytes / stride;
	if (!capacity || capacity > CO_CHAN_CAPACITY_MAX)
		return -EINVAL;
	if ((unsigned)mode > CO_SPSC || !claim_exists(claim) ||
	    (claim == CO_CLAIM_ADD && mode != CO_SPSC && !is_power_of_two(capacity)))
		return -EINVAL;
	CO_ASSERT(co_spm_shared(buffer, bytes));
	memset(buffer, 0, capacity * stride);
	*c = (struct co_chan)CO_CHAN(buffer, (uint32_t)elem_size, capacity, mode, claim);
	return 0;
}

int co_chan_init(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size)
{
	return co_chan_init_as(c, buffer, bytes, elem_size, CO_MPMC, CO_CLAIM_DEFAULT);
}

/* One attempt by the paper's adds, over and over while others are in the way: that is its price. */
static struct co_slot *add_claim(struct co_ring *r, struct co_aword *claim, struct co_aword *done,
				 intptr_t stage, uintptr_t *pos)
{
	unsigned spins = 0;
	int won;

	while ((won = co_addring_claim(r, claim, done, stage, pos)) < 0) {
		if (claim == &r->tail && co_ring_is_closed(r))
			return NULL;
		co_spin(&spins);
		if (co_self())
			co_yield();
	}
	return won ? co_ring_slot(r, *pos) : NULL;
}

#ifdef CO_NO_CAS
#define cas_reserve(r, pos) ((void)(r), (void)(pos), (struct co_slot *)NULL)
#define cas_peek(r, pos) cas_reserve(r, pos)
#else
#define cas_reserve(r, pos) co_mpmc_reserve(r, pos)
#define cas_peek(r, pos) co_mpmc_peek(r, pos)
#endif

int co_chan_try_slot(struct co_chan *c, uintptr_t *pos)
{
	struct co_ring *r = &c->ring;
	struct co_slot *s;

	switch (c->send_claim) {
	case CO_CLAIM_SINGLE:
		check_single(c, &c->sender, "sends");
		s = co_single_reserve(r, pos);
		break;
	case CO_CLAIM_TICKET:
		return co_chan_ticket_reserve(c, pos, 0);
	case CO_CLAIM_ADD:
		s = add_claim(r, &r->tail, &r->put, 0, pos);
		/* The add that was taken back may be all that co_ring_drained() waited for. */
		if (!s && co_ring_is_closed(r))
			co_wake_all(&c->receivers);
		break;
	default:
		s = cas_reserve(r, pos);
	}
	return s ? 0 : co_ring_is_closed(r) ? -EPIPE : -EAGAIN;
}

int co_chan_try_element(struct co_chan *c, uintptr_t *pos)
{
	struct co_ring *r = &c->ring;
	struct co_slot *s;

	switch (c->recv_claim) {
	case CO_CLAIM_SINGLE:
		check_single(c, &c->receiver, "receives");
		s = co_single_peek(r, pos);
		break;
	case CO_CLAIM_TICKET:
		return co_chan_ticket_peek(c, pos, 0);
	case CO_CLAIM_ADD:
		s = add_claim(r, &r->head, &r->took, 1, pos);
		break;
	default:
		s = cas_peek(r, pos);
	}
	return s ? 0 : co_chan_drained(c) ? -EPIPE : -EAGAIN;
}

/* The looks of one who has entered a queue: true if it should try again. */
bool co_chan_can_send(struct co_chan *c)
{
	struct co_ring *r = &c->ring;

	if (c->send_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->room) || co_ring_is_closed(r);
	return co_ring_can_put(r, c->send_claim == CO_CLAIM_CAS ? &r->tail : &r->put);
}

bool co_chan_can_recv(struct co_chan *c)
{
	struct co_ring *r = &c->ring;

	if (c->recv_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->elements) || co_chan_drained(c);
	return co_ring_can_take(r, co_chan_next(c)) || co_chan_drained(c);
}

/* The paths of the two sides are one: this is what they differ in. */
struct path {
	int (*attempt)(struct co_chan *c, uintptr_t *pos);
	bool (*look)(struct co_chan *c);
	struct co_waitq *queue;
	const char *kind;
};

static int wait_and_try(struct co_chan *c, const struct path *p, uintptr_t *pos, uint64_t deadline)
{
	bool woken = false;
	int r;

	while ((r = p->attempt(c, pos)) == -EAGAIN) {
		struct co_waiter *w = woken ? co_wait_prepare_front(p->queue, c, p->kind)
					    : co_wait_prepare(p->queue, c, p->kind);
		bool change = p->look(c);
		int why = change ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (why) {
			r = p->attempt(c, pos);
			r = r == -EAGAIN ? why : r;
			break;
		}
		woken |= !change;
	}
	/* More of it, or closed: the next one should know. */
	if (woken && p->look(c))
		co_wake_one(p->queue);
	return r;
}

int co_chan_claim_slot(struct co_chan *c, uintptr_t *pos, uint64_t deadline)
{
	const struct path p = { co_chan_try_slot, co_chan_can_send, &c->senders,
				"room in channel" };
	int r;

	if (c->send_claim == CO_CLAIM_TICKET)
		return co_chan_ticket_reserve(c, pos, deadline ? deadline : 1); /* 0 is: a try */
	r = co_chan_try_slot(c, pos);
	if (r == -EAGAIN)
		r = wait_and_try(c, &p, pos, deadline);
	return r;
}

int co_chan_claim_element(struct co_chan *c, uintptr_t *pos, uint64_t deadline)
{
	const struct path p = { co_chan_try_element, co_chan_can_recv, &c->receivers,
				"element in channel" };
	int r;

	if (c->recv_claim == CO_CLAIM_TICKET)
		return co_chan_ticket_peek(c, pos, deadline ? deadline : 1);
	r = co_chan_try_element(c, pos);
	if (r == -EAGAIN)
		r = wait_and_try(c, &p, pos, deadline);
	return r;
}

/* The slot of a sender is filled: let receivers know. */
void co_chan_put_done(struct co_chan *c, uintptr_t pos)
{
	struct co_ring *r = &c->ring;

	co_ring_commit(r, co_ring_slot(r, pos), pos);
	if (c->send_claim == CO_CLAIM_ADD)
		co_addring_done(&r->put);
	if (c->recv_claim == CO_CLAIM_TICKET)
		co_chan_ticket_give(&c->elements);
	co_wake_one(&c->receivers);
}

void co_chan_take_done(struct co_chan *c, uintptr_t pos)
{
	struct co_ring *r = &c->ring;

	co_ring_release(r, co_ring_slot(r, pos), pos);
	if (c->recv_claim == CO_CLAIM_ADD)
		co_addring_done(&r->took);
	if (c->send_claim == CO_CLAIM_TICKET)
		co_chan_ticket_give(&c->room);
	co_wake_one(&c->senders);
}

void co_chan_close(struct co_chan *c)
{
	co_ring_close(&c->ring);
	co_chan_ticket_kick(&c->room);
	co_chan_ticket_kick(&c->elements);
	co_wake_all(&c->senders);
	co_wake_all(&c->receivers);
}

/* The next position of the senders: a moment old. */
static uintptr_t sent(const struct co_chan *c)
{
	const struct co_aword *at = c->send_claim == CO_CLAIM_SINGLE ? &c->ring.put : &c->ring.tail;
	uintptr_t pos = co_atomic_load(at, CO_RELAXED);

	/* Tickets drawn behind a close count for nothing. */
	if (c->send_claim == CO_CLAIM_TICKET && co_atomic_load(&c->ring.final, CO_RELAXED))
		pos = co_atomic_load(&c->ring.final, CO_RELAXED);
	return co_ring_skip(&c->ring, pos & ~CO_RING_CLOSED);
}

size_t co_chan_count(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	/* relaxed: a moment old anyway. */
	uintptr_t head = co_ring_skip(r, co_atomic_load(&r->head, CO_RELAXED));
	uintptr_t tail = sent(c);
	uintptr_t laps = (co_ring_lap_of(r, tail) - co_ring_lap_of(r, head)) / r->lap;
	intptr_t n =
		(intptr_t)(laps * r->end + co_ring_place(r, tail) - co_ring_place(r, head)) / 2;

	/* The two looks are not one: a receiver may have overtaken the first. */
	return n < 0 ? 0 : n > (intptr_t)(r->end / 2) ? r->end / 2 : (size_t)n;
}
