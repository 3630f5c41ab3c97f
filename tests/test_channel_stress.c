/*
 * test_channel_stress.c - many senders, many receivers: nothing lost, nothing doubled, each
 * sender's elements in order. Capacity, places, pauses, deadlines and cancels are drawn from the
 * seed.
 */
#include <string.h>

#include "harness/test.h"

enum { ENDS = 24, EACH = 120 };

struct element {
	uint16_t sender, number;
	uint32_t check;
	unsigned char ballast[20]; /* more than one word, to show elements that were torn */
};

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(struct element), 64)];
static struct co_chan channel;
static struct co_a32 seen[ENDS][EACH]; /* how often each element arrived */

static void fill(struct element *e, unsigned sender, unsigned number)
{
	e->sender = (uint16_t)sender;
	e->number = (uint16_t)number;
	e->check = sender * 2654435761u ^ number;
	memset(e->ballast, (int)(sender + number), sizeof(e->ballast));
}

static bool whole(const struct element *e)
{
	struct element want;

	if (e->sender >= ENDS || e->number >= EACH)
		return false;
	memset(&want, 0, sizeof(want));
	fill(&want, e->sender, e->number);
	return memcmp(e, &want, sizeof(want)) == 0;
}

/* Send with all three kinds of wait. */
static int send_somehow(struct test_random *r, const struct element *e)
{
	int result;

	do {
		switch (test_below(r, 4)) {
		case 0:
			result = co_chan_try_send(&channel, e);
			if (result == -EAGAIN)
				co_yield();
			break;
		case 1:
			result = co_chan_send_until(&channel, e, co_after_us(test_below(r, 50)));
			break;
		default:
			result = co_chan_send(&channel, e);
		}
	} while (result == -EAGAIN || result == -ETIMEDOUT);
	return result;
}

static int recv_somehow(struct test_random *r, struct element *e)
{
	int result;

	do {
		switch (test_below(r, 4)) {
		case 0:
			result = co_chan_try_recv(&channel, e);
			if (result == -EAGAIN)
				co_yield();
			break;
		case 1:
			result = co_chan_recv_until(&channel, e, co_after_us(test_below(r, 50)));
			break;
		default:
			result = co_chan_recv(&channel, e);
		}
	} while (result == -EAGAIN || result == -ETIMEDOUT);
	return result;
}

static intptr_t sender(void *arg)
{
	const unsigned me = (unsigned)(intptr_t)arg;
	struct test_random r = test_random(me);
	struct element e;

	memset(&e, 0, sizeof(e));
	for (unsigned i = 0; i < EACH; i++) {
		fill(&e, me, i);
		REQUIRE_EQ(send_somehow(&r, &e), 0);
		test_pause(&r);
	}
	return 0;
}

/*
 * Receive until the channel is closed and drained, or this coroutine is cancelled; how many came.
 */
static intptr_t receiver(void *arg)
{
	struct test_random r = test_random(1000 + (uintptr_t)arg);
	int16_t last[ENDS];
	intptr_t received = 0;
	struct element e;
	int result;

	memset(last, 0xff, sizeof(last));
	memset(&e, 0, sizeof(e));
	while ((result = recv_somehow(&r, &e)) == 0) {
		REQUIRE(whole(&e));
		/* What one receiver sees of one sender comes in the order sent. */
		CHECK((int)e.number > last[e.sender]);
		last[e.sender] = (int16_t)e.number;
		co_atomic_add(&seen[e.sender][e.number], 1, CO_RELAXED); /* read after the joins */
		received++;
		test_pause(&r);
	}
	CHECK(result == -EPIPE || result == -ECANCELED);
	return received;
}

