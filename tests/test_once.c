/* test_once.c - what is done once, whoever comes first. */
#include "faulty.h"

static struct co_once once;
static unsigned times; /* once orders it */

static void count(void)
{
	co_pause();
	test_sleep_us(200);
	times++;
}

static intptr_t do_once(void *arg)
{
	int r = co_once(&once, count);

	CHECK_EQ(times, 1);
	return r;
}

TEST(it_is_done_once_and_all_see_it)
{
	test_spread(do_once, co_harts() < 32 ? 2 * co_harts() : 64, 0);
	CHECK_EQ(co_once(&once, count), 0);
	CHECK_EQ(times, 1);
}

static struct co_once again;
static int inner;

static void call_again(void)
{
	inner = co_once(&again, call_again);
}

TEST(within_itself_it_is_refused)
{
	CHECK_EQ(co_once(&again, call_again), 0);
	CHECK_EQ(inner, -EDEADLK);
}

static struct co_once broken;
static unsigned tries;

static void fault_at_first(void)
{
	if (++tries == 1)
		faulty(NULL);
}

static intptr_t do_broken(void *arg)
{
	return co_once(&broken, fault_at_first);
}

TEST_FAULTY(after_a_fault_the_next_does_it)
{
	CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, do_broken, NULL), NULL), -EFAULT);
	CHECK_EQ(co_once(&broken, fault_at_first), 0);
	CHECK_EQ(co_once(&broken, fault_at_first), 0);
	CHECK_EQ(tries, 2);
}
