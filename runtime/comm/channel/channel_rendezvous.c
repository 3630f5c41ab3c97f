/*
 * channel_rendezvous.c - channels without room: a send is done when a receiver has taken the
 * element. Any size, any number of senders and receivers, with or without compare-and-swap.
 *
 * An element goes through the channel's one slot, whose stamp names the coroutine that the slot
 * belongs to. A sender claims the free slot, fills it and gives it to the receiver that has waited
 * longest, whose wait it ends. If none waits, it offers the slot, and waits until one has taken the
 * element; if its wait ends otherwise, it takes the offer back. Stamps change under the lock of
 * `receivers`; only to free the slot takes none, since nobody else can want it to change then.
 *
 * Four queues: `receivers`; that of `room`, of senders that wait for the slot; that of `elements`,
 * of the sender that offers; `senders`, of selects alone. A select that would send fills no slot
 * before there is a receiver: of two that meet, one waits, and its peer is woken to try.
 */
#include <errno.h>

#include "../../core/sched/wait_inline.h"
#include "channel.h"

/* The slot's stamp: FREE, or a coroutine (a handler has none), with or without a flag. */
#define FREE ((uintptr_t)0)
#define OFFERED ((uintptr_t)1) /* a receiver may take it; without a flag: it is the receiver's */
#define COPIED ((uintptr_t)2)  /* one is filling or reading it */
#define OWNER(stamp) ((stamp) & ~(OFFERED | COPIED))

const char co_chan_taker[] = "receiver of channel";

static struct co_slot *slot_of(struct co_chan *c)
{
	return (struct co_slot *)(void *)c->ring.slots;
}

static uintptr_t stamp_of(struct co_chan *c)
{
	/*
	 * seq_cst: the look of a waiter that has entered a queue; and acquires that the slot was
	 * read. Pairs with free_slot().
	 */
	return co_atomic_load(&slot_of(c)->stamp, CO_SEQ_CST);
}

/* relaxed: the caller has locked the receivers' queue, which releases it. */
static void set_stamp(struct co_chan *c, uintptr_t stamp)
{
	co_atomic_store(&slot_of(c)->stamp, stamp, CO_RELAXED);
}

/* Free the slot, which is the caller's. */
static void free_slot(struct co_chan *c)
{
	/*
	 * seq_cst: releases that the slot was read, and comes before the looks for waiters; pairs
	 * with stamp_of().
	 */
	co_atomic_store(&slot_of(c)->stamp, FREE, CO_SEQ_CST);
	co_wake_one(&c->elements.queue);
	co_wake_one(&c->room.queue);
	if (co_waitq_any(&c->receivers))
		co_wake_one(&c->senders);
}

/* Wait in q while the stamp is that and the channel is open, or for a hint. */
static int wait_while(struct co_chan *c, struct co_waitq *q, uintptr_t stamp, bool front,
		      uint64_t deadline)
{
	struct co_waiter *w = front ? co_wait_prepare_front(q, c, co_chan_taker)
				    : co_wait_prepare(q, c, co_chan_taker);

	if (stamp_of(c) != stamp || co_ring_shut(&c->ring))
		return co_wait_abandon(w);
	return co_wait_commit(w, deadline);
}

/* Claim the slot to fill it; without a wait, only if a receiver waits. */
static int claim_to_fill(struct co_chan *c, uintptr_t self, uint64_t deadline, bool waits)
{
	for (bool slept = false;; slept = true) {
		struct co_waiter *first = co_wait_lock(&c->receivers);
		uintptr_t stamp = stamp_of(c);
		int r = co_ring_shut(&c->ring)                ? -EPIPE
			: stamp != FREE || (!waits && !first) ? -EAGAIN
							      : 0;

		if (!r)
			set_stamp(c, self | COPIED);
		co_waitq_unlock(&c->receivers, first);
		if (r != -EAGAIN || !waits)
			return r;
		r = wait_while(c, &c->room.queue, stamp, slept, deadline);
		if (r)
			return r;
	}
}

bool co_chan_rendezvous_withdraw(struct co_chan *c, const struct co *of)
{
	struct co_waiter *first = co_wait_lock(&c->receivers);
	bool has_it = OWNER(stamp_of(c)) == (uintptr_t)of;

	if (has_it)
		set_stamp(c, COPIED);
	co_waitq_unlock(&c->receivers, first);
	if (has_it)
		free_slot(c);
	return has_it;
}

