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

TEST(each_node_has_a_copy_with_the_initial_value)
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

TEST(a_hart_finds_its_nodes_copy_and_its_own)
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

static intptr_t where(void *arg)
{
	return (intptr_t)co_super_node_copy(sum);
}

TEST(the_harts_of_a_super_node_share_a_copy)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		unsigned first = 0;

		while (co_hart_locality(first, CO_SUPER_NODE) != co_hart_locality(h, CO_SUPER_NODE))
			first++;
		CHECK_EQ(test_join(test_spawn_on(h, where, NULL)),
			 (intptr_t)co_copy(sum, co_hart_locality(first, CO_NODE)));
	}
}
