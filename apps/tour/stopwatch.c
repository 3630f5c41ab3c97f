/*
 * stopwatch.c - see stopwatch.h.
 */
#include "stopwatch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cohart/cohart.h>

struct stopwatch stopwatch_start(void)
{
	return (struct stopwatch){ .instructions = co_instructions(), .ticks = co_now() };
}

void stopwatch_stop(struct stopwatch *w)
{
	w->ticks = co_now() - w->ticks;
	w->instructions = co_instructions() - w->instructions;
}

/*
 * Instructions that a loop of a thousand turns takes, by the counter. Not inlined: one piece of
 * code.
 */
static __attribute__((noinline)) uint64_t count_loop(void)
{
	uint64_t start = co_instructions();

	for (unsigned i = 0; i < 1000; i++)
		__asm__ volatile("" : : "r"(i)); /* keeps the compiler from dropping the turn */
	return co_instructions() - start;
}

/*
 * An emulator that does not count instructions shows some clock instead: then the same loop does
 * not give the same number each time.
 */
static bool can_count(void)
{
	static int known; /* 1: yes, -1: no */

	if (!known) {
		uint64_t n = count_loop();

		known = n >= 1000 && n < 100000 && count_loop() == n && count_loop() == n ? 1 : -1;
	}
	return known > 0;
}

void stopwatch_title(const char *title)
{
	printf("\n%-62s %9s%s\n", title, "us", can_count() ? "  instructions" : "");
}

void stopwatch_print(const struct stopwatch *w, unsigned times, const char *what, ...)
{
	char text[80];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof(text), what, args);
	va_end(args);
	uint64_t tenths = co_us(10 * w->ticks) / times;

	printf("  %-60s %7" PRIu64 ".%u", text, tenths / 10, (unsigned)(tenths % 10));
	if (can_count() && w->instructions)
		printf("  %12" PRIu64, w->instructions / times);
	putchar('\n');
}
