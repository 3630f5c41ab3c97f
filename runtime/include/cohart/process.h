/*
 * process.h - programs of many processes: main() starts on each compute hart, and each of these
 * ranks has static data of its own.
 *
 * An image of ranks is linked so (cohart-mpicc, docs/processes.md). On each compute hart, or on the
 * first N with --ranks=N, its main() runs as a coroutine named "rank 0", "rank 1", ... Each rank
 * has its own copy of the global and static variables of the program and its libraries, at equal
 * addresses; so a pointer to a static variable means another thing on each hart. Thread-local
 * variables are a hart's as ever; all ranks share the heap, the scratchpads, and variables of
 * cohart/local.h and CO_GUARDED().
 *
 * The runtime translates private addresses where it hands them to another hart or to an engine:
 * data that is read, written, printed, sent or moved may be a rank's own. An object that several
 * harts use (a channel, a team, a batch) may not (asserted): it goes to the heap, or is a
 * CO_NODE_LOCAL().
 *
 * Example: the rank after this one gets a number, in its own copy of a variable
 *	static int from_left;
 *	...
 *	unsigned next = (co_process_rank() + 1) % co_process_ranks();
 *
 *	*(int *)co_process_at(&from_left, next) = 42;
 *
 * Source: seed E2.
 */
#ifndef COHART_PROCESS_H
#define COHART_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include <cohart/detail/base.h>
#include <cohart/hart.h>

CO_BEGIN_C
#define CO_NO_RANK (~0u)

/* This hart's rank; CO_NO_RANK: it has none. Context: any. */
unsigned co_process_rank(void);

/* How many ranks there are; 0: this is no image of ranks. Context: any. */
unsigned co_process_ranks(void);

/* The hart of a rank that exists (asserted). Context: any. */
unsigned co_process_hart(unsigned rank);

/* The harts of all ranks, in their order: for a team of them. Context: any. */
struct co_scope co_process_scope(void);

/*
 * The harts that have the caller's static data mapped: its own, or with --ranks=groups all compute
 * harts of its group, where coroutines may use that data. Without a rank: none. Context: any.
 */
struct co_scope co_process_harts(void);

/* Does a byte of [p, p + bytes) lie in static data that each rank has for itself? Context: any. */
bool co_process_private(const void *p, size_t bytes);

/*
 * The address by which every hart finds the static data that the caller (co_process_public()) or a
 * given rank (co_process_at()) has at p. Any other address is returned as it is: also one that
 * other harts may not use (co_spm_shared()).
 * @param rank  one that exists (asserted where p is in a rank's own static data)
 * Context: any; co_process_public(): on a rank's hart (asserted for private addresses).
 */
void *co_process_public(const void *p);
void *co_process_at(const void *p, unsigned rank);

/*
 * Say whether other ranks need this rank: if it ends while they do, they are ended, too, and so is
 * the run. Nobody needs a rank at first.
 * Context: a rank's hart (asserted).
 */
void co_process_need(bool needed);
CO_END_C
#endif
