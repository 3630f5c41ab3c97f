/*
 * waitq.h - the data of a queue of waiters; what can be done with it is in wait.h.
 */
#ifndef COHART_WAITQ_H
#define COHART_WAITQ_H

#include <cohart/atomic.h>

struct co_waiter;

/* Coroutines that wait on one condition, longest first. Zero-filled is valid: nobody. */
struct co_waitq {
	struct co_a32 lock;    /* guards the list; held for a few instructions */
	struct co_a32 waiters; /* how many are in the list: the waker's cheap look */
	struct co_waiter *head;
	struct co_waiter *tail;
};

#endif
