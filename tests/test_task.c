/*
 * test_task.c - each task is done once, whoever does it, and what fails is tried again.
 *
 * Topologies: 2x(1+3) 4x(1+2) 1x(1+3+1)
 */
#include <limits.h>

#include "harness/test.h"

#define MOST 5000

static struct co_tasks t;
static struct co_a32 times[MOST]; /* how often a task was done */
static struct co_a32 odd;         /* tasks that fail */

static void open_tasks(long total)
{
	t = (struct co_tasks){ .total = total, .memory = malloc(co_tasks_bytes(total)) };
	REQUIRE(t.memory);
	memset(times, 0, sizeof(times));
	REQUIRE_EQ(co_tasks_open(&t), 0);
}

static void close_tasks(void)
{
	CHECK_EQ(co_tasks_close(&t), 0);
	free(t.memory);
}

static int count(void *arg, long task)
{
	co_atomic_add(&times[task], 1, CO_RELAXED);
	if (task % 16 == 0)
		co_pause();
	return 0;
}

static void check_times(long total, uint32_t n)
{
	bool right = true;

	for (long i = 0; i < MOST; i++)
		right &= co_atomic_load(&times[i], CO_RELAXED) == (i < total ? n : 0);
	CHECK(right);
}

/* A run does them all, each once. */
static void check_run(long total, unsigned chunk)
{
	t = (struct co_tasks){ .total = total,
			       .chunk = chunk,
			       .memory = malloc(co_tasks_bytes(total)) };
	REQUIRE(t.memory);
	memset(times, 0, sizeof(times));
	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(t.chunk, chunk); /* the caller's, also if it is chosen */
	CHECK_EQ(co_tasks_run(&t, count, NULL), 0);
	check_times(total, 1);
	CHECK_EQ(co_tasks_done(&t), total);
	CHECK_EQ(co_task_next(&t), -1);
	CHECK_EQ(co_task_given_up(&t, -1), -1);
	close_tasks();
}

TEST(each_task_is_done_once)
{
	static const long totals[] = { 1, 2, 63, 64, 65, 1000, MOST };
	static const unsigned chunks[] = { 1, 2, 3, 100, MOST + 1, UINT32_MAX };

	for (unsigned i = 0; i < sizeof(totals) / sizeof(*totals); i++)
		check_run(totals[i], 0);
	for (unsigned i = 0; i < sizeof(chunks) / sizeof(*chunks); i++)
		check_run(777, chunks[i]);
}

/* The first one is not done before all others are. */
static int uneven(void *arg, long task)
{
	uint32_t others = *(const uint32_t *)arg;

	if (task == 0)
		CHECK(test_await(&odd, others));
	else
		co_atomic_add(&odd, 1, CO_RELEASE);
	return count(NULL, task);
}

/* ---- Scopes ---- */

static struct co_a32 tasks_of[512]; /* that a hart has done */

static int count_on_hart(void *arg, long task)
{
	co_atomic_add(&tasks_of[co_hart()], 1, CO_RELAXED);
	return count(arg, task);
}

/* All tasks are done, and by harts of the scope alone. */
static void check_scope(struct co_scope scope)
{
	memset(tasks_of, 0, sizeof(tasks_of));
	open_tasks(200);
	t.scope = scope;
	CHECK_EQ(co_tasks_run(&t, count_on_hart, NULL), 0);
	check_times(200, 1);
	for (unsigned i = 0; i < scope.n; i++)
		co_atomic_store(&tasks_of[scope.harts[i]], 0, CO_RELAXED);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&tasks_of[h], CO_RELAXED), 0);
	close_tasks();
}

TEST(e6_tasks_of_a_scope_are_done_by_its_harts_alone)
{
	static unsigned list[2];

	for (unsigned g = 0; g < co_groups(); g++)
		check_scope(co_scope_of(CO_GROUP, g, CO_ROLE_COMPUTE));
	check_scope(co_scope_here(CO_NODE, CO_ROLE_COMPUTE));
	list[0] = co_harts() - 1;
	check_scope((struct co_scope){ list, co_harts() > 1 ? 2 : 1 }); /* hart 0, too */
	open_tasks(5);
	t.scope = (struct co_scope){ NULL, 1 };
	CHECK_EQ(co_tasks_run(&t, count, NULL), -EINVAL);
	check_times(5, 0);
	close_tasks();
}

TEST(nobody_waits_for_who_has_a_long_task)
{
	static uint32_t others;

	if (test_computes() < 2)
		SKIP("there is one compute hart");
	others = 999;
	co_atomic_store(&odd, 0, CO_RELAXED);
	open_tasks(1000);
	CHECK_EQ(co_tasks_run(&t, uneven, &others), 0);
	check_times(1000, 1);
	close_tasks();
}

static intptr_t asks(void *arg)
{
	long task;

	while ((task = co_task_next(&t)) >= 0) {
		(void)count(NULL, task);
		co_task_done(&t, task);
	}
	return 0;
}

