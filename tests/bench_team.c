/*
 * bench_team.c - a hart's share of a collective: what all harts together execute, divided by their
 * number, as in bench_barrier.c.
 */
#include "bench/bench.h"

static struct {
	struct bench_span span;
	struct co_team team;
	int (*call)(struct co_member *me);
} b;

static long at_root[64], back[64];

static int broadcast_8(struct co_member *me)
{
	long word = 1;

	return co_broadcast(me, 0, &word, sizeof(word));
}

static int broadcast_1k(struct co_member *me)
{
	static unsigned char from[1024];
	unsigned char to[1024];

	return co_broadcast(me, 0, co_member_rank(me) ? to : from, 1024);
}

static int scatter_8(struct co_member *me)
{
	long word;

	return co_scatter(me, 0, at_root, sizeof(word), &word);
}

static int gather_8(struct co_member *me)
{
	long word = 1;

	return co_gather(me, 0, &word, sizeof(word), back);
}

static void add(void *value, const void *right, void *arg)
{
	*(long *)value += *(const long *)right;
}

static int reduce_8(struct co_member *me)
{
	long word = 1;

	return co_reduce(me, 0, &word, sizeof(word), add, NULL);
}

static int all_reduce_8(struct co_member *me)
{
	long word = 1;

	return co_all_reduce(me, &word, sizeof(word), add, NULL);
}

static int scan_8(struct co_member *me)
{
	long word = 1;

	return co_scan(me, &word, NULL, sizeof(word), add, NULL);
}

static int meet(struct co_member *me)
{
	return co_team_sync(me);
}

static int member(struct co_member *me, void *arg)
{
	if (co_member_rank(me) == 0) {
		BENCH_TIMES(&b.span, BENCH_CALL(b.call(me)));
	} else {
		BENCH_PARTNER(&b.span, BENCH_CALL(b.call(me)));
	}
	return 0;
}

static void collective(const char *name, int (*call)(struct co_member *me), enum co_team_form form)
{
	unsigned n = co_group(0)->computes;

	b.call = call;
	b.span = (struct bench_span){ .turns = bench_turns(100) };
	b.team = (struct co_team){ .form = form };
	BENCH_CALL(co_team_run(&b.team, member, NULL));
	bench_row(name, n, bench_per_turn(&b.span, n) / n, NULL);
}

static void collectives(void)
{
	collective("broadcast_8_linear", broadcast_8, CO_TEAM_LINEAR);
	collective("broadcast_8_tree", broadcast_8, CO_TEAM_TREE);
	collective("broadcast_1k_tree", broadcast_1k, CO_TEAM_TREE);
	collective("scatter_8_linear", scatter_8, CO_TEAM_LINEAR);
	collective("scatter_8_tree", scatter_8, CO_TEAM_TREE);
	collective("gather_8_linear", gather_8, CO_TEAM_LINEAR);
	collective("gather_8_tree", gather_8, CO_TEAM_TREE);
	collective("reduce_8_team", reduce_8, CO_TEAM_AUTO);
	collective("all_reduce_8_team", all_reduce_8, CO_TEAM_AUTO);
	collective("scan_8_team", scan_8, CO_TEAM_AUTO);
	collective("meet_team", meet, CO_TEAM_AUTO);
}

BENCH(team_of_4, "5")
{
	collectives();
}

BENCH(team_of_64, "65")
{
	collectives();
}
