/*
 * scratchpads.c - the same place in every hart's scratchpad: harts that allocate alike can write
 * into each other's memory without asking where it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "stopwatch.h"
#include "team.h"

/* team place: what that hart allocated */
static unsigned **letterbox;

static intptr_t allocate(void *arg)
{
	uintptr_t i = (uintptr_t)arg;

	letterbox[i] = co_spm_alloc(CO_LINE, CO_LINE);
	return letterbox[i] ? 0 : -ENOMEM;
}

/* Put this hart's number in the next one's letterbox. */
static intptr_t deliver(void *arg)
{
	uintptr_t i = (uintptr_t)arg;
	unsigned next = team_hart((unsigned)(i + 1) % team_size());
	unsigned *theirs = co_spm_at(letterbox[i], next);

	*theirs = co_hart();
	return 0;
}

/* See who has been here. */
static intptr_t collect(void *arg)
{
	uintptr_t i = (uintptr_t)arg;
	unsigned before = team_hart((unsigned)(i + team_size() - 1) % team_size());
	bool right = *letterbox[i] == before;

	co_spm_free(letterbox[i]);
	return right ? 0 : -EIO;
}

/* A step on all compute harts, none of which may fail. */
static int step(const char *name, co_fn *fn)
{
	intptr_t *results = team_results();
	int r = team_run(name, fn, results);

	for (unsigned i = 0; i < team_size() && r == 0; i++)
		r = (int)results[i];
	return r;
}

static int ring(void)
{
	int r = step("allocate", allocate);

	for (unsigned i = 0; i < team_size() && r == 0; i++) {
		size_t first = (uintptr_t)letterbox[0] - (uintptr_t)co_spm_base(team_hart(0));
		size_t here = (uintptr_t)letterbox[i] - (uintptr_t)co_spm_base(team_hart(i));

		if (here != first)
			r = -EFAULT;
	}
	/* A join sees all that was written: between the steps nothing else is needed. */
	if (r == 0)
		r = step("deliver", deliver);
	return r ? r : step("collect", collect);
}

int show_scratchpads(void)
{
	stopwatch_title("scratchpads");
	letterbox = calloc(team_size(), sizeof(*letterbox));
	if (!letterbox)
		return -ENOMEM;
	struct stopwatch w = stopwatch_start();
	int r = ring();

	stopwatch_stop(&w);
	if (r == 0)
		stopwatch_print(
			&w, 1, "each compute hart (%u) wrote into the next one's, at +%#zx",
			team_size(),
			(size_t)((uintptr_t)letterbox[0] - (uintptr_t)co_spm_base(team_hart(0))));
	free(letterbox);
	return r;
}
