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

#define KIND(id, exchange)     \
	TEST(id)               \
	{                      \
		run(exchange); \
	}

KIND(channels, stress_channel)
KIND(mailboxes, stress_mail)
KIND(links, stress_link)
KIND(barriers, stress_barrier)
KIND(locks, stress_lock)
KIND(signals, stress_signal)
KIND(children, stress_children)
