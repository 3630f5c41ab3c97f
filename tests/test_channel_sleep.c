/*
 * test_channel_sleep.c - the only receiver of a channel asleep, and what wakes it, on its own hart
 * and from another.
 */
#include "harness/test.h"

#define UNTOUCHED 77

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(8, 2)];
static struct co_chan chan;

static void open_as(enum co_chan_mode mode, unsigned capacity)
{
	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, capacity), 8, mode,
				   CO_CLAIM_DEFAULT),
		   0);
}

/* What it returned, and in `got` what it received, after each of `n` calls. */
static struct {
	int result;
	uint64_t value;
} got[4];

static intptr_t receive(void *n)
{
	for (uintptr_t i = 0; i < (uintptr_t)n; i++) {
		uint64_t v = UNTOUCHED;

		got[i].result = co_chan_recv(&chan, &v);
		got[i].value = v;
	}
	return 0;
}

/* A receiver that sleeps, `far`: on another hart than this one. */
static struct co *sleeper(unsigned far, uintptr_t n)
{
	struct co *c = test_spawn_on((co_hart() + far) % co_harts(), receive, (void *)n);

	/* Here it sleeps when this is over; elsewhere most likely, and if not it holds as well. */
	CHECK_EQ(co_sleep_us(500), 0);
	return c;
}

#define CHECK_GOT(i, r, v)                  \
	do {                                \
		CHECK_EQ(got[i].result, r); \
		CHECK_EQ(got[i].value, v);  \
	} while (0)

TEST(a_word_is_handed_over)
{
	for (unsigned k = 0; k < 4; k++) {
		struct co *c;

		open_as(k / 2 ? CO_MPSC : CO_SPSC, 1);
		c = sleeper(k % 2, 3);
		for (uint64_t v = 1; v <= 3; v++)
			REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ v }), 0);
		test_join(c);
		for (unsigned i = 0; i < 3; i++)
			CHECK_GOT(i, 0, i + 1);
		CHECK_EQ(co_chan_count(&chan), 0);
	}
}

/* By the calls that go through the ring. */
TEST(other_calls_wake_it_too)
{
	const uint64_t row[2] = { 2, 3 };
	struct co_chan_slot s;

	for (unsigned far = 0; far < 2; far++) {
		uint64_t v = 1;
		struct co *c;

		open_as(CO_SPSC, 2);
		c = sleeper(far, 4);
		REQUIRE_EQ(co_chan_send(&chan, &v), 0);
		REQUIRE_EQ(co_sleep_us(200), 0);
		REQUIRE_EQ(co_chan_send_many(&chan, row, 2, CO_FOREVER), 2);
		REQUIRE_EQ(co_sleep_us(200), 0);
		REQUIRE_EQ(co_chan_reserve(&chan, &s), 0);
		*(uint64_t *)s.data = 4;
		co_chan_commit(&chan, &s);
		test_join(c);
		for (unsigned i = 0; i < 4; i++)
			CHECK_GOT(i, 0, i + 1);
	}
}

TEST(a_close_wakes_it)
{
	for (unsigned k = 0; k < 4; k++) {
		struct co *c;

		open_as(k / 2 ? CO_MPSC : CO_SPSC, 1);
		c = sleeper(k % 2, 3);
		REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ 5 }), 0);
		co_chan_close(&chan);
		CHECK_EQ(co_chan_send(&chan, &(uint64_t){ 6 }), -EPIPE);
		test_join(c);
		CHECK_GOT(0, 0, 5);
		CHECK_GOT(1, -EPIPE, UNTOUCHED);
		CHECK_GOT(2, -EPIPE, UNTOUCHED);
	}
}

TEST(a_cancel_wakes_it)
{
	for (unsigned far = 0; far < 2; far++) {
		struct co *c;
		uint64_t v = 0;

		open_as(CO_SPSC, 1);
		c = sleeper(far, 2);
		co_cancel(c);
		test_join(c);
		CHECK_GOT(0, -ECANCELED, UNTOUCHED);
		CHECK_GOT(1, -ECANCELED, UNTOUCHED);
		/* It is out of the queue: a word goes into the ring, for the next receiver. */
		REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ 9 }), 0);
		CHECK_EQ(co_chan_count(&chan), 1);
		CHECK_EQ(co_chan_recv(&chan, &v), 0);
		CHECK_EQ(v, 9);
	}
}
