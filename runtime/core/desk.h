/*
 * desk.h - where a hart's worker, a coroutine that waits for parts of loops, finds the next one.
 * Loops: runtime/data/member.c.
 */
#ifndef COHART_DESK_H
#define COHART_DESK_H

#include <stdalign.h>
#include <stdint.h>

#include <cohart/wait.h>

/* The word: what is there for the worker, or how it sleeps: CO_NAP_BIT or this. */
#define CO_DESK_JOB 1u
#define CO_DESK_PARKED 4u
#define CO_DESK_NAP 8u /* what a nap's number counts in: no two naps have the same word */

/*
 * Who has taken the worker's bit (crew, member.c) writes the job, then swaps the word: until the
 * worker gives that bit back these two are alone with it.
 */
struct co_desk {
	struct co_a32 word;
	void *loop;
	struct co_waiter *sleeper; /* CO_DESK_PARKED: its wait */
	uintptr_t part[21];        /* struct co_part: what the worker is at; for reports too */
};

#endif
