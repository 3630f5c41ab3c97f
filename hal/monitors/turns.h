/*
 * turns.h - harts that take turns by loads and stores alone, the first that asks first.
 *
 * A hart takes a number one greater than the largest it sees, and waits for harts with smaller
 * numbers, and for harts that are just taking one; two harts with equal numbers go by their hart
 * numbers. No word has two writers.
 *
 * Source: L. Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, 1974, the idea.
 */
#ifndef HAL_MONITORS_TURNS_H
#define HAL_MONITORS_TURNS_H

#include <stdalign.h>
#include <stdbool.h>

#include <cohart/atomic.h>
#include <hal/cpu.h>

/* A hart's: it alone writes there. All 0: it wants no turn. */
struct hal_turn {
	alignas(CO_LINE) struct co_a32 taking; /* it takes a number just now */
	struct co_a32 number;                  /* 0: none */
};

/* Does a come after b? They are few apart, and wrap. */
static inline bool hal_turn_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/*
 * Wait until it is the turn of hart `me` among harts me % teams, + teams, + 2 teams, ... below n.
 * Order: acquire; paired with hal_turn_end().
 */
static inline void hal_turn_begin(struct hal_turn *turn, unsigned me, unsigned n, unsigned teams)
{
	uint32_t last = 0;
	uint32_t mine;

	/*
	 * seq_cst, all here: of two harts that ask, one sees its peer's `taking` or number; pairs
	 * with the peer's accesses here.
	 */
	co_atomic_store(&turn[me].taking, 1, CO_SEQ_CST);
	for (unsigned i = me % teams; i < n; i += teams) {
		uint32_t theirs = co_atomic_load(&turn[i].number, CO_SEQ_CST);

		if (theirs && (!last || hal_turn_after(theirs, last)))
			last = theirs;
	}
	mine = last + 1 ? last + 1 : 1;
	co_atomic_store(&turn[me].number, mine, CO_SEQ_CST);
	co_atomic_store(&turn[me].taking, 0, CO_SEQ_CST);
	for (unsigned i = me % teams; i < n; i += teams) {
		uint32_t theirs;

		if (i == me)
			continue;
		while (co_atomic_load(&turn[i].taking, CO_SEQ_CST))
			hal_cpu_relax();
		while ((theirs = co_atomic_load(&turn[i].number, CO_SEQ_CST)) &&
		       (theirs == mine ? i < me : hal_turn_after(mine, theirs)))
			hal_cpu_relax();
	}
}

/* The turn of hart `me` is over; or it asks for none any more. */
static inline void hal_turn_end(struct hal_turn *turn, unsigned me)
{
	co_atomic_store(&turn[me].taking, 0, CO_RELAXED); /* it is, unless the hart is lost */
	/* release: accesses in this turn come before its end; pairs with hal_turn_begin(). */
	co_atomic_store(&turn[me].number, 0, CO_RELEASE);
}

#endif
