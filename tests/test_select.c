/* test_select.c - waiting for the first of several channels. */
#include <cohart/select.h>

#include "harness/test.h"
#include "queue.h"

enum { EACH = 400, KINDS = 3 };

TEST(what_can_be_done_is_done_at_once)
{
	CO_CHANNEL(a, int, 1);
	CO_CHANNEL(b, int, 1);
	int x = 0;
	struct co_case cases[] = { CO_CASE_RECV(&a, &x), CO_CASE_SEND(&b, &(int){ 5 }) };

	CHECK_EQ(co_select(cases, 2), 1);
	CHECK_EQ(cases[1].result, 0);
	CHECK_EQ(co_select_try(cases, 2), -EAGAIN); /* a is empty, b is full */
	CHECK_EQ(co_chan_try_recv(&b, &x), 0);
	CHECK_EQ(x, 5);
}

TEST(a_deadline_ends_it)
{
	CO_CHANNEL(a, int, 1);
	CO_CHANNEL(b, int, 1);
	int x = 7;
	struct co_case cases[] = { CO_CASE_RECV(&a, &x), CO_CASE_RECV(&b, &x) };

	CHECK_EQ(co_select_until(cases, 2, co_after_us(200)), -ETIMEDOUT);
	CHECK_EQ(x, 7);
	CHECK_EQ(co_chan_try_send(&a, &(int){ 1 }), 0); /* both are usable */
	CHECK_EQ(co_select_until(cases, 2, co_after_us(200)), 0);
	CHECK_EQ(x, 1);
}

TEST(a_closed_channel_is_a_case_that_is_done)
{
	CO_CHANNEL(a, int, 1);
	CO_CHANNEL(b, int, 1);
	int x;
	struct co_case cases[] = { CO_CASE_RECV(&a, &x), CO_CASE_RECV(&b, &x) };

	co_chan_close(&b);
	CHECK_EQ(co_select(cases, 2), 1);
	CHECK_EQ(cases[1].result, -EPIPE);
}

static struct co_chan chan[KINDS];
static alignas(CO_LINE) unsigned char buffer[KINDS][CO_CHAN_BYTES(sizeof(int), 2)];

static intptr_t send_numbers(void *arg)
{
	struct co_chan *c = &chan[(uintptr_t)arg];

	for (int i = 0; i < EACH; i++)
		REQUIRE_EQ(co_chan_send(c, &i), 0);
	co_chan_close(c);
	return 0;
}

/* Several receivers select among several channels: each element reaches one of them. */
static intptr_t receive_any(void *arg)
{
	bool open[KINDS] = { true, true, true };
	intptr_t sum = 0;

	for (;;) {
		struct co_case cases[KINDS];
		unsigned which[KINDS], n = 0;
		int x = 0, k;

		for (unsigned i = 0; i < KINDS; i++) {
			if (!open[i])
				continue;
			which[n] = i;
			cases[n++] = (struct co_case)CO_CASE_RECV(&chan[i], &x);
		}
		if (!n)
			return sum;
		k = co_select(cases, n);
		REQUIRE(k >= 0);
		if (cases[k].result == -EPIPE)
			open[which[k]] = false;
		else
			sum += x;
	}
}

static void many_to_many(enum co_claim claim)
{
	struct co *s[KINDS], *r[4];
	intptr_t sum = 0;

	for (unsigned i = 0; i < KINDS; i++)
		REQUIRE_EQ(co_chan_init_as(&chan[i], buffer[i], sizeof(buffer[i]), sizeof(int),
					   CO_MPMC, claim),
			   0);
	for (unsigned i = 0; i < 4; i++)
		r[i] = test_spawn_on((i + 1) % co_harts(), receive_any, NULL);
	for (unsigned i = 0; i < KINDS; i++)
		s[i] = test_spawn_on(2 * i % co_harts(), send_numbers, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < KINDS; i++)
		test_join(s[i]);
	for (unsigned i = 0; i < 4; i++)
		sum += test_join(r[i]);
	CHECK_EQ(sum, (intptr_t)KINDS * EACH * (EACH - 1) / 2);
}

