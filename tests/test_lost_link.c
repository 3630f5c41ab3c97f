/*
 * test_lost_link.c - links and mailboxes when the hart at the other end is lost: a bound end of a
 * link counts as closed, and nobody else gets its place.
 *
 * Each case loses the last compute hart that is left.
 */
#include "loss.h"

enum { TAG = 150 };

static struct co_a32 ready;

static unsigned victim(void)
{
	co_atomic_store(&ready, 0, CO_RELAXED); /* spawning publishes it */
	return last_left();
}

static void lose(unsigned hart, unsigned holders)
{
	test_await(&ready, holders);
	co_sleep_us(3000); /* and wait */
	fault_there(hart);
}

static intptr_t holds_rx(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	co_link_bind_rx(rx);
	return sleep_on(&ready);
}

static intptr_t sends(void *arg)
{
	struct co_link_tx *tx;
	int r = co_link_open_tx(arg, &tx);

	REQUIRE_EQ(r, 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
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

	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_link_open_tx(arg, &tx);
}

TEST(senders_are_told_that_the_receivers_hart_is_lost)
{
	static struct co_link pair;
	unsigned hart = victim();
	struct co *rx, *tx;
	struct co_link_rx *next;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	pair = (struct co_link){ .depth = 2 };
	rx = test_spawn_on(hart, holds_rx, &pair);
	tx = test_spawn_on(1, sends, &pair);
	lose(hart, 2);
	CHECK_EQ(co_join(rx, NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(tx), -EPIPE);
	/* For ever, until it is made anew. */
	CHECK_EQ(test_join(test_spawn_on(1, opens_tx, &pair)), -EPIPE);
	CHECK_EQ(co_link_open_rx(&pair, &next), -EPIPE);
	pair = (struct co_link){ .depth = 2 };
	REQUIRE_EQ(co_link_open_rx(&pair, &next), 0);
	co_link_close_rx(next);
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
	return sleep_on(&ready);
}

/* Others' messages are not late for it. */
static intptr_t sends_then(void *arg)
{
	struct co_link_tx *tx;
	uintptr_t n = 7;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	test_await(&ready, 5);
	CHECK_EQ(co_link_send(tx, &n), 0);
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
	co_atomic_add(&ready, 1, CO_RELEASE);
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

TEST(receivers_are_told_that_the_senders_hart_is_lost)
{
	static struct co_link pair[2];
	unsigned hart = victim();
	struct co *rx[2], *tx[2], *other;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 2; i++) {
		pair[i] = (struct co_link){ .depth = 3, .senders = (uint16_t)(i + 1) };
		rx[i] = test_spawn_on(1, receives, &pair[i]);
		tx[i] = test_spawn_on(hart, holds_tx, &pair[i]);
	}
	other = test_spawn_on(1, sends_then, &pair[1]);
	lose(hart, 5);
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(co_join(tx[i], NULL), -EHOSTDOWN);
		CHECK_EQ(test_join(rx[i]), 0);
	}
	CHECK_EQ(test_join(other), 0);
}

/* An end that is not bound: nobody learns of it, and deadlines hold. */
static intptr_t holds_unbound(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	return sleep_on(&ready);
}

TEST(a_deadline_ends_a_wait_for_a_lost_hart)
{
	static struct co_link pair;
	unsigned hart = victim();
	struct co_link_tx *tx;
	struct co *rx;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	pair = (struct co_link){ .depth = 1 };
	rx = test_spawn_on(hart, holds_unbound, &pair);
	lose(hart, 1);
	CHECK_EQ(co_join(rx, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_link_open_tx_until(&pair, &tx, co_after_us(1000)), 0);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 1 }), 0);
	CHECK_EQ(co_link_send_until(tx, &(uintptr_t){ 1 }, co_after_us(1000)), -ETIMEDOUT);
	co_link_close_tx(tx);
}

static intptr_t fills_a_mailbox(void *arg)
{
	uintptr_t words[CO_MAIL_WORDS] = { 0 };
	unsigned hart = (unsigned)(uintptr_t)arg;
	int r = 0;

	co_atomic_add(&ready, 1, CO_RELEASE);
	while (r == 0)
		r = co_mail_send(hart, TAG, words, 60);
	CHECK_EQ(co_mail_try_send(hart, TAG, words, 60), -EHOSTDOWN);
	CHECK_EQ(co_mail_send(hart, TAG, words, 60), -EHOSTDOWN);
	return r;
}

TEST(who_waits_for_room_is_told_that_the_hart_is_lost)
{
	unsigned hart = victim();
	struct co *mail[2];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 2; i++)
		mail[i] = test_spawn_on(1, fills_a_mailbox, (void *)(uintptr_t)hart);
	for (unsigned i = 0; i < 2; i++) /* a queue that one has locked would be left alone */
		test_await_sleep(mail[i]);
	lose(hart, 2);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(test_join(mail[i]), -EHOSTDOWN);
}
