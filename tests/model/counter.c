/*
 * counter.c - the model of core/sched/counter.c: the waiter sees all that the doers wrote, it does
 * not sleep on a count of zero, and when it is through, the counter's memory is nobody's any more.
 */
/* Sources: scheduler */
#include <cohart/coroutine.h>

#include "relacy/machine.h"

static struct co_counter counter;
static int work[MODEL_THREADS];

static void reset(unsigned threads)
{
	machine_reset(threads);
	memset(&counter, 0, sizeof(counter));
	memset(work, 0, sizeof(work));
	co_counter_add(&counter, threads - 1);
}

/* The last is a second waiter. */
static void second_waiter(unsigned threads)
{
	reset(threads);
	co_counter_done(&counter);
}

static void finish(unsigned i)
{
	co_plain_store(&work[i], 42);
	co_counter_done(&counter);
}

static void look(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		MODEL_CHECK(co_plain_load(&work[i]) == 42);
}

static void one(unsigned i)
{
	if (i) {
		finish(i);
	} else {
		MODEL_CHECK(co_counter_wait(&counter) == 0);
		look(1, 2);
		model_retire(&counter, sizeof(counter));
	}
}

static void two(unsigned i)
{
	if (i) {
		finish(i);
	} else {
		MODEL_CHECK(co_counter_wait(&counter) == 0);
		look(1, 3);
		model_retire(&counter, sizeof(counter));
	}
}

/* It gives up at its deadline, and comes back. */
static void deadline(unsigned i)
{
	if (i) {
		finish(i);
	} else {
		int r;

		machine_hasten();
		r = co_counter_wait_until(&counter, MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
		if (r)
			MODEL_CHECK(co_counter_wait(&counter) == 0);
		look(1, 2);
		model_retire(&counter, sizeof(counter));
	}
}

static void two_waiters(unsigned i)
{
	if (i == 1 || i == 2) {
		finish(i);
	} else {
		MODEL_CHECK(co_counter_wait(&counter) == 0);
		look(1, 3);
	}
}

/* What is done makes the next thing known: the count does not fall to zero in between. */
static void chain(unsigned i)
{
	if (i == 0) {
		MODEL_CHECK(co_counter_wait(&counter) == 0);
		look(1, 3);
		model_retire(&counter, sizeof(counter));
	} else if (i == 1) {
		co_counter_add(&counter, 1);
		co_counter_done(&counter);
		finish(i);
	} else {
		finish(i);
	}
}

const struct model models[] = {
	{ "one doer, one waiter", 2, reset, one, .bound = 4 },
	{ "two doers, one waiter", 3, reset, two, .bound = 2 },
	{ "a deadline in between", 2, reset, deadline, .bound = 2 },
	{ "two doers, two waiters", 4, second_waiter, two_waiters, .bound = 1 },
	{ "more to do comes up", 3, reset, chain, .bound = 2 },
	{ 0 },
};
