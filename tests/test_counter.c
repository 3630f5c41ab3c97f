/* test_counter.c - waiting until nothing is under way. */
#include "harness/test.h"

static struct co_counter counter;
static struct co_a32 waiting;

TEST(nothing_under_way_does_not_wait)
{
	struct co_counter c = { 0 };

	CHECK_EQ(co_counter_wait(&c), 0);
	CHECK_EQ(co_counter_wait_until(&c, 0), 0);
}

TEST(a_wait_times_out_while_something_is_left)
{
	struct co_counter c = { 0 };

	co_counter_add(&c, 2);
	CHECK_EQ(co_counter_wait_until(&c, 0), -ETIMEDOUT);
	co_counter_done(&c);
	CHECK_EQ(co_counter_wait_until(&c, co_after_us(300)), -ETIMEDOUT);
	co_counter_done(&c);
	CHECK_EQ(co_counter_wait(&c), 0);
}

static intptr_t done_later(void *arg)
{
	co_sleep_us((uint64_t)(intptr_t)arg);
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
	(void)arg;
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
	for (unsigned i = 0; i < 16; i++)
		CHECK_EQ(test_join(c[i]), 0);
}

/* A counter may be given to another use as soon as a wait for it has returned 0. */
static struct co_counter *handed_out;

static intptr_t finish_one(void *arg)
{
	(void)arg;
	co_counter_done(handed_out);
	return 0;
}

TEST(its_memory_is_free_after_the_wait)
{
	for (unsigned i = 0; i < 300; i++) {
		/* 0xff in place of a counter: whoever touches it too late goes astray. */
		static struct co_counter c;

		c = (struct co_counter){ 0 };
		handed_out = &c;
		co_counter_add(&c, 1);
		struct co *worker = test_spawn_on(i % co_harts(), finish_one, NULL);

		REQUIRE_EQ(co_counter_wait(&c), 0);
		c.queue.lock.v = c.queue.waiters.v = UINT32_MAX;
		c.queue.head = c.queue.tail = (struct co_waiter *)(uintptr_t)0xfff1;
		test_join(worker);
		CHECK_EQ(c.queue.lock.v, UINT32_MAX);
		CHECK_EQ(c.queue.waiters.v, UINT32_MAX);
	}
}
