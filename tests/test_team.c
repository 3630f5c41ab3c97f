/*
 * test_team.c - teams: broadcast, scatter, gather and barriers, from any root, in any form; what
 * makes no sense.
 *
 * Topologies: 3x(1+4)
 */
#include "../runtime/group/team/team.h"
#include "harness/test.h"

enum { MOST = 512, LONG_BYTES = 200 };

static struct co_team team;
static struct co_a32 came;

static const enum co_team_form forms[] = { CO_TEAM_AUTO, CO_TEAM_LINEAR, CO_TEAM_TREE };

/* Run it as all compute harts, in each form. */
static void run_all_forms(co_member_fn *fn)
{
	for (unsigned i = 0; i < 3; i++) {
		team = (struct co_team){ .form = forms[i] };
		CHECK_EQ(co_team_run(&team, fn, NULL), 0);
	}
}

static unsigned char byte_of(unsigned root, unsigned i)
{
	return (unsigned char)(root * 7 + i);
}

static bool holds(const unsigned char *data, unsigned root, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		if (data[i] != byte_of(root, i))
			return false;
	}
	return data[bytes] == 0xa5;
}

static int broadcasts(struct co_member *me, void *arg)
{
	static const unsigned sizes[] = { 0, 1, 4, 7, 8, 16, 47, 48, 49, 64, LONG_BYTES };
	static unsigned char at_root[MOST][LONG_BYTES];
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);

	for (unsigned root = 0; root < ranks; root += 1 + ranks / 9) {
		for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			unsigned char own[LONG_BYTES + 1];
			unsigned char *data = rank == root ? at_root[root] : own;

			memset(own, 0xa5, sizeof(own));
			for (unsigned i = 0; rank == root && i < sizes[s]; i++)
				data[i] = byte_of(root, i);
			REQUIRE_EQ(co_broadcast(me, root, data, sizes[s]), 0);
			if (rank != root)
				CHECK(holds(data, root, sizes[s]));
		}
	}
	return 0;
}

TEST_TIDY(c7_a_broadcast_brings_the_roots_bytes_to_all)
{
	run_all_forms(broadcasts);
}

/* A root that goes on at once, and others that are late. */
static int stream(struct co_member *me, void *arg)
{
	struct test_random *random = arg;
	struct test_random own = random[co_member_rank(me)];

	for (unsigned k = 0; k < 200; k++) {
		unsigned got = co_member_rank(me) == 0 ? k : 0;

		if (test_next(&own) % 8 == 0)
			co_pause();
		REQUIRE_EQ(co_broadcast(me, 0, &got, sizeof(got)), 0);
		CHECK_EQ(got, k);
	}
	return 0;
}

TEST_TIDY(broadcasts_come_in_the_order_sent)
{
	static struct test_random random[MOST];

	for (unsigned i = 0; i < test_computes(); i++)
		random[i] = test_random(i);
	for (unsigned i = 0; i < 3; i++) {
		team = (struct co_team){ .form = forms[i] };
		CHECK_EQ(co_team_run(&team, stream, random), 0);
	}
}

/* Members that are done with a long one go on, and are back at its root before that has looked. */
static int changes_roots(struct co_member *me, void *arg)
{
	static unsigned char at_root[LONG_BYTES];
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);
	unsigned char own[LONG_BYTES];

	for (unsigned k = 0; k < 20; k++) {
		unsigned got = rank == k % ranks ? k : 0, first = rank == 0 ? k : 0;

		REQUIRE_EQ(co_broadcast(me, 0, rank == 0 ? at_root : own, LONG_BYTES), 0);
		REQUIRE_EQ(co_broadcast(me, k % ranks, &got, sizeof(got)), 0);
		CHECK_EQ(got, k);
		REQUIRE_EQ(co_broadcast(me, 0, &first, sizeof(first)), 0);
		CHECK_EQ(first, k);
	}
	return 0;
}

TEST_TIDY(the_root_may_change_with_each_broadcast)
{
	run_all_forms(changes_roots);
}

enum { PART = 3 };
static long at_root[MOST][PART], back[MOST][PART];

