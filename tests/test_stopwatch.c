/*
 * test_stopwatch.c - parts of a program are counted by name, on every hart.
 */
#include <errno.h>

#include "harness/test.h"

static int timed(void *arg, struct co_part *part)
{
	for (long i = part->from[0]; i < part->to[0]; i++) {
		CO_STOPWATCH("inner");
		if (arg && i == 3)
			return -EDOM; /* leaves the block, too */
	}
	return 0;
}

TEST(calls_of_all_harts_are_added_up)
{
	static struct co_parallel loop;
	struct co_stopwatch_sum s;

	co_stopwatch_reset();
	loop = (struct co_parallel){
		.name = "outer", .body = timed, .dims = 1, .range = { { 0, 100, 1 } }
	};
	CHECK(co_stopwatch_for(&loop) == 0);
	CHECK(co_stopwatch_for(&loop) == 0);
	CHECK(co_stopwatch_read("inner", &s) == 0);
	CHECK(s.calls == 200);
	CHECK(s.harts >= 1 && s.harts <= co_harts());
	CHECK(s.least <= s.most && s.total >= s.most && s.total <= s.calls * s.most);
	CHECK(co_stopwatch_read("outer", &s) == 0);
	CHECK(s.calls == 2 && s.harts == 1);
}

TEST(a_block_that_is_left_early_is_counted)
{
	static struct co_parallel loop;
	struct co_stopwatch_sum s;

	co_stopwatch_reset();
	loop = (struct co_parallel){
		.body = timed, .arg = &loop, .dims = 1, .range = { { 3, 4, 1 } }
	};
	CHECK(co_stopwatch_for(&loop) == -EDOM);
	CHECK(co_stopwatch_read("inner", &s) == 0);
	CHECK(s.calls == 1);
}

TEST(a_span_is_as_long_as_it_was)
{
	struct co_stopwatch_sum s;
	uint64_t since;

	co_stopwatch_reset();
	for (int i = 1; i <= 2; i++) {
		since = co_stopwatch_start("sleep");
		CHECK(co_sleep_us(1000 * (uint64_t)i) == 0);
		co_stopwatch_stop("sleep", since);
	}
	CHECK(co_stopwatch_read("sleep", &s) == 0);
	CHECK(s.calls == 2 && co_us(s.least) >= 1000 && co_us(s.most) >= 2000);
	CHECK(co_us(s.total) >= 3000);
}

TEST(names_beyond_the_most_are_others)
{
	static char name[CO_STOPWATCH_NAMES + 3][4];
	struct co_stopwatch_sum s;

	co_stopwatch_reset();
	for (unsigned i = 0; i < CO_STOPWATCH_NAMES + 3; i++) {
		name[i][0] = (char)('a' + i);
		co_stopwatch_stop(name[i], co_now());
	}
	CHECK(co_stopwatch_read("a", &s) == 0);
	CHECK(s.calls == 1);
	CHECK(co_stopwatch_read("others", &s) == 0);
	CHECK(s.calls == 4);
	co_stopwatch_reset();
	CHECK(co_stopwatch_read("a", &s) == -ENOENT);
	CHECK(s.calls == 4);
}
