/* units.c - see units.h. */
#include <string.h>

#include "../core.h"
#include "slab.h"
#include "units.h"

#define W CO_WORD_BITS
#define WRONG 2 /* regions that a tree has named wrongly, before the next tree is asked */

struct co_units co_units;

/*
 * The sizes of runs that have a tree: 1 to 16 units, then eight from each power of two to the next.
 * From a length to the last of them that is not larger.
 */
static const uint8_t size_below[] = {
	0,
	0,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	[16 ... 17] = 15,
	[18 ... 19] = 16,
	[20 ... 21] = 17,
	[22 ... 23] = 18,
	[24 ... 25] = 19,
	[26 ... 27] = 20,
	[28 ... 29] = 21,
	[30 ... 31] = 22,
	[32 ... 35] = 23,
	[36 ... 39] = 24,
	[40 ... 43] = 25,
	[44 ... 47] = 26,
	[48 ... 51] = 27,
	[52 ... 55] = 28,
	[56 ... 59] = 29,
	[60 ... 63] = 30,
	[64] = 31,
};

static const uint8_t size_units[CO_UNIT_SIZES] = {
	1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
	13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32,
#if CO_WORD_BITS == 64
	36, 40, 44, 48, 52, 56, 60, 64,
#endif
};

/* The first length from n on that is one of the sizes; n is at most a word's bits. */
static unsigned round_up(unsigned n)
{
	return n <= 16 ? n : n <= 32 ? (n + 1) & ~1u : (n + 3) & ~3u;
}

static uintptr_t bits(unsigned from, unsigned n)
{
	return (~(uintptr_t)0 >> (W - n) % W) << from; /* n is 1 to W */
}

static uintptr_t region(unsigned r)
{
	/* seq_cst: of two neighbours that are given back at once, one is to see the other. */
	return co_atomic_load(&co_units.region[r], CO_SEQ_CST);
}

/* All bits up to the highest that is not set. */
static uintptr_t below_top_run(uintptr_t word)
{
	uintptr_t below = ~word;

	for (unsigned i = 1; i < W; i *= 2)
		below |= below >> i;
	return below;
}

/* How many are free at a region's start, and at its end. */
static unsigned lead(unsigned r)
{
	uintptr_t word = r < co_units.count / W ? region(r) : 0;

	return word == ~(uintptr_t)0 ? W : co_bit_number((word + 1) & ~word);
}

static unsigned trail(uintptr_t word)
{
	uintptr_t below = below_top_run(word);

	return below == ~(uintptr_t)0 ? 0 : W - co_bit_number(below + 1);
}

/* A run of so many units begins in region r. */
static void file(unsigned r, unsigned units)
{
	unsigned size = size_below[units < W ? units : W];

	co_tree_add(&co_units.run[size], r);
	/* release: the tree; pairs with first_of(). */
	co_atomic_or(&co_units.runs, 1u << size, CO_RELEASE);
}

/* File the run that this unit is in, if it is free. */
static void file_run(unsigned unit)
{
	unsigned r = unit / W, units;
	uintptr_t bit = (uintptr_t)1 << unit % W, word, begin, end;

	if (unit >= co_units.count || !((word = region(r)) & bit))
		return;
	begin = below_top_run(word | -bit) + 1; /* behind the last one before that is taken */
	end = (word + begin) & ~word;
	units = end ? co_bit_number(end) - co_bit_number(begin)
		    : W - co_bit_number(begin) + lead(r + 1);
	if (begin == 1 && r && region(r - 1) >> (W - 1))
		units += trail(region(--r));
	file(r, units);
}

/* Some tree has said too much of region r: file all that is there. */
static void file_all(unsigned r)
{
	for (uintptr_t word = region(r); word; word &= word + (word & -word))
		file_run(r * W + co_bit_number(word & -word));
}

