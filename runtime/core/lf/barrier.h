/*
 * barrier.h - the counts and flags of a barrier: a tree over its members (cohart/barrier.h). A
 * central barrier is the tree in which all members are children of member 0.
 *
 * No function here waits. Arrivals are counted by atomic adds, and the member that completes a
 * count carries it up the tree. A release swaps the flag of each member; the old value says whether
 * that member waits and must be woken. No wake-up is lost: a member enters its queue, then sets a
 * bit of its flag by an atomic or. Either the or finds the release, or the release finds the bit.
 *
 * Episodes are numbered 2, 4, 6, ..., which leaves bit 0 of a flag free, and arrivals count by 2.
 * No word is ever reset: a member is released when its flag has reached the episode, and a count is
 * complete at (episode x members that count there). So a member may be an episode ahead of others.
 *
 * Source: seeds D1, E3. The ideas: Yew, Tzeng, Lawrie 1987 (combining); Mellor-Crummey, Scott 1991
 * (each waits on its own memory).
 */
#ifndef COHART_LF_BARRIER_H
#define COHART_LF_BARRIER_H

#include <cohart/detail/barrier.h>

/* The step between episodes, and bit 0 of a flag. */
#define CO_BARRIER_STEP 2u
#define CO_BARRIER_WAITS 1u /* the member is in its queue, or was when its wait ended early */

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
	/* acquire: what all members wrote before they arrived; pairs with co_barrier_release(). */
	return co_barrier_reached(co_atomic_load(&m->flag, CO_ACQUIRE), episode);
}

/* Release a member. Returns true if it waits: the caller wakes it. */
static inline bool co_barrier_release(struct co_barrier_member *m, uint32_t episode)
{
	/*
	 * acq_rel: releases what the members wrote to co_barrier_released(), and acquires the
	 * member's queue entry from co_barrier_mark(), which in turn sees this release.
	 */
	return co_atomic_swap(&m->flag, episode, CO_ACQ_REL) & CO_BARRIER_WAITS;
}

/* The member has entered its queue. Returns true if it is released already: do not sleep. */
static inline bool co_barrier_mark(struct co_barrier_member *m, uint32_t episode)
{
	/* acq_rel: pairs with co_barrier_release() and co_barrier_break(), both ways. */
	return co_barrier_reached(co_atomic_or(&m->flag, CO_BARRIER_WAITS, CO_ACQ_REL), episode);
}

/* Mark a member's barrier as broken. Returns true if the member waits: the caller wakes it. */
static inline bool co_barrier_break(struct co_barrier_member *m)
{
	/*
	 * relaxed, then an acq_rel or that changes nothing: a member whose bit is not set yet will
	 * see `broken` after it has set it; pairs with co_barrier_mark(), both ways.
	 */
	co_atomic_or(&m->broken, 1, CO_RELAXED);
	return co_atomic_or(&m->flag, 0, CO_ACQ_REL) & CO_BARRIER_WAITS;
}

static inline bool co_barrier_is_broken(const struct co_barrier_member *m)
{
	/* relaxed: co_barrier_mark() has acquired it. */
	return co_atomic_load(&m->broken, CO_RELAXED);
}

/* Number of children of a member in the tree; the first is (member << shift) + 1. */
static inline uint32_t co_barrier_below(const struct co_barrier *b, uint32_t member)
{
	uint32_t first = (member << b->shift) + 1;
	uint32_t most = 1u << b->shift;

	if (first >= b->members)
		return 0;
	return b->members - first < most ? b->members - first : most;
}

/* The parent of a member; not for member 0. */
static inline uint32_t co_barrier_above(const struct co_barrier *b, uint32_t member)
{
	return (member - 1) >> b->shift;
}

/* The member whose count an arrival goes to: itself, or the parent of a leaf. */
static inline uint32_t co_barrier_counter(const struct co_barrier *b, uint32_t member)
{
	return co_barrier_below(b, member) || !member ? member : co_barrier_above(b, member);
}

/* Add an arrival to a count that `full` members complete. Returns true if it is complete. */
static inline bool co_barrier_count(struct co_a32 *arrived, uint32_t full, uint32_t episode)
{
	/* acq_rel: the last one to arrive acquires what the others wrote; pairs with itself. */
	return co_atomic_add(arrived, CO_BARRIER_STEP, CO_ACQ_REL) + CO_BARRIER_STEP ==
	       episode * full;
}

/* The count of `member` is complete: go up. Returns true if all members have arrived. */
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
