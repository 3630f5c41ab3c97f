/*
 * test_watch.c - a hart that does not give way is known to be silent, and only such a one.
 *
 * Hart 0 looks at the others while it waits with a deadline; the limit is --watch='s own.
 */
#include "../runtime/core/core.h"
#include "harness/test.h"
#include "queue.h"

#define PATIENCE_US 5000000
#define LIMIT_MS 750
#define BUDGET_US 10000

static struct co_a32 go_on, hogging;

/* Give nobody else the hart until asked to, in vain for too long. */
static intptr_t hog(void *arg)
{
	uint64_t give_up = co_after_us(2 * PATIENCE_US);

	co_waypoint("in the loop");
	co_atomic_store(&hogging, 1, CO_RELEASE);
	while (!co_atomic_load(&go_on, CO_ACQUIRE) && co_now() < give_up)
		;
	return co_atomic_load(&go_on, CO_ACQUIRE) != 0;
}

/* How long until that hart is (not) silent? */
static uint64_t await_silence(unsigned hart, bool silent)
{
	uint64_t start = co_now();

	while (co_hart_silent(hart) != silent && co_us(co_now() - start) < PATIENCE_US)
		CHECK_EQ(co_sleep_us(5000), 0);
	CHECK_EQ(co_hart_silent(hart), silent);
	return co_us(co_now() - start);
}

/* The first: the largest alone is longer than the limit, and must not make the looks rarer. */
TEST(budgets_out_of_range_are_refused)
{
	int fine = co_watch_budget(0);

	CHECK(fine == 0 || fine == -ENOTSUP);
	CHECK_EQ(co_watch_budget(1), fine ? -ENOTSUP : -EINVAL);
	CHECK_EQ(co_watch_budget(CO_BUDGET_MIN_US - 1), fine ? -ENOTSUP : -EINVAL);
	CHECK_EQ(co_watch_budget(CO_BUDGET_MAX_US + 1), fine ? -ENOTSUP : -EINVAL);
	CHECK_EQ(co_watch_budget(UINT64_MAX), fine ? -ENOTSUP : -EINVAL);
	CHECK_EQ(co_watch_budget(CO_BUDGET_MAX_US), fine);
	CHECK_EQ(co_watch_budget(0), fine);
}

BODY(ask_for, co_watch_budget((uint64_t)(uintptr_t)arg))

TEST(hart_0_looks_more_often_for_the_budget_of_another_hart)
{
	uint64_t before;

	if (co_watch_budget(0) || co_harts() == 1)
		SKIP("no alarms, or no other hart");
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, ask_for, (void *)BUDGET_US)), 0);
	before = co_look_next;
	REQUIRE(AWAIT(co_look_next != before));
	CHECK(co_look_next <= co_after_us(BUDGET_US / 4));
}

TEST(a_hart_that_does_not_give_way_is_silent_until_it_does)
{
	unsigned hart = co_harts() - 1;
	struct co *c;

	if (!hart)
		SKIP("a hart that is alone has nobody to look after");
	co_atomic_store(&go_on, 0, CO_RELAXED);
	c = test_spawn_on(hart, hog, NULL);
	CHECK(await_silence(hart, true) >= LIMIT_MS * 1000 / 2);
	co_watch_report(hart);
	co_watch_stacks(); /* that hart does not answer, and nobody waits for it for long */
	co_watch_stacks();
	co_atomic_store(&go_on, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 1);
	await_silence(hart, false);
}

static intptr_t wait_on_a_small_stack(void *arg)
{
	(void)await_silence(co_harts() - 1, true);
	(void)await_silence(co_harts() - 1, false);
	return (intptr_t)co_stack_high_water();
}

/* Hart 0 sleeps on its stack; where it has a canary, an overflow ends the run. */
TEST(a_report_fits_where_a_small_stack_waits)
{
	const struct co_attr attr = { .on = CO_ON_HART(0), .stack = CO_STACK_1K };
	unsigned hart = co_harts() - 1;
	struct co *c, *waits;
	intptr_t used;

	if (!hart)
		SKIP("a hart that is alone has nobody to look after");
	co_atomic_store(&go_on, 0, CO_RELAXED);
	c = test_spawn_on(hart, hog, NULL);
	REQUIRE_EQ(co_spawn(&waits, &attr, wait_on_a_small_stack, NULL), 0);
	await_silence(hart, true);
	co_atomic_store(&go_on, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 1);
	used = test_join(waits);
	printf("# %d bytes of %u\n", (int)used, 1024 * HAL_STACK_SCALE);
	CHECK(used <= 620 * HAL_STACK_SCALE); /* as for a look without a report (test_small.c) */
}

