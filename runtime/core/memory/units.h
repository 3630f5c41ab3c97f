/*
 * units.h - main memory for libc's heap, in units of 512 bytes, which all harts take and give back
 * (lf/runs.h): there is no lock, no hart waits for another, and a call takes a few steps however
 * many runs are free.
 *
 * Memory that was never used is cut from the memory that slabs have left (slab.h), a region of
 * CO_WORD_BITS units at a time. A hart takes from one *fresh* run of its own, and clears the
 * records of its next region meanwhile, as much in a call as the call takes.
 *
 * For each unit there is a record for its user, here main_heap.c; and there are CO_UNIT_SETS sets
 * of units.
 */
#ifndef COHART_UNITS_H
#define COHART_UNITS_H

#include "../lf/runs.h"

#define CO_UNIT_SHIFT 9
#define CO_UNIT_BYTES (1u << CO_UNIT_SHIFT)
#define CO_REGION_BYTES (CO_WORD_BITS * CO_UNIT_BYTES)
#define CO_UNIT_SETS 24
#define CO_UNITS_FEW 8 /* a span's at most */

struct co_units {
	uintptr_t base; /* of unit 0 */
	size_t count;   /* of units, whole regions */
	struct co_runs runs;
	struct co_tree set[CO_UNIT_SETS];
	struct co_aword *low;  /* the lowest level of the first tree, behind it all others */
	size_t words;          /* from a tree to the next */
	struct co_aword *open; /* regions whose records and trees are cleared, as bits */
	struct co_aword cut;   /* units that were ever cut */
	struct co_aword most;  /* units of a run that is joined of others */
};
extern struct co_units co_units;

/* A hart's own; harts in need swap it out. */
struct co_units_fresh {
	struct co_aword area; /* the run: the first unit, and in the lowest 8 bits how many */
	struct co_aword next; /* the region, and in the lowest 8 bits how much of it is cleared */
	size_t unpaid;        /* units that were taken before as much was cleared */
};

/* Lay the tables out. Context: hart 0, once, before any other call. */
void co_units_init(void);

/* Take a run of n units. Returns its first unit, or CO_NO_UNIT. */
size_t co_units_take(struct co_units_fresh *f, size_t n);
/*
 * Take a run of n units, or CO_NO_UNIT, after a look at all runs, which joins neighbours. *held
 * becomes true if another hart has a run in hand at the moment, else it stays.
 */
size_t co_units_search(size_t n, bool *held);
/* Take the n units from `first` on, if they are free. */
bool co_units_take_at(struct co_units_fresh *f, size_t first, size_t n);
/* Clear a part of the hart's next region, for 8 units of f->unpaid. */
void co_units_pay(struct co_units_fresh *f);
void co_units_give(size_t first, size_t n);
/* Give a hart's fresh run and next region. */
void co_units_gather(struct co_units_fresh *f);
/* Number of units that are free. */
size_t co_units_free(void);

static inline uintptr_t co_unit_address(size_t unit)
{
	return co_units.base + (unit << CO_UNIT_SHIFT);
}

#endif
