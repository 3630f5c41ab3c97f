/*
 * test_mailbox_stress.c - everybody sends to everybody: nothing lost, nothing doubled, nothing
 * torn, each sender's messages in order. Sizes, pauses, deadlines and cancels are drawn from the
 * seed.
 */
#include <string.h>

#include "harness/test.h"

enum { SENDERS = 24, RECEIVERS = 6, EACH = 150, STOP = UINT8_MAX };

static struct co_a32 arrived[RECEIVERS][SENDERS];   /* messages */
static struct co_a32 delivered[RECEIVERS][SENDERS]; /* that their sender knows of */
static struct co_a32 ready;

static unsigned receiver_hart(unsigned i)
{
	return i * co_harts() / RECEIVERS;
}

/* Words: sender, receiver, number, then ballast. Small ones are the most frequent. */
static unsigned draw(struct test_random *r, uintptr_t *w, unsigned sender, unsigned to,
		     unsigned number)
{
	unsigned n = test_below(r, 8) ? 1 + test_below(r, 6) : 1 + test_below(r, CO_MAIL_WORDS);

	w[0] = (uintptr_t)sender << 24 | to << 16 | number;
	for (unsigned i = 1; i < n; i++)
		w[i] = w[0] * 31 + i * 7;
	return n;
}

static bool whole(const uintptr_t *w, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (w[i] != w[0] * 31 + i * 7)
			return false;
	return true;
}

/* One of the receivers' three ways, by its number: a bound queue, the catch-all, a mailbox. */
static int tag_of(unsigned to)
{
	return (int)(100 + to);
}

static int send_somehow(struct test_random *r, unsigned to, const uintptr_t *w, unsigned n)
{
	int result;

	do {
		switch (test_below(r, 4)) {
		case 0:
			result = co_mail_try_send(receiver_hart(to), tag_of(to), w, n);
			if (result == -EAGAIN)
				co_yield();
			break;
		case 1:
			result = co_mail_send_until(receiver_hart(to), tag_of(to), w, n,
						    co_after_us(test_below(r, 50)));
			break;
		default:
			result = co_mail_send(receiver_hart(to), tag_of(to), w, n);
		}
	} while (result == -EAGAIN || result == -ETIMEDOUT);
	return result;
}

static intptr_t sender(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	struct test_random r = test_random(me);
	uintptr_t w[CO_MAIL_WORDS];

	for (unsigned i = 0; i < EACH; i++) {
		unsigned to = test_below(&r, RECEIVERS);
		/* Its own count: nobody else writes it. */
		unsigned number = co_atomic_load(&delivered[to][me], CO_RELAXED);
		unsigned n = draw(&r, w, me, to, number);
		int result = send_somehow(&r, to, w, n);

		if (result == -ECANCELED)
			return i;
		REQUIRE_EQ(result, 0);
		co_atomic_store(&delivered[to][me], number + 1,
				CO_RELAXED); /* read after the join */
		test_pause(&r);
	}
	return EACH;
}

/* How a receiver gets its messages. */
static struct co_mailbox mailbox[RECEIVERS];
static uintptr_t storage[RECEIVERS][CO_MAILBOX_WORDS(CO_MAIL_WORDS, 1) + 40];

static int recv_once(unsigned me, uintptr_t *w, struct co_mail *m, unsigned way, uint64_t deadline)
{
	if (me % 3 == 0)
		return way ? co_mail_recv_until(tag_of(me), w, CO_MAIL_WORDS, m, deadline)
			   : co_mail_try_recv(tag_of(me), w, CO_MAIL_WORDS, m);
	return way ? co_mailbox_recv_until(&mailbox[me], w, CO_MAIL_WORDS, m, deadline)
		   : co_mailbox_try_recv(&mailbox[me], w, CO_MAIL_WORDS, m);
}

static int recv_somehow(struct test_random *r, unsigned me, uintptr_t *w, struct co_mail *m)
{
	int n;

	do {
		unsigned way = test_below(r, 4);

		n = recv_once(me, w, m, way,
			      way == 1 ? co_after_us(test_below(r, 50)) : CO_FOREVER);
		if (n == -EAGAIN)
			co_yield();
	} while (n == -EAGAIN || n == -ETIMEDOUT);
	return n;
}

