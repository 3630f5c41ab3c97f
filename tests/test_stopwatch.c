/*
 * test_stopwatch.c - parts of a program are counted by name, on every hart.
 *
 * Options: --coroutines=64
 */
#include <cohart/parallel.h>
#include "stay.h"

static int timed(void *arg, struct co_part *part)
{
	for (long i = part->from[0]; i < part->to[0]; i++) {
		CO_STOPWATCH("inner");
		if (arg && i == 3)
			return -EDOM; /* leaves the block, too */
	}
	return 0;
}

TEST(b9_calls_of_all_harts_are_added_up)
{
	static struct co_parallel loop;
	struct co_stopwatch_sum s;

	co_stopwatch_reset();
	loop = LOOP(timed, 100, .name = "outer");
	CHECK(co_parallel_for_timed(&loop) == 0);
	CHECK(co_parallel_for_timed(&loop) == 0);
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
	CHECK(co_parallel_for_timed(&loop) == -EDOM);
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

#define HARTS 8
#define NAMES 20
static char names[HARTS][NAMES + 1][16]; /* the last one of each is empty */

static intptr_t times_names(void *arg)
{
	for (char(*name)[16] = arg; **name; name++)
		co_stopwatch_stop(*name, co_now());
	return 0;
}

/* So many names on each of so many harts, none twice. Returns how many have a row of their own. */
static unsigned rows_of_names(unsigned harts, unsigned each)
{
	struct co_stopwatch_sum s;
	unsigned rows = 0;

	co_stopwatch_reset();
	memset(names, 0, sizeof(names));
	for (unsigned i = 0; i < harts * each; i++)
		snprintf(names[i / each][i % each], 16, "%u-%u", i / each, i % each);
	for (unsigned h = 0; h < harts; h++)
		CHECK_EQ(test_join(test_spawn_on(h, times_names, names[h])), 0);
	for (unsigned i = 0; i < harts * each; i++) {
		if (co_stopwatch_read(names[i / each][i % each], &s))
			continue;
		CHECK_EQ(s.calls, 1);
		rows++;
	}
	CHECK_EQ(co_stopwatch_read("others", &s), 0);
	CHECK_EQ(s.calls, harts * each - rows);
	co_stopwatch_reset();
	return rows;
}

TEST(names_of_all_harts_beyond_the_most_are_others_too)
{
	unsigned harts = co_harts() < HARTS ? co_harts() : HARTS;
	unsigned rows = rows_of_names(harts, NAMES);

	CHECK(rows == harts * (CO_STOPWATCH_NAMES - 1) || rows == 2 * CO_STOPWATCH_NAMES - 2 ||
	      rows == 2 * CO_STOPWATCH_NAMES - 1);
}

/* So few on a hart that none of it counts as others, and so many in all that the table is full. */
TEST(the_last_row_of_a_full_table_is_for_others)
{
	if (co_harts() < 3)
		SKIP("it takes names of three harts");
	CHECK_EQ(rows_of_names(3, 12), 2 * CO_STOPWATCH_NAMES - 1);
}

static intptr_t times_one(void *arg)
{
	co_stopwatch_stop("one", co_now());
	return (intptr_t)arg;
}

TEST(a_hart_that_cannot_be_asked_is_left_out)
{
	static struct co_batch crowd;
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1) };
	struct co_stopwatch_sum s;

	co_stopwatch_reset();
	for (unsigned h = 0; h < co_harts(); h++)
		test_join(test_spawn_on(h, times_one, NULL));
	CHECK_EQ(co_stopwatch_read("one", &s), 0);
	CHECK_EQ(s.calls, co_harts());
	if (co_harts() == 1)
		SKIP("a hart asks itself at any time");
	hold();
	while (co_batch_spawn(&crowd, &attr, stay, NULL, NULL) == 0)
		;
	CHECK_EQ(co_stopwatch_read("one", &s), 0);
	CHECK_EQ(s.calls, co_harts() - 1);
	co_stopwatch_print(); /* and that says so */
	let_go();
	CHECK_EQ(co_batch_join(&crowd), 0);
	CHECK_EQ(co_stopwatch_read("one", &s), 0);
	CHECK_EQ(s.calls, co_harts());
	co_stopwatch_reset();
}
