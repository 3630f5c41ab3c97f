/*
 * test_parallel_lost.c - loops and tasks whose parts fault, and whose harts are lost in the middle.
 *
 * Topologies: 2x(1+3) 1x(1+7)
 */
#include <cohart/spm_array.h>
#include <hal/irq.h>

#include "../runtime/fault/give_up.h"
#include "../runtime/loops/task/task.h"
#include "harness/test.h"

#define MOST 400

static struct co_parallel loop;
static struct co_a32 times[MOST];
static volatile uintptr_t null;
static struct co_a32 hung; /* the hart + 1 that does not come back, */
static long at;            /* and what it is at, or what faults */
static bool exits;         /* it does not fault, but ends */

/* Two harts may do so at once: a load is no race. */
static void fault(void)
{
	if (exits)
		co_exit(0);
	(void)*(volatile int *)null;
}

static void note(long i)
{
	co_atomic_add(&times[i], 1, CO_RELAXED);
}

static bool all_done(long n, long but)
{
	bool right = true;

	for (long i = 0; i < n; i++)
		right &= i == but || co_atomic_load(&times[i], CO_RELAXED) == 1;
	return right;
}

static int faults(void *arg, struct co_part *p)
{
	for (long i = p->from[0]; i < p->to[0]; i++) {
		if (i == at)
			fault();
		note(i);
	}
	return 0;
}

static void fault_in(enum co_schedule schedule)
{
	memset(times, 0, sizeof(times));
	at = 17;
	loop = LOOP(faults, MOST, .schedule = schedule);
	CHECK_EQ(co_parallel_for(&loop), -EFAULT);
	CHECK_EQ(loop.error, -EFAULT);
	CHECK(schedule == CO_STATIC ? loop.error_at[0] <= at : loop.error_at[0] == at);
	at = -1;
	memset(times, 0, sizeof(times));
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK(all_done(MOST, -1));
}

TEST_FAULTY(a_part_that_faults_or_exits_ends_its_loop_alone_and_is_named)
{
	for (unsigned i = 0; i < 20; i++) {
		exits = i >= 3; /* faults are long */
		fault_in(CO_DYNAMIC);
		fault_in(CO_STATIC);
		fault_in(CO_CYCLIC);
	}
}

/* Its worker is at this, so what does the loop inside is a coroutine of its own. */
static int loops_inside(void *arg, struct co_part *p)
{
	return co_parallel_for(arg);
}

TEST_FAULTY(a_part_that_faults_or_exits_inside_a_loop_ends_the_one_around_it_too)
{
	static struct co_parallel inner;
	static unsigned last;

	last = test_compute(test_computes() - 1);
	at = 3;
	for (unsigned i = 0; i < 2; i++) {
		exits = i;
		inner = LOOP(faults, 10, .schedule = CO_DYNAMIC, .scope = { &last, 1 });
		loop = inner;
		loop.body = loops_inside;
		loop.arg = &inner;
		CHECK_EQ(co_parallel_for(&loop), -EFAULT);
		CHECK_EQ(inner.error, -EFAULT);
		CHECK_EQ(inner.error_at[0], at);
		CHECK_EQ(loop.error_at[0], 0);
	}
}

static struct co_tasks t;

/* What faults twice is done at the third time; what always does is given up. */
static int task_faults(void *arg, long task)
{
	if (task == 20) {
		co_task_done(&t, task);
		fault();
	}
	if (task == 333 || (task == 7 && co_atomic_add(&times[task], 1, CO_RELAXED) < 2))
		fault();
	return 0;
}

TEST_FAULTY(tasks_that_fault_are_tried_again_unless_they_are_done)
{
	memset(times, 0, sizeof(times));
	exits = false;
	t = (struct co_tasks){ .total = MOST, .memory = malloc(co_tasks_bytes(MOST)) };
	REQUIRE_EQ(co_tasks_open(&t), 0);
	CHECK_EQ(co_tasks_run(&t, task_faults, NULL), -EIO);
	CHECK_EQ(co_tasks_done(&t), MOST - 1);
	CHECK_EQ(co_task_given_up(&t, -1), 333);
	CHECK_EQ(co_task_given_up(&t, 333), -1);
	CHECK_EQ(co_atomic_load(&times[7], CO_RELAXED), 3);
	CHECK_EQ(co_tasks_close(&t), 0);
	free(t.memory);
}

