/*
 * linger.c - a wait without a switch.
 *
 * The hart promises the same as when it idles (executor.c), so who posts a message rings, and the
 * search for stuck harts counts it as asleep. What it waits for is told by a ring too: a ring that
 * comes after hal_ipi_clear() is pending and ends the sleep at once; one from before belongs to a
 * word that the look finds changed.
 */
#include <hal/irq.h>
#include <hal/time.h>

#include "linger.h"

static void nap(struct co_executor *e, const struct co_a32 *word, uint32_t seen, uint64_t until)
{
	struct co_inbox *inbox = &e->self->inbox;

	/* relaxed: for the search for stuck harts; the flag publishes both. */
	co_atomic_store(&inbox->word, (uintptr_t)word, CO_RELAXED);
	co_atomic_store(&inbox->seen, seen, CO_RELAXED);
	hal_ipi_clear();
	co_inbox_doze(inbox, &e->outlet, CO_LINGER, NULL);
	/*
	 * seq_cst: finds what was written before a ring that is cleared already; pairs with the
	 * writer's seq_cst access. The ring itself need not hand anything over.
	 */
	if (co_atomic_load(word, CO_SEQ_CST) == seen && !co_inbox_ready(inbox, &e->outlet)) {
		hal_time_wake_at(until); /* in any case: as in the executor's idle() */
		hal_irq_wait();
	}
	co_inbox_rouse(inbox);
}

static inline bool linger(const struct co_a32 *word, uint32_t seen, const void *object,
			  const char *kind, bool once)
{
	struct co_executor *e = &co_executor;
	struct co *c = e->current;
	uint64_t until = CO_FOREVER;
	bool changed, go_on;

	/*
	 * Deadlines and transfers are the executor's to look after. relaxed: a cancel that has come
	 * already is for the ordinary wait to find; one that comes is a message.
	 */
	if (e->attention || c->next_ready != c || co_atomic_load(&c->cancel, CO_RELAXED))
		return false;
	/*
	 * So is hart 0's search for stuck harts and silent ones: when it is time, it sleeps in the
	 * executor.
	 */
	if (e->hart == 0) {
		until = co_after_us(CO_STUCK_US);
		if (co_watch_next < until)
			until = co_watch_next;
	}
	co_wait_note(c, object, kind);
	co_atomic_store(&c->since, co_since(hal_time_now()), CO_RELAXED); /* for reports */
	co_atomic_store(&c->state, CO_WAITING, CO_RELAXED);
	do {
		nap(e, word, seen, until);
		/* relaxed: if it is not seen here it is in the next round; the caller acquires. */
		changed = co_atomic_load(word, CO_RELAXED) != seen;
		go_on = !co_inbox_glance(&e->outlet) && (e->hart || hal_time_now() < until);
	} while (!changed && go_on && !once);
	co_atomic_store(&c->state, CO_READY, CO_RELAXED);
	return changed || (go_on && once);
}

bool co_linger(const struct co_a32 *word, uint32_t seen, const void *object, const char *kind)
{
	return linger(word, seen, object, kind, false);
}

bool co_linger_once(const struct co_a32 *word, uint32_t seen, const void *object, const char *kind)
{
	return linger(word, seen, object, kind, true);
}
