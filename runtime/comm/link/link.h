/*
 * link.h - the two ends of a link.
 *
 * The memory that a lane (lf/lane.h) shares between the two sides is two blocks of scratchpad: the
 * receiver's end with a place and slots for each sender, and a sender's end with its
 * acknowledgements. Messages pass without a lock. The lock of a queue also guards the words that
 * its waiters look at: the lock of the link's `opening` guards `rx` and `broken`, the lock of the
 * receiver's `wait` guards the places. A caller that needs both takes `opening` first.
 *
 * The receiver's block goes back to its hart when it and all its senders have closed. A sender's
 * block goes back when it closes, if the receiver has closed or has received all its messages; else
 * when the receiver closes or the next sender takes the place.
 *
 * Each place is a lane: comm/lane/lane.h says how its sides sleep.
 */
#ifndef COHART_COMM_LINK_H
#define COHART_COMM_LINK_H

#include <limits.h>

#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>
#include <cohart/link.h>

#include "../../core/core.h"
#include "../lane/lane.h"

/* The `hart` of a closed end. */
#define CO_LINK_CLOSED UINT_MAX

enum co_link_place {
	CO_LINK_FREE, /* never used */
	CO_LINK_TAKEN,
	CO_LINK_LEFT, /* its sender has closed */
	CO_LINK_LOST, /* its sender's hart is lost: never used again */
};

/*
 * With a timeline the flag of a sender (struct co_link_from.wake) is always raised, by this, so
 * that the receiver takes the slow path with each message.
 */
#define CO_LINK_NOTED 4u
static inline uint32_t co_link_noted(void)
{
	return co_executor.trace ? CO_LINK_NOTED : 0;
}

/* What both ends begin with. */
struct co_link_end {
	struct co_msg msg; /* first; takes the unused end back to its hart */
	unsigned hart;
	struct co_cleanup cleanup; /* its run is NULL if the end is not bound */
};

/* A sender's end. */
struct co_link_tx {
	struct co_link_end end;
	bool reserved; /* a slot is reserved and not committed yet */
	uint32_t depth;
	struct co_lane_cursor cursor;
	uint32_t at_once; /* `depth`; with a timeline 0, so that all sends take the slow path */
	uintptr_t words;
	struct co_link *link;
	struct co_link_rx *rx;
	struct co_link_from *from;
	alignas(CO_LINE) struct co_lane_ack ack; /* the receiver writes */
	struct co_lane_waiter receiver;
};

/* The receiver's side of a sender. */
struct co_link_from {
	struct co_lane_cursor cursor;
	struct co_lane_ack *ack;   /* in its sender's end */
	struct co_link_from *next; /* the sender whose turn is next */
	struct co_a32 wake;        /* how to wake the sender; it sets, the receiver clears */
	unsigned number;
	struct co_waitq room; /* where the sender sleeps, unless it is called */
	struct co_lane_waiter sender;
	/* The receiver's lock guards `place` and `tx`. */
	enum co_link_place place;
	struct co_link_tx *tx; /* has the place, or has left it with messages not received yet */
};

/* The receiver's end; the slots of each sender come after the last `from`. */
struct co_link_rx {
	struct co_link_end end;
	bool closed;               /* under the lock */
	unsigned users;            /* ends that need this memory; under the lock */
	struct co_a32 left;        /* senders that have not closed; written under the lock */
	struct co_link_from *turn; /* the sender that the next look begins with */
	struct co_link_from *last;
	struct co_link_from *peeked; /* the sender whose message is not released yet */
	uintptr_t words;
	uint32_t depth;
	struct co_link *link;
	struct co_waitq wait; /* where the receiver sleeps, unless it is called */
	struct co_link_from from[];
};

#endif
