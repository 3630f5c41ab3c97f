/*
 * link_mail.c - links through the harts' mailboxes.
 *
 * A message goes to the link's tag on the receiver's hart, with its sender's number before it if
 * there is more than one. A credit for each message that was received goes to the sender's own tag,
 * on its hart; a sender that has spent its credits waits for mail. An end binds a queue to its tag
 * if its hart has one left; else it opens a mailbox over the catch-all queue, with storage for all
 * that can be under way.
 */
#include <errno.h>

#include "link.h"

static size_t storage_words(const struct co_link_mail *m, unsigned count)
{
	return CO_MAILBOX_WORDS(m->size, count);
}

size_t co_link_mail_bytes(const struct co_link_mail *m, unsigned words, unsigned count)
{
	return sizeof(struct co_mailbox) +
	       (1 + words + storage_words(m, count)) * sizeof(uintptr_t);
}

int co_link_mail_open(struct co_link_mail *m, void *memory, unsigned words, unsigned count)
{
	int r = co_mail_bind(m->tag);

	m->box = memory;
	m->staging = (uintptr_t *)(m->box + 1);
	if (r == -EBUSY)
		return co_mailbox_open(m->box, m->tag, m->staging + 1 + words,
				       (unsigned)storage_words(m, count));
	m->box = NULL;
	return r;
}

void co_link_mail_close(struct co_link_mail *m)
{
	int r = m->box ? co_mailbox_close(m->box) : co_mail_unbind(m->tag);

	CO_ASSERT(!r); /* it was drained */
}

/* Take a message of m->size words, if one is there. */
static int take(const struct co_link_mail *m, uintptr_t *words)
{
	return m->box ? co_mailbox_try_recv(m->box, words, m->size, NULL)
		      : co_mail_try_recv(m->tag, words, m->size, NULL);
}

/*
 * Wait for mail, or for the other thing.
 * @return the mail's size; 0: the other thing; or why the wait has ended.
 */
static int take_or(const struct co_link_mail *m, uintptr_t *words, uint64_t deadline,
		   struct co_case other)
{
	struct co_letter l = { .tag = m->tag, .words = words, .max = m->size };
	struct co_case cases[2] = { CO_CASE_MAIL(&l), other };
	int r;

	if (m->box)
		cases[0] = (struct co_case)CO_CASE_MAILBOX(m->box, &l);
	r = co_select(cases, 2, deadline);
	return r < 0 ? r : cases[r].result;
}

/* Send in spite of cancels. */
static void send_surely(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	while (co_mail_send(hart, tag, words, n) && !co_hart_past(hart))
		co_yield();
}

static int rx_gone(struct co_case *c)
{
	return ((struct co_link_tx *)c->object)->gone ? 0 : -EAGAIN;
}

static bool rx_gone_now(struct co_case *c)
{
	return ((struct co_link_tx *)c->object)->gone;
}

static __attribute__((noinline)) int await_credit(struct co_link_tx *tx, uintptr_t *n,
						  uint64_t deadline)
{
	return take_or(&tx->credit, n, deadline,
		       (struct co_case){ rx_gone, rx_gone_now, &tx->wait, tx, NULL, 0 });
}

int co_link_mail_credit(struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	while (!tx->gone && !tx->credits) {
		uintptr_t n = 0;
		int r = take(&tx->credit, &n);

		if (r == -EAGAIN && wait)
			r = await_credit(tx, &n, deadline);
		if (r < 0)
			return r;
		tx->credits += (uint32_t)n;
		tx->collected += (uint32_t)n;
	}
	return tx->gone ? -EPIPE : 0;
}

/* The mail that carries msg, of *size words. `in_place`: that is where it is already. */
static inline const uintptr_t *pack(struct co_link_tx *tx, const uintptr_t *msg, bool in_place,
				    unsigned *size)
{
	uintptr_t *staging = tx->credit.staging;

	*size = (unsigned)tx->words;
	if (!tx->numbered)
		return msg;
	*size = (unsigned)tx->words + 1;
	staging[0] = tx->number;
	if (!in_place)
		co_link_copy(staging + 1, msg, tx->words);
	return staging;
}

int co_link_mail_send(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait)
{
	int r = co_link_mail_credit(tx, deadline, wait);
	const uintptr_t *words;
	unsigned n;

	if (r)
		return r;
	words = pack(tx, msg, false, &n);
	r = co_mail_try_send(tx->rx_hart, tx->link->tag, words, n);
	if (r == -EAGAIN && wait) {
		/* The queue is shared with others. */
		tx->busy = true;
		r = co_mail_send_until(tx->rx_hart, tx->link->tag, words, n, deadline);
		tx->busy = false;
	}
	if (r == -EHOSTDOWN)
		r = -EPIPE;
	if (!r) {
		tx->credits--;
		tx->lane.count++;
	}
	co_link_idle(tx);
	return r;
}

