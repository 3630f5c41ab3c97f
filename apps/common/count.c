/* count.c - see count.h. */
#include <cohart/cohart.h>

#include "count.h"

/* Instructions of a loop of a thousand turns, by the counter. Not inlined: one piece of code. */
static __attribute__((noinline)) uint64_t count_loop(void)
{
	uint64_t start = co_instructions();

	for (unsigned i = 0; i < 1000; i++)
		__asm__ volatile("" : : "r"(i)); /* keeps the compiler from dropping the turn */
	return co_instructions() - start;
}

/* A clock never gives a number three times. */
bool app_can_count(void)
{
	uint64_t n = count_loop();

	return n >= 1000 && n < 100000 && count_loop() == n && count_loop() == n;
}
