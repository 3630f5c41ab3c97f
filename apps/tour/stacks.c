/*
 * stacks.c - how deep the stacks have been, and what a coroutine costs.
 */
#include <stdio.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "team.h"

static intptr_t own_mark(void *arg)
{
	(void)arg;
	return (intptr_t)co_stack_high_water();
}

static intptr_t own_size(void *arg)
{
	(void)arg;
	return (intptr_t)co_stack_bytes();
}

int show_stacks(void)
{
	intptr_t *results = team_results();
	unsigned deepest = 0;
	struct co_spm_use use;
	int r = team_run("size", own_size, results);

	if (r)
		return r;
	intptr_t bytes = results[0];

	r = team_run("mark", own_mark, results);
	if (r)
		return r;
	for (unsigned i = 0; i < team_size(); i++)
		if (results[i] > results[deepest])
			deepest = i;
	co_spm_use(team_hart(deepest), &use);
	printf("\nstacks and scratchpads, the most ever used\n");
	printf("  main: %zu of %zu bytes of stack\n", co_stack_high_water(), co_stack_bytes());
	printf("  compute harts: %ld of %ld bytes of stack, on hart %u\n", (long)results[deepest],
	       (long)bytes, team_hart(deepest));
	printf("  its public scratchpad heap: %zu of %zu bytes, %zu in use now\n", use.high_water,
	       use.heap_bytes, use.used);
	printf("  a coroutine costs %zu bytes beside its stack\n", co_control_bytes());
	return 0;
}