static int scatters_and_gathers(struct co_member *me, void *arg)
{
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);

	for (unsigned root = 0; root < ranks; root += 1 + ranks / 7) {
		long part[PART];

		if (rank == root) {
			for (unsigned i = 0; i < ranks * PART; i++)
				at_root[i / PART][i % PART] = root + 10 * i;
		}
		REQUIRE_EQ(co_scatter(me, root, at_root, sizeof(part), part), 0);
		for (unsigned i = 0; i < PART; i++) {
			CHECK_EQ(part[i], root + 10 * (rank * PART + i));
			part[i]++;
		}
		REQUIRE_EQ(co_gather(me, root, part, sizeof(part), back), 0);
		for (unsigned i = 0; rank == root && i < ranks * PART; i++)
			CHECK_EQ(back[i / PART][i % PART], root + 10 * i + 1);
		/* So that the next root may write to them. */
		REQUIRE_EQ(co_team_barrier(me), 0);
	}
	return 0;
}

TEST_TIDY(c7_a_scatter_deals_parts_out_and_a_gather_collects_them)
{
	run_all_forms(scatters_and_gathers);
}

/* ---- Reductions: lines x -> slope * x + at, of which no two ranks' commute ---- */

enum { PRIME = 10007 };
struct map {
	uint32_t slope, at;
};

static struct map map_of(unsigned rank, unsigned k)
{
	return (struct map){ 2 + (rank * 7 + k) % 1000, rank + 3 * k % 500 };
}

static void follow(void *value, const void *right, void *arg)
{
	struct map *left = value;
	const struct map *r = right;

	*left = (struct map){ left->slope * r->slope % PRIME,
			      (left->slope * r->at + left->at) % PRIME };
}

/* The maps of n ranks from `first` on. */
static struct map maps(unsigned first, unsigned n, unsigned ranks, unsigned k)
{
	struct map all = map_of(first, k);

	for (unsigned i = 1; i < n; i++)
		follow(&all, &(struct map[]){ map_of((first + i) % ranks, k) }, NULL);
	return all;
}

static bool is_map(struct map a, struct map b)
{
	return a.slope == b.slope && a.at == b.at;
}

static void reduces(struct co_member *me, unsigned root, unsigned k)
{
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);
	struct map mine = map_of(rank, k);

	REQUIRE_EQ(co_reduce(me, root, &mine, sizeof(mine), follow, NULL), 0);
	CHECK(is_map(mine, rank == root ? maps(root, ranks, ranks, k) : map_of(rank, k)));
}

static void all_reduces(struct co_member *me, unsigned k)
{
	unsigned ranks = co_member_ranks(me);
	struct map mine = map_of(co_member_rank(me), k);

	REQUIRE_EQ(co_all_reduce(me, &mine, sizeof(mine), follow, NULL), 0);
	CHECK(is_map(mine, maps(0, ranks, ranks, k)));
}

static void scans(struct co_member *me, unsigned k)
{
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);
	struct map mine = map_of(rank, k), before = { 0, 0 };

	REQUIRE_EQ(co_scan(me, &mine, k % 2 ? &before : NULL, sizeof(mine), follow, NULL), 0);
	CHECK(is_map(mine, maps(0, rank + 1, ranks, k)));
	CHECK(is_map(before, rank && k % 2 ? maps(0, rank, ranks, k) : (struct map){ 0, 0 }));
}

static int reduces_in_order(struct co_member *me, void *arg)
{
	for (unsigned k = 0; k < 20; k++) {
		reduces(me, k / 2 % co_member_ranks(me), k);
		all_reduces(me, k);
		scans(me, k);
	}
	return 0;
}

TEST_TIDY(e7_a_reduction_applies_its_operation_in_the_order_of_ranks)
{
	run_all_forms(reduces_in_order);
}

/* More in a row than a member has slots for lines. */
static void syncs(struct co_member *me, unsigned n)
{
	while (n--)
		REQUIRE_EQ(co_team_sync(me), 0);
}

/* What comes next is drawn, alike by all; some are late. */
static int mixes(struct co_member *me, void *arg)
{
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);
	struct test_random all = test_random(7), own = test_random(rank);

	for (unsigned k = 0; k < 300; k++) {
		unsigned kind = test_next(&all) % 7, root = test_next(&all) % 3 % ranks;
		unsigned got = rank == root ? k : 0;
		long part;

		if (test_next(&own) % 16 == 0)
			co_pause();
		if (kind == 0)
			reduces(me, root, k);
		else if (kind == 1)
			all_reduces(me, k);
		else if (kind == 2)
			scans(me, k);
		else if (kind == 3)
			REQUIRE_EQ(co_scatter(me, root, at_root, sizeof(part), &part), 0);
		else if (kind == 4)
			syncs(me, 1 + k % 7);
		else
			REQUIRE_EQ(co_broadcast(me, root, &got, sizeof(got)), 0);
		CHECK(kind < 5 || got == k);
	}
	return 0;
}