/* ---- From here on harts are lost for good ---- */

/* The pools are as harts leave them that are lost when they were about to bring numbers. */
static void leave_pools_to_the_lost(void)
{
	for (unsigned g = 0; g < co_groups(); g++)
		co_atomic_add(&t.pools[g].word, 1, CO_RELAXED);
}

static int counts_task(void *arg, long task)
{
	note(task);
	return 0;
}

/* The first who comes to `at` hangs. */
static void hang_there(long i)
{
	if (i == at && !co_atomic_swap(&hung, co_hart() + 1, CO_RELEASE))
		while (true)
			hal_irq_wait();
}

BODY(loops, co_parallel_for(&loop))

static int hanging_task(void *arg, long task)
{
	hang_there(task);
	note(task);
	return 0;
}

static intptr_t runs_tasks(void *arg)
{
	int r;

	t = (struct co_tasks){ .total = MOST, .memory = malloc(co_tasks_bytes(MOST)) };
	REQUIRE_EQ(co_tasks_open(&t), 0);
	r = co_tasks_run(&t, hanging_task, NULL);
	CHECK_EQ(co_tasks_close(&t), 0);
	free(t.memory);
	return r;
}

/* Hart 0 gives up the hart that hangs; what comes of it. */
static intptr_t lose_one(co_fn *fn)
{
	struct co *c;

	co_atomic_store(&hung, 0, CO_RELAXED);
	memset(times, 0, sizeof(times));
	c = test_spawn_on(0, fn, NULL);
	if (CHECK(test_await(&hung, 1)))
		CHECK(co_hart_lose(co_atomic_load(&hung, CO_ACQUIRE) - 1));
	return test_join(c);
}

static unsigned live(void)
{
	return test_computes() - co_harts_lost();
}

TEST_FAULTY(the_task_of_a_lost_hart_is_done_by_another)
{
	if (live() < 2)
		SKIP("there is one compute hart left");
	at = 50;
	CHECK_EQ(lose_one(runs_tasks), 0);
	CHECK(all_done(MOST, -1));
}

TEST(nobody_waits_for_numbers_that_a_lost_hart_was_to_bring)
{
	long task;

	if (!co_harts_lost())
		SKIP("no hart is lost");
	t = (struct co_tasks){ .total = MOST, .memory = malloc(co_tasks_bytes(MOST)) };
	for (unsigned i = 0; i < 2; i++) {
		memset(times, 0, sizeof(times));
		REQUIRE_EQ(co_tasks_open(&t), 0);
		leave_pools_to_the_lost();
		while (i && (task = co_task_next(&t)) >= 0) {
			note(task);
			co_task_done(&t, task);
		}
		CHECK_EQ(co_tasks_run(&t, counts_task, NULL), 0);
		CHECK(all_done(MOST, -1));
		CHECK_EQ(co_task_given_up(&t, -1), -1);
		CHECK_EQ(co_tasks_close(&t), 0);
	}
	free(t.memory);
}

static struct co_spm_array array;

static int asks_and_hangs(void *arg, struct co_part *p)
{
	CHECK(co_spm_array_get(&array) != NULL);
	for (long i = p->from[0]; i < p->to[0]; i++)
		hang_there(i);
	return 0;
}

TEST_FAULTY(an_array_is_dropped_though_a_hart_that_had_it_is_lost)
{
	static long table[64];

	if (!live())
		SKIP("there is no compute hart left");
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0);
	at = 40;
	loop = LOOP(asks_and_hangs, MOST);
	CHECK_EQ(lose_one(loops), -EHOSTDOWN);
	CHECK_EQ(co_spm_array_drop(&array), 0);
	REQUIRE_EQ(co_spm_array_make(&array, table, sizeof(table)), 0); /* it may be made again */
	CHECK_EQ(co_spm_array_drop(&array), 0);
}