TEST(each_element_reaches_one_of_many_selectors)
{
	many_to_many(CO_CLAIM_DEFAULT);
	many_to_many(CO_CLAIM_TICKET);
}

/* Elements that a sender may hand over by words, by bytes, and that go through the ring. */
enum { PINGS = 20 };
struct large {
	int number[6];
};
struct odd {
	unsigned char byte[3];
};
CO_CHANNEL(words, uint64_t, 1);
CO_CHANNEL(odds, struct odd, 1);
CO_CHANNEL(large, struct large, 1);
CO_CHANNEL(taken, int, 1);

/* The cases twice over: which of the two a sender finds first does not matter. */
static intptr_t select_each_size(void *arg)
{
	uint64_t word = 0;
	struct odd o = { { 0 } };
	struct large l = { { 0 } };
	struct co_case cases[] = { CO_CASE_RECV(&words, &word), CO_CASE_RECV(&odds, &o),
				   CO_CASE_RECV(&large, &l),    CO_CASE_RECV(&words, &word),
				   CO_CASE_RECV(&odds, &o),     CO_CASE_RECV(&large, &l) };

	for (int i = 0; i < PINGS; i++) {
		int done = co_select_until(cases, 6, i % 2 ? CO_FOREVER : LONG_ENOUGH);

		REQUIRE(done >= 0);
		REQUIRE_EQ(done % 3, i % 3);
		REQUIRE_EQ(cases[done].result, 0);
		REQUIRE_EQ(i % 3 == 0 ? (int)word : i % 3 == 1 ? o.byte[2] : l.number[5], i);
		REQUIRE_EQ(co_chan_send(&taken, &i), 0);
	}
	return 0;
}

static void send_each_size_to(unsigned hart)
{
	struct co *c = test_spawn_on(hart, select_each_size, NULL);

	for (int i = 0, got; i < PINGS; i++) {
		uint64_t word = (uint64_t)i;
		struct odd o = { { 0, 0, (unsigned char)i } };
		struct large l = { { 0, 0, 0, 0, 0, i } };

		CHECK_EQ(co_sleep_us(200), 0); /* until the other one waits */
		CHECK_EQ(i % 3 == 0   ? co_chan_send(&words, &word)
			 : i % 3 == 1 ? co_chan_send(&odds, &o)
				      : co_chan_send(&large, &l),
			 0);
		CHECK_EQ(co_chan_recv_until(&taken, &got, LONG_ENOUGH), 0);
		CHECK_EQ(got, i);
	}
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(co_chan_count(&words) + co_chan_count(&odds) + co_chan_count(&large), 0);
}

TEST(a_select_is_handed_elements_of_each_size)
{
	send_each_size_to(0);
	send_each_size_to(co_harts() - 1);
}

static intptr_t select_forever(void *arg)
{
	int x;
	struct co_case cases[] = { CO_CASE_RECV(&chan[0], &x), CO_CASE_RECV(&chan[1], &x) };

	return co_select(cases, 2);
}

TEST(a_cancel_ends_it_and_leaves_all_queues)
{
	struct co *c;

	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(co_chan_init(&chan[i], buffer[i], sizeof(buffer[i]), sizeof(int)), 0);
	c = test_spawn_on(co_harts() - 1, select_forever, NULL);
	test_sleep_us(200);
	test_cancel(c);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_waitq_count(&chan[i].receivers), 0);
}

static intptr_t send_to(void *arg)
{
	test_sleep_us(200); /* until the select sleeps */
	CHECK_EQ(co_chan_send(arg, &(int){ 5 }), 0);
	return 0;
}

