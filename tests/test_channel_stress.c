/*
 * test_channel_stress.c - many senders, many receivers, in every mode by every claim, by all calls
 * there are: nothing lost, nothing doubled, each sender's elements in order. Calls, places, pauses,
 * deadlines and cancels are drawn from the seed.
 */
#include <string.h>

#include "channel.h"

enum { ENDS = 24, EACH = 120, ROW = 5 };

/* It shows when it was torn. Of a channel of words the first eight bytes are all of it. */
struct element {
	uint16_t sender, number;
	uint32_t check;
	unsigned char ballast[20];
};

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(struct element), 64)];
static struct co_chan channel;
static size_t size;                    /* of an element */
static struct co_a32 seen[ENDS][EACH]; /* how often each element arrived */

static void fill(void *to, unsigned sender, unsigned number)
{
	struct element e = { (uint16_t)sender, (uint16_t)number, sender * 2654435761u ^ number,
			     "" };

	memset(e.ballast, (int)(sender + number), sizeof(e.ballast));
	memcpy(to, &e, size);
}

static int send_in_place(const void *e)
{
	struct co_chan_slot s;
	int r = co_chan_reserve(&channel, &s);

	if (r)
		return r;
	memcpy(s.data, e, size);
	co_chan_commit(&channel, &s);
	return 0;
}

static int recv_in_place(void *e)
{
	struct co_chan_slot s;
	int r = co_chan_peek(&channel, &s);

	if (r)
		return r;
	memcpy(e, s.data, size);
	co_chan_release(&channel, &s);
	return 0;
}

/* So many of the row have gone or come by the call that was drawn, or none, and why. */
static int settle(int r)
{
	if (r == -EAGAIN)
		co_yield();
	return r ? r : 1;
}

static bool try_again(int r)
{
	return r == -EAGAIN || r == -ETIMEDOUT || r == -ENOTSUP; /* tickets lend no slots */
}

static int send_somehow(struct test_random *r, const void *row, unsigned n)
{
	int result;

	do {
		uint64_t soon = co_after_us(test_below(r, 50));

		switch (test_below(r, 6)) {
		case 0:
			result = settle(co_chan_try_send(&channel, row));
			break;
		case 1:
			result = settle(co_chan_send_until(&channel, row, soon));
			break;
		case 2:
			result = co_chan_send_many(&channel, row, n, soon);
			break;
		case 3:
			result = settle(send_in_place(row));
			break;
		default:
			result = settle(co_chan_send(&channel, row));
		}
	} while (try_again(result));
	return result;
}

static int recv_somehow(struct test_random *r, void *row)
{
	int result;

	do {
		uint64_t soon = co_after_us(test_below(r, 50));

		switch (test_below(r, 6)) {
		case 0:
			result = settle(co_chan_try_recv(&channel, row));
			break;
		case 1:
			result = settle(co_chan_recv_until(&channel, row, soon));
			break;
		case 2:
			result = co_chan_recv_many(&channel, row, ROW, soon);
			break;
		case 3:
			result = settle(recv_in_place(row));
			break;
		default:
			result = settle(co_chan_recv(&channel, row));
		}
	} while (try_again(result));
	return result;
}

/* Send all, or until the channel is closed; how many were sent. */
static intptr_t sender(void *arg)
{
	const unsigned me = (unsigned)(intptr_t)arg;
	struct test_random r = test_random(me);
	unsigned char row[ROW * sizeof(struct element)];
	unsigned i = 0;
	int n = 0;

	for (; i < EACH; i += (unsigned)n) {
		for (unsigned k = 0; k < ROW; k++)
			fill(row + k * size, me, i + k);
		n = send_somehow(&r, row, EACH - i < ROW ? EACH - i : ROW);
		if (n < 0)
			break;
		test_pause(&r);
	}
	CHECK(i == EACH || n == -EPIPE);
	return i;
}

