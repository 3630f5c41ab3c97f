/*
 * link.c - how the ends of a link find each other, and part.
 *
 * The receiver makes its end and names it in the link. A sender makes its own and sends itself by
 * message to the receiver's hart, where a handler gives it a place; the message comes back with the
 * answer. Whoever closes sends a message to the other's hart in the same way: when it is back, the
 * other has come through a scheduling point, so it is not in the middle of a write, and it will
 * write no more: the memory can go. Messages between two harts keep their order, so this works also
 * when both close at once.
 */
#include <errno.h>
#include <string.h>

#include <cohart/spm.h>

#include "link.h"

_Static_assert(sizeof(struct co_link_place) == 8 + sizeof(uintptr_t),
	       "CO_LINK_PLACE_BYTES() says so");

static unsigned at_least_one(unsigned n)
{
	return n ? n : 1;
}

static size_t place_bytes(const struct co_link *l)
{
	return CO_LINK_PLACE_BYTES(at_least_one(l->words), at_least_one(l->depth));
}

/* Is there so much memory from there on? In 64 bits, which hold the product of what 16 bits can. */
static bool fits(const struct co_link *l, uintptr_t from)
{
	uint64_t slot = CO_LINK_SLOT_BYTES(at_least_one(l->words));
	uint64_t place = slot * at_least_one(l->depth) + 2 * (uint64_t)CO_LINE;

	return place * at_least_one(l->senders) <= (UINTPTR_MAX - from) / 2;
}

/* Will it work? */
static int check(const struct co_link *l)
{
	size_t words = at_least_one(l->words);
	size_t depth = at_least_one(l->depth);
	size_t senders = at_least_one(l->senders);

	switch (l->kind) {
	case CO_LINK_HOMED:
		return fits(l, 0) ? 0 : -ENOMEM;
	case CO_LINK_UNHOMED:
		if (!l->memory || (uintptr_t)l->memory % CO_LINE || !fits(l, (uintptr_t)l->memory))
			return -EINVAL;
		CO_ASSERT(co_spm_shared(l->memory, senders * place_bytes(l)));
		return 0;
	case CO_LINK_MAILBOX:
		if (l->tag + senders > CO_MAIL_TAG_MAX)
			return -EINVAL;
		return (words + (senders > 1)) * depth * senders <= CO_MAIL_WORDS ? 0 : -EINVAL;
	}
	return -EINVAL;
}

/* Where the message would be that never is ready: over mailboxes none comes this way. */
static struct co_link_slot never;

/* `place`: if it is not mailed. */
static void init_from(struct co_link_rx *rx, struct co_link_from *f, struct co_link_place *place)
{
	const struct co_link *l = rx->link;

	memset(f, 0, sizeof(*f));
	f->rx = rx;
	f->number = (unsigned)(f - rx->from);
	f->after = f == rx->last ? rx->from : f + 1;
	f->ack = &f->nowhere;
	if (rx->mailed) {
		f->lane.slot = &never;
		return;
	}
	memset(place, 0, place_bytes(l));
	f->port = &place->port;
	co_link_lane_init(&f->lane, place->slots, CO_LINK_SLOT_BYTES(rx->words), rx->depth);
}

/* Everything an end has is one block: itself, then `more` bytes. */
static int alloc(size_t own, size_t more, void **end, void **rest)
{
	own = (own + CO_LINE - 1) / CO_LINE * CO_LINE;
	*end = co_spm_keep(own + more, CO_LINE);
	if (!*end)
		return -ENOMEM;
	memset(*end, 0, own);
	*rest = (unsigned char *)*end + own;
	return 0;
}

/* Whoever does not own it may use its address alone: that says on which hart it is. */
static struct co_link_rx *receiver_of(struct co_link *l)
{
	/* relaxed: nothing is read there but by its own hart, in connect(). */
	return (struct co_link_rx *)co_atomic_load(&l->rx, CO_RELAXED);
}

