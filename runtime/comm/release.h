/*
 * release.h - what a coroutine holds of this layer's objects, and how that is let go of when a
 * fault has ended it. Context of all: itself, in its last words.
 */
#ifndef COHART_COMM_RELEASE_H
#define COHART_COMM_RELEASE_H

struct co;

/* Mutexes go to the next one, who is told. */
void co_mutexes_release(struct co *c);

/* The barriers whose member it is break. */
void co_seats_release(struct co *c);

#endif
