/*
 * inject.h - faults that a build with FAULTS=1 injects, by a seed. Other builds have none of it.
 *
 * Injected by default, at rates that --faults= may change: lost doorbells, spurious doorbells, late
 * wakes. A program may notice them by their delay alone. Injected on demand, by --faults= or by a
 * test: failing file calls, transfers and allocations, which return errors to their callers.
 *
 * Each hart has its own random numbers, so that a run is as repeatable as its harts.
 */
#ifndef COHART_INJECT_H
#define COHART_INJECT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <hal/ipi.h>

enum co_inject_kind {
	CO_INJECT_DOORBELL, /* a doorbell gets lost */
	CO_INJECT_SPURIOUS, /* a hart is rung for no reason */
	CO_INJECT_WAKE,     /* messages, wakes included, are taken one look later */
	CO_INJECT_FILE,     /* a call of the host (file, input, time) fails: -EIO */
	CO_INJECT_DMA,      /* a transfer fails: -EIO */
	CO_INJECT_MEMORY,   /* scratchpad, control blocks or stacks are exhausted */
	CO_INJECT_KINDS,
};

#ifdef CO_FAULTS

/* Inject this fault now? Context: any, on a hart that has booted. */
bool co_inject(enum co_inject_kind what);

/* One in `rate` from now on, on all harts; 0: none. */
void co_inject_rate(enum co_inject_kind what, uint32_t rate);

/* Only the n-th call from now on, counted over all harts. 0: none. */
void co_inject_nth(enum co_inject_kind what, uint32_t n);

/* How many faults of a kind were injected since the start. */
uint32_t co_inject_count(enum co_inject_kind what);

/*
 * Inject the faults of a list, "memory:20,doorbell=3" (one in 20, the third), until
 * co_inject_end(), which brings back earlier rates. False: the list is wrong. Context: hart 0.
 */
bool co_inject_begin(const char *list);
void co_inject_end(void);

/* Parse the option's text ("7", "7,doorbell:50,file:10"); an error ends the run. */
void co_inject_option(const char *text);

/* Now and then, ring a random hart. */
void co_ring_astray(void);

#define CO_FAULTS_ON 1

#else

static inline bool co_inject(enum co_inject_kind what)
{
	(void)what;
	return false;
}

static inline void co_ring_astray(void)
{
}

static inline bool co_inject_begin(const char *list)
{
	(void)list;
	return false;
}

static inline void co_inject_end(void)
{
}

#define CO_FAULTS_ON 0

#endif

/* hal_ipi_ring(), unless the doorbell is to get lost. */
static inline void co_ring(uintptr_t doorbell)
{
	if (CO_FAULTS_ON)
		co_ring_astray();
	if (!co_inject(CO_INJECT_DOORBELL))
		hal_ipi_ring(doorbell);
}

#endif
