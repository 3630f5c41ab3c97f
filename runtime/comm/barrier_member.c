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
#include <cohart/spm.h>

#include "../core/lost.h"
#include "barrier.h"
#include "release.h"

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

/*
 * As co_barrier_relay(), for a lost hart's member: queues are looked at before they are used.
 */
static void ring(struct co_seat *s)
{
	co_ring(s->bell);
}

static void wake_lost(const struct co_barrier *b, struct co_seat *s, uint32_t round,
		      uint32_t episode, uint32_t how);

static void rounds_lost(const struct co_barrier *b, uint32_t member, uint32_t round,
			uint32_t episode)
{
	struct co_a32 *flag = co_seat_at(b, member)->flag;

	for (; 1u << round < b->members; round++) {
		co_dissemination_tell(b, member, round, episode, wake_lost);
		if (!co_seat_reached(co_seat_doze(&flag[round], CO_SEAT_SLEEPS), episode))
			return;
	}
}

static void wake_lost(const struct co_barrier *b, struct co_seat *s, uint32_t round,
		      uint32_t episode, uint32_t how)
{
	if (how & CO_SEAT_LINGERS)
		ring(s);
	if (!(how & CO_SEAT_SLEEPS))
		return;
	if (co_lost_queue(&s->wait))
		co_wake_one(&s->wait);
	/* relaxed: as in barrier.c. */
	if (co_seat_is_dead(s) && co_atomic_load(&s->episode, CO_RELAXED) == episode)
		rounds_lost(b, s->member, round + 1, episode);
}

static void forward_lost(const struct co_barrier *b, uint32_t member, uint32_t episode)
{
	uint32_t from = (member << b->shift) + 1;
	uint32_t end = from + co_tree_below(b, member);

	while ((from = co_tree_tell(b, from, end, episode, ring)) < end) {
		struct co_seat *s = co_seat_at(b, from);

		if (co_lost_queue(&s->wait))
			co_wake_one(&s->wait);
		if (co_seat_is_dead(s))
			forward_lost(b, from, episode);
		from++;
	}
}

static void relay_lost(const struct co_barrier *b, uint32_t member)
{
	struct co_seat *s = co_seat_at(b, member);
	uint32_t episode = co_atomic_load(&s->episode, CO_RELAXED);

	if (!episode)
		return;
	if (!b->shift)
		rounds_lost(b, member, 0, episode);
	else if (co_seat_reached(co_seat_doze(&s->flag[0], CO_SEAT_SLEEPS), episode) && member)
		forward_lost(b, member, episode);
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
	if (lost)
		relay_lost(b, member);
	else
		co_barrier_relay(b, member);
}

void co_barrier_bind(struct co_barrier *b, unsigned member)
{
	struct co *c = co_executor.current;
	struct co_seat *s;

	CO_ASSERT(b && c && member < b->members);
	s = co_seat_at(b, member);
	CO_ASSERT(!s->bound); /* nobody else is this member */
	s->bound = c;
	s->birth = co_atomic_load(&c->births, CO_RELAXED);
	s->member = member;
	s->of = co_barrier_object(b);
	s->also = c->seats;
	c->seats = s;
}

void co_barrier_unbind(struct co_barrier *b, unsigned member)
{
	struct co *c = co_executor.current;
	struct co_seat *s;
	struct co_seat **at;

	CO_ASSERT(b && c && member < b->members);
	s = co_seat_at(b, member);
	CO_ASSERT(s->bound == c);
	for (at = &c->seats; *at != s; at = &(*at)->also)
		CO_ASSERT(*at);
	*at = s->also;
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

void co_seats_release(struct co *c, bool lost)
{
	uint32_t birth = co_atomic_load(&c->births, CO_RELAXED);
	struct co_seat *s;

	/* Who had the block before has returned without a word: that is long ago. */
	while ((s = c->seats) && (!lost || co_spm_shared(s, sizeof(*s))) && s->bound == c &&
	       s->birth == birth) {
		const struct co_barrier *b = s->of;
		struct co_barrier own;

		c->seats = s->also;
		s->bound = NULL;
		if (co_barrier_of_seat((uintptr_t)b, &own))
			b = &own;
		else if (lost && !co_spm_shared(b, sizeof(*b)))
			continue;
		if (s->member < b->members)
			co_barrier_forsake(b, s->member, lost);
	}
	c->seats = NULL;
}
