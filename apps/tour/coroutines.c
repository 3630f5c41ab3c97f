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
#define ROUNDS 10u

static intptr_t square(void *arg)
{
	intptr_t n = (intptr_t)arg;

	return n * n;
}

static intptr_t sleeper(void *arg)
{
	(void)arg;
	return co_sleep_us(SLEEP_US);
}

/* Start one coroutine, take its result. */
static int square_on(unsigned hart, intptr_t n)
{
	struct co *c;
	intptr_t result;
	int r = co_spawn(&c, &(struct co_attr){ .name = "square", .on = CO_ON_HART(hart) }, square,
			 (void *)n);

	if (r == 0)
		r = co_join(c, &result);
	if (r)
		return r;
	return result == n * n ? 0 : -EIO;
}

/* A coroutine on every compute hart, one join for all. */
static int square_on_all(void)
{
	intptr_t *results = team_results();
	int r = team_run("square", square, results);

	for (unsigned i = 0; i < team_size() && r == 0; i++)
		if (results[i] != (intptr_t)i * (intptr_t)i)
			r = -EIO;
	return r;
}

/* The first time is not measured: an emulator translates the code then. */
static int show_one(void)
{
	unsigned hart = team_hart(0);
	int r = square_on(hart, 7);
	struct stopwatch w = stopwatch_start();

	for (unsigned n = 0; n < ROUNDS && r == 0; n++)
		r = square_on(hart, (intptr_t)n);
	stopwatch_stop(&w);
	if (r == 0)
		stopwatch_print(&w, ROUNDS, "spawn on hart %u, run, join (mean of %u)", hart,
				ROUNDS);
	return r;
}

static int show_batch(void)
{
	unsigned n = team_size();
	int r = square_on_all();
	struct stopwatch w = stopwatch_start();

	for (unsigned i = 0; i < ROUNDS && r == 0; i++)
		r = square_on_all();
	stopwatch_stop(&w);
	if (r)
		return r;
	stopwatch_print(&w, ROUNDS, "batch: one on each compute hart (%u), one join", n);
	stopwatch_print(&w, ROUNDS * n, "  the same, for each coroutine");
	return 0;
}

static int show_sleep(void)
{
	struct stopwatch w = stopwatch_start();
	int r = team_run("sleeper", sleeper, NULL);

	if (r)
		return r;
	stopwatch_stop(&w);
	w.instructions = 0;
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