TEST(whoever_asks_gets_tasks_on_any_hart)
{
	open_tasks(2000);
	test_spread(asks, co_harts(), 0);
	check_times(2000, 1);
	close_tasks();
}

/* Some of them never come back to say that they are done. */
static intptr_t leaves(void *arg)
{
	long task;

	while ((task = co_task_next(&t)) >= 0) {
		if (task % 10 == 3)
			continue;
		(void)count(NULL, task);
		co_task_done(&t, task);
	}
	return 0;
}

TEST(what_nobody_came_back_with_is_done_by_a_run)
{
	open_tasks(100);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, leaves, NULL)), 0);
	CHECK_EQ(co_tasks_done(&t), 90);
	CHECK_EQ(co_tasks_run(&t, count, NULL), 0);
	check_times(100, 1);
	close_tasks();
}

/* Every seventh one fails twice. */
static int fails(void *arg, long task)
{
	uint32_t before = co_atomic_add(&times[task], 1, CO_RELAXED);

	if (task % 7)
		return 0;
	if (task % 14 == 0)
		return before < 2 ? -EIO : 0;
	if (before < 2)
		co_exit(0); /* its coroutine is gone */
	return 0;
}

TEST(what_fails_is_tried_again)
{
	bool right = true;

	open_tasks(500);
	CHECK_EQ(co_tasks_run(&t, fails, NULL), 0);
	for (long i = 0; i < 500; i++)
		right &= co_atomic_load(&times[i], CO_RELAXED) == (i % 7 ? 1 : 3);
	CHECK(right);
	CHECK_EQ(co_tasks_done(&t), 500);
	close_tasks();
}

static int never(void *arg, long task)
{
	co_atomic_add(&times[task], 1, CO_RELAXED);
	if (task == 40)
		co_exit(1);
	return task == 17 || task == 299 ? -ENXIO : 0;
}

TEST(what_fails_always_is_given_up_and_reported)
{
	open_tasks(300);
	CHECK_EQ(co_tasks_run(&t, never, NULL), -EIO);
	CHECK_EQ(co_tasks_done(&t), 297);
	CHECK_EQ(co_task_given_up(&t, -1), 17);
	CHECK_EQ(co_task_given_up(&t, 17), 40);
	CHECK_EQ(co_task_given_up(&t, 40), 299);
	CHECK_EQ(co_task_given_up(&t, 299), -1);
	CHECK(!co_task_failed(&t, 17)); /* nor is it tried again now */
	CHECK_EQ(co_atomic_load(&times[17], CO_RELAXED), CO_TASK_TRIES);
	CHECK_EQ(co_atomic_load(&times[40], CO_RELAXED), CO_TASK_TRIES);
	close_tasks();
}

/* No task ends before the run has been asked to, however late that comes. */
static int waits(void *arg, long task)
{
	(void)count(arg, task);
	co_atomic_add(&odd, 1, CO_RELEASE);
	while (!co_atomic_load(&t.loop.stop, CO_RELAXED))
		(void)!co_sleep_us(1000);
	return 0;
}

BODY(runs_long, co_tasks_run(&t, waits, NULL))

TEST(a_cancel_ends_it_after_what_has_begun)
{
	struct co *c;
	long done;

	co_atomic_store(&odd, 0, CO_RELAXED);
	open_tasks(MOST);
	c = test_spawn_on(0, runs_long, NULL);
	test_await(&odd, 1);
	test_cancel(c);
	done = co_tasks_done(&t);
	CHECK(done > 0 && done < MOST);
	CHECK_EQ(co_tasks_run(&t, count, NULL), 0); /* the rest */
	check_times(MOST, 1);
	close_tasks();
}

TEST(what_makes_no_sense_is_refused)
{
	static const long totals[] = { 0, -1, LONG_MIN, CO_TASKS_MAX + 1, LONG_MAX };

	CHECK_EQ(co_tasks_bytes(0), 0);
	CHECK_EQ(co_tasks_bytes(CO_TASKS_MAX + 1l), 0);
	t = (struct co_tasks){ .total = 10 };
	CHECK_EQ(co_tasks_open(&t), -EINVAL);
	for (unsigned i = 0; i < sizeof(totals) / sizeof(*totals); i++) {
		t = (struct co_tasks){ .total = totals[i], .memory = times };
		CHECK_EQ(co_tasks_open(&t), -EINVAL);
	}
	t.total = 10;
	if (co_spm_stacks()) { /* a private place: no other hart could take tasks from it */
		t.memory = (char *)co_spm_base(co_hart()) + co_spm_bytes() - 64;
		CHECK_EQ(co_tasks_open(&t), -EINVAL);
	}
	t.memory = (char *)times + 2;
	CHECK_EQ(co_tasks_open(&t), -EINVAL);
	t.file = "no/such/folder/file.tasks";
	t.memory = malloc(co_tasks_bytes(10));
	CHECK(co_tasks_open(&t) < 0);
	free(t.memory);
}
