/*
 * team.c - see team.h.
 */
#include "team.h"

#include <errno.h>
#include <stdlib.h>

static unsigned *harts;
static unsigned size;
static intptr_t *places;

int team_init(void)
{
	harts = calloc(co_harts(), sizeof(*harts));
	places = calloc(co_harts(), sizeof(*places));
	if (!harts || !places)
		return -ENOMEM;
	for (unsigned h = 0; h < co_harts(); h++)
		if (co_hart_role(h) & CO_ROLE_COMPUTE)
			harts[size++] = h;
	return 0;
}

unsigned team_size(void)
{
	return size;
}

unsigned team_hart(unsigned i)
{
	return harts[i];
}

intptr_t *team_results(void)
{
	return places;
}

int team_run(const char *name, co_fn *fn, intptr_t *results)
{
	static struct co_batch batch; /* every hart counts it down: not on a scratchpad stack */
	int error = 0;

	for (unsigned i = 0; i < size && !error; i++)
		error = co_batch_spawn(
			&batch, &(struct co_attr){ .name = name, .on = CO_ON_HART(harts[i]) }, fn,
			(void *)(uintptr_t)i, results ? &results[i] : NULL);
	int r = co_batch_join(&batch); /* those that did start, also after an error */

	return error ? error : r;
}
