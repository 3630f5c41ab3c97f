/*
 * berth.h - a place where one coroutine sleeps, where no more than one ever can: no list, no lock,
 * no token. Who swaps the sleeper out is the one to end its sleep, and nobody else touches it then:
 * a waker, the clock, a cancel, a close, or the sleeper itself, which has found something to do.
 *
 * No lost wake-up: the sleeper enters, then marks the word that it waits for (lf/ring.h), and
 * sleeps if that has not moved on; who moves the word on finds the mark and takes the sleeper out.
 * A close leaves something in the berth that the next one who enters finds.
 */
#ifndef COHART_LF_BERTH_H
#define COHART_LF_BERTH_H

#include <stdbool.h>
#include <stddef.h>

#include <cohart/waitq.h>

struct co;

/* In the berth of what is closed: nobody, on no hart. */
extern const struct co co_berth_shut;

/* Enter. Returns who was there: NULL or co_berth_shut, in whose place c is now. */
static inline const struct co *co_berth_enter(struct co_berth *b, struct co *c)
{
	/*
	 * release: hands c over to who takes it out; pairs with co_berth_swap_out() and
	 * co_berth_close(). Who finds it shut acquires the close by one of these, in taking c back.
	 */
	return (const struct co *)co_atomic_swap(&b->sleeper, (uintptr_t)c, CO_RELEASE);
}

/* Take out who is there, if anybody: maybe co_berth_shut, which is to be put back. */
static inline struct co *co_berth_swap_out(struct co_berth *b)
{
	/* acquire: what c did before it slept is the taker's to go on with; pairs with entering. */
	return (struct co *)co_atomic_swap(&b->sleeper, 0, CO_ACQUIRE);
}

/* Take out who sleeps there and shut it. NULL: nobody. */
static inline struct co *co_berth_close(struct co_berth *b)
{
	uintptr_t c;

	/* relaxed: the swap releases it. */
	co_atomic_store(&b->shut, 1, CO_RELAXED);
	/* acq_rel: as in co_berth_swap_out(), and releases the close; pairs with entering. */
	c = co_atomic_swap(&b->sleeper, (uintptr_t)&co_berth_shut, CO_ACQ_REL);

	return c == (uintptr_t)&co_berth_shut ? NULL : (struct co *)c;
}

/* Take out who sleeps there; it stays shut if it is. NULL: nobody. */
static inline struct co *co_berth_take(struct co_berth *b)
{
	struct co *c = co_berth_swap_out(b);

	if (c == &co_berth_shut)
		return co_berth_close(b);
	/*
	 * relaxed: who closed may have put c back, and c was acquired from that. Nobody is there
	 * now: the only one who could be has just been taken out.
	 */
	if (c && co_atomic_load(&b->shut, CO_RELAXED))
		co_berth_close(b);
	return c;
}

/* Does anybody sleep there, of those whose entry the caller has acquired by a mark? */
static inline bool co_berth_known(struct co_berth *b)
{
	return co_atomic_load(&b->sleeper, CO_RELAXED) != 0;
}

#endif
