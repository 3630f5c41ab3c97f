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

#include "inbox.h"

/* Bits of a flag, below the episode: how its reader waits. */
#define CO_SEAT_SLEEPS 1u          /* parked, in the seat's queue */
#define CO_SEAT_LINGERS CO_NAP_BIT /* asleep with its hart */
#define CO_SEAT_EPISODE 4u

/* A seat's step: 0, or the round + 1 in which its member has given a wait up, and these. */
#define CO_SEAT_GAVE_UP 0xffu
#define CO_SEAT_BROKEN 0x100u /* a member of the barrier has been ended: look which, and when */
#define CO_SEAT_DEAD 0x200u   /* this one */

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

/*
 * The reader will be about to sleep when it has come, and need not look before: as long as it has
 * not come nobody tells it of this episode. A flag that is late, of an episode whose last one it
 * was itself, takes the bit away and rings for nothing: it must look what it was woken for.
 */
static inline void co_seat_predoze(struct co_a32 *flag, uint32_t episode)
{
	/*
	 * release: who finds it sees what was sent before this sleep; pairs with stuck.c's look.
	 * Who tells of this episode gets it by the counts.
	 */
	co_atomic_store(flag, CO_SEAT_EPISODE * episode - (CO_SEAT_EPISODE - CO_SEAT_LINGERS),
			CO_RELEASE);
}

/* It does not sleep after all: it is the last, and has released nobody yet. relaxed: its own. */
static inline void co_seat_stay_awake(struct co_a32 *flag, uint32_t episode)
{
	co_atomic_store(flag, CO_SEAT_EPISODE * (episode - 1), CO_RELAXED);
}

/*
 * Ring the hart of a seat's member; wake that member, however it sleeps. Arguments here, so that a
 * model checker can bring its own.
 */
typedef void co_seat_ring(struct co_seat *s);
typedef void co_seat_wake(const struct co_barrier *b, struct co_seat *s, uint32_t round,
			  uint32_t episode, uint32_t how);

/* How many hang on a member in the tree; they are numbered from (member << shift) + 1 on. */
static inline uint32_t co_tree_below(const struct co_barrier *b, uint32_t member)
{
	uint32_t first = (member << b->shift) + 1;
	uint32_t most = 1u << b->shift;

	if (first >= b->members)
		return 0;
	return b->members - first < most ? b->members - first : most;
}

/* The one that a member hangs on; not for member 0. */
static inline uint32_t co_tree_above(const struct co_barrier *b, uint32_t member)
{
	return (member - 1) >> b->shift;
}

/* One more in a count of which so many make it full each episode. True if it is. */
static inline bool co_tree_count(struct co_a32 *arrived, uint32_t full, uint32_t episode)
{
	/*
	 * acq_rel: what those below wrote goes up with the one who makes the count full; pairs
	 * with itself.
	 */
	return co_atomic_add(arrived, 1, CO_ACQ_REL) + 1 == episode * full;
}

/* The count of `member` is full: carry that up. True if all have come. */
static inline bool co_tree_carry(const struct co_barrier *b, uint32_t member, uint32_t episode)
{
	while (member) {
		member = co_tree_above(b, member);
		if (!co_tree_count(&co_seat_at(b, member)->arrived, co_tree_below(b, member) + 1,
				   episode))
			return false;
	}
	return true;
}

/*
 * The seat in whose count a member comes: its own, or, since a leaf has nobody to count, the one
 * above. A member that is alone has none to come to.
 */
static inline uint32_t co_tree_counter(const struct co_barrier *b, uint32_t member)
{
	return co_tree_below(b, member) ? member : co_tree_above(b, member);
}

/* A member comes. True if it is the last of all: it must release the others. */
static inline bool co_tree_arrive(const struct co_barrier *b, uint32_t member, uint32_t episode)
{
	uint32_t at;

	if (b->members == 1)
		return true;
	at = co_tree_counter(b, member);
	return co_tree_count(&co_seat_at(b, at)->arrived, co_tree_below(b, at) + 1, episode) &&
	       co_tree_carry(b, at, episode);
}

/* Tell one. True if it is parked: the caller must wake it. */
static inline bool co_tree_tell_one(struct co_seat *s, uint32_t episode, co_seat_ring *ring)
{
	uint32_t how = co_seat_tell(&s->flag[0], episode);

	if (how == CO_SEAT_LINGERS) { /* as most do: one test */
		ring(s);
		return false;
	}
	if (how & CO_SEAT_LINGERS)
		ring(s);
	return how & CO_SEAT_SLEEPS;
}

