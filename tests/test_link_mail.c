/* test_link_mail.c - links over mailboxes, beside other mail. */
#include "harness/test.h"

enum { TAG = 50, OTHER = 99 };

static struct co_link link = { .kind = CO_LINK_MAILBOX, .words = 1, .depth = 4, .tag = TAG };

static intptr_t send_behind_other_mail(void *arg)
{
	struct co_link_tx *tx;
	uintptr_t word = 7;

	(void)arg;
	REQUIRE_EQ(co_link_open_tx(&link, &tx), 0);
	REQUIRE_EQ(co_mail_send(0, OTHER, &word, 1), 0);
	REQUIRE_EQ(co_link_send(tx, &word), 0);
	co_link_close_tx(tx);
	return 0;
}

/* The sender has closed, and what it sent is behind a message that nobody has fetched yet. */
TEST(a_closed_link_is_not_over_before_all_is_received)
{
	struct co_link_rx *rx;
	uintptr_t word = 0;

	for (int tag = 1; tag <= 4; tag++) /* so that both come through the queue for the rest */
		REQUIRE_EQ(co_mail_bind(tag), 0);
	REQUIRE_EQ(co_link_open_rx(&link, &rx), 0);
	test_join(test_spawn_on(co_harts() - 1, send_behind_other_mail, NULL));
	CHECK_EQ(co_link_recv_until(rx, &word, co_after_us(1000)), -ETIMEDOUT);
	CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, &word, 1, NULL), 1);
	word = 0;
	CHECK_EQ(co_link_recv_until(rx, &word, co_after_us(20000000)), 0);
	CHECK_EQ(word, 7);
	CHECK_EQ(co_link_recv_until(rx, &word, co_after_us(20000000)), -EPIPE);
	co_link_close_rx(rx);
	for (int tag = 1; tag <= 4; tag++)
		REQUIRE_EQ(co_mail_unbind(tag), 0);
}

static struct co_link fought = { .kind = CO_LINK_HOMED, .words = 1, .depth = 1 };
static struct co_event go;
static struct co_a32 inside;

static intptr_t open_and_close(void *arg)
{
	struct co_link_rx *rx;
	int r;

	(void)arg;
	REQUIRE_EQ(co_event_wait(&go), 0);
	r = co_link_open_rx(&fought, &rx);
	if (r == 0) {
		CHECK_EQ(co_atomic_add(&inside, 1, CO_SEQ_CST), 0);
		REQUIRE_EQ(co_sleep_us(200), 0);
		co_atomic_add(&inside, (uint32_t)-1, CO_SEQ_CST);
		co_link_close_rx(rx);
	}
	return r;
}

/* Two that open the receiving end at one moment: one has it, the other is told. */
TEST(one_receiver_at_a_time)
{
	for (unsigned round = 0; round < 20; round++) {
		struct co *a = test_spawn_on(0, open_and_close, NULL);
		struct co *b = test_spawn_on(co_harts() - 1, open_and_close, NULL);
		intptr_t ra, rb;

		co_event_set(&go);
		ra = test_join(a);
		rb = test_join(b);
		co_event_drop(&go);
		CHECK((ra == 0 && rb == -EBUSY) || (ra == -EBUSY && rb == 0) ||
		      (ra == 0 && rb == 0));
	}
}

static struct co_link_tx *filled_tx;

static intptr_t bind_and_send_four(void *arg)
{
	(void)arg;
	for (int tag = 1; tag <= 4; tag++) /* so that credits come through the queue for the rest */
		REQUIRE_EQ(co_mail_bind(tag), 0);
	REQUIRE_EQ(co_link_open_tx(&link, &filled_tx), 0);
	for (uintptr_t i = 0; i < 4; i++)
		REQUIRE_EQ(co_link_send(filled_tx, &i), 0);
	return 0;
}

static intptr_t empty_and_send_four(void *arg)
{
	uintptr_t word;

	for (unsigned i = 0; i < *(unsigned *)arg; i++)
		REQUIRE_EQ(co_mail_recv(CO_MAIL_OTHER, &word, 1, NULL), 1);
	for (uintptr_t i = 4; i < 8; i++)
		REQUIRE_EQ(co_link_send(filled_tx, &i), 0);
	co_link_close_tx(filled_tx);
	for (int tag = 1; tag <= 4; tag++)
		REQUIRE_EQ(co_mail_unbind(tag), 0);
	return 0;
}

/* The sender's mailbox has no room for credits when they are due. */
TEST(credits_that_find_a_full_mailbox_come_later)
{
	static unsigned others;
	struct co_link_rx *rx;
	uintptr_t word = 0;
	unsigned last = co_harts() - 1;
	struct co *c;

	others = 0;
	REQUIRE_EQ(co_link_open_rx(&link, &rx), 0);
	test_join(test_spawn_on(last, bind_and_send_four, NULL));
	while (co_mail_try_send(last, OTHER, &word, 1) == 0)
		others++;
	CHECK(others > 0);
	for (uintptr_t i = 0; i < 4; i++) {
		CHECK_EQ(co_link_recv_until(rx, &word, co_after_us(20000000)), 0);
		CHECK_EQ(word, i);
	}
	c = test_spawn_on(last, empty_and_send_four, &others);
	for (uintptr_t i = 4; i < 8; i++) {
		CHECK_EQ(co_link_recv_until(rx, &word, co_after_us(20000000)), 0);
		CHECK_EQ(word, i);
	}
	CHECK_EQ(co_link_recv_until(rx, &word, co_after_us(20000000)), -EPIPE);
	test_join(c);
	co_link_close_rx(rx);
}

static intptr_t send_two(void *arg)
{
	struct co_link_tx *tx;
	int r = co_link_open_tx_until(&link, &tx, co_after_us(20000000));

	if (r)
		return r;
	for (uintptr_t i = 0; i < 2 && !r; i++)
		r = co_link_send(tx, &(uintptr_t){ (uintptr_t)arg + i });
	co_link_close_tx(tx);
	return r;
}

TEST(an_end_may_be_closed_with_a_message_in_hand)
{
	for (uintptr_t i = 10; i <= 30; i += 10) {
		struct co *c = test_spawn_on(co_harts() - 1, send_two, (void *)i);
		const uintptr_t *msg = NULL;
		struct co_link_rx *rx;
		intptr_t r;

		REQUIRE_EQ(co_link_open_rx(&link, &rx), 0);
		REQUIRE_EQ(co_link_peek_until(rx, &msg, co_after_us(20000000)), 0);
		CHECK_EQ(*msg, i); /* not what was left when it was closed before */
		co_link_close_rx(rx);
		r = test_join(c);
		CHECK(r == 0 || r == -EPIPE);
		CHECK_EQ(co_mail_try_recv(CO_MAIL_ANY, &(uintptr_t){ 0 }, 1, NULL), -EAGAIN);
	}
}
