/*
 * test_barrier_scope.c - the machine's own barriers: all, super-nodes, nodes, groups, managers,
 * compute harts.
 *
 * Topologies: 7x(1+2) nm6408
 */
#include "../runtime/comm/barrier/barrier.h"
#include "harness/test.h"

enum { MOST = 512, EPISODES = 12 };

static struct co_a32 came[MOST]; /* by scope's first hart: how many have come, in all episodes */
static enum co_barrier_scope scope;

/* As --node=2 --super-node=2. */
__attribute__((constructor)) static void set_localities(void)
{
	co_options.node = co_options.super_node = 2;
}

/* One counter for each instance of the scope. */
static struct co_a32 *counter(void)
{
	bool parts = scope <= CO_BARRIER_GROUP;

	return &came[parts ? co_hart_locality(co_hart(), (enum co_locality)scope) : 0];
}

static intptr_t member_comes(void *arg)
{
	struct co_barrier *b;
	unsigned member = MOST;
	struct co_a32 *all = counter();

	REQUIRE_EQ(co_barrier_of(scope, &b, &member), 0);
	REQUIRE(member < b->members);
	for (uint32_t e = 1; e <= EPISODES; e++) {
		co_atomic_add(all, 1, CO_RELAXED); /* the barrier orders it */
		REQUIRE_EQ(co_barrier_scope_until(scope, e % 3 ? CO_FOREVER : LONG_ENOUGH), 0);
		CHECK(co_atomic_load(all, CO_RELAXED) >= e * b->members);
	}
	return (intptr_t)member;
}

static bool belongs(unsigned hart)
{
	if (scope == CO_BARRIER_MANAGERS)
		return co_hart_role(hart) & CO_ROLE_MANAGE;
	if (scope == CO_BARRIER_COMPUTES)
		return co_hart_role(hart) & CO_ROLE_COMPUTE;
	return true;
}

/* Every hart that belongs to it, several times. Their numbers go up with the harts. */
static void try_scope(enum co_barrier_scope which)
{
	static struct co *c[MOST];
	const unsigned harts = co_harts();
	intptr_t before = -1;

	scope = which;
	for (unsigned i = 0; i < harts; i++)
		co_atomic_store(&came[i], 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned h = 0; h < harts; h++)
		if (belongs(h))
			c[h] = test_spawn_on(h, member_comes, NULL);
	for (unsigned h = 0; h < harts; h++) {
		intptr_t member = belongs(h) ? test_join(c[h]) : -1;

		if (member < 0)
			continue;
		CHECK(member == before + 1 || (which <= CO_BARRIER_GROUP && member == 0));
		before = member;
	}
}

TEST(e3_every_scope_holds_its_harts)
{
	for (unsigned which = CO_BARRIER_ALL; which <= CO_BARRIER_COMPUTES; which++)
		try_scope((enum co_barrier_scope)which);
	try_scope(CO_BARRIER_ALL);
}

/* Each group but the first one hangs on another by one member, its others on their own group. */
TEST(a_group_is_left_once)
{
	unsigned across = 0;

	try_scope(CO_BARRIER_ALL);
	for (unsigned h = 1; h < co_harts(); h++) {
		int above = co_spm_hart((*co_hart_var(barrier_members, h))[CO_BARRIER_ALL].up);

		REQUIRE(above >= 0 && above < (int)h);
		across += co_hart_group((unsigned)above) != co_hart_group(h);
	}
	CHECK_EQ(across, co_machine.groups - 1);
}

/* The plain calls, mixed: each scope's episodes are its own. */
static intptr_t mixed(void *arg)
{
	unsigned role = co_hart_role(co_hart());

	for (unsigned i = 0; i < 5; i++) {
		REQUIRE_EQ(co_barrier_group(), 0);
		if (role & CO_ROLE_MANAGE)
			REQUIRE_EQ(co_barrier_managers(), 0);
		if (role & CO_ROLE_COMPUTE)
			REQUIRE_EQ(co_barrier_computes(), 0);
		REQUIRE_EQ(co_barrier_all(), 0);
	}
	return 0;
}

TEST(scopes_do_not_disturb_each_other)
{
	static struct co *c[MOST];

	for (unsigned h = 0; h < co_harts(); h++)
		c[h] = test_spawn_on(h, mixed, NULL);
	test_join_all(c, co_harts(), 0);
}

static intptr_t ask_for_another(void *arg)
{
	struct co_barrier *b = NULL;
	unsigned member = 77;

	CHECK_EQ(co_barrier_of((enum co_barrier_scope)(intptr_t)arg, &b, &member), -EINVAL);
	CHECK(!b);
	CHECK_EQ(member, 77);
	return 0;
}

TEST(a_hart_is_shown_what_it_does_not_belong_to)
{
	if (co_harts() == 1)
		SKIP("a single hart belongs to all");
	ask_for_another((void *)CO_BARRIER_COMPUTES);
	test_join(test_spawn_on(test_compute(0), ask_for_another, (void *)CO_BARRIER_MANAGERS));
}

BODY(come_to_all, co_barrier_scope_until(CO_BARRIER_ALL, LONG_ENOUGH))

TEST(missing_harts_are_reported)
{
	static struct co *c[MOST];
	struct co_barrier *b;
	char text[96];

	if (co_harts() == 1)
		SKIP("nobody can be missing");
	REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, NULL), 0);
	CHECK_EQ(co_barrier_scope_until(CO_BARRIER_ALL, co_after_us(200)), -ETIMEDOUT);
	CHECK_EQ(co_barrier_missing(b, 0), 1);
	CHECK_EQ(co_barrier_report(b, text, sizeof(text)), co_harts() - 1);
	for (unsigned h = 1; h < co_harts(); h++)
		c[h] = test_spawn_on(h, come_to_all, NULL);
	CHECK_EQ(co_barrier_scope_until(CO_BARRIER_ALL, LONG_ENOUGH), 0);
	test_join_all(c + 1, co_harts() - 1, 0);
}
