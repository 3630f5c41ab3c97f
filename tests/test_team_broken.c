/*
 * test_team_broken.c - teams whose members fail, fault, are cancelled or never come: the others are
 * notified, and nothing is left.
 */
#include "harness/test.h"

static struct co_team team;
static long many[64], part[512];

/* The last rank does something else than the others, which are in each kind of collective. */
static bool is_odd(struct co_member *me)
{
	return co_member_rank(me) == co_member_ranks(me) - 1;
}

static intptr_t calls(struct co_member *me, unsigned which)
{
	long own[64] = { 0 };
	unsigned odd = co_member_ranks(me) - 1;

	switch (which) {
	case 0:
		return co_team_barrier(me);
	case 1:
		return co_broadcast(me, odd, own, 8);
	case 2:
		return co_broadcast(me, 0, co_member_rank(me) ? own : many, sizeof(own));
	case 3:
		return co_scatter(me, 0, part, 8, own);
	case 4:
		return co_team_sync(me);
	default:
		return co_gather(me, odd, own, 8, part);
	}
}

enum { CALLS = 6 };
static unsigned which;
static struct co_a32 notified;

static void is_notified(struct co_member *me)
{
	/* A root of two may be done before: then the next call says it. */
	intptr_t r = calls(me, which);

	CHECK(r == 0 || r == -EOWNERDEAD);
	while (r == 0)
		r = calls(me, which);
	CHECK_EQ(r, -EOWNERDEAD);
	for (unsigned i = 0; i < CALLS; i++)
		CHECK_EQ(calls(me, i), -EOWNERDEAD);
	co_atomic_add(&notified, 1, CO_RELAXED);
}

static int fails(struct co_member *me, void *arg)
{
	if (is_odd(me))
		return -EDOM;
	is_notified(me);
	return 0;
}

static int faults(struct co_member *me, void *arg)
{
	if (is_odd(me))
		co_panic("on purpose");
	is_notified(me);
	return 0;
}

static void each_call(co_member_fn *fn, int want)
{
	if (test_computes() < 2)
		SKIP("a team of one has nobody to tell");
	for (which = 0; which < CALLS; which++) {
		team = (struct co_team){ 0 };
		co_atomic_store(&notified, 0, CO_RELAXED);
		CHECK_EQ(co_team_run(&team, fn, NULL), want);
		CHECK_EQ(co_atomic_load(&notified, CO_RELAXED), test_computes() - 1);
	}
}

TEST_TIDY(a_member_that_fails_breaks_its_team)
{
	each_call(fails, -EDOM);
}

TEST_TIDY_FAULTY(a_fault_of_a_member_breaks_its_team)
{
	each_call(faults, -EFAULT);
}

static int always_faults(struct co_member *me, void *arg)
{
	co_panic("on purpose");
}

TEST_TIDY_FAULTY(a_team_whose_members_all_fault_leaves_nothing)
{
	team = (struct co_team){ 0 };
	CHECK_EQ(co_team_run(&team, always_faults, NULL), -EFAULT);
}

static int waits_for_ever(struct co_member *me, void *arg)
{
	struct co_event *never = arg;

	if (is_odd(me))
		return co_event_wait(never);
	return (int)calls(me, which);
}

BODY(runs, co_team_run(&team, waits_for_ever, arg))

TEST_TIDY(a_cancel_of_the_starter_ends_all_members)
{
	static struct co_event never;

	for (which = 0; which < CALLS; which++) {
		struct co *c;

		if (which == 2 || which == 3)
			continue; /* the root is the one that waits */
		team = (struct co_team){ 0 };
		c = test_spawn_on(0, runs, &never);
		test_sleep_us(2000);
		co_cancel(c);
		CHECK_EQ(test_join(c), -ECANCELED);
	}
}

static intptr_t opens(void *arg)
{
	struct co_member *me;

	return co_team_open_until(&team, (unsigned)(uintptr_t)arg, &me, co_after_us(3000));
}

TEST_TIDY(one_that_never_comes_is_waited_for_until_the_deadline)
{
	static unsigned list[3];
	struct co *a, *b;

	list[1] = co_harts() - 1;
	team = (struct co_team){ .scope = { .harts = list, .n = 3 } };
	a = test_spawn_on(list[0], opens, (void *)0);
	b = test_spawn_on(list[1], opens, (void *)1);
	intptr_t first = test_join(a), second = test_join(b);

	CHECK(first == -ETIMEDOUT || second == -ETIMEDOUT);
	CHECK(first == -ETIMEDOUT || first == -EOWNERDEAD);
	CHECK(second == -ETIMEDOUT || second == -EOWNERDEAD);
	CHECK_EQ(opens((void *)0), -EOWNERDEAD);
}

static int never_runs(struct co_member *me, void *arg)
{
	CHECK(!"a member without room has come");
	return 0;
}

TEST_TIDY(a_hart_without_room_says_so)
{
	static unsigned list[2];
	size_t bytes = co_spm_largest();
	void *all = co_spm_alloc(bytes, 16);

	REQUIRE(all);
	list[1] = co_harts() - 1;
	team = (struct co_team){ .scope = { .harts = list, .n = 2 } };
	CHECK_EQ(co_team_run(&team, never_runs, NULL), -ENOMEM);
	co_spm_free(all);
}
