/* test_released_runner.c - coroutines that serve an object of one that ends without closing it. */
#include <cohart/stream.h>
#include <cohart/task.h>

#include "holder.h"

static struct co_event never;
static struct co_parallel loop;
static bool returns; /* the holder does, and does not fault */
static struct co_a32 bodies;

static intptr_t end_as_asked(void)
{
	if (!returns)
		fault_when_asked();
	co_atomic_store(&holding, 1, CO_RELEASE);
	return 4711;
}

/* A holder, in memory that every hart may use, which faults, or else returns. */
static void end_both_ways(unsigned hart, co_fn *fn, void (*while_held)(void))
{
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_MAIN };

	for (unsigned i = 0; i < 2; i++) {
		struct co *c;

		returns = i;
		co_atomic_store(&holding, 0, CO_RELAXED);
		co_atomic_store(&go, 0, CO_RELAXED);
		c = test_spawn(&attr, fn, NULL);
		test_await(&holding, 1);
		if (returns)
			CHECK_EQ(test_join(c), 4711);
		while_held();
		if (!returns)
			end_holder(c);
	}
}

static int count_body(void *arg, struct co_part *p)
{
	(void)arg;
	(void)p;
	co_atomic_add(&bodies, 1, CO_RELAXED);
	return 0;
}

/* The loop waits in the queue behind an event that nobody sets. */
static intptr_t hold_stream(void *arg)
{
	static struct co_stream of_no_frame;
	struct co_stream in_frame, *s = returns ? &of_no_frame : &in_frame;

	(void)arg;
	loop = (struct co_parallel){ .body = count_body, .dims = 1, .range = { { 0, 1, 1 } } };
	REQUIRE_EQ(co_stream_open(s, "unclosed"), 0);
	REQUIRE_EQ(co_stream_await(s, &never), 0);
	REQUIRE_EQ(co_stream_start(s, &loop), 0);
	return end_as_asked();
}

static intptr_t wait_for_loop(void *arg)
{
	(void)arg;
	return co_parallel_wait(&loop);
}

static void wait_beside(void)
{
	struct co *waits = test_spawn_on(far_hart(), wait_for_loop, NULL);

	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(test_join(waits), -ECANCELED);
	CHECK_EQ(co_atomic_load(&bodies, CO_RELAXED), 0);
}

TEST_ON_HARTS(a_stream_ends_with_the_coroutine_that_opened_it, on_some_harts)
{
	end_both_ways(hart, hold_stream, wait_beside);
}

static intptr_t hold_tasks(void *arg)
{
	static uintptr_t memory[4096];
	static struct co_tasks of_no_frame;
	struct co_tasks in_frame, *t = returns ? &of_no_frame : &in_frame;

	(void)arg;
	*t = (struct co_tasks){ .total = 10, .memory = memory, .progress_us = 50000000 };
	REQUIRE(co_tasks_bytes(t->total) <= sizeof(memory));
	REQUIRE_EQ(co_tasks_open(t), 0);
	return end_as_asked();
}

static void nothing_more(void)
{
}

TEST_ON_HARTS(the_writer_of_tasks_ends_with_the_coroutine_that_opened_them, on_some_harts)
{
	end_both_ways(hart, hold_tasks, nothing_more);
}
