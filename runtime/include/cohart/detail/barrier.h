/*
 * barrier.h - the data of a barrier and of its members. The algorithms on it are in core/lf/rest.h
 * and comm/barrier/; users have barrier.h.
 *
 * A member's data belongs in the public scratchpad of its hart: the member looks at its own data
 * alone. Zero-filled is right: no member has arrived yet.
 */
#ifndef COHART_DETAIL_BARRIER_H
#define COHART_DETAIL_BARRIER_H

#include <cohart/atomic.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>

/* So many members hang on one, at most: those of CO_BARRIER_CENTRAL. */
#define CO_BARRIER_BELOW (CO_REST_WORDS - 1)

struct co_barrier;

/*
 * A member's, used by one coroutine at a time. Episodes are numbered, and go round at 32 bits.
 */
struct co_barrier_member {
	/*
	 * word[0]: the last episode that this member is released from; the member above writes it,
	 * and this one if it goes on with another of its hart.
	 * word[1 + i]: the last one to which member i below has come, with all below that; it
	 * writes it. `value`: the episode of this member's last arrival.
	 */
	struct co_rest rest;
	/* Of those below, and then of the one above: its doorbell + 1, when it has come first. */
	struct co_aword ring_by[CO_BARRIER_BELOW + 1];
	/* The member writes these; others look for reports, and to ring it. */
	struct co_aword who;              /* the struct co * that came last; + 1: see barrier.c */
	struct co_aword name;             /* const char *: its name */
	const struct co_barrier *barrier; /* as the member's hart sees it */
	const void *object;               /* what reports call the barrier */
	uintptr_t doorbell;               /* as those below and above know it */
	uint32_t member;                  /* its number */
	uint32_t children;                /* how many hang on it */
	struct co_a32 *up;                /* its word at the member above; NULL: there is none */
	struct co_a32 *leaf_up;           /* the same; NULL also if others hang on it */
	struct co_barrier_member *below[CO_BARRIER_BELOW];
	struct co_cleanup cleanup; /* co_barrier_bind(); run is NULL if no coroutine is bound */
};

/* All members read it, and but for `enrolled` none writes it once it is made. */
struct co_barrier {
	uint32_t members;                       /* 1..CO_BARRIER_MAX */
	uint32_t shift;                         /* 1 << shift hang on each member, at most */
	struct co_barrier_member *first;        /* member 0's data, if all are in a row */
	uintptr_t stride;                       /* bytes from one member's to the next one's */
	struct co_barrier_member *const *table; /* or, unless NULL, where each one's is */
	struct co_a32 enrolled;                 /* numbers that co_barrier_enrol() has given */
	uint32_t scope; /* of the machine's own barriers: enum co_barrier_scope + 1; else 0 */
};

#endif