/* Fill in a receiver's end and its places. */
static int init_rx(struct co_link_rx *rx, struct co_link *l, unsigned senders, void *rest)
{
	rx->link = l;
	rx->hart = co_hart();
	rx->words = at_least_one(l->words);
	rx->depth = at_least_one(l->depth);
	rx->left = senders;
	rx->next = rx->from;
	rx->last = &rx->from[senders - 1];
	rx->mailed = l->kind == CO_LINK_MAILBOX;
	for (unsigned i = 0; i < senders; i++) {
		void *places = l->kind == CO_LINK_UNHOMED ? l->memory : rest;
		void *place = (unsigned char *)places + i * place_bytes(l);

		init_from(rx, &rx->from[i], place);
	}
	if (!rx->mailed)
		return 0;
	rx->mail.tag = l->tag;
	rx->mail.size = (unsigned)rx->words + (senders > 1);
	return co_link_mail_open(&rx->mail, rest, (unsigned)rx->words, senders * rx->depth);
}

static int open_rx(struct co_link *l, struct co_link_rx **end)
{
	unsigned senders = at_least_one(l->senders);
	struct co_link_mail mail = { .size = at_least_one(l->words) + 1 };
	int r = check(l);
	size_t more = 0;
	void *rx;
	void *rest;

	if (r)
		return r;
	if (l->kind == CO_LINK_HOMED)
		more = senders * place_bytes(l);
	else if (l->kind == CO_LINK_MAILBOX)
		more = co_link_mail_bytes(&mail, mail.size, senders * at_least_one(l->depth));
	r = alloc(sizeof(struct co_link_rx) + senders * sizeof(struct co_link_from), more, &rx,
		  &rest);
	if (r)
		return r;
	r = init_rx(rx, l, senders, rest);
	if (r) {
		co_spm_free(rx);
		return r;
	}
	*end = rx;
	co_link_note_rx(rx);
	/* seq_cst: before the look for senders that wait; pairs with await_rx(). */
	co_atomic_store(&l->rx, (uintptr_t)rx, CO_SEQ_CST);
	co_wake_all(&l->opening);
	return 0;
}

int co_link_open_rx(struct co_link *l, struct co_link_rx **end)
{
	int r;

	CO_ASSERT(l && end && co_spm_shared(l, sizeof(*l)));
	/* acquire: the last one is through with the link; pairs with the release of taken. */
	if (co_atomic_swap(&l->taken, 1, CO_ACQUIRE))
		return -EBUSY;
	r = open_rx(l, end);
	if (r)
		co_atomic_store(&l->taken, 0, CO_RELEASE);
	return r;
}

/* A sender's message is back. Its own hart. */
static void answered(struct co_msg *m)
{
	struct co_link_tx *tx =
		(struct co_link_tx *)((uintptr_t)m - offsetof(struct co_link_tx, msg));

	tx->answered = true;
	co_wake_one(&tx->wait);
}

void co_link_answer(struct co_link_tx *tx, int r)
{
	tx->answer = r;
	tx->msg.run = answered;
	co_post(tx->hart, &tx->msg);
}

/*
 * A place that nobody has: one that nobody ever had, or whose last sender's messages have all come.
 */
static struct co_link_from *free_place(struct co_link_rx *rx)
{
	struct co_link_from *left = NULL;

	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		if (f->tx)
			continue;
		if (!f->parted)
			return f;
		if (!left && (int32_t)(f->lane.count - f->sent) >= 0)
			left = f;
	}
	return left;
}

static void give_place(struct co_link_from *f, struct co_link_tx *tx)
{
	struct co_link_rx *rx = f->rx;

	if (f->parted)
		rx->left++;
	f->parted = false;
	f->tx = tx;
	f->credited = 0;
	tx->rx = rx;
	tx->number = f->number;
	tx->numbered = rx->last > rx->from;
	tx->words = rx->words;
	tx->lane = f->lane;
	tx->credits = rx->depth;
	tx->ack = &tx->home;
	if (rx->mailed)
		return;
	tx->depth = rx->depth;
	tx->port = f->port;
	if (rx->link->kind == CO_LINK_UNHOMED)
		tx->ack = (struct co_link_ack *)((uintptr_t)f->port -
						 offsetof(struct co_link_place, port));
	f->ack = tx->ack;
	/* relaxed: the answer publishes them. A receiver that sleeps already is to be woken. */
	co_atomic_store(&tx->port->wake, CO_LINK_AWAKE, CO_RELAXED);
	co_atomic_store(&tx->ack->acked, f->lane.count, CO_RELAXED);
	co_atomic_store(&tx->ack->wake, CO_LINK_SLEEPS, CO_RELAXED);
}

