/*
 * team.h - all compute harts, doing the same thing at the same time.
 *
 *	intptr_t *results = team_results();
 *	int r = team_run("square", square, results);   // square((void *)i) on the i-th compute hart
 */
#ifndef TOUR_TEAM_H
#define TOUR_TEAM_H

#include <stdint.h>

#include <cohart/cohart.h>

/* Find the compute harts. Once, before any other. Returns 0 or -ENOMEM. */
int team_init(void);

/* How many compute harts there are, at least 1. */
unsigned team_size(void);

/* The i-th compute hart, 0 <= i < team_size(). */
unsigned team_hart(unsigned i);

/*
 * One place for each; main memory, so every hart may write its own. Kept until the next team_run().
 */
intptr_t *team_results(void);

/*
 * Run fn((void *)i) as a coroutine on each compute hart, and wait for all.
 * @param results  fn's result for each i; NULL: not wanted
 * @return 0, or the negative errno number of what could not be done.
 */
int team_run(const char *name, co_fn *fn, intptr_t *results);

#endif
