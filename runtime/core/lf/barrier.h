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

/* Bits of a flag, below the episode: how its reader waits. */
#define CO_SEAT_SLEEPS 1u  /* parked, in the seat's queue */
#define CO_SEAT_LINGERS 2u /* asleep with its hart */
#define CO_SEAT_EPISODE 4u

static inline struct co_seat *co_seat_at(const struct co_barrier *b, uint32_t member)
{
	if (b->table)
		return b->table[member];
	return (struct co_seat *)((uintptr_t)b->seats + member * b->stride);
}

/* Has this value of a flag come? */
static inline bool co_seat_reached(uint32_t value, uint32_t episode)
{
	return (int32_t)(value - CO_SEAT_EPISODE * episode) >= 0;
}

static inline bool co_seat_told(const struct co_a32 *flag, uint32_t episode)
{
	/* acquire: sees what all members wrote before they came; pairs with co_seat_tell(). */
	return co_seat_reached(co_atomic_load(flag, CO_ACQUIRE), episode);
}

/* Set a flag. Returns the bits that say how its reader sleeps, if it does: the caller wakes it. */
static inline uint32_t co_seat_tell(struct co_a32 *flag, uint32_t episode)
{
	/*
	 * seq_cst: hands on what was acquired from those who came before, to co_seat_told(); sees
	 * what the sleeper did before it dozed; pairs with co_seat_doze(). And comes before a ring,
	 * for the lingerer's look after it (linger.c).
	 */
	return co_atomic_swap(flag, CO_SEAT_EPISODE * episode, CO_SEQ_CST) &
	       (CO_SEAT_SLEEPS | CO_SEAT_LINGERS);
}

/*
 * The reader is ready to be woken, and about to sleep unless the flag's value, returned, has come.
 */
static inline uint32_t co_seat_doze(struct co_a32 *flag, uint32_t how)
{
	/*
	 * acq_rel: who finds the bit sees the reader ready; pairs with co_seat_tell(), both ways.
	 */
	return co_atomic_or(flag, how, CO_ACQ_REL) | how;
}

/* Wakes the member of a seat; an argument here, so that a model checker can bring its own. */
typedef void co_seat_wake(struct co_seat *s, uint32_t how);

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
	uint32_t how;

	how = co_seat_tell(&s->flag[0], episode);
	if (how)
		wake(s, how);
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
 * Rounds go on while 1 << round < members. In each a member tells the one 1 << round further on,
 * then waits for its own flag of it.
 */
static inline void co_dissemination_tell(const struct co_barrier *b, uint32_t member,
					 uint32_t round, uint32_t episode, co_seat_wake *wake)
{
	uint32_t to = member + (1u << round);
	struct co_seat *s = co_seat_at(b, to < b->members ? to : to - b->members);
	uint32_t how;

	how = co_seat_tell(&s->flag[round], episode);
	if (how)
		wake(s, how);
}

#endif
