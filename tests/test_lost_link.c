/* test_lost_link.c - links and mailboxes whose other end is lost; bound: test_released_link.c. */
#include "../runtime/comm/link/link.h"
#include "loss.h"

enum { TAG = 150 };

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

TEST_FAULTY(a_mailbox_of_a_lost_hart_takes_nothing)
{
	unsigned hart = hart_to_lose();
	struct co *there = test_spawn_on(hart, holds_unbound, &(struct co_link){ .depth = 1 });

	CHECK_EQ(co_mail_send(hart, TAG, &(uintptr_t){ 1 }, 1), 0);
	lose(hart, 1);
	CHECK_EQ(co_join(there, NULL), -EHOSTDOWN);
	CHECK_EQ(co_mail_send(hart, TAG, &(uintptr_t){ 1 }, 1), -EHOSTDOWN);
	CHECK_EQ(co_mail_try_send(hart, TAG, &(uintptr_t){ 1 }, 1), -EHOSTDOWN);
}

TEST_FAULTY(a_wait_ends_at_its_deadline_and_one_for_room_in_a_mailbox_at_once)
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
	test_join_all(mail, 2, -EHOSTDOWN);
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
TEST_FAULTY(locks_that_stay_locked_do_not_hold_up_the_others)
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

/* What it has sent so far, one after the other. */
static struct co_a32 sent;

static intptr_t waits_for_room(void *arg)
{
	uintptr_t words[CO_MAIL_WORDS] = { 0 };
	int r;

	is_ready();
	while ((r = co_mail_send(0, TAG, words, (unsigned)(uintptr_t)arg)) == 0)
		co_atomic_add(&sent, 1, CO_RELAXED);
	return r;
}

static void drain(void)
{
	uintptr_t words[CO_MAIL_WORDS];

	while (co_mail_try_recv(TAG, words, CO_MAIL_WORDS, NULL) > 0)
		continue;
	CHECK_EQ(co_mail_try_send(0, TAG, words, CO_MAIL_WORDS), 0);
	CHECK_EQ(co_mail_recv_until(TAG, words, CO_MAIL_WORDS, NULL, LONG_ENOUGH), CO_MAIL_WORDS);
	CHECK_EQ(co_mail_unbind(TAG), 0);
}

TEST_FAULTY(a_queue_has_all_its_room_when_a_sender_that_waited_for_some_is_lost)
{
	unsigned hart = hart_to_lose();
	struct co *c;

	REQUIRE_EQ(co_mail_bind(TAG), 0);
	c = test_spawn_on(hart, waits_for_room, (void *)60);
	test_await_sleep(c);
	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	drain();
}

TEST_FAULTY(so_it_has_when_the_sender_was_given_room_and_has_not_run)
{
	uintptr_t words[CO_MAIL_WORDS];
	unsigned hart = hart_to_lose();
	struct co *c;

	REQUIRE_EQ(co_mail_bind(TAG), 0);
	c = test_spawn_on(hart, waits_for_room, (void *)60);
	test_await_sleep(c);
	hold_up(hart);
	CHECK_EQ(co_mail_recv_until(TAG, words, CO_MAIL_WORDS, NULL, LONG_ENOUGH), 60);
	fault_there(hart);
	let_go_on();
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	drain();
}

TEST_FAULTY(the_next_sender_is_let_in_where_the_one_before_it_is_lost)
{
	uintptr_t words[CO_MAIL_WORDS];
	unsigned hart = hart_to_lose();
	struct co *first, *next;

	REQUIRE_EQ(co_mail_bind(TAG), 0);
	CHECK_EQ(co_mail_try_send(0, TAG, words, 100), 0);
	first = test_spawn_on(hart, waits_for_room, (void *)100);
	test_await_sleep(first);
	next = test_spawn_on(1, waits_for_room, (void *)20);
	test_await_sleep(next);
	co_atomic_store(&sent, 0, CO_RELAXED);
	lose(hart, 2);
	CHECK_EQ(co_join(first, NULL), -EHOSTDOWN);
	CHECK(AWAIT(co_atomic_load(&sent, CO_RELAXED) == 1));
	co_cancel(next);
	CHECK_EQ(test_join(next), -ECANCELED);
	drain();
}
