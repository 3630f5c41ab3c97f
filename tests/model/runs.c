/*
 * runs.c - the model of core/lf/runs.h: a unit is one thread's at a time, and what was given is
 * found, however runs beside each other are joined and cut.
 */
#include <string.h>

#include "core/lf/runs.h"
#include "relacy/model.h"

#define UNITS 4

static struct co_runs runs;
static struct co_unit unit[UNITS + 2]; /* the first and the last are never free */
static struct co_aword words[CO_RUN_SIZES][CO_TREE_LEVELS];
static int thing[UNITS + 2];
static size_t most; /* units of a joined run */

static void reset(unsigned threads)
{
	memset(&runs, 0, sizeof(runs));
	memset(unit, 0, sizeof(unit));
	memset(words, 0, sizeof(words));
	memset(thing, 0, sizeof(thing));
	most = UNITS;
	runs.unit = unit;
	co_runs_init(&runs);
	for (unsigned i = 0; i < CO_RUN_SIZES; i++)
		(void)co_tree_place(&runs.of[i], CO_WORD_BITS, words[i]);
}

static void use(size_t first, size_t n)
{
	for (; n--; first++)
		co_plain_store(&thing[first], co_plain_load(&thing[first]) + 1);
}

/* As co_units_give(), which joins one run or both. */
static void give(size_t first, size_t n)
{
	size_t all, start;

	use(first, n);
	all = co_runs_join_behind(&runs, first, n, most);
	start = co_runs_join_before(&runs, first, all, most);
	co_runs_add(&runs, start, first - start + all);
}

/* Take n units if they are found, use them, and give them back. */
static void take_and_give(size_t n)
{
	size_t first = co_runs_take(&runs, n);

	if (first != CO_NO_UNIT)
		give(first, n);
}

/* Two runs side by side are given at once. */
static void givers(unsigned i)
{
	give(1 + 2 * i, 2);
}

static void reset_pair(unsigned threads)
{
	reset(threads);
	co_runs_add(&runs, 2, 2);
}

/* One takes a unit of a run, beside which another gives a unit. */
static void taker_and_giver(unsigned i)
{
	if (i == 0)
		take_and_give(1);
	else if (i == 1)
		give(4, 1);
	else
		give(1, 1);
}

static void reset_all(unsigned threads)
{
	reset(threads);
	co_runs_add(&runs, 1, 4);
}

/* What is joined is two units long at most: one of the neighbours remains by itself. */
static void reset_short(unsigned threads)
{
	reset(threads);
	most = 2;
	co_runs_add(&runs, 1, 1);
	co_runs_add(&runs, 3, 2);
}

static void giver_between_and_taker(unsigned i)
{
	if (i)
		take_and_give(2);
	else
		give(2, 1);
}

static void takers(unsigned i)
{
	take_and_give(1 + i);
}

/* So many units are there, each once. */
static void are_there(size_t n)
{
	bool had[UNITS + 2] = { false };
	size_t first, have = 0;

	while ((first = co_runs_take(&runs, 1)) != CO_NO_UNIT) {
		MODEL_CHECK(first >= 1 && first <= UNITS && !had[first]);
		had[first] = true;
		have++;
	}
	MODEL_CHECK(have == n);
}

static void all_are_there(void)
{
	are_there(UNITS);
}

static void three_or_all(void)
{
	are_there(thing[1] ? UNITS : UNITS - 1);
}

const struct model models[] = {
	{ "two runs side by side are given", 2, reset, givers, all_are_there, .bound = 4 },
	{ "a run is cut, and given beside", 2, reset_pair, taker_and_giver, three_or_all,
	  .bound = 4 },
	{ "a run is cut, and given on both sides", 3, reset_pair, taker_and_giver, three_or_all,
	  .bound = 2 },
	{ "a run is given between two, one of which is taken", 2, reset_short,
	  giver_between_and_taker, all_are_there, .bound = 4 },
	{ "two takers of a run", 2, reset_all, takers, all_are_there, .bound = 4 },
	{ 0 },
};
