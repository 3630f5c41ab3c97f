/* test_channel.c - channels: sizes, waiting, deadlines, closing. */
#include <string.h>

#include "harness/test.h"

#define LONG_ENOUGH co_after_us(20000000) /* a hang is a failure; see test_wait.c */

TEST(what_goes_in_comes_out_in_order)
{
	CO_CHANNEL(c, int, 8);
	int x = 0;

	for (int i = 0; i < 8; i++)
		CHECK_EQ(co_chan_send(&c, &i), 0);
	CHECK_EQ(co_chan_count(&c), 8);
	for (int i = 0; i < 8; i++) {
		CHECK_EQ(co_chan_recv(&c, &x), 0);
		CHECK_EQ(x, i);
	}
	CHECK_EQ(co_chan_count(&c), 0);
}

TEST(try_never_waits)
{
	CO_CHANNEL(c, int, 1);
	int x = 5;

	CHECK_EQ(co_chan_try_recv(&c, &x), -EAGAIN);
	CHECK_EQ(x, 5);
	CHECK_EQ(co_chan_try_send(&c, &(int){ 1 }), 0);
	CHECK_EQ(co_chan_try_send(&c, &(int){ 2 }), -EAGAIN);
	CHECK_EQ(co_chan_try_recv(&c, &x), 0);
	CHECK_EQ(x, 1);
	CHECK_EQ(co_chan_try_recv(&c, &x), -EAGAIN);
}

TEST(deadlines_end_both_kinds_of_wait)
{
	CO_CHANNEL(c, int, 1);
	int x = 5;

	CHECK_EQ(co_chan_recv_until(&c, &x, 0), -ETIMEDOUT);
	CHECK_EQ(co_chan_recv_until(&c, &x, co_after_us(300)), -ETIMEDOUT);
	CHECK_EQ(x, 5);
	CHECK_EQ(co_chan_send_until(&c, &(int){ 1 }, 0), 0); /* need not wait: no deadline counts */
	CHECK_EQ(co_chan_send_until(&c, &(int){ 2 }, 0), -ETIMEDOUT);
	CHECK_EQ(co_chan_send_until(&c, &(int){ 2 }, co_after_us(300)), -ETIMEDOUT);
	CHECK_EQ(co_chan_count(&c), 1);
	CHECK_EQ(co_chan_recv_until(&c, &x, 0), 0);
	CHECK_EQ(x, 1);
	CHECK_EQ(co_chan_send(&c, &(int){ 3 }), 0);
	CHECK_EQ(co_chan_recv(&c, &x), 0);
	CHECK_EQ(x, 3);
}

TEST(bad_shapes_are_refused)
{
	static uint64_t buffer[8];
	struct co_chan c, before;
	unsigned char *odd = (unsigned char *)buffer + 1;

	memset(&c, 0x5a, sizeof(c));
	before = c;
	CHECK_EQ(co_chan_init(&c, buffer, sizeof(buffer), 0), -EINVAL);
	CHECK_EQ(co_chan_init(&c, NULL, 64, 4), -EINVAL);
	CHECK_EQ(co_chan_init(&c, odd, 32, 4), -EINVAL);
	CHECK_EQ(co_chan_init(&c, buffer, 0, 4), -EINVAL);
	CHECK_EQ(co_chan_init(&c, buffer, CO_CHAN_BYTES(4, 1) - 1, 4), -EINVAL);
	CHECK_EQ(co_chan_init(&c, buffer, sizeof(buffer), SIZE_MAX), -EINVAL);
	CHECK(memcmp(&c, &before, sizeof(c)) == 0);
	CHECK_EQ(co_chan_init(&c, buffer, CO_CHAN_BYTES(4, 1), 4), 0);
}

