/*
 * test_topology.c - harts, roles and groups fit together.
 *
 * Topologies: 3x(1+2) nm6408 sw26010pro 2x(1+2+1)
 */
#include "../runtime/core/boot/boot.h"
#include "harness/test.h"

TEST(groups_cover_all_harts_and_roles_follow_from_them)
{
	unsigned next = 0;

	REQUIRE(co_groups() >= 1);
	for (unsigned g = 0; g < co_groups(); g++) {
		const struct co_group *group = co_group(g);
		bool alone = group->computes == 1 && group->compute == group->manager;
		unsigned both = CO_ROLE_MANAGE | CO_ROLE_COMPUTE, mover;

		CHECK(co_harts() > 1 || alone);
		CHECK_EQ(group->manager, next);
		CHECK_EQ(co_hart_group(group->manager), g);
		CHECK_EQ(co_hart_role(group->manager), alone ? both : CO_ROLE_MANAGE);
		if (!alone && group->computes)
			CHECK_EQ(group->compute, group->manager + 1);
		for (unsigned i = 0; i < group->computes; i++) {
			CHECK_EQ(co_hart_group(group->compute + i), g);
			CHECK_EQ(co_hart_role(group->compute + i), alone ? both : CO_ROLE_COMPUTE);
		}
		next += alone ? 1 : 1 + group->computes + group->movers;
		for (mover = next - group->movers; mover < next; mover++)
			CHECK_EQ(co_hart_role(mover), CO_ROLE_MOVE);
	}
	CHECK_EQ(next, co_harts());
}

TEST(roles_machine_and_topology_have_names)
{
	CHECK_STR(co_role_name(CO_ROLE_MANAGE), "manage");
	CHECK_STR(co_role_name(CO_ROLE_COMPUTE), "compute");
	CHECK_STR(co_role_name(CO_ROLE_MANAGE | CO_ROLE_COMPUTE), "manage+compute");
	CHECK_STR(co_role_name(CO_ROLE_MOVE), "move");
	CHECK(strlen(co_board()) > 0);
	CHECK(strlen(co_topology()) > 0);
	if (strcmp(co_topology(), "nm6408") == 0) {
		CHECK_EQ(co_harts(), 21);
		CHECK_EQ(co_groups(), 5);
		CHECK_EQ(co_group(0)->computes, 0);
	}
}

BODY(where_am_i, co_hart())

TEST(a_group_can_be_asked_for)
{
	for (unsigned g = 0; g < co_groups(); g++) {
		const struct co_attr attr = { .on = CO_ON_GROUP(g) };
		struct co *c = NULL;
		int r = co_spawn(&c, &attr, where_am_i, NULL);

		if (co_group(g)->computes == 0) {
			CHECK_EQ(r, -EINVAL);
			CHECK(!c);
			continue;
		}
		REQUIRE_EQ(r, 0);
		unsigned hart = (unsigned)test_join(c);

		CHECK_EQ(co_hart_group(hart), g);
		CHECK(co_hart_role(hart) & CO_ROLE_COMPUTE);
	}
}

static uint16_t group_of[BOARD_MAX_HARTS];
static struct co_group group[BOARD_MAX_HARTS];
static struct co_machine m = { .room = BOARD_MAX_HARTS, .group_of = group_of, .group = group };

TEST(what_is_no_topology_is_refused_with_the_reason)
{
	static const struct {
		const char *text;
		const char *why;
	} bad[] = {
		{ "", "a number is missing" },
		{ "x", "a number is missing" },
		{ "1x(+4)", "a number is missing" },
		{ "1x(1+)", "a number is missing" },
		{ "1x(1+4+)", "a number is missing" },
		{ "4x", "a group is written" },
		{ "1x(1)", "a group is written" },
		{ "1x(1+4", "a ) is missing" },
		{ "1x(1+4+1", "a ) is missing" },
		{ "1x(2+4)", "exactly one management hart" },
		{ "0x(1+4)", "a count of groups is 0" },
		{ "0", "a count of harts is 0" },
		{ "1x(1+4)+", "a number is missing" },
		{ "1x(1+4)z", "something follows" },
		{ "4(1+4)", "something follows" },
		{ "1x(1+4)-cas+1", "something follows" },
		{ "1x(1+4)-ca", "something follows" },
		{ "-cas", "a number is missing" },
		{ "1+1x(1+1)-cas", "" },
		{ "1+2", "no compute hart" },
		{ "1x(1+0)", "" }, /* who is alone computes */
		{ "(1+1)", "" },   /* no count of groups: one */
		{ "1x(1+99999)", "it has 10000 harts" },
		{ "9999x(1+9999)", "it has 1010000 harts" },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *why = co_topology_parse(bad[i].text, &m);

		if (!CHECK(*bad[i].why ? why && strstr(why, bad[i].why) : !why))
			printf("# topology '%s': %s\n", bad[i].text, why ? why : "accepted");
	}
}

