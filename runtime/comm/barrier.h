/*
 * barrier.h - what the files of barriers know of each other.
 */
#ifndef COHART_COMM_BARRIER_H
#define COHART_COMM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/barrier.h>

#include "../core/lf/barrier.h"

/*
 * The one object that all members' reports name, and by which a barrier is found again. Each hart
 * has its own view of a machine's barrier: there it is the first seat.
 */
static inline const void *co_barrier_object(const struct co_barrier *b)
{
	return b->scope ? (const void *)co_seat_at(b, 0) : b;
}

/*
 * Here and below, `lost`: on behalf of a hart that has stopped, and maybe in the middle of one of
 * the queues: those are left alone. Without it a queue's lock is waited for.
 */

/*
 * A member that is dead may hold others up in its last episode, who hang on it: go on for it, now
 * if it has been told of that episode, else as soon as it is.
 */
void co_barrier_relay(const struct co_barrier *b, uint32_t member, bool lost);

/* The one that sits there has been told in that round, and is parked; or it is dead: as above. */
void co_barrier_wake_round(const struct co_barrier *b, struct co_seat *s, uint32_t round,
			   uint32_t episode, bool lost);

/*
 * Member `from` of a tree has been told, and is parked or dead; those behind it, up to `end`, have
 * not: tell them, too. @return 0, so that callers need not come back
 */
int co_barrier_wake_rest(const struct co_barrier *b, uint32_t from, uint32_t end, uint32_t episode,
			 bool lost);

/* A member has been ended: tell the others. Context: any; it does not wait, unless for a lock. */
void co_barrier_forsake(const struct co_barrier *b, uint32_t member, bool lost);

/* A hart is lost: the machine's barriers of which it is a member break. Context: hart 0, any. */

/* Is it the machine's, and a member's hart lost? */
bool co_barrier_has_lost(const struct co_barrier *b);

/* The machine's barrier that has its first seat there; false: none has. */
bool co_barrier_of_seat(uintptr_t seat, struct co_barrier *b);

#endif
