/*
 * holder.h - for tests of what a coroutine held that a fault has ended: one that holds something,
 * faults when it is told, and leaves nothing behind.
 */
#ifndef TESTS_HOLDER_H
#define TESTS_HOLDER_H

#include "use.h"

static volatile uintptr_t wild = 0x23458; /* nothing is there on any board */

static struct co_a32 holding; /* it holds what it is to hold */
static struct co_a32 go;      /* and is to fault */

static void fault_when_told(void)
{
	co_atomic_store(&holding, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with tell() */
		co_sleep_us(50);
	*(volatile int *)wild = 1;
}

static struct co *start_holder(unsigned hart, co_fn *fn, void *arg)
{
	struct co *c;

	co_atomic_store(&holding, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	c = test_spawn_on(hart, fn, arg);
	test_await(&holding, 1);
	return c;
}

static void end_holder(struct co *c)
{
	intptr_t result = 4711;

	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(co_join(c, &result), -EFAULT);
	CHECK_EQ(result, 4711);
}

static intptr_t nothing(void *arg)
{
	return (intptr_t)arg;
}

/*
 * A loop may be over before its worker that faulted is buried, whose stack may be main memory's:
 * the next one there begins later.
 */
static void await_burials(void)
{
	for (unsigned hart = 0; hart < co_harts(); hart++)
		CHECK_EQ(test_join(test_spawn_on(hart, nothing, NULL)), 0);
}

/* On this hart, and on another one. */
static void on_some_harts(void (*test)(unsigned hart))
{
	await_burials();

	struct use before[2] = { use_of(0), use_of(co_harts() - 1) };

	test(0);
	test(co_harts() - 1);
	check_use(0, &before[0]);
	check_use(co_harts() - 1, &before[1]);
}

#endif
