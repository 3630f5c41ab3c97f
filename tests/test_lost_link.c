/*
 * test_lost_link.c - links and mailboxes when the hart at the other end is lost: a bound end of a
 * link counts as closed, and nobody else gets its place.
 */
#include <string.h>

#include "../runtime/comm/link/link.h"
#include "loss.h"

enum { TAG = 150 };

static intptr_t holds_rx(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	co_link_bind_rx(rx);
	return sleep_on();
}

static intptr_t sends(void *arg)
{
	struct co_link_tx *tx;
	int r = co_link_open_tx(arg, &tx);

	REQUIRE_EQ(r, 0);
	is_ready();
	for (uintptr_t n = 0; r == 0; n++)
		r = co_link_send(tx, &n);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 0 }), -EPIPE);
	CHECK_EQ(co_link_try_send(tx, &(uintptr_t){ 0 }), -EPIPE);
	co_link_close_tx(tx);
	return r;
}

/* Its place is taken: what it waits for is that there is a receiver once more. */
static intptr_t opens_tx(void *arg)
{
	struct co_link_tx *tx;

	is_ready();
	return co_link_open_tx(arg, &tx);
}

static intptr_t holds_tx(void *arg)
{
	struct co_link_tx *tx;
	uintptr_t *slot;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	co_link_bind_tx(tx);
	for (uintptr_t n = 0; n < 2; n++)
		CHECK_EQ(co_link_send(tx, &n), 0);
	CHECK_EQ(co_link_reserve(tx, &slot), 0);
	return sleep_on();
}

/* The other sender of a link, later. */
static intptr_t sends_then(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 7 }), 0);
	co_link_close_tx(tx);
	return 0;
}

/* What has come is received. */
static intptr_t receives(void *arg)
{
	struct co_link_tx *late;
	struct co_link_rx *rx;
	uintptr_t w;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	for (uintptr_t n = 0; n < 2; n++) {
		CHECK(co_link_recv(rx, &w) >= 0);
		CHECK_EQ(w, n);
	}
	is_ready();
	if (((struct co_link *)arg)->senders == 2) {
		CHECK(co_link_recv(rx, &w) >= 0);
		CHECK_EQ(w, 7);
	}
	CHECK_EQ(co_link_recv(rx, &w), -EPIPE);
	if (((struct co_link *)arg)->senders == 1)
		CHECK_EQ(co_link_open_tx(arg, &late), -EBUSY);
	co_link_close_rx(rx);
	return 0;
}

TEST(ends_are_closed_with_their_hart)
{
	static struct co_link to, from[2];
	unsigned hart = hart_to_lose();
	struct co *c[6];
	struct co_link_rx *next;

	to = (struct co_link){ .depth = 2 };
	c[0] = test_spawn_on(hart, holds_rx, &to);
	c[3] = test_spawn_on(1, sends, &to);
	for (unsigned i = 0; i < 2; i++) {
		from[i] = (struct co_link){ .depth = 3, .senders = (uint16_t)(i + 1) };
		c[4 + i] = test_spawn_on(1, receives, &from[i]);
		c[1 + i] = test_spawn_on(hart, holds_tx, &from[i]);
	}
	lose(hart, 6);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(test_spawn_on(1, sends_then, &from[1])), 0);
	CHECK_EQ(test_join(c[3]), -EPIPE);
	CHECK_EQ(test_join(c[4]), 0);
	CHECK_EQ(test_join(c[5]), 0);
	/* For ever, until it is made anew. */
	CHECK_EQ(test_join(test_spawn_on(1, opens_tx, &to)), -EPIPE);
	CHECK_EQ(co_link_open_rx(&to, &next), -EPIPE);
	to = (struct co_link){ .depth = 2 };
	REQUIRE_EQ(co_link_open_rx(&to, &next), 0);
	co_link_close_rx(next);
}

/* An end that is not bound: nobody learns of it, and deadlines hold. */
static intptr_t holds_unbound(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	return sleep_on();
}

static intptr_t fills_a_mailbox(void *arg)
{
	uintptr_t words[CO_MAIL_WORDS] = { 0 };
	unsigned hart = (unsigned)(uintptr_t)arg;
	int r = 0;

	is_ready();
	while (r == 0)
		r = co_mail_send(hart, TAG, words, 60);
	CHECK_EQ(co_mail_try_send(hart, TAG, words, 60), -EHOSTDOWN);
	CHECK_EQ(co_mail_send(hart, TAG, words, 60), -EHOSTDOWN);
	return r;
}

TEST(a_wait_ends_at_its_deadline_and_one_for_room_in_a_mailbox_at_once)
{
	static struct co_link pair;
	unsigned hart = hart_to_lose();
	struct co_link_tx *tx;
	struct co *rx, *mail[2];

	pair = (struct co_link){ .depth = 1 };
	rx = test_spawn_on(hart, holds_unbound, &pair);
	for (unsigned i = 0; i < 2; i++)
		mail[i] = test_spawn_on(1, fills_a_mailbox, (void *)(uintptr_t)hart);
	for (unsigned i = 0; i < 2; i++) /* a queue that one has locked would be left alone */
		test_await_sleep(mail[i]);
	lose(hart, 3);
	CHECK_EQ(co_join(rx, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(test_join(mail[i]), -EHOSTDOWN);
	REQUIRE_EQ(co_link_open_tx_until(&pair, &tx, co_after_us(1000)), 0);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 1 }), 0);
	CHECK_EQ(co_link_send_until(tx, &(uintptr_t){ 1 }, co_after_us(1000)), -ETIMEDOUT);
	co_link_close_tx(tx);
}

/* Bound ends, which it keeps until its hart is lost. */
static struct co_link locked[4];
static struct co_link_rx *there[2];

static intptr_t holds_all(void *arg)
{
	struct co_link_tx *tx;

	(void)arg;
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_EQ(co_link_open_rx(&locked[i], &there[i]), 0);
		co_link_bind_rx(there[i]);
		REQUIRE_EQ(co_link_open_tx(&locked[2 + i], &tx), 0);
		co_link_bind_tx(tx);
	}
	return sleep_on();
}

/*
 * Hart 0 does not wait for locks that nobody opens any more: those of the first three links stay as
 * they are, and the last one is closed.
 */
TEST(locks_that_stay_locked_do_not_hold_up_the_others)
{
	unsigned hart = hart_to_lose();
	struct co_link_rx *here[2];
	struct co_waiter *first[3];
	struct co_waitq *q[3];
	struct co *c;
	uintptr_t word;

	memset(locked, 0, sizeof(locked));
	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(co_link_open_rx(&locked[2 + i], &here[i]), 0);
	c = test_spawn_on(hart, holds_all, NULL);
	test_await(&ready, 1);
	q[0] = &locked[0].opening;
	q[1] = &there[1]->wait;
	q[2] = &here[0]->wait;
	for (unsigned i = 0; i < 3; i++)
		first[i] = co_waitq_lock(q[i]);
	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < 3; i++)
		co_waitq_unlock(q[i], first[i]);
	CHECK_EQ(co_link_recv_until(here[0], &word, co_after_us(1000)), -ETIMEDOUT);
	CHECK_EQ(co_link_recv(here[1], &word), -EPIPE);
	for (unsigned i = 0; i < 2; i++)
		co_link_close_rx(here[i]);
}
