/* units.c - see units.h. */
#include <string.h>

#include "../core.h"
#include "slab.h"
#include "units.h"

#define W CO_WORD_BITS

struct co_units co_units;

/*
 * The sizes of runs that have a tree: 1 to 16 units, then eight from each power of two to the next.
 * The last of them that is not larger than n units, and its units.
 */
static unsigned size_below(unsigned n)
{
	return n <= 16 ? n - 1 : n <= 32 ? 7 + n / 2 : 15 + n / 4;
}

static unsigned size_units(unsigned size)
{
	return size < 16 ? size + 1 : size < 24 ? 2 * (size - 7) : 4 * (size - 15);
}

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
	/* seq_cst: if two neighbouring runs are given back at once, one of the givers sees both. */
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

/* File a run of `units` units that begins in region r. */
static void file(unsigned r, unsigned units)
{
	unsigned size = size_below(units < W ? units : W);

	co_tree_add(&co_units.run[size], r);
	/* release: the tree; pairs with first_of(). */
	co_atomic_or(&co_units.runs, 1u << size, CO_RELEASE);
	/* release: the tree; pairs with drop_all(). */
	co_atomic_or(&co_units.filed[r], 1u << size, CO_RELEASE);
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

/*
 * Take region r out of all trees. A run that another hart is filing there may stay in its tree, and
 * is there to be found: its units are given back already.
 */
static void drop_all(unsigned r)
{
	/* acquire: the adds to the trees; pairs with file(). */
	uint32_t filed = co_atomic_and(&co_units.filed[r], 0, CO_ACQUIRE);

	for (; filed; filed &= filed - 1)
		(void)co_tree_take(&co_units.run[co_bit_number(filed & -filed)], r);
}

/*
 * Units from `first` on are taken. If a run that began in the region before led there, trees may
 * know its rest by the note of the whole run alone: file that.
 */
static void file_before(unsigned first)
{
	if (first % W == 0 && first)
		file_run(first - 1);
}

/* Trees may say too much of region r, or nothing: they say its free runs. */
static void file_all(unsigned r)
{
	drop_all(r);
	for (uintptr_t word = region(r); word; word &= word + (word & -word))
		file_run(r * W + co_bit_number(word & -word));
}

static void give(unsigned r, uintptr_t units)
{
	/* seq_cst: releases the last use of the units to take(); and see region(). */
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
	file_before(first);
	file_run(first + n);
	return true;
}

void co_units_give(unsigned first, unsigned n)
{
	for (unsigned at = first, end = first + n; at < end; at += W - at % W)
		give(at / W, bits(at % W, co_least(end - at, W - at % W)));
	file_run(first);
}

/* Where a run of n units, at most a word's bits, lies in region r; CO_NO_UNIT: nowhere. */
static unsigned find_within(unsigned r, unsigned n)
{
	uintptr_t begins = region(r);

	for (unsigned have = 1, more; have < n; have += more) {
		more = co_least(have, n - have);
		begins &= begins >> more;
	}
	return begins ? r * W + co_bit_number(begins & -begins) : CO_NO_UNIT;
}

/*
 * Where a run of n units, at most a word's bits, lies or begins in region r; CO_NO_UNIT: nowhere.
 */
static unsigned find_short(unsigned r, unsigned n)
{
	unsigned first = find_within(r, n), at_end;

	if (first != CO_NO_UNIT)
		return first;
	at_end = trail(region(r));
	return at_end && at_end + lead(r + 1) >= n ? (r + 1) * W - at_end : CO_NO_UNIT;
}

/* Where a run of more units begins in region r; CO_NO_UNIT: nowhere. */
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

/* The first region of a tree; -EAGAIN: it has none, and is not asked until it has. */
static int first_of_size(unsigned size)
{
	struct co_tree *t = &co_units.run[size];
	int r = co_tree_first(t);

	if (r < 0) {
		/* acquire: a tree that has got some; pairs with file(). */
		co_atomic_and(&co_units.runs, ~(1u << size), CO_ACQUIRE);
		if (co_tree_first(t) >= 0)
			co_atomic_or(&co_units.runs, 1u << size, CO_RELEASE);
	}
	return r;
}

/* The first region of the first tree from *size on that has a region; -EAGAIN: all are empty. */
static int first_of(unsigned *size)
{
	uint32_t some;
	int r;

	while ((some = co_atomic_load(&co_units.runs, CO_RELAXED) >> *size << *size)) {
		*size = co_bit_number(some & -some);
		r = first_of_size(*size);
		if (r >= 0)
			return r;
	}
	return -EAGAIN;
}

/* A run of this size was taken in region r: its tree says so if another one is there. */
static void correct(unsigned size, unsigned r)
{
	(void)co_tree_take(&co_units.run[size], r);
	if (find_short(r, size_units(size)) != CO_NO_UNIT)
		file(r, size_units(size));
}

/*
 * At most a word's bits: of the smallest run that is large enough, as far as trees know. `near`:
 * the caller files all that is left of the region, later.
 */
static unsigned take_short(unsigned n, bool near)
{
	unsigned size = size_below(n), first;
	int r;

	while (size < CO_UNIT_SIZES && (r = first_of(&size)) >= 0) {
		first = try_region((unsigned)r, n);
		if (first != CO_NO_UNIT) {
			if (near)
				drop_all((unsigned)r);
			else
				correct(size, (unsigned)r);
			return first;
		}
		/* The tree alone knows it, if its hart has not come to `filed` yet. */
		(void)co_tree_take(&co_units.run[size], (size_t)r);
		file_all((unsigned)r);
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

/* Cut n units, whole regions, that were never used. */
static unsigned cut(unsigned n)
{
	uintptr_t at = co_main_cut((size_t)n << CO_UNIT_SHIFT);
	size_t step = co_units.set_words;
	unsigned first;

	if (!at)
		return CO_NO_UNIT;
	first = (unsigned)((at - co_units.base) >> CO_UNIT_SHIFT);
	memset(&co_units.unit[first], 0, n * sizeof(struct co_unit));
	for (unsigned r = first / W; r < (first + n) / W; r++) {
		struct co_aword *word = &co_units.set[0].level[0][r];

		for (unsigned i = 0; i < CO_UNIT_SETS; i++, word += step)
			co_atomic_store(word, 0, CO_RELAXED);
	}
	co_atomic_add(&co_units.cut, n, CO_RELAXED);
	return first;
}

unsigned co_units_take(unsigned *n)
{
	unsigned first;

	*n = *n <= W ? round_up(*n) : *n;
	first = *n <= W ? take_short(*n, false) : take_long(*n);
	if (first != CO_NO_UNIT)
		return first;
	first = cut(co_round_up(*n, W));
	if (first != CO_NO_UNIT && *n % W)
		co_units_give(first + *n, W - *n % W);
	return first;
}

void co_units_leave(struct co_units_near *near)
{
	if (near->left != near->region)
		file_all(near->left);
	near->left = near->region;
}

unsigned co_units_take_near(struct co_units_near *near, unsigned n)
{
	unsigned first = find_within(near->region, n);

	if (first != CO_NO_UNIT && take(near->region, bits(first % W, n))) {
		file_before(first);
		return first;
	}
	co_units_leave(near);
	first = take_short(n, true);
	if (first == CO_NO_UNIT) {
		first = cut(W);
		if (first == CO_NO_UNIT)
			return first;
		give(first / W, ~bits(0, n));
	}
	near->region = first / W;
	return first;
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
	size_t filed = regions * sizeof(struct co_a32) / sizeof(struct co_aword) + 1; /* words */
	struct co_aword *at;

	/* The trees of runs are for whole words of regions. */
	bytes = regions * (W * sizeof(struct co_unit) + sizeof(*at)) + filed * sizeof(*at) +
		(CO_UNIT_SIZES * co_tree_words(regions) +
		 CO_UNIT_SETS * co_tree_words(regions * W)) *
			sizeof(*at);
	bytes = co_round_up(bytes, CO_REGION_BYTES);
	at = (struct co_aword *)co_main_cut(bytes);
	if (!at)
		co_die("no room in main memory for libc's heap");
	co_units.base = (uintptr_t)at + bytes;
	co_units.count = (unsigned)(regions - bytes / CO_REGION_BYTES) * W;
	memset(at, 0, (regions + filed) * sizeof(*at));
	co_units.region = at;
	at += regions;
	co_units.filed = (struct co_a32 *)at;
	at += filed;
	for (unsigned i = 0; i < CO_UNIT_SIZES; i++)
		at = place(&co_units.run[i], regions, at, false);
	co_units.set_words = co_tree_words(regions * W);
	for (unsigned i = 0; i < CO_UNIT_SETS; i++)
		at = place(&co_units.set[i], regions * W, at, true);
	co_units.unit = (struct co_unit *)at;
}
