/*
 * linger.h - the short way to wait, for a word that lies in the waiter's own scratchpad.
 */
#ifndef COHART_LINGER_H
#define COHART_LINGER_H

#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

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

	return c->next_ready == c && !co_executor.attention;
}

/*
 * The shortest of all, for a word with a bit that says that its reader sleeps: who writes to the
 * word takes the bit away and rings. True if this hart has nothing else to do and no message at
 * hand. Not for hart 0, which looks after stuck harts.
 */
static inline bool co_nap_may(const struct co_executor *e, const struct co *c,
			      const struct co_hart *h)
{
	/*
	 * That is where to look as long as nothing is amiss: co_attend(). relaxed: as in
	 * co_linger().
	 */
	return e->more == &h->inbox.stub.next && c->next_ready == c &&
	       !co_atomic_load(&c->cancel, CO_RELAXED);
}

/*
 * Sleep once, right after co_nap_may(). The caller has cleared the doorbell, then set the bit by a
 * release, then told the writer so, and looks at the word afterwards; if nothing is new there it
 * waits in another way, which minds messages, timers and spurious ends.
 * @param c     this coroutine
 * @param h     this hart
 * @param word  CO_NAP_BIT is the bit; no two naps leave it at the same value
 * @return false: it did not sleep, since there is a message
 */
static inline bool co_nap(struct co *c, struct co_hart *h, const struct co_a32 *word)
{
	bool quiet;

	/* relaxed, both: for reports and the search for stuck harts; the flag publishes them. */
	co_atomic_store(&h->inbox.nap, (uintptr_t)word, CO_RELAXED);
	co_atomic_store(&c->since, co_since(hal_time_now()), CO_RELAXED);
	quiet = co_inbox_nap(&h->inbox);
	if (quiet)
		hal_irq_wait(); /* an alarm of before ends it at most once */
	co_inbox_rouse(&h->inbox);
	return quiet;
}

/* The word has been written: end the sleep of its hart. */
static inline void co_linger_ring(unsigned hart)
{
	co_ring(co_machine.bell[hart]);
}

#endif
