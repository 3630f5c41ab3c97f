/*
 * link_flow.c - messages through a link.
 *
 * Each call first looks at its own word; who cannot go on raises the flag in the other side's
 * memory, looks again and sleeps (lf/link.h). A link over mailboxes never finds its word set, and
 * goes on in link_mail.c. Calls on the way of a message come last, so that nothing is saved for
 * them.
 */
#include <errno.h>

#include <cohart/spm.h>

#include "../core/linger.h"
#include "link.h"

#define SLOW static __attribute__((noinline))

/* An end is open, and of this hart. */
static inline void check_here(unsigned hart)
{
	CO_ASSERT(hart == co_executor.hart);
}

/* The same where most messages pass: in a DEBUG=1 build. */
static inline void check_here_too(unsigned hart)
{
#ifdef CO_DEBUG
	check_here(hart);
#else
	(void)hart;
#endif
}

/* The receiver sleeps, or did. 0, for who calls this last. */
SLOW int wake_rx(struct co_link_tx *tx)
{
	enum co_link_wake how = co_link_rouse(&tx->ack->wake);

	if (how == CO_LINK_LINGERS)
		co_linger_ring(tx->rx_hart);
	else if (how == CO_LINK_SLEEPS)
		co_wake_one(&tx->rx->wait);
	return 0;
}

/* The message in the sender's slot is complete. */
static inline int post(struct co_link_tx *tx)
{
	co_link_post(&tx->lane);
	return co_link_sleeps(&tx->ack->wake) ? wake_rx(tx) : 0;
}

/*
 * Wait for room without a switch, if this hart has nothing else to do: who makes room rings, and
 * touches no queue. Else false, or when it has something else to do.
 */
static bool linger_tx(struct co_link_tx *tx)
{
	uint32_t acked;

	co_link_doze(&tx->port->wake, CO_LINK_LINGERS);
	return co_link_may_send_now(tx->ack, &tx->lane, tx->depth, &acked) ||
	       co_linger_once(&tx->ack->acked, acked, tx->link, "room in a link");
}

/* The sender's slot is not free: wait until it is, or say why it will not be. */
static int no_room(struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	int why = wait ? 0 : -EAGAIN;

	while (!co_link_may_send(tx->ack, &tx->lane, tx->depth)) {
		struct co_waiter *w;
		uint32_t acked;

		if (tx->gone)
			return -EPIPE;
		if (why)
			return why;
		if (deadline == CO_FOREVER && co_linger_may() && linger_tx(tx))
			continue;
		w = co_wait_prepare(&tx->wait, tx->link, "room in a link");
		co_link_doze(&tx->port->wake, CO_LINK_SLEEPS);
		why = co_link_may_send_now(tx->ack, &tx->lane, tx->depth, &acked)
			      ? co_wait_abandon(w)
			      : co_wait_commit(w, deadline);
	}
	return 0;
}

SLOW int send_slow(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait)
{
	int r;

	check_here_too(tx->hart);
	if (tx->mailed)
		return co_link_mail_send(tx, msg, deadline, wait);
	r = no_room(tx, deadline, wait);
	if (r)
		return r;
	co_link_copy(tx->lane.slot->msg, msg, tx->words);
	return post(tx);
}

static inline int send(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait)
{
	if (!co_link_may_send(tx->ack, &tx->lane, tx->depth))
		return send_slow(tx, msg, deadline, wait);
	co_link_copy(tx->lane.slot->msg, msg, tx->words);
	return post(tx);
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
	int r;

	check_here(tx->hart);
	r = tx->mailed ? co_link_mail_credit(tx, deadline, wait) : no_room(tx, deadline, wait);

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
	CO_ASSERT(tx->busy && tx->hart == co_executor.hart); /* it was reserved */
	if (tx->mailed)
		co_link_mail_commit(tx);
	else
		post(tx);
	tx->busy = false;
	if (tx->farewell)
		co_link_idle(tx);
}