static void give(unsigned r, uintptr_t units)
{
	/* seq_cst: releases what was done with them to take(); and see region(). */
	co_atomic_or(&co_units.region[r], units, CO_SEQ_CST);
}

/* Take these of a region, all or none. */
static bool take(unsigned r, uintptr_t units)
{
	/* acquire: pairs with give(). */
	uintptr_t got = co_atomic_and(&co_units.region[r], ~units, CO_ACQUIRE) & units;

	if (got == units)
		return true;
	if (got) {
		give(r, got);
		file_all(r);
	}
	return false;
}

bool co_units_take_at(unsigned first, unsigned n)
{
	unsigned done = 0;

	if (first + n > co_units.count)
		return false;
	while (done < n) {
		unsigned at = first + done, part = co_least(n - done, W - at % W);

		if (!take(at / W, bits(at % W, part))) {
			if (done)
				co_units_give(first, done);
			return false;
		}
		done += part;
	}
	file_run(first + n);
	return true;
}

void co_units_give(unsigned first, unsigned n)
{
	for (unsigned at = first, end = first + n; at < end; at += W - at % W)
		give(at / W, bits(at % W, co_least(end - at, W - at % W)));
	file_run(first);
}

/* Where a run of n units begins in region r, at most a word's bits; CO_NO_UNIT: none does. */
static unsigned find_short(unsigned r, unsigned n)
{
	uintptr_t word = region(r), begins = word;
	unsigned at_end;

	for (unsigned have = 1, more; have < n; have += more) {
		more = co_least(have, n - have);
		begins &= begins >> more;
	}
	if (begins)
		return r * W + co_bit_number(begins & -begins);
	at_end = trail(word);
	return at_end && at_end + lead(r + 1) >= n ? (r + 1) * W - at_end : CO_NO_UNIT;
}

/* The same for more. */
static unsigned find_long(unsigned r, unsigned n)
{
	unsigned have = trail(region(r)), first = (r + 1) * W - have, part = W;

	while (have && have < n && part == W)
		have += part = lead(++r);
	return have && have >= n ? first : CO_NO_UNIT;
}

static unsigned try_region(unsigned r, unsigned n)
{
	unsigned first = n <= W ? find_short(r, n) : find_long(r, n);

	return first != CO_NO_UNIT && co_units_take_at(first, n) ? first : CO_NO_UNIT;
}

/* The first region of the first tree from that size on; -EAGAIN: there is none. */
static int first_of(unsigned *size)
{
	uint32_t some;

	while ((some = co_atomic_load(&co_units.runs, CO_RELAXED) >> *size << *size)) {
		uint32_t bit = some & -some;
		int r;

		*size = co_bit_number(bit);
		r = co_tree_first(&co_units.run[*size]);
		if (r >= 0)
			return r;
		/* acquire: a tree that has got some; pairs with file(). */
		co_atomic_and(&co_units.runs, ~bit, CO_ACQUIRE);
		if (co_tree_first(&co_units.run[*size]) >= 0)
			co_atomic_or(&co_units.runs, bit, CO_RELEASE);
	}
	return -EAGAIN;
}

/* The tree says that a run of n units begins in region r: what it says of it later. */
static void correct(unsigned size, unsigned n, unsigned r)
{
	(void)co_tree_take(&co_units.run[size], r);
	if (find_short(r, n) != CO_NO_UNIT)
		co_tree_add(&co_units.run[size], r);
}

/* At most a word's bits: of the smallest run that is large enough, as far as trees know. */
static unsigned take_short(unsigned n)
{
	unsigned size = size_below[n], wrong = 0, first;
	int r;

	while (size < CO_UNIT_SIZES && (r = first_of(&size)) >= 0) {
		first = try_region((unsigned)r, n);
		if (first != CO_NO_UNIT) {
			correct(size, size_units[size], (unsigned)r);
			return first;
		}
		(void)co_tree_take(&co_units.run[size], (unsigned)r);
		file_all((unsigned)r);
		if (++wrong % WRONG == 0)
			size++;
	}
	return CO_NO_UNIT;
}

