/*
 * ring.h - the slots of a bounded ring: what all ways of claiming one have in common.
 *
 * A sender claims a slot, fills it and commits it; a receiver claims one, reads and releases. A
 * slot's stamp says whose turn it is, so payloads are handed over slot by slot, and parties that
 * claimed later may be done earlier. How slots are claimed is in spsc.h (one side has one member),
 * mpmc.h (compare-and-swap), ticket.h (adds whose result is used, by both sides or
 * none: there nobody waits by a mark). No function here waits.
 *
 * No lost wake-up: a side that wants to sleep enters a queue, then marks the slot that its side
 * comes to next, and looks at the stage that it had at that moment; a commit or release of the slot
 * finds the mark in the stamp that it swaps out, and wakes. Mark and swap are on one word, so one
 * of them comes first. A mark says that there is a waiter, not which: both queues are looked at. It
 * is the woken one's duty to mark the next slot if others wait still (comm/channel/).
 *
 * Source: stamps after D. Vyukov's bounded MPMC queue (1024cores.net), the idea; laps of any
 * capacity, zero-filled start, close and marks are ours.
 */
#ifndef COHART_LF_RING_H
#define COHART_LF_RING_H

#include <cohart/detail/ring.h>

struct co_slot {
	struct co_aword stamp;
	/* the payload follows, 8 bytes from the slot's start */
};

/* A slot, and the stamp at the side's turn: the lap to fill it, lap + CO_RING_FULL to read it. */
struct co_claimed {
	struct co_slot *slot;
	uintptr_t stamp;
};

static inline void *co_slot_payload(struct co_slot *s)
{
	return (unsigned char *)s + sizeof(uint64_t);
}

static inline uintptr_t co_ring_place(const struct co_ring *r, uintptr_t pos)
{
	return pos & r->mask;
}

/* The lap number of a position, with the position's flags. */
static inline uintptr_t co_ring_lap_of(const struct co_ring *r, uintptr_t pos)
{
	return pos - co_ring_place(r, pos);
}

/*
 * The slot at position pos, with the stamp of its turn; `stage`: 0 to fill it, CO_RING_FULL to read
 * it.
 */
static inline struct co_claimed co_ring_at(const struct co_ring *r, uintptr_t pos, uintptr_t stage)
{
	uintptr_t place = co_ring_place(r, pos);

	return (struct co_claimed){ (struct co_slot *)(void *)(r->slots +
							       place / CO_RING_STEP * r->stride),
				    pos - place + stage };
}

/*
 * The position after pos, whose place is known: the next slot, or the first one of the next lap.
 * `last`: r->last.
 */
static inline uintptr_t co_ring_next(const struct co_ring *r, uintptr_t pos, uintptr_t place,
				     uintptr_t last)
{
	return place != last ? pos + CO_RING_STEP : pos - place + r->lap;
}

/* The position itself, or, if its place has no slot, the next one that has. */
static inline uintptr_t co_ring_skip(const struct co_ring *r, uintptr_t pos)
{
	return co_ring_place(r, pos) <= r->last ? pos : co_ring_lap_of(r, pos) + r->lap;
}

static inline size_t co_ring_capacity(const struct co_ring *r)
{
	return r->last / CO_RING_STEP + 1;
}

/* How many laps further `tail` is. */
static inline intptr_t co_ring_laps(const struct co_ring *r, uintptr_t head, uintptr_t tail)
{
	return (intptr_t)(co_ring_lap_of(r, tail) - co_ring_lap_of(r, head)) / (intptr_t)r->lap;
}

/*
 * How many slots lie between two positions that have one: 0 if tail comes before head, at most the
 * capacity. A guess, unless both positions are of one moment.
 */
static inline size_t co_ring_between(const struct co_ring *r, uintptr_t head, uintptr_t tail)
{
	uintptr_t capacity = co_ring_capacity(r);
	intptr_t slots = ((intptr_t)co_ring_place(r, tail) - (intptr_t)co_ring_place(r, head)) /
			 CO_RING_STEP;
	intptr_t n =
		(intptr_t)((uintptr_t)co_ring_laps(r, head, tail) * capacity + (uintptr_t)slots);

	return n < 0 ? 0 : (uintptr_t)n > capacity ? capacity : (uintptr_t)n;
}

/*
 * How many slots for payloads of `payload` bytes fit in `bytes`; CO_RING_STRIDE(payload) must not
 * wrap.
 */
static inline size_t co_ring_fit(size_t bytes, size_t payload)
{
	return bytes / CO_RING_STRIDE(payload);
}

static inline intptr_t co_ring_ahead(uintptr_t stamp, struct co_claimed h)
{
	return (intptr_t)((stamp & ~CO_RING_WAITED) - h.stamp);
}

/* < 0: it is not this turn yet; 0: it is; > 0: it was, and another has had it. */
static inline intptr_t co_ring_turn(struct co_claimed h)
{
	/*
	 * acquire: the slot's last user does not use the payload any more; pairs with
	 * co_ring_commit(), co_ring_release() and co_ticket_pass().
	 */
	return co_ring_ahead(co_atomic_load(&h.slot->stamp, CO_ACQUIRE), h);
}

/* Does the stamp differ from `wanted`, by more than the mark? It mostly does not. */
static inline bool co_ring_differs(uintptr_t stamp, uintptr_t wanted, uintptr_t mark)
{
	return __builtin_expect(stamp != wanted, 0) && (stamp ^ wanted) != mark;
}