TEST(a5_the_preset_says_which_harts_have_no_compare_and_swap)
{
	if (BOARD_MAX_HARTS < 6 * 65)
		SKIP("it has too few harts for these");
	CHECK(!co_topology_parse("sw26010", &m));
	CHECK(m.adds_only && m.harts == 4 * 65);
	CHECK(!co_topology_parse("sw26010pro", &m));
	CHECK(!m.adds_only && m.harts == 6 * 65);
	CHECK(!co_topology_parse("4x(1+64)", &m));
	CHECK(!m.adds_only);
}

TEST(a_machine_that_shrinks_loses_harts_from_its_end)
{
	if (BOARD_MAX_HARTS < 6)
		SKIP("a machine of six harts is too large for this board");
	REQUIRE(!co_topology_parse("2x(1+1+1)", &m));
	CHECK(!co_topology_shrink(6, &m));
	CHECK_EQ(m.harts, 6);
	CHECK(!co_topology_shrink(5, &m));
	CHECK_EQ(m.group[1].movers, 0);
	CHECK_EQ(m.group[1].computes, 1);
	CHECK(!co_topology_shrink(4, &m));
	CHECK_EQ(m.group[1].computes, 0);
	CHECK(!co_topology_shrink(3, &m));
	CHECK_EQ(m.groups, 1);
	CHECK(!co_topology_shrink(2, &m));
	CHECK(!co_topology_shrink(1, &m));
	CHECK_EQ(m.group[0].computes, 1);
	REQUIRE(!co_topology_parse("3+1x(1+1)", &m));
	CHECK_STR(co_topology_shrink(3, &m), "it has no compute hart");
}

/* Each scope has the harts that a look at all of them finds. */
static void check_scopes(enum co_locality kind, unsigned roles)
{
	unsigned seen = 0;

	for (unsigned which = 0; which < co_localities(kind); which++) {
		struct co_scope s = co_scope_of(kind, which, roles);
		unsigned n = 0;

		for (unsigned hart = 0; hart < co_harts(); hart++) {
			if (co_hart_locality(hart, kind) != which || !(co_hart_role(hart) & roles))
				continue;
			REQUIRE(n < s.n);
			CHECK_EQ(s.harts[n++], hart);
		}
		CHECK_EQ(s.n, n);
		seen += n;
	}
	CHECK_EQ(seen, co_scope_of(CO_ALL_HARTS, 0, roles).n);
}

static void check_localities(unsigned node, unsigned super_node)
{
	unsigned nodes = (co_groups() + node - 1) / node;

	/* As --node= and --super-node= set them. */
	co_options.node = node;
	co_options.super_node = super_node;
	CHECK_EQ(co_localities(CO_ALL_HARTS), 1);
	CHECK_EQ(co_localities(CO_SUPER_NODE), (nodes + super_node - 1) / super_node);
	CHECK_EQ(co_localities(CO_NODE), nodes);
	CHECK_EQ(co_localities(CO_GROUP), co_groups());
	for (unsigned kind = CO_ALL_HARTS; kind <= CO_GROUP; kind++) {
		for (unsigned roles = 1; roles <= 7; roles++)
			check_scopes((enum co_locality)kind, roles);
	}
}

TEST(e3_nodes_and_super_nodes_are_so_many_neighbours)
{
	const struct co_options before = co_options;

	check_localities(1, 1);
	check_localities(1, 2);
	check_localities(2, 1);
	check_localities(2, 2);
	check_localities(3, 100);
	check_localities(9999, 9999);
	co_options = before;
	CHECK_EQ(co_localities(CO_SUPER_NODE), 1);
	CHECK_EQ(co_scope_here(CO_NODE, CO_ROLE_MANAGE).n, co_groups());
}
