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
	CHECK(co_us(co_now() - start) >= 2000);
	return 0;
}

TEST(every_hart_has_a_timer)
{
	test_spread(sleep_here, co_harts(), 0);
}

enum { WAITERS = 80, WITHIN_US = 20000 }; /* more than a hart has blocks in its scratchpad */

/* Each waits for an event of its own, which is set before the deadline or is not. */
static struct waits_on {
	struct co_event event;
	uint64_t deadline;
	int result;
	unsigned place; /* among those whose wait has ended */
} waits_on[WAITERS];
static unsigned ended;

static intptr_t wait_on(void *arg)
{
	struct waits_on *w = arg;

	w->result = co_event_wait_until(&w->event, w->deadline);
	w->place = ended++; /* all are of one hart */
	CHECK(w->result == 0 || co_now() >= w->deadline);
	return 0;
}

static void check_order(void)
{
	for (unsigned i = 0; i < WAITERS; i++) {
		for (unsigned k = 0; k < i; k++) {
			const struct waits_on *a = &waits_on[i], *b = &waits_on[k];

			if (a->result && b->result && a->deadline != b->deadline)
				CHECK_EQ(a->place < b->place, a->deadline < b->deadline);
		}
	}
}

/* All wait within that time. False: they have not, so that there is no order to be checked. */
static bool wait_in_order(struct test_random *r, uint64_t asleep_us)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_hart()), .stack = CO_STACK_4K };
	uint64_t asleep = co_after_us(asleep_us);
	struct co *c[WAITERS];
	bool in_time;

	ended = 0;
	for (unsigned i = 0; i < WAITERS; i++) {
		co_event_clear(&waits_on[i].event);
		waits_on[i].deadline = co_after_us(asleep_us + test_below(r, WITHIN_US));
		c[i] = test_spawn(&attr, wait_on, &waits_on[i]);
		test_await_sleep(c[i]);
	}
	in_time = co_now() < asleep;
	for (unsigned n = 0; n < WAITERS; n++) { /* waits end in between */
		co_event_set(&waits_on[test_below(r, WAITERS)].event);
		if (test_below(r, 4) == 0)
			test_sleep_us(test_below(r, (uint32_t)asleep_us / 16));
	}
	for (unsigned i = 0; i < WAITERS; i++)
		test_join(c[i]);
	CHECK_EQ(ended, WAITERS);
	if (in_time)
		check_order();
	return in_time;
}

static intptr_t wait_all(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);
	uint64_t asleep_us = WITHIN_US;

	while (!wait_in_order(&r, asleep_us) && CHECK(asleep_us < 20000000))
		asleep_us *= 2;
	return 0;
}

TEST(deadlines_come_in_their_order_whatever_ends_before_them)
{
	for (uintptr_t again = 0; again < 2; again++) {
		for (unsigned h = 0; h<co_harts(); h += co_harts()> 1 ? co_harts() - 1 : 1)
			test_join(test_spawn_on(h, wait_all, (void *)(2 * again + (h > 0))));
	}
}

static struct co_event turn[2];

static intptr_t answer_twice(void *arg)
{
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(co_event_wait(&turn[0]), 0);
		co_event_clear(&turn[0]);
		co_event_set(&turn[1]);
	}
	return 0;
}

/* Wait for an event that a coroutine of the same hart sets, or for one that nobody sets. */
static int wait_us(uint64_t us, bool answered)
{
	uint64_t deadline = co_after_us(us);
	int r;

	co_event_clear(&turn[1]);
	if (answered)
		co_event_set(&turn[0]);
	r = co_event_wait_until(&turn[1], deadline);
	CHECK(r == 0 || co_now() >= deadline);
	return r;
}

static intptr_t wait_again_and_again(void *arg)
{
	struct co *other = test_spawn_on(co_hart(), answer_twice, NULL);
	uint64_t start = co_now();

	CHECK_EQ(wait_us(60000000, true), 0);
	CHECK_EQ(wait_us(2000, false), -ETIMEDOUT); /* earlier than the one before */
	CHECK_EQ(wait_us(30000000, true), 0);
	CHECK_EQ(wait_us(4000, false), -ETIMEDOUT);
	CHECK(co_us(co_now() - start) < 20000000);
	return test_join(other);
}

TEST(a_wait_that_has_ended_leaves_no_deadline_to_the_next)
{
	for (unsigned h = 0; h < 2 && h < co_harts(); h++)
		test_join(test_spawn_on(h, wait_again_and_again, NULL));
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
