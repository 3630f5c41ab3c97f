/*
 * channel_ticket.c - channels for harts without compare-and-swap: credits and tickets
 * (lf/ticket.h).
 *
 * Here a wake-up is not a hint, but brings a credit. So coroutines wait for credits, first come,
 * first served; a waiter woken without one (by a close) looks around.
 */
#include "../../core/core.h"
#include "../../core/lf/ticket.h"
#include "channel.h"

void co_chan_ticket_give(struct co_credit *credit)
{
	struct co_waiter *w = co_credit_give(credit);

	if (w)
		co_wake(w);
}

void co_chan_ticket_kick(struct co_credit *credit)
{
	struct co_waiter *w;

	/* A coroutine that enters after this looks at the channel before it sleeps. */
	while ((w = co_waitq_pick(&credit->queue)))
		co_wake(w);
}

/* One side of a channel. */
struct side {
	struct co_chan *c;
	struct co_credit *credit;
	bool (*over)(struct co_chan *c); /* no credit will come any more */
	const char *kind;
};

/* Wait for a credit, registered. 0: the caller has it; else it is not registered any more. */
static int await_credit(const struct side *s, uint64_t deadline)
{
	struct co *self = co_self();

	for (;;) {
		struct co_waiter *w = co_wait_prepare(NULL, s->c, s->kind);
		int r = 0;

		if (co_credit_wait(s->credit, w)) {
			co_wait_withdraw(self);
			return 0;
		}
		if (s->over(s->c))
			r = -EPIPE;
		else if (co_canceled())
			r = -ECANCELED;
		if (r) {
			if (co_wait_withdraw(self) && w->place == CO_CREDIT_GRANTED)
				return 0;
		} else {
			r = co_wait_sleep(self, deadline);
			if (r == 0 && w->place == CO_CREDIT_GRANTED)
				return 0;
		}
		if (r)
			return co_credit_quit(s->credit, w) ? 0 : r;
	}
}

static int get_credit(const struct side *s, uint64_t deadline)
{
	if (deadline == 0 && !co_credit_any(s->credit))
		return s->over(s->c) ? -EPIPE : -EAGAIN;
	if (co_credit_take(s->credit))
		return 0;
	if (deadline == 0) /* another coroutine took it in between */
		return co_credit_quit(s->credit, NULL) ? 0 : -EAGAIN;
	return await_credit(s, deadline);
}

/* Spin for the ticket's slot, which is claimed for a copy at most (co_chan_reserve()). */
static void await_turn(struct co_claimed h)
{
	unsigned spins = 0;

	while (co_ring_turn(h) != 0)
		co_spin(&spins);
}

static bool closed(struct co_chan *c)
{
	return co_ring_is_closed(&c->ring);
}

static int ticket_to_send(struct co_chan *c, struct co_claimed *h, uint64_t deadline)
{
	const struct side s = { c, &c->room, closed, co_chan_room };
	bool late = closed(c);
	int r = late ? -EPIPE : get_credit(&s, deadline);

	if (r)
		return r;
	*h = co_ticket_draw(&c->ring, &c->ring.tail, 0, &late);
	if (late)
		return -EPIPE; /* the credit is lost with the channel */
	await_turn(*h);
	return 0;
}

static int ticket_to_receive(struct co_chan *c, struct co_claimed *h, uint64_t deadline)
{
	const struct side s = { c, &c->elements, co_chan_drained, co_chan_element };
	bool unused;
	int r = get_credit(&s, deadline);

	if (r)
		return r;
	*h = co_ticket_draw(&c->ring, &c->ring.head, CO_RING_FULL, &unused);
	/* The last element before the end: no more credits come for other waiters. */
	if (co_ring_final(&c->ring) && co_chan_drained(c)) {
		co_chan_ticket_kick(&c->elements);
		co_wake_all(&c->receivers);
	}
	await_turn(*h);
	return 0;
}

int co_chan_ticket_claim(struct co_chan *c, enum co_chan_side side, struct co_claimed *h,
			 uint64_t deadline)
{
	return side == CO_CHAN_SENDER ? ticket_to_send(c, h, deadline)
				      : ticket_to_receive(c, h, deadline);
}