/* More than a word's bits: among the runs that have as many. */
static unsigned take_long(unsigned n)
{
	const struct co_tree *t = &co_units.run[CO_UNIT_SIZES - 1];
	unsigned first;

	for (unsigned w = 0; w * W < co_units.count / W; w++) {
		uintptr_t some = co_atomic_load(&t->level[0][w], CO_RELAXED);

		for (; some; some &= some - 1) {
			first = try_region(w * W + co_bit_number(some & -some), n);
			if (first != CO_NO_UNIT)
				return first;
		}
	}
	return CO_NO_UNIT;
}

unsigned co_units_search(unsigned n)
{
	for (unsigned r = 0; r < co_units.count / W; r++) {
		unsigned first = try_region(r, n);

		if (first != CO_NO_UNIT)
			return first;
	}
	return CO_NO_UNIT;
}

/* Regions that were never used, for n units. */
static unsigned cut(unsigned n)
{
	size_t bytes = co_round_up((size_t)n << CO_UNIT_SHIFT, CO_REGION_BYTES);
	uintptr_t at = co_main_cut(bytes);
	unsigned units = (unsigned)(bytes >> CO_UNIT_SHIFT), first;

	if (!at)
		return CO_NO_UNIT;
	first = (unsigned)((at - co_units.base) >> CO_UNIT_SHIFT);
	memset(&co_units.unit[first], 0, units * sizeof(struct co_unit));
	for (unsigned r = first / W; r < (first + units) / W; r++) {
		for (unsigned i = 0; i < CO_UNIT_SETS; i++)
			co_atomic_store(&co_units.set[i].level[0][r], 0, CO_RELAXED);
	}
	co_atomic_add(&co_units.cut, units, CO_RELAXED);
	if (units > n)
		co_units_give(first + n, units - n);
	return first;
}

unsigned co_units_take(unsigned *n)
{
	unsigned first;

	*n = *n <= W ? round_up(*n) : *n;
	first = *n <= W ? take_short(*n) : take_long(*n);
	return first == CO_NO_UNIT ? cut(*n) : first;
}

unsigned co_units_free(void)
{
	unsigned n = 0;

	for (unsigned r = 0; r < co_units.count / W; r++)
		n += co_bits_count(region(r));
	return n;
}

/* A tree whose lowest level comes later, with its regions, or is empty as well. */
static struct co_aword *place(struct co_tree *t, size_t n, struct co_aword *at, bool later)
{
	struct co_aword *end = co_tree_place(t, n, at);

	at = later ? t->level[1] : at;
	memset(at, 0, (size_t)((char *)end - (char *)at));
	return end;
}

void co_units_init(void)
{
	size_t regions = co_main_room() / CO_REGION_BYTES, bytes;
	struct co_aword *at;

	/* The trees of runs are for whole words of regions. */
	bytes = regions * (W * sizeof(struct co_unit) + sizeof(*at)) +
		(CO_UNIT_SIZES * co_tree_words(regions) +
		 CO_UNIT_SETS * co_tree_words(regions * W)) *
			sizeof(*at);
	bytes = co_round_up(bytes, CO_REGION_BYTES);
	at = (struct co_aword *)co_main_cut(bytes);
	if (!at)
		co_die("no room in main memory for libc's heap");
	co_units.base = (uintptr_t)at + bytes;
	co_units.count = (unsigned)(regions - bytes / CO_REGION_BYTES) * W;
	co_units.region = at;
	memset(at, 0, regions * sizeof(*at));
	at += regions;
	for (unsigned i = 0; i < CO_UNIT_SIZES; i++)
		at = place(&co_units.run[i], regions, at, false);
	for (unsigned i = 0; i < CO_UNIT_SETS; i++)
		at = place(&co_units.set[i], regions * W, at, true);
	co_units.unit = (struct co_unit *)at;
}
