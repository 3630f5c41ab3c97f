/*
 * barrier.h - the data of a barrier and of its members. Its algorithms are in core/lf/rest.h and
 * comm/barrier/; users have barrier.h.
 *
 * A member's data belongs in the public scratchpad of its hart: the member looks at its own data
 * alone. Zero-filled is valid: no member has arrived yet.
 */
#ifndef COHART_DETAIL_BARRIER_H
#define COHART_DETAIL_BARRIER_H

#include <cohart/atomic.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>

/* The most members below a member: the fan-in of CO_BARRIER_CENTRAL. */
#define CO_BARRIER_BELOW (CO_REST_WORDS - 1)

struct co_barrier;

/*
 * A member's data, used by one coroutine at a time. Episode numbers wrap at 32 bits.
 */
struct co_barrier_member {
	/*
	 * word[0]: the last episode that this member is released from; written by the member above,
	 * or by this member if it is member 0, or goes on with a released member of its hart.
	 * word[1 + i]: the last episode at which child i and all members below it have arrived;
	 * written by child i. `value`: the episode of this member's last arrival.
	 */
	struct co_rest rest;
	/* Doorbell + 1 of each child, and last of the member above; 0: not announced yet. */
	struct co_aword ring_by[CO_BARRIER_BELOW + 1];
	/* The member writes these fields; reports read them, and `who` is read to ring it. */
	struct co_aword who;              /* struct co *: the last arrival; flags in barrier.c */
	struct co_aword name;             /* const char *: the name of that coroutine */
	const struct co_barrier *barrier; /* as the member's hart sees it */
	const void *object;               /* the barrier's address in reports */
	uintptr_t doorbell;               /* as announced to the children and the member above */
	uint32_t member;                  /* its number */
	uint32_t children;                /* entries in `below` */
	struct co_barrier_member *above;  /* NULL: member 0 */
	struct co_a32 *up;                /* its word at the member above; NULL: member 0 */
	struct co_a32 *leaf_up;           /* `up` if it has no children; else NULL */
	struct co_barrier_member *below[CO_BARRIER_BELOW];
	struct co_cleanup cleanup; /* co_barrier_bind(); run is NULL if no coroutine is bound */
};

/* All members read it; after co_barrier_init() only `enrolled` is written. */
struct co_barrier {
	uint32_t members;                       /* 1..CO_BARRIER_MAX */
	uint32_t shift;                         /* log2 of the tree's fan-in */
	struct co_barrier_member *first;        /* member 0's data, if `table` is NULL */
	uintptr_t stride;                       /* bytes from a member's data to the next */
	struct co_barrier_member *const *table; /* addresses of all members' data; or NULL */
	struct co_a32 enrolled;                 /* numbers that co_barrier_enrol() has given */
	uint32_t scope; /* of the machine's own barriers: enum co_barrier_scope + 1; else 0 */
};

#endif
