/*
 * stopwatch.h - how long it took, in time and, where they can be counted, instructions.
 *
 *	struct stopwatch w = stopwatch_start();
 *	... 100 round trips ...
 *	stopwatch_stop(&w);
 *	stopwatch_print(&w, 100, "%u round trips", 100);
 */
#ifndef TOUR_STOPWATCH_H
#define TOUR_STOPWATCH_H

#include <stdint.h>

struct stopwatch {
	uint64_t ticks; /* the start; after stopwatch_stop() the span */
	uint64_t instructions;
};

struct stopwatch stopwatch_start(void);
void stopwatch_stop(struct stopwatch *w);

/* The line above the numbers. */
void stopwatch_title(const char *title);

/*
 * Print one line: what was done, then the span divided by `times`. No instructions are shown if w
 * has none: set them to 0 where most of the time was sleep.
 * @param times  at least 1
 */
void stopwatch_print(const struct stopwatch *w, unsigned times, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

#endif
