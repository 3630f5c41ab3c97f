/* sick.c - what a sanitizer must see (SAN=); --case= chooses. Without one, all of it may pass. */
#include <limits.h>

#include "../harness/test.h"

/* Two harts write one plain word, and nothing orders them. */
static unsigned plain;
static struct co_a32 both_are_here;

static intptr_t write_plain(void *arg)
{
	co_atomic_add(&both_are_here, 1, CO_RELAXED);
	while (co_atomic_load(&both_are_here, CO_RELAXED) < 2)
		test_sleep_us(50);
	plain++;
	return (intptr_t)arg;
}

TEST(race)
{
	struct co *a = test_spawn_on(co_harts() - 1, write_plain, NULL);
	struct co *b = test_spawn_on(co_harts() - 2, write_plain, NULL);

	test_join(a);
	test_join(b);
}

/* One step past an array on a coroutine's stack. */
static intptr_t write_past_the_end(void *arg)
{
	volatile char array[40];
	const volatile unsigned bytes = sizeof(array) + 1; /* so that the compiler does not know */

	for (unsigned i = 0; i < bytes; i++)
		array[i] = (char)(intptr_t)arg;
	return array[7];
}

TEST(overrun)
{
	test_join(test_spawn_on(co_harts() - 1, write_past_the_end, NULL));
}

static intptr_t overflow(void *arg)
{
	volatile int most = INT_MAX;

	return most + (int)(intptr_t)arg > 0;
}

TEST(overflow)
{
	test_join(test_spawn_on(co_harts() - 1, overflow, (void *)1));
}
