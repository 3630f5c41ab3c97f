/* test_timer.c - functions that are called at a time, and what becomes of them. */
#include <cohart/timer.h>

#include "faulty.h"

/* The timer's hart alone has it. */
struct calls {
	unsigned n, most; /* it says at the `most`th that it was the last */
	uint64_t first, last, missed;
	uint64_t takes_us;
};

static bool note_call(void *arg, uint64_t missed)
{
	struct calls *c = arg;

	c->last = co_now();
	if (!c->n++)
		c->first = c->last;
	c->missed += missed;
	if (c->takes_us)
		test_sleep_us(c->takes_us);
	return c->n != c->most;
}

static void wait_for_calls(const struct calls *c, unsigned n)
{
	CHECK(AWAIT(c->n >= n));
}

TEST(without_a_period_it_is_called_once)
{
	struct calls c = { .n = 0 };
	struct co_timer t;
	uint64_t when = co_after_us(300);

	REQUIRE_EQ(co_timer_start(&t, NULL, when, 0, note_call, &c), 0);
	test_sleep_us(50);
	CHECK(c.n == 0 || co_now() >= when);
	wait_for_calls(&c, 1);
	CHECK(c.first >= when);
	test_sleep_us(500);
	CHECK_EQ(c.n, 1);
	CHECK_EQ(co_timer_stop(&t), 0);
}

TEST(calls_are_a_period_apart_and_no_time_is_lost)
{
	struct calls c = { .most = 20, .takes_us = 50 };
	struct co_timer t;
	uint64_t when = co_now(); /* has passed: at once */

	REQUIRE_EQ(co_timer_start(&t, NULL, when, 200, note_call, &c), 0);
	wait_for_calls(&c, 20);
	CHECK(c.last >= when + (19 + c.missed) * co_ticks(200));
	CHECK_EQ(co_timer_stop(&t), 0);
	CHECK_EQ(c.n, 20);
}

TEST(times_that_a_long_call_misses_are_counted)
{
	struct calls c = { .most = 3, .takes_us = 1000 };
	struct co_timer t;

	REQUIRE_EQ(co_timer_start(&t, NULL, co_now(), 300, note_call, &c), 0);
	wait_for_calls(&c, 3);
	CHECK(c.missed >= 2 * 2);
	CHECK_EQ(co_timer_stop(&t), 0);
}

TEST(a_timer_that_is_stopped_is_not_called)
{
	struct calls c = { .n = 0 };
	struct co_timer t;

	for (unsigned i = 0; i < 100; i++) {
		REQUIRE_EQ(co_timer_start(&t, NULL, co_after_us(i * 10), 1, note_call, &c), 0);
		test_sleep_us(500);
		CHECK_EQ(co_timer_stop(&t), 0);
		c.first = c.n;
		test_sleep_us(10);
		CHECK_EQ(c.n, c.first);
	}
	CHECK(c.n > 0);
	REQUIRE_EQ(co_timer_start(&t, NULL, CO_FOREVER, 0, note_call, &c), 0);
	CHECK_EQ(co_timer_stop(&t), 0);
	CHECK_EQ(c.n, c.first);
}

static volatile bool in_call; /* a fault drops no store to it */

static bool hold_long(void *arg, uint64_t missed)
{
	in_call = true;
	if (co_mutex_lock(arg) == 0)
		co_mutex_unlock(arg);
	for (unsigned i = 0; i < 100; i++)
		co_pause();
	in_call = false;
	return true;
}

TEST(a_stop_waits_for_the_call_that_is_under_way)
{
	struct co_mutex m = { 0 };
	struct co_timer t;

	in_call = false;
	REQUIRE_EQ(co_mutex_lock(&m), 0);
	REQUIRE_EQ(co_timer_start(&t, NULL, co_now(), 0, hold_long, &m), 0);
	CHECK(AWAIT(in_call));
	co_mutex_unlock(&m);
	CHECK_EQ(co_timer_stop(&t), 0);
	CHECK(!in_call);
}

static bool fault_in_call(void *arg, uint64_t missed)
{
	in_call = true;
	fault_here();
}

TEST_FAULTY(a_fault_ends_the_timer_alone)
{
	struct co_timer t;

	in_call = false;
	REQUIRE_EQ(co_timer_start(&t, NULL, co_now(), 100, fault_in_call, NULL), 0);
	CHECK(AWAIT(in_call));
	CHECK_EQ(co_timer_stop(&t), -EFAULT);
}

static struct calls of_one; /* joins order it */
static struct co_timer timer[2];

/* Timers on this hart, and an end by one of three ways. */
static intptr_t start_and_end(void *arg)
{
	uintptr_t how = (uintptr_t)arg;
	of_one = (struct calls){ .n = 0 };
	REQUIRE_EQ(co_timer_start(&timer[0], NULL, co_now(), 100, note_call, &of_one), 0);
	REQUIRE_EQ(co_timer_start(&timer[1], NULL, CO_FOREVER, 100, note_call, &of_one), 0);
	wait_for_calls(&of_one, 2);
	if (how == 1)
		co_exit(0);
	if (how == 2)
		fault_here();
	return 0;
}

