/*
 * signal.h - a note that something has happened: each that is sent is received once.
 *
 * Example
 *	static struct co_signal work, stop;      // zero-filled is valid: none sent
 *	... one, for each piece of work:         co_signal_send(&work);
 *	... another one, at the end:             co_signal_broadcast(&stop);
 *	... any number of others:
 *	struct co_signal *const either[] = { &stop, &work };
 *	while (co_signal_wait_any(either, 2) == 1)
 *		...
 *
 * A signal that is sent while nobody waits is kept, and counted. Fair: it goes to the coroutine
 * that has waited longest, and nobody gets in between. It lies in memory that every hart may use.
 * Built of atomic swaps alone.
 * Source: seed D3 (MP_send_signal, broadcast, wait, wait_any, drop), which gives the names; what
 * they mean here is said here.
 */
#ifndef COHART_SIGNAL_H
#define COHART_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/assert.h>
#include <cohart/detail/wait.h>
#include <cohart/time.h>

struct co_signal {
	struct co_waitq queue; /* waiters; its lock guards both */
	struct co_a32 kept;    /* sent, and not received: only while nobody waits */
};

/* The most signals that one wait can be for. */
#define CO_SIGNAL_ANY_MAX CO_WAIT_ANY_MAX

/*
 * Send one: to the longest waiter, or kept for the next one. At most 2^32 - 1 are kept (asserted).
 * Context: coroutine, or an inbox handler. Order: release; paired with the wait.
 * Cost: about 15 instructions when nobody waits. The signal is not touched after a waiter can run.
 */
void co_signal_send(struct co_signal *s);

/*
 * Send one to each that waits now; none is kept. The signal is not touched after one of them can
 * run; their nodes are.
 * @return how many that were
 * Context, Order: as above.
 */
unsigned co_signal_broadcast(struct co_signal *s);

/*
 * Receive one.
 * @return 0; -ECANCELED, -ETIMEDOUT (_until) at the deadline, also one that has passed; -EAGAIN
 *         (_try_) if none is kept. Except after 0 nothing was received.
 * Context: coroutine; _try_: also inbox handlers. Order: sees all that the sender wrote (acquire).
 */
CO_MUST_CHECK int co_signal_wait(struct co_signal *s);
CO_MUST_CHECK int co_signal_wait_until(struct co_signal *s, uint64_t deadline);
CO_MUST_CHECK int co_signal_try_wait(struct co_signal *s);

/*
 * Receive one of any of several; where several are kept, of the first in the list.
 * @param n  1..CO_SIGNAL_ANY_MAX (asserted)
 * @return its place in the list; -ECANCELED, -ETIMEDOUT as above; -EAGAIN if too many coroutines of
 *         this hart wait for several things. Then nothing was received.
 * Context: coroutine. Order: as above.
 */
CO_MUST_CHECK int co_signal_wait_any(struct co_signal *const signals[], unsigned n);
CO_MUST_CHECK int co_signal_wait_any_until(struct co_signal *const signals[], unsigned n,
					   uint64_t deadline);

/* Forget those that are kept. @return how many that were. Context: any. */
unsigned co_signal_drop(struct co_signal *s);

/* How many are kept, a moment ago. Context: any. */
unsigned co_signal_count(const struct co_signal *s);

#endif
