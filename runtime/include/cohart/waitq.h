/*
 * waitq.h - the data of those who wait: a queue, for wait.h, and a place for one alone. What is
 * done to them is in core/lf/waitq.h and core/lf/berth.h; no field is anybody else's.
 *
 * Both lie in memory that every hart may use, and outlive all who wait there and all who look
 * whether somebody does.
 */
#ifndef COHART_WAITQ_H
#define COHART_WAITQ_H

#include <cohart/atomic.h>

struct co_waiter;

/*
 * Coroutines that wait on one condition, longest first. Zero-filled is valid: nobody. How many is
 * bounded by the machine's coroutines alone: their nodes are their own.
 */
struct co_waitq {
	struct co_aword first; /* struct co_waiter *, or a lock bit: core/lf/waitq.h */
};

/*
 * Where one coroutine sleeps on a side of an object that has no more than one. The object begins
 * with it: reports name its address. Zero-filled is valid but for `kind`: nobody, and open.
 */
struct co_berth {
	struct co_aword sleeper; /* struct co *; whoever swaps it out ends its sleep */
	const char *kind;        /* what is waited for, for people */
	struct co_a32 shut;      /* it is closed, though a sleeper may be there once more */
};

#endif
