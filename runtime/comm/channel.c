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

/*
 * DEBUG=1: the side is promised to one coroutine, as long as that one lives. relaxed: an own count,
 * and that of one who lives on.
 */
static void check_single(struct co_chan *c, struct co_chan_user *one, const char *does)
{
#ifdef CO_DEBUG
	struct co *self = co_self();
	struct co *was = one->co;

	if (was && was != self && co_is_live(was) &&
	    co_atomic_load(&was->births, CO_RELAXED) == one->births)
		co_panic("channel 0x%lx: '%s' %s where '%s' alone should",
			 (unsigned long)(uintptr_t)c, self ? co_name(self) : "a handler", does,
			 co_name(was));
	one->co = self;
	one->births = self ? co_atomic_load(&self->births, CO_RELAXED) : 0;
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
	    elem_size > UINT32_MAX - 2 * sizeof(uint64_t)) /* a stride would go round */
		return -EINVAL;
	capacity = co_ring_fit(bytes, elem_size);
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
#define cas_claim(r, next, stage, h) ((void)(r), (void)(h), false)
#else
#define cas_claim(r, next, stage, h) co_mpmc_claim(r, next, stage, 1, h)
#endif

/* Claim, without a look at the rest: it is for the compiler to see through, wherever it stands. */
#define INLINE static inline __attribute__((always_inline))

INLINE bool claim_slot(struct co_chan *c, struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (c->send_claim == CO_CLAIM_SINGLE) {
		check_single(c, &c->sender, "sends");
		return co_single_claim(r, &r->tail, &r->put, h);
	}
	return c->send_claim == CO_CLAIM_ADD ? add_claim(r, &r->tail, &r->put, 0, h)
					     : cas_claim(r, &r->tail, 0, h);
}

INLINE bool claim_element(struct co_chan *c, struct co_hold *h)
{
	struct co_ring *r = &c->ring;

	if (c->recv_claim == CO_CLAIM_SINGLE) {
		check_single(c, &c->receiver, "receives");
		return co_single_claim(r, &r->head, &r->took, h);
	}
	return c->recv_claim == CO_CLAIM_ADD ? add_claim(r, &r->head, &r->took, CO_RING_FULL, h)
					     : cas_claim(r, &r->head, CO_RING_FULL, h);
}

/* A closed channel has no room. */
INLINE int try_slot(struct co_chan *c, struct co_hold *h)
{
	if (claim_slot(c, h))
		return 0;
	if (!co_ring_is_closed(&c->ring))
		return -EAGAIN;
	/* The add that was taken back may be all that co_chan_drained() waited for. */
	if (c->send_claim == CO_CLAIM_ADD)
		co_wake_all(&c->receivers);
	return -EPIPE;
}

INLINE int try_element(struct co_chan *c, struct co_hold *h)
{
	if (claim_element(c, h))
		return 0;
	/* relaxed: a close that is missed here is seen in the look before a sleep. */
	return co_ring_is_closed(&c->ring) && co_chan_drained(c) ? -EPIPE : -EAGAIN;
}

int co_chan_try_slot(struct co_chan *c, struct co_hold *h)
{
	return c->send_claim == CO_CLAIM_TICKET ? co_chan_ticket_reserve(c, h, 0) : try_slot(c, h);
}

int co_chan_try_element(struct co_chan *c, struct co_hold *h)
{
	return c->recv_claim == CO_CLAIM_TICKET ? co_chan_ticket_peek(c, h, 0) : try_element(c, h);
}

enum side { SENDER, RECEIVER };

const char co_chan_element[] = "element in channel";
const char co_chan_room[] = "room in channel";
static const char *const kinds[] = { co_chan_room, co_chan_element };

/* The paths of the two sides are one: the compiler makes two of it. */
INLINE int wait_and_try(struct co_chan *c, enum side side, struct co_hold *h, uint64_t deadline)
{
	struct co_waitq *queue = side == SENDER ? &c->senders : &c->receivers;
	bool woken = false;
	int r;

	while ((r = side == SENDER ? try_slot(c, h) : try_element(c, h)) == -EAGAIN) {
		struct co_waiter *w = woken ? co_wait_prepare_front(queue, c, kinds[side])
					    : co_wait_prepare(queue, c, kinds[side]);
		bool change = side == SENDER ? co_chan_can_send(c) : co_chan_can_recv(c);
		int why = change ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (why) {
			r = side == SENDER ? co_chan_try_slot(c, h) : co_chan_try_element(c, h);
			r = r == -EAGAIN ? why : r;
			break;
		}
		woken |= !change;
	}
	/* More of it, or closed: the next one should know. */
	if (woken && co_waitq_any(queue) &&
	    (side == SENDER ? co_chan_can_send(c) : co_chan_can_recv(c)))
		co_wake_one(queue);
	return r;
}

__attribute__((noinline)) static int await_slot(struct co_chan *c, struct co_hold *h,
						uint64_t deadline)
{
	return wait_and_try(c, SENDER, h, deadline);
}

__attribute__((noinline)) static int await_element(struct co_chan *c, struct co_hold *h,
						   uint64_t deadline)
{
	return wait_and_try(c, RECEIVER, h, deadline);
}

/*
 * The same on a side that has one member, to whom nobody passes anything on.
 */