/* Every byte of every element, over several laps, and nothing written beyond buffer or element. */
static void try_shape(size_t elem_size, unsigned capacity)
{
	static alignas(CO_LINE) unsigned char buffer[8192];
	static struct co_chan c;
	unsigned char in[256], out[257];
	const size_t bytes = CO_CHAN_BYTES(elem_size, capacity);
	unsigned sent = 0, received = 0;

	REQUIRE(bytes < sizeof(buffer));
	memset(buffer, 0xee, sizeof(buffer));
	REQUIRE_EQ(co_chan_init(&c, buffer, bytes, elem_size), 0);
	for (unsigned lap = 0; lap < 5; lap++) {
		for (unsigned i = 0; i <= capacity; i++, sent++) {
			memset(in, (int)(sent * 7 + 1), sizeof(in));
			if (co_chan_try_send(&c, in) != 0)
				break;
		}
		REQUIRE_EQ(sent - received, capacity);
		/* Leave some in, so that the laps start at all places. */
		for (unsigned left = lap == 4 ? 0 : capacity / 3; sent - received > left;
		     received++) {
			memset(out, 0x99, sizeof(out));
			REQUIRE_EQ(co_chan_try_recv(&c, out), 0);
			REQUIRE_EQ(out[0], (unsigned char)(received * 7 + 1));
			REQUIRE_EQ(out[elem_size - 1], (unsigned char)(received * 7 + 1));
			REQUIRE_EQ(out[elem_size], 0x99);
		}
	}
	CHECK_EQ(co_chan_try_recv(&c, out), -EAGAIN);
	CHECK_EQ(buffer[bytes], 0xee);
}

TEST(any_element_size_fits)
{
	const size_t size[] = { 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 64, 65, 100, 255, 256 };

	for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++)
		try_shape(size[i], 4);
}

TEST(any_capacity_works)
{
	const unsigned capacity[] = { 1, 2, 3, 5, 7, 8, 13, 16, 100 };

	for (unsigned i = 0; i < sizeof(capacity) / sizeof(*capacity); i++)
		try_shape(4, capacity[i]);
	try_shape(24, 1);
	try_shape(1, 3);
}

/* One that waits on the channel of its argument. */
static struct co_a32 at_work;

static intptr_t receive_one(void *arg)
{
	int x = -1;

	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	int r = co_chan_recv_until(arg, &x, LONG_ENOUGH);

	return r ? r : x;
}

static intptr_t send_hundred(void *arg)
{
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	return co_chan_send_until(arg, &(int){ 100 }, LONG_ENOUGH);
}

static struct co *start_on(unsigned hart, co_fn *fn, struct co_chan *c)
{
	struct co *co;

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	co = test_spawn_on(hart, fn, c);
	test_await(&at_work, 1);
	co_sleep_us(200); /* let it get into its wait; either way the result is the same */
	return co;
}

TEST(a_receiver_waits_for_an_element)
{
	CO_CHANNEL(c, int, 3);

	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		struct co *co = start_on(h, receive_one, &c);

		CHECK_EQ(co_chan_send(&c, &(int){ 42 }), 0);
		CHECK_EQ(test_join(co), 42);
	}
}

TEST(a_sender_waits_for_room)
{
	CO_CHANNEL(c, int, 1);
	int x = 0;

	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		CHECK_EQ(co_chan_send(&c, &(int){ 1 }), 0);
		struct co *co = start_on(h, send_hundred, &c);

		CHECK_EQ(co_chan_recv(&c, &x), 0);
		CHECK_EQ(x, 1);
		CHECK_EQ(test_join(co), 0);
		CHECK_EQ(co_chan_recv(&c, &x), 0);
		CHECK_EQ(x, 100);
	}
}

TEST(a_closed_channel_is_drained_first)
{
	CO_CHANNEL(c, int, 4);
	int x = 0;

	CHECK_EQ(co_chan_send(&c, &(int){ 1 }), 0);
	CHECK_EQ(co_chan_send(&c, &(int){ 2 }), 0);
	co_chan_close(&c);
	co_chan_close(&c);
	CHECK_EQ(co_chan_send(&c, &(int){ 3 }), -EPIPE);
	CHECK_EQ(co_chan_try_send(&c, &(int){ 3 }), -EPIPE);
	CHECK_EQ(co_chan_send_until(&c, &(int){ 3 }, CO_FOREVER), -EPIPE);
	CHECK_EQ(co_chan_recv(&c, &x), 0);
	CHECK_EQ(x, 1);
	CHECK_EQ(co_chan_try_recv(&c, &x), 0);
	CHECK_EQ(x, 2);
	CHECK_EQ(co_chan_recv(&c, &x), -EPIPE);
	CHECK_EQ(co_chan_try_recv(&c, &x), -EPIPE);
	CHECK_EQ(co_chan_recv_until(&c, &x, 0), -EPIPE);
	CHECK_EQ(x, 2);
}

