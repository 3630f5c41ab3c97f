/* units.c - see units.h. */
#include <string.h>

#include "../core.h"
#include "slab.h"
#include "units.h"

#define W CO_WORD_BITS
/* A region is cleared in chunks: 8 units' records, and the lowest word of CHUNK_TREES trees. */
#define CHUNKS (W / 8)
#define CHUNK_TREES ((CO_RUN_SIZES + CO_UNIT_SETS) / CHUNKS)
#define COUNT_BITS 8
#define COUNT_MASK (((uintptr_t)1 << COUNT_BITS) - 1)

_Static_assert((CO_RUN_SIZES + CO_UNIT_SETS) % CHUNKS == 0, "chunks are equal");

#define LEAST_JOINED 256

struct co_units co_units;

/*
 * The most units of a run that is joined of others: a part of all, for other harts to find runs
 * meanwhile.
 */
static size_t joined_most(void)
{
	/* relaxed: a measure. */
	return co_atomic_load(&co_units.most, CO_RELAXED);
}

static inline void clear_chunk(size_t r, size_t chunk)
{
	size_t step = co_units.words;
	struct co_aword *word = co_units.low + chunk * CHUNK_TREES * step + r;
	struct co_unit *unit = &co_units.runs.unit[r * W + chunk * 8];

#pragma GCC unroll 8
	for (size_t i = 0; i < 8; i++)
		co_atomic_store(&unit[i].what, 0, CO_RELAXED);
#pragma GCC unroll 14
	for (size_t i = 0; i < CHUNK_TREES; i++, word += step)
		co_atomic_store(word, 0, CO_RELAXED);
}

/* Clear the remaining chunks of a region, and let others see it. */
static void open_region(size_t r, size_t chunk)
{
	for (; chunk < CHUNKS; chunk++)
		clear_chunk(r, chunk);
	/* release: the chunks; pairs with is_open(). */
	co_atomic_or(&co_units.open[r / W], (uintptr_t)1 << r % W, CO_RELEASE);
}

static bool is_open(size_t r)
{
	/* acquire: pairs with open_region(). */
	return co_atomic_load(&co_units.open[r / W], CO_ACQUIRE) >> r % W & 1;
}

/* Are there records of this unit, which lies beside one that has records? */
static bool has_before(size_t first)
{
	return first % W || (first && is_open(first / W - 1));
}

static bool has_behind(size_t end)
{
	return end % W || is_open(end / W);
}

/* Are there records for n units that begin there? */
static bool has_records(uintptr_t at, size_t n)
{
	size_t first = (at - co_units.base) >> CO_UNIT_SHIFT;

	return first <= co_units.count && n <= co_units.count - first;
}

/* Cut n units, whole regions, that were never used. */
static size_t cut(size_t n)
{
	/* Two looks: harts that cut at once may come by the end. */
	uintptr_t at = has_records(co_main_low(), n) ? co_main_cut(n << CO_UNIT_SHIFT) : 0;

	if (!at || !has_records(at, n))
		return CO_NO_UNIT;
	n += co_atomic_add(&co_units.cut, n, CO_RELAXED);
	/* relaxed: a measure. */
	co_atomic_store(&co_units.most, n / 8 > LEAST_JOINED ? n / 8 : LEAST_JOINED, CO_RELAXED);
	return (at - co_units.base) >> CO_UNIT_SHIFT;
}

/* The next region of a hart, with how much of it is cleared. 0: there is no memory. */
static uintptr_t cut_next(void)
{
	size_t first = cut(W);

	return first == CO_NO_UNIT ? 0 : first / W << COUNT_BITS;
}

NOINLINE void co_units_pay(struct co_units_fresh *f)
{
	/* relaxed: this hart alone stores there. */
	uintptr_t next = co_atomic_swap(&f->next, 0, CO_RELAXED);
	size_t chunk = next & COUNT_MASK;

	if (!next || chunk == CHUNKS) {
		f->unpaid = 0;
	} else {
		clear_chunk(next >> COUNT_BITS, chunk);
		f->unpaid -= 8;
		next++;
	}
	/* release: the chunks; pairs with co_units_gather(). */
	co_atomic_store(&f->next, next, CO_RELEASE);
}

/* Put the remaining ones of `have` units back, of which the caller keeps the first n. */
static void keep_fresh(struct co_units_fresh *f, size_t first, size_t have, size_t n)
{
	/* release: records; pairs with co_units_gather(). */
	co_atomic_store(&f->area, (first + n) << COUNT_BITS | (have - n), CO_RELEASE);
}

