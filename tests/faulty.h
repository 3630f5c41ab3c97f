/* faulty.h - for tests: what ends its coroutine by a fault. */
#ifndef TESTS_FAULTY_H
#define TESTS_FAULTY_H

#include "harness/test.h"

#define WILD 0x23458 /* nothing is there on any board */

static volatile uintptr_t wild = WILD; /* so that the compiler cannot know */

/* On several harts at a time: ThreadSanitizer is not to take that for a race. */
#define NO_RACE __attribute__((no_sanitize("thread")))

NO_RACE CO_NORETURN static inline void fault_here(void)
{
	for (;;)
		*(volatile int *)wild = 1;
}

static inline intptr_t faulty(void *arg)
{
	(void)arg;
	fault_here();
}

__attribute__((noinline, unused)) static uint32_t deep(volatile uint32_t *above)
{
	volatile uint32_t here[256] = { *above };

	return *above == WILD ? 0 : deep(here) + here[1]; /* never: the value handed down is 0 */
}

static inline intptr_t overflows(void *arg)
{
	volatile uint32_t top = 0;

	(void)arg;
	return (intptr_t)deep(&top);
}

#endif
