/*
 * link.c - how the ends of a link find each other, and part.
 *
 * The receiver makes its end and names it in the link. A sender makes its own, and takes a place in
 * the receiver's. Neither waits for the other when it closes: the memory that the other may still
 * write into stays until it does so no more. So hart 0 can close what a lost hart had, too.
 */
#include <errno.h>
#include <string.h>

#include <cohart/spm.h>

#include "../../core/lost.h"
#include "link.h"

static unsigned at_least_one(unsigned n)
{
	return n ? n : 1;
}

static size_t slot_bytes(const struct co_link *l)
{
	return sizeof(struct co_link_slot) + at_least_one(l->words) * sizeof(uintptr_t);
}

/* In 64 bits, which hold the product of what 16 bits can. */
static uint64_t lines(uint64_t bytes)
{
	return (bytes + CO_LINE - 1) / CO_LINE * CO_LINE;
}

static uint64_t slots_bytes(const struct co_link *l)
{
	return lines((uint64_t)slot_bytes(l) * at_least_one(l->depth));
}

/* Zeroed. */
static void *make_end(uint64_t bytes)
{
	void *end = bytes < SIZE_MAX / 2 ? co_spm_keep((size_t)bytes, CO_LINE) : NULL;

	if (end)
		memset(end, 0, (size_t)bytes);
	return end;
}

/* On its own hart. An end's first member is the message. */
static void free_end(struct co_msg *m)
{
	co_spm_free(m);
}

/* An end that nobody uses any more goes back to its hart; that of a lost one has no use for it. */
static void give_back(struct co_msg *end)
{
	unsigned hart = (unsigned)co_spm_hart(end);

	if (hart == co_hart()) {
		co_spm_free(end);
	} else if (!co_hart_lost(hart)) {
		end->run = free_end;
		co_post(hart, end);
	}
}

/* ---- Opening ---- */

static struct co_link_rx *make_rx(struct co_link *l)
{
	unsigned senders = at_least_one(l->senders);
	uint64_t own = lines(sizeof(struct co_link_rx) + senders * sizeof(struct co_link_from));
	struct co_link_rx *rx = make_end(own + senders * slots_bytes(l));

	if (!rx)
		return NULL;
	rx->hart = co_hart();
	rx->users = 1;
	rx->turn = rx->from;
	rx->last = &rx->from[senders - 1];
	rx->words = at_least_one(l->words);
	rx->depth = at_least_one(l->depth);
	rx->link = l;
	co_atomic_store(&rx->left, senders, CO_RELAXED); /* the link's lock publishes it */
	for (unsigned i = 0; i < senders; i++) {
		struct co_link_from *f = &rx->from[i];

		f->number = i;
		f->next = f == rx->last ? rx->from : f + 1;
		co_link_lane_init(&f->lane, (unsigned char *)rx + own + i * slots_bytes(l),
				  (uint32_t)slot_bytes(l), rx->depth);
	}
	return rx;
}

static int name_receiver(struct co_link *l, struct co_link_rx *rx)
{
	int r = 0;

	co_link_lock(&l->lock);
	if (l->broken)
		r = -EPIPE;
	else if (l->rx)
		r = -EBUSY;
	else
		l->rx = rx;
	co_link_unlock(&l->lock);
	if (r == 0)
		co_wake_all(&l->opening); /* who enters later finds rx: the lock orders them */
	return r;
}

int co_link_open_rx(struct co_link *l, struct co_link_rx **end)
{
	struct co_link_rx *rx;
	int r;

	CO_ASSERT(l && end && co_spm_shared(l, sizeof(*l)));
	rx = make_rx(l);
	if (!rx)
		return -ENOMEM;
	r = name_receiver(l, rx);
	if (r)
		co_spm_free(rx);
	else
		*end = rx;
	return r;
}

/* Has all that tx sent been received? */
static bool all_received(struct co_link_tx *tx)
{
	return !co_link_under_way(&tx->ack, &tx->lane);
}

/* A place that nobody ever had, or else one whose last sender's messages have all been received. */
static struct co_link_from *free_place(struct co_link_rx *rx)
{
	struct co_link_from *left = NULL;

	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		if (f->place == CO_LINK_FREE)
			return f;
		if (!left && f->place == CO_LINK_LEFT && (!f->tx || all_received(f->tx)))
			left = f;
	}
	return left;
}

/* Under the receiver's lock. @param last  the place's last sender, if its memory is still there */
static int take_place(struct co_link_tx *tx, struct co_link_rx *rx, struct co_link_tx **last)
{
	struct co_link_from *f = free_place(rx);

	if (!f)
		return -EBUSY;
	if (f->place == CO_LINK_LEFT)
		co_atomic_add(&rx->left, 1, CO_RELAXED); /* no messages come with it */
	*last = f->tx;
	tx->lane = f->lane;
	tx->words = rx->words;
	tx->depth = rx->depth;
	tx->rx = rx;
	tx->from = f;
	/* relaxed: the lock publishes them. A receiver that sleeps already is to be woken. */
	co_atomic_store(&tx->ack.acked, f->lane.count, CO_RELAXED);
	co_atomic_store(&tx->ack.wake, 1, CO_RELAXED);
	f->place = CO_LINK_TAKEN;
	f->tx = tx;
	f->ack = &tx->ack;
	rx->users++;
	return 0;
}

/* The receiver, with its lock held; NULL: none is there. */
static struct co_link_rx *lock_receiver(struct co_link *l, bool *broken)
{
	struct co_link_rx *rx;

