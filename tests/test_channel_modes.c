/* test_channel_modes.c - the calls mean the same in every mode by every claim; rows of elements. */
#include "channel.h"

enum { MOST = 8, ROW = 7, UNTOUCHED = 77 };

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(72, 8)];
static struct co_chan chan;

static void open_as(enum co_chan_mode mode, enum co_claim claim, unsigned capacity)
{
	open_shape(&chan, buffer, &(struct shape){ mode, claim }, sizeof(uint64_t), capacity);
}

TEST(tickets_give_out_no_slots)
{
	struct co_chan_slot s = { 0 };

	open_as(CO_MPMC, CO_CLAIM_TICKET, 2);
	CHECK_EQ(co_chan_try_reserve(&chan, &s), -ENOTSUP);
	CHECK_EQ(co_chan_peek_until(&chan, &s, co_after_us(100)), -ENOTSUP);
	CHECK(!s.data);
	/* Nor does the other side: a ticket may be for that slot. */
	open_as(CO_MPSC, CO_CLAIM_TICKET, 2);
	CHECK_EQ(co_chan_try_peek(&chan, &s), -ENOTSUP);
}

static void expect(uint64_t number)
{
	uint64_t x = UNTOUCHED;

	CHECK_EQ(co_chan_recv_until(&chan, &x, 0), 0); /* need not wait: no deadline counts */
	CHECK_EQ(x, number);
}

static void expect_none(int by_try, int by_deadline)
{
	uint64_t x = UNTOUCHED;

	CHECK_EQ(co_chan_try_recv(&chan, &x), by_try);
	CHECK_EQ(co_chan_recv_until(&chan, &x, 0), by_deadline);
	CHECK_EQ(co_chan_recv_until(&chan, &x, co_after_us(100)), by_deadline);
	CHECK_EQ(x, UNTOUCHED);
}

static void refuse(int by_try, int by_deadline)
{
	const uint64_t x = 9;

	CHECK_EQ(co_chan_try_send(&chan, &x), by_try);
	CHECK_EQ(co_chan_send_until(&chan, &x, 0), by_deadline);
	CHECK_EQ(co_chan_send_until(&chan, &x, co_after_us(100)), by_deadline);
}

/* Full and empty, tries, deadlines and a close. */
TEST(full_empty_and_closed_are_the_same_everywhere)
{
	for (const struct shape *s = shapes; s < shapes + SHAPES; s++) {
		open_as(s->mode, s->claim, 4);
		expect_none(-EAGAIN, -ETIMEDOUT);
		for (uint64_t i = 0; i < 4; i++)
			CHECK_EQ(i % 2 ? co_chan_send_until(&chan, &i, 0)
				       : co_chan_try_send(&chan, &i),
				 0);
		CHECK_EQ(co_chan_count(&chan), 4);
		refuse(-EAGAIN, -ETIMEDOUT);
		expect(0);
		CHECK_EQ(co_chan_send(&chan, &(uint64_t){ 4 }), 0);
		co_chan_close(&chan);
		co_chan_close(&chan);
		refuse(-EPIPE, -EPIPE);
		CHECK_EQ(co_chan_send(&chan, &(uint64_t){ 9 }), -EPIPE);
		for (uint64_t i = 1; i < 5; i++)
			expect(i);
		CHECK_EQ(co_chan_count(&chan), 0);
		expect_none(-EPIPE, -EPIPE);
	}
}

static intptr_t receive_shortly(void *arg)
{
	uint64_t x;
	int r = co_chan_recv_until(&chan, &x, co_after_us((uintptr_t)arg));

	return r ? r : (intptr_t)x;
}

/* As many elements arrive as are sent after some have given up. */
TEST(waiters_that_gave_up_leave_it_usable)
{
	for (const struct shape *s = shapes; s < shapes + SHAPES; s++) {
		struct co *c[MOST];
		const unsigned n = s->mode == CO_MPMC ? MOST : 1;

		open_as(s->mode, s->claim, 2);
		for (unsigned i = 0; i < n; i++)
			c[i] = test_spawn_on(i % co_harts(), receive_shortly,
					     (void *)(uintptr_t)(100 * (n - i)));
		test_join_all(c, n, -ETIMEDOUT);
		for (uint64_t i = 0; i < 6; i++) {
			CHECK_EQ(co_chan_send(&chan, &i), 0);
			expect(i);
		}
		CHECK_EQ(co_chan_count(&chan), 0);
	}
}

static intptr_t receive_word(void *arg)
{
	uint64_t x = 0;
	int r = co_chan_recv(&chan, &x);

	return r ? r : (intptr_t)x;
}

/* A cancel and an element race for a receiver, over and over: it gets the element, or the next. */
TEST(a_cancel_takes_no_element_along)
{
	for (unsigned round = 0; round < 200; round++) {
		struct co *c;
		intptr_t got;

		open_as(CO_MPMC, round % 2 ? CO_CLAIM_DEFAULT : CO_CLAIM_TICKET, 2);
		c = test_spawn_on(round % co_harts(), receive_word, NULL);
		if (round % 3)
			co_pause();
		co_cancel(c);
		REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ 7 }), 0);
		got = test_join(c);
		CHECK(got == 7 || got == -ECANCELED);
		CHECK_EQ(co_chan_count(&chan), got != 7);
	}
}

