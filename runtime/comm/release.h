/*
 * release.h - what a coroutine holds of this layer's objects, and how that is let go of when a
 * fault has ended it, or its hart is lost. Context of all, unless it says so: itself, in its last
 * words; or hart 0, anywhere, and nobody waits for long.
 */
#ifndef COHART_COMM_RELEASE_H
#define COHART_COMM_RELEASE_H

struct co;
struct co_mutex;

/* Mutexes go to the next one, who is told. */
void co_mutexes_release(struct co *c);

/* m, which c of a lost hart waits for, may be c's since: it is handed on. */
void co_mutex_lost(struct co_mutex *m, struct co *c);

/* The barriers whose member it is break. */
void co_seats_release(struct co *c);

/* Its counted ends of channels, by the notes of them that others can read. On hart 0. */
void co_ends_lost(struct co *c);

#endif
