/*
 * waitq.h - the data of waiters: a queue, for wait.h. What is done to it is in
 * core/lf/waitq.h; no field is anybody else's.
 *
 * It lies in memory that every hart may use, and outlives all that wait there and all that look
 * whether somebody does.
 */
#ifndef COHART_WAITQ_H
#define COHART_WAITQ_H

#include <cohart/atomic.h>

struct co_waiter;

/*
 * What a waiter says that a waker may give a value of so many bytes: the one that has ended the
 * wait puts it into the waiter's control block.
 */
#define CO_WAITER_TAKES (1u << 16)
#define CO_WAITER_VALUE_BYTES 16

/*
 * Coroutines that wait on one condition, longest first. Zero-filled is valid: nobody. How many is
 * bounded by the machine's coroutines alone: their nodes are their own.
 */
struct co_waitq {
	struct co_aword first; /* struct co_waiter *, or a lock: core/lf/waitq.h */
};

#endif
