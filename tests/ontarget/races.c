/* races.c - a case that fails in some schedules, and one that fails in none: tests/ontarget/run. */
#include <cohart/cohart.h>
#include <cohart/test.h>

#define TIMES 10

static volatile unsigned counted; /* a window of three instructions: load, add, store */
static struct co_mutex lock;

static void check_count(void)
{
	CO_CHECK_EQ(counted, TIMES * co_harts());
}

static const struct co_test_fixture all_count = { .tear_down = check_count };

CO_TEST_ON_ALL(a_lock_is_missing, .fixture = &all_count)
{
	for (unsigned i = 0; i < TIMES; i++)
		counted = counted + 1;
}

CO_TEST_ON_ALL(a_lock_is_there, .fixture = &all_count)
{
	for (unsigned i = 0; i < TIMES; i++) {
		CO_REQUIRE_EQ(co_mutex_lock(&lock), 0);
		counted = counted + 1;
		co_mutex_unlock(&lock);
	}
}
