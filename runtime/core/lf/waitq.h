/*
 * waitq.h - a queue of waiters, and the token that decides which party ends a wait.
 *
 * The queue is one word: the first waiter, or 0, or CO_WAITQ_LOCKED while a hart works on the list,
 * which then has the first waiter in hand: to lock is to swap the list out, to unlock is to store
 * it back. The list is a ring: the first waiter's `prev` is the last one. A waiter that is in no
 * queue is a ring of itself, so the only waiter of a queue is linked by one store, and unlinked by
 * none.
 *
 * Three parties may want to end a wait at once: a waker (any hart), the clock and a cancel (both on
 * the waiter's own hart). The party that takes CO_ARMED out of the waiter's token ends it. Wakers
 * take it under the queue's lock, on a node that is linked, and a waiter unlinks its node under
 * that lock before it can wait anew: no wake-up reaches a later wait.
 *
 * CO_IN_PLACE in the token says how a waker on another hart hands the wait's end over. While it is
 * set, the waiter still runs, or its hart sleeps on its stack: the waker clears it and rings. The
 * waiter clears it to be parked, when its hart has something else to do: then it is made ready by a
 * message. Both clear the bit by an atomic access, and the party that finds it set decides.
 *
 * No lost wake-up: a waiter enters, then looks at its condition; a waker makes the condition true,
 * then looks for waiters. All four accesses are seq_cst, so the waiter sees the condition, or the
 * waker sees the waiter.
 */
#ifndef COHART_LF_WAITQ_H
#define COHART_LF_WAITQ_H

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>

#define CO_WAITQ_LOCKED ((uintptr_t)1)

/* One wait on one queue; a wait on several has a node in each, and one token. */
struct co_waiter {
	struct co_waiter *next; /* both under the queue's lock; itself out of a queue */
	struct co_waiter *prev; /* out of a queue: anything */
	struct co_waitq *queue;
	struct co_a32 *token;
	uint32_t place; /* the waiter's: which of several, or CO_WAITER_TAKES... */
};

/* One of a hart's nodes for waits on several queues; its `queue` is NULL while it is free. */
struct co_node {
	struct co_waiter waiter;
	struct co_node *more; /* the next free node, or the next node of a wait */
};

/* A token: 0, or these. */
#define CO_ARMED 1u    /* the wait has not been ended yet */
#define CO_IN_PLACE 2u /* the waiter has not been parked: its end is handed over by clearing this */
#define CO_RESTS 4u /* it waits for words of its own (lf/rest.h): its hart alone takes CO_ARMED */
#define CO_AT_BARRIER 8u /* for reports: the kind of its wait, with CO_RESTS */
#define CO_NOTED 16u     /* with a timeline: it sleeps in place, co_token_leave_noted() */

/* Take the right to end the wait; false if another party has it. */
static inline bool co_token_take(struct co_a32 *token)
{
	/*
	 * relaxed: the order of one word alone decides which party is first. A waker has acquired
	 * the waiter's data by the queue's lock, and releases its own writes by co_token_deliver()
	 * or the message; a party that loses looks at no data of the waiter.
	 */
	return co_atomic_and(token, ~CO_ARMED, CO_RELAXED) & CO_ARMED;
}

/*
 * A waker on another hart has taken the token, and has written the wait's result. True: it is
 * delivered, ring the waiter's hart. False: the waiter has been parked, send the message.
 */
static inline bool co_token_deliver(struct co_a32 *token)
{
	/*
	 * release: the waker's writes; pairs with co_token_leave_place(), co_token_delivered() and
	 * co_token_withdraw(). The ring hands this word over.
	 */
	return co_atomic_and(token, ~CO_IN_PLACE, CO_RELEASE) & CO_IN_PLACE;
}

/*
 * co_token_take() and co_token_deliver() by the only party that may end the wait, so that the first
 * says nothing.
 */
static inline bool co_token_end(struct co_a32 *token)
{
	/* release: as in co_token_deliver(). */
	return co_atomic_and(token, ~(CO_ARMED | CO_IN_PLACE), CO_RELEASE) & CO_IN_PLACE;
}

/*
 * The waiter's hart has something else to do. True: the waiter is parked now, and a message will
 * make it ready. False: its wait has ended, and the waker's writes are seen.
 */