/* Of the next region, since the fresh run of `have` units is too short. */
static NOINLINE size_t take_next(struct co_units_fresh *f, size_t first, size_t have, size_t n)
{
	uintptr_t next = co_atomic_swap(&f->next, 0, CO_RELAXED);
	size_t r;

	next = next ? next : cut_next();
	if (!next) {
		keep_fresh(f, first, have, 0);
		return CO_NO_UNIT;
	}
	r = next >> COUNT_BITS;
	open_region(r, next & COUNT_MASK);
	co_atomic_store(&f->next, cut_next(), CO_RELEASE);
	f->unpaid = n;
	if (first + have == r * W) {
		keep_fresh(f, first, have + W, n);
		return first;
	}
	keep_fresh(f, r * W, W, n);
	if (have)
		co_units_give(first, have);
	return r * W;
}

/* At most a region's. */
static size_t take_fresh(struct co_units_fresh *f, size_t n)
{
	uintptr_t area = co_atomic_swap(&f->area, 0, CO_RELAXED);
	size_t first = area >> COUNT_BITS, have = area & COUNT_MASK;

	if (have < n)
		return take_next(f, first, have, n);
	keep_fresh(f, first, have, n);
	for (f->unpaid += n; f->unpaid >= 24;)
		co_units_pay(f);
	return first;
}

/* More than a region's: of whole regions, cleared here. */
static size_t take_regions(size_t n)
{
	size_t all = co_round_up(n, W), first = cut(all);

	if (first == CO_NO_UNIT)
		return first;
	for (size_t r = first / W; r < (first + all) / W; r++)
		open_region(r, 0);
	if (all != n)
		co_units_give(first + n, all - n);
	return first;
}

/* Free runs of n units may be there in pieces, or behind a shorter run of the last tree. */
static bool needs_search(size_t n)
{
	return n > joined_most() || n >= CO_RUN_LONG;
}

static NOINLINE size_t take_noted(struct co_units_fresh *f, size_t n)
{
	size_t first = co_runs_take(&co_units.runs, n);
	bool held = false; /* not looked at: what another hart has is cut anew */

	if (first == CO_NO_UNIT && n <= W)
		return take_fresh(f, n);
	/* A look at all units: it takes some times as long as to clear the records of n. */
	if (first == CO_NO_UNIT && needs_search(n))
		first = co_units_search(n, &held);
	return first == CO_NO_UNIT ? take_regions(n) : first;
}

size_t co_units_take(struct co_units_fresh *f, size_t n)
{
	/* relaxed: a hint. */
	if (n > W ||
	    co_atomic_load(&co_units.runs.some, CO_RELAXED) >> co_run_size(&co_units.runs, n))
		return take_noted(f, n);
	return take_fresh(f, n);
}

bool co_units_take_at(struct co_units_fresh *f, size_t first, size_t n)
{
	struct co_runs *r = &co_units.runs;
	/* relaxed: a guess. */
	uintptr_t area = co_atomic_load(&f->area, CO_RELAXED);
	size_t have;
	uint32_t what;

	if (area >> COUNT_BITS == first && (area & COUNT_MASK) >= n) {
		have = take_fresh(f, n);
		if (have != first && have != CO_NO_UNIT)
			co_units_give(have, n);
		return have == first;
	}
	if (!has_behind(first))
		return false;
	what = co_runs_what(r, first);
	if (!co_run_is_free(what) || co_run_length(what) < n)
		return false;
	have = co_runs_take_at(r, first, what);
	if (have >= n)
		co_runs_cut(r, first, have, n);
	else if (have)
		co_runs_add(r, first, have);
	return have >= n;
}

void co_units_give(size_t first, size_t n)
{
	struct co_runs *r = &co_units.runs;
	size_t most = joined_most(), all = n;
	size_t start = first;

	if (has_behind(first + n))
		all = co_runs_join_behind(r, first, n, most);
	/* Whoever gives a span has had other things to do: it joins one run. */
	if ((all == n || n > CO_UNITS_FEW) && has_before(first))
		start = co_runs_join_before(r, first, all, most);
	co_runs_add(r, start, first - start + all);
}

