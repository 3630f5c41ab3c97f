/*
 * mailbox.h - a queue of whole messages of 1..128 words: many senders, one receiver.
 *
 * A sender claims room for its words by one atomic add, its place by a second one, writes its words
 * there, and then the message's head, which publishes it. The receiver takes messages in the order
 * of their places and gives the room back with one atomic add. Heads have a field of their own
 * beside the words', so that stale words are never taken for a head, and zero-filled is an empty
 * queue; a message of a word or two lies in one line with its head.
 *
 * No function here waits. A sender that finds too little room gives its claim back at once, and
 * wakes the senders that the claim misled meanwhile (co_mailq_claim()). A message whose head has
 * not been written yet holds back the messages behind it, for the few instructions that its sender
 * still needs.
 *
 * Senders that wait for room go first: each adds CO_MAILQ_AWAITED to the count of words, by which
 * the claims of other senders fail without a look at the queue of waiters.
 *
 * Atomic add alone, no compare-and-swap. Source: seed C5 (the hardware's queues), the algorithm is
 * ours.
 */
#ifndef COHART_LF_MAILBOX_H
#define COHART_LF_MAILBOX_H

#include <cohart/atomic.h>

#define CO_MAILQ_WORDS 128 /* a power of two, so that places wrap */
#define CO_MAILQ_SHORT 4   /* words at most that are copied inline */
/*
 * What each waiting sender adds to `used`. Should the sum wrap, new senders overtake the waiting
 * ones; nothing worse happens.
 */
enum { CO_MAILQ_AWAITED = 1 << 20 };

struct co_mailq_cell {
	struct co_a32 head; /* of the message that begins here; 0: none */
	uintptr_t word;
};

struct co_mailq {
	alignas(CO_LINE) struct co_a32 used; /* words claimed, and waiting senders; all write */
	struct co_a32 tail;                  /* the next place; senders write */
	alignas(CO_LINE) uintptr_t front; /* the oldest message's cell, in bytes; the receiver's */
	alignas(CO_LINE) struct co_mailq_cell cell[CO_MAILQ_WORDS];
};

/* Give back room for n words. */
static inline void co_mailq_unclaim(struct co_mailq *q, uint32_t n)
{
	/* acquire: the entry of a waiter, for the caller's look; pairs with co_mailq_await(). */
	co_atomic_add(&q->used, -n, CO_ACQUIRE);
}

/* Claim room for n words; `mask`: the bits of `used` that the claim heeds. */
static inline bool co_mailq_claim_by(struct co_mailq *q, uint32_t n, uint32_t mask)
{
	/* acquire: the receiver has read the words it gave back; pairs with co_mailq_drop(). */
	uint32_t used = co_atomic_add(&q->used, n, CO_ACQUIRE) & mask;

	if (used + n <= CO_MAILQ_WORDS)
		return true;
	co_mailq_unclaim(q, n);
	return false;
}

/*
 * Claim room for n words, unless senders wait for room. If it returns false, the caller looks for
 * waiters again: one of them may have looked before this sender gave the room back.
 */
static inline bool co_mailq_claim(struct co_mailq *q, uint32_t n)
{
	return co_mailq_claim_by(q, n, UINT32_MAX);
}

/* co_mailq_claim() for the sender that has waited longest: heeds no waiting sender. */
static inline bool co_mailq_claim_next(struct co_mailq *q, uint32_t n)
{
	return co_mailq_claim_by(q, n, CO_MAILQ_AWAITED - 1);
}

/* The receiver will take nothing any more: no claim succeeds from here on. Once only. */
static inline void co_mailq_shut(struct co_mailq *q)
{
	/* relaxed: a claim that comes before this add is concurrent with it. */
	co_atomic_add(&q->used, CO_MAILQ_WORDS, CO_RELAXED);
}

/*
 * Count a sender that has entered the queue of waiters and will look for room next. No lost
 * wake-up: either this add or the add that gives room back comes first. So either the sender finds
 * the room, or the party that gives it back finds the sender.
 */
static inline void co_mailq_await(struct co_mailq *q)
{
	/* release: the entry; pairs with co_mailq_drop() and co_mailq_unclaim(). */
	co_atomic_add(&q->used, CO_MAILQ_AWAITED, CO_RELEASE);
}

/* A sender has left the queue of waiters; it may not have come to co_mailq_await() yet. */
static inline void co_mailq_await_no_more(struct co_mailq *q)
{
	/* relaxed: a claim that fails because this add comes late is concurrent with it. */
	co_atomic_add(&q->used, -CO_MAILQ_AWAITED, CO_RELAXED);
}

