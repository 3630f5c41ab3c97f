/*
 * inbox.h - messages to a hart: many producers, one consumer that sleeps when there is nothing.
 *
 * A linked list with a stub that never leaves it. A producer swaps itself in as the last message,
 * then links its predecessor to itself; between the two the list has a gap, which the consumer
 * takes for the end: it never spins on a producer. The producer then looks whether the consumer
 * sleeps, and rings.
 *
 * No lost wake-up: the sleeper raises its flag, then looks at the list; the producer links, then
 * looks at the flag. All four accesses are seq_cst, so the sleeper sees the message, or the
 * producer sees the flag.
 *
 * Source: D. Vyukov's intrusive MPSC queue (1024cores.net), the idea.
 */
#ifndef COHART_LF_INBOX_H
#define COHART_LF_INBOX_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>

#include "waitq.h"

/*
 * The idle flag: awake, asleep with a deadline, asleep without. Any other value: CO_IDLE, and the
 * address of the token of the coroutine that sleeps in place.
 */
enum co_idle { CO_BUSY, CO_IDLE_TIMED, CO_IDLE };

struct co_inbox {
	/*
	 * First, as each sleep swaps it twice, and an atomic takes an address without an offset.
	 * enum co_idle; the consumer changes it, all harts read.
	 */
	alignas(CO_LINE) struct co_aword idle;
	struct co_a32 epoch; /* number of sleeps, so that a look can be repeated */
	alignas(CO_LINE) struct co_aword last; /* every hart writes */
	struct co_aword start_slot;            /* every hart writes: start_slot.h */
	alignas(CO_LINE) struct co_msg stub;   /* every hart may link it */
};

/* The consumer's end, private to it: the oldest message not taken, or the stub. */
struct co_outlet {
	struct co_msg *oldest;
};

static inline void co_inbox_init(struct co_inbox *q)
{
	co_atomic_store(&q->stub.next, 0, CO_RELAXED);
	co_atomic_store(&q->last, (uintptr_t)&q->stub, CO_RELAXED);
	co_atomic_store(&q->idle, CO_BUSY, CO_RELAXED);
	co_atomic_store(&q->epoch, 0, CO_RELAXED);
	co_atomic_store(&q->start_slot, 0, CO_RELAXED);
}

static inline void co_inbox_push(struct co_inbox *q, struct co_msg *m)
{
	struct co_msg *before;

	co_atomic_store(&m->next, 0, CO_RELAXED);
	/* acq_rel: the next producer gets m here and sees m->next cleared; pairs with itself. */
	before = (struct co_msg *)co_atomic_swap(&q->last, (uintptr_t)m, CO_ACQ_REL);
	/* seq_cst: releases the message to co_inbox_take()'s acquire, and comes before the look at
	 * idle; pairs with co_inbox_ready(). */
	co_atomic_store(&before->next, (uintptr_t)m, CO_SEQ_CST);
}

/* True if the consumer may be asleep: the producer must ring after its push. */
static inline bool co_inbox_sleeps(struct co_inbox *q)
{
	/* seq_cst: after the link; pairs with co_inbox_prepare_sleep(). */
	return co_atomic_load(&q->idle, CO_SEQ_CST) != CO_BUSY;
}

/*
 * Take the oldest message. Returns NULL if the inbox is empty, or a producer is just linking the
 * next message.
 */
static inline struct co_msg *co_inbox_take(struct co_inbox *q, struct co_outlet *o)
{
	struct co_msg *m = o->oldest;
	/* acquire: pairs with co_inbox_push()'s link; message and sender's writes are seen. */
	struct co_msg *next = (struct co_msg *)co_atomic_load(&m->next, CO_ACQUIRE);

	if (m == &q->stub) {
		if (!next)
			return NULL;
		o->oldest = m = next;
		next = (struct co_msg *)co_atomic_load(&m->next, CO_ACQUIRE);
	}
	if (!next) {
		/* m is the last one, or about to get a successor. Relaxed: the push decides. */
		if (co_atomic_load(&q->last, CO_RELAXED) != (uintptr_t)m)
			return NULL;
		co_inbox_push(q, &q->stub);
		/* relaxed: the push has acquired all that came before the stub. */
		next = (struct co_msg *)co_atomic_load(&m->next, CO_RELAXED);
		if (!next)
			return NULL;
	}
	o->oldest = next;
	return m;
}

/*
 * A cheap look, for a hart that is awake. A message that was left behind has waited for its
 * successor's link, so the oldest one's link tells in any case.
 */
static inline bool co_inbox_glance(struct co_outlet *o)
{
	/* relaxed: a hint; co_inbox_take() acquires. */
	return co_atomic_load(&o->oldest->next, CO_RELAXED) != 0;
}

/* After a take: true if it took the last message. False: maybe. */
static inline bool co_inbox_done(struct co_inbox *q, struct co_outlet *o)
{
	/* relaxed: the next look sees a message that comes later. */
	return o->oldest == &q->stub && !co_atomic_load(&q->stub.next, CO_RELAXED);
}

/* Raise the flag. The consumer must look once more, by co_inbox_ready(), before it sleeps. */
static inline void co_inbox_prepare_sleep(struct co_inbox *q, struct co_outlet *o,
					  enum co_idle kind, const struct co_a32 *place)
{
	/*
	 * A message cannot be taken yet, since its successor is being linked to it: `last` may be
	 * the stub by now, so that other harts cannot see it.
	 */
	if (o->oldest != &q->stub)
		kind = CO_IDLE_TIMED;
	/*
	 * release: a hart that reads this epoch sees the messages that were sent before this sleep;
	 * pairs with co_inbox_asleep(), for stuck.c. The load is relaxed: only this hart writes the
	 * epoch.
	 */
	co_atomic_store(&q->epoch, co_atomic_load(&q->epoch, CO_RELAXED) + 1, CO_RELEASE);
	/* seq_cst: before the look at the list; pairs with co_inbox_sleeps(). */
	co_atomic_store(&q->idle, kind == CO_IDLE && place ? (uintptr_t)place : kind, CO_SEQ_CST);
}

