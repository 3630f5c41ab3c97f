/*
 * lane.h - one sender, one receiver, K messages under way; each side reads its own memory only.
 *
 * A lane has K slots that both sides use in turn. `ready` and the message lie in the receiver's
 * memory; `acked`, the number of messages that the receiver has read, lies in the sender's: each
 * side reads its own memory only, and only writes its peer's. (Correctness does not depend on where
 * they lie.) Links, teams and messages have lanes; comm/lane/lane.h is how their sides sleep.
 *
 * No lost wake-up, without reading the peer's memory: a side about to sleep raises its flag `wake`
 * in the peer's memory, then looks at its own word (`ready` or `acked`) once more; the peer writes
 * that word, then looks at the flag. All four accesses are seq_cst, so the side about to sleep sees
 * the word, or its peer sees the flag. (A mark in `ready` or `acked` would do with fewer fences,
 * but the side that writes these would have to read them remotely.)
 *
 * Loads and stores alone, but for the swap that lowers a flag. Source: seed C1, C2, C3; the flags
 * are ours.
 */
#ifndef COHART_LF_LANE_H
#define COHART_LF_LANE_H

#include <cohart/atomic.h>

/* A slot for one message, in the receiver's memory. */
struct co_lane_slot {
	struct co_a32 ready; /* 1: the message is there; the sender sets, the receiver clears */
	uintptr_t msg[];
};

/* Values of a flag: how to wake the side that has raised it. */
#define CO_LANE_QUEUED 1u /* it may sleep in its queue */
#define CO_LANE_CALLED 2u /* or where it stands: its hart is called (lf/rest.h) */

/* In the sender's memory. */
struct co_lane_ack {
	struct co_a32 acked; /* number of messages that the receiver has read; it writes */
	struct co_a32 wake;  /* how to wake the receiver; it sets, the sender clears */
};

/* Added to `acked` when the receiver has closed: no sender is ever so far ahead. */
#define CO_LANE_SHUT 0x80000000u

/* The next slot of a side, and the number of messages that have passed. Used by that side only. */
struct co_lane_cursor {
	struct co_lane_slot *slot;
	uint32_t count;   /* wraps */
	uintptr_t stride; /* bytes from slot to slot */
	uintptr_t first, end;
};

static inline void co_lane_cursor_init(struct co_lane_cursor *l, void *slots, uint32_t stride,
				       uintptr_t k)
{
	l->slot = (struct co_lane_slot *)slots;
	l->count = 0;
	l->stride = stride;
	l->first = (uintptr_t)slots;
	l->end = (uintptr_t)slots + stride * k;
}

static inline void co_lane_cursor_next(struct co_lane_cursor *l)
{
	uintptr_t next = (uintptr_t)l->slot + l->stride;

	l->count++;
	l->slot = (struct co_lane_slot *)(next == l->end ? l->first : next);
}

/* How many of `sent` messages are under way; CO_LANE_SHUT or more if the receiver has closed. */
static inline uint32_t co_lane_under_way(struct co_lane_ack *a, uint32_t sent)
{
	/* acquire: the slot was read, and the flag cleared; pairs with co_lane_acknowledge(). */
	return sent - co_atomic_load(&a->acked, CO_ACQUIRE);
}

/* May the sender fill its slot? At most k messages are under way, CO_LANE_SHUT - 1 at most. */
static inline bool co_lane_has_room(struct co_lane_ack *a, uint32_t sent, uint32_t k)
{
	return co_lane_under_way(a, sent) < k;
}

/* Is the lane still full, and open? For a sender that has raised its flag. */
static inline bool co_lane_full_now(struct co_lane_ack *a, uint32_t sent, uint32_t k)
{
	/* seq_cst: after the flag; pairs with co_lane_acknowledge(). */
	uint32_t n = sent - co_atomic_load(&a->acked, CO_SEQ_CST);

	return n >= k && n < CO_LANE_SHUT;
}

/* Messages move by words, at least one. */
static inline void co_lane_copy(uintptr_t *to, const uintptr_t *from, uintptr_t words)
{
	do
		*to++ = *from++;
	while (--words);
}

/* Publish the message in a slot. */
static inline void co_lane_publish(struct co_a32 *ready)
{
	/*
	 * seq_cst: releases the message to co_lane_came()'s acquire, and comes before the look
	 * whether the receiver sleeps; pairs with co_lane_came_now().
	 */
	co_atomic_store(ready, 1, CO_SEQ_CST);
}

/* Is there a message in a slot? */
static inline bool co_lane_came(const struct co_a32 *ready)
{
	/* acquire: the message is there; pairs with co_lane_publish(). */
	return co_atomic_load(ready, CO_ACQUIRE) != 0;
}

/* Is there a message, for a receiver that has raised its flag? */
static inline bool co_lane_came_now(const struct co_a32 *ready)
{
	/* seq_cst: after the flag; pairs with co_lane_publish(). */
	return co_atomic_load(ready, CO_SEQ_CST) != 0;
}

/* Free a slot whose message was read; co_lane_acknowledge() is to follow. */
static inline void co_lane_free(struct co_a32 *ready)
{
	/* relaxed: the acknowledgement publishes it. */
	co_atomic_store(ready, 0, CO_RELAXED);
}

/* Acknowledge messages up to number `count`; plus CO_LANE_SHUT: the sender sends no more. */
static inline void co_lane_acknowledge(struct co_lane_ack *a, uint32_t count)
{
	/*
	 * seq_cst: releases the slots to co_lane_under_way()'s acquire, and comes before the look
	 * whether the sender sleeps; pairs with co_lane_full_now().
	 */
	co_atomic_store(&a->acked, count, CO_SEQ_CST);
}

/* co_lane_acknowledge() to a sender that never sleeps for room: a plain store. */
static inline void co_lane_credit(struct co_lane_ack *a, uint32_t count)
{
	/* release: the slots; pairs with co_lane_under_way(). */
	co_atomic_store(&a->acked, count, CO_RELEASE);
}

/* Free the slot of a message that was read, acknowledge the message, and go to the next. */
static inline void co_lane_done(struct co_lane_cursor *l, struct co_lane_ack *a)
{
	co_lane_free(&l->slot->ready);
	co_lane_cursor_next(l);
	co_lane_acknowledge(a, l->count);
}

/* This side is about to sleep: raise its flag. It must look once more before it sleeps. */
static inline void co_lane_ask(struct co_a32 *wake, uint32_t how)
{
	/* seq_cst: before the look; pairs with co_lane_asked(). */
	co_atomic_store(wake, how, CO_SEQ_CST);
}

/*
 * May the peer be asleep? Then lower its flag. Returns the ways in which the caller has to wake the
 * peer (CO_LANE_QUEUED, CO_LANE_CALLED); 0: none.
 */
static inline uint32_t co_lane_asked(struct co_a32 *wake)
{
	/* seq_cst: after the word that the peer waits for; pairs with co_lane_ask(). */
	if (!co_atomic_load(wake, CO_SEQ_CST))
		return 0;
	/*
	 * acquire: the peer may just have raised its flag anew, to be woken in another way. The
	 * value that the swap finds says how to wake it, and its writes before it raised the flag
	 * are seen. Pairs with co_lane_ask().
	 */
	return co_atomic_swap(wake, 0, CO_ACQUIRE);
}

#endif