TEST(closing_ends_receivers_that_wait)
{
	static struct co *co[8];
	CO_CHANNEL(c, int, 2);

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < 8; i++)
		co[i] = test_spawn_on(i % co_harts(), receive_one, &c);
	test_await(&at_work, 8);
	co_chan_close(&c);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(test_join(co[i]), -EPIPE);
}

/* The send is done by hand here, to stop it between its two halves. */
TEST(a_send_under_way_at_the_close_is_received_and_ends_all_waits)
{
	static struct co *co[8];
	CO_CHANNEL(c, int, 2);
	struct co_chan_slot s;
	intptr_t sum = 0;

	if (c.send_claim != CO_CLAIM_CAS)
		SKIP("tickets lend no slots");
	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < 8; i++)
		co[i] = test_spawn_on(i % co_harts(), receive_one, &c);
	test_await(&at_work, 8);
	REQUIRE_EQ(co_chan_try_reserve(&c, &s), 0);
	co_chan_close(&c);
	co_sleep_us(1000); /* all have looked again, and wait for the element that is to come */
	*(int *)s.data = 1000;
	co_chan_commit(&c, &s);
	for (unsigned i = 0; i < 8; i++)
		sum += test_join(co[i]);
	CHECK_EQ(sum, 1000 - 7 * EPIPE);
}

TEST(closing_ends_senders_that_wait)
{
	static struct co *co[8];
	CO_CHANNEL(c, int, 1);
	int x = 0;

	CHECK_EQ(co_chan_send(&c, &(int){ 1 }), 0);
	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < 8; i++)
		co[i] = test_spawn_on(i % co_harts(), send_hundred, &c);
	test_await(&at_work, 8);
	co_sleep_us(500);
	co_chan_close(&c);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(test_join(co[i]), -EPIPE);
	CHECK_EQ(co_chan_recv(&c, &x), 0);
	CHECK_EQ(x, 1);
	CHECK_EQ(co_chan_recv(&c, &x), -EPIPE);
}

enum { LINE = 4 };
static struct co_chan line;
static alignas(CO_LINE) unsigned char line_buffer[CO_CHAN_BYTES(sizeof(int), 1)];

static intptr_t receive_in_line(void *arg)
{
	int x = -1;
	int r = co_chan_recv_until(&line, &x, LONG_ENOUGH);

	(void)arg;
	return r ? r : x;
}

static intptr_t send_in_line(void *arg)
{
	return co_chan_send_until(&line, &(int){ (int)(intptr_t)arg }, LONG_ENOUGH);
}

/*
 * Those who wait are served in the order in which they came, on whatever harts. Except by tickets,
 * a wake-up is a hint, and two who are awake at once may change places: so one is served, then the
 * next.
 */
static void in_line(enum co_claim claim)
{
	struct co *co[LINE];
	int x = -1;

	REQUIRE_EQ(co_chan_init_as(&line, line_buffer, sizeof(line_buffer), sizeof(int), CO_MPMC,
				   claim),
		   0);
	for (unsigned i = 0; i < LINE; i++) {
		co[i] = test_spawn_on((LINE - i) % co_harts(), receive_in_line, NULL);
		REQUIRE(test_await_sleep(co[i]));
	}
	for (int i = 0; i < LINE; i++) {
		CHECK_EQ(co_chan_send(&line, &i), 0);
		CHECK_EQ(test_join(co[i]), i);
	}
	CHECK_EQ(co_chan_send(&line, &(int){ 100 }), 0);
	for (unsigned i = 0; i < LINE; i++) {
		co[i] = test_spawn_on((LINE - i) % co_harts(), send_in_line, (void *)(intptr_t)i);
		REQUIRE(test_await_sleep(co[i]));
	}
	CHECK_EQ(co_chan_recv(&line, &x), 0);
	CHECK_EQ(x, 100);
	for (int i = 0; i < LINE; i++) {
		CHECK_EQ(test_join(co[i]), 0);
		CHECK_EQ(co_chan_recv_until(&line, &x, LONG_ENOUGH), 0);
		CHECK_EQ(x, i);
	}
}

