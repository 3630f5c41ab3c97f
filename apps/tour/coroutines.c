/*
 * coroutines.c - start them, wait for them, let them sleep.
 */
#include <errno.h>
#include <stdio.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "stopwatch.h"
#include "team.h"

#define SLEEP_US 2000

static intptr_t square(void *arg)
{
	intptr_t n = (intptr_t)arg;

	return n * n;
}

static intptr_t doze(void *arg)
{
	(void)arg;
	return co_sleep_us(SLEEP_US);
}

/* Start one coroutine, take its result. */
static int show_one(void)
{
	unsigned hart = team_hart(0);
	struct stopwatch w = stopwatch_start();
	struct co *c;
	intptr_t result;
	int r = co_spawn(&c, &(struct co_attr){ .name = "square", .on = CO_ON_HART(hart) }, square,
			 (void *)7);

	if (r)
		return r;
	r = co_join(c, &result);
	if (r)
		return r;
	stopwatch_stop(&w);
	stopwatch_print(&w, 1, "spawn on hart %u, run, join: 7 * 7 is %d", hart, (int)result);
	return result == 49 ? 0 : -EIO;
}

/* A coroutine on every compute hart, one join for all. */
static int show_batch(void)
{
	intptr_t *results = team_results();
	unsigned n = team_size();
	struct stopwatch w = stopwatch_start();
	int r = team_run("square", square, results);

	if (r)
		return r;
	stopwatch_stop(&w);
	for (unsigned i = 0; i < n; i++)
		if (results[i] != (intptr_t)i * i)
			return -EIO;
	stopwatch_print(&w, 1, "batch: one on each of %u compute harts, one join", n);
	stopwatch_print(&w, n, "  the same, for each coroutine");
	return 0;
}

static int show_sleep(void)
{
	struct stopwatch w = stopwatch_start();
	int r = team_run("doze", doze, NULL);

	if (r)
		return r;
	stopwatch_stop(&w);
	stopwatch_print(&w, 1, "all sleep %u us at the same time", SLEEP_US);
	return co_us(w.ticks) >= SLEEP_US ? 0 : -EIO;
}

int show_coroutines(void)
{
	stopwatch_title("coroutines");
	int r = show_one();

	if (r == 0)
		r = show_batch();
	return r ? r : show_sleep();
}
