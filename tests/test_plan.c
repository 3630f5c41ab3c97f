/*
 * test_plan.c - what is planned for scratchpads is the best there is, and never more than fits.
 */
#include <stdio.h>
#include <string.h>

#include <cohart/plan.h>

#include "harness/test.h"

#define MOST 7

static struct co_plan plan;
static struct co_plan_array arrays[CO_PLAN_ARRAYS];

static void plan_of(unsigned n, size_t budget)
{
	plan.array = arrays;
	plan.arrays = n;
	plan.budget = budget;
	plan.steps = 0;
	plan.far = plan.near = plan.start = plan.kib = 0;
}

/* What a choice saves by the header's words, as it was before: by itself. 0: k is no choice. */
static uint64_t saves(const struct co_plan_array *a, unsigned k, size_t *taken)
{
	uint64_t gain = a->accesses * (278 - 4);
	uint64_t cost = 2 * 435 + 2 * (uint64_t)a->bytes * 44 / 1024;

	*taken = 0;
	if (k == 0)
		return 0;
	*taken = a->bytes;
	if (k > 1) {
		size_t b = a->buffer[k - 2];

		*taken = 2 * b;
		if (!a->passes || !b || b >= a->bytes)
			return 0;
		cost = a->passes * (uint64_t)((a->bytes - 1) / b + 1) * 435 +
		       a->passes * (uint64_t)a->bytes * 44 / 1024;
	}
	return gain > cost ? gain - cost : 0;
}

/* The most that any combination saves. */
static uint64_t try_all(unsigned n, size_t budget)
{
	unsigned k[MOST] = { 0 };
	uint64_t best = 0;

	for (;;) {
		uint64_t saved = 0;
		size_t taken = 0;
		unsigned i = 0;

		for (unsigned a = 0; a < n; a++) {
			size_t one;

			saved += saves(&arrays[a], k[a], &one);
			taken += one;
		}
		if (taken <= budget && saved > best)
			best = saved;
		while (i < n && ++k[i] == 2 + 3)
			k[i++] = 0;
		if (i == n)
			return best;
	}
}

static void draw(struct test_random *r, unsigned n)
{
	memset(arrays, 0, sizeof(arrays));
	for (unsigned i = 0; i < n; i++) {
		struct co_plan_array *a = &arrays[i];

		snprintf(a->name, sizeof(a->name), "array%u", i);
		a->bytes = 1 + test_below(r, 60000);
		a->accesses = test_below(r, 2) ? test_below(r, 200000) : test_below(r, 300);
		a->passes = test_below(r, 4);
		for (unsigned k = 0; k < 3; k++)
			a->buffer[k] = 64 + test_below(r, 9000);
	}
}

TEST(no_combination_saves_more)
{
	struct test_random r = test_random(1);

	for (unsigned round = 0; round < 30; round++) {
		unsigned n = 1 + test_below(&r, MOST - 2);
		size_t budget = test_below(&r, 120000);

		draw(&r, n);
		plan_of(n, budget);
		REQUIRE_EQ(co_plan_make(&plan), 0);
		CHECK(plan.exact);
		CHECK(plan.taken <= budget);
		CHECK(plan.saved == try_all(n, budget));
		CHECK(plan.bound == plan.saved);
	}
}

TEST(the_sums_are_those_of_the_arrays)
{
	struct test_random r = test_random(2);
	size_t taken = 0;
	uint64_t saved = 0;

	draw(&r, 6);
	plan_of(6, 50000);
	REQUIRE_EQ(co_plan_make(&plan), 0);
	for (unsigned i = 0; i < 6; i++) {
		const struct co_plan_array *a = &arrays[i];

		taken += a->taken;
		saved += a->saved;
		CHECK_EQ(a->taken, a->place == CO_PLAN_WHOLE      ? a->bytes
				   : a->place == CO_PLAN_BUFFERED ? 2 * a->chosen
								  : 0);
	}
	CHECK_EQ(taken, plan.taken);
	CHECK(saved == plan.saved);
}

