/*
 * turns.c - the model of hal/monitors/turns.h: of a team one is in at a time, and sees what those
 * before it did; each comes in, also as numbers wrap, and after one that is lost.
 */
#include <string.h>

#include "../../hal/monitors/turns.h"
#include "relacy/model.h"

static struct hal_turn turn[MODEL_THREADS + 1];
static unsigned harts, teams;
static int done[2]; /* by a team */
static int expected;

void hal_cpu_relax(void)
{
	model_yield();
}

static void reset(unsigned threads)
{
	memset(turn, 0, sizeof(turn));
	memset(done, 0, sizeof(done));
	harts = threads;
	teams = 1;
	expected = (int)threads;
}

static void for_two_each(unsigned threads)
{
	reset(threads);
	expected *= 2;
}

static void in_two_teams(unsigned threads)
{
	reset(threads);
	teams = 2;
}

/* A number that has wrapped, of a hart that is lost. */
static void with_a_lost_one(unsigned threads)
{
	reset(threads);
	harts = threads + 1;
	turn[threads].number.v = UINT32_MAX;
	turn[threads].taking.v = 1;
}

static void once(unsigned i)
{
	int *mine = &done[i % teams];

	hal_turn_begin(turn, i, harts, teams);
	co_plain_store(mine, co_plain_load(mine) + 1);
	hal_turn_end(turn, i);
}

static void twice(unsigned i)
{
	once(i);
	once(i);
}

/* Before others ask, or while they wait. */
static void lose_it_and_once(unsigned i)
{
	if (i == 0)
		hal_turn_end(turn, harts - 1);
	once(i);
}

static void all_are_through(void)
{
	MODEL_CHECK(done[0] + done[1] == expected);
	for (unsigned i = 0; i < harts; i++)
		MODEL_CHECK(!turn[i].taking.v && !turn[i].number.v);
}

const struct model models[] = {
	{ "two, twice", 2, for_two_each, twice, all_are_through, .bound = 4 },
	{ "three", 3, reset, once, all_are_through, .bound = 3 },
	{ "three, in two teams", 3, in_two_teams, once, all_are_through, .bound = 3 },
	{ "two, and one that is lost, at the last number", 2, with_a_lost_one, lose_it_and_once,
	  all_are_through, .bound = 3 },
	{ 0 },
};
