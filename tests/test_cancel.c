/* test_cancel.c - a cancelled coroutine's waits fail, and what it waited on stays usable. */
#include "harness/test.h"

CO_CHANNEL(silent, int, 1);
CO_CHANNEL(full, int, 1);

CO_BARRIER(lonely, 2);

static struct co_counter never;
static struct co_link line;

static intptr_t receives(void *arg)
{
	int x = 5;
	int r = co_chan_recv(&silent, &x);

	CHECK_EQ(x, 5);
	return r;
}

BODY(sends, co_chan_send(&full, &(int){ 2 }))

BODY(sleeps, co_sleep_us(60000000))

BODY(counts, co_counter_wait(&never))

BODY(joins, co_join(arg, NULL))

/* Cancel fn(arg) on a hart, once before it can have started and once in the middle of its wait. */
static void cancel_ends(co_fn *fn, void *arg, unsigned hart)
{
	struct co *c = test_spawn_on(hart, fn, arg);

	test_cancel(c);
	c = test_sleeper(hart, fn, arg);
	co_cancel(c);
	test_cancel(c);
}

static void everywhere(co_fn *fn, void *arg)
{
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 3 + 1)
		cancel_ends(fn, arg, h);
	cancel_ends(fn, arg, co_harts() - 1);
}

TEST(a_receive_is_cancelled_and_the_channel_works_on)
{
	int x = 0;

	everywhere(receives, NULL);
	CHECK_EQ(co_chan_send(&silent, &(int){ 7 }), 0);
	CHECK_EQ(co_chan_recv(&silent, &x), 0);
	CHECK_EQ(x, 7);
}

TEST(a_send_is_cancelled_and_sent_nothing)
{
	int x = 0;

	CHECK_EQ(co_chan_send(&full, &(int){ 1 }), 0);
	everywhere(sends, NULL);
	CHECK_EQ(co_chan_count(&full), 1);
	CHECK_EQ(co_chan_recv(&full, &x), 0);
	CHECK_EQ(x, 1);
	CHECK_EQ(co_chan_try_recv(&full, &x), -EAGAIN);
}

TEST(a_sleep_is_cancelled)
{
	everywhere(sleeps, NULL);
}

TEST(a_counter_wait_is_cancelled)
{
	co_counter_add(&never, 1);
	everywhere(counts, NULL);
	co_counter_done(&never);
	CHECK_EQ(co_counter_wait(&never), 0);
}

TEST(a_join_is_cancelled_and_the_other_goes_on)
{
	struct co *other = test_spawn_on(co_harts() - 1, sleeps, NULL);

	everywhere(joins, other);
	CHECK_EQ(co_join_until(other, NULL, co_after_us(500)), -ETIMEDOUT);
	test_cancel(other);
}

/* The waits in which a hart with nothing else to do sleeps in place (core/sched/wait.c). */
static void is_cancelled_before(void)
{
	struct co_link_rx *rx;
	uintptr_t word;

	CHECK_EQ(co_barrier_wait(&lonely, 0), -ECANCELED);
	CHECK_EQ(co_link_open_rx(&line, &rx), 0);
	CHECK_EQ(co_link_recv(rx, &word), -ECANCELED);
	co_link_close_rx(rx);
}

static intptr_t cleans_up(void *arg)
{
	CO_CHANNEL(own, int, 2);
	int x = 0;

	CHECK(!co_canceled());
	CHECK_EQ(co_sleep_us(60000000), -ECANCELED);
	CHECK(co_canceled());
	/* Each later wait fails at once; what need not wait goes on working. */
	CHECK_EQ(co_sleep_us(60000000), -ECANCELED);
	CHECK_EQ(co_chan_recv(&own, &x), -ECANCELED);
	CHECK_EQ(co_chan_recv_until(&own, &x, co_after_us(60000000)), -ECANCELED);
	is_cancelled_before();
	CHECK_EQ(co_chan_send(&own, &(int){ 3 }), 0);
	CHECK_EQ(co_chan_recv(&own, &x), 0);
	CHECK_EQ(x, 3);
	co_pause();
	printf("# output works after a cancel\n");
	return 99;
}

TEST(a_cancelled_one_can_still_clean_up)
{
	struct co *c = test_sleeper(co_harts() - 1, cleans_up, NULL);

	co_cancel(c);
	CHECK_EQ(test_join(c), 99);
}

static struct co_a32 works;

static intptr_t works_without_waits(void *arg)
{
	co_atomic_store(&works, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_canceled())
		co_pause();
	return 1;
}

TEST(a_loop_without_waits_sees_it)
{
	struct co *c = test_spawn_on(co_harts() - 1, works_without_waits, NULL);

	test_await(&works, 1);
	co_cancel(c);
	CHECK_EQ(test_join(c), 1);
}

BODY(returns_at_once, arg)

TEST(a_cancel_after_the_end_changes_nothing)
{
	struct co *c = test_spawn_on(co_harts() - 1, returns_at_once, (void *)8);

	test_sleep_us(2000);
	co_cancel(c);
	CHECK_EQ(test_join(c), 8);
}

static intptr_t waits_a_moment(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);
	int result;

	do
		result = co_sleep_us(test_below(&r, 30));
	while (result == 0);
	return result;
}

TEST(cancels_race_with_wakes)
{
	static struct co *c[16];
	struct test_random r = test_random(1000);

	for (intptr_t round = 0; round < 30; round++) {
		for (intptr_t i = 0; i < 16; i++)
			c[i] = test_spawn_on(test_below(&r, co_harts()), waits_a_moment,
					     (void *)(round * 16 + i));
		test_sleep_us(test_below(&r, 300));
		for (unsigned i = 0; i < 16; i++)
			co_cancel(c[i]);
		for (unsigned i = 0; i < 16; i++)
			REQUIRE_EQ(test_join(c[i]), -ECANCELED);
	}
}

BODY(waits_for_its_turn, co_event_wait(arg))

/* Blocks of slabs, too; in the second round they have been used before. */
TEST(a_cancel_among_many_ends_that_wait_alone)
{
	static struct co *c[200];
	static struct co_event turn;
	const unsigned hart = co_harts() - 1, n = sizeof(c) / sizeof(*c);
	const struct co_attr attr = { .on = CO_ON_HART((int)hart), .stack = CO_STACK_1K };

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < n; i++)
			REQUIRE_EQ(co_spawn(&c[i], &attr, waits_for_its_turn, &turn), 0);
		for (unsigned i = 0; i < n; i++)
			test_await_sleep(c[i]);
		for (unsigned i = round; i < n; i += 2)
			co_cancel(c[i]);
		for (unsigned i = round; i < n; i += 2)
			CHECK_EQ(test_join(c[i]), -ECANCELED);
		co_event_set(&turn);
		for (unsigned i = !round; i < n; i += 2)
			CHECK_EQ(test_join(c[i]), 0);
		co_event_clear(&turn);
	}
}
