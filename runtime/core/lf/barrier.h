/*
 * barrier.h - the counts and flags of a barrier: a tree over its members (cohart/barrier.h). A
 * central barrier is the tree in which all hang on member 0.
 *
 * Nobody waits in here, and nothing is ever taken back. Arrivals are counted by atomic adds, and
 * the member that makes a count full carries it up. A release swaps the flag of each member, and
 * the old value says whether that member waits and must be woken: a remote word is written once
 * and read only to wake. No wake-up is lost: a member enters its queue, then sets a bit of its flag
 * by an atomic or. Either the or finds the release, or the release finds the bit.
 *
 * Episodes are numbered 2, 4, 6, ..., so that a flag has a bit to spare, and arrivals count by 2.
 * All words count on through the episodes: a member is released when its flag is no less than the
 * episode, and a count is full at (episode x those that count there). So a member needs nothing
 * between two episodes, and one that is ahead of another disturbs nothing.
 *
 * Source: seeds D1, E3. The ideas: Yew, Tzeng, Lawrie 1987 (combining); Mellor-Crummey, Scott 1991
 * (each waits on its own memory).
 */
#ifndef COHART_LF_BARRIER_H
#define COHART_LF_BARRIER_H

#include <stdbool.h>

#include <cohart/detail/barrier.h>

/* From one episode to the next, and the bit below that in a flag. */
#define CO_BARRIER_STEP 2u
#define CO_BARRIER_WAITS 1u /* the member is in its queue, or was when it gave the wait up */

static inline struct co_barrier_member *co_barrier_member_at(const struct co_barrier *b,
							     uint32_t member)
{
	if (b->table)
		return b->table[member];
	return (struct co_barrier_member *)((uintptr_t)b->first + member * b->stride);
}

/* Does this value of a flag release its member from that episode? */
static inline bool co_barrier_reached(uint32_t value, uint32_t episode)
{
	return (int32_t)(value - episode) >= 0;
}

static inline bool co_barrier_released(const struct co_barrier_member *m, uint32_t episode)
{
	/* acquire: sees what all members wrote before they came; pairs with co_barrier_release().
	 */
	return co_barrier_reached(co_atomic_load(&m->flag, CO_ACQUIRE), episode);
}

/* Release a member. Returns true if it waits: the caller wakes it. */
static inline bool co_barrier_release(struct co_barrier_member *m, uint32_t episode)
{
	/*
	 * acq_rel: hands on what was acquired from members that came before, to
	 * co_barrier_released(); sees the member in its queue; pairs with co_barrier_mark(), both
	 * ways.
	 */
	return co_atomic_swap(&m->flag, episode, CO_ACQ_REL) & CO_BARRIER_WAITS;
}

/* The member is in its queue, and sleeps unless this returns true: it is released already. */
static inline bool co_barrier_mark(struct co_barrier_member *m, uint32_t episode)
{
	/* acq_rel: pairs with co_barrier_release() and co_barrier_break(), both ways. */
	return co_barrier_reached(co_atomic_or(&m->flag, CO_BARRIER_WAITS, CO_ACQ_REL), episode);
}

/* Tell a member that the barrier is broken. Returns true if it waits: the caller wakes it. */
static inline bool co_barrier_break(struct co_barrier_member *m)
{
	/*
	 * relaxed, then acq_rel on a word that stays as it is: a member that this does not find
	 * waiting sees `broken` when it has set its bit; pairs with co_barrier_mark(), both ways.
	 */
	co_atomic_or(&m->broken, 1, CO_RELAXED);
	return co_atomic_or(&m->flag, 0, CO_ACQ_REL) & CO_BARRIER_WAITS;
}

static inline bool co_barrier_is_broken(const struct co_barrier_member *m)
{
	/* relaxed: a member that is about to sleep has acquired it by co_barrier_mark(). */
	return co_atomic_load(&m->broken, CO_RELAXED);
}

/* How many hang on a member in the tree; they are numbered from (member << shift) + 1 on. */
static inline uint32_t co_barrier_below(const struct co_barrier *b, uint32_t member)
{
	uint32_t first = (member << b->shift) + 1;
	uint32_t most = 1u << b->shift;

	if (first >= b->members)
		return 0;
	return b->members - first < most ? b->members - first : most;
}

/* The one that a member hangs on; not for member 0. */
static inline uint32_t co_barrier_above(const struct co_barrier *b, uint32_t member)
{
	return (member - 1) >> b->shift;
}

/* The member in whose count a member arrives: its own, or, a leaf having none, the one above's. */
static inline uint32_t co_barrier_counter(const struct co_barrier *b, uint32_t member)
{
	return co_barrier_below(b, member) || !member ? member : co_barrier_above(b, member);
}

/* One more in a count of which `full` make it full each episode. Returns true if it is. */
static inline bool co_barrier_count(struct co_a32 *arrived, uint32_t full, uint32_t episode)
{
	/* acq_rel: what those below wrote goes up with the last of them; pairs with itself. */
	return co_atomic_add(arrived, CO_BARRIER_STEP, CO_ACQ_REL) + CO_BARRIER_STEP ==
	       episode * full;
}

/* The count of `member` is full: carry that up. Returns true if all have come. */
static inline bool co_barrier_carry(const struct co_barrier *b, uint32_t member, uint32_t episode)
{
	while (member) {
		member = co_barrier_above(b, member);
		if (!co_barrier_count(&co_barrier_member_at(b, member)->arrived,
				      co_barrier_below(b, member) + 1, episode))
			return false;
	}
	return true;
}

#endif