static void note(const unsigned char *at, int16_t *last)
{
	unsigned char want[sizeof(struct element)];
	struct element e = { 0 };

	memcpy(&e, at, size);
	REQUIRE(e.sender < ENDS && e.number < EACH);
	fill(want, e.sender, e.number);
	REQUIRE(memcmp(at, want, size) == 0);
	/* What one receiver sees of one sender comes in the order sent. */
	CHECK((int)e.number > last[e.sender]);
	last[e.sender] = (int16_t)e.number;
	co_atomic_add(&seen[e.sender][e.number], 1, CO_RELAXED); /* read after the joins */
}

/* Receive until the channel is closed and drained, or this coroutine is cancelled. */
static intptr_t receiver(void *arg)
{
	struct test_random r = test_random(1000 + (uintptr_t)arg);
	unsigned char row[ROW * sizeof(struct element)];
	int16_t last[ENDS];
	int n;

	memset(last, 0xff, sizeof(last));
	while ((n = recv_somehow(&r, row)) > 0) {
		for (int k = 0; k < n; k++)
			note(row + (size_t)k * size, last);
		test_pause(&r);
	}
	CHECK(n == -EPIPE || n == -ECANCELED);
	return 0;
}

/* One run; `quitters` more receivers are cancelled in the middle of it; or it is closed then. */
static void exchange(const struct shape *s, unsigned capacity, unsigned quitters, bool close_early)
{
	static struct co *tx[ENDS], *rx[ENDS], *quitter[ENDS];
	struct test_random random = test_random(5000 + capacity);
	const unsigned senders = s->mode == CO_MPMC || s->mode == CO_MPSC ? ENDS : 1;
	const unsigned receivers = s->mode == CO_MPMC || s->mode == CO_SPMC ? ENDS : 1;

	memset(seen, 0, sizeof(seen));
	open_shape(&channel, buffer, s, size, capacity);
	for (uintptr_t i = 0; i < ENDS; i++) {
		if (i < receivers)
			rx[i] = test_spawn_on(test_below(&random, co_harts()), receiver, (void *)i);
		if (i < quitters)
			quitter[i] = test_spawn_on(test_below(&random, co_harts()), receiver,
						   (void *)(i + 100));
		if (i < senders)
			tx[i] = test_spawn_on(test_below(&random, co_harts()), sender, (void *)i);
	}
	for (unsigned i = 0; i < quitters; i++) {
		co_sleep_us(test_below(&random, 500));
		co_cancel(quitter[i]);
	}
	if (close_early) {
		co_sleep_us(test_below(&random, 2000));
		co_chan_close(&channel);
	}
	intptr_t sent[ENDS] = { 0 };

	for (unsigned i = 0; i < senders; i++) {
		sent[i] = test_join(tx[i]);
		CHECK(close_early || sent[i] == EACH);
	}
	co_chan_close(&channel);
	for (unsigned i = 0; i < receivers; i++)
		test_join(rx[i]);
	for (unsigned i = 0; i < quitters; i++)
		test_join(quitter[i]);
	for (unsigned i = 0; i < ENDS; i++)
		for (unsigned k = 0; k < EACH; k++)
			CHECK_EQ(co_atomic_load(&seen[i][k], CO_RELAXED), k < sent[i]);
	CHECK_EQ(co_chan_count(&channel), 0);
}

static void in_all_shapes(size_t bytes)
{
	size = bytes;
	FOR_SHAPES(s)
	{
		exchange(s, 1, 0, false);
		exchange(s, 7, 0, false);
		exchange(s, 64, 0, false);
	}
}

TEST(words_by_every_mode_and_claim)
{
	in_all_shapes(8);
}

TEST(large_elements_by_every_mode_and_claim)
{
	in_all_shapes(sizeof(struct element));
}

TEST(receivers_that_are_cancelled_take_nothing_along)
{
	size = sizeof(struct element);
	FOR_SHAPES(s)
	if (s->mode == CO_MPMC)
		exchange(s, 7, 12, false);
}

/* A send that returned 0 was received, one that returned -EPIPE was not. */
TEST(closing_in_the_middle_loses_nothing)
{
	size = sizeof(struct element);
	for (int round = 0; round < 3; round++)
		FOR_SHAPES(s)
	exchange(s, 4, 0, true);
}
