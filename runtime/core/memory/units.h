/*
 * units.h - main memory for libc's heap, in units of 512 bytes, which all harts take and give back.
 *
 * A bit for each unit that is free, a word of them a region. A run of units is taken by an and for
 * each region that it lies in, and given back by an or, which joins it with its neighbours: there
 * is no lock, and no hart waits for another. Of each run that is free one of CO_UNIT_SIZES trees,
 * by its length, knows the region where it begins. A tree may say too much: the hart that finds a
 * region without a run of that length takes the region out of all trees and files its runs anew.
 * So a find that fails pays for a run that was filed, and a run that is free stays known. Memory
 * that was never used is cut from the memory that slabs have left (slab.h), a region at least,
 * when no run is long enough.
 *
 * For each unit there is a record for its user, here main_heap.c; and there are CO_UNIT_SETS sets
 * of units.
 */
#ifndef COHART_UNITS_H
#define COHART_UNITS_H

#include "../lf/tree.h"

#define CO_UNIT_SHIFT 9
#define CO_UNIT_BYTES (1u << CO_UNIT_SHIFT)
#define CO_REGION_BYTES (CO_WORD_BITS * CO_UNIT_BYTES)
#define CO_UNIT_SIZES (CO_WORD_BITS == 64 ? 32 : 24)
#define CO_UNIT_SETS 24
#define CO_NO_UNIT UINT32_MAX

/* Both 0 when a unit is taken, and again when it is given back. */
struct co_unit {
	struct co_a32 free; /* of a span, in its first unit: blocks that can be taken */
	int32_t what;       /* of a block or span */
};

struct co_units {
	uintptr_t base;       /* of unit 0 */
	unsigned count;       /* of units, whole regions */
	struct co_unit *unit; /* records */
	struct co_aword *region;
	struct co_a32 *filed; /* of each region: trees that may have it, as bits */
	struct co_tree run[CO_UNIT_SIZES];
	struct co_a32 runs; /* trees that have some, as bits; as their own upper levels, a hint */
	struct co_tree set[CO_UNIT_SETS];
	size_t set_words;  /* from a set to the next */
	struct co_a32 cut; /* units that were ever used */
};
extern struct co_units co_units;

/* The region that a hart takes from, and the region before it, until trees know it. */
struct co_units_near {
	unsigned region, left;
};

/* Lay the tables out. Context: hart 0, once, before any other call. */
void co_units_init(void);

/*
 * Take a run of *n units, at least; *n becomes its length: 1/8 more at most.
 * @return its first unit, or CO_NO_UNIT
 */
unsigned co_units_take(unsigned *n);
/*
 * Take a run of n units, at most 16: from the region near->region, where the caller takes most, if
 * it has one. Trees may not know the remaining free units there until the caller has left it.
 */
unsigned co_units_take_near(struct co_units_near *near, unsigned n);
/* Tell the trees of the region that was left last, which co_units_take_near() has not done. */
void co_units_leave(struct co_units_near *near);
/* Take a run of n units after a look at each region. */
unsigned co_units_search(unsigned n);
/* Take the units from `first` on, where all n are free. */
bool co_units_take_at(unsigned first, unsigned n);
void co_units_give(unsigned first, unsigned n);
/* Number of units that are free. */
unsigned co_units_free(void);

static inline uintptr_t co_unit_address(unsigned unit)
{
	return co_units.base + ((uintptr_t)unit << CO_UNIT_SHIFT);
}

#endif
