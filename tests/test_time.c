/* test_time.c - one clock for all harts, deadlines and sleep. */
#include "harness/test.h"

TEST(time_goes_forward)
{
	uint64_t last = co_now();

	for (int i = 0; i < 1000; i++) {
		uint64_t now = co_now();

		REQUIRE(now >= last);
		last = now;
	}
}

TEST(microseconds_and_ticks_agree)
{
	uint64_t before = co_now();
	uint64_t deadline = co_after_us(1000000);
	uint64_t after = co_now();

	/* The deadline lies a second after some moment between the two looks. */
	CHECK(co_us(deadline - before) >= 999999);
	CHECK(deadline - after <= deadline - before);
	CHECK(co_us(deadline - after) <= 1000000);
	CHECK_EQ(co_us(0), 0);
}

TEST(far_deadlines_saturate_and_long_spans_do_not_overflow)
{
	uint64_t start = co_now();
	uint64_t second = co_after_us(1000000) - start; /* and what has gone by meanwhile */
	uint64_t year = 365ull * 24 * 3600;
	uint64_t us = co_us(year * second);

	CHECK(co_after_us(UINT64_MAX) == CO_FOREVER);
	CHECK(co_after_us(UINT64_MAX / 2) >= UINT64_MAX / 2); /* not even at 1 MHz does it wrap */
	CHECK(co_after_us(0) < CO_FOREVER);
	/* co_us() rounds down. */
	CHECK(us >= year * co_us(second));
	CHECK(us < year * (co_us(second) + 1));
}

TEST(a_sleep_lasts_at_least_as_long_as_asked_and_one_that_is_over_not_at_all)
{
	uint64_t start = co_now();

	CHECK_EQ(co_sleep_us(0), 0);
	CHECK_EQ(co_sleep_until(0), 0);
	CHECK_EQ(co_sleep_until(start), 0);
	CHECK(co_us(co_now() - start) < 1000000);
	for (uint64_t us = 1; us <= 10000; us *= 10) {
		start = co_now();
		CHECK_EQ(co_sleep_us(us), 0);
		CHECK(co_us(co_now() - start) >= us);
	}
}

TEST(a_loop_of_waits_shares_one_deadline)
{
	CO_CHANNEL(silent, int, 1);
	uint64_t start = co_now(), give_up = co_after_us(3000);
	unsigned waits = 0;
	int x, r;

	do {
		r = co_chan_recv_until(&silent, &x, give_up);
		waits++;
	} while (r != -ETIMEDOUT);
	CHECK_EQ(waits, 1);
	CHECK_EQ(co_chan_recv_until(&silent, &x, give_up), -ETIMEDOUT);
	CHECK(co_us(co_now() - start) >= 3000);
}

static intptr_t sleep_here(void *arg)
{
	uint64_t start = co_now();

	CHECK_EQ(co_sleep_us(2000), 0);
	return (intptr_t)co_us(co_now() - start);
}

TEST(every_hart_has_a_timer)
{
	static struct co *sleeper[512];

	for (unsigned h = 0; h < co_harts(); h++)
		sleeper[h] = test_spawn_on(h, sleep_here, NULL);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK(test_join(sleeper[h]) >= 2000);
}

BODY(clock_of_this_hart, co_now())

TEST(harts_share_the_clock)
{
	/* A reading made on another hart lies between two that were made here. */
	for (unsigned h = 0; h < co_harts(); h++) {
		intptr_t before = (intptr_t)co_now();
		intptr_t there = test_join(test_spawn_on(h, clock_of_this_hart, NULL));

		CHECK(before <= there);
		CHECK(there <= (intptr_t)co_now());
	}
}

TEST(instructions_are_counted)
{
	if (strcmp(co_board(), "host") == 0)
		SKIP("a program may not count instructions: these are cycles");

	uint64_t before = co_instructions();

	for (volatile int i = 0; i < 1000; i++)
		;
	CHECK(co_instructions() - before >= 1000);
}