static void check_end(uintptr_t how, int result)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		unsigned n;

		CHECK_EQ(co_join(test_spawn_on(h, start_and_end, (void *)how), NULL), result);
		n = of_one.n;
		test_sleep_us(300);
		CHECK_EQ(of_one.n, n);
	}
}

TEST_FAULTY(it_ends_with_the_coroutine_that_started_it)
{
	check_end(0, 0);
	check_end(1, 0);
	check_end(2, -EFAULT);
}

static bool wait_for_ever(void *arg, uint64_t missed)
{
	static struct co_event never;
	uint64_t until;

	CHECK_STR(co_name(co_self()), "timer");
	in_call = true;
	CHECK_EQ(co_event_wait(&never), -ECANCELED);
	for (until = co_after_us(2000); co_now() < until;)
		co_pause();
	in_call = false;
	return false;
}

static intptr_t end_in_call(void *arg)
{
	in_call = false;
	REQUIRE_EQ(co_timer_start(timer, NULL, co_now(), 100, wait_for_ever, NULL), 0);
	CHECK(AWAIT(in_call));
	if (arg)
		fault_here();
	return 0;
}

TEST_FAULTY(an_end_cancels_a_call_that_waits)
{
	CHECK_EQ(co_join(test_spawn_on(0, end_in_call, NULL), NULL), 0);
	CHECK(!in_call); /* the call has ended before the coroutine */
	CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, end_in_call, timer), NULL), -EFAULT);
	CHECK(!in_call);
}

static bool note_missed(void *arg, uint64_t missed)
{
	struct calls *c = arg;

	c->n++;
	c->missed += missed;
	return true;
}

TEST(a_call_that_comes_late_has_the_number_of_times_missed)
{
	struct calls c = { .n = 0 };
	struct co_timer t;

	REQUIRE_EQ(co_timer_start(&t, NULL, co_after_us(100), 100, note_missed, &c), 0);
	for (uint64_t end = co_after_us(2000); co_now() < end;)
		continue; /* this hart does nothing else */
	CHECK_EQ(c.n, 0);
	co_pause();
	wait_for_calls(&c, 1);
	CHECK(c.missed >= 18);
	CHECK_EQ(co_timer_stop(&t), 0);
}

static intptr_t end_cancelled(void *arg)
{
	REQUIRE_EQ(co_timer_start(timer, NULL, co_now(), 100, note_call, arg), 0);
	CHECK_EQ(co_sleep_until(CO_FOREVER), -ECANCELED);
	return co_timer_stop(timer);
}

TEST(a_cancelled_coroutine_stops_it)
{
	struct calls c = { .n = 0 };
	struct co *one = test_spawn_on(0, end_cancelled, &c);
	intptr_t r = 1;

	wait_for_calls(&c, 1);
	co_cancel(one);
	CHECK_EQ(co_join(one, &r), 0);
	CHECK_EQ(r, 0);
}

TEST(what_it_cannot_do_is_refused)
{
	struct co_timer t;
	const struct co_attr elsewhere = { .on = CO_ON_HART(co_harts() - 1) };
	const struct co_attr group = { .on = CO_ON_GROUP(0) };
	const struct co_attr no_stack = { .stack = (enum co_stack)99 };

	if (co_harts() > 1)
		CHECK_EQ(co_timer_start(&t, &elsewhere, co_now(), 0, note_call, NULL), -EINVAL);
	CHECK_EQ(co_timer_start(&t, &group, co_now(), 0, note_call, NULL), -EINVAL);
	CHECK_EQ(co_timer_start(&t, &no_stack, co_now(), 0, note_call, NULL), -EINVAL);
}

static intptr_t starts_one_that_runs(void *arg)
{
	return co_timer_start(arg, NULL, CO_FOREVER, 0, note_call, NULL);
}

/* Nor by another coroutine than its own: the timer stays, and is in one list. */
TEST_FAULTY(one_that_runs_is_not_started_again)
{
	static struct co_timer t;
	struct calls c = { .n = 0 };

	REQUIRE_EQ(co_timer_start(&t, NULL, co_after_us(20000), 0, note_call, &c), 0);
	CHECK_EQ(co_join(test_spawn_on(co_hart(), starts_one_that_runs, &t), NULL), -EFAULT);
	wait_for_calls(&c, 1);
	CHECK_EQ(co_timer_stop(&t), 0);
	/* It ends with who starts it. */
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(test_join(test_spawn_on(co_hart(), starts_one_that_runs, &t)), 0);
	CHECK_EQ(c.n, 1);
}