/* The machine's last ones: so many that one line reports them, and one was reported before. */
TEST(each_of_many_silent_harts_is_known_to_be_silent)
{
	enum { MANY = 12, AWAKE = 1, EARLIER = 3 };
	const unsigned first = co_harts() - MANY;
	struct co *c[MANY];

	if (co_harts() <= MANY)
		SKIP("there are too few harts");
	co_atomic_store(&go_on, 0, CO_RELAXED);
	c[EARLIER] = test_spawn_on(first + EARLIER, hog, NULL);
	await_silence(first + EARLIER, true);
	for (unsigned i = 0; i < MANY; i++) {
		if (i != EARLIER)
			c[i] = i == AWAKE ? NULL : test_spawn_on(first + i, hog, NULL);
	}
	for (unsigned i = 0; i < MANY; i++)
		await_silence(first + i, i != AWAKE);
	co_atomic_store(&go_on, 1, CO_RELEASE);
	for (unsigned i = 0; i < MANY; i++) {
		if (i != AWAKE)
			CHECK_EQ(test_join(c[i]), 1);
		await_silence(first + i, false);
	}
}

static struct co_a32 listed;

static intptr_t list_stacks(void *arg)
{
	co_watch_stacks();
	co_atomic_store(&listed, 1, CO_RELEASE);
	return (intptr_t)arg;
}

/* It gives way once, to its own hart's answer; who waits does that again and again. */
TEST(who_lists_stacks_and_is_cancelled_does_not_wait_for_a_silent_hart)
{
	unsigned hart = co_harts() - 1, turns = 0;
	struct co *hogs, *lists;

	if (!hart)
		SKIP("a hart that is alone answers itself");
	co_atomic_store(&go_on, 0, CO_RELAXED);
	co_atomic_store(&hogging, 0, CO_RELAXED);
	hogs = test_spawn_on(hart, hog, NULL);
	REQUIRE(test_await(&hogging, 1));
	lists = test_spawn_on(0, list_stacks, NULL);
	co_cancel(lists);
	for (; !co_atomic_load(&listed, CO_ACQUIRE); turns++)
		co_pause();
	CHECK(turns <= 10); /* in a tenth of a second there are thousands */
	/* It has not answered. */
	CHECK(co_atomic_load(&co_area_at(hart)->depths.under_way, CO_RELAXED));
	co_atomic_store(&go_on, 1, CO_RELEASE);
	CHECK_EQ(test_join(lists), 0);
	CHECK_EQ(test_join(hogs), 1);
	await_silence(hart, false);
}

static struct co_a32 heard;

static void hear(struct co_msg *m)
{
	co_atomic_store(&heard, 1, CO_RELEASE);
}

static intptr_t sleep_long(void *arg)
{
	co_atomic_store(&heard, 2, CO_RELEASE);
	return co_sleep_us(8 * PATIENCE_US);
}

/* As a doorbell that got lost: the watch rings again. The sleeper's own deadline is far. */
TEST(a_message_for_which_nobody_has_rung_is_heard_of)
{
	static struct co_msg m = { .run = hear };
	unsigned hart = co_harts() - 1;
	struct co *c;

	if (!hart)
		SKIP("a hart that is alone has nobody to look after");
	c = test_spawn_on(hart, sleep_long, NULL);
	test_await(&heard, 2);
	test_sleep_us(20000);
	co_atomic_store(&heard, 0, CO_RELAXED);
	co_inbox_push(&co_hart_at(hart)->inbox, &m);
	for (unsigned i = 0; i < 1000 && !co_atomic_load(&heard, CO_ACQUIRE); i++)
		CHECK_EQ(co_sleep_us(PATIENCE_US / 1000), 0);
	CHECK_EQ(co_atomic_load(&heard, CO_ACQUIRE), 1);
	CHECK(!co_hart_silent(hart));
	test_cancel(c);
}

TEST(harts_that_sleep_are_not_silent)
{
	CHECK_EQ(co_sleep_us(2 * LIMIT_MS * 1000), 0);
	for (unsigned hart = 0; hart < co_harts(); hart++)
		CHECK(!co_hart_silent(hart));
}

static intptr_t give_way(void *arg)
{
	uint64_t end = co_after_us(2 * LIMIT_MS * 1000);

	while (co_now() < end)
		co_pause();
	return 0;
}

TEST(a_hart_that_is_busy_but_gives_way_is_not_silent)
{
	struct co *c = test_spawn_on(co_harts() - 1, give_way, NULL);
	uint64_t end = co_after_us(LIMIT_MS * 1000);

	while (co_now() < end) {
		CHECK(!co_hart_silent(co_harts() - 1));
		CHECK_EQ(co_sleep_us(10000), 0);
	}
	CHECK_EQ(test_join(c), 0);
}

/* Within its budget, and again and again; a pause that others make is not its own. */
static intptr_t thrifty(void *arg)
{
	uint64_t end = co_after_us(20 * BUDGET_US);

	REQUIRE_EQ(co_watch_budget(4 * BUDGET_US), 0);
	while (co_now() < end) {
		uint64_t pause = co_after_us(BUDGET_US);

		while (co_now() < pause)
			;
		co_pause();
	}
	return 1;
}

/* Without a budget, on the hart of one who has one. */
static intptr_t greedy(void *arg)
{
	uint64_t end = co_after_us(8 * BUDGET_US);

	while (co_now() < end)
		;
	return 2;
}

