/*
 * link_flow.c - messages through a link.
 *
 * Each call first tries; who cannot go on raises the flag in the other side's memory, looks at its own
 * word again and sleeps (lf/link.h). Over mailboxes link_mail.c does the work.
 */
#include <errno.h>

#include "link.h"

/* The message in the sender's slot is complete. */
static void post(struct co_link_tx *tx)
{
	co_link_post(&tx->lane);
	if (co_link_sleeps(&tx->ack->wake))
		co_wake_one(&tx->rx->wait);
}

/* The sender's slot is not free: wait until it is, or say why it will not be. */
static int no_room(struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	int why = wait ? 0 : -EAGAIN;

	do {
		struct co_waiter *w;

		if (tx->gone)
			return -EPIPE;
		if (why)
			return why;
		w = co_wait_prepare(&tx->wait, tx->link, "room in a link");
		co_link_doze(&tx->port->wake);
		why = co_link_may_send_now(tx->ack, &tx->lane, tx->depth)
			      ? co_wait_abandon(w)
			      : co_wait_commit(w, deadline);
	} while (!co_link_may_send(tx->ack, &tx->lane, tx->depth));
	return 0;
}

static inline int send(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait)
{
	int r;

	if (tx->mailed)
		return co_link_mail_send(tx, msg, deadline, wait);
	if (!co_link_may_send(tx->ack, &tx->lane, tx->depth)) {
		r = no_room(tx, deadline, wait);
		if (r)
			return r;
	}
	co_link_copy(tx->lane.slot->msg, msg, tx->words);
	post(tx);
	return 0;
}

int co_link_try_send(struct co_link_tx *tx, const uintptr_t *msg)
{
	return send(tx, msg, 0, false);
}

int co_link_send_until(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline)
{
	return send(tx, msg, deadline, true);
}

int co_link_send(struct co_link_tx *tx, const uintptr_t *msg)
{
	return send(tx, msg, CO_FOREVER, true);
}

static int reserve(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline, bool wait)
{
	int r = 0;

	if (tx->mailed)
		r = co_link_mail_credit(tx, deadline, wait);
	else if (!co_link_may_send(tx->ack, &tx->lane, tx->depth))
		r = no_room(tx, deadline, wait);
	if (r)
		return r;
	tx->busy = true;
	*msg = tx->mailed ? co_link_mail_message(&tx->credit) : tx->lane.slot->msg;
	return 0;
}

int co_link_try_reserve(struct co_link_tx *tx, uintptr_t **msg)
{
	return reserve(tx, msg, 0, false);
}

int co_link_reserve_until(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline)
{
	return reserve(tx, msg, deadline, true);
}

int co_link_reserve(struct co_link_tx *tx, uintptr_t **msg)
{
	return reserve(tx, msg, CO_FOREVER, true);
}

void co_link_commit(struct co_link_tx *tx)
{
	CO_ASSERT(tx->busy); /* it was reserved */
	if (tx->mailed)
		co_link_mail_commit(tx);
	else
		post(tx);
	tx->busy = false;
	co_link_idle(tx);
}

/* The next sender that has a message, each in turn; NULL: none has. */
static struct co_link_from *next_from(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->next;

	do {
		if (co_link_came(&f->lane))
			return f;
		f = f == rx->last ? rx->from : f + 1;
	} while (f != rx->next);
	return NULL;
}

static bool any_came_now(struct co_link_rx *rx)
{
	for (struct co_link_from *f = rx->from; f <= rx->last; f++)
		if (co_link_came_now(&f->lane))
			return true;
	return false;
}

/* None has a message: wait until one has, or say why none will. */
static int no_message(struct co_link_rx *rx, uint64_t deadline, bool wait,
		      struct co_link_from **from)
{
	int why = wait ? 0 : -EAGAIN;

	do {
		struct co_waiter *w;

		if (!rx->left)
			return -EPIPE;
		if (why)
			return why;
		w = co_wait_prepare(&rx->wait, rx->link, "message in a link");
		for (struct co_link_from *f = rx->from; f <= rx->last; f++)
			co_link_doze(&f->ack->wake);
		why = any_came_now(rx) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
		*from = next_from(rx);
	} while (!*from);
	return 0;
}

/* f's message is done with. */
static void done(struct co_link_rx *rx, struct co_link_from *f)
{
	co_link_done(&f->lane, f->ack);
	if (co_link_sleeps(&f->port->wake) && f->tx)
		co_wake_one(&f->tx->wait);
	rx->next = f == rx->last ? rx->from : f + 1;
}

static inline int find(struct co_link_rx *rx, uint64_t deadline, bool wait,
		       struct co_link_from **from)
{
	if (rx->mailed)
		return co_link_mail_fetch(rx, deadline, wait, from);
	*from = next_from(rx);
	return *from ? 0 : no_message(rx, deadline, wait, from);
}

static const uintptr_t *message_of(const struct co_link_rx *rx, const struct co_link_from *f)
{
	return rx->mailed ? co_link_mail_message(&rx->mail) : f->lane.slot->msg;
}

static void drop(struct co_link_rx *rx, struct co_link_from *f)
{
	if (rx->mailed)
		co_link_mail_done(rx, f);
	else
		done(rx, f);
}

static inline int receive(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline, bool wait)
{
	struct co_link_from *f;
	int r;

	CO_ASSERT(!rx->peeked);
	r = find(rx, deadline, wait, &f);
	if (r)
		return r;
	co_link_copy(msg, message_of(rx, f), rx->words);
	drop(rx, f);
	return (int)(f - rx->from);
}

int co_link_try_recv(struct co_link_rx *rx, uintptr_t *msg)
{
	return receive(rx, msg, 0, false);
}

int co_link_recv_until(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline)
{
	return receive(rx, msg, deadline, true);
}

int co_link_recv(struct co_link_rx *rx, uintptr_t *msg)
{
	return receive(rx, msg, CO_FOREVER, true);
}

static int peek(struct co_link_rx *rx, const uintptr_t **msg, uint64_t deadline, bool wait)
{
	struct co_link_from *f = rx->peeked;

	if (!f) {
		int r = find(rx, deadline, wait, &f);

		if (r)
			return r;
		rx->peeked = f;
	}
	*msg = message_of(rx, f);
	return (int)(f - rx->from);
}

int co_link_try_peek(struct co_link_rx *rx, const uintptr_t **msg)
{
	return peek(rx, msg, 0, false);
}

int co_link_peek_until(struct co_link_rx *rx, const uintptr_t **msg, uint64_t deadline)
{
	return peek(rx, msg, deadline, true);
}

int co_link_peek(struct co_link_rx *rx, const uintptr_t **msg)
{
	return peek(rx, msg, CO_FOREVER, true);
}

void co_link_release(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->peeked;

	CO_ASSERT(f);
	rx->peeked = NULL;
	drop(rx, f);
}