TEST(what_takes_too_many_steps_is_good_and_says_how_good)
{
	struct test_random r = test_random(3);
	uint64_t goods = 0, bounds = 0;

	for (unsigned round = 0; round < 20; round++) {
		uint64_t good, bound;

		draw(&r, CO_PLAN_ARRAYS);
		plan_of(CO_PLAN_ARRAYS, 100000);
		plan.steps = 1;
		REQUIRE_EQ(co_plan_make(&plan), 0);
		CHECK(plan.taken <= plan.budget);
		CHECK(!plan.exact || plan.bound == plan.saved);
		CHECK(plan.saved <= plan.bound);
		good = plan.saved;
		bound = plan.bound;
		plan.steps = 1000000;
		REQUIRE_EQ(co_plan_make(&plan), 0);
		CHECK(plan.saved >= good && plan.saved <= bound);
		goods += good;
		bounds += bound;
	}
	CHECK(goods * 10 >
	      bounds * 8); /* the steps that fit are most of it, one round with another */
}

TEST(arrays_that_jump_are_not_buffered_and_small_use_does_not_pay)
{
	plan_of(3, 32768);
	arrays[0] = (struct co_plan_array){ .name = "jumps", .bytes = 100000, .accesses = 1 << 20 };
	arrays[1] = (struct co_plan_array){ .name = "once", .bytes = 4096, .accesses = 2 };
	arrays[2] = (struct co_plan_array){
		.name = "flows", .bytes = 1 << 20, .accesses = 1 << 18, .passes = 1
	};
	REQUIRE_EQ(co_plan_make(&plan), 0);
	CHECK_EQ(arrays[0].place, CO_PLAN_MAIN);
	CHECK_EQ(arrays[1].place, CO_PLAN_MAIN);
	CHECK_EQ(arrays[2].place, CO_PLAN_BUFFERED);
	CHECK_EQ(arrays[2].chosen, 16384); /* the largest there is room for */
}

TEST(where_main_memory_is_as_near_as_scratchpad_nothing_pays)
{
	plan_of(1, 1000);
	arrays[0] = (struct co_plan_array){ .bytes = 100, .accesses = 1000000 };
	for (unsigned i = 0; i < 2; i++) {
		plan.start = i == 0; /* the figures are the caller's then */
		plan.kib = i == 1;
		CHECK_EQ(co_plan_make(&plan), 0);
		CHECK_EQ(plan.saved, 0);
		CHECK_EQ(plan.taken, 0);
	}
	plan.kib = 0;
	CHECK_EQ(co_plan_make(&plan), 0);
	CHECK(plan.saved > 0);
	for (unsigned i = 0; i < 3; i++) { /* nor does it where there is nothing */
		plan_of(0, 1000);
		plan.far = i == 0;
		plan.start = i == 1;
		CHECK_EQ(co_plan_make(&plan), 0);
		CHECK_EQ(plan.saved, 0);
	}
}

/* Whole, and in two buffers of half: what is in once is in sooner, unless it is read but once. */
TEST(of_two_ways_that_take_the_same_the_better_is_taken)
{
	for (size_t bytes = 1024; bytes <= 4096; bytes *= 2) {
		for (unsigned passes = 1; passes <= 3; passes += 2) {
			size_t taken;

			plan_of(1, bytes);
			arrays[0] = (struct co_plan_array){ .name = "both",
							    .bytes = bytes,
							    .accesses = 1u << 20,
							    .passes = passes,
							    .buffer = { 64, bytes / 2, 128 } };
			REQUIRE_EQ(co_plan_make(&plan), 0);
			CHECK_EQ(arrays[0].taken, bytes);
			CHECK_EQ(arrays[0].place, passes == 1 ? CO_PLAN_BUFFERED : CO_PLAN_WHOLE);
			CHECK(plan.saved == saves(&arrays[0], passes == 1 ? 3 : 1, &taken));
		}
	}
}