static inline bool co_token_leave_place(struct co_a32 *token)
{
	/* acquire: pairs with co_token_deliver(). */
	return co_atomic_and(token, ~CO_IN_PLACE, CO_ACQUIRE) & CO_IN_PLACE;
}

/* Has a waker delivered to the waiter, which has not been parked? */
static inline bool co_token_delivered(const struct co_a32 *token)
{
	/*
	 * acquire: the waker's writes; pairs with co_token_deliver(). A ring that the hart has
	 * cleared has brought the token along (hal/ipi.h), so this load sees it.
	 */
	return !(co_atomic_load(token, CO_ACQUIRE) & CO_IN_PLACE);
}

/*
 * With a timeline a waker notes the wake-up; without one it has no instruction to spare for that.
 * So the waiter leaves the place, sets CO_NOTED and sleeps there: co_token_deliver() is false, and
 * the waker, on the way of a parked waiter, looks at the timeline and takes CO_NOTED, or, if the
 * waiter has not set it yet, sends the message.
 */
static inline void co_token_note_place(struct co_a32 *token)
{
	/* relaxed: it publishes nothing. A waker that misses it sends the message. */
	co_atomic_or(token, CO_NOTED, CO_RELAXED);
}

/* A waker delivers: true: ring. Or the waiter's hart is to park it: true: it is parked now. */
static inline bool co_token_leave_noted(struct co_a32 *token)
{
	/*
	 * acquire, for the waiter: pairs with co_token_deliver() or co_token_end(), by which the
	 * waker has released its writes, in this word; this access continues their release
	 * sequence.
	 */
	return co_atomic_and(token, ~CO_NOTED, CO_ACQUIRE) & CO_NOTED;
}

static inline bool co_token_delivered_noted(const struct co_a32 *token)
{
	/* acquire: as in co_token_delivered(). */
	return !(co_atomic_load(token, CO_ACQUIRE) & CO_NOTED);
}

/* The state in which a waiter that gives up finds its token. */
enum co_withdrawn { CO_WAS_ARMED, CO_WAS_DELIVERED, CO_WAS_TAKEN };

/*
 * The waiter, not parked, ends its own wait. CO_WAS_ARMED: it was the first to. CO_WAS_DELIVERED: a
 * waker had, and all that it wrote is seen. CO_WAS_TAKEN: a waker had, and its message is on the
 * way.
 */
static inline enum co_withdrawn co_token_withdraw(struct co_a32 *token)
{
	/* acquire: as in co_token_leave_place(). */
	uint32_t was = co_atomic_swap(token, 0, CO_ACQUIRE);

	if (was & CO_ARMED)
		return CO_WAS_ARMED;
	return was & CO_IN_PLACE ? CO_WAS_TAKEN : CO_WAS_DELIVERED;
}

static inline void co_token_set(struct co_a32 *token, uint32_t v)
{
	/* relaxed: wakers see it through the queue's lock; clock and cancels are this hart's. */
	co_atomic_store(token, v, CO_RELAXED);
}

/* Lock q. Returns false if another hart is at the list, for a few instructions. */
static inline bool co_waitq_try_lock(struct co_waitq *q, struct co_waiter **first)
{
	/*
	 * seq_cst: the list is as the last holder left it; pairs with co_waitq_unlock(). And q is
	 * not empty from here on, before the look of a waiter that enters; pairs with
	 * co_waitq_any().
	 */
	uintptr_t was = co_atomic_swap(&q->first, CO_WAITQ_LOCKED, CO_SEQ_CST);

	*first = (struct co_waiter *)was;
	return was != CO_WAITQ_LOCKED;
}

/* Lock q. Returns the first waiter, or NULL. */
static inline struct co_waiter *co_waitq_lock(struct co_waitq *q)
{
	struct co_waiter *first;
	unsigned spins = 0;

	while (!co_waitq_try_lock(q, &first))
		co_spin(&spins);
	return first;
}

/* Unlock q; `first` is its first waiter from now on, or NULL. */
static inline void co_waitq_unlock(struct co_waitq *q, struct co_waiter *first)
{
	/* release: pairs with co_waitq_try_lock(). */
	co_atomic_store(&q->first, (uintptr_t)first, CO_RELEASE);
}

