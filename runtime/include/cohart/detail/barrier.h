/*
 * barrier.h - the data of a barrier and of its members. The algorithms on it are in
 * core/lf/barrier.h; users have barrier.h.
 *
 * A member's data belongs in the public scratchpad of its hart: the member waits for its own flag
 * alone. Zero-filled is right: no member has arrived yet.
 */
#ifndef COHART_DETAIL_BARRIER_H
#define COHART_DETAIL_BARRIER_H

#include <cohart/atomic.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>

struct co_barrier;

struct co_barrier_member {
	/* Others write these. */
	alignas(CO_LINE) struct co_waitq queue; /* the member, while it waits */
	struct co_a32 flag;        /* the last episode that the member is released from */
	struct co_a32 arrived;     /* two for each arrival at and below this member */
	struct co_a32 broken;      /* not 0: a member has been ended */
	const void *object;        /* what reports call the barrier */
	struct co_cleanup cleanup; /* co_barrier_bind(); run is NULL if no coroutine is bound */
	/* The member writes these; others look for reports. */
	alignas(CO_LINE) struct co_a32 episode; /* of its last arrival */
	uint32_t member;                        /* its number */
	uint32_t below;                   /* how many members it releases after its own release */
	struct co_a32 *up;                /* the count in which it arrives */
	uint32_t full;                    /* how many members arrive there */
	struct co_aword who;              /* the struct co * that came last; + 1: and gave up */
	struct co_aword name;             /* const char *: its name */
	const struct co_barrier *barrier; /* as the member's hart sees it */
};

struct co_barrier {
	uint32_t members;
	uint32_t shift;                         /* 1 << shift hang on each member */
	struct co_barrier_member *first;        /* member 0's data, if all are in a row */
	uintptr_t stride;                       /* bytes from one member's to the next one's */
	struct co_barrier_member *const *table; /* or, unless NULL, where each one's is */
	struct co_a32 enrolled;
	uint32_t scope; /* of the machine's own barriers: enum co_barrier_scope + 1; else 0 */
};

#endif
