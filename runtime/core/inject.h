/*
 * inject.h - faults that a build with FAULTS=1 brings about, drawn from a seed. In other builds
 * there is nothing of it.
 *
 * What goes by itself, at rates that --faults= may change: rings that get lost, rings for nothing,
 * wakes that come late. No program may notice them, but by time. What happens only when it is asked
 * for, by --faults= or by a test: file calls, transfers and allocations that fail. Their callers
 * are notified.
 *
 * Each hart draws from numbers of its own, so that a run repeats where harts do.
 */
#ifndef COHART_INJECT_H
#define COHART_INJECT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <hal/ipi.h>

enum co_inject_kind {
	CO_INJECT_DOORBELL, /* a doorbell is rung, and nobody hears it */
	CO_INJECT_SPURIOUS, /* a hart is rung for nothing */
	CO_INJECT_WAKE,     /* messages, wakes among them, are left until the next look */
	CO_INJECT_FILE,   /* a call of the host's fails, with a file, for input or the time: -EIO */
	CO_INJECT_DMA,    /* a transfer fails: -EIO */
	CO_INJECT_MEMORY, /* scratchpad, a control block or a stack is not to be had */
	CO_INJECT_KINDS,
};

#ifdef CO_FAULTS

/* Does it happen now? Context: any, on a hart that has booted. */
bool co_inject(enum co_inject_kind what);

/* One in `rate` from now on, on all harts; 0: none. */
void co_inject_rate(enum co_inject_kind what, uint32_t rate);

/* The n-th call from now on, and no other: on all harts together. 0: none. */
void co_inject_nth(enum co_inject_kind what, uint32_t n);

/* How often it has happened since the start. */
uint32_t co_inject_count(enum co_inject_kind what);

/* What follows --faults=: "7", "7,doorbell:50,file:10"; dies if it makes no sense. */
void co_inject_option(const char *text);

/* Ring a hart that has nothing to do with it, now and then. */
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

#define CO_FAULTS_ON 0

#endif

/* 0, or -EIO if it happens now: a number like the host's own, so that callers look at it alike. */
static inline int co_inject_error(enum co_inject_kind what)
{
	return co_inject(what) ? -EIO : 0;
}

/* hal_ipi_ring(), unless that is to fail. */
static inline void co_ring(uintptr_t doorbell)
{
	if (CO_FAULTS_ON)
		co_ring_astray();
	if (!co_inject(CO_INJECT_DOORBELL))
		hal_ipi_ring(doorbell);
}

#endif