void co_units_gather(struct co_units_fresh *f)
{
	/* acquire, both: records; pairs with co_units_pay(), keep_fresh(), take_next(). */
	uintptr_t area = co_atomic_swap(&f->area, 0, CO_ACQUIRE);
	uintptr_t next = co_atomic_swap(&f->next, 0, CO_ACQUIRE);
	size_t r = next >> COUNT_BITS;

	if (area & COUNT_MASK)
		co_units_give(area >> COUNT_BITS, area & COUNT_MASK);
	if (next) {
		open_region(r, next & COUNT_MASK);
		co_units_give(r * W, W);
	}
}

/* The first region from r on that is open, or the number of regions. */
static size_t open_from(size_t r)
{
	uintptr_t bits;

	for (; r < co_units.count / W; r += W - r % W) {
		bits = co_atomic_load(&co_units.open[r / W], CO_ACQUIRE) >> r % W;
		if (bits)
			return r + co_bit_number(bits & -bits);
	}
	return co_units.count / W;
}

/* Take the free run that begins there. 0: none does. */
static size_t take_run_at(size_t at)
{
	uint32_t what = has_behind(at) ? co_runs_what(&co_units.runs, at) : 0;

	return co_run_is_free(what) ? co_runs_take_at(&co_units.runs, at, what) : 0;
}

/*
 * The next unit where a free run may begin; co_units.count: no more. *held: a unit belongs to
 * neither a run nor a user at the moment.
 */
static size_t next_free(size_t at, bool *held)
{
	uint32_t what;

	while ((at = at % W ? at : open_from(at / W) * W) < co_units.count) {
		what = co_runs_what(&co_units.runs, at);
		if (co_run_is_free(what))
			break;
		*held |= !what;
		at += what && !(what & 0xff) ? co_run_length(what) : 1;
	}
	return at;
}

size_t co_units_search(size_t n, bool *held)
{
	struct co_runs *r = &co_units.runs;
	size_t have, more;

	for (size_t at = 0; (at = next_free(at, held)) < co_units.count; at += have ? have : 1) {
		have = take_run_at(at);
		*held |= !have;
		while (have && have < n && (more = take_run_at(at + have)))
			have += more;
		if (have >= n) {
			co_runs_cut(r, at, have, n);
			return at;
		}
		if (have)
			co_runs_add(r, at, have);
	}
	return CO_NO_UNIT;
}

size_t co_units_free(void)
{
	size_t n = 0;
	uint32_t what;

	for (size_t r = open_from(0); r < co_units.count / W; r = open_from(r + 1)) {
		for (size_t unit = r * W; unit < (r + 1) * W; unit++) {
			what = co_runs_what(&co_units.runs, unit);
			/* Of each run both records say how long it is. */
			if (co_run_is_free(what))
				n += what == co_run_what(1) ? 2 : co_run_length(what);
		}
	}
	return n / 2;
}

/* A tree whose lowest level comes later, with its regions. */
static struct co_aword *place(struct co_tree *t, size_t n, struct co_aword *at)
{
	struct co_aword *end = co_tree_place(t, n, at);

	memset(t->level[1], 0, (size_t)((char *)end - (char *)t->level[1]));
	return end;
}

void co_units_init(void)
{
	size_t regions = co_least(co_main_room() / CO_REGION_BYTES, CO_RUN_MOST / W);
	size_t units = regions * W, bytes;
	size_t open = regions / W + 1; /* words */
	struct co_aword *at;

	co_runs_init(&co_units.runs);
	co_units.words = co_tree_words(units);
	bytes = units * sizeof(struct co_unit) +
		(open + (CO_RUN_SIZES + CO_UNIT_SETS) * co_units.words) * sizeof(*at);
	bytes = co_round_up(bytes, CO_REGION_BYTES);
	at = (struct co_aword *)co_main_cut(bytes);
	if (!at)
		co_die("no room in main memory for libc's heap");
	co_units.base = (uintptr_t)at + bytes;
	co_units.count = (regions - bytes / CO_REGION_BYTES) * W;
	memset(at, 0, open * sizeof(*at));
	co_units.open = at;
	at += open;
	co_units.low = at;
	for (size_t i = 0; i < CO_RUN_SIZES; i++)
		at = place(&co_units.runs.of[i], units, at);
	for (size_t i = 0; i < CO_UNIT_SETS; i++)
		at = place(&co_units.set[i], units, at);
	co_units.runs.unit = (struct co_unit *)at;
}