TEST(a_select_of_the_most_cases_wakes_by_any_of_them)
{
	static struct co_case cases[CO_WAIT_ANY_MAX];
	static struct co_chan arm[CO_WAIT_ANY_MAX];
	static alignas(CO_LINE) unsigned char room[CO_WAIT_ANY_MAX][CO_CHAN_BYTES(sizeof(int), 1)];
	const int last = CO_WAIT_ANY_MAX - 1;
	int x = 0;

	for (int i = 0; i <= last; i++) {
		REQUIRE_EQ(co_chan_init(&arm[i], room[i], sizeof(room[i]), sizeof(int)), 0);
		cases[i] = (struct co_case)CO_CASE_RECV(&arm[i], &x);
	}
	for (int i = 0; i <= last; i += last) {
		struct co *c = test_spawn_on(co_harts() - 1, send_to, &arm[i]);

		CHECK_EQ(co_select(cases, CO_WAIT_ANY_MAX), i);
		CHECK_EQ(x, 5);
		CHECK_EQ(test_join(c), 0);
		x = 0;
	}
	for (int i = 0; i <= last; i++)
		CHECK_EQ(co_waitq_count(&arm[i].receivers), 0);
}

/* More selects than a hart has nodes for: the one too many, or another wait for several things,
 * gets an error, and nothing is lost. */
TEST(nodes_run_out_and_come_back)
{
	int x;
	enum { MANY = 16 };
	struct co_case cases[MANY];
	static struct co_signal sent;
	struct co_signal *signals[MANY];
	struct co *c[40];
	unsigned n = 0;

	for (unsigned i = 0; i < MANY; i++)
		signals[i] = &sent;
	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(co_chan_init(&chan[i], buffer[i], sizeof(buffer[i]), sizeof(int)), 0);
	for (unsigned i = 0; i < MANY; i++)
		cases[i] = (struct co_case)CO_CASE_RECV(&chan[0], &x);
	while (n < 27) /* 54 nodes of 64; too few are left for MANY */
		c[n++] = test_spawn_on(0, select_forever, NULL);
	test_sleep_us(200);
	CHECK_EQ(co_select_until(cases, MANY, co_after_us(100)), -ENOBUFS);
	CHECK_EQ(co_signal_wait_any_until(signals, MANY, co_after_us(100)), -ENOBUFS);
	while (n < 32) /* all 64: none is left for one */
		c[n++] = test_spawn_on(0, select_forever, NULL);
	test_sleep_us(200);
	CHECK_EQ(co_select_until(cases, 2, co_after_us(100)), -ENOBUFS);
	co_chan_close(&chan[0]);
	test_join_all(c, n, 0);
	CHECK_EQ(co_select_until(cases, MANY, co_after_us(100)) >= 0, 1);
	CHECK_EQ(co_signal_wait_any_until(signals, MANY, co_after_us(100)), -ETIMEDOUT);
}

CO_CHANNEL(goes, int, 1);

static intptr_t end_when_asked(void *arg)
{
	int n;

	CHECK_EQ(co_chan_recv_until(&goes, &n, LONG_ENOUGH), 0);
	return n + (intptr_t)arg;
}

TEST(the_first_end_of_several_is_joined)
{
	struct co *c[2];
	intptr_t result[2] = { -1, -1 };
	int first;

	for (unsigned i = 0; i < 2; i++)
		c[i] = test_spawn_on(i * (co_harts() - 1), end_when_asked,
				     (void *)(intptr_t)(10 * i));
	{
		struct co_case cases[] = { co_case_join(c[0], &result[0]),
					   co_case_join(c[1], &result[1]) };

		CHECK_EQ(co_select_try(cases, 2), -EAGAIN);
		CHECK_EQ(co_select_until(cases, 2, co_after_us(1000)), -ETIMEDOUT);
		CHECK_EQ(co_chan_send(&goes, &(int){ 1 }), 0);
		first = co_select_until(cases, 2, LONG_ENOUGH);
		REQUIRE(first == 0 || first == 1);
		CHECK_EQ(cases[first].result, 0);
		CHECK_EQ(result[first], 1 + 10 * first);
		CHECK_EQ(result[!first], -1);
		CHECK_EQ(co_chan_send(&goes, &(int){ 2 }), 0);
		CHECK_EQ(co_select_until(&cases[!first], 1, LONG_ENOUGH), 0);
		CHECK_EQ(result[!first], 2 + 10 * !first);
	}
}
