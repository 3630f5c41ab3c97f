/* test_event.c - a flag to wait for. */
#include "harness/test.h"
#include "queue.h"

enum { MOST = 512 };

static struct co_event event;
static struct co *c[MOST];

TEST(set_lasts_until_it_is_dropped)
{
	struct co_event e = { 0 };

	CHECK(!co_event_is_set(&e));
	CHECK_EQ(co_event_wait_until(&e, 0), -ETIMEDOUT);
	co_event_set(&e);
	co_event_set(&e);
	CHECK(co_event_is_set(&e));
	CHECK_EQ(co_event_wait(&e), 0);
	CHECK_EQ(co_event_wait_until(&e, 0), 0);
	co_event_clear(&e);
	co_event_clear(&e);
	CHECK(!co_event_is_set(&e));
	CHECK_EQ(co_event_wait_until(&e, co_after_us(300)), -ETIMEDOUT);
}

static intptr_t wait_for_it(void *arg)
{
	uint64_t us = (uintptr_t)arg;

	return co_event_wait_until(&event, us ? co_after_us(us) : LONG_ENOUGH);
}

TEST(all_who_wait_go_on_even_if_it_is_dropped_at_once)
{
	const unsigned n = co_harts();

	co_event_clear(&event);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned h = 0; h < n; h++)
			c[h] = test_spawn_on(h, wait_for_it, NULL);
		queue_await(&event.queue, n);
		co_event_set(&event);
		co_event_clear(&event);
		test_join_all(c, n, 0);
		CHECK_EQ(co_event_wait_until(&event, 0), -ETIMEDOUT);
	}
}

TEST(those_who_give_up_leave_it_usable)
{
	struct co *patient, *impatient, *cancelled;

	co_event_clear(&event);
	impatient = test_spawn_on(co_harts() - 1, wait_for_it, (void *)300);
	cancelled = test_spawn_on(co_harts() - 1, wait_for_it, NULL);
	CHECK_EQ(test_join(impatient), -ETIMEDOUT);
	test_cancel(cancelled);
	patient = test_spawn_on(co_harts() - 1, wait_for_it, NULL);
	queue_await(&event.queue, 1);
	co_event_set(&event);
	CHECK_EQ(test_join(patient), 0);
}

/* What the setter wrote before is there after the wait. */
static uint64_t message;

static intptr_t read_after_it(void *arg)
{
	REQUIRE_EQ(co_event_wait_until(&event, LONG_ENOUGH), 0);
	return (intptr_t)message;
}

static intptr_t set_after_writing(void *arg)
{
	message = (uintptr_t)arg;
	co_event_set(&event);
	return 0;
}

TEST(it_hands_over_what_the_setter_wrote)
{
	for (unsigned i = 1; i <= 100; i++) {
		struct co *reader, *writer;

		co_event_clear(&event);
		reader = test_spawn_on(i % co_harts(), read_after_it, NULL);
		writer = test_spawn_on(i * 3 % co_harts(), set_after_writing, (void *)(uintptr_t)i);
		CHECK_EQ(test_join(reader), i);
		test_join(writer);
	}
}

/* One sets and drops at random; nobody who waits may be forgotten by a set. */
static struct co_a32 passed;
static struct co_a32 over;

static intptr_t wait_again_and_again(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	while (!co_atomic_load(&over, CO_ACQUIRE)) { /* paired with the case's release */
		bool impatient = test_below(&r, 4) == 0;
		int got = co_event_wait_until(&event, impatient ? co_after_us(test_below(&r, 100))
								: LONG_ENOUGH);

		REQUIRE(got == 0 || (impatient && got == -ETIMEDOUT));
		if (got == 0)
			co_atomic_add(&passed, 1, CO_RELAXED); /* a count for people */
		/* While it is set no wait would give the hart away. */
		test_sleep_us(1 + test_below(&r, 20));
	}
	return 0;
}

TEST(stress_with_sets_and_drops)
{
	const unsigned n = co_harts() < 4 ? 6 : co_harts() < 24 ? co_harts() : 24;
	struct test_random r = test_random(0);

	co_event_clear(&event);
	co_atomic_store(&over, 0, CO_RELAXED); /* spawning publishes it */
	co_atomic_store(&passed, 0, CO_RELAXED);
	for (unsigned i = 0; i < n; i++)
		c[i] = test_spawn_on(i % co_harts(), wait_again_and_again,
				     (void *)(uintptr_t)(i + 1));
	for (unsigned i = 0; i < 300; i++) {
		co_event_set(&event);
		if (test_below(&r, 3) == 0)
			co_pause();
		co_event_clear(&event);
		if (test_below(&r, 2) == 0)
			test_sleep_us(test_below(&r, 40));
	}
	co_atomic_store(&over, 1, CO_RELEASE);
	co_event_set(&event);
	test_join_all(c, n, 0);
	CHECK(co_atomic_load(&passed, CO_RELAXED) > 0);
	CHECK_EQ(co_waitq_count(&event.queue), 0);
}
