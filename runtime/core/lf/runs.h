/*
 * runs.h - runs of free units, which any hart takes, splits, gives and joins. A tree for each of
 * CO_RUN_SIZES lengths has the first unit of each run that is free: whoever takes the number out
 * owns the run. Records of the first and of the last unit say how long the run is, so that whoever
 * gives a run finds the runs beside it. All records between are 0.
 *
 * A record that is read beside a run may be out of date. The tree decides: the owner of a run that
 * was taken out reads its record again. A join that another hart spoils leaves two runs side by
 * side, which the next give there joins.
 *
 * A hart that joins runs has all of them for some instructions, or for long if it is an emulator's
 * and stopped meanwhile. So a joined run has a limit, which leaves runs for others to find.
 */
#ifndef COHART_LF_RUNS_H
#define COHART_LF_RUNS_H

#include "tree.h"

/* Lengths that have a tree: 1 to 8, then four from a power of two to the next. */
#define CO_RUN_SIZES (CO_WORD_BITS == 64 ? 48 : 32)
#define CO_RUN_LONG ((size_t)4 << (CO_RUN_SIZES / 4 - 1)) /* the last tree has all from there on */
#define CO_NO_UNIT SIZE_MAX

/* For the user of a unit, from when it is taken until it is given. */
struct co_unit {
	struct co_a32 free; /* of a span, in its first unit: blocks that can be taken */
	struct co_a32 what; /* of a block or span; 0 when its run is given; or co_run_what() */
};

#define CO_RUN_TURNS 4               /* that a tree is looked at, while other harts take its runs */
#define CO_RUN_MOST ((1u << 23) - 1) /* units */

struct co_runs {
	struct co_unit *unit;
	uint8_t size[256]; /* the tree of runs that are as long; constant */
	struct co_tree of[CO_RUN_SIZES];
	struct co_aword some; /* trees that are not empty, as bits: a hint */
};

/* The record of a free run's first and last units. The highest bit is set in no other record. */
static inline uint32_t co_run_what(size_t n)
{
	return 1u << 31 | (uint32_t)n << 8;
}

static inline bool co_run_is_free(uint32_t what)
{
	return what >> 31;
}

static inline size_t co_run_length(uint32_t what)
{
	return what >> 8 & CO_RUN_MOST;
}

/* Fill the table of sizes: the highest three bits of a length, and how many are below them. */
static inline void co_runs_init(struct co_runs *r)
{
	for (unsigned n = 1; n < 256; n++) {
		unsigned top = n, fours = 0;

		for (; top >= 8; top /= 2)
			fours += 4;
		r->size[n] = (uint8_t)(top - 1 + fours);
	}
}

/* The tree of runs of n units. Not all of its runs need be as long. */
static inline unsigned co_run_size(const struct co_runs *r, size_t n)
{
	if (n < 256)
		return r->size[n];
	/* Five bits fewer, each of four sizes. */
	return n < CO_RUN_LONG ? r->size[n >> 5] + 20u : CO_RUN_SIZES - 1;
}

static inline uint32_t co_runs_what(const struct co_runs *r, size_t unit)
{
	/* relaxed: a guess, or the caller's own. */
	return co_atomic_load(&r->unit[unit].what, CO_RELAXED);
}

static inline void co_runs_say(struct co_runs *r, size_t unit, uint32_t what)
{
	co_atomic_store(&r->unit[unit].what, what, CO_RELAXED);
}

/* Add the caller's run, which becomes free. */
static inline void co_runs_add(struct co_runs *r, size_t first, size_t n)
{
	unsigned size = co_run_size(r, n);

	co_runs_say(r, first, co_run_what(n));
	co_runs_say(r, first + n - 1, co_run_what(n));
	co_tree_add(&r->of[size], first);
	/* release: the tree; pairs with co_runs_close(). */
	co_atomic_or(&r->some, (uintptr_t)1 << size, CO_RELEASE);
}