/* Counts that are too large for 64 bits of cycles are as good as endless, and no less. */
TEST(more_accesses_are_never_worth_less)
{
	for (unsigned shift = 40; shift < 64; shift++) {
		plan_of(2, 10000);
		arrays[0] = (struct co_plan_array){ .name = "few",
						    .bytes = 8192,
						    .accesses = 1u << 20 };
		arrays[1] = (struct co_plan_array){ .name = "many",
						    .bytes = 8192,
						    .accesses = (uint64_t)1 << shift };
		REQUIRE_EQ(co_plan_make(&plan), 0);
		CHECK_EQ(arrays[0].place, CO_PLAN_MAIN);
		CHECK_EQ(arrays[1].place, CO_PLAN_WHOLE);
	}
	plan_of(CO_PLAN_ARRAYS, 100 * CO_PLAN_ARRAYS);
	for (unsigned i = 0; i < CO_PLAN_ARRAYS; i++)
		arrays[i] = (struct co_plan_array){ .bytes = 100,
						    .accesses = UINT64_MAX,
						    .passes = UINT32_MAX };
	REQUIRE_EQ(co_plan_make(&plan), 0);
	CHECK_EQ(plan.taken, 100 * CO_PLAN_ARRAYS);
	CHECK(plan.saved >= UINT64_MAX / 2);
}

TEST(a_report_can_be_read)
{
	char line[CO_PLAN_LINE];

	plan_of(2, 10000);
	arrays[0] = (struct co_plan_array){ .name = "table", .bytes = 8192, .accesses = 1000 };
	arrays[1] = (struct co_plan_array){ .name = "rest", .bytes = 90000, .accesses = 1000 };
	REQUIRE_EQ(co_plan_make(&plan), 0);
	CHECK(co_plan_line(&plan, 0, line));
	CHECK_STR(line, "table                 8192 bytes  scratchpad, whole                8192 "
			"bytes        272426 cycles saved");
	CHECK(co_plan_line(&plan, 1, line));
	CHECK(strstr(line, "main memory") != NULL);
	CHECK(co_plan_line(&plan, 2, line));
	CHECK_STR(line, "in all: 8192 of 10000 bytes, 272426 cycles saved; nothing saves more");
	CHECK(!co_plan_line(&plan, 3, line));
}

TEST(lines_are_read_and_wrong_ones_named)
{
	unsigned n = 4, bad = 0;

	CHECK_EQ(co_plan_read("# from a run\narray a 100 2000 0\n\n  \narray\tbig 70000 5 3 # x\n",
			      arrays, &n, &bad),
		 0);
	CHECK_EQ(n, 2);
	CHECK_STR(arrays[1].name, "big");
	CHECK_EQ(arrays[1].bytes, 70000);
	CHECK_EQ(arrays[1].accesses, 5);
	CHECK_EQ(arrays[1].passes, 3);
	static const char *const wrong[] = {
		"array a 100 2000",
		"arrays a 1 1 1",
		"array a 0 1 1",
		"array a 1 1 1 1",
		"array a -1 1 1",
		"array a x 1 1",
		"x",
		"array a 1 1 99999999999",
		"array an-uncommonly-long-name-for-an-array 1 1 1",
	};
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char text[100];

		snprintf(text, sizeof(text), "array a 1 1 1\n%s", wrong[i]);
		n = 4;
		CHECK_EQ(co_plan_read(text, arrays, &n, &bad), -EINVAL);
		CHECK_EQ(bad, 2);
	}
	n = 1;
	CHECK_EQ(co_plan_read("array a 1 1 1\narray b 1 1 1", arrays, &n, &bad), -ENOSPC);
}

TEST(what_makes_no_sense_is_refused)
{
	plan_of(CO_PLAN_ARRAYS + 1, 100);
	CHECK_EQ(co_plan_make(&plan), -EINVAL);
	plan_of(1, 100);
	arrays[0] = (struct co_plan_array){ .accesses = 5 };
	CHECK_EQ(co_plan_make(&plan), -EINVAL);
	plan_of(0, 100);
	CHECK_EQ(co_plan_make(&plan), 0);
	CHECK_EQ(plan.taken, 0);
}
