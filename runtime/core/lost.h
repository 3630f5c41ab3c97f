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

/* May joins on its coroutines return -EHOSTDOWN? Context: any. Order: as above, for joiners. */
static inline bool co_hart_notified(unsigned hart)
{
	return co_atomic_load(&co_hart_at(hart)->notified, CO_SEQ_CST) != 0;
}

/* Is it lost and has it stopped, so that it writes nothing any more? Context: any. */
static inline bool co_hart_past(unsigned hart)
{
	/* relaxed: a loss wakes the waiters that depend on it. acquire: as in has_stopped(). */
	return co_atomic_load(&co_lost, CO_RELAXED) && co_hart_lost(hart) &&
	       co_atomic_load(&co_hart_at(hart)->stopped, CO_ACQUIRE);
}

/*
 * Mark a hart as lost: no coroutine is started there from here on. co_hart_lose() does this, and
 * cleans up what the hart held.
 * @return false: it was lost already, nothing has changed
 * Context: hart 0. hart is not 0 (asserted).
 */
bool co_hart_mark_lost(unsigned hart);

/* This hart stops for good and writes no shared memory from here on. Context: any. */
void co_hart_stopping(void);

_Noreturn static inline void co_hart_stop(void)
{
	co_hart_stopping();
	hal_cpu_halt();
}

#endif
