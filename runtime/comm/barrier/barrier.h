/* barrier.h - what the files of barriers know of each other. */
#ifndef COHART_COMM_BARRIER_H
#define COHART_COMM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/barrier.h>

#include "../../core/lf/barrier.h"

/* A member has been ended: it is broken for all. Context: any; waits for a lock, bounded. */
void co_barrier_break_for(const struct co_barrier *b, uint32_t member);

/* Is it one of the machine's, and a member's hart lost? */
bool co_barrier_has_lost(const struct co_barrier *b);

/* The machine's barrier whose member 0 that is; false: it is none's. */
bool co_barrier_of_member(uintptr_t member, struct co_barrier *b);

#endif
