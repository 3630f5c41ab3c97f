/* holder.h - for tests: one that holds something, and faults when asked to, or is lost. */
#ifndef TESTS_HOLDER_H
#define TESTS_HOLDER_H

#include "loss.h"
#include "use.h"

static bool by_loss; /* holders end by the loss of their hart */

static struct co_a32 holding; /* it holds what it is to hold */
static struct co_a32 go;      /* and is to fault */

CO_NORETURN static void fault_when_asked(void)
{
	co_atomic_store(&holding, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with tell() */
		test_sleep_us(50);
	fault_here();
}

static inline struct co *start_holder(unsigned hart, co_fn *fn, void *arg)
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

	if (by_loss)
		fault_there(co_home(c));
	else
		co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(co_join(c, &result), by_loss ? -EHOSTDOWN : -EFAULT);
	CHECK_EQ(result, 4711);
}

/* The last hart that is there, which may be the only one. */
static inline unsigned far_hart(void)
{
	unsigned hart = co_harts() - 1;

	while (co_hart_gone(hart))
		hart--;
	return hart;
}

/* A hart for those that are notified. */
static inline unsigned hart_beside(void)
{
	return by_loss ? 1 : far_hart();
}

BODY(nothing, arg)

/*
 * A loop may be over before its worker that faulted is finished, whose stack may be main memory's:
 * the next one there begins later.
 */
static void await_finished(void)
{
	for (unsigned hart = 0; hart < co_harts(); hart++) {
		if (!co_hart_gone(hart))
			CHECK_EQ(test_join(test_spawn_on(hart, nothing, NULL)), 0);
	}
}

/* On this hart, and on another one. */
static void on_some_harts(void (*test)(unsigned hart))
{
	const unsigned far = far_hart();

	await_finished();

	struct use before[2] = { use_of(0), use_of(far) };

	test(0);
	test(far);
	check_use(0, &before[0]);
	check_use(far, &before[1]);
}

/* The same, and with a hart that is lost. */
static inline void on_some_harts_and_a_lost_one(void (*test)(unsigned hart))
{
	on_some_harts(test);
	if (!last_left())
		return;
	by_loss = true;
	test(last_left());
	by_loss = false;
}

/* A case that one of the two runs. */
#define TEST_ON_HARTS(id, runner)           \
	static void id##_on(unsigned hart); \
	TEST_FAULTY(id)                     \
	{                                   \
		runner(id##_on);            \
	}                                   \
	static void id##_on(unsigned hart)

#endif
