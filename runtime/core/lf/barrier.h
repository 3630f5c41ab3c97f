/*
 * barrier.h - a tree and a dissemination barrier over seats (cohart/seat.h). A central barrier is
 * the tree in which all hang on one.
 *
 * Nobody waits in here, and nothing is ever taken back: arrivals are counted by atomic adds, and
 * who makes a count full carries it on; flags are set by atomic swaps, whose old value says whether
 * their reader sleeps and must be woken. So a teller writes to a remote seat once and never reads
 * it, and no wake-up is lost: the sleeper sets bit 0 by an atomic or of the same word, so either
 * its or finds what the swap wrote, or the swap finds the bit.
 *
 * Episodes are numbered from 1. All words count on through them: a flag has come when it is no less
 * than the episode, and a seat's arrivals are full at (episode x those below and itself).
 *
 * Source: seeds D1, E3. The ideas: Yew, Tzeng, Lawrie 1987 (combining); Hensgen, Finkel, Manber
 * 1988 (dissemination); Mellor-Crummey, Scott 1991 (each waits on its own memory).
 */
#ifndef COHART_LF_BARRIER_H
#define COHART_LF_BARRIER_H

#include <stdbool.h>

#include <cohart/seat.h>

#define CO_SEAT_SLEEPS 1u

static inline struct co_seat *co_seat_at(const struct co_barrier *b, uint32_t member)
{
	if (b->table)
		return b->table[member];
	return (struct co_seat *)((uintptr_t)b->seats + member * b->stride);
}

/* Has the flag come? */
static inline bool co_seat_told(const struct co_a32 *flag, uint32_t episode)
{
	/* acquire: sees what all members wrote before they came; pairs with co_seat_tell(). */
	return (int32_t)(co_atomic_load(flag, CO_ACQUIRE) - 2 * episode) >= 0;
}

/* Set a flag; true if its reader sleeps: the caller wakes it. */
static inline bool co_seat_tell(struct co_a32 *flag, uint32_t episode)
{
	/*
	 * acq_rel: hands on what was acquired from those who came before, to co_seat_told(); and
	 * sees that the sleeper is in its queue; pairs with co_seat_doze().
	 */
	return co_atomic_swap(flag, 2 * episode, CO_ACQ_REL) & CO_SEAT_SLEEPS;
}

/* The reader is in its queue and about to sleep. True if the flag has come after all. */
static inline bool co_seat_doze(struct co_a32 *flag, uint32_t episode)
{
	/* acq_rel: the queue is seen by who finds the bit; pairs with co_seat_tell(). */
	return (int32_t)(co_atomic_or(flag, CO_SEAT_SLEEPS, CO_ACQ_REL) - 2 * episode) >= 0;
}

/* Wakes the member of a seat; an argument here, so that a model checker can bring its own. */
typedef void co_seat_wake(struct co_seat *s);

/* How many hang on a member in the tree; they are numbered from (member << shift) + 1 on. */
static inline uint32_t co_tree_below(const struct co_barrier *b, uint32_t member)
{
	uint32_t first = (member << b->shift) + 1;
	uint32_t most = 1u << b->shift;

	if (first >= b->members)
		return 0;
	return b->members - first < most ? b->members - first : most;
}

/* A member comes. True if it is the last of all: it must release the others. */
static inline bool co_tree_arrive(const struct co_barrier *b, uint32_t member, uint32_t episode)
{
	for (;;) {
		uint32_t below = co_tree_below(b, member);

		/*
		 * acq_rel: what those below wrote goes up with the one who makes the count full;
		 * pairs with itself. A leaf has nobody to count.
		 */
		if (below && co_atomic_add(&co_seat_at(b, member)->arrived, 1, CO_ACQ_REL) + 1 !=
				     episode * (below + 1))
			return false;
		if (member == 0)
			return true;
		member = (member - 1) >> b->shift;
	}
}

static inline void co_tree_tell(const struct co_barrier *b, uint32_t member, uint32_t episode,
				co_seat_wake *wake)
{
	struct co_seat *s = co_seat_at(b, member);

	if (co_seat_tell(&s->flag[0], episode))
		wake(s);
}

/* A member that was released passes it on to those below. */
static inline void co_tree_forward(const struct co_barrier *b, uint32_t member, uint32_t episode,
				   co_seat_wake *wake)
{
	uint32_t first = (member << b->shift) + 1;
	uint32_t end = first + co_tree_below(b, member);

	while (first < end)
		co_tree_tell(b, first++, episode, wake);
}

/*
 * The last one to come releases the root and those right below it, and those below itself: it need
 * not wait for its own flag, which comes later and is no news then.
 */
static inline void co_tree_release(const struct co_barrier *b, uint32_t member, uint32_t episode,
				   co_seat_wake *wake)
{
	uint32_t top = co_tree_below(b, 0);

	for (uint32_t i = 0; i <= top; i++) {
		if (i != member)
			co_tree_tell(b, i, episode, wake);
	}
	if (member)
		co_tree_forward(b, member, episode, wake);
}

/*
 * Rounds go on while 1 << round < members. In each a member tells the one 1 << round further on, then
 * waits for its own flag of it.
 */
static inline void co_dissemination_tell(const struct co_barrier *b, uint32_t member,
					 uint32_t round, uint32_t episode, co_seat_wake *wake)
{
	uint32_t to = member + (1u << round);
	struct co_seat *s = co_seat_at(b, to < b->members ? to : to - b->members);

	if (co_seat_tell(&s->flag[round], episode))
		wake(s);
}

#endif
