/*
 * barrier_relay.c - waking members that are parked, and what those of them owe that are dead:
 * others hang on them in their last episode, so who tells them goes on in their place.
 */
#include <cohart/barrier.h>

#include "../core/lost.h"
#include "barrier.h"

static void ring(struct co_seat *s)
{
	co_ring(s->bell); /* the flag has handed it over */
}

static void wake(struct co_seat *s, bool lost)
{
	if (!lost || co_lost_queue(&s->wait))
		co_wake_one(&s->wait);
}

/* What a dead member owes from that round on, until it would wait. */
static void relay_rounds(const struct co_barrier *b, uint32_t member, uint32_t round,
			 uint32_t episode, bool lost)
{
	struct co_a32 *flag = co_seat_at(b, member)->flag;

	for (; 1u << round < b->members; round++) {
		struct co_seat *s = co_dissemination_next(b, member, round);
		uint32_t how = co_seat_tell(&s->flag[round], episode);

		if (how & CO_SEAT_LINGERS)
			ring(s);
		if (how & CO_SEAT_SLEEPS)
			co_barrier_wake_round(b, s, round, episode, lost);
		if (!co_seat_reached(co_seat_doze(&flag[round], CO_SEAT_SLEEPS), episode))
			return; /* who tells it finds it asleep */
	}
}

/* A dead member passes it on to those below. */
static void relay_below(const struct co_barrier *b, uint32_t member, uint32_t episode, bool lost)
{
	uint32_t first = (member << b->shift) + 1;
	uint32_t end = first + co_tree_below(b, member);

	co_barrier_wake_rest(b, co_tree_tell(b, first, end, episode, ring), end, episode, lost);
}

void co_barrier_wake_round(const struct co_barrier *b, struct co_seat *s, uint32_t round,
			   uint32_t episode, bool lost)
{
	wake(s, lost);
	/* relaxed: its last; who is ahead tells it of one that it has not come to. */
	if (co_seat_is_dead(s) && co_atomic_load(&s->episode, CO_RELAXED) == episode)
		relay_rounds(b, s->member, round + 1, episode, lost);
}

int co_barrier_wake_rest(const struct co_barrier *b, uint32_t from, uint32_t end, uint32_t episode,
			 bool lost)
{
	while (from < end) {
		struct co_seat *s = co_seat_at(b, from);

		wake(s, lost);
		/* It passes on nothing: do so in its place. Those below member 0 are told. */
		if (co_seat_is_dead(s) && from)
			relay_below(b, from, episode, lost);
		from = co_tree_tell(b, from + 1, end, episode, ring);
	}
	return 0;
}

void co_barrier_relay(const struct co_barrier *b, uint32_t member, bool lost)
{
	struct co_seat *s = co_seat_at(b, member);
	uint32_t episode = co_atomic_load(&s->episode, CO_RELAXED);

	if (!episode)
		return;
	if (!b->shift)
		relay_rounds(b, member, 0, episode, lost);
	else if (co_seat_reached(co_seat_doze(&s->flag[0], CO_SEAT_SLEEPS), episode) && member)
		relay_below(b, member, episode, lost);
}
