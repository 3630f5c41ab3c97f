/* fail.c - cases that fail in every way there is. The cases between show that the others go on. */
#include "../harness/test.h"

static intptr_t wrong(void *arg)
{
	CHECK_EQ(6 * 9, 42);
	return 0;
}

static intptr_t leaves(void *arg)
{
	REQUIRE(!"a coroutine is left here");
	return 0;
}

TEST(check_goes_on)
{
	CHECK(1 > 2);
	CHECK_STR("apple", "pear");
}

TEST(passes_between)
{
	CHECK(true);
}

TEST(a_coroutine_of_another_hart_fails_the_case)
{
	test_join(test_spawn_on(co_harts() - 1, wrong, NULL));
}

TEST(require_leaves_the_case)
{
	REQUIRE_EQ(2, 3);
	printf("# this line must not be seen\n");
}

TEST(require_leaves_a_coroutine)
{
	intptr_t result = test_join(test_spawn_on(co_harts() - 1, leaves, NULL));

	printf("# the coroutine was %s\n", result == TEST_LEFT ? "left" : "not left");
}

TEST(a_flood_of_failures_is_cut_short)
{
	for (int i = 0; i < 1000; i++)
		CHECK_EQ(i, -1);
}

TEST(passes_at_the_end)
{
	CHECK(true);
}
