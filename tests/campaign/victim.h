/*
 * victim.h - the coroutine whose code the campaign damages, a bit a run.
 *
 * All it touches is in its job: so what it may reach when it is confined can be said in one line,
 * and a flip that makes it write elsewhere is seen by the others.
 */
#ifndef CAMPAIGN_VICTIM_H
#define CAMPAIGN_VICTIM_H

#include <stdint.h>

#define VICTIM_KEYS 96
#define VICTIM_SIDE 8
#define VICTIM_TEXT 64

struct job {
	void (*pause)(void); /* gives way, as good code does between pieces */
	uint32_t seed;
	uint32_t key[VICTIM_KEYS];
	int32_t a[VICTIM_SIDE][VICTIM_SIDE];
	int32_t b[VICTIM_SIDE][VICTIM_SIDE];
	int32_t product[VICTIM_SIDE][VICTIM_SIDE];
	char text[VICTIM_TEXT];
	uint32_t digest; /* of all of them, at the end */
};

/* Fill the job, sort, multiply, write numbers out, and digest what came of it: a co_fn. */
intptr_t victim_run(void *job);

#endif