TEST(those_who_wait_are_served_in_the_order_they_came)
{
	in_line(CO_CLAIM_DEFAULT);
	in_line(CO_CLAIM_TICKET);
}

TEST(slots_are_waited_for_until_the_deadline)
{
	struct co_chan_slot s = { 0 };

	REQUIRE_EQ(co_chan_init_as(&line, line_buffer, sizeof(line_buffer), sizeof(int), CO_SPSC,
				   CO_CLAIM_DEFAULT),
		   0);
	CHECK_EQ(co_chan_peek_until(&line, &s, co_after_us(100)), -ETIMEDOUT);
	CHECK(!s.data);
	REQUIRE_EQ(co_chan_reserve_until(&line, &s, 0), 0);
	*(int *)s.data = 9;
	co_chan_commit(&line, &s);
	CHECK_EQ(co_chan_reserve_until(&line, &s, co_after_us(100)), -ETIMEDOUT);
	REQUIRE_EQ(co_chan_peek_until(&line, &s, 0), 0);
	CHECK_EQ(*(int *)s.data, 9);
	co_chan_release(&line, &s);
}

TEST(a_cancelled_receiver_leaves_its_turn_to_the_next)
{
	CO_CHANNEL(c, int, 1);

	struct co *first = start_on(co_harts() - 1, receive_one, &c);
	struct co *second = start_on(0, receive_one, &c);

	co_cancel(first);
	CHECK_EQ(test_join(first), -ECANCELED);
	CHECK_EQ(co_chan_send(&c, &(int){ 6 }), 0);
	CHECK_EQ(test_join(second), 6);
}

static intptr_t give_up_soon(void *arg)
{
	int x;

	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	return co_chan_recv_until(arg, &x, co_after_us(1000));
}

TEST(a_timed_out_receiver_leaves_its_turn_to_the_next)
{
	CO_CHANNEL(c, int, 1);

	struct co *first = start_on(co_harts() - 1, give_up_soon, &c);
	struct co *second = start_on(0, receive_one, &c);

	CHECK_EQ(test_join(first), -ETIMEDOUT);
	CHECK_EQ(co_chan_send(&c, &(int){ 6 }), 0);
	CHECK_EQ(test_join(second), 6);
}

static intptr_t make_in_spm(void *arg)
{
	const size_t bytes = CO_CHAN_BYTES(sizeof(int), 5);
	struct co_chan *c = co_spm_alloc(sizeof(*c), CO_LINE);
	void *buffer = co_spm_alloc(bytes, CO_LINE);

	(void)arg;
	REQUIRE(c && buffer);
	CHECK_EQ(co_chan_init(c, buffer, bytes, sizeof(int)), 0);
	return (intptr_t)c;
}

static intptr_t drop_from_spm(void *arg)
{
	struct co_chan *c = arg;

	co_spm_free(c->ring.slots);
	co_spm_free(c);
	return 0;
}

static intptr_t sum_all(void *arg)
{
	intptr_t sum = 0;
	int x;

	while (co_chan_recv(arg, &x) == 0)
		sum += x;
	return sum;
}

TEST(a_channel_can_lie_in_scratchpad)
{
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		struct co_chan *c =
			(struct co_chan *)test_join(test_spawn_on(h, make_in_spm, NULL));

		REQUIRE_EQ(co_spm_hart(c), h);
		struct co *co = test_spawn_on(h, sum_all, c);

		for (int i = 1; i <= 100; i++)
			CHECK_EQ(co_chan_send(c, &i), 0);
		co_chan_close(c);
		CHECK_EQ(test_join(co), 5050);
		test_join(test_spawn_on(h, drop_from_spm, c));
	}
}
