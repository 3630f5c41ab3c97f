/*
 * mpmc.h - a bounded ring for any number of senders and receivers, by compare-and-swap.
 *
 * The base form is zero-copy: reserve a slot, fill it, commit it; peek at a slot, read it, release
 * it. Nobody waits here: what cannot be done now is NULL.
 *
 * Source: D. Vyukov's bounded MPMC queue (1024cores.net), the idea; laps of any capacity,
 * zero-filled start and close are ours. Seed A4 (compare-and-swap), A6 (MPMC).
 */
#ifndef COHART_LF_MPMC_H
#define COHART_LF_MPMC_H

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

/* A free slot for the caller alone, *pos its position; NULL: full, or closed. */
static inline struct co_slot *co_mpmc_reserve(struct co_ring *r, uintptr_t *pos)
{
	/* relaxed: a guess; the compare-and-swap decides. */
	uintptr_t tail = co_atomic_load(&r->tail, CO_RELAXED);

	while (!(tail & CO_RING_CLOSED)) {
		struct co_slot *s = co_ring_slot(r, tail);
		/*
		 * acquire: the receiver is through with the payload; pairs with co_mpmc_release().
		 */
		uintptr_t stamp = co_atomic_load(&s->stamp, CO_ACQUIRE);
		intptr_t ahead = (intptr_t)(stamp - (tail - co_ring_place(r, tail)));

		if (ahead < 0)
			return NULL;
		if (ahead == 0 && co_atomic_cas(&r->tail, tail, co_ring_next(r, tail))) {
			*pos = tail;
			return s;
		}
		tail = co_atomic_load(&r->tail, CO_RELAXED);
	}
	return NULL;
}

/* The payload is in place. */
static inline void co_mpmc_commit(struct co_ring *r, struct co_slot *s, uintptr_t pos)
{
	/*
	 * seq_cst: releases the payload to co_mpmc_peek()'s acquire, and comes before the sender's
	 * look for waiting receivers; pairs with co_mpmc_can_take().
	 */
	co_atomic_store(&s->stamp, pos - co_ring_place(r, pos) + 1, CO_SEQ_CST);
}

/* The oldest full slot, the caller's alone, *pos its position; NULL: empty just now. */
static inline struct co_slot *co_mpmc_peek(struct co_ring *r, uintptr_t *pos)
{
	uintptr_t head = co_atomic_load(&r->head, CO_RELAXED);

	for (;;) {
		struct co_slot *s = co_ring_slot(r, head);
		/* acquire: the payload is there; pairs with co_mpmc_commit(). */
		uintptr_t stamp = co_atomic_load(&s->stamp, CO_ACQUIRE);
		intptr_t ahead = (intptr_t)(stamp - (head - co_ring_place(r, head) + 1));

		if (ahead < 0)
			return NULL;
		if (ahead == 0 && co_atomic_cas(&r->head, head, co_ring_next(r, head))) {
			*pos = head;
			return s;
		}
		head = co_atomic_load(&r->head, CO_RELAXED);
	}
}

/* The payload has been read: the slot is free for the next lap. */
static inline void co_mpmc_release(struct co_ring *r, struct co_slot *s, uintptr_t pos)
{
	/* seq_cst: pairs with co_mpmc_reserve()'s acquire, and comes before the receiver's look for
	 * waiting senders; pairs with co_mpmc_can_put(). */
	co_atomic_store(&s->stamp, pos - co_ring_place(r, pos) + r->lap, CO_SEQ_CST);
}

/*
 * The looks of one who has entered a queue of waiters. True: try again, something has changed. All
 * seq_cst: after the entry; pairs with commit and release, which come before the look for waiters.
 */
static inline int co_mpmc_can_put(struct co_ring *r)
{
	uintptr_t tail = co_atomic_load(&r->tail, CO_SEQ_CST);
	uintptr_t lap = tail - co_ring_place(r, tail);

	return tail & CO_RING_CLOSED ||
	       (intptr_t)(co_atomic_load(&co_ring_slot(r, tail)->stamp, CO_SEQ_CST) - lap) >= 0;
}

/* True if it is closed and nothing will come any more. */
static inline int co_mpmc_drained(struct co_ring *r)
{
	uintptr_t tail = co_atomic_load(&r->tail, CO_SEQ_CST);

	return tail & CO_RING_CLOSED &&
	       co_atomic_load(&r->head, CO_SEQ_CST) == (tail & ~CO_RING_CLOSED);
}

static inline int co_mpmc_can_take(struct co_ring *r)
{
	uintptr_t head = co_atomic_load(&r->head, CO_SEQ_CST);
	uintptr_t lap = head - co_ring_place(r, head);

	return (intptr_t)(co_atomic_load(&co_ring_slot(r, head)->stamp, CO_SEQ_CST) - lap) > 0 ||
	       co_mpmc_drained(r);
}

/* No reservation succeeds from now on; those that have succeeded are committed and taken. */
static inline void co_mpmc_close(struct co_ring *r)
{
	/* seq_cst: before the closer's look for waiters; pairs with the looks above. */
	co_atomic_or(&r->tail, CO_RING_CLOSED, CO_SEQ_CST);
}

static inline int co_mpmc_is_closed(struct co_ring *r)
{
	return co_atomic_load(&r->tail, CO_RELAXED) & CO_RING_CLOSED;
}

#endif
