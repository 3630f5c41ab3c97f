/*
 * test_spm_array.c - each hart has its copy from the first touch on, and gives it back.
 *
 * Topologies: 1x(1+3+1)
 */
#include <cohart/spm_array.h>

#include "harness/test.h"

#define N 500

static int32_t table[N];
static struct co_spm_array array;
static struct co *co[512];

static void fill(int32_t seed)
{
	for (int32_t i = 0; i < N; i++)
		table[i] = seed + i * 3;
}

/* The sum of this hart's copy, which is near, and the same at each call. */
static intptr_t sum_near(void *arg)
{
	const int32_t *near = co_spm_array_get(&array);
	intptr_t sum = 0;

	REQUIRE(near);
	CHECK_EQ(co_spm_hart(near), (int)co_hart());
	CHECK(co_spm_array_get(&array) == near);
	for (unsigned i = 0; i < N; i++)
		sum += near[i];
	return sum;
}

BODY(drops, co_spm_array_drop(&array))

TEST(each_hart_has_its_copy_until_it_is_dropped)
{
	size_t before = test_spm_used();

	fill(1);
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	CHECK_EQ(test_spm_used(), before); /* nobody has asked */
	test_spread(sum_near, co_harts(), N + 3 * N * (N - 1) / 2);
	CHECK(test_spm_used() >= before + co_harts() * sizeof(table));
	fill(2);
	test_spread(sum_near, co_harts(), N + 3 * N * (N - 1) / 2); /* the old one */
	co_spm_array_renew(&array);
	test_spread(sum_near, co_harts(), 2 * N + 3 * N * (N - 1) / 2);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, drops, NULL)), 0); /* by any hart */
	CHECK_EQ(test_spm_used(), before);
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	CHECK_EQ(co_spm_array_drop(&array), 0); /* nobody had one */
}

TEST_TIDY(several_coroutines_of_a_hart_ask_at_a_time)
{
	fill(5);
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	for (unsigned i = 0; i < 8; i++)
		co[i] = test_spawn_on(co_harts() - 1, sum_near, NULL);
	test_join_all(co, 8, 5 * N + 3 * N * (N - 1) / 2);
	CHECK_EQ(co_spm_array_drop(&array), 0);
}

static intptr_t asks_and_faults(void *arg)
{
	(void)sum_near(arg);
	co_panic("it is asked to");
}

TEST_FAULTY(a_copy_outlives_who_has_asked_for_it_first)
{
	size_t before = test_spm_used();

	fill(6);
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, asks_and_faults, NULL), NULL), -EFAULT);
	CHECK(test_spm_used() >= before + sizeof(table));
	test_spread(sum_near, co_harts(), 6 * N + 3 * N * (N - 1) / 2);
	CHECK_EQ(co_spm_array_drop(&array), 0);
	CHECK_EQ(test_spm_used(), before);
}

TEST_TIDY(what_cannot_be_is_refused_and_what_has_no_room_is_not_there)
{
	static struct co_spm_array more[CO_SPM_ARRAYS + 1];

	CHECK_EQ(co_spm_array_make(&array, table, 0), -EINVAL);
	CHECK_EQ(co_spm_array_make(&array, (void *)(uintptr_t)16, 8), -EFAULT);
	for (unsigned i = 0; i <= CO_SPM_ARRAYS; i++)
		REQUIRE_EQ(co_spm_array_make(&more[i], table, 64), 0);
	for (unsigned i = 0; i < CO_SPM_ARRAYS; i++)
		CHECK(co_spm_array_get(&more[i]) != NULL);
	CHECK(co_spm_array_get(&more[CO_SPM_ARRAYS]) == NULL);
	for (unsigned i = 0; i <= CO_SPM_ARRAYS; i++)
		CHECK_EQ(co_spm_array_drop(&more[i]), 0);
}

TEST_TIDY(an_array_larger_than_a_scratchpad_stays_where_it_is)
{
	void *much = malloc(co_spm_bytes() + 64);

	REQUIRE(much);
	REQUIRE_EQ(co_spm_array_make(&array, much, co_spm_bytes() + 64), 0);
	CHECK(co_spm_array_get(&array) == NULL);
	CHECK_EQ(co_spm_array_drop(&array), 0);
	free(much);
}

static intptr_t first_near(void *arg)
{
	const int32_t *near = co_spm_array_get(arg);

	REQUIRE(near);
	return *near;
}

/* As the array on a stack that a fault has ended: nobody has dropped it. */
TEST(an_array_that_is_made_where_another_was_has_copies_of_its_own)
{
	static int32_t other[2 * N];
	unsigned hart = co_harts() - 1;

	fill(1);
	other[0] = 77;
	array = (struct co_spm_array){ 0 };
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	CHECK_EQ(test_join(test_spawn_on(hart, first_near, &array)), 1);
	array = (struct co_spm_array){ 0 };
	table[0] = 2;
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	CHECK_EQ(test_join(test_spawn_on(hart, first_near, &array)), 2);
	array = (struct co_spm_array){ 0 };
	REQUIRE_EQ(co_spm_array_make(&array, other, sizeof(other)), 0);
	CHECK_EQ(test_join(test_spawn_on(hart, first_near, &array)), 77);
	CHECK_EQ(co_spm_array_drop(&array), 0);
}