/* f's sender sleeps, or did. Its number, for who calls this last. */
SLOW int wake_tx(struct co_link_from *f)
{
	enum co_link_wake how = co_link_rouse(&f->port->wake);

	if (how == CO_LINK_LINGERS && f->tx)
		co_linger_ring((unsigned)co_spm_hart(f->tx));
	else if (how == CO_LINK_SLEEPS && f->tx)
		co_wake_one(&f->tx->wait);
	return (int)f->number;
}

/* f's message is done with. Its number. */
static inline int done(struct co_link_rx *rx, struct co_link_from *f)
{
	rx->next = f->after;
	co_link_done(&f->lane, f->ack);
	return co_link_sleeps(&f->port->wake) ? wake_tx(f) : (int)f->number;
}

/* The next sender that has a message, each in turn; NULL: none has. */
static struct co_link_from *next_from(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->next;

	do {
		if (co_link_came(&f->lane))
			return f;
		f = f->after;
	} while (f != rx->next);
	return NULL;
}

static bool any_came_now(struct co_link_rx *rx)
{
	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		if (co_link_came_now(&f->lane))
			return true;
	}
	return false;
}

/* As linger_tx(). A receiver of several would have as many words to wait for. */
static bool linger_rx(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->from;

	if (rx->last > f)
		return false;
	co_link_doze(&f->ack->wake, CO_LINK_LINGERS);
	return co_link_came_now(&f->lane) ||
	       co_linger_once(&f->lane.slot->ready, 0, rx->link, "message in a link");
}

/* The next sender that has a message; wait until one has, or say why none will. */
static int find(struct co_link_rx *rx, uint64_t deadline, bool wait, struct co_link_from **from)
{
	int why = wait ? 0 : -EAGAIN;

	if (rx->mailed)
		return co_link_mail_fetch(rx, deadline, wait, from);
	while (!(*from = next_from(rx))) {
		struct co_waiter *w;

		if (!rx->left)
			return -EPIPE;
		if (why)
			return why;
		if (deadline == CO_FOREVER && co_linger_may() && linger_rx(rx))
			continue;
		w = co_wait_prepare(&rx->wait, rx->link, "message in a link");
		for (struct co_link_from *f = rx->from; f <= rx->last; f++)
			co_link_doze(&f->ack->wake, CO_LINK_SLEEPS);
		why = any_came_now(rx) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
	}
	return 0;
}

static const uintptr_t *message_of(const struct co_link_rx *rx, const struct co_link_from *f)
{
	return rx->mailed ? co_link_mail_message(&rx->mail) : f->lane.slot->msg;
}

SLOW int receive_slow(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline, bool wait)
{
	struct co_link_from *f;
	int r;

	CO_ASSERT(!rx->peeked); /* release it first */
	check_here_too(rx->hart);
	r = find(rx, deadline, wait, &f);
	if (r)
		return r;
	/* What came by mail is taken: it counts before msg is touched, which may be a fault. */
	if (rx->mailed)
		co_link_mail_done(rx, f);
	co_link_copy(msg, message_of(rx, f), rx->words);
	if (!rx->mailed)
		return done(rx, f);
	return (int)f->number;
}

static inline int receive(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline, bool wait)
{
	struct co_link_from *f = rx->next;

	if (rx->peeked || !co_link_came(&f->lane))
		return receive_slow(rx, msg, deadline, wait);
	co_link_copy(msg, f->lane.slot->msg, rx->words);
	return done(rx, f);
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

	check_here(rx->hart);
	if (!f) {
		int r = find(rx, deadline, wait, &f);

		if (r)
			return r;
		rx->peeked = f;
	}
	*msg = message_of(rx, f);
	return (int)f->number;
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

	CO_ASSERT(f && rx->hart == co_executor.hart);
	rx->peeked = NULL;
	if (rx->mailed)
		co_link_mail_done(rx, f);
	else
		done(rx, f);
}
