/* test_counter.c - waiting until nothing is under way. */
#include "harness/test.h"

static struct co_counter counter;
static struct co_a32 waiting;

TEST(a_wait_times_out_while_something_is_left)
{
	struct co_counter c = { 0 };

	CHECK_EQ(co_counter_wait(&c), 0); /* nothing is */
	CHECK_EQ(co_counter_wait_until(&c, 0), 0);
	co_counter_add(&c, 2);
	CHECK_EQ(co_counter_wait_until(&c, 0), -ETIMEDOUT);
	co_counter_done(&c);
	CHECK_EQ(co_counter_wait_until(&c, co_after_us(300)), -ETIMEDOUT);
	co_counter_done(&c);
	CHECK_EQ(co_counter_wait(&c), 0);
}

TEST(half_a_million_and_more_can_be_under_way)
{
	const uint32_t n = 600000;
	struct co_counter c = { 0 };

	co_counter_add(&c, n);
	co_counter_add(&c, 1);
	CHECK_EQ(co_counter_wait_until(&c, 0), -ETIMEDOUT);
	for (uint32_t i = 0; i < n + 1; i++)
		co_counter_done(&c);
	CHECK_EQ(co_counter_wait(&c), 0);
}

static intptr_t done_later(void *arg)
{
	test_sleep_us((uint64_t)(intptr_t)arg);
	co_counter_done(&counter);
	return 0;
}

TEST(the_last_one_ends_the_wait)
{
	static struct co *c[512];
	const unsigned n = co_harts();

	co_counter_add(&counter, n);
	for (unsigned h = 0; h < n; h++)
		c[h] = test_spawn_on(h, done_later, (void *)(intptr_t)(h % 7 * 100));
	CHECK_EQ(co_counter_wait(&counter), 0);
	for (unsigned h = 0; h < n; h++)
		test_join(c[h]);
}

static intptr_t waits_too(void *arg)
{
	co_atomic_add(&waiting, 1, CO_RELEASE); /* paired with test_await() */
	return co_counter_wait(&counter);
}

TEST(all_waiters_are_released)
{
	static struct co *c[16];

	co_counter_add(&counter, 1);
	co_atomic_store(&waiting, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < 16; i++)
		c[i] = test_spawn_on(i % co_harts(), waits_too, NULL);
	test_await(&waiting, 16);
	co_counter_done(&counter);
	test_join_all(c, 16, 0);
}

/* A counter may be given to another use as soon as a wait for it has returned 0. */
static struct co_counter *handed_out;

static intptr_t finish_one(void *arg)
{
	co_counter_done(handed_out);
	return 0;
}

TEST(its_memory_is_free_after_the_wait)
{
	for (unsigned i = 0; i < 300; i++) {
		/* Poison in place of a counter: whoever touches it too late goes astray. */
		static struct co_counter c;

		c = (struct co_counter){ 0 };
		handed_out = &c;
		co_counter_add(&c, 1);
		struct co *worker = test_spawn_on(i % co_harts(), finish_one, NULL);

		/* Looking again and again meets the doer in the middle more often than sleeping. */
		if (i % 4)
			while (co_counter_wait_until(&c, 0) == -ETIMEDOUT)
				;
		else
			REQUIRE_EQ(co_counter_wait(&c), 0);
		c.state.v = UINT32_MAX;
		c.queue.first.v = UINTPTR_MAX - 1;
		test_join(worker);
		CHECK_EQ(c.state.v, UINT32_MAX);
		CHECK_EQ(c.queue.first.v, UINTPTR_MAX - 1);
	}
}

/*
 * Somebody may start something new as soon as nothing is under way, while others are still on their
 * way out of their waits: these must not be caught by it in a state in which they hold their hart.
 */
enum { REUSES = 400 };

static struct co_a32 rounds; /* how often the doer shall be done, all in all */

static intptr_t done_each_round(void *arg)
{
	for (uint32_t i = 0; i < REUSES; i++) {
		while (co_atomic_load(&rounds, CO_ACQUIRE) <=
		       i) /* paired with the case's release */
			co_pause();
		co_counter_done(&counter);
	}
	return 0;
}

static intptr_t wait_again_and_again(void *arg)
{
	/* Acquire: paired with the case's release, which follows the counter's add. */
	while (co_atomic_load(&rounds, CO_ACQUIRE) < REUSES) {
		CHECK_EQ(co_counter_wait(&counter), 0);
		co_pause();
	}
	return 0;
}

TEST(it_can_be_used_again_while_others_leave)
{
	struct co *waiter, *doer;

	co_atomic_store(&rounds, 0, CO_RELAXED); /* spawning publishes it */
	waiter = test_spawn_on(co_harts() - 1, wait_again_and_again, NULL);
	doer = test_spawn_on(co_harts() - 1, done_each_round, NULL);
	for (uint32_t i = 1; i <= REUSES; i++) {
		co_counter_add(&counter, 1);
		co_atomic_store(&rounds, i, CO_RELEASE);
		REQUIRE_EQ(co_counter_wait(&counter), 0);
	}
	test_join(waiter);
	test_join(doer);
}
