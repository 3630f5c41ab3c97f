/*
 * team.c - the model of teams: members meet or none is left behind, lines and parts arrive, and a
 * member's memory, or what a root has others copy from, is not touched after it has left or ended.
 */
/* Sources: scheduler group/team/team.c group/team/collective.c comm/barrier/barrier.c */
/* Sources: group/team/items.c comm/barrier/shape.c comm/lane/lane.c comm/sync/event.c */
/* Sources: comm/handoff.c */
#include "group/team/team.h"
#include "relacy/machine.h"

enum { WORDS = CO_TEAM_SHORT / sizeof(long) + 1 };

static const unsigned harts[] = { 1, 2, 3 };
static struct co_team team;
static long many[WORDS];

static void reset(unsigned threads)
{
	machine_reset(threads);
	machine_expect();
	team = (struct co_team){ .scope = { harts, threads } };
	memset(many, 0, sizeof(many));
}

static struct co_member *open(unsigned i)
{
	struct co_member *me = NULL;

	MODEL_CHECK(co_team_open(&team, i, &me) == 0 && me);
	return me;
}

/* When all have closed, the team is no longer used. */
static void opened(unsigned i)
{
	co_team_close(open(i));
}

/* The first one gives up soon: then the others get no team, or one that is broken. */
static void opened_late(unsigned i)
{
	struct co_member *me;
	int r = co_team_open_until(&team, i, &me, i ? CO_FOREVER : 0);

	MODEL_CHECK(r == 0 || r == (i ? -EOWNERDEAD : -ETIMEDOUT) || r == -EOWNERDEAD);
	if (r)
		return;
	r = co_team_barrier(me);
	MODEL_CHECK(r == 0 || r == -EOWNERDEAD);
	co_team_close(me);
}

/* A long one, then a short one from elsewhere, then one from the first root. */
static void changing_roots(unsigned i)
{
	struct co_member *me = open(i);
	long own[WORDS] = { 0 }, one = i, zero = i;

	if (i == 0)
		co_plain_store(&many[WORDS - 1], 42);
	MODEL_CHECK(co_broadcast(me, 0, i ? own : many, sizeof(own)) == 0);
	MODEL_CHECK(i == 0 || own[WORDS - 1] == 42);
	MODEL_CHECK(co_broadcast(me, 1, &one, sizeof(one)) == 0 && one == 1);
	MODEL_CHECK(co_broadcast(me, 0, &zero, sizeof(zero)) == 0 && zero == 0);
	co_team_close(me);
}

/* More short ones than there is room for, and a gather. */
static void ahead(unsigned i)
{
	struct co_member *me = open(i);
	long line = 0;

	for (long k = 1; k <= CO_TEAM_DEPTH + 1; k++) {
		line = i ? 0 : k;
		MODEL_CHECK(co_broadcast(me, 0, &line, sizeof(line)) == 0 && line == k);
	}
	line = 1 + i;
	MODEL_CHECK(co_gather(me, 0, &line, sizeof(line), many) == 0);
	for (unsigned k = 0; i == 0 && k < me->ranks; k++)
		MODEL_CHECK(co_plain_load(&many[k]) == 1 + k);
	/* Another root does not know how far they are yet. */
	MODEL_CHECK(co_broadcast(me, 1, &line, sizeof(line)) == 0 && line == 2);
	co_team_close(me);
}

static void fault(struct co_member *me)
{
	me->cleanup.run(&me->cleanup, co_self(), CO_CLEANUP_FAULT);
}

static void add(void *value, const void *right, void *arg)
{
	*(long *)value += *(const long *)right;
}

/* Lines up and down, of roots that change; nobody is ahead of a parent's slot. */
static void reductions(unsigned i)
{
	struct co_member *me = open(i);
	long all = me->ranks * (me->ranks - 1) / 2, value;

	for (unsigned root = 0; root < 2; root++) {
		value = i;
		MODEL_CHECK(co_reduce(me, root, &value, sizeof(value), add, NULL) == 0);
		MODEL_CHECK(value == (i == root ? all : i));
		value = i;
		MODEL_CHECK(co_all_reduce(me, &value, sizeof(value), add, NULL) == 0);
		MODEL_CHECK(value == all);
	}
	value = i;
	MODEL_CHECK(co_scan(me, &value, NULL, sizeof(value), add, NULL) == 0);
	MODEL_CHECK(value == i * (i + 1) / 2);
	value = i ? 0 : 7;
	MODEL_CHECK(co_broadcast(me, 0, &value, sizeof(value)) == 0 && value == 7);
	MODEL_CHECK(co_all_reduce(me, NULL, 0, NULL, NULL) == 0);
	co_team_close(me);
}

/* Barriers between lines up and down: all see what others wrote before, and no line is lost. */
static void syncs(unsigned i)
{
	struct co_member *me = open(i);
	long value = i;

	co_plain_store(&many[i], 1 + i);
	MODEL_CHECK(co_team_sync(me) == 0);
	for (unsigned k = 0; k < me->ranks; k++)
		MODEL_CHECK(co_plain_load(&many[k]) == 1 + k);
	MODEL_CHECK(co_reduce(me, 0, &value, sizeof(value), add, NULL) == 0);
	MODEL_CHECK(co_team_sync(me) == 0);
	value = i ? 0 : 7;
	MODEL_CHECK(co_broadcast(me, 0, &value, sizeof(value)) == 0 && value == 7);
	MODEL_CHECK(co_team_sync(me) == 0);
	value = 1;
	MODEL_CHECK(co_reduce(me, 0, &value, sizeof(value), add, NULL) == 0);
	co_team_close(me);
}

