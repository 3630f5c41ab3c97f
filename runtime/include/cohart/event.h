/*
 * event.h - a flag to wait for: set or not, for everybody.
 *
 * Example
 *	static struct co_event loaded;      // zero-filled is valid: not set
 *	... one, when it is so:             co_event_set(&loaded);
 *	... any number of others:           int r = co_event_wait(&loaded);
 *	... to begin anew:                  co_event_drop(&loaded);
 *
 * Set lasts until it is dropped: later ones do not wait. All that wait when it is set go
 * on, all of them, even if it is dropped before they run.
 *
 * It lies in memory that every hart may use, and outlives the calls that set it: for one shot in
 * memory that goes away after the wait, take a counter (counter.h).
 * Source: seed D3 (MP_set_event, MP_wait_event, MP_drop_event).
 */
#ifndef COHART_EVENT_H
#define COHART_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/assert.h>
#include <cohart/detail/waitq.h>
#include <cohart/time.h>

struct co_event {
	struct co_a32 set;     /* 1: it is */
	struct co_waitq queue; /* of waiters; its lock makes "not set: enter" one step */
};

/*
 * Set it, and wake all that wait. Setting what is set changes nothing.
 * Context: any. Order: release, to its waiters and to the one that drops it. Cost: 4 instructions
 * if it is set already.
 */
void co_event_set(struct co_event *e);

/*
 * Not set any more. So a worker that is notified of work by an event drops it first, then looks for
 * work: what was there when somebody set it, or found it set, is seen, and what comes later sets it
 * again.
 * Context: any. Order: acquire; paired with co_event_set().
 */
void co_event_drop(struct co_event *e);

/* A moment ago, was it? Context: any. Order: acquire; paired with co_event_set(). */
bool co_event_is_set(const struct co_event *e);

/*
 * Wait until it is set, or was set since the call began.
 * @return 0; -ECANCELED; -ETIMEDOUT (_until) at the deadline, also one that has passed.
 * Context: coroutine. Order: sees all that the setter wrote (acquire; paired with co_event_set()).
 */
CO_MUST_CHECK int co_event_wait(struct co_event *e);
CO_MUST_CHECK int co_event_wait_until(struct co_event *e, uint64_t deadline);

#endif
