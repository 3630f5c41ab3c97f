/* test_stress.c - exchanges of each kind of tests/stress: nothing lost, doubled, torn, swapped. */
#include "harness/test.h"
#include "stress/stress.h"

enum { EXCHANGES = 40, MESSAGES = 5000 };

static void run(void (*exchange)(struct stress_exchange *l))
{
	static struct stress_exchange one;
	struct test_random r = test_random(0);

	for (unsigned i = 0; i < EXCHANGES; i++) {
		memset(&one, 0, sizeof(one));
		one.random.state = test_next(&r);
		one.workers_max = 5 * co_harts() + 60;
		one.messages = stress_size(&one.random, MESSAGES);
		exchange(&one);
		stress_settle(&one);
		if (!CHECK(!stress_failed()))
			printf("# %s\n", one.plan);
	}
}

TEST(channels)
{
	run(stress_channel);
}

TEST(mailboxes)
{
	run(stress_mail);
}

TEST(links)
{
	run(stress_link);
}

TEST(barriers)
{
	run(stress_barrier);
}

TEST(locks)
{
	run(stress_lock);
}

TEST(signals)
{
	run(stress_signal);
}

TEST(children)
{
	run(stress_children);
}
