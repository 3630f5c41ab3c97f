/* queue.h - for tests that hold up or look at a queue of waiters. */
#ifndef TESTS_QUEUE_H
#define TESTS_QUEUE_H

#include "../runtime/core/lf/waitq.h"
#include "harness/test.h"

/* Sleep until n wait in q, to know their order. */
static inline void queue_await(struct co_waitq *q, uint32_t n)
{
	REQUIRE(AWAIT(co_waitq_count(q) >= n));
}

/* Who waited in the one queue that a test has locked; one at a time. */
static struct co_waiter *queue_first;

static inline void queue_lock(struct co_waitq *q)
{
	queue_first = co_waitq_lock(q);
}

static inline void queue_unlock(struct co_waitq *q)
{
	co_waitq_unlock(q, queue_first);
}

#endif
