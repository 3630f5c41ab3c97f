/* stay.h - for tests: coroutines that stay until they are let go. */
#ifndef TESTS_STAY_H
#define TESTS_STAY_H

#include "harness/test.h"

static struct co_a32 staying; /* how many have begun */
static struct co_a32 may_go;

/* From here on they stay. */
static inline void hold(void)
{
	co_atomic_store(&staying, 0, CO_RELAXED); /* spawning publishes both */
	co_atomic_store(&may_go, 0, CO_RELAXED);
}

static inline void let_go(void)
{
	co_atomic_store(&may_go, 1, CO_RELEASE); /* paired with stay() */
}

static inline intptr_t stay(void *arg)
{
	co_atomic_add(&staying, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&may_go, CO_ACQUIRE)) {
		if (co_sleep_us(500))
			break;
	}
	return (intptr_t)arg;
}

#endif
