/*
 * link.c - how the ends of a link find each other, and part.
 *
 * The receiver makes its end and enters it in the link. A sender makes its own end, and takes a
 * place in the receiver's. Neither side waits for its peer when it closes: memory that the peer may
 * still write is kept until the peer writes it no more. So hart 0 can also close the ends of a lost
 * hart.
 */
#include <cohart/spm.h>

#include "../../fault/give_up.h"
#include "../handoff.h"
#include "link.h"

static uint64_t lines(uint64_t bytes)
{
	return (bytes + CO_LINE - 1) / CO_LINE * CO_LINE;
}

/* Zeroed, but for the hart. */
static void *make_end(uint64_t bytes)
{
	struct co_link_end *end = bytes < SIZE_MAX / 2 ? co_spm_keep((size_t)bytes, CO_LINE) : NULL;

	if (!end)
		return NULL;
	memset(end, 0, (size_t)bytes);
	end->hart = co_hart();
	return end;
}

/* ---- Opening ---- */

static struct co_link_rx *make_rx(struct co_link *l)
{
	unsigned senders = l->senders ?: 1, words = l->words ?: 1, depth = l->depth ?: 1;
	/* 64 bits, so that products of 16-bit numbers fit. */
	uint64_t slot = sizeof(struct co_lane_slot) + words * sizeof(uintptr_t);
	uint64_t slots = lines(slot * depth);
	uint64_t own = lines(sizeof(struct co_link_rx) + senders * sizeof(struct co_link_from));
	struct co_link_rx *rx = make_end(own + senders * slots);

	if (!rx)
		return NULL;
	rx->users = 1;
	rx->turn = rx->from;
	rx->last = &rx->from[senders - 1];
	rx->words = words;
	rx->depth = depth;
	rx->link = l;
	co_atomic_store(&rx->left, senders, CO_RELAXED); /* the link's lock publishes it */
	for (unsigned i = 0; i < senders; i++) {
		struct co_link_from *f = &rx->from[i];

		f->number = i;
		co_atomic_store(&f->wake, co_link_noted(), CO_RELAXED); /* as `left` */
		f->next = f == rx->last ? rx->from : f + 1;
		co_lane_cursor_init(&f->cursor, (unsigned char *)rx + own + i * slots,
				    (uint32_t)slot, depth);
	}
	return rx;
}

int co_link_open_rx(struct co_link *l, struct co_link_rx **end)
{
	struct co_link_rx *rx;
	struct co_waiter *first;

	CO_ASSERT_SHARED(l, sizeof(*l), "a struct co_link");
	CO_ASSERT_THAT(end, "co_link_open_rx() is given where the end goes");
	rx = make_rx(l);
	if (!rx)
		return -ENOMEM;
	first = co_wait_lock(&l->opening);
	if (l->broken || l->rx) {
		int r = l->broken ? -EPIPE : -EBUSY;

		co_waitq_unlock(&l->opening, first);
		co_spm_free(rx);
		return r;
	}
	l->rx = *end = rx;
	co_handoff_pass_all(&l->opening, first);
	return 0;
}

/* Has all that tx sent been received? */
static bool all_received(struct co_link_tx *tx)
{
	return !co_lane_under_way(&tx->ack, tx->cursor.count);
}

/* A place that was never used, or else one whose last sender's messages were all received. */
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

/* Under the receiver's lock. *left: the place's last sender, to be given back afterwards. */
static int take_place(struct co_link_tx *tx, struct co_link_rx *rx, struct co_link_tx **left)
{
	struct co_link_from *f = free_place(rx);
	struct co_hart *at;

	if (!f)
		return -EBUSY;
	if (f->place == CO_LINK_LEFT)
		co_atomic_add(&rx->left, 1, CO_RELAXED); /* it publishes no messages */
	*left = f->tx;
	tx->cursor = f->cursor;
	tx->words = rx->words;
	tx->depth = rx->depth;
	tx->at_once = co_executor.trace ? 0 : rx->depth;
	tx->rx = rx;
	tx->from = f;
	at = co_hart_at((unsigned)co_hart_owning(rx)); /* end.hart changes with a close */
	tx->receiver = (struct co_lane_waiter){ &rx->wait, at, at->doorbell };
	f->sender = co_lane_waiter(&f->room);
	/* relaxed: the lock publishes them. `wake`: the receiver may sleep already. */
	co_atomic_store(&tx->ack.acked, f->cursor.count, CO_RELAXED);
	co_atomic_store(&tx->ack.wake, CO_LANE_QUEUED | CO_LANE_CALLED, CO_RELAXED);
	f->place = CO_LINK_TAKEN;
	f->tx = tx;
	f->ack = &tx->ack;
	rx->users++;
	return 0;
}

/* -EAGAIN: there is no receiver. */
static int connect_tx(struct co_link_tx *tx)
{
	struct co_link *l = tx->link;
	struct co_waiter *first = co_wait_lock(&l->opening);
	struct co_link_tx *left = NULL;
	int r = l->broken ? -EPIPE : -EAGAIN;

	if (l->rx) {
		struct co_waitq *q = &l->rx->wait;
		struct co_waiter *receiver = co_wait_lock(q);

		r = take_place(tx, l->rx, &left);
		co_waitq_unlock(q, receiver);
	}
	co_waitq_unlock(&l->opening, first);
	if (left)
		co_spm_give_back(&left->end);
	return r;
}