/* One run; `quitters` more receivers are cancelled in the middle of it. */
static void exchange(unsigned capacity, unsigned senders, unsigned receivers, unsigned quitters)
{
	static struct co *s[ENDS], *r[ENDS], *q[ENDS];
	struct test_random random = test_random(5000 + capacity);
	intptr_t received = 0;

	memset(seen, 0, sizeof(seen));
	REQUIRE_EQ(co_chan_init(&channel, buffer, CO_CHAN_BYTES(sizeof(struct element), capacity),
				sizeof(struct element)),
		   0);
	for (unsigned i = 0; i < ENDS; i++) {
		const intptr_t n = i;

		if (i < receivers)
			r[i] = test_spawn_on(test_below(&random, co_harts()), receiver, (void *)n);
		if (i < quitters)
			q[i] = test_spawn_on(test_below(&random, co_harts()), receiver,
					     (void *)(n + 100));
		if (i < senders)
			s[i] = test_spawn_on(test_below(&random, co_harts()), sender, (void *)n);
	}
	for (unsigned i = 0; i < quitters; i++) {
		co_sleep_us(test_below(&random, 500));
		co_cancel(q[i]);
	}
	for (unsigned i = 0; i < senders; i++)
		CHECK_EQ(test_join(s[i]), 0);
	co_chan_close(&channel);
	for (unsigned i = 0; i < receivers; i++)
		received += test_join(r[i]);
	for (unsigned i = 0; i < quitters; i++)
		received += test_join(q[i]);
	CHECK_EQ(received, senders * EACH);
	for (unsigned i = 0; i < senders; i++)
		for (unsigned k = 0; k < EACH; k++)
			CHECK_EQ(co_atomic_load(&seen[i][k], CO_RELAXED), 1);
	CHECK_EQ(co_chan_count(&channel), 0);
}

TEST(one_to_one)
{
	exchange(1, 1, 1, 0);
	exchange(64, 1, 1, 0);
}

TEST(many_to_one)
{
	exchange(3, ENDS, 1, 0);
}

TEST(one_to_many)
{
	exchange(5, 1, ENDS, 0);
}

TEST(many_to_many_through_a_single_slot)
{
	exchange(1, ENDS, ENDS, 0);
}

TEST(many_to_many)
{
	exchange(16, ENDS, ENDS, 0);
}

TEST(many_to_many_with_receivers_that_are_cancelled)
{
	exchange(7, ENDS, 8, 12);
}

/* Closing in the middle: a send that returned 0 was received, one that returned -EPIPE was not. */
static struct co_a32 sent[ENDS];

static intptr_t send_until_closed(void *arg)
{
	const unsigned me = (unsigned)(intptr_t)arg;
	struct test_random r = test_random(me);
	struct element e;
	unsigned i = 0;
	int result = 0;

	memset(&e, 0, sizeof(e));
	for (; i < EACH; i++) {
		fill(&e, me, i);
		result = send_somehow(&r, &e);
		if (result)
			break;
		test_pause(&r);
	}
	CHECK(result == 0 || result == -EPIPE);
	co_atomic_store(&sent[me], i, CO_RELAXED); /* read after the join */
	return 0;
}

TEST(closing_in_the_middle_loses_nothing)
{
	static struct co *s[ENDS], *r[ENDS];
	struct test_random random = test_random(7000);

	for (int round = 0; round < 5; round++) {
		memset(seen, 0, sizeof(seen));
		REQUIRE_EQ(co_chan_init(&channel, buffer, CO_CHAN_BYTES(sizeof(struct element), 4),
					sizeof(struct element)),
			   0);
		for (intptr_t i = 0; i < ENDS; i++) {
			s[i] = test_spawn_on((unsigned)i % co_harts(), send_until_closed,
					     (void *)i);
			r[i] = test_spawn_on(co_harts() - 1 - (unsigned)i % co_harts(), receiver,
					     (void *)i);
		}
		co_sleep_us(test_below(&random, 2000));
		co_chan_close(&channel);
		for (unsigned i = 0; i < ENDS; i++) {
			test_join(s[i]);
			test_join(r[i]);
		}
		for (unsigned i = 0; i < ENDS; i++)
			for (unsigned k = 0; k < EACH; k++)
				CHECK_EQ(co_atomic_load(&seen[i][k], CO_RELAXED),
					 k < co_atomic_load(&sent[i], CO_RELAXED));
	}
}