/* Link w into the list, as the last or the first one. Returns the list's first. */
static inline struct co_waiter *co_waitq_link(struct co_waiter *first, struct co_waiter *w,
					      bool front)
{
	struct co_waiter *last;

	if (__builtin_expect(!first, 1)) {
		co_plain_store(&w->prev, w); /* next is itself */
		return w;
	}
	last = co_plain_load(&first->prev);
	co_plain_store(&w->next, first);
	co_plain_store(&w->prev, last);
	co_plain_store(&last->next, w);
	co_plain_store(&first->prev, w);
	return front ? w : first;
}

/* Take w, which is linked, out of the list. Returns the list's first. */
static inline struct co_waiter *co_waitq_unlink(struct co_waiter *first, struct co_waiter *w)
{
	struct co_waiter *next = co_plain_load(&w->next);

	if (__builtin_expect(next == w, 1))
		return NULL;
	co_plain_store(&w->next, w);
	co_plain_store(&co_plain_load(&w->prev)->next, next);
	co_plain_store(&next->prev, co_plain_load(&w->prev));
	return first == w ? next : first;
}

/* A waiter's links before it has been in a queue. */
static inline void co_waiter_init(struct co_waiter *w)
{
	co_plain_store(&w->next, w);
}

/* Is w in the list that begins with `first`? It is in no other. */
static inline bool co_waitq_linked(const struct co_waiter *first, const struct co_waiter *w)
{
	return co_plain_load(&w->next) != w || first == w;
}

/* Leave; false if a waker had taken the node out already. */
static inline bool co_waitq_leave(struct co_waiter *w)
{
	struct co_waitq *q = w->queue;
	struct co_waiter *first;
	bool linked;

	if (!co_waitq_try_lock(q, &first))
		first = co_waitq_lock(q);
	linked = co_waitq_linked(first, w);
	if (linked)
		first = co_waitq_unlink(first, w);
	co_waitq_unlock(q, first);
	return linked;
}

/* Is there a waiter? The caller has made the condition true by a seq_cst write. */
static inline bool co_waitq_any(struct co_waitq *q)
{
	/* seq_cst: after the condition; pairs with co_waitq_try_lock(). */
	return co_atomic_load(&q->first, CO_SEQ_CST) != 0;
}

/* Is there a waiter whose entry the caller has acquired (a mark in a stamp)? Or, as a hint. */
static inline bool co_waitq_known(const struct co_waitq *q)
{
	return co_atomic_load(&q->first, CO_RELAXED) != 0;
}

/* Is there a waiter, and not only a hart that works on the list? For reports. */
static inline bool co_waitq_waits(const struct co_waitq *q)
{
	return co_atomic_load(&q->first, CO_RELAXED) > CO_WAITQ_LOCKED;
}

/*
 * Take out the first waiter whose wait nobody has ended yet, and end its wait: the caller, which
 * holds the lock, makes it ready once it has unlocked. Waiters before it, whose waits the clock or
 * a cancel has ended, are taken out and skipped.
 */
static inline struct co_waiter *co_waitq_pick_locked(struct co_waiter **first)
{
	struct co_waiter *w;

	while ((w = *first)) {
		*first = co_waitq_unlink(w, w);
		if (co_token_take(w->token))
			break;
	}
	return w;
}

/* Lock q, pick a waiter by co_waitq_pick_locked(), and unlock. */
static inline struct co_waiter *co_waitq_pick(struct co_waitq *q)
{
	struct co_waiter *first = co_waitq_lock(q);
	struct co_waiter *w = co_waitq_pick_locked(&first);

	co_waitq_unlock(q, first);
	return w;
}

/* How many wait, a moment ago. For tests and reports. */
static inline unsigned co_waitq_count(struct co_waitq *q)
{
	struct co_waiter *first = co_waitq_lock(q);
	unsigned n = 0;

	for (struct co_waiter *w = first; w; w = co_plain_load(&w->next)) {
		n++;
		if (co_plain_load(&w->next) == first)
			break;
	}
	co_waitq_unlock(q, first);
	return n;
}

#endif