/* The look of a sender that has entered a queue of waiters: would n words fit? */
static inline bool co_mailq_room(struct co_mailq *q, uint32_t n)
{
	/* relaxed: it sees the room that was given back before the sender's co_mailq_await(). */
	return (co_atomic_load(&q->used, CO_RELAXED) & (CO_MAILQ_AWAITED - 1)) + n <=
	       CO_MAILQ_WORDS;
}

/* The place of n words in the room that was claimed. */
static inline uint32_t co_mailq_place(struct co_mailq *q, uint32_t n)
{
	/*
	 * acq_rel, with other senders' adds: a place may lie in room that was given back after this
	 * sender's claim, but before the claim of a sender that has got its place earlier.
	 */
	return co_atomic_add(&q->tail, n, CO_ACQ_REL) % CO_MAILQ_WORDS;
}

/* Are the n words at that place in a row, and few? */
static inline bool co_mailq_short(uint32_t place, uint32_t n)
{
	return n <= CO_MAILQ_SHORT && place <= CO_MAILQ_WORDS - n;
}

/* Write a message's words, in a row; n is at least 1. */
static inline void co_mailq_fill(struct co_mailq_cell *to, const uintptr_t *words, uintptr_t n)
{
	uintptr_t i = 0;

	do
		co_plain_store(&to[i].word, co_plain_load(&words[i]));
	while (++i < n);
}

static inline void co_mailq_write(struct co_mailq *q, uint32_t place, const uintptr_t *words,
				  uint32_t n)
{
	uint32_t run = CO_MAILQ_WORDS - place; /* to the ring's end */

	co_mailq_fill(&q->cell[place], words, n < run ? n : run);
	if (n > run)
		co_mailq_fill(q->cell, words + run, n - run);
}

/* The message at that place has been written. head is not 0. */
static inline void co_mailq_publish(struct co_mailq *q, uint32_t place, uint32_t head)
{
	/* release: the words; pairs with co_mailq_look(). */
	co_atomic_store(&q->cell[place].head, head, CO_RELEASE);
}

/* Where the oldest message is, or will be. */
static inline struct co_mailq_cell *co_mailq_front(struct co_mailq *q)
{
	return (struct co_mailq_cell *)((uintptr_t)q->cell + co_plain_load(&q->front));
}

/*
 * The head of the oldest message; 0: the queue is empty, or a sender is just writing the message.
 */
static inline uint32_t co_mailq_look(struct co_mailq *q)
{
	/*
	 * acquire: the words; pairs with co_mailq_publish(). A receiver that is about to sleep
	 * changes its flag before this look, and a sender swaps the flag out after it has
	 * published: either the receiver finds the head, or the sender finds the flag changed.
	 */
	return co_atomic_load(&co_mailq_front(q)->head, CO_ACQUIRE);
}

/* Are the n words of the oldest message in a row, and few? */
static inline bool co_mailq_front_short(struct co_mailq *q, uintptr_t n)
{
	return n <= CO_MAILQ_SHORT &&
	       co_plain_load(&q->front) + n * sizeof(*q->cell) <= sizeof(q->cell);
}

/* Read words in a row; n is at least 1. */
static inline void co_mailq_fetch(uintptr_t *words, const struct co_mailq_cell *from, uintptr_t n)
{
	uintptr_t i = 0;

	do
		co_plain_store(&words[i], co_plain_load(&from[i].word));
	while (++i < n);
}

/* Words from..from+n-1 of the oldest message, which is whole; at least one. */
static inline void co_mailq_read(struct co_mailq *q, uint32_t from, uintptr_t *words, uint32_t n)
{
	uintptr_t front = co_plain_load(&q->front) / sizeof(*q->cell);
	uint32_t place = (uint32_t)(front + from) % CO_MAILQ_WORDS;
	uint32_t run = CO_MAILQ_WORDS - place; /* to the ring's end */

	co_mailq_fetch(words, &q->cell[place], n < run ? n : run);
	if (n > run)
		co_mailq_fetch(words + run, q->cell, n - run);
}

/* The oldest message, of n words, has been read: its room is free. */
static inline void co_mailq_drop(struct co_mailq *q, uintptr_t n)
{
	uintptr_t next = co_plain_load(&q->front) + n * sizeof(*q->cell);

	/* relaxed: the add publishes it to the sender that writes this cell's next head. */
	co_atomic_store(&co_mailq_front(q)->head, 0, CO_RELAXED);
	co_plain_store(&q->front, next % sizeof(q->cell));
	/*
	 * acq_rel: releases the words to co_mailq_claim()'s acquire, and acquires the entry of a
	 * waiting sender, for the receiver's look; pairs with co_mailq_await().
	 */
	co_atomic_add(&q->used, (uint32_t)-n, CO_ACQ_REL);
}

#endif
