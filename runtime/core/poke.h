/* poke.h - making a hart come round: a message for nothing but that. */
#ifndef COHART_POKE_H
#define COHART_POKE_H

#include "core.h"

/*
 * It wakes, if it sleeps, and between two coroutines handles a message that does nothing.
 * Context: any. Order: acq_rel; it sees what the caller has written.
 */
void co_poke(unsigned hart);

/* Has it not come round since? Order: acquire, of all that it did before. */
static inline bool co_poke_pending(unsigned hart)
{
	/* acquire: pairs with come_round(). */
	return co_atomic_load(&co_hart_at(hart)->poked, CO_ACQUIRE) != 0;
}

#endif
