/*
 * test_lost_pay.c - the receiver of a link over mailboxes is paying a sender whose hart is lost: it
 * goes on with the others.
 *
 * Each case loses the last compute hart that is left.
 */
#include "../runtime/comm/link.h"
#include "../runtime/comm/mail.h"
#include "loss.h"

#define TAG 100

static struct co_link line;
static struct co_link_rx *receiver;
static struct co_a32 ready, full, leave, end;

static intptr_t receive(void *arg)
{
	struct co_link_rx *rx;
	uintptr_t word = 0;
	int r;

	REQUIRE_EQ(co_link_open_rx(&line, &rx), 0);
	receiver = rx;
	CHECK_EQ(co_link_recv(rx, &word), 0);
	CHECK_EQ(word, 6);
	r = co_link_recv(rx, &word); /* it pays for the first before it sleeps */
	CHECK_EQ(word, 7);
	CHECK_EQ(rx->owing, 0);
	CHECK_EQ(co_link_recv(rx, &word), -EPIPE);
	co_link_close_rx(rx);
	(void)arg;
	return r;
}

static intptr_t send_when_full(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(&line, &tx), 0);
	CHECK_EQ(tx->number, 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	test_await(&full, 1);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 6 }), 0);
	while (!co_atomic_load(&leave, CO_ACQUIRE)) /* paired with lose_it() */
		co_sleep_us(1000);
	co_link_close_tx(tx);
	(void)arg;
	return 0;
}

static intptr_t send_at_last(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(&line, &tx), 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	test_await(&end, 1);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 7 }), 0);
	co_link_close_tx(tx);
	(void)arg;
	return 0;
}

/* Does somebody wait for room in a queue of its mailbox? */
static bool is_waited_at(unsigned hart)
{
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);
	uint32_t waiters = 0;

	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++)
		/* acquire: what who waits has written before. */
		waiters += co_atomic_load(&box->door[q].senders.waiters, CO_ACQUIRE);
	return waiters != 0;
}

static void lose_it(unsigned hart, bool leaves)
{
	for (unsigned i = 0; i < 10000 && !is_waited_at(hart); i++)
		co_sleep_us(1000);
	CHECK_EQ(receiver->owing, 1); /* it pays */
	co_atomic_store(&leave, leaves, CO_RELEASE);
	co_sleep_us(10000);
	fault_there(hart);
	CHECK(comes_to_be_gone(hart));
	co_sleep_us(10000);
}

static void lose_while_paid(bool leaves)
{
	unsigned hart = last_left();
	struct co *rx, *tx[2];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	co_atomic_store(&full, 0, CO_RELAXED);
	co_atomic_store(&leave, 0, CO_RELAXED);
	co_atomic_store(&end, 0, CO_RELAXED);
	line = (struct co_link){
		.kind = CO_LINK_MAILBOX, .words = 1, .depth = 2, .senders = 2, .tag = TAG
	};
	rx = test_spawn_on(1, receive, NULL);
	tx[0] = test_spawn_on(hart, send_when_full, NULL);
	test_await(&ready, 1);
	tx[1] = test_spawn_on(1, send_at_last, NULL);
	test_await(&ready, 2);
	while (co_mail_try_send(hart, TAG + 1, &(uintptr_t){ 0 }, 1) == 0)
		;
	co_atomic_store(&full, 1, CO_RELEASE); /* paired with test_await() */
	lose_it(hart, leaves);
	co_atomic_store(&end, 1, CO_RELEASE);
	CHECK_EQ(co_join(tx[0], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(tx[1]), 0);
	CHECK_EQ(test_join(rx), 1); /* of the second sender */
}

TEST(a_sender_is_lost_while_it_is_paid)
{
	lose_while_paid(false);
}

TEST(a_sender_is_lost_while_it_closes_and_is_paid)
{
	lose_while_paid(true);
}
