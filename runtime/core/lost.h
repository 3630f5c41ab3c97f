/*
 * lost.h - harts that have stopped for good while the others go on. docs/faults.md has the
 * promises.
 *
 * A hart is lost when its executor, a handler or the code that handles faults has faulted itself
 * (fault.c), or when the watch gives it up. Hart 0 decides it, once for each: from then on nothing
 * is started there and the search for stuck harts takes it for asleep. Should it come to life
 * again, it stops at its next alarm or message, or the next end of one of its coroutines.
 *
 * Hart 0 cleans up after its coroutines when the hart has stopped, which it says itself: then
 * nobody else writes what it wrote. Joins are notified when that, and the transfers that they had
 * begun, are over: nothing of theirs is written after that. A hart that says nothing may only be
 * slow: what it has stays as it is, for good.
 */
#ifndef COHART_LOST_H
#define COHART_LOST_H

#include <cohart/coroutine.h>

#include "core.h"

extern struct co_a32 co_lost; /* how many are; lost.c */

/* Context: any. Order: as below. */
static inline unsigned co_harts_lost(void)
{
	return co_atomic_load(&co_lost, CO_SEQ_CST);
}

/* Context: any. Order: seq_cst; pairs with co_hart_lose(): a waiter that has entered a queue and
 * then looks is woken by it or sees this. */
static inline bool co_hart_lost(unsigned hart)
{
	return co_atomic_load(&co_hart_at(hart)->lost, CO_SEQ_CST) != 0;
}

/* May joins on its coroutines say so? Context: any. Order: seq_cst; as above, for joiners. */
static inline bool co_hart_notified(unsigned hart)
{
	return co_atomic_load(&co_hart_at(hart)->notified, CO_SEQ_CST) != 0;
}

/* Is it lost, and has it stopped, so that what it has written stays as it is? Context: any. */
static inline bool co_hart_past(unsigned hart)
{
	/* relaxed: its waiter is made to look again. acquire: pairs with co_hart_stopping(). */
	return co_atomic_load(&co_lost, CO_RELAXED) && co_hart_lost(hart) &&
	       co_atomic_load(&co_hart_at(hart)->stopped, CO_ACQUIRE);
}

/* This hart stops for good, and touches nothing of others' from here on. Context: any. */
void co_hart_stopping(void);

_Noreturn static inline void co_hart_stop(void)
{
	co_hart_stopping();
	hal_cpu_halt();
}

/*
 * On behalf of a hart that has stopped: can q be used? False: its lock is held (a line says so), or
 * it lies where its hart alone could look.
 */
bool co_lost_queue(struct co_waitq *q);

/* Likewise: what a lost hart has left may be anything. Is there memory for [p, p + bytes)? */
bool co_lost_usable(const void *p, size_t bytes);

/* Likewise, co_counter_done() of what will not be done any more. */
void co_lost_done(struct co_counter *c);

/*
 * Give a hart up. Says nothing: the caller has said why. Waits until it has stopped, for
 * CO_LOST_US at most. Joins are notified when it returns or, if transfers are under way, when they
 * have ended, after CO_LOST_TRANSFERS_US at most. While harts boot, it marks the hart alone.
 * @return false: it was lost already, nothing has changed
 * Context: hart 0, coroutine or handler. hart is not 0 (asserted): without it nothing goes on.
 */
bool co_hart_lose(unsigned hart);
#define CO_LOST_US 200000 /* an emulator's processors may be busy with others */
#define CO_LOST_TRANSFERS_US 1000000

/*
 * Do for a lost hart what can be done by now: clean up after its coroutines, take its messages,
 * tell joins. True: there may be more to do later. Context: hart 0, after the boot.
 */
bool co_lost_look(unsigned hart);

#endif
