/*
 * inbox.c - messages to a hart: many producers, one consumer, atomic exchange only.
 *
 * A linked list with a stub that never leaves it. A producer swaps itself in as the last message, then
 * links its predecessor to itself; between the two the list has a gap, which the consumer takes for the
 * end: it never spins on a producer. The producer then looks whether the consumer sleeps.
 *
 * Source: D. Vyukov's intrusive MPSC queue (1024cores.net), the idea.
 */
#include <hal/ipi.h>

#include "core.h"

void co_inbox_init(struct co_hart *h)
{
	co_atomic_store(&h->stub.next, 0, CO_RELAXED);
	co_atomic_store(&h->inbox, (uintptr_t)&h->stub, CO_RELAXED);
}

static void push(struct co_hart *h, struct co_msg *m)
{
	struct co_msg *before;

	co_atomic_store(&m->next, 0, CO_RELAXED);
	/* acq_rel: the next producer that gets m here must see m->next cleared before it links. */
	before = (struct co_msg *)co_atomic_swap(&h->inbox, (uintptr_t)m, CO_ACQ_REL);
	/* seq_cst: releases the message to co_inbox_take()'s acquire, and comes before the look at
	 * idle; pairs with the sleeper, which sets idle before it looks at this link. */
	co_atomic_store(&before->next, (uintptr_t)m, CO_SEQ_CST);
}

void co_inbox_post(unsigned hart, struct co_msg *m)
{
	struct co_hart *h = co_hart_at(hart);

	push(h, m);
	if (co_atomic_load(&h->idle, CO_SEQ_CST) != CO_BUSY)
		hal_ipi_send(hart);
}

struct co_msg *co_inbox_take(struct co_executor *e)
{
	struct co_msg *stub = &e->self->stub;
	struct co_msg *m = e->inbox_tail;
	/* acquire: pairs with push()'s link; the message and what its sender wrote are seen. */
	struct co_msg *next = (struct co_msg *)co_atomic_load(&m->next, CO_ACQUIRE);

	if (m == stub) {
		if (!next)
			return NULL;
		e->inbox_tail = m = next;
		next = (struct co_msg *)co_atomic_load(&m->next, CO_ACQUIRE);
	}
	if (!next) {
		/* m is the last one, unless a producer is just linking itself behind it. */
		if (co_atomic_load(&e->self->inbox, CO_RELAXED) != (uintptr_t)m)
			return NULL;
		push(e->self, stub);
		next = (struct co_msg *)co_atomic_load(&m->next, CO_ACQUIRE);
		if (!next)
			return NULL;
	}
	e->inbox_tail = next;
	return m;
}

bool co_inbox_ready(const struct co_executor *e)
{
	const struct co_msg *m = e->inbox_tail;

	/* seq_cst: after this hart's idle flag; pairs with push(). A message that is not the stub and has
	 * no successor is one that waits for its producer, who will see the flag and ring. */
	return co_atomic_load(&m->next, CO_SEQ_CST) != 0 ||
	       (m != &e->self->stub && co_atomic_load(&e->self->inbox, CO_RELAXED) == (uintptr_t)m);
}