TEST_TIDY(collectives_of_all_kinds_and_roots_follow_each_other)
{
	run_all_forms(mixes);
}

/* As after 2^31 barriers: acknowledgements are as old, and nobody takes them for new ones. */
static int ages(struct co_member *me, void *arg)
{
	for (unsigned k = 0; k < 3; k++) {
		unsigned got = k;

		reduces(me, 0, k);
		REQUIRE_EQ(co_broadcast(me, 0, &got, sizeof(got)), 0);
		all_reduces(me, k);
		REQUIRE_EQ(co_team_barrier(me), 0);
		me->in.count += 0x80000000u;
		me->below += 0x80000000u;
		REQUIRE_EQ(co_team_barrier(me), 0);
		syncs(me, k);
		for (unsigned i = 0; i < 12; i++) {
			if (co_member_rank(me) % 3 == 1)
				co_pause();
			got = co_member_rank(me) ? 0 : i;
			REQUIRE_EQ(co_broadcast(me, 0, &got, sizeof(got)), 0);
			CHECK_EQ(got, i);
		}
		for (unsigned i = 0; i < 4; i++)
			reduces(me, 0, i);
	}
	return 0;
}

TEST_TIDY(acknowledgements_may_be_old)
{
	run_all_forms(ages);
}

/* No member goes on before all have come. */
static int meets(struct co_member *me, void *arg)
{
	for (uint32_t e = 1; e <= 50; e++) {
		co_atomic_add(&came, 1, CO_RELAXED); /* the collective orders it */
		if (arg)
			REQUIRE_EQ(co_team_sync(me), 0);
		else
			REQUIRE_EQ(co_all_reduce(me, NULL, 0, NULL, NULL), 0);
		CHECK(co_atomic_load(&came, CO_RELAXED) >= e * co_member_ranks(me));
	}
	return 0;
}

static void meet_each(void *by_sync)
{
	for (unsigned i = 0; i < 3; i++) {
		co_atomic_store(&came, 0, CO_RELAXED);
		team = (struct co_team){ .form = forms[i],
					 .scope = co_scope_of(CO_ALL_HARTS, 0, 7) };
		CHECK_EQ(co_team_run(&team, meets, by_sync), 0);
	}
}

TEST_TIDY(a_reduction_of_nothing_is_a_barrier)
{
	meet_each(NULL);
}

TEST_TIDY(nobody_leaves_a_sync_before_all_have_come)
{
	meet_each(&came);
}

/* The last rank has another number of bytes: it learns so, and so do all whom that concerns. */
static int disagrees(struct co_member *me, void *arg)
{
	unsigned ranks = co_member_ranks(me), rank = co_member_rank(me);
	bool odd = ranks > 1 && rank == ranks - 1;
	uint32_t x[3] = { 1, 2, 3 };
	size_t bytes = odd ? 12 : 8, sent;
	int r;

	CHECK_EQ(co_broadcast(me, 0, x, bytes), odd ? -EBADMSG : 0);
	CHECK_EQ(co_broadcast(me, 0, x, odd ? 4 : 8), odd ? -EMSGSIZE : 0);
	CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3);
	CHECK_EQ(co_broadcast_short(me, 0, x, rank ? 4 : 8, &sent), 0);
	CHECK_EQ(sent, 8);
	CHECK_EQ(co_broadcast_short(me, 0, x, rank ? 4 : 999, &sent), 0);
	CHECK_EQ(sent, 999);
	CHECK(!co_all_reduce(me, x, bytes, follow, NULL) == (ranks == 1));
	r = co_scan(me, x, NULL, bytes, follow, NULL);
	CHECK(!r == (ranks == 1) || rank);
	r = co_reduce(me, 0, x, bytes, follow, NULL);
	CHECK(!r == (ranks == 1) || rank);
	CHECK(ranks == 1 || (x[0] == 1 && x[1] == 2 && x[2] == 3));
	CHECK_EQ(co_all_reduce(me, x, CO_TEAM_SHORT + 1, follow, NULL), -EINVAL);
	CHECK_EQ(co_reduce(me, ranks, x, 8, follow, NULL), -EINVAL);
	/* And all can go on. */
	all_reduces(me, 1);
	return 0;
}

