/* lost.h - which harts are lost: they have stopped for good, while others go on (give_up.h). */
#ifndef COHART_LOST_H
#define COHART_LOST_H

#include <cohart/coroutine.h>

#include "core.h"

extern struct co_a32 co_lost; /* number of lost harts; lost.c */

/* Number of lost harts. Context: any. Order: as co_hart_lost(). */
static inline unsigned co_harts_lost(void)
{
	return co_atomic_load(&co_lost, CO_SEQ_CST);
}

/*
 * Context: any. Order: seq_cst; pairs with co_hart_mark_lost(): a waiter that enters a queue and
 * then calls this either sees the loss or is woken by it.
 */
static inline bool co_hart_lost(unsigned hart)
{
	return co_atomic_load(&co_hart_at(hart)->lost, CO_SEQ_CST) != 0;
}

/*
 * May joins on its coroutines return -EHOSTDOWN? Context: any. Order: as co_hart_lost(), for
 * joiners.
 */
static inline bool co_hart_notified(unsigned hart)
{
	return co_atomic_load(&co_hart_at(hart)->notified, CO_SEQ_CST) != 0;
}

/* Is it lost and has it stopped, so that it writes nothing any more? Context: any. */
static inline bool co_hart_past(unsigned hart)
{
	/*
	 * relaxed: a loss wakes the waiters that depend on it. acquire: everything the hart has
	 * written; pairs with co_hart_stopping().
	 */
	return co_atomic_load(&co_lost, CO_RELAXED) && co_hart_lost(hart) &&
	       co_atomic_load(&co_hart_at(hart)->stopped, CO_ACQUIRE);
}

/*
 * Mark a hart as lost. No coroutine is started there, once co_blocks_close() has been called, too.
 * fault/give_up.h does both, and cleans up the objects that the hart held.
 * @return false: it was lost already, nothing has changed
 * Context: hart 0. hart is not 0 (asserted).
 */
bool co_hart_mark_lost(unsigned hart);

/* This hart stops for good and writes no shared memory from here on. Context: any. */
void co_hart_stopping(void);

/* co_hart_stopping(), and stop at once. Context: any. */
_Noreturn void co_hart_stop(void);

/*
 * The end of a coroutine of a batch, whose hart may be lost and yet go on: the word c->refs decides
 * whether its hart or hart 0 counts it down.
 *
 * c has ended on this hart, in a batch that co_ending() has named. False: hart 0 has counted it,
 * and this hart has to stop.
 */
static inline bool co_leave_batch(struct co *c)
{
	/* release: c's writes; pairs with orphans(), recover.c. */
	return !(co_atomic_swap(&c->refs, 0, CO_RELEASE) & CO_GIVEN_UP);
}

/*
 * co_leave_batch() for a coroutine that is idle from here on, until it is used again. Hart 0 may
 * have given it up before, and be taking that back: so it stays to be counted, when this hart
 * stops.
 */
static inline bool co_leave_idle(struct co *c)
{
	/* release: c's writes; pairs with orphans(), recover.c. */
	if (!(co_atomic_or(&c->refs, CO_SERVICE, CO_RELEASE) & CO_GIVEN_UP))
		return true;
	co_atomic_and(&c->refs, ~CO_SERVICE, CO_RELAXED); /* co_hart_stop() releases it */
	return false;
}

/*
 * Hart 0 gives c up, which it counts then. False: c has ended, is idle, or was given up before.
 * `batch`: c's, or NULL. `last`: hart 0 has to run c->last.
 */
static inline bool co_give_up(struct co *c, struct co_batch **batch, bool *last)
{
	/* relaxed, all but one: should c end after this, its hart sees it and stops. */
	uint32_t before = co_atomic_load(&c->refs, CO_RELAXED);

	if (!co_refs_live(before) || before & CO_GIVEN_UP)
		return false;
	/* acquire: the batch; pairs with launch() and co_idle_end(). */
	before = co_atomic_or(&c->refs, CO_GIVEN_UP | CO_ENDING, CO_ACQUIRE);
	if (!co_refs_live(before)) { /* it has just ended */
		co_atomic_and(&c->refs, ~(CO_GIVEN_UP | CO_ENDING), CO_RELAXED);
		return false;
	}
	*batch = co_plain_load(&c->batch);
	*last = !(before & CO_ENDING);
	return true;
}

#endif