	co_link_lock(&l->lock);
	*broken = l->broken;
	rx = l->rx;
	if (rx)
		co_link_lock(&rx->lock); /* so it does not go meanwhile */
	co_link_unlock(&l->lock);
	return rx;
}

/* -EAGAIN: there is no receiver. */
static int connect_tx(struct co_link_tx *tx)
{
	struct co_link_tx *last = NULL;
	bool broken;
	struct co_link_rx *rx = lock_receiver(tx->link, &broken);
	int r;

	if (!rx)
		return broken ? -EPIPE : -EAGAIN;
	r = take_place(tx, rx, &last);
	co_link_unlock(&rx->lock);
	if (last)
		give_back(&last->msg);
	return r;
}

/* Is there still nobody? */
static bool is_closed(struct co_link *l)
{
	bool closed;

	co_link_lock(&l->lock);
	closed = !l->rx && !l->broken;
	co_link_unlock(&l->lock);
	return closed;
}

int co_link_open_tx_until(struct co_link *l, struct co_link_tx **end, uint64_t deadline)
{
	struct co_link_tx *tx;
	int r;

	CO_ASSERT(l && end && co_spm_shared(l, sizeof(*l)));
	tx = make_end(sizeof(*tx));
	if (!tx)
		return -ENOMEM;
	tx->hart = co_hart();
	tx->link = l;
	while ((r = connect_tx(tx)) == -EAGAIN) {
		struct co_waiter *w = co_wait_prepare(&l->opening, l, "receiver of a link");

		r = is_closed(l) ? co_wait_commit(w, deadline) : co_wait_abandon(w);
		if (r)
			break;
	}
	if (r)
		co_spm_free(tx);
	else
		*end = tx;
	return r;
}

int co_link_open_tx(struct co_link *l, struct co_link_tx **tx)
{
	return co_link_open_tx_until(l, tx, CO_FOREVER);
}

/* ---- Closing ---- */

/* A sender leaves its place. Never waits: on its hart, or on hart 0 when that is lost. */
static void leave_place(struct co_link_tx *tx, enum co_link_place place)
{
	struct co_link_rx *rx = tx->rx;
	struct co_link_from *f = tx->from;
	bool done, last;

	tx->hart = CO_LINK_CLOSED;
	co_link_lock(&rx->lock);
	done = rx->closed || all_received(tx);
	f->place = place;
	if (done)
		f->tx = NULL;
	/* release: what was sent is there, too; pairs with await_message(). */
	co_atomic_add(&rx->left, (uint32_t)-1, CO_RELEASE);
	co_wake_known(&rx->wait); /* who entered since has taken the lock, and looks: doze_rx() */
	last = !--rx->users;
	co_link_unlock(&rx->lock);
	if (done)
		give_back(&tx->msg);
	if (last)
		give_back(&rx->msg);
}

/* The receiver goes. Never waits: on its hart, or on hart 0 when that is lost. */
static void shut_rx(struct co_link_rx *rx, bool broken)
{
	struct co_link *l = rx->link;
	bool last;

	rx->hart = CO_LINK_CLOSED;
	co_link_lock(&l->lock);
	l->rx = NULL;
	l->broken = broken;
	co_link_unlock(&l->lock);
	if (broken)
		co_wake_all(&l->opening);
	co_link_lock(&rx->lock);
	rx->closed = true;
	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		if (f->place == CO_LINK_TAKEN) {
			co_link_shut(&f->lane, f->ack);
			co_wake_one(&f->room);
		} else if (f->tx) {
			give_back(&f->tx->msg);
		}
	}
	last = !--rx->users;
	co_link_unlock(&rx->lock);
	if (last)
		give_back(&rx->msg);
}

void co_link_close_tx(struct co_link_tx *tx)
{
	CO_ASSERT(tx && tx->hart == co_hart());
	if (tx->bound)
		co_link_unbind_tx(tx);
	leave_place(tx, CO_LINK_LEFT);
}

void co_link_close_rx(struct co_link_rx *rx)
{
	CO_ASSERT(rx && rx->hart == co_hart());
	if (rx->bound)
		co_link_unbind_rx(rx);
	shut_rx(rx, false);
}

/* ---- Ends that are closed with their coroutine ---- */

static void clean_up_tx(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_link_tx *tx =
		(struct co_link_tx *)((uintptr_t)c - offsetof(struct co_link_tx, cleanup));

	(void)of;
	leave_place(tx, why == CO_CLEANUP_HOST_DOWN ? CO_LINK_LOST : CO_LINK_LEFT);
}

static void clean_up_rx(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_link_rx *rx =
		(struct co_link_rx *)((uintptr_t)c - offsetof(struct co_link_rx, cleanup));

	(void)of;
	shut_rx(rx, why == CO_CLEANUP_HOST_DOWN);
}

void co_link_bind_tx(struct co_link_tx *tx)
{
	CO_ASSERT(tx && tx->hart == co_hart() && !tx->bound);
	tx->bound = true;
	co_cleanup_add(&tx->cleanup, clean_up_tx);
}

void co_link_bind_rx(struct co_link_rx *rx)
{
	CO_ASSERT(rx && rx->hart == co_hart() && !rx->bound);
	rx->bound = true;
	co_cleanup_add(&rx->cleanup, clean_up_rx);
}

void co_link_unbind_tx(struct co_link_tx *tx)
{
	CO_ASSERT(tx && co_cleanup_remove(&tx->cleanup));
	tx->bound = false;
}

void co_link_unbind_rx(struct co_link_rx *rx)
{
	CO_ASSERT(rx && co_cleanup_remove(&rx->cleanup));
	rx->bound = false;
}