/* Under the link's lock: is there a receiver, or will there never be one? */
static bool is_settled(void *link)
{
	struct co_link *l = link;

	return l->rx || l->broken;
}

int co_link_open_tx_until(struct co_link *l, struct co_link_tx **end, uint64_t deadline)
{
	struct co_link_tx *tx;
	int r;

	CO_ASSERT_SHARED(l, sizeof(*l), "a struct co_link");
	CO_ASSERT_THAT(end, "co_link_open_tx() is given where the end goes");
	tx = make_end(sizeof(*tx));
	if (!tx)
		return -ENOMEM;
	tx->link = l;
	while ((r = connect_tx(tx)) == -EAGAIN) {
		r = co_handoff_wait(&l->opening, l, "receiver of a link", is_settled, deadline);
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

/* A sender leaves its place. Never waits. Context: its hart, or hart 0 if that is lost. */
static void leave_place(struct co_link_tx *tx, enum co_link_place place)
{
	struct co_link_rx *rx = tx->rx;
	struct co_link_from *f = tx->from;
	struct co_waiter *receiver;
	bool done, last;

	tx->end.hart = CO_LINK_CLOSED;
	receiver = co_handoff_first(&rx->wait);
	done = rx->closed || all_received(tx);
	f->place = place;
	if (done)
		f->tx = NULL;
	/* release: the sender's messages; pairs with is_link_over(). */
	co_atomic_add(&rx->left, (uint32_t)-1, CO_RELEASE);
	last = !--rx->users;
	/*
	 * A receiver that waits later takes the lock, and sees `left` in raise_flags(). A receiver
	 * that sleeps in place is called whatever the flag says: a lost sender may have lowered it,
	 * and no more.
	 */
	co_call(tx->receiver.at, tx->receiver.doorbell);
	if (receiver)
		co_handoff_pass(&rx->wait, receiver);
	else
		co_waitq_unlock(&rx->wait, NULL);
	if (done)
		co_spm_give_back(&tx->end);
	if (last)
		co_spm_give_back(&rx->end);
}

/* Can q be locked? A lost hart may have stopped while it held the lock, which is reported. */
static bool lockable(struct co_waitq *q, bool lost)
{
	return !lost || co_lost_queue(q);
}

/* The receiver closes. Never waits. Context: its hart, or hart 0 if that is lost. */
static void shut_rx(struct co_link_rx *rx, bool lost)
{
	struct co_link *l = rx->link;
	struct co_waiter *first;
	bool last;

	rx->end.hart = CO_LINK_CLOSED;
	if (!lockable(&l->opening, lost))
		return;
	first = co_wait_lock(&l->opening);
	l->rx = NULL;
	l->broken = lost;
	co_handoff_pass_all(&l->opening, first);
	if (!lockable(&rx->wait, lost))
		return;
	first = co_wait_lock(&rx->wait);
	rx->closed = true;
	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		if (f->place == CO_LINK_TAKEN) {
			co_lane_acknowledge(f->ack, f->cursor.count + CO_LANE_SHUT);
			co_call(f->sender.at, f->sender.doorbell); /* as in leave_place() */
			if (lockable(&f->room, lost))
				co_wake_one(&f->room);
		} else if (f->tx) {
			co_spm_give_back(&f->tx->end);
		}
	}
	last = !--rx->users;
	co_waitq_unlock(&rx->wait, first);
	if (last)
		co_spm_give_back(&rx->end);
}

/* ---- Ends that are closed with their coroutine ---- */

static void clean_up_tx(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_link_tx *tx = co_container_of(c, struct co_link_tx, end.cleanup);
	bool lost = why == CO_CLEANUP_HOST_DOWN;

	(void)of;
	if (lockable(&tx->rx->wait, lost))
		leave_place(tx, lost ? CO_LINK_LOST : CO_LINK_LEFT);
}

static void clean_up_rx(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	shut_rx(co_container_of(c, struct co_link_rx, end.cleanup), why == CO_CLEANUP_HOST_DOWN);
}

static void bind(struct co_link_end *end,
		 void (*run)(struct co_cleanup *, struct co *, enum co_cleanup_why))
{
	CO_ASSERT_THAT(end->hart == co_hart() && !end->cleanup.run,
		       "an end of a link is bound on the hart that has opened it, and once");
	co_cleanup_add(&end->cleanup, run);
}

static void unbind(struct co_link_end *end)
{
	CO_ASSERT_THAT(co_cleanup_remove(&end->cleanup),
		       "an end of a link is unbound by the coroutine that has bound it");
	end->cleanup.run = NULL;
}

void co_link_bind_tx(struct co_link_tx *tx)
{
	bind(&tx->end, clean_up_tx);
}

void co_link_bind_rx(struct co_link_rx *rx)
{
	bind(&rx->end, clean_up_rx);
}

void co_link_unbind_tx(struct co_link_tx *tx)
{
	unbind(&tx->end);
}

void co_link_unbind_rx(struct co_link_rx *rx)
{
	unbind(&rx->end);
}

static void prepare_close(struct co_link_end *end)
{
	CO_ASSERT_THAT(end->hart == co_hart(),
		       "an end of a link is closed on the hart that has opened it, and once");
	if (end->cleanup.run)
		unbind(end);
}

void co_link_close_tx(struct co_link_tx *tx)
{
	prepare_close(&tx->end);
	leave_place(tx, CO_LINK_LEFT);
}

void co_link_close_rx(struct co_link_rx *rx)
{
	prepare_close(&rx->end);
	shut_rx(rx, false);
}