/* A sender wants a place. The receiver's hart, as the sender saw it. */
void co_link_connect(struct co_msg *m)
{
	struct co_link_tx *tx =
		(struct co_link_tx *)((uintptr_t)m - offsetof(struct co_link_tx, msg));
	struct co_link_rx *rx = receiver_of(tx->link);
	struct co_link_from *f;

	if (co_hart_past((unsigned)co_spm_hart(tx)))
		return; /* nobody waits for the answer */
	if (!rx || co_spm_hart(rx) != (int)co_hart()) {
		co_link_answer(tx, -EAGAIN); /* it has just closed; there may be one elsewhere */
		return;
	}
	f = free_place(rx);
	if (f)
		give_place(f, tx);
	co_link_answer(tx, f ? 0 : -EBUSY);
}

/* Send tx's message to a hart and wait for it to come back. */
static int ask(struct co_link_tx *tx, unsigned hart, void (*run)(struct co_msg *m))
{
	if (co_hart_past(hart))
		return -EPIPE;
	tx->answered = false;
	tx->msg.run = run;
	co_post(hart, &tx->msg);
	while (!tx->answered) {
		/* No look again: the answer comes by message, while this coroutine sleeps. */
		struct co_waiter *w = co_wait_prepare(&tx->wait, tx->link, "other end of a link");

		int r = co_wait_commit_shielded(w, CO_FOREVER);

		CO_ASSERT(!r);
		if (co_link_is_kept(tx))
			return -EPIPE;
	}
	return tx->answer;
}

/* Wait until the link has a receiver. */
static int await_rx(struct co_link *l, uint64_t deadline, struct co_link_rx **rx)
{
	while (!(*rx = receiver_of(l))) {
		struct co_waiter *w = co_wait_prepare(&l->opening, l, "receiver of a link");
		int r;

		/* seq_cst: after the entry; pairs with co_link_open_rx(). */
		r = co_atomic_load(&l->rx, CO_SEQ_CST) ? co_wait_abandon(w)
						       : co_wait_commit(w, deadline);
		if (r)
			return r;
	}
	return 0;
}

/* Get a place, and its mail. */
static int settle(struct co_link_tx *tx, void *rest, uint64_t deadline)
{
	struct co_link_rx *rx;
	int r;

	do {
		r = await_rx(tx->link, deadline, &rx);
		if (r)
			return r;
		tx->rx_hart = (unsigned)co_spm_hart(rx);
		r = ask(tx, tx->rx_hart, co_link_connect);
	} while (r == -EAGAIN);
	if (r || !tx->mailed)
		return r;
	tx->credit.tag = tx->link->tag + 1 + (int)tx->number;
	tx->credit.size = 1;
	return co_link_mail_open(&tx->credit, rest, (unsigned)tx->words, tx->credits);
}

int co_link_open_tx_until(struct co_link *l, struct co_link_tx **end, uint64_t deadline)
{
	const struct co_link_mail credit = { .size = 1 };
	struct co_link_tx *tx;
	size_t more = 0;
	bool mailed;
	void *block;
	void *rest;
	int r;

	CO_ASSERT(l && end && co_spm_shared(l, sizeof(*l)));
	mailed = l->kind == CO_LINK_MAILBOX;
	r = check(l);
	if (r)
		return r; /* it never has a receiver */
	if (mailed)
		more = co_link_mail_bytes(&credit, at_least_one(l->words), at_least_one(l->depth));
	r = alloc(sizeof(*tx), more, &block, &rest);
	if (r)
		return r;
	tx = block;
	tx->link = l;
	tx->hart = co_hart();
	tx->mailed = mailed;
	co_link_note_tx(tx);
	r = settle(tx, rest, deadline);
	if (r) {
		if (tx->rx && !tx->gone)
			ask(tx, tx->rx_hart, co_link_leave); /* it has a place, but no tag */
		co_link_forget_tx(tx);
		co_spm_free(tx);
		return r;
	}
	*end = tx;
	return 0;
}

int co_link_open_tx(struct co_link *l, struct co_link_tx **tx)
{
	return co_link_open_tx_until(l, tx, CO_FOREVER);
}