INLINE int wait_alone(struct co_chan *c, enum side side, struct co_hold *h, uint64_t deadline)
{
	struct co_ring *r = &c->ring;
	struct co_aword *turn = side == SENDER ? &r->tail : &r->head;
	struct co_aword *at = side == SENDER ? &r->put : &r->took;
	int why = 0;

	if (side == SENDER)
		check_single(c, &c->sender, "sends");
	else
		check_single(c, &c->receiver, "receives");
	while (!co_single_claim(r, turn, at, h)) {
		struct co_waiter *w;

		if (co_ring_is_closed(r) && (side == SENDER || co_chan_drained(c)))
			return -EPIPE;
		if (why)
			return why;
		/*
		 * It cannot have been: nobody else moves this side on. The other side is confined.
		 */
		if (co_ring_turn((struct co_hold){ h->slot, h->stamp & ~CO_RING_CLOSED }) > 0)
			return -EPROTO;
		w = co_wait_prepare(side == SENDER ? &c->senders : &c->receivers, c, kinds[side]);
		h->stamp &= ~CO_RING_CLOSED;
		if (co_ring_mark(*h) || (co_ring_shut(r) && (side == SENDER || co_chan_drained(c))))
			co_wait_abandon(w);
		else
			why = co_wait_commit(w, deadline);
	}
	return 0;
}

INLINE int claim(struct co_chan *c, enum side side, struct co_hold *h, uint64_t deadline)
{
	enum co_claim by = (enum co_claim)(side == SENDER ? c->send_claim : c->recv_claim);

	if (by == CO_CLAIM_SINGLE)
		return wait_alone(c, side, h, deadline);
	if (by != CO_CLAIM_TICKET)
		return side == SENDER ? await_slot(c, h, deadline) : await_element(c, h, deadline);
	deadline = deadline ? deadline : 1; /* 0 is: a try */
	return side == SENDER ? co_chan_ticket_reserve(c, h, deadline)
			      : co_chan_ticket_peek(c, h, deadline);
}

int co_chan_claim_slot(struct co_chan *c, struct co_hold *h, uint64_t deadline)
{
	return claim(c, SENDER, h, deadline);
}

int co_chan_claim_element(struct co_chan *c, struct co_hold *h, uint64_t deadline)
{
	return claim(c, RECEIVER, h, deadline);
}

/* The mark may be of either side. */
__attribute__((noinline)) static int wake_two(struct co_waitq *a, struct co_waitq *b)
{
	co_wake_known(a);
	return co_wake_known(b);
}

int co_chan_wake(struct co_waitq *queue, struct co_waitq *other)
{
	if (co_waitq_known(other))
		return wake_two(queue, other);
	return co_waitq_known(queue) ? co_wake_known(queue) : 0;
}

__attribute__((noinline)) static int wake_lone(struct co_chan *c)
{
	co_chan_serve(c, co_berth_take(&c->berth));
	return co_chan_wake(&c->receivers, &c->senders);
}

int co_chan_wake_receivers(struct co_chan *c)
{
	if (co_berth_known(&c->berth))
		return wake_lone(c);
	return co_chan_wake(&c->receivers, &c->senders);
}

/* What there is to do beyond the slot, for credits and the paper's adds. */
static void tell_receivers(struct co_chan *c)
{
	if (c->send_claim == CO_CLAIM_ADD)
		co_addring_done(&c->ring.put);
	if (c->recv_claim == CO_CLAIM_TICKET)
		co_chan_ticket_give(&c->elements);
	/* Those who wait for more than the slot: for a credit, or the end of a drain. */
	co_wake_one(&c->receivers);
}

static void tell_senders(struct co_chan *c)
{
	if (c->recv_claim == CO_CLAIM_ADD)
		co_addring_done(&c->ring.took);
	if (c->send_claim == CO_CLAIM_TICKET)
		co_chan_ticket_give(&c->room);
	co_wake_one(&c->senders);
}

INLINE void put_done(struct co_chan *c, struct co_hold h)
{
	if (co_ring_commit(h))
		co_chan_wake_receivers(c);
	if (!c->plain)
		tell_receivers(c);
}

INLINE void take_done(struct co_chan *c, struct co_hold h)
{
	if (co_ring_release(&c->ring, h))
		co_chan_wake(&c->senders, &c->receivers);
	if (!c->plain)
		tell_senders(c);
}

void co_chan_put_done(struct co_chan *c, struct co_hold h)
{
	put_done(c, h);
}

void co_chan_take_done(struct co_chan *c, struct co_hold h)
{
	take_done(c, h);
}

int co_chan_send_long(struct co_chan *c, const void *elem, uint64_t deadline)
{
	struct co_hold h;
	int r = claim(c, SENDER, &h, deadline);

	if (r)
		return r;
	co_chan_copy(co_slot_payload(h.slot), elem, c->elem_size);
	put_done(c, h);
	return 0;
}

int co_chan_recv_long(struct co_chan *c, void *elem, uint64_t deadline)
{
	struct co_hold h;
	int r = claim(c, RECEIVER, &h, deadline);

	if (r)
		return r;
	co_chan_copy(elem, co_slot_payload(h.slot), c->elem_size);
	take_done(c, h);
	return 0;
}

void co_chan_close(struct co_chan *c)
{
	co_ring_close(&c->ring);
	co_chan_serve(c, co_berth_close(&c->berth));
	co_chan_ticket_kick(&c->room);
	co_chan_ticket_kick(&c->elements);
	co_wake_all(&c->senders);
	co_wake_all(&c->receivers);
}