TEST_TIDY(members_that_disagree_on_the_bytes_are_notified)
{
	run_all_forms(disagrees);
}

static int arrives(struct co_member *me, void *arg)
{
	for (uint32_t e = 1; e <= 10; e++) {
		co_atomic_add(&came, 1, CO_RELAXED); /* the barrier orders it */
		REQUIRE_EQ(co_team_barrier(me), 0);
		CHECK(co_atomic_load(&came, CO_RELAXED) >= e * co_member_ranks(me));
	}
	return 0;
}

TEST_TIDY(a_team_has_a_barrier)
{
	co_atomic_store(&came, 0, CO_RELAXED);
	team = (struct co_team){ .scope = co_scope_of(CO_ALL_HARTS, 0, 7) };
	CHECK_EQ(co_team_run(&team, arrives, NULL), 0);
	CHECK_EQ(co_atomic_load(&came, CO_RELAXED), 10 * co_harts());
}

static unsigned ran[MOST];

static int notes_its_hart(struct co_member *me, void *arg)
{
	ran[co_member_rank(me)] = co_hart();
	return co_team_barrier(me);
}

TEST_TIDY(e3_ranks_are_on_the_harts_of_the_scope)
{
	static unsigned list[5];

	for (unsigned i = 0; i < 5; i++)
		list[i] = (co_harts() - 1) * (i % 2); /* a hart may stand there more than once */
	team = (struct co_team){ .scope = { .harts = list, .n = 5 } };
	REQUIRE_EQ(co_team_run(&team, notes_its_hart, NULL), 0);
	for (unsigned i = 0; i < 5; i++)
		CHECK_EQ(ran[i], list[i]);
	for (unsigned g = 0; g < co_groups(); g++) {
		team = (struct co_team){ .scope = co_scope_of(CO_GROUP, g, CO_ROLE_COMPUTE) };
		REQUIRE_EQ(co_team_run(&team, notes_its_hart, NULL), team.scope.n ? 0 : -EINVAL);
		for (unsigned i = 0; i < team.scope.n; i++)
			CHECK_EQ(ran[i], co_group(g)->compute + i);
	}
}

static int asks_wrongly(struct co_member *me, void *arg)
{
	unsigned ranks = co_member_ranks(me);
	long x = 0;

	CHECK_EQ(co_broadcast(me, ranks, &x, sizeof(x)), -EINVAL);
	CHECK_EQ(co_scatter(me, UINT32_MAX, &x, sizeof(x), &x), -EINVAL);
	CHECK_EQ(co_gather(me, ranks, &x, sizeof(x), &x), -EINVAL);
	CHECK_EQ(co_gather(me, 0, &x, SIZE_MAX, &x), -EINVAL);
	CHECK_EQ(co_scatter(me, 0, &x, SIZE_MAX / ranks, &x), -EINVAL);
	return co_team_barrier(me); /* and nothing has become of it */
}

TEST_TIDY(what_makes_no_sense_is_refused)
{
	static unsigned nobody;
	struct co_member *me = NULL;

	nobody = co_harts();
	team = (struct co_team){ 0 };
	CHECK_EQ(co_team_run(&team, asks_wrongly, NULL), 0);
	team = (struct co_team){ .scope = { .harts = &nobody, .n = 1 } };
	CHECK_EQ(co_team_run(&team, asks_wrongly, NULL), -EINVAL);
	team = (struct co_team){ .scope = { .harts = &nobody } };
	CHECK_EQ(co_team_run(&team, asks_wrongly, NULL), -EINVAL);
	team = (struct co_team){ .scope = { .n = 1 } };
	CHECK_EQ(co_team_run(&team, asks_wrongly, NULL), -EINVAL);
	team = (struct co_team){ .form = (enum co_team_form)3 };
	CHECK_EQ(co_team_run(&team, asks_wrongly, NULL), -EINVAL);
	nobody = 0;
	team = (struct co_team){ .scope = { .harts = &nobody, .n = 1 } };
	CHECK_EQ(co_team_open(&team, 1, &me), -EINVAL);
	if (co_harts() > 1) {
		nobody = 1;
		CHECK_EQ(co_team_open(&team, 0, &me), -EINVAL);
	}
	CHECK(!me);
}
