/*
 * channel.c - a ring, and two queues of those who wait on it.
 *
 * Every operation first tries the ring alone. Who finds it full (or empty) enters a queue, marks
 * the slot that it waits for (lf/ring.h), and sleeps; who moves a marked slot on wakes the first of
 * each queue. A wake-up is a hint: a third may be faster, and the woken one then waits at the head
 * of the queue. Only the slot that comes next is marked, so the one who was woken passes the hint
 * on when it is done: it marks the next slot, or wakes the next waiter if that one has moved on
 * already. With tickets it is not a hint but a credit: channel_ticket.c; the queues here then serve
 * select alone.
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
static bool add_claim(struct co_ring *r, struct co_aword *claim, struct co_aword *done,
		      uintptr_t stage, struct co_hold *h)
{
	unsigned spins = 0;
	int won;

	while ((won = co_addring_claim(r, claim, done, stage, h)) < 0) {
		if (claim == &r->tail && co_ring_is_closed(r))
			return false;
		co_spin(&spins);
		if (co_self())
			co_yield();
	}
	return won;
}

#ifdef CO_NO_CAS
#define cas_reserve(r, h) ((void)(r), (void)(h), false)
#define cas_peek(r, h) cas_reserve(r, h)
#else
#define cas_reserve(r, h) co_mpmc_claim(r, &(r)->tail, 0, 1, h)
#define cas_peek(r, h) co_mpmc_claim(r, &(r)->head, CO_RING_FULL, 1, h)
#endif

int co_chan_try_slot(struct co_chan *c, struct co_hold *h)
{
	struct co_ring *r = &c->ring;
	bool got;

	switch (c->send_claim) {
	case CO_CLAIM_SINGLE:
		check_single(c, &c->sender, "sends");
		got = co_single_claim(r, &r->tail, &r->put, h);
		break;
	case CO_CLAIM_TICKET:
		return co_chan_ticket_reserve(c, h, 0);
	case CO_CLAIM_ADD:
		got = add_claim(r, &r->tail, &r->put, 0, h);
		/* The add that was taken back may be all that co_chan_drained() waited for. */
		if (!got && co_ring_is_closed(r))
			co_wake_all(&c->receivers);
		break;
	default:
		got = cas_reserve(r, h);
	}
	return got ? 0 : co_ring_is_closed(r) ? -EPIPE : -EAGAIN;
}

int co_chan_try_element(struct co_chan *c, struct co_hold *h)
{
	struct co_ring *r = &c->ring;
	bool got;

	switch (c->recv_claim) {
	case CO_CLAIM_SINGLE:
		check_single(c, &c->receiver, "receives");
		got = co_single_claim(r, &r->head, &r->took, h);
		break;
	case CO_CLAIM_TICKET:
		return co_chan_ticket_peek(c, h, 0);
	case CO_CLAIM_ADD:
		got = add_claim(r, &r->head, &r->took, CO_RING_FULL, h);
		break;
	default:
		got = cas_peek(r, h);
	}
	return got ? 0 : co_chan_drained(c) ? -EPIPE : -EAGAIN;
}

/*
 * Where each side claims next: a moment old, unless the side has one member who asks. seq_cst: what
 * a receiver finds behind a close is in one order with the claims before it.
 */
static uintptr_t next_to_send(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;

	if (c->send_claim == CO_CLAIM_SINGLE)
		return co_single_position(r, &r->tail, &r->put);
	/* With the paper's adds, tail is unsteady: put is not. */
	return co_atomic_load(c->send_claim == CO_CLAIM_ADD ? &r->put : &r->tail, CO_SEQ_CST) &
	       ~CO_RING_FLAGS;
}

static uintptr_t next_to_receive(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;

	if (c->recv_claim == CO_CLAIM_SINGLE)
		return co_single_position(r, &r->head, &r->took);
	/* Tickets leave it on places without a slot. */
	return co_ring_skip(
		r, co_atomic_load(c->recv_claim == CO_CLAIM_ADD ? &r->took : &r->head, CO_SEQ_CST));
}

static struct co_hold next_slot(struct co_chan *c)
{
	struct co_ring *r = &c->ring;
	struct co_hold h;

	if (c->send_claim != CO_CLAIM_SINGLE)
		return co_ring_at(r, next_to_send(c), 0);
	h = co_single_next(&r->tail, &r->put);
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
	struct co_ring *r = &c->ring;
	uintptr_t final = co_ring_final(r);
	uintptr_t put;

	if (!final)
		return false;
	switch (c->send_claim) {
	case CO_CLAIM_SINGLE: /* it moves no tail: the first slot that is not full ends it */
		return co_ring_turn(next_element(c)) < 0;
	case CO_CLAIM_ADD: /* losers' adds are being taken back: it ends when tail is put again */
		put = co_atomic_load(&r->put, CO_SEQ_CST);
		return next_to_receive(c) == put &&
		       co_atomic_load(&r->tail, CO_SEQ_CST) == (put | CO_RING_CLOSED);
	default:
		return (intptr_t)(next_to_receive(c) - (final & ~CO_RING_CLOSED)) >= 0;
	}
}