int co_chan_rendezvous_send(struct co_chan *c, const void *elem, uint64_t deadline, bool waits)
{
	struct co *self = co_self();
	const uintptr_t offer = (uintptr_t)self | OFFERED;
	struct co_waiter *first, *w = NULL;
	int r = claim_to_fill(c, (uintptr_t)self, deadline, waits);

	if (r)
		return r;
	co_chan_copy(co_slot_payload(slot_of(c)), elem, c->elem_size);
	first = co_wait_lock(&c->receivers);
	if (co_ring_shut(&c->ring))
		r = -EPIPE;
	else if ((w = co_waitq_pick_locked(&first)))
		set_stamp(c, (uintptr_t)co_waiter_co(w));
	else if (waits)
		set_stamp(c, offer);
	else
		r = -EAGAIN;
	co_waitq_unlock(&c->receivers, first);
	if (w)
		return co_wake(w);
	if (r) {
		free_slot(c);
		return r;
	}
	do
		r = wait_while(c, &c->elements.queue, offer, false, deadline);
	while (!r && stamp_of(c) == offer && !co_ring_shut(&c->ring));
	return !co_chan_rendezvous_withdraw(c, self) ? 0 : r ? r : -EPIPE;
}

/*
 * May this receiver take the slot? A slot that it was given, also after a close; else an offered
 * one.
 */
static bool is_for(struct co_chan *c, uintptr_t stamp, const struct co *receiver)
{
	return stamp & OFFERED ? !co_ring_shut(&c->ring) : stamp && stamp == (uintptr_t)receiver;
}

int co_chan_rendezvous_recv(struct co_chan *c, void *elem, uint64_t deadline, bool waits)
{
	struct co *self = co_self();
	int r = 0;

	for (bool slept = false;; slept = true) {
		struct co_waiter *first = co_wait_lock(&c->receivers);
		struct co_waiter *w;

		if (is_for(c, stamp_of(c), self)) {
			set_stamp(c, (uintptr_t)self | COPIED);
			co_waitq_unlock(&c->receivers, first);
			co_chan_copy(elem, co_slot_payload(slot_of(c)), c->elem_size);
			free_slot(c);
			return 0;
		}
		if (!r)
			r = co_ring_shut(&c->ring) ? -EPIPE : waits ? 0 : -EAGAIN;
		if (r) {
			co_waitq_unlock(&c->receivers, first);
			return r;
		}
		w = co_wait_begin(self, &c->receivers, first, c, co_chan_element, slept, 0);
		r = co_chan_rendezvous_can_recv(c) ? co_wait_abandon(w)
						   : co_wait_commit(w, deadline);
	}
}

/* The first in the locked queue that waits still and is not the caller. */
static struct co_waiter *first_other(struct co_waiter *first)
{
	const struct co_a32 *own = &co_self()->token;
	struct co_waiter *w = first;

	if (!w)
		return NULL;
	do {
		/* relaxed: a look; co_token_take() decides. */
		if (w->token != own && co_atomic_load(w->token, CO_RELAXED) & CO_ARMED)
			return w;
		w = co_plain_load(&w->next);
	} while (w != first);
	return NULL;
}

static bool is_select(const struct co_waiter *w)
{
	return w != &co_waiter_co(w)->waiter;
}

/*
 * Meet a waiter of the opposite side, in q, as the caller waits: wake it to try. `by_order`: if it
 * is a plain receiver, or the token of its select is the higher one, the caller shall stop waiting
 * and try. So two selects that can both send to each other do not both stop waiting, over and over.
 * Returns true if the caller shall try.
 */
static bool meet(struct co_waitq *q, bool by_order)
{
	struct co_waiter *first, *w;
	bool ours = false;

	if (!co_waitq_any(q))
		return false;
	first = co_wait_lock(q);
	while ((w = first_other(first))) {
		ours = by_order && (!is_select(w) || w->token > &co_self()->token);
		if (!ours && !co_token_take(w->token))
			continue; /* its wait has just ended: try the next */
		if (!ours)
			first = co_waitq_unlink(first, w);
		break;
	}
	co_waitq_unlock(q, first);
	if (w && !ours)
		co_wake(w);
	return ours;
}

bool co_chan_rendezvous_can_recv(struct co_chan *c)
{
	uintptr_t stamp = stamp_of(c);

	if (is_for(c, stamp, co_self()) || co_ring_shut(&c->ring))
		return true;
	return stamp == FREE && meet(&c->senders, false);
}

bool co_chan_rendezvous_can_send(struct co_chan *c)
{
	return co_ring_shut(&c->ring) || (stamp_of(c) == FREE && meet(&c->receivers, true));
}
