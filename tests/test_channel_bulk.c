/*
 * test_channel_bulk.c - rows of elements, and words by value: round the end of a lap, with and
 * without those who sleep, in every mode.
 */
#include <string.h>

#include "harness/test.h"

enum { ROW = 7, ROWS = 40, MOST = 4 };

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(8, 16)];
static struct co_chan chan;

static const struct shape {
	enum co_chan_mode mode;
	enum co_claim claim;
} shapes[] = {
	{ CO_SPSC, CO_CLAIM_DEFAULT }, { CO_SPMC, CO_CLAIM_DEFAULT }, { CO_MPSC, CO_CLAIM_DEFAULT },
	{ CO_MPMC, CO_CLAIM_DEFAULT }, { CO_MPMC, CO_CLAIM_TICKET },
};

static void open_as(const struct shape *s, unsigned capacity)
{
	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, capacity), 8, s->mode, s->claim),
		   0);
}

/* In all shapes: a row that goes round the end of the lap, and one that finds too little room. */
TEST(rows_go_round_the_lap)
{
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		uint64_t out[ROW], in[2 * ROW], next = 0;

		open_as(&shapes[i], 8);
		for (unsigned lap = 0; lap < 20; lap++) {
			for (unsigned k = 0; k < ROW; k++)
				out[k] = lap * ROW + k;
			REQUIRE_EQ(co_chan_send_many(&chan, out, ROW, co_after_us(100)), ROW);
			REQUIRE_EQ(co_chan_count(&chan), ROW);
			REQUIRE_EQ(co_chan_send_many(&chan, out, ROW, 1), 1);
			REQUIRE_EQ(co_chan_recv_many(&chan, in, 2 * ROW, CO_FOREVER), ROW + 1);
			for (unsigned k = 0; k < ROW; k++)
				REQUIRE_EQ(in[k], next++);
		}
	}
}

static intptr_t send_rows(void *arg)
{
	uint64_t me = (uintptr_t)arg, out[ROW];

	for (uint64_t row = 0; row < ROWS; row++) {
		for (uint64_t k = 0; k < ROW; k++)
			out[k] = me << 32 | (row * ROW + k);
		if (row % 4 == 3) { /* words and rows mix */
			for (unsigned k = 0; k < ROW; k++)
				REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ out[k] }), 0);
		} else {
			REQUIRE_EQ(co_chan_send_many(&chan, out, ROW, CO_FOREVER), ROW);
		}
	}
	return 0;
}

static intptr_t receive_rows(void *arg)
{
	uint64_t in[ROW], last[MOST] = { 0 };
	intptr_t sum = 0;
	int n;

	(void)arg;
	while ((n = co_chan_recv_many(&chan, in, ROW, CO_FOREVER)) > 0) {
		for (int k = 0; k < n; k++) {
			uint64_t from = in[k] >> 32, number = (uint32_t)in[k];

			REQUIRE(from < MOST && number >= last[from]);
			last[from] = number + 1;
			sum += (intptr_t)number + 1;
		}
		if (co_chan_recv(&chan, in) == 0)
			sum += (intptr_t)(uint32_t)in[0] + 1;
	}
	CHECK_EQ(n, -EPIPE);
	return sum;
}

/* Few slots, so that both sides sleep; the sum says that nothing was lost or doubled. */
TEST(rows_between_harts_lose_nothing)
{
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		unsigned senders = shapes[i].mode == CO_MPSC || shapes[i].mode == CO_MPMC ? MOST
											  : 1;
		unsigned receivers = shapes[i].mode == CO_SPMC || shapes[i].mode == CO_MPMC ? MOST
											    : 1;
		struct co *s[MOST], *r[MOST];
		intptr_t sum = 0;

		open_as(&shapes[i], 4);
		for (unsigned k = 0; k < receivers; k++)
			r[k] = test_spawn_on(k % co_harts(), receive_rows, NULL);
		for (unsigned k = 0; k < senders; k++)
			s[k] = test_spawn_on((k + 1) % co_harts(), send_rows, (void *)(uintptr_t)k);
		for (unsigned k = 0; k < senders; k++)
			test_join(s[k]);
		co_chan_close(&chan);
		for (unsigned k = 0; k < receivers; k++)
			sum += test_join(r[k]);
		CHECK_EQ(sum, (intptr_t)senders * (ROW * ROWS) * (ROW * ROWS + 1) / 2);
	}
}

static intptr_t receive_word(void *arg)
{
	uint64_t v = 0;

	(void)arg;
	REQUIRE_EQ(co_chan_recv(&chan, &v), 0);
	return (intptr_t)v;
}

/* One row wakes as many as it has elements for: each of the woken passes the hint on. */
TEST(a_row_wakes_all_who_wait_for_it)
{
	struct co *r[MOST];
	intptr_t sum = 0;

	open_as(&shapes[3], 8);
	for (unsigned k = 0; k < MOST; k++)
		r[k] = test_spawn_on(k % co_harts(), receive_word, NULL);
	CHECK_EQ(co_sleep_us(500), 0); /* let them sleep; if they do not yet, it holds as well */
	REQUIRE_EQ(co_chan_send_many(&chan, (uint64_t[MOST]){ 1, 10, 100, 1000 }, MOST, CO_FOREVER),
		   MOST);
	for (unsigned k = 0; k < MOST; k++)
		sum += test_join(r[k]);
	CHECK_EQ(sum, 1111);
}

/* What is no word: by its size, or by where it lies. */
TEST(rows_of_what_is_no_word_arrive_whole)
{
	static alignas(CO_LINE) unsigned char wide[CO_CHAN_BYTES(12, 8)];
	static alignas(8) unsigned char out[4 + ROW * 12], in[sizeof(out)];

	for (unsigned size = 8; size <= 12; size += 4) {
		REQUIRE_EQ(co_chan_init_as(&chan, wide, CO_CHAN_BYTES(size, 8), size, CO_SPSC,
					   CO_CLAIM_DEFAULT),
			   0);
		for (unsigned lap = 0; lap < 5; lap++) {
			for (unsigned k = 0; k < ROW * size; k++)
				out[4 + k] = (unsigned char)(17 * lap + k);
			memset(in, 0, sizeof(in));
			REQUIRE_EQ(co_chan_send_many(&chan, out + 4, ROW, CO_FOREVER), ROW);
			REQUIRE_EQ(co_chan_recv_many(&chan, in + 4, ROW, CO_FOREVER), ROW);
			CHECK_EQ(memcmp(in + 4, out + 4, ROW * size), 0);
		}
	}
}
