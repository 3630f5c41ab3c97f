/*
 * test_monitors.c - atomics by as many harts at a time as a memory has monitors: how harts take
 * turns. That every atomic does so in a build with MONITORS=k, tests/variants/run looks up.
 *
 * Source: seed D4.
 */
#include <hal/monitors.h>

#include "../hal/monitors/turns.h"
#include "harness/test.h"

enum { MOST = 8, ROUNDS = 40 };

static struct hal_turn turn[MOST];
static unsigned harts, teams;
static struct co_a32 inside[MOST], inside_all;
static uint32_t rounds[MOST]; /* of a team: its turns order it */

static intptr_t take_turns(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	const unsigned team = me % teams;

	for (unsigned i = 0; i < ROUNDS; i++) {
		hal_turn_begin(turn, me, harts, teams);
		/* relaxed, all: they count. */
		CHECK_EQ(co_atomic_add(&inside[team], 1, CO_RELAXED), 0);
		CHECK(co_atomic_add(&inside_all, 1, CO_RELAXED) < teams);
		rounds[team]++;
		co_atomic_add(&inside_all, (uint32_t)-1, CO_RELAXED);
		co_atomic_add(&inside[team], (uint32_t)-1, CO_RELAXED);
		hal_turn_end(turn, me);
		if (i % 8 == 0)
			co_pause();
	}
	return 0;
}

static void with_teams(unsigned n)
{
	uint32_t all = 0;

	harts = co_harts() < MOST ? co_harts() : MOST;
	teams = n;
	memset(rounds, 0, sizeof(rounds));
	test_spread(take_turns, harts, 0);
	for (unsigned i = 0; i < teams; i++)
		all += rounds[i];
	CHECK_EQ(all, harts * ROUNDS);
	for (unsigned i = 0; i < harts; i++)
		CHECK_EQ(co_atomic_load(&turn[i].number, CO_RELAXED), 0);
}

TEST(d4_one_of_each_team_has_its_turn_at_a_time)
{
	for (unsigned n = 1; n <= 5; n++)
		with_teams(n);
}

static struct co_a32 came;

static intptr_t come_second(void *arg)
{
	hal_turn_begin(turn, 1, 2, 1);
	co_atomic_store(&came, 1, CO_RELEASE);
	hal_turn_end(turn, 1);
	return 0;
}

TEST(d4_the_first_that_asks_is_first_also_when_numbers_wrap)
{
	struct co *c;

	if (co_harts() < 2)
		SKIP("one hart");
	co_atomic_store(&came, 0, CO_RELAXED);
	co_atomic_store(&turn[0].number, UINT32_MAX, CO_SEQ_CST); /* hart 0 has its turn */
	c = test_spawn_on(1, come_second, NULL);
	if (test_await(&turn[1].number, 1)) {
		test_sleep_us(2000);
		CHECK_EQ(co_atomic_load(&came, CO_ACQUIRE), 0);
		CHECK_EQ(co_atomic_load(&turn[1].number, CO_RELAXED), 1); /* 0 means none */
	}
	hal_turn_end(turn, 0);
	test_join(c);
	CHECK_EQ(co_atomic_load(&came, CO_ACQUIRE), 1);
}

TEST(d4_nobody_waits_for_a_hart_that_is_lost)
{
	co_atomic_store(&turn[1].taking, 1, CO_RELAXED);
	co_atomic_store(&turn[1].number, 7, CO_RELAXED);
	hal_turn_end(turn, 1); /* as hal_monitors_lose_hart() */
	hal_turn_begin(turn, 0, 2, 1);
	CHECK_EQ(co_atomic_load(&turn[0].number, CO_RELAXED), 1);
	hal_turn_end(turn, 0);
}

static struct co_a32 counted;
static struct co_mutex mutex;
static uint32_t guarded;
CO_CHANNEL(passed, uint32_t, 2);

static intptr_t use_all(void *arg)
{
	uint32_t x;

	for (unsigned i = 0; i < ROUNDS; i++) {
		co_atomic_add(&counted, 1, CO_RELAXED);
		REQUIRE_EQ(co_mutex_lock(&mutex), 0);
		guarded++;
		co_mutex_unlock(&mutex);
		REQUIRE_EQ(co_chan_send(&passed, &i), 0);
		REQUIRE_EQ(co_chan_recv(&passed, &x), 0);
	}
	return 0;
}

/* Counters, locks of queues and inboxes meet here: all by turns in a build with MONITORS=k. */
TEST(d4_counters_locks_and_inboxes_of_all_harts_lose_nothing)
{
	const unsigned n = co_harts() < 16 ? co_harts() * 2 : 16;

	co_atomic_store(&counted, 0, CO_RELAXED);
	guarded = 0;
	test_spread(use_all, n, 0);
	CHECK_EQ(co_atomic_load(&counted, CO_RELAXED), n * ROUNDS);
	CHECK_EQ(guarded, n * ROUNDS);
}