/* me % 3: 0 a bound queue, 1 a mailbox over a bound queue, 2 one over the catch-all. */
static void open_receiver(unsigned me)
{
	if (me % 3 != 2)
		REQUIRE_EQ(co_mail_bind(tag_of(me)), 0);
	if (me % 3 != 0)
		REQUIRE_EQ(co_mailbox_open(&mailbox[me], tag_of(me), storage[me],
					   sizeof(storage[me]) / sizeof(uintptr_t)),
			   0);
}

static void close_receiver(unsigned me)
{
	if (me % 3 != 0)
		CHECK_EQ(co_mailbox_close(&mailbox[me]), 0);
	if (me % 3 != 2)
		CHECK_EQ(co_mail_unbind(tag_of(me)), 0); /* also: all room is back */
}

static intptr_t receiver(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	struct test_random r = test_random(1000 + me);
	uintptr_t w[CO_MAIL_WORDS];
	intptr_t received = 0;

	open_receiver(me);
	co_atomic_add(&ready, 1, CO_RELEASE); /* paired with test_await() */
	for (;;) {
		struct co_mail m;
		int n = recv_somehow(&r, me, w, &m);
		unsigned from = (unsigned)(w[0] >> 24);

		REQUIRE(n > 0);
		CHECK_EQ(m.size, n);
		CHECK_EQ(m.tag, tag_of(me));
		REQUIRE(whole(w, (unsigned)n));
		if (from == STOP)
			break;
		REQUIRE(from < SENDERS);
		CHECK_EQ(w[0] >> 16 & 0xff, me);
		/* In order, each once. */
		CHECK_EQ(w[0] & 0xffff, co_atomic_load(&arrived[me][from], CO_RELAXED));
		co_atomic_add(&arrived[me][from], 1, CO_RELAXED); /* read after the join */
		received++;
		test_pause(&r);
	}
	close_receiver(me);
	return received;
}

static void exchange(unsigned senders, unsigned quitters)
{
	static struct co *s[SENDERS], *d[RECEIVERS];
	struct test_random random = test_random(5000 + senders);
	intptr_t sent = 0, received = 0;

	memset(arrived, 0, sizeof(arrived));
	memset(delivered, 0, sizeof(delivered));
	co_atomic_store(&ready, 0, CO_RELAXED); /* spawning publishes it */
	for (uintptr_t i = 0; i < RECEIVERS; i++)
		d[i] = test_spawn_on(receiver_hart((unsigned)i), receiver, (void *)i);
	REQUIRE(test_await(&ready, RECEIVERS));
	for (uintptr_t i = 0; i < senders; i++)
		s[i] = test_spawn_on(test_below(&random, co_harts()), sender, (void *)i);
	for (unsigned i = 0; i < quitters; i++) {
		co_sleep_us(test_below(&random, 500));
		co_cancel(s[i]);
	}
	for (unsigned i = 0; i < senders; i++)
		sent += test_join(s[i]);
	for (unsigned i = 0; i < RECEIVERS; i++) {
		CHECK_EQ(co_mail_send(receiver_hart(i), tag_of(i),
				      (uintptr_t[]){ (uintptr_t)STOP << 24 }, 1),
			 0);
		received += test_join(d[i]);
	}
	CHECK_EQ(received, sent);
	for (unsigned i = 0; i < RECEIVERS; i++)
		for (unsigned k = 0; k < SENDERS; k++)
			CHECK_EQ(co_atomic_load(&arrived[i][k], CO_RELAXED),
				 co_atomic_load(&delivered[i][k], CO_RELAXED));
}

TEST(one_sender_to_all)
{
	exchange(1, 0);
}

TEST(all_to_all)
{
	exchange(SENDERS, 0);
}

TEST(all_to_all_while_senders_are_cancelled)
{
	exchange(SENDERS, SENDERS / 2);
}
