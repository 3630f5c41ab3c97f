/*
 * test_plan_text.c - what is said of a plan, and which lines of a run are not taken for arrays.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <cohart/plan.h>

#include "harness/test.h"

static struct co_plan_array arrays[CO_PLAN_ARRAYS];
static struct co_plan plan;

/* The first array alone. */
static void plan_one(size_t budget)
{
	plan.array = arrays;
	plan.arrays = 1;
	plan.budget = budget;
	plan.far = plan.near = plan.start = plan.kib = 0;
}

TEST(an_array_in_pieces_is_told_with_their_size)
{
	char line[CO_PLAN_LINE];

	arrays[0] = (struct co_plan_array){
		.name = "flows", .bytes = 1 << 20, .accesses = 1 << 18, .passes = 1
	};
	plan_one(32768);
	REQUIRE_EQ(co_plan_make(&plan), 0);
	CHECK(co_plan_line(&plan, 0, line));
	CHECK(strstr(line, "scratchpad, 2 buffers of 16384") != NULL);
}

TEST(a_plan_that_may_not_be_the_best_says_how_good_it_is)
{
	static const struct {
		uint64_t saved, bound;
		const char *says;
	} plans[] = {
		{ 90, 100, "; 90 % of what is possible, or more" },
		{ 0, 0, "; 100 % of what is possible, or more" },
		{ UINT64_MAX / 2, UINT64_MAX, "; 50 % of what is possible, or more" },
	};
	char line[CO_PLAN_LINE];

	plan_one(32768);
	plan.exact = false;
	for (unsigned i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		plan.saved = plans[i].saved;
		plan.bound = plans[i].bound;
		CHECK(co_plan_line(&plan, 1, line));
		CHECK(strstr(line, plans[i].says) != NULL);
	}
}

TEST(a_machine_on_which_near_is_no_nearer_gains_nothing)
{
	arrays[0] = (struct co_plan_array){ .name = "a", .bytes = 64, .accesses = 1000 };
	plan_one(32768);
	plan.far = plan.near = 3;
	plan.start = plan.kib = 1;
	REQUIRE_EQ(co_plan_make(&plan), 0);
	CHECK_EQ(arrays[0].place, CO_PLAN_MAIN);
	CHECK(plan.saved == 0);
}

TEST(lines_too_long_and_numbers_too_large_are_refused)
{
	static char text[2 * CO_PLAN_LINE];
	unsigned n = 4, bad = 0;

	memset(text, ' ', sizeof(text) - 1);
	CHECK_EQ(co_plan_read(text, arrays, &n, &bad), -EINVAL);
	CHECK_EQ(bad, 1);
	n = 4;
	CHECK_EQ(co_plan_read("array a 1 99999999999999999999999 1", arrays, &n, &bad), -EINVAL);
	n = 4;
	CHECK_EQ(co_plan_read("array", arrays, &n, &bad), -EINVAL);
	n = 4;
	CHECK_EQ(co_plan_read("array ", arrays, &n, &bad), -EINVAL);
}

TEST(prices_are_left_alone_if_one_is_given)
{
	for (unsigned i = 0; i < 5; i++) {
		arrays[0] = (struct co_plan_array){ .name = "a", .bytes = 64, .accesses = 1000 };
		plan_one(32768);
		plan.far = i == 0 ? 7 : 0;
		plan.near = i == 1 ? 7 : 0;
		plan.start = i == 2 ? 7 : 0;
		plan.kib = i == 3 ? 7 : 0;
		REQUIRE_EQ(co_plan_make(&plan), 0);
		CHECK_EQ(plan.far + plan.near + plan.start + plan.kib,
			 i < 4 ? 7 : 278 + 4 + 435 + 44);
	}
}

TEST(arrays_as_good_as_each_other_share_what_there_is)
{
	static const struct co_plan_array same = { .name = "same",
						   .bytes = 4096,
						   .accesses = 100000 };

	for (unsigned room = 0; room <= 3; room++) {
		for (unsigned steps = 0; steps < 2; steps++) {
			unsigned near = 0;

			for (unsigned i = 0; i < 3; i++)
				arrays[i] = same;
			plan_one(room * (same.bytes + 200));
			plan.arrays = 3;
			plan.steps = steps;
			REQUIRE_EQ(co_plan_make(&plan), 0);
			for (unsigned i = 0; i < 3; i++)
				near += arrays[i].place == CO_PLAN_WHOLE;
			CHECK_EQ(near, room);
		}
	}
	plan.steps = 0;
}

TEST(a_budget_beyond_all_scratchpads_is_refused)
{
	plan_one(SIZE_MAX);
	CHECK_EQ(co_plan_make(&plan), -EINVAL);
	plan_one((size_t)UINT32_MAX / 2);
	CHECK_EQ(co_plan_make(&plan), 0);
}
