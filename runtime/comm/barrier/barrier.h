/* barrier.h - the interface between barrier.c and scope.c. */
#ifndef COHART_COMM_BARRIER_H
#define COHART_COMM_BARRIER_H

#include <cohart/barrier.h>

#include "../../core/lf/barrier.h"

/* A member was ended: break b for all others. Context: any; waits for a lock, bounded. */
void co_barrier_break_for(const struct co_barrier *b, uint32_t member);

/* Is b one of the machine's barriers, and the hart of a member lost? */
bool co_barrier_has_lost(const struct co_barrier *b);

/* Set *b to the machine's barrier that has this member; false: none has. */
bool co_barrier_of_member(uintptr_t member, struct co_barrier *b);

#endif