void co_link_mail_commit(struct co_link_tx *tx)
{
	unsigned n;
	const uintptr_t *words = pack(tx, co_link_mail_message(&tx->credit), true, &n);

	send_surely(tx->rx_hart, tx->link->tag, words, n);
	tx->credits--;
	tx->lane.count++;
}

/* Send f's sender the credits that are owed to it. */
static void pay(struct co_link_rx *rx, struct co_link_from *f, bool surely)
{
	const struct co_link_tx *tx = f->tx;
	const unsigned hart = tx->hart;
	const int tag = tx->credit.tag;
	uintptr_t n = f->owed;
	struct co_msg *bye;

	if (!surely && co_mail_try_send(hart, tag, &n, 1))
		return;
	if (surely) {
		f->paying = true;
		send_surely(hart, tag, &n, 1);
		f->paying = false;
	}
	/* Else its hart was lost meanwhile, and this may be another's place. */
	if (f->tx == tx) {
		f->credited += f->owed;
		f->owed = 0;
		rx->owing--;
	}
	bye = f->bye;
	f->bye = NULL;
	if (bye)
		co_link_part(f, bye);
}

static void pay_all(struct co_link_rx *rx, bool surely)
{
	for (struct co_link_from *f = rx->from; rx->owing && f <= rx->last; f++)
		if (f->owed)
			pay(rx, f, surely);
}

void co_link_mail_done(struct co_link_rx *rx, struct co_link_from *f)
{
	f->lane.count++;
	if (!f->tx)
		return;
	if (!f->owed++)
		rx->owing++;
	pay(rx, f, false);
}

/* Who sent the mail in staging. */
static struct co_link_from *sender_of(struct co_link_rx *rx)
{
	uintptr_t number = rx->mail.size == rx->words ? 0 : rx->mail.staging[0];

	CO_ASSERT(number <= (uintptr_t)(rx->last - rx->from)); /* others use the link's tag */
	return &rx->from[number];
}

/* Where mail goes, so that the message in it is where co_link_mail_message() says. */
static uintptr_t *landing(const struct co_link_rx *rx)
{
	return rx->mail.staging + (rx->mail.size == rx->words);
}

static bool all_came(struct co_link_rx *rx)
{
	for (struct co_link_from *f = rx->from; f <= rx->last; f++)
		/* A lost hart may have sent one that it had not counted. */
		if ((int32_t)(f->lane.count - f->sent) < 0)
			return false;
	return true;
}

static bool is_over(struct co_link_rx *rx)
{
	return !rx->left && all_came(rx);
}

static int all_closed(struct co_case *c)
{
	return is_over(c->object) ? 0 : -EAGAIN;
}

static bool all_closed_now(struct co_case *c)
{
	return is_over(c->object);
}

static __attribute__((noinline)) int await_message(struct co_link_rx *rx, uint64_t deadline)
{
	pay_all(rx, true);
	return take_or(&rx->mail, landing(rx), deadline,
		       (struct co_case){ all_closed, all_closed_now, &rx->wait, rx, NULL, 0 });
}

int co_link_mail_fetch(struct co_link_rx *rx, uint64_t deadline, bool wait,
		       struct co_link_from **from)
{
	int r;

	if (rx->owing)
		pay_all(rx, false);
	while ((r = take(&rx->mail, landing(rx))) == -EAGAIN) {
		if (is_over(rx))
			return -EPIPE;
		if (!wait)
			return r;
		r = await_message(rx, deadline);
		if (r)
			break;
	}
	if (r < 0)
		return r;
	*from = sender_of(rx);
	return 0;
}

void co_link_mail_drain_rx(struct co_link_rx *rx)
{
	while (!all_came(rx)) {
		if (take(&rx->mail, landing(rx)) > 0)
			sender_of(rx)->lane.count++;
		else
			co_yield(); /* another's message is before it in the queue */
	}
	/* relaxed: as in co_hart_past(). */
	while (co_atomic_load(&co_lost, CO_RELAXED) && take(&rx->mail, landing(rx)) > 0)
		; /* as in all_came() */
}

void co_link_mail_drain_tx(struct co_link_tx *tx)
{
	uintptr_t n;

	while (tx->collected != tx->credited || co_hart_past(tx->rx_hart)) {
		if (take(&tx->credit, &n) > 0)
			tx->collected += (uint32_t)n;
		else if (co_hart_past(tx->rx_hart))
			return;
		else
			co_yield();
	}
}
