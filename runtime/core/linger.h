/*
 * linger.h - the short way to wait, for a word that lies in the waiter's own scratchpad.
 */
#ifndef COHART_LINGER_H
#define COHART_LINGER_H

#include <hal/ipi.h>

#include "core.h"

/*
 * Sleep until a word changes, as long as this hart has nothing else to do: no queue, no message, no
 * switch; the hart sleeps in the waiting coroutine.
 * @param word    who writes to it (seq_cst) learns by that access that it must ring:
 *                co_linger_ring()
 * @param seen    what it was when that became known
 * @param object  for reports, with its kind, as in co_wait_prepare()
 * @return true: it has changed; false: there is something else to do, so wait in the ordinary way
 * Context: coroutine. Order: none; look at the word again.
 * Cost: 50 instructions and the sleep, a fifth of an ordinary wait and its wake-up.
 */
bool co_linger(const struct co_a32 *word, uint32_t seen, const void *object, const char *kind);

/*
 * The same where the need to ring is told by a flag that who writes takes down. Who saw the flag
 * may take it down late, when the word has changed and been seen and is waited for again: the ring
 * that follows then is for nothing, and the flag is to be raised anew before the next sleep.
 * @return true also when rung for nothing: raise the flag, look, call again
 */
bool co_linger_once(const struct co_a32 *word, uint32_t seen, const void *object, const char *kind);

/* Is there any use in telling others that this hart lingers? Not while it has something to do. */
static inline bool co_linger_may(void)
{
	const struct co *c = co_executor.current;

	return c->next_ready == c && !co_executor.timers;
}

/* The word has been written: end the sleep of its hart. */
static inline void co_linger_ring(unsigned hart)
{
	hal_ipi_ring(co_hart_at(hart)->bell);
}

#endif