/*
 * Raise the flag, to `idle`, and look, for a consumer whose outlet is at the stub. True if there is
 * no message, so that it may sleep: for a coroutine to start (start_slot.h) it is rung.
 */
static inline bool co_inbox_prepare_and_look(struct co_inbox *q, uintptr_t idle)
{
	/* release, seq_cst, seq_cst: as in co_inbox_prepare_sleep() and co_inbox_ready(). */
	co_atomic_store(&q->epoch, co_atomic_load(&q->epoch, CO_RELAXED) + 1, CO_RELEASE);
	co_atomic_store(&q->idle, idle, CO_SEQ_CST);
	return !co_atomic_load(&q->stub.next, CO_SEQ_CST);
}

/*
 * In a sleep that so began: is there a message, or a coroutine to start? relaxed, both: for either
 * the hart is rung, and it has cleared its doorbell before this look.
 */
static inline bool co_inbox_called(struct co_inbox *q)
{
	return co_atomic_load(&q->stub.next, CO_RELAXED) ||
	       co_atomic_load(&q->start_slot, CO_RELAXED);
}

/*
 * Lower the flag and look. True if no coroutine has been given to start (start_slot.h); if there is
 * one, co_start_slot_take() is next.
 */
static inline bool co_inbox_wake_and_look(struct co_inbox *q)
{
	/*
	 * seq_cst, both: either this look finds the coroutine that a spawner gives, or the spawner
	 * finds the hart awake and takes the coroutine back; pairs with co_start_slot_give().
	 */
	co_atomic_swap(&q->idle, CO_BUSY, CO_SEQ_CST);
	return !co_atomic_load(&q->start_slot, CO_SEQ_CST);
}

static inline void co_inbox_set_awake(struct co_inbox *q)
{
	/* relaxed: a ring too many is harmless; co_start_slot_take() releases where it matters. */
	co_atomic_store(&q->idle, CO_BUSY, CO_RELAXED);
}

/* The sleeper's last look: true if a message can be taken. */
static inline bool co_inbox_ready(struct co_inbox *q, struct co_outlet *o)
{
	/*
	 * seq_cst: after the flag; pairs with co_inbox_push()'s link. A message that is not the
	 * stub and has no successor waits for the link of the next producer, which will see the
	 * flag and ring. relaxed, for last: `oldest` was found by the acquire of a link that came
	 * after its own swap, so no older value of `last` is seen.
	 */
	return co_atomic_load(&o->oldest->next, CO_SEQ_CST) != 0 ||
	       (o->oldest != &q->stub &&
		co_atomic_load(&q->last, CO_RELAXED) == (uintptr_t)o->oldest);
}

/*
 * Another hart's look: true if the consumer sleeps without a deadline and nothing has come since
 * that would wake it, even if it has not run yet.
 */
static inline bool co_inbox_asleep(struct co_inbox *q, uint32_t *epoch)
{
	uintptr_t idle;

	/*
	 * acquire, both: a consumer lowers its flag before it takes the last message, or the
	 * coroutine in the start slot, so a hart that sees either taken sees the flag lowered;
	 * pairs with the swap of its stub, and with co_start_slot_take()'s.
	 */
	if (co_atomic_load(&q->last, CO_ACQUIRE) != (uintptr_t)&q->stub ||
	    co_atomic_load(&q->start_slot, CO_ACQUIRE))
		return false;
	/* acquire: the epoch of this sleep, or a later one; pairs with co_inbox_prepare_sleep(). */
	idle = co_atomic_load(&q->idle, CO_ACQUIRE);
	if (idle < CO_IDLE)
		return false;
	/*
	 * acquire: the next look sees whatever that hart sent before it slept; pairs with
	 * co_inbox_prepare_sleep(). So for a message that was sent before these sleeps and is not
	 * taken yet, the next look finds the message, or its hart awake.
	 */
	*epoch = co_atomic_load(&q->epoch, CO_ACQUIRE);
	if (idle == CO_IDLE)
		return true;
	/* acquire: as for the epoch. Cleared: it has been rung, or is about to be. */
	if (!(co_atomic_load((struct co_a32 *)idle, CO_ACQUIRE) & (CO_IN_PLACE | CO_NOTED)))
		return false;
	/*
	 * The token may be armed for the next sleep already, and that orders nothing: an or of
	 * nothing reads the flag as it is now. acquire: if this is the flag of another sleep, its
	 * epoch is seen, by a load that may be relaxed.
	 */
	return co_atomic_or(&q->idle, 0, CO_ACQUIRE) == idle &&
	       co_atomic_load(&q->epoch, CO_RELAXED) == *epoch;
}

/* Another hart's look: does the consumer sleep until a deadline? */
static inline bool co_inbox_timed(struct co_inbox *q)
{
	return co_atomic_load(&q->idle, CO_RELAXED) == CO_IDLE_TIMED;
}

/*
 * Another hart's look: true if the consumer sleeps until a deadline, or it said that it sleeps and
 * there is something for which it was, or is just being, rung.
 */
static inline bool co_inbox_pending(struct co_inbox *q)
{
	uint32_t epoch;
	/* relaxed, all: a hint; one ring too many is harmless, and this look is not the last. */
	uintptr_t idle = co_atomic_load(&q->idle, CO_RELAXED);

	return idle != CO_BUSY && !co_inbox_asleep(q, &epoch);
}

#endif