/* A member ends in the place of a barrier, while the other waits for it there. */
static void sync_ends(unsigned i)
{
	struct co_member *me = open(i);

	if (i) {
		fault(me);
		return;
	}
	MODEL_CHECK(co_team_sync(me) == -EOWNERDEAD);
	co_team_close(me);
}

/* A member ends before its line, or with it under way: nobody waits for ever. */
static void reduction_ends(unsigned i)
{
	struct co_member *me = open(i);
	long value = 1;
	int r;

	if (i) {
		fault(me);
		return;
	}
	r = co_all_reduce(me, &value, sizeof(value), add, NULL);
	MODEL_CHECK(r == -EOWNERDEAD);
	co_team_close(me);
}

/* Items of a map: parts of two are done by all before the first one knows, and nobody sleeps on. */
static void items(unsigned i)
{
	struct co_member *me = open(i);
	uintptr_t line[CO_ITEM_WORDS] = { 0, 0 };

	co_items_begin(me);
	for (uintptr_t k = 1; k <= 3; k++) {
		if (i == 0)
			line[0] = k;
		MODEL_CHECK((i ? co_items_take(me, line) : co_items_put(me, line)) == 0);
		MODEL_CHECK(line[0] == k);
		if (k == 3) /* the end: the first one comes here when all is done */
			break;
		co_plain_store(&many[2 * i + k - 1], (long)k);
		me->done++;
		co_items_report(me);
		while (i == 0 && k == 2 && me->reported != 2)
			MODEL_CHECK(co_items_await(me) == 0);
	}
	for (unsigned k = 0; i == 0 && k < 2 * me->ranks; k++)
		MODEL_CHECK(co_plain_load(&many[k]) == 1 + k % 2);
	co_team_close(me);
}

/* A member ends with a part to do, while the other waits for it. */
static void items_end(unsigned i)
{
	struct co_member *me = open(i);
	uintptr_t line[CO_ITEM_WORDS] = { 1, 0 };
	int r;

	co_items_begin(me);
	if (i) {
		fault(me);
		return;
	}
	r = co_items_put(me, line);
	me->done++;
	while (r == 0)
		r = co_items_await(me);
	MODEL_CHECK(r == -EOWNERDEAD && me->reported == 0);
	co_team_close(me);
}

/* The root, or a member, ends early, and its memory with it. */
static void root_ends(unsigned i)
{
	struct co_member *me = open(i);
	long own[WORDS] = { 0 };
	int r = 0;

	if (i == 0) {
		/* As a fault in co_broadcast(), with its line under way. */
		struct co_lane_cursor at = me->in;
		uintptr_t to = (uintptr_t)co_member_at(me, 1);

		at.slot = (struct co_lane_slot *)((uintptr_t)at.slot - (uintptr_t)me + to);
		co_plain_store(&at.slot->msg[0], sizeof(own) << 4);
		co_plain_store(&at.slot->msg[1], (uintptr_t)many);
		co_lane_publish(&at.slot->ready);
		many[WORDS - 1] = 42;
		fault(me);
		many[WORDS - 1] = 13;
		return;
	}
	r = co_broadcast(me, 0, own, sizeof(own));
	MODEL_CHECK(r == 0 ? own[WORDS - 1] == 42 : r == -EOWNERDEAD);
	MODEL_CHECK(co_broadcast(me, 0, own, sizeof(own)) == -EOWNERDEAD);
	co_team_close(me);
}

/* All end early: nobody leaves. */
static void all_end(unsigned i)
{
	fault(open(i));
}

static void none_present(void)
{
	MODEL_CHECK(!co_atomic_load(&team.present.state, CO_RELAXED));
	MODEL_CHECK(!co_atomic_load(&team.ended, CO_RELAXED));
}

const struct model models[] = {
	{ "opened and closed", 2, reset, opened, none_present, .bound = 1 },
	{ "opened by three", 3, reset, opened, none_present, .bound = 1 },
	{ "opened late", 2, reset, opened_late, none_present, .bound = 2 },
	{ "opened late by three", 3, reset, opened_late, none_present, .bound = 1 },
	{ "roots that change", 2, reset, changing_roots, none_present, .bound = 1 },
	{ "roots that change, of three", 3, reset, changing_roots, none_present, .bound = 1 },
	{ "a root that is ahead", 2, reset, ahead, none_present, .bound = 1 },
	{ "reductions", 2, reset, reductions, none_present, .bound = 1 },
	{ "reductions of three", 3, reset, reductions, none_present, .bound = 1 },
	{ "a reduction of one that ends", 2, reset, reduction_ends, none_present, .bound = 2 },
	{ "syncs", 2, reset, syncs, none_present, .bound = 1 },
	{ "syncs of three", 3, reset, syncs, none_present, .bound = 1 },
	{ "a sync without one that ends", 2, reset, sync_ends, none_present, .bound = 2 },
	{ "items", 2, reset, items, none_present, .bound = 2 },
	{ "items of three", 3, reset, items, none_present, .bound = 1 },
	{ "items of one that ends", 2, reset, items_end, none_present, .bound = 2 },
	{ "a root that ends", 2, reset, root_ends, none_present, .bound = 1 },
	{ "all end", 2, reset, all_end, none_present, .bound = 1 },
	{ 0 },
};