TEST(a_row_takes_what_there_is)
{
	static uint64_t out[40], in[40];
	int n = 0;

	open_as(CO_MPMC, CO_CLAIM_DEFAULT, 16);
	for (unsigned i = 0; i < 40; i++)
		out[i] = i;
	CHECK_EQ(co_chan_send_many_until(&chan, out, 40, co_after_us(100)), 16);
	CHECK_EQ(co_chan_send_many_until(&chan, out, 1, co_after_us(100)), -ETIMEDOUT);
	CHECK_EQ(n = co_chan_recv_many(&chan, in, 10), 10);
	CHECK_EQ(n += co_chan_recv_many(&chan, in + n, 30), 16);
	CHECK(memcmp(in, out, 16 * sizeof(*in)) == 0);
	co_chan_close(&chan);
	CHECK_EQ(co_chan_recv_many(&chan, in, 10), -EPIPE);
}

/* A row that goes round the end of the lap, and one that finds too little room. */
TEST(rows_go_round_the_lap)
{
	for (const struct shape *s = shapes; s < shapes + SHAPES; s++) {
		uint64_t out[ROW], in[2 * ROW], next = 0;

		open_as(s->mode, s->claim, 8);
		for (unsigned lap = 0; lap < 20; lap++) {
			for (unsigned k = 0; k < ROW; k++)
				out[k] = lap * ROW + k;
			REQUIRE_EQ(co_chan_send_many_until(&chan, out, ROW, co_after_us(100)), ROW);
			REQUIRE_EQ(co_chan_count(&chan), ROW);
			REQUIRE_EQ(co_chan_send_many_until(&chan, out, ROW, 1), 1);
			REQUIRE_EQ(co_chan_recv_many(&chan, in, 2 * ROW), ROW + 1);
			for (unsigned k = 0; k < ROW; k++)
				REQUIRE_EQ(in[k], next++);
		}
	}
}

/* One row wakes as many as it has elements for: each of the woken passes the hint on. */
TEST(a_row_wakes_all_who_wait_for_it)
{
	struct co *r[4];
	intptr_t sum = 0;

	open_as(CO_MPMC, CO_CLAIM_DEFAULT, 8);
	for (unsigned k = 0; k < 4; k++)
		r[k] = test_spawn_on(k % co_harts(), receive_word, NULL);
	CHECK_EQ(co_sleep_us(500), 0); /* let them sleep; if they do not yet, it holds as well */
	REQUIRE_EQ(co_chan_send_many(&chan, (uint64_t[]){ 1, 10, 100, 1000 }, 4), 4);
	for (unsigned k = 0; k < 4; k++)
		sum += test_join(r[k]);
	CHECK_EQ(sum, 1111);
}

/* What is no word: by its size, or by where it lies; and several words. */
TEST(rows_of_what_is_no_word_arrive_whole)
{
	static const unsigned sizes[] = { 1, 3, 6, 8, 12, 15, 16, 20, 24, 70, 72 };
	static alignas(8) unsigned char out[8 + ROW * 72], in[sizeof(out)];

	for (unsigned i = 0; i < 4 * SHAPES * sizeof(sizes) / sizeof(*sizes); i++) {
		const unsigned size = sizes[i / 4 / SHAPES], at = 1U << i % 4;

		open_shape(&chan, buffer, &shapes[i / 4 % SHAPES], size, 8);
		for (unsigned lap = 0; lap < 5; lap++) {
			for (unsigned k = 0; k < ROW * size; k++)
				out[at + k] = (unsigned char)(17 * lap + k);
			memset(in, 0, sizeof(in));
			REQUIRE_EQ(co_chan_send_many(&chan, out + at, ROW), ROW);
			REQUIRE_EQ(co_chan_recv_many(&chan, in + at, ROW), ROW);
			CHECK_EQ(memcmp(in + at, out + at, ROW * size), 0);
		}
	}
}

static alignas(CO_LINE) unsigned char back_buffer[CO_CHAN_BYTES(8, 2)];
static struct co_chan back;
static int tried[5];
static uint64_t received;

/* The only one who sends to `chan`, and the only one who receives from `back`. */
static void tries(struct co_mailbox *b, const struct co_mail *m)
{
	uintptr_t w[1];

	co_mail_read(m, 0, w, 0); /* nothing of it is wanted */
	for (unsigned i = 0; i < 3; i++)
		tried[i] = co_chan_try_send(&chan, &(uint64_t){ 6 + i });
	tried[3] = co_chan_try_recv(&back, &received);
	tried[4] = co_chan_try_recv(&back, &(uint64_t){ 0 });
}

TEST(a_message_handler_sends_and_receives_and_does_not_wait)
{
	static struct co_mailbox box;
	static const int expected[] = { 0, 0, -EAGAIN, 0, -EAGAIN }; /* full, and nobody waits */

	REQUIRE_EQ(co_mailbox_handle(&box, 77, tries, NULL), 0);
	for (const struct shape *s = shapes; s < shapes + SHAPES; s++) {
		open_as(s->mode, s->claim, 2);
		open_shape(&back, back_buffer, s, 8, 2);
		REQUIRE_EQ(co_chan_send(&back, &(uint64_t){ 5 }), 0);
		memset(tried, 1, sizeof(tried));
		received = 0;
		CHECK_EQ(co_mail_send(co_hart(), 77, (uintptr_t[]){ 1 }, 1), 0);
		for (unsigned n = 0; n < 1000 && tried[4] > 0; n++)
			co_pause();
		CHECK(memcmp(tried, expected, sizeof(tried)) == 0);
		CHECK_EQ(received, 5);
		expect(6);
		expect(7);
		CHECK_EQ(co_chan_count(&chan), 0);
	}
	CHECK_EQ(co_mailbox_close(&box), 0);
}
