/*
 * machine.h - a machine whose harts are the model's threads, for the runtime's own files to run on.
 *
 * Each hart runs a coroutine, the thread; the first may run one more: OF_ONE_HART. Doorbells hand
 * over nothing but the ring. A hart's clock stands still until it sleeps to its deadline, or until
 * machine_hasten() lets it jump there, at any moment. Thread i is hart i + 1: hart 0 looks after
 * stuck machines, which is not for these models.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <errno.h>
#include <string.h>

#include "core/core.h"
#include "core/hook.h"
#include "model.h"

/* In before(): memory as after a reset, all harts up. Each thread begins as a coroutine. */
void machine_reset(unsigned threads);
/* In before(), where harts serve each other by messages: none stops before all have ended. */
void machine_expect(void);
/* In before(): all harts note their events, as with a timeline (core/timeline.h). */
void machine_note(void);
/* The coroutine of a thread. */
struct co *machine_co(unsigned thread);
/*
 * Thread 0 plays parts a and b of a model, b by a second coroutine, which begins when the first one
 * waits; the other threads play the other parts. Contexts are switched as in a program of this PC.
 */
void machine_share(void (*part)(unsigned), unsigned i, unsigned a, unsigned b);
#define OF_ONE_HART(name, part, a, b)         \
	static void name(unsigned i)          \
	{                                     \
		machine_share(part, i, a, b); \
	}
/* This hart's clock may jump beyond MACHINE_DEADLINE whenever it is looked at. */
void machine_hasten(void);
#define MACHINE_DEADLINE 1000

#endif
