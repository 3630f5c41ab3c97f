/*
 * waitq.h - the data of waits and wakes: the queue of an object's waiters, credits, the message to
 * another hart. The functions are in core/lf/. Of the fields, files of objects use the queue of a
 * co_credit, the words that end a wait in a co_rest, and a co_msg's, if the message is theirs.
 *
 * All of it lies in memory that every hart may use, and outlives every coroutine that waits there
 * and every one that looks for waiters.
 */
#ifndef COHART_DETAIL_WAITQ_H
#define COHART_DETAIL_WAITQ_H

#include <cohart/atomic.h>

struct co;
struct co_waiter;
struct co_node;

/*
 * A waiter says by one of these bits that its waker may give it a value. TAKES: of at most
 * CO_WAITER_VALUE_BYTES, which the waker puts into the waiter's control block. TAKES_HERE: of any
 * size, from a waker on the waiter's hart, which writes the value to where the waiter wants it.
 * With a number below: the waiter waits for several, and takes values in its control block alone.
 */
#define CO_WAITER_TAKES 1024u
#define CO_WAITER_TAKES_HERE 2048u
#define CO_WAITER_VALUE_BYTES 16

/*
 * Coroutines that wait on one condition, longest first. Zero-filled is valid: nobody. How many is
 * bounded by the machine's coroutines alone: their nodes are their own.
 */
struct co_waitq {
	struct co_aword first; /* struct co_waiter *, or a lock: core/lf/waitq.h */
};

/*
 * Words of a coroutine's own, which others write and it waits for (core/lf/rest.h). Zero-filled is
 * valid: nothing has come.
 */
#define CO_REST_WORDS 9

struct co_rest {
	/* Others write these, and then ring the hart of the coroutine. */
	alignas(CO_LINE) struct co_a32 word[CO_REST_WORDS];
	struct co_a32 stop; /* not 0: nothing is waited for any more */
	/* The coroutine writes these; hart 0 looks. */
	alignas(CO_LINE) struct co_a32 from; /* it waits for word[from]..word[end - 1] */
	struct co_a32 end;
	struct co_a32 value;  /* to become this */
	struct co *co;        /* while it is parked: the coroutine */
	struct co_rest *next; /* and others of its hart */
	struct co_rest *prev;
	const void *with; /* one of a hart's with equal `with` and `value` is enough for all */
};

/*
 * Credits, less the registered ones that have none (comm/lf/ticket.h). Zero-filled is valid: no
 * credit, and nobody waits.
 */
struct co_credit {
	struct co_aword count; /* signed, in steps of CO_CREDIT_ONE; CO_CREDIT_LOOK */
	struct co_waitq queue; /* registered ones that sleep; its lock guards the rest */
	uint32_t pending;      /* credits for registered ones not in the queue yet */
	uint32_t dead;         /* registered ones that have given up: their credits are void */
};

#define CO_CREDIT_LOOK 1 /* in `count`: others wait for credits elsewhere, or none will come */
#define CO_CREDIT_ONE 2

/* n of them, for static use. */
#define CO_CREDITS(n)                                  \
	{                                              \
		{ (n)*CO_CREDIT_ONE }, { { 0 } }, 0, 0 \
	}

/*
 * A message to another hart's executor (core/lf/inbox.h); objects that are handed over embed one.
 * The sender gives it away: it lies in one inbox at a time, is never copied, and nobody touches it
 * until it has been run, at a scheduling point of its hart, after messages that the sending hart
 * has sent there before.
 */
struct co_msg {
	struct co_aword next; /* the inbox's: the next message that was sent */
	/*
	 * Called once, on the receiving hart; it may send m again. NULL: the message is that of a
	 * coroutine that is ready.
	 * Context: inbox handler: it cannot wait, and the coroutines of the hart stand still
	 * meanwhile. Order: sees all that was written before the send.
	 */
	void (*run)(struct co_msg *m);
};

#endif