/* Is it this turn? `mark`: CO_RING_WAITED, if the slot may be marked, or 0. */
static inline bool co_ring_is_turn(struct co_claimed h, uintptr_t mark)
{
	/* acquire: as in co_ring_turn(). */
	return !co_ring_differs(co_atomic_load(&h.slot->stamp, CO_ACQUIRE), h.stamp, mark);
}

/* The payload is in place. True: a coroutine may wait for that. */
static inline bool co_ring_commit(struct co_claimed h)
{
	/*
	 * acq_rel: releases the payload to co_ring_turn()'s acquire, and acquires the entry of the
	 * waiter that has marked the slot; pairs with co_ring_mark().
	 */
	return co_atomic_swap(&h.slot->stamp, h.stamp + CO_RING_FULL, CO_ACQ_REL) != h.stamp;
}

/* The payload was read: the slot is free for the next lap. True: a coroutine may wait for it. */
static inline bool co_ring_release(const struct co_ring *r, struct co_claimed h)
{
	/* acq_rel: as in co_ring_commit(). */
	return co_atomic_swap(&h.slot->stamp, h.stamp + r->turn, CO_ACQ_REL) != h.stamp;
}

/*
 * Rows: the slots of one claim are moved on by stores, except the first slot, which is moved on
 * last, by a swap. No mark is lost: waiters mark the slot that their side comes to next, and before
 * the first slot has moved on no side comes to a slot behind it. (A store may undo the mark of a
 * waiter that finds its position to be an old one; it does not sleep.)
 */
static inline void co_ring_commit_behind(struct co_claimed h)
{
	/* relaxed: the first slot's commit releases it to each later claim of a slot. */
	co_atomic_store(&h.slot->stamp, h.stamp + CO_RING_FULL, CO_RELAXED);
}

/* `turn`: the ring's, which the caller has read once. */
static inline void co_ring_release_behind(struct co_claimed h, uintptr_t turn)
{
	/* relaxed: as in co_ring_commit_behind(). */
	co_atomic_store(&h.slot->stamp, h.stamp + turn, CO_RELAXED);
}

/*
 * How many slots from h on, `most` at most, are at their turn, up to the lap's end; *end: the
 * address behind them.
 */
static inline size_t co_ring_row(const struct co_ring *r, struct co_claimed h, size_t most,
				 unsigned char **end)
{
	const uintptr_t stride = r->stride;
	unsigned char *const first = (unsigned char *)h.slot;
	unsigned char *const last =
		most < (size_t)(r->limit - first) / stride ? first + most * stride : r->limit;
	unsigned char *at = first;

	for (; at != last; at += stride) {
		h.slot = (struct co_slot *)(void *)at;
		if (!co_ring_is_turn(h, CO_RING_WAITED))
			break;
	}
	*end = at;
	return (size_t)(at - first) / stride;
}

/*
 * The look of a waiter that has entered a queue. False: it is not its side's turn, and the party
 * that moves the slot on will wake it. True: try again, something has changed.
 */
static inline bool co_ring_mark(struct co_claimed h)
{
	/*
	 * release: of the entry, to the swap that finds the mark; pairs with co_ring_commit() and
	 * co_ring_release(). A new try acquires what came before, by co_ring_turn().
	 */
	return co_ring_ahead(co_atomic_or(&h.slot->stamp, CO_RING_WAITED, CO_RELEASE), h) >= 0;
}

/*
 * No claim of a sender succeeds from now on; slots that are claimed already are committed and
 * received. One exception: a single sender that does not close the ring itself may just be
 * committing.
 */
static inline void co_ring_close(struct co_ring *r)
{
	/* seq_cst: before the closer's look for waiters; pairs with co_ring_shut(). */
	uintptr_t tail = co_atomic_or(&r->tail, CO_RING_CLOSED, CO_SEQ_CST);

	/*
	 * Tickets drawn later move the tail on, but the position at this moment counts. Places
	 * without a slot are nobody's.
	 */
	if (tail & CO_RING_CLOSED)
		return;
	/* release: the flag in tail, and a single sender's commits; pairs with co_ring_final(). */
	co_atomic_store(&r->final, co_ring_skip(r, tail) | CO_RING_CLOSED, CO_RELEASE);
}

/* The position at which the ring was closed, with the flag; 0: it is open. */
static inline uintptr_t co_ring_final(struct co_ring *r)
{
	/* acquire: all writes before the close; pairs with co_ring_close(). */
	return co_atomic_load(&r->final, CO_ACQUIRE);
}

/* May the ring have been closed? For a waiter that has entered the receivers' queue. */
static inline bool co_ring_may_end(const struct co_ring *r)
{
	/*
	 * relaxed: the closer locks the queue after the end, even if it is empty. So the
	 * entry has acquired the end by the lock, or the closer finds the waiter.
	 */
	return co_atomic_load(&r->final, CO_RELAXED) != 0;
}

static inline bool co_ring_is_closed(const struct co_ring *r)
{
	return co_atomic_load(&r->tail, CO_RELAXED) & CO_RING_CLOSED;
}

/* Is the ring closed? For a waiter that has entered a queue. */
static inline bool co_ring_shut(struct co_ring *r)
{
	/* seq_cst: after the entry; pairs with co_ring_close(). */
	return co_atomic_load(&r->tail, CO_SEQ_CST) & CO_RING_CLOSED;
}

#endif
