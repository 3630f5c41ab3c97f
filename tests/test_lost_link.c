/*
 * test_lost_link.c - links and mailboxes when the hart at the other end is lost: it has closed.
 *
 * Each case loses the last compute hart that is left.
 */
#include <string.h>

#include "loss.h"

#define KINDS 3
#define DEPTH 2
#define TAG 100

static struct co_link line[KINDS];
static alignas(CO_LINE) unsigned char memory[CO_LINK_BYTES(2, DEPTH, 1)];
static struct co_a32 ready, go;

static void wait_in_a_handler(struct co_msg *m)
{
	(void)m;
	while (!co_atomic_load(&go, CO_ACQUIRE))
		hal_cpu_relax();
}

/* The one to lose; 0: too few are left. */
static unsigned victim(void)
{
	static const enum co_link_kind kinds[KINDS] = { CO_LINK_HOMED, CO_LINK_UNHOMED,
							CO_LINK_MAILBOX };

	memset(line, 0, sizeof(line));
	for (unsigned i = 0; i < KINDS; i++)
		line[i] = (struct co_link){
			.kind = kinds[i], .words = 2, .depth = DEPTH, .tag = TAG, .memory = memory
		};
	co_atomic_store(&ready, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	return last_left();
}

static void lose(unsigned hart, unsigned holders)
{
	test_await(&ready, holders);
	co_sleep_us(3000); /* and wait */
	fault_there(hart);
}

/* Those who are left take turns. */
static unsigned other(unsigned i, unsigned hart)
{
	return 1 + i % (hart - 1);
}

/* ---- The receiver's hart ---- */

static intptr_t receives_nothing(void *arg)
{
	struct co_link_rx *rx;

	CHECK_EQ(co_link_open_rx(arg, &rx), 0);
	return sleep_on(&ready);
}

static intptr_t sends(void *arg)
{
	struct co_link_tx *tx;
	int r = co_link_open_tx(arg, &tx);

	REQUIRE_EQ(r, 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	for (uintptr_t n = 0; r == 0; n++)
		r = co_link_send(tx, (uintptr_t[]){ n, n });
	CHECK_EQ(co_link_send(tx, (uintptr_t[]){ 0, 0 }), -EPIPE);
	CHECK_EQ(co_link_try_send(tx, (uintptr_t[]){ 0, 0 }), -EPIPE);
	co_link_close_tx(tx);
	return r;
}

static intptr_t fills_a_mailbox(void *arg)
{
	uintptr_t words[CO_MAIL_WORDS] = { 0 };
	unsigned hart = (unsigned)(uintptr_t)arg;
	int r = 0;

	co_atomic_add(&ready, 1, CO_RELEASE);
	while (r == 0)
		r = co_mail_send(hart, TAG + 50, words, 60);
	CHECK_EQ(co_mail_try_send(hart, TAG + 50, words, 60), -EHOSTDOWN);
	CHECK_EQ(co_mail_send(hart, TAG + 50, words, 60), -EHOSTDOWN);
	return r;
}

TEST(senders_are_told_that_the_receivers_hart_is_lost)
{
	unsigned hart = victim();
	struct co *rx[KINDS], *tx[KINDS], *mail[2];
	struct co_link_tx *late;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < KINDS; i++) {
		rx[i] = test_spawn_on(hart, receives_nothing, &line[i]);
		tx[i] = test_spawn_on(other(i, hart), sends, &line[i]);
	}
	for (unsigned i = 0; i < 2; i++)
		mail[i] = test_spawn_on(other(i, hart), fills_a_mailbox, (void *)(uintptr_t)hart);
	for (unsigned i = 0; i < 2; i++) /* a queue that one has locked would be left alone */
		test_await_sleep(mail[i]);
	lose(hart, 2 * KINDS + 2);
	for (unsigned i = 0; i < KINDS; i++) {
		CHECK_EQ(co_join(rx[i], NULL), -EHOSTDOWN);
		CHECK_EQ(test_join(tx[i]), -EPIPE);
		CHECK_EQ(co_link_open_tx(&line[i], &late), -EPIPE);
	}
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(test_join(mail[i]), -EHOSTDOWN);
}

/* ---- The sender's hart ---- */

static intptr_t sends_two(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	for (uintptr_t n = 0; n < 2; n++)
		CHECK_EQ(co_link_send(tx, (uintptr_t[]){ n, n + 7 }), 0);
	return sleep_on(&ready);
}

static intptr_t receives(void *arg)
{
	struct co_link_rx *rx;
	uintptr_t w[2] = { 0 };
	int r;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	for (uintptr_t n = 0; n < 2; n++) {
		CHECK_EQ(co_link_recv(rx, w), 0);
		CHECK_EQ(w[0], n);
		CHECK_EQ(w[1], n + 7);
	}
	co_atomic_add(&ready, 1, CO_RELEASE);
	r = co_link_recv(rx, w);
	co_link_close_rx(rx);
	return r;
}

/* What has come is received though it is the only thing that is left. */
static intptr_t receives_later(void *arg)
{
	struct co_link_rx *rx;
	uintptr_t w[2] = { 0 };
	int r = 0, n = 0;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	test_await(&go, 1);
	while (r == 0 && ++n < 10)
		r = co_link_recv(rx, w);
	CHECK_EQ(n, 3);
	co_link_close_rx(rx);
	return r;
}

TEST(receivers_are_told_that_the_senders_hart_is_lost)
{
	static struct co_link more;
	unsigned hart = victim();
	struct co *rx[KINDS + 1], *tx[KINDS + 1];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	more = (struct co_link){ .words = 2, .depth = DEPTH };
	for (unsigned i = 0; i <= KINDS; i++) {
		struct co_link *l = i < KINDS ? &line[i] : &more;

		rx[i] = test_spawn_on(other(i, hart), i < KINDS ? receives : receives_later, l);
		tx[i] = test_spawn_on(hart, sends_two, l);
	}
	lose(hart, 2 * KINDS + 2);
	for (unsigned i = 0; i <= KINDS; i++)
		CHECK_EQ(co_join(tx[i], NULL), -EHOSTDOWN);
	co_atomic_store(&go, 1, CO_RELEASE); /* paired with test_await() */
	for (unsigned i = 0; i <= KINDS; i++)
		CHECK_EQ(test_join(rx[i]), -EPIPE);
	/* The receiving end can be opened again. */
	for (unsigned i = 0; i < KINDS; i++) {
		struct co_link_rx *again;

		CHECK_EQ(co_link_open_rx(&line[i], &again), 0);
		co_link_close_rx(again);
	}
}

/* ---- In its inbox ---- */

static struct co_a32 close_now;

static intptr_t connects(void *arg)
{
	struct co_link_tx *tx;

	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_link_open_tx(arg, &tx);
}

static intptr_t opens_and_closes(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	test_await(&close_now, 1);
	co_link_close_tx(tx);
	return 3;
}

static intptr_t closes_receiver(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	test_await(&close_now, 1);
	co_link_close_rx(rx);
	return 4;
}

static intptr_t opens(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	return sleep_on(&ready);
}

TEST(who_has_asked_the_other_end_is_answered)
{
	static struct co_msg hold = { .run = wait_in_a_handler };
	static struct co_link l[3];
	unsigned hart = victim();
	struct co *at_it[3], *asks[3];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 3; i++)
		l[i] = (struct co_link){ .words = 2, .depth = DEPTH };
	at_it[0] = test_spawn_on(hart, receives_nothing, &l[0]);
	at_it[1] = test_spawn_on(hart, receives_nothing, &l[1]);
	at_it[2] = test_spawn_on(hart, opens, &l[2]);
	asks[0] = test_spawn_on(1, opens_and_closes, &l[1]);
	asks[1] = test_spawn_on(1, closes_receiver, &l[2]);
	test_await(&ready, 5);
	co_post(hart, &hold);
	fault_there(hart); /* what comes from here on lies behind it */
	asks[2] = test_spawn_on(1, connects, &l[0]);
	co_atomic_store(&close_now, 1, CO_RELEASE); /* paired with test_await() */
	test_await(&ready, 6);
	co_sleep_us(3000);
	co_atomic_store(&go, 1, CO_RELEASE); /* paired with wait_in_a_handler() */
	CHECK_EQ(test_join(asks[0]), 3);
	CHECK_EQ(test_join(asks[1]), 4);
	CHECK_EQ(test_join(asks[2]), -EPIPE);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_join(at_it[i], NULL), -EHOSTDOWN);
}

static intptr_t keeps_a_message(void *arg)
{
	struct co_link_tx *tx;
	uintptr_t *out;

	REQUIRE_EQ(co_link_open_tx(arg, &tx), 0);
	CHECK_EQ(co_link_reserve(tx, &out), 0);
	return sleep_on(&ready);
}

static intptr_t closes_at_once(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(arg, &rx), 0);
	test_await(&ready, 1);
	co_atomic_add(&ready, 1, CO_RELEASE);
	co_link_close_rx(rx);
	return 5;
}

TEST(a_receiver_that_closes_does_not_wait_for_a_message_in_a_lost_hand)
{
	for (unsigned i = 0; i < KINDS; i++) {
		unsigned hart = victim();
		struct co *rx, *tx;

		if (!hart)
			SKIP("it takes a hart to lose and one to look on");
		rx = test_spawn_on(1, closes_at_once, &line[i]);
		tx = test_spawn_on(hart, keeps_a_message, &line[i]);
		lose(hart, 2);
		CHECK_EQ(co_join(tx, NULL), -EHOSTDOWN);
		CHECK_EQ(test_join(rx), 5);
	}
}
