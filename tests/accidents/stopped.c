/*
 * stopped.c - an image whose last hart is stopped from outside: by a debugger that sets its pc to
 * stand_still(). tests/accidents/run does that, and reads what the image says.
 */
#include "../harness/test.h"

#define PATIENCE_US 20000000

void stand_still(void);

void stand_still(void)
{
	for (;;)
		;
}

static struct co_a32 turns, enough;

static intptr_t turn(void *arg)
{
	(void)arg;
	co_waypoint("turning");
	while (!co_atomic_load(&enough, CO_RELAXED)) {
		co_atomic_add(&turns, 1, CO_RELAXED);
		co_yield();
	}
	return 0;
}

/* Never called, and kept: the debugger looks for it. */
static void (*const volatile place)(void) = stand_still;

TEST(a_hart_that_is_stopped_from_outside_is_named)
{
	unsigned hart = co_harts() - 1;
	struct co *c = test_spawn_on(hart, turn, NULL);
	uint64_t give_up = co_after_us(PATIENCE_US);
	uint32_t last = 0;
	uint64_t since = co_now();

	REQUIRE(place);
	REQUIRE(test_await(&turns, 1));
	printf("# turning\n");
	while (!co_hart_silent(hart) && co_now() < give_up) {
		if (co_atomic_load(&turns, CO_RELAXED) != last)
			since = co_now();
		last = co_atomic_load(&turns, CO_RELAXED);
		CHECK_EQ(co_sleep_us(1000), 0);
	}
	CHECK(co_hart_silent(hart));
	printf("# silent %llu ms after its last turn\n",
	       (unsigned long long)(co_us(co_now() - since) / 1000));
	CHECK(co_us(co_now() - since) < 1000000);
	co_detach(c);
}
