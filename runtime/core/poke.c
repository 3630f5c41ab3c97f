/* poke.c - making a hart come round. */
#include "poke.h"

/* On the hart that was made to come round. */
static void come_round(struct co_msg *m)
{
	struct co_hart *h = (struct co_hart *)((uintptr_t)m - offsetof(struct co_hart, poke_msg));

	/*
	 * acq_rel: sees what all those wrote who found it under way, and gives the message back,
	 * with all that this hart has done; pairs with co_poke(), both ways, and co_poke_pending().
	 */
	co_atomic_swap(&h->poked, 0, CO_ACQ_REL);
}

void co_poke(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	/* acq_rel: as in come_round(). */
	if (co_atomic_swap(&h->poked, 1, CO_ACQ_REL))
		return;
	h->poke_msg.run = come_round;
	co_post(hart, &h->poke_msg);
}
