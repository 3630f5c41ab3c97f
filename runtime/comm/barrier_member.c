/*
 * barrier_member.c - who is which member of a barrier, and what the others learn of its death.
 *
 * Who dies leaves a bit in every seat, wakes who is parked, and makes the harts of the others come
 * round: a message that does nothing ends all other ways to sleep, and the member then waits in the
 * ordinary way, where it looks at its bit. All that is written of the barrier is written when that
 * is over, so that its memory can be used for something else when all have been told.
 */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>
#include <cohart/cleanup.h>
#include <cohart/spm.h>

#include "../core/lost.h"
#include "barrier.h"

/* On the hart that was made to come round. */
static void come_round(struct co_msg *m)
{
	struct co_hart *h = (struct co_hart *)((uintptr_t)m - offsetof(struct co_hart, poke_msg));

	/*
	 * acq_rel: sees what all those wrote who found it under way, and gives the message back;
	 * pairs with poke(), both ways.
	 */
	co_atomic_swap(&h->poked, 0, CO_ACQ_REL);
}

static void poke(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	/* acq_rel: as in come_round(). */
	if (co_atomic_swap(&h->poked, 1, CO_ACQ_REL))
		return;
	h->poke_msg.run = come_round;
	co_post(hart, &h->poke_msg);
}

void co_barrier_forsake(const struct co_barrier *b, uint32_t member, bool lost)
{
	co_seat_die(co_seat_at(b, member), member);
	for (uint32_t i = 0; i < b->members; i++) {
		struct co_seat *s = co_seat_at(b, i);
		uint32_t hart;

		if (i == member)
			continue;
		hart = co_seat_break(s);
		if (hart && hart - 1 != co_executor.hart)
			poke(hart - 1);
		if (!lost || co_lost_queue(&s->wait))
			co_wake_one(&s->wait);
	}
	co_barrier_relay(b, member, lost);
}

/* The coroutine that is bound to a seat has ended early. */
static void leave_seat(struct co_cleanup *cleanup, struct co *c, enum co_cleanup_why why)
{
	struct co_seat *s =
		(struct co_seat *)((uintptr_t)cleanup - offsetof(struct co_seat, cleanup));
	bool lost = why == CO_CLEANUP_HOST_DOWN;
	const struct co_barrier *b = s->of;
	struct co_barrier own;

	if (s->bound != c)
		return;
	s->bound = NULL;
	if (co_barrier_of_seat((uintptr_t)b, &own))
		b = &own;
	else if (lost && !co_spm_shared(b, sizeof(*b)))
		return;
	if (s->member < b->members)
		co_barrier_forsake(b, s->member, lost);
}

void co_barrier_bind(struct co_barrier *b, unsigned member)
{
	struct co *c = co_executor.current;
	struct co_seat *s;

	CO_ASSERT(b && c && member < b->members);
	s = co_seat_at(b, member);
	CO_ASSERT(!s->bound); /* nobody else is this member */
	s->bound = c;
	s->member = member;
	s->of = co_barrier_object(b);
	co_cleanup_add(&s->cleanup, leave_seat);
}

void co_barrier_unbind(struct co_barrier *b, unsigned member)
{
	struct co *c = co_executor.current;
	struct co_seat *s;

	CO_ASSERT(b && c && member < b->members);
	s = co_seat_at(b, member);
	CO_ASSERT(s->bound == c && co_cleanup_remove(&s->cleanup));
	s->bound = NULL;
}

int co_barrier_mend(struct co_barrier *b)
{
	if (co_barrier_has_lost(b))
		return -EHOSTDOWN;
	for (uint32_t i = 0; i < b->members; i++)
		memset(co_seat_at(b, i), 0, sizeof(struct co_seat));
	return 0;
}
