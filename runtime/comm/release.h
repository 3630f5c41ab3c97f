/*
 * release.h - what a coroutine holds of this layer's objects, and how that is let go of when a
 * fault has ended it, or its hart is lost. Context of all, unless it says so: itself, in its last
 * words; or hart 0, anywhere, and nobody waits for long.
 */
#ifndef COHART_COMM_RELEASE_H
#define COHART_COMM_RELEASE_H

#include <stdbool.h>

struct co;
struct co_chan;
struct co_mutex;

/* Mutexes go to the next one, who is told. The second one is hart 0's, for a lost hart's. */
void co_mutexes_release(struct co *c);
void co_mutexes_lost(struct co *c);

/*
 * m, for which c of a lost hart waits, or did as the last thing, may be c's since: it is handed on.
 */
void co_mutex_lost(struct co_mutex *m, struct co *c);

/* The barriers whose member it is break. `lost`: hart 0 says so, its own is lost. */
void co_seats_release(struct co *c, bool lost);

/*
 * On behalf of a lost hart: is c there, and can all its queues be used? Else it is left alone, and
 * a line says so (co_lost_queue()). On hart 0.
 */
bool co_chan_lost_usable(struct co_chan *c);

/* Its counted ends of channels, by the notes of them that others can read. On hart 0. */
void co_ends_lost(struct co *c);

#endif