/* What the thrifty one returns, beside a greedy one; 0: it was ended. */
static intptr_t keep_budget(unsigned hart)
{
	struct co *c = test_spawn_on(hart, thrifty, NULL);
	struct co *other = test_spawn_on(hart, greedy, NULL);
	intptr_t result = 0;

	(void)!co_join(c, &result);
	CHECK_EQ(test_join(other), 2);
	return result;
}

/* A hart that a busy PC puts aside is kept for as long: then it is tried again. */
TEST(who_keeps_its_budget_goes_on)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned hart = i ? co_harts() - 1 : 0;
		intptr_t result = 0;

		if (test_join(test_spawn_on(hart, ask_for, (void *)BUDGET_US)) == -ENOTSUP)
			SKIP("this board has no alarms");
		for (unsigned k = 0; k < 5 && !result; k++)
			result = keep_budget(hart);
		CHECK_EQ(result, 1);
	}
}

static intptr_t overdraw(void *arg)
{
	REQUIRE_EQ(co_watch_budget((uint64_t)(uintptr_t)arg), 0);
	co_waypoint("overdrawn");
	for (;;)
		;
	return 0;
}

static intptr_t neighbour(void *arg)
{
	struct co_a32 *turns = arg;

	while (co_atomic_add(turns, 1, CO_RELAXED) < 1000)
		co_pause();
	return 3;
}

TEST_FAULTY(who_exceeds_its_budget_is_ended_and_its_hart_goes_on)
{
	static struct co_a32 turns;

	if (co_watch_budget(0))
		SKIP("this board has no alarms");
	for (unsigned i = 0; i < 2; i++) {
		unsigned hart = i ? co_harts() - 1 : 0;
		struct co *c = test_spawn_on(hart, overdraw, (void *)BUDGET_US);
		struct co *other = test_spawn_on(hart, neighbour, &turns);
		intptr_t result = 5;

		CHECK_EQ(co_join_until(c, &result, co_after_us(PATIENCE_US)), -EFAULT);
		CHECK_EQ(result, 5);
		CHECK_EQ(test_join(other), 3);
	}
}

/* In calls of the runtime's or the C library's for nearly all of its time. */
static intptr_t overdraw_in_calls(void *arg)
{
	REQUIRE_EQ(co_watch_budget(BUDGET_US), 0);
	for (;;)
		co_spm_use(co_hart(), arg);
	return 0;
}

static unsigned char block[1 << 12]; /* so that some twenty looks find it in between */

static intptr_t overdraw_in_the_library(void *arg)
{
	REQUIRE_EQ(co_watch_budget(BUDGET_US), 0);
	for (;;)
		memset(block, arg != NULL, sizeof(block));
	return 0;
}

/* It is ended between two of them, or after one. */
TEST_FAULTY(who_exceeds_its_budget_in_calls_is_ended_between_two)
{
	static struct co_spm_use use;

	if (co_watch_budget(0))
		SKIP("this board has no alarms");
	for (unsigned i = 0; i < 4; i++) {
		unsigned hart = i % 2 ? co_harts() - 1 : 0;
		struct co *c = test_spawn_on(
			hart, i < 2 ? overdraw_in_calls : overdraw_in_the_library, &use);

		CHECK_EQ(co_join_until(c, NULL, co_after_us(PATIENCE_US)), -EFAULT);
	}
}

static struct co_mutex mutex;

static intptr_t overdraw_in_one_call(void *arg)
{
	REQUIRE_EQ(co_watch_budget(BUDGET_US), 0);
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	for (;;)
		;
	return (intptr_t)arg;
}

static intptr_t open_queue_later(void *arg)
{
	uint64_t end = co_after_us(20 * BUDGET_US);

	while (co_now() < end)
		;
	queue_unlock(&mutex.queue);
	return (intptr_t)arg;
}

/* On hart 0, which looks after the others: it is asked again and again, but not without end. */
TEST_FAULTY(who_exceeds_its_budget_in_a_call_that_takes_long_is_ended_after_it)
{
	struct co *c, *opens;

	if (co_watch_budget(0) || co_harts() == 1)
		SKIP("this board has no alarms, or nobody else is there");
	queue_lock(&mutex.queue);
	opens = test_spawn_on(co_harts() - 1, open_queue_later, NULL);
	c = test_spawn_on(0, overdraw_in_one_call, NULL);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(PATIENCE_US)), -EFAULT);
	CHECK_EQ(co_mutex_lock(&mutex), -EOWNERDEAD);
	co_mutex_unlock(&mutex);
	test_join(opens);
}

/* The last: looks are as close as they can be from here on. */
TEST_FAULTY(the_smallest_budget_is_kept_to)
{
	if (co_watch_budget(0))
		SKIP("this board has no alarms");
	CHECK_EQ(co_join_until(test_spawn_on(co_harts() - 1, overdraw, (void *)CO_BUDGET_MIN_US),
			       NULL, co_after_us(PATIENCE_US)),
		 -EFAULT);
}
