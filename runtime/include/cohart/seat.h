/*
 * seat.h - the data of a barrier: a seat for each member. The algorithms on it are in
 * core/lf/barrier.h; users have barrier.h.
 *
 * A seat belongs in the public scratchpad of its member's hart: the member waits on its own seat
 * alone, others write there and read nothing but how to wake it. Zero-filled seats are right:
 * nobody has come yet. All counts go up for ever, so a seat needs nothing between two episodes, and
 * a member that is ahead of another by one disturbs nothing.
 */
#ifndef COHART_SEAT_H
#define COHART_SEAT_H

#include <stdalign.h>
#include <stdint.h>

#include <cohart/atomic.h>
#include <cohart/cleanup.h>
#include <cohart/waitq.h>

#define CO_SEAT_ROUNDS 16 /* log2 of the most members a barrier can have */

struct co;

struct co_seat {
	/*
	 * What the member waits for: four times the number of an episode, and how it sleeps. A tree
	 * uses the first, written by whoever releases it; dissemination one a round, each with one
	 * writer. These share a line since each is written once an episode, for its one reader
	 * here.
	 */
	alignas(CO_LINE) struct co_a32 flag[CO_SEAT_ROUNDS];
	alignas(CO_LINE) struct co_a32
		arrived;       /* tree: one for each arrival at and below this seat */
	const void *of;        /* what reports call its barrier; constant, as is */
	uintptr_t bell;        /* what rings the member's hart, */
	struct co_aword quick; /* and whose hart, by its window, may go the short way; 0: none */
	/* co_barrier_bind(): */
	struct co *bound;          /* who is this member, */
	uint32_t member;           /* which member that is, */
	struct co_cleanup cleanup; /* and what becomes of that if it ends early */
	alignas(CO_LINE) struct co_a32
		episode;      /* of the member's last arrival; others look for reports */
	struct co_a32 step;   /* where a wait that was given up goes on, and CO_SEAT_BROKEN */
	struct co_waitq wait; /* the member */
	struct co_aword name; /* who came as this member, for reports: const char * */
	struct co_a32 hart;   /* where, + 1; 0: nobody yet */
	/* The member's, so that most arrivals need to work out nothing: */
	struct co_a32 *up;  /* where it counts itself, its own or the one above, */
	uint32_t full;      /* how many an episode make that full, */
	uint32_t passes_on; /* and whether others hang on it whom it must tell */
};

struct co_barrier {
	uint32_t members;
	uint32_t shift;        /* a tree in which 1 << shift hang on each; 0: dissemination */
	struct co_seat *seats; /* member 0's, */
	uintptr_t stride;      /* and so many bytes on the next one's; */
	struct co_seat *const *table; /* or, unless NULL, each one's */
	struct co_a32 enrolled;
	uint32_t scope; /* of a machine's own barrier: its enum co_barrier_scope + 1; else 0 */
};

#endif
