/* cases.c - cases of each kind, all of which pass or are skipped: tests/ontarget/run. */
#include <stdlib.h>
#include <string.h>

#include <memory.h>

#include <cohart/cohart.h>
#include <cohart/test.h>

static unsigned begun, ended, set_up, torn_down;
static struct co_a32 on_harts;

static void begin(void)
{
	begun++;
}

static void end(void)
{
	CO_CHECK_EQ(set_up, torn_down);
	ended++;
}

static void prepare(void)
{
	set_up++;
}

static void clear(void)
{
	torn_down++;
}

static void prepare_hart(void)
{
	co_atomic_add(&on_harts, 1, CO_RELAXED);
}

static const struct co_test_fixture counted = { .begin = begin,
						.end = end,
						.set_up = prepare,
						.tear_down = clear,
						.set_up_hart = prepare_hart };

static const char *never(void)
{
	return "not on this machine";
}

CO_TEST(values_are_compared, .tags = "quick values")
{
	const unsigned long long most = ~0ull;
	void *nothing = NULL;
	const signed char small = -3;
	enum { FIVE = 5 } five = FIVE;

	CO_CHECK_EQ(most, UINT64_MAX);
	CO_CHECK_EQ(nothing, NULL);
	CO_CHECK_EQ(small, -3);
	CO_CHECK_EQ(five, 5u);
	CO_CHECK_EQ(true, 1);
	CO_CHECK_EQ('a', 97L);
	CO_CHECK_STR("pear", "pear");
	CO_CHECK_MEM("pears", "pearl", 4);
	CO_REQUIRE(most > 5);
	CO_REQUIRE_STR("a", "a");
}

CO_TEST(a_fixture_is_set_up, .fixture = &counted)
{
	CO_REQUIRE_EQ(begun, 1);
	CO_CHECK_EQ(ended, 0);
	CO_CHECK_EQ(set_up, 1);
	CO_CHECK_EQ(torn_down, 0);
	CO_CHECK_EQ(co_atomic_load(&on_harts, CO_RELAXED), co_harts());
}

CO_TEST(again_for_the_next_case, .fixture = &counted)
{
	CO_CHECK_EQ(begun, 1);
	CO_CHECK_EQ(set_up, 2);
	CO_CHECK_EQ(torn_down, 1);
}

CO_TEST(and_torn_down)
{
	CO_CHECK_EQ(ended, 1);
	CO_CHECK_EQ(torn_down, 2);
}

static struct co_a32 arrived;

CO_TEST_ON_ALL(every_hart_runs_it)
{
	co_atomic_add(&arrived, 1, CO_RELEASE);
	for (uint64_t until = co_after_us(20000000);
	     co_atomic_load(&arrived, CO_ACQUIRE) < co_harts() && co_now() < until;)
		CO_REQUIRE_EQ(co_sleep_us(50), 0);
	CO_CHECK_EQ(co_atomic_load(&arrived, CO_ACQUIRE), co_harts());
}

static const struct sum {
	int a, b, sum;
} sums[] = { { 1, 2, 3 }, { -1, 1, 0 }, { 7, -9, -2 } };

static volatile int seen;

CO_TEST_EACH(sums_of_a_table, row, sums, .tags = "values")
{
	/* What coverage says of branches: the first loop goes on and ends, the second ends. */
	for (int i = row->a; i < row->b; i++)
		seen = i;
	for (int i = row->sum; i > 100; i--)
		seen = i;
	CO_CHECK_EQ(row->a + row->b, row->sum);
}

CO_TEST_RANDOM(numbers_repeat)
{
	struct co_test_random other = co_test_random(0);

	CO_CHECK_EQ(co_test_next(random), co_test_next(&other));
	CO_CHECK(co_test_below(random, 6) < 6);
}

CO_TEST(skipped_by_a_function, .skip_if = never)
{
	CO_CHECK(false);
}

CO_TEST(skipped_by_itself)
{
	co_test_skip("there is no such device");
}

CO_TEST(needs_more_harts_than_there_are, .harts = 100000)
{
	CO_CHECK(false);
}

CO_TEST(needs_seven_harts, .harts = 7)
{
	CO_CHECK(co_harts() >= 7);
}

static void twice(void (*run)(void))
{
	run();
	run();
}

CO_TEST(runs_around, .around = twice)
{
	static unsigned n;

	CO_CHECK(++n <= 2);
}

CO_TEST(a_panic_is_expected, .expects = CO_TEST_PANICS)
{
	co_panic("as it should");
}

CO_TEST(an_exit_is_expected, .expects = CO_TEST_EXITS(124))
{
	exit(124); /* as qemu/run ends a run that takes too long */
}

CO_TEST(a_deadlock_is_expected, .expects = CO_TEST_DEADLOCKS)
{
	CO_CHANNEL(nobody_sends, int, 1);
	int x;

	CO_CHECK_EQ(co_chan_recv(&nobody_sends, &x), 0);
}

static const char *on_a_pc(void)
{
	return strcmp(BOARD_NAME, "host") == 0 ? "_Exit() is the PC's" : NULL;
}

CO_TEST(an_exit_without_handlers_is_expected, .skip_if = on_a_pc, .expects = CO_TEST_EXITS(1))
{
	printf("deadlock: no\n");
	_Exit(1);
}

CO_TEST(skipped_for_no_reason)
{
	co_test_skip(NULL);
}

CO_TEST(skipped_for_a_reason_of_two_lines)
{
	co_test_skip("it has\ntwo lines");
}

CO_TEST(takes_long, .by_name = 1)
{
}

CO_TEST(has_a_limit_of_its_own, .timeout_s = 30)
{
}
