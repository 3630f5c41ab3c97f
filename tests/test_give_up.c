/*
 * test_give_up.c - a hart that hangs, or does not hear its doorbell, is given up by the watch:
 * joins say so, and nobody is started there. What becomes of what it held, and of its work, is
 * test_lost_stop.c's, test_released.c's and test_parallel_redone.c's.
 *
 * Each run loses three harts for good: it wants five for all cases.
 */
#include "../runtime/core/core.h"
#include "harness/test.h"

#define LIMIT_US 1000000u
#define PATIENCE_US 10000000u

static struct co_a32 halted;

static intptr_t hang(void *arg)
{
	co_atomic_store(&halted, 1, CO_RELEASE); /* paired with test_await() */
	for (;;)
		;
	return 0;
}

static bool ready(void)
{
	return co_harts() > 3 && co_watch_give_up(LIMIT_US) == 0;
}

/* Compute harts that are not lost: the last one. */
static unsigned last_hart(void)
{
	unsigned hart = co_harts() - 1;

	while (hart && co_hart_gone(hart))
		hart--;
	return hart;
}

static intptr_t square(void *arg)
{
	intptr_t n = (intptr_t)arg;

	co_pause();
	return n * n;
}

TEST_FAULTY(joins_on_a_hart_that_is_given_up_say_so)
{
	unsigned hart = last_hart();
	intptr_t result = 77;
	struct co *waits, *keeps, *c;
	uint64_t start;

	if (!ready())
		SKIP("this board has no alarms, or too few harts");
	waits = test_spawn_on(hart, square, (void *)3);
	REQUIRE_EQ(test_join(waits), 9);
	co_atomic_store(&halted, 0, CO_RELAXED); /* spawning publishes it */
	keeps = test_spawn_on(hart, hang, NULL);
	test_await(&halted, 1); /* two that are spawned at once start in any order */
	waits = test_spawn_on(hart, square, (void *)3);
	start = co_now();
	CHECK_EQ(co_join_until(waits, &result, co_after_us(PATIENCE_US)), -EHOSTDOWN);
	CHECK(co_us(co_now() - start) < PATIENCE_US / 2);
	CHECK_EQ(co_join_until(keeps, &result, co_after_us(PATIENCE_US)), -EHOSTDOWN);
	CHECK_EQ(result, 77);
	CHECK(co_hart_gone(hart));
	CHECK_EQ(co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(hart) }, square, NULL),
		 -EHOSTDOWN);
	CHECK_EQ(co_watch_give_up(0), 0);
}

/* As one whose doorbell is broken: it says that it sleeps. */
static intptr_t halt_as_asleep(void *arg)
{
	struct co_hart *h = co_hart_at(co_hart());

	co_pause(); /* takes what was posted before, such as what a loss before has to say */
	while (arg && !co_atomic_load(&h->heartbeat.asked, CO_RELAXED))
		; /* its answer is still pending then, with a deadline or without */
	co_atomic_store(&h->inbox.idle, arg ? CO_IDLE_TIMED : CO_IDLE, CO_SEQ_CST);
	co_atomic_store(&halted, 1, CO_RELEASE);
	hal_cpu_halt();
	return (intptr_t)arg;
}

static void lose_asleep(unsigned hart, void *pending)
{
	uint64_t deadline = co_after_us(PATIENCE_US);
	struct co *c;

	if (!ready() || hart < 2)
		SKIP("this board has no alarms, or too few harts");
	co_atomic_store(&halted, 0, CO_RELAXED);
	c = test_spawn_on(hart, halt_as_asleep, pending);
	/* Without giving way: it is not to be looked at, and asked, in between. */
	while (!pending && !co_atomic_load(&halted, CO_ACQUIRE) && co_now() < deadline)
		;
	test_await(&halted, 1);
	if (!pending) {
		test_sleep_us(2 * LIMIT_US); /* nobody wants anything of it */
		CHECK(!co_hart_silent(hart));
		CHECK(!co_hart_gone(hart));
		co_detach(test_spawn_on(hart, square, NULL));
	}
	CHECK_EQ(co_join_until(c, NULL, co_after_us(PATIENCE_US)), -EHOSTDOWN);
	CHECK(co_hart_silent(hart));
	CHECK(co_hart_gone(hart));
	CHECK_EQ(co_watch_give_up(0), 0);
}

TEST_FAULTY(one_that_sleeps_and_does_not_hear_its_doorbell)
{
	lose_asleep(last_hart(), NULL);
}

TEST_FAULTY(one_that_sleeps_while_its_answer_is_pending)
{
	lose_asleep(last_hart(), &halted);
}

TEST(limits_that_make_no_sense_are_refused)
{
	int fine = co_watch_give_up(0);

	CHECK(fine == 0 || fine == -ENOTSUP);
	CHECK_EQ(co_watch_give_up(1000), fine ? -ENOTSUP : -EINVAL);
}