void co_link_part(struct co_link_from *f, struct co_msg *bye)
{
	struct co_link_tx *tx = f->tx;
	struct co_link_rx *rx = f->rx;

	if (f->paying) {
		f->bye = bye;
		return;
	}
	if (f->owed)
		rx->owing--;
	f->owed = 0;
	f->tx = NULL;
	f->ack = &f->nowhere;
	f->parted = true;
	/*
	 * When both ends close at once, the farewell is on its way to the sender, or there: its
	 * hart settles the accounts (co_link_idle()), before the answer comes.
	 */
	if (f->told != tx) {
		f->sent = tx->lane.count;
		tx->credited = f->credited;
	}
	rx->left--;
	co_wake_one(&rx->wait);
	co_link_answer(tx, 0);
}

/* A sender closes. The receiver's hart. */
void co_link_leave(struct co_msg *m)
{
	struct co_link_tx *tx =
		(struct co_link_tx *)((uintptr_t)m - offsetof(struct co_link_tx, msg));

	co_link_part(&tx->rx->from[tx->number], m);
}

void co_link_close_tx(struct co_link_tx *tx)
{
	CO_ASSERT(tx && tx->hart == co_hart());
	tx->busy = false;
	co_link_idle(tx);
	if (!tx->gone)
		ask(tx, tx->rx_hart, co_link_leave);
	if (tx->mailed) {
		co_link_mail_drain_tx(tx);
		co_link_mail_close(&tx->credit);
	}
	tx->hart = CO_LINK_CLOSED;
	co_link_forget_tx(tx);
	co_spm_free(tx);
}

/* The receiver's farewell is back. Its own hart. */
static void farewell_answered(struct co_msg *m)
{
	struct co_link_from *f =
		(struct co_link_from *)((uintptr_t)m - offsetof(struct co_link_from, farewell));

	f->rx->farewells--;
	co_wake_one(&f->rx->wait);
}

void co_link_answer_farewell(struct co_link_from *f)
{
	f->sent = f->told->lane.count;
	f->farewell.run = farewell_answered;
	co_post(f->rx->hart, &f->farewell);
}

void co_link_idle(struct co_link_tx *tx)
{
	struct co_link_from *f;

	if (!tx->farewell || tx->busy)
		return;
	f = (struct co_link_from *)((uintptr_t)tx->farewell -
				    offsetof(struct co_link_from, farewell));
	tx->farewell = NULL;
	tx->gone = true;
	tx->depth = 0;
	tx->credited = f->credited;
	co_link_answer_farewell(f);
	co_wake_one(&tx->wait);
}

/* The receiver closes. The sender's hart. */
void co_link_farewell(struct co_msg *m)
{
	struct co_link_from *f =
		(struct co_link_from *)((uintptr_t)m - offsetof(struct co_link_from, farewell));

	f->told->farewell = m;
	co_link_idle(f->told);
}

void co_link_close_rx(struct co_link_rx *rx)
{
	CO_ASSERT(rx && rx->hart == co_hart());
	/* relaxed: nobody connects from here on; this hart's own handler asks. */
	co_atomic_store(&rx->link->rx, 0, CO_RELAXED);
	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		if (!f->tx)
			continue;
		rx->farewells++;
		f->told = f->tx;
		f->farewell.run = co_link_farewell;
		co_post(f->tx->hart, &f->farewell);
	}
	while (rx->farewells) {
		/* No look again: the answers come by message, while this coroutine sleeps. */
		struct co_waiter *w = co_wait_prepare(&rx->wait, rx->link, "other ends of a link");

		int r = co_wait_commit_shielded(w, CO_FOREVER);

		CO_ASSERT(!r);
		co_link_forsake(rx);
	}
	if (rx->mailed) {
		if (rx->peeked)
			rx->peeked->lane.count++;
		co_link_mail_drain_rx(rx);
		co_link_mail_close(&rx->mail);
	}
	/* release: whoever opens this end next finds it left; pairs with co_link_open_rx(). */
	co_atomic_store(&rx->link->taken, 0, CO_RELEASE);
	rx->hart = CO_LINK_CLOSED;
	co_link_forget_rx(rx);
	co_spm_free(rx);
}