/*
 * Tell members from..end-1 until one is found parked, and return its number: the caller wakes it
 * and goes on behind it. `end`: all are told.
 */
static inline uint32_t co_tree_tell(const struct co_barrier *b, uint32_t from, uint32_t end,
				    uint32_t episode, co_seat_ring *ring)
{
	struct co_seat *const *table = b->table;
	struct co_seat *s = table ? NULL : co_seat_at(b, from);

	/* Two loops, so that each is short: many run through it while others wait. */
	for (; table && from < end; from++) {
		if (co_tree_tell_one(table[from], episode, ring))
			return from;
	}
	for (; from < end; from++) {
		if (co_tree_tell_one(s, episode, ring))
			return from;
		s = (struct co_seat *)((uintptr_t)s + b->stride);
	}
	return end;
}

/*
 * Rounds go on while 1 << round < members. In each a member tells the one 1 << round further on,
 * then waits for its own flag of it.
 */
static inline struct co_seat *co_dissemination_next(const struct co_barrier *b, uint32_t member,
						    uint32_t round)
{
	uint32_t to = member + (1u << round);

	return co_seat_at(b, to < b->members ? to : to - b->members);
}

static inline void co_dissemination_tell(const struct co_barrier *b, uint32_t member,
					 uint32_t round, uint32_t episode, co_seat_wake *wake)
{
	struct co_seat *s = co_dissemination_next(b, member, round);
	uint32_t how = co_seat_tell(&s->flag[round], episode);

	if (how)
		wake(b, s, round, episode, how);
}

/*
 * A member is ended: by a fault, or with its hart. It comes no more, so the episode after its last
 * one never ends, nor any later: all who wait for that, or come, are to be told. What it owes to
 * others in its last one, who hang on it, its tellers do for it: it is as if it were parked for
 * ever, and who finds that looks whether it is dead.
 *
 * Those who sleep are woken, each in its way; the short way in is closed. Who comes finds the bit
 * in the word by which it learns of waits that were given up.
 */
static inline void co_seat_die(struct co_seat *s, uint32_t member)
{
	s->member = member; /* for who goes on for it */
	/* release: of that, and its last episode; pairs with co_seat_is_dead(). */
	co_atomic_or(&s->step, CO_SEAT_DEAD | CO_SEAT_BROKEN, CO_RELEASE);
}

static inline bool co_seat_is_dead(const struct co_seat *s)
{
	/*
	 * acquire: as there. Who must not miss it has found its flag, or has its own seat's bit.
	 */
	return co_atomic_load(&s->step, CO_ACQUIRE) & CO_SEAT_DEAD;
}

/*
 * Tell a member that another one is dead; the caller then makes its hart look, and wakes it.
 * Returns that hart + 1, or 0: it has never come.
 */
static inline uint32_t co_seat_break(struct co_seat *s)
{
	/*
	 * seq_cst, all: releases who is dead; before the caller's look for those who are parked,
	 * and the one at the hart; pairs with co_seat_is_broken() there, and with
	 * co_seat_shortcut(), over whose word the second one writes.
	 */
	co_atomic_or(&s->step, CO_SEAT_BROKEN, CO_SEQ_CST);
	co_atomic_store(&s->quick, 0, CO_SEQ_CST);
	return co_atomic_load(&s->hart, CO_SEQ_CST);
}

/* Of the member itself, who has entered its queue, or noted its hart. */
static inline bool co_seat_is_broken(const struct co_seat *s)
{
	/* seq_cst: after that; pairs with co_seat_break(). */
	return co_atomic_load(&s->step, CO_SEQ_CST) & CO_SEAT_BROKEN;
}

/* The member may go the short way on this hart from now on (0: it may not). */
static inline void co_seat_shortcut(struct co_seat *s, uintptr_t hart)
{
	/* seq_cst: before the look; pairs with co_seat_break(). */
	co_atomic_store(&s->quick, hart, CO_SEQ_CST);
	if (co_seat_is_broken(s))
		co_atomic_store(&s->quick, 0, CO_RELAXED);
}

/* Was a member ended before it came to that episode? For who has seen its own seat's bit. */
static inline bool co_barrier_fails(const struct co_barrier *b, uint32_t episode)
{
	for (uint32_t i = 0; i < b->members; i++) {
		const struct co_seat *s = co_seat_at(b, i);

		/* relaxed: its last; as in co_seat_is_dead(). */
		if (co_seat_is_dead(s) &&
		    (int32_t)(co_atomic_load(&s->episode, CO_RELAXED) - episode) < 0)
			return true;
	}
	return false;
}

#endif
