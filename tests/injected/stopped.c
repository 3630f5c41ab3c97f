/*
 * stopped.c - an image one of whose harts is stopped from outside, by setting its pc to
 * stand_still(): the last one by a debugger while it runs, or any before it has come up.
 * tests/injected/run does that, and reads what the image says.
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
	co_waypoint("turning");
	while (!co_atomic_load(&enough, CO_RELAXED)) {
		co_atomic_add(&turns, 1, CO_RELAXED);
		co_pause();
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

BODY(where, co_hart())

/* --allow-missing, and one of them has not come up. */
TEST(others_go_on_without_a_hart_that_has_not_come_up)
{
	struct co *c;
	unsigned gone = 0;

	for (unsigned hart = 0; hart < co_harts(); hart++) {
		if (!co_hart_gone(hart))
			continue;
		gone++;
		CHECK_EQ(co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(hart) }, where, NULL),
			 -EHOSTDOWN);
	}
	printf("# %u harts, %u of them gone\n", co_harts(), gone);
	for (int i = 0; i < 20; i++) {
		c = test_spawn(NULL, where, NULL);
		CHECK(!co_hart_gone((unsigned)test_join(c)));
	}
}