/* The tree `size` looks empty: say so, unless it has got some meanwhile. */
static inline void co_runs_close(struct co_runs *r, unsigned size)
{
	/* acquire: a run that the tree has got; pairs with co_runs_add(). */
	co_atomic_and(&r->some, ~((uintptr_t)1 << size), CO_ACQUIRE);
	/* relaxed: continues the release of the adder, whose bit was cleared. */
	if (!co_tree_looks_empty(&r->of[size]))
		co_atomic_or(&r->some, (uintptr_t)1 << size, CO_RELAXED);
}

/* Take the run of that size that begins there. Returns its length; 0: no longer free. */
static inline size_t co_runs_take_of(struct co_runs *r, unsigned size, size_t first)
{
	enum co_tree_taken taken = co_tree_take(&r->of[size], first);
	size_t n;

	if (taken == CO_TREE_MISSED)
		return 0;
	if (taken == CO_TREE_EMPTIED && co_tree_looks_empty(&r->of[size]))
		co_runs_close(r, size);
	n = co_run_length(co_runs_what(r, first));
	co_runs_say(r, first + n - 1, 0);
	co_runs_say(r, first, 0);
	return n;
}

/* Take the run that begins there and has that record. Returns its length; 0: no longer free. */
static inline size_t co_runs_take_at(struct co_runs *r, size_t first, uint32_t what)
{
	return co_runs_take_of(r, co_run_size(r, co_run_length(what)), first);
}

/* Keep n units of the caller's run, at least as many; the remaining ones become free. */
static inline void co_runs_cut(struct co_runs *r, size_t first, size_t have, size_t n)
{
	if (have != n)
		co_runs_add(r, first + n, have - n);
}

/*
 * The run of n units at least from the tree `size`, the first of its runs that is as long. The tree
 * is looked at again if another hart has taken that run: it may have others.
 */
static inline size_t co_runs_take_first(struct co_runs *r, unsigned size, size_t n)
{
	for (unsigned turn = 0; turn < CO_RUN_TURNS; turn++) {
		int first = co_tree_first(&r->of[size]);
		size_t have;

		if (first < 0) {
			co_runs_close(r, size);
			break;
		}
		if (co_run_length(co_runs_what(r, (size_t)first)) < n)
			break;
		have = co_runs_take_of(r, size, (size_t)first);
		if (have >= n) {
			co_runs_cut(r, (size_t)first, have, n);
			return (size_t)first;
		}
		if (have)
			co_runs_add(r, (size_t)first, have);
	}
	return CO_NO_UNIT;
}

/*
 * Take n units, of a short run that is long enough. The first run of each tree is looked at.
 * CO_NO_UNIT: all of these are too short.
 */
static inline size_t co_runs_take(struct co_runs *r, size_t n)
{
	unsigned size = co_run_size(r, n);
	size_t first = CO_NO_UNIT;
	uintptr_t some;

	/* relaxed: a hint. */
	for (; size < CO_RUN_SIZES && first == CO_NO_UNIT; size++) {
		some = co_atomic_load(&r->some, CO_RELAXED) >> size << size;
		if (!some)
			break;
		size = co_bit_number(some & -some);
		first = co_runs_take_first(r, size, n);
	}
	return first;
}

/*
 * The caller's run of n units is to be given: take the free run behind it, if both are `most` units
 * long at most. Returns how long it is then. The caller says that there are records.
 */
static inline size_t co_runs_join_behind(struct co_runs *r, size_t first, size_t n, size_t most)
{
	uint32_t what = co_runs_what(r, first + n);

	if (co_run_is_free(what) && n + co_run_length(what) <= most)
		n += co_runs_take_at(r, first + n, what);
	return n;
}

/* Take the free run before it, of `most` units with it. Returns where the run begins then. */
static inline size_t co_runs_join_before(struct co_runs *r, size_t first, size_t n, size_t most)
{
	uint32_t what = co_runs_what(r, first - 1);
	size_t start, more;

	if (!co_run_is_free(what) || n + co_run_length(what) > most)
		return first;
	start = first - co_run_length(what);
	more = co_runs_take_at(r, start, what);
	if (start + more == first)
		return start;
	if (more)
		co_runs_add(r, start, more);
	return first;
}

#endif
