/*
 * ring.h - the slots of a bounded ring: what all ways of claiming one have in common.
 *
 * A sender claims a position, fills its slot and commits it; a receiver claims one, reads and
 * releases. A slot's stamp says whose turn it is, so payloads are handed over slot by slot, and
 * those who claimed later may be done earlier. How positions are claimed is in spsc.h (one side has
 * one member), mpmc.h (compare-and-swap), addring.h (atomic add alone, the paper's), ticket.h (adds
 * whose result is used). Both sides of a ring choose for themselves. Nobody waits here.
 *
 * Stamps, after D. Vyukov's bounded MPMC queue (1024cores.net), the idea; laps of any capacity,
 * zero-filled start and close are ours.
 */
#ifndef COHART_LF_RING_H
#define COHART_LF_RING_H

#include <stdbool.h>

#include <cohart/ring.h>

#define CO_RING_CLOSED ((uintptr_t)1)

struct co_slot {
	struct co_aword stamp;
	/* the payload follows, 8 bytes from the slot's start */
};

static inline void *co_slot_payload(struct co_slot *s)
{
	return (unsigned char *)s + sizeof(uint64_t);
}

static inline uintptr_t co_ring_place(const struct co_ring *r, uintptr_t pos)
{
	return pos & (r->lap - 1);
}

/* What the stamp of pos's slot is while it is free for pos. */
static inline uintptr_t co_ring_lap_of(const struct co_ring *r, uintptr_t pos)
{
	return pos - co_ring_place(r, pos);
}

static inline struct co_slot *co_ring_slot(const struct co_ring *r, uintptr_t pos)
{
	return (struct co_slot *)(void *)(r->slots + co_ring_place(r, pos) * r->half_stride);
}

/* The position after pos: the next slot, or the first one of the next lap. */
static inline uintptr_t co_ring_next(const struct co_ring *r, uintptr_t pos)
{
	uintptr_t place = co_ring_place(r, pos);

	return place + 2 < r->end ? pos + 2 : pos - place + r->lap;
}

/* A place without a slot is nobody's: the position that comes instead. */
static inline uintptr_t co_ring_skip(const struct co_ring *r, uintptr_t pos)
{
	return co_ring_place(r, pos) < r->end ? pos : co_ring_lap_of(r, pos) + r->lap;
}

/* How far the slot of pos is: < 0 still full from the lap before, 0 free for pos, 1 full. */
static inline intptr_t co_ring_stage(struct co_ring *r, uintptr_t pos)
{
	/*
	 * acquire: whoever had the slot is through with the payload; pairs with co_ring_commit()
	 * and co_ring_release().
	 */
	uintptr_t stamp = co_atomic_load(&co_ring_slot(r, pos)->stamp, CO_ACQUIRE);

	return (intptr_t)(stamp - co_ring_lap_of(r, pos));
}

/* The payload of a claimed position is in place. */
static inline void co_ring_commit(struct co_ring *r, struct co_slot *s, uintptr_t pos)
{
	/*
	 * seq_cst: releases the payload to co_ring_stage()'s acquire, and comes before the sender's
	 * look for waiting receivers; pairs with co_ring_can_take().
	 */
	co_atomic_store(&s->stamp, co_ring_lap_of(r, pos) + 1, CO_SEQ_CST);
}

/* The payload has been read: the slot is free for the next lap. */
static inline void co_ring_release(struct co_ring *r, struct co_slot *s, uintptr_t pos)
{
	/* seq_cst: pairs with co_ring_stage()'s acquire, and comes before the receiver's look for
	 * waiting senders; pairs with co_ring_can_put(). */
	co_atomic_store(&s->stamp, co_ring_lap_of(r, pos) + r->lap, CO_SEQ_CST);
}

/*
 * No claim of a sender succeeds from now on; those that have succeeded are committed and received.
 * One exception: a single sender that does not close the ring itself may just be committing.
 */
static inline void co_ring_close(struct co_ring *r)
{
	/* seq_cst: before the closer's look for waiters; pairs with the looks below. */
	uintptr_t tail = co_atomic_or(&r->tail, CO_RING_CLOSED, CO_SEQ_CST);

	/* Tickets drawn after that move the tail on: what counts is where it was. Places without a
	 * slot are nobody's. */
	if (tail & CO_RING_CLOSED)
		return;
	co_atomic_store(&r->final, co_ring_skip(r, tail) | CO_RING_CLOSED, CO_SEQ_CST);
}

/* Where it was closed, with bit 0; 0: it is not. */
static inline uintptr_t co_ring_final(struct co_ring *r)
{
	/* seq_cst: after the last ticket; pairs with co_ring_close(). */
	return co_atomic_load(&r->final, CO_SEQ_CST);
}

static inline bool co_ring_is_closed(struct co_ring *r)
{
	return co_atomic_load(&r->tail, CO_RELAXED) & CO_RING_CLOSED;
}

/*
 * The looks of one who has entered a queue of waiters. True: try again, something has changed. All
 * seq_cst: after the entry; pairs with commit, release and close, which come before the look for
 * waiters. `at` is the side's next position (its word in the ring).
 */
static inline bool co_ring_can_put(struct co_ring *r, struct co_aword *at)
{
	uintptr_t pos = co_atomic_load(at, CO_SEQ_CST) & ~CO_RING_CLOSED;
	uintptr_t stamp = co_atomic_load(&co_ring_slot(r, pos)->stamp, CO_SEQ_CST);

	return (intptr_t)(stamp - co_ring_lap_of(r, pos)) >= 0 ||
	       (co_atomic_load(&r->tail, CO_SEQ_CST) & CO_RING_CLOSED);
}

static inline bool co_ring_can_take(struct co_ring *r, struct co_aword *at)
{
	/* Tickets leave it on places without a slot. */
	uintptr_t pos = co_ring_skip(r, co_atomic_load(at, CO_SEQ_CST));
	uintptr_t stamp = co_atomic_load(&co_ring_slot(r, pos)->stamp, CO_SEQ_CST);

	return (intptr_t)(stamp - co_ring_lap_of(r, pos)) > 0;
}

/*
 * True if it is closed and nothing will come any more from senders that claim so. `at` is the
 * receivers' next position.
 */
static inline bool co_ring_drained(struct co_ring *r, enum co_claim senders, struct co_aword *at)
{
	uintptr_t final = co_ring_final(r);
	uintptr_t next = co_atomic_load(at, CO_SEQ_CST);
	uintptr_t put;

	if (!final)
		return false;
	switch (senders) {
	case CO_CLAIM_SINGLE: /* it moves no tail: the first slot that is not full ends it */
		return !co_ring_can_take(r, at);
	case CO_CLAIM_ADD: /* losers' adds are being taken back: it ends when tail is put again */
		put = co_atomic_load(&r->put, CO_SEQ_CST);
		return next == put &&
		       co_atomic_load(&r->tail, CO_SEQ_CST) == (put | CO_RING_CLOSED);
	default:
		return (intptr_t)(co_ring_skip(r, next) - (final & ~CO_RING_CLOSED)) >= 0;
	}
}

#endif
