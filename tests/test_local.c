/*
 * test_local.c - variables with a copy for each node and each hart.
 *
 * Topologies: 7x(1+2)
 */
#include "harness/test.h"

enum { MOST = 512, TURNS = 20 };

static CO_NODE_LOCAL(struct co_mutex, lock);
static CO_NODE_LOCAL(long, sum) = 1000;
static CO_NODE_LOCAL(unsigned char, odd)[3] = { 1, 2, 3 };
static CO_HART_LOCAL(long, mine)[100] = { 7, 8 };
static CO_HART_LOCAL(struct co_a32, turns);
static CO_NODE_LOCAL(uint64_t, last) = 0x123456789abcdef0;

TEST(e4_each_node_has_a_copy_with_the_initial_value)
{
	for (unsigned i = 0; i < co_localities(CO_NODE); i++) {
		CHECK_EQ(*co_copy(sum, i), 1000);
		CHECK_EQ((*co_copy(odd, i))[2], 3);
		CHECK(*co_copy(last, i) == 0x123456789abcdef0);
		CHECK_EQ((uintptr_t)co_copy(last, i) % 8, 0);
		CHECK_EQ(co_mutex_try_lock(co_copy(lock, i)), 0);
		co_mutex_unlock(co_copy(lock, i));
		*co_copy(sum, i) += (long)i;
		(*co_copy(odd, i))[2] = (unsigned char)i;
	}
	for (unsigned i = 0; i < co_localities(CO_NODE); i++) {
		CHECK_EQ(*co_copy(sum, i), 1000 + (long)i);
		CHECK_EQ((*co_copy(odd, i))[2], (unsigned char)i);
		*co_copy(sum, i) = 1000;
	}
	CHECK(co_copy(sum, 0) == &sum);
}

static intptr_t adds(void *arg)
{
	for (unsigned i = 0; i < TURNS; i++) {
		REQUIRE_EQ(co_mutex_lock(co_node_copy(lock)), 0);
		++*co_node_copy(sum);
		co_mutex_unlock(co_node_copy(lock));
		co_atomic_add(co_hart_copy(turns), 1, CO_RELAXED);
		(*co_hart_copy(mine))[1] += co_hart();
	}
	return 0;
}

TEST(e4_a_hart_finds_its_nodes_copy_and_its_own)
{
	unsigned nodes = co_localities(CO_NODE);

	test_spread(adds, co_harts(), 0);
	for (unsigned i = 0; i < nodes; i++)
		CHECK_EQ(*co_copy(sum, i), 1000 + TURNS * co_scope_of(CO_NODE, i, 7).n);
	for (unsigned h = 0; h < co_harts(); h++) {
		CHECK_EQ(co_atomic_load(co_copy(turns, h), CO_RELAXED), TURNS);
		CHECK_EQ((*co_copy(mine, h))[0], 7);
		CHECK_EQ((*co_copy(mine, h))[1], 8 + TURNS * h);
	}
}

BODY(where, co_super_node_copy(sum))

TEST(e4_the_harts_of_a_super_node_share_a_copy)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		unsigned first = 0;

		while (co_hart_locality(first, CO_SUPER_NODE) != co_hart_locality(h, CO_SUPER_NODE))
			first++;
		CHECK_EQ(test_join(test_spawn_on(h, where, NULL)),
			 (intptr_t)co_copy(sum, co_hart_locality(first, CO_NODE)));
	}
}

static _Thread_local long in_scratchpad = 5;

static bool in_own_window(const void *p)
{
	return (uintptr_t)p - (uintptr_t)co_spm_base(co_hart()) < co_spm_bytes();
}

/* Both of one hart: the first is its alone, any hart may use the second. */
static intptr_t uses_both(void *arg)
{
	long *far = &(*co_hart_copy(mine))[2];

	/* The host's C library lays out thread-locals. */
	CHECK(in_own_window(&in_scratchpad) || strcmp(co_board(), "host") == 0);
	CHECK(!in_own_window(far));
	in_scratchpad += co_hart();
	*far = in_scratchpad;
	return (intptr_t)far;
}

TEST(e9_a_hart_has_variables_in_main_memory_beside_those_in_its_scratchpad)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		intptr_t far = test_join(test_spawn_on(h, uses_both, NULL));

		CHECK_EQ(far, (intptr_t) & (*co_copy(mine, h))[2]);
		CHECK_EQ((*co_copy(mine, h))[2], 5 + (long)h);
	}
}