/* The looks of one who has entered a queue: true if it should try again. */
bool co_chan_can_send(struct co_chan *c)
{
	struct co_ring *r = &c->ring;

	if (c->send_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->room) || co_ring_is_closed(r);
	return co_ring_mark(next_slot(c)) || co_ring_shut(r);
}

bool co_chan_can_recv(struct co_chan *c)
{
	if (c->recv_claim == CO_CLAIM_TICKET)
		return co_credit_any(&c->elements) || co_chan_drained(c);
	return co_ring_mark(next_element(c)) || co_chan_drained(c);
}

/* The paths of the two sides are one: this is what they differ in. */
struct path {
	int (*attempt)(struct co_chan *c, struct co_hold *h);
	bool (*look)(struct co_chan *c);
	struct co_waitq *queue;
	const char *kind;
};

static int wait_and_try(struct co_chan *c, const struct path *p, struct co_hold *h,
			uint64_t deadline)
{
	bool woken = false;
	int r;

	while ((r = p->attempt(c, h)) == -EAGAIN) {
		struct co_waiter *w = woken ? co_wait_prepare_front(p->queue, c, p->kind)
					    : co_wait_prepare(p->queue, c, p->kind);
		bool change = p->look(c);
		int why = change ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (why) {
			r = p->attempt(c, h);
			r = r == -EAGAIN ? why : r;
			break;
		}
		woken |= !change;
	}
	/* More of it, or closed: the next one should know. */
	if (woken && co_waitq_any(p->queue) && p->look(c))
		co_wake_one(p->queue);
	return r;
}

int co_chan_claim_slot(struct co_chan *c, struct co_hold *h, uint64_t deadline)
{
	const struct path p = { co_chan_try_slot, co_chan_can_send, &c->senders,
				"room in channel" };

	if (c->send_claim == CO_CLAIM_TICKET)
		return co_chan_ticket_reserve(c, h, deadline ? deadline : 1); /* 0 is: a try */
	return wait_and_try(c, &p, h, deadline);
}

int co_chan_claim_element(struct co_chan *c, struct co_hold *h, uint64_t deadline)
{
	const struct path p = { co_chan_try_element, co_chan_can_recv, &c->receivers,
				"element in channel" };

	if (c->recv_claim == CO_CLAIM_TICKET)
		return co_chan_ticket_peek(c, h, deadline ? deadline : 1);
	return wait_and_try(c, &p, h, deadline);
}

int co_chan_wake(struct co_chan *c)
{
	co_wake_one(&c->receivers);
	co_wake_one(&c->senders);
	return 0;
}

void co_chan_put_done(struct co_chan *c, struct co_hold h)
{
	if (co_ring_commit(h))
		co_chan_wake(c);
	if (c->plain)
		return;
	if (c->send_claim == CO_CLAIM_ADD)
		co_addring_done(&c->ring.put);
	if (c->recv_claim == CO_CLAIM_TICKET)
		co_chan_ticket_give(&c->elements);
	/* Those who wait for more than the slot: for a credit, or the end of a drain. */
	co_wake_one(&c->receivers);
}

void co_chan_take_done(struct co_chan *c, struct co_hold h)
{
	if (co_ring_release(&c->ring, h))
		co_chan_wake(c);
	if (c->plain)
		return;
	if (c->recv_claim == CO_CLAIM_ADD)
		co_addring_done(&c->ring.took);
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

size_t co_chan_count(const struct co_chan *c)
{
	const struct co_ring *r = &c->ring;
	uintptr_t head = next_to_receive(c);
	uintptr_t tail = next_to_send(c);
	size_t capacity = r->last / CO_RING_STEP + 1;
	uintptr_t laps;
	intptr_t n;

	/* Tickets drawn behind a close count for nothing. relaxed: a moment old anyway. */
	if (c->send_claim == CO_CLAIM_TICKET && co_atomic_load(&r->final, CO_RELAXED))
		tail = co_atomic_load(&r->final, CO_RELAXED) & ~CO_RING_CLOSED;
	tail = co_ring_skip(r, tail);
	laps = (co_ring_lap_of(r, tail) - co_ring_lap_of(r, head)) / r->lap;
	n = (intptr_t)(laps * capacity) +
	    (intptr_t)(co_ring_place(r, tail) - co_ring_place(r, head)) / CO_RING_STEP;
	/* The two looks are not one: a receiver may have overtaken the first. */
	return n < 0 ? 0 : (size_t)n > capacity ? capacity : (size_t)n;
}
