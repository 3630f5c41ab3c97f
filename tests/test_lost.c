/* test_lost.c - a hart whose executor faults is given up, and the others go on without it. */
#include "loss.h"

BODY(wait_for_ever, sleep_on())

BODY(double_it, 2 * (intptr_t)arg)

static struct co_barrier *managers;
static struct co_a32 joined;

static intptr_t join_it(void *arg)
{
	int r = co_join(arg, NULL);

	co_atomic_store(&joined, 1, CO_RELEASE);
	return r;
}

TEST_FAULTY(who_waits_for_a_hart_that_is_lost_is_notified)
{
	const unsigned hart = hart_to_lose();
	const struct co_attr there = { .name = "there", .on = CO_ON_HART(hart) };
	static struct co_batch batch, mixed;
	struct co *c, *other, *joiner, *over;
	intptr_t result = 4711;

	/* The machine's barriers are known before there is a loss. */
	REQUIRE_EQ(co_barrier_of(CO_BARRIER_MANAGERS, &managers, NULL), 0);
	over = test_spawn_on(hart, double_it, (void *)21);
	c = test_spawn(&there, wait_for_ever, NULL);
	other = test_spawn(&there, wait_for_ever, NULL);
	REQUIRE_EQ(co_batch_spawn(&batch, &there, wait_for_ever, NULL, NULL), 0);
	/* That a hart is lost says more than that a child has faulted. */
	REQUIRE_EQ(co_batch_spawn(&mixed, &there, wait_for_ever, NULL, NULL), 0);
	REQUIRE_EQ(co_batch_spawn(&mixed, NULL, faulty, NULL, NULL), 0);
	CHECK(test_await(&mixed.ended, CO_ENDED_FAULT));
	joiner = test_spawn_on(1, join_it, other);
	test_sleep_us(5000);
	for (unsigned i = 0; i < 10000 && !co_has_ended(over); i++)
		test_sleep_us(1000);
	CHECK(!co_hart_lost(hart));
	fault_there(hart);
	/* Those who wait already, and those who come. */
	CHECK_EQ(co_join(c, &result), -EHOSTDOWN);
	CHECK_EQ(result, 4711);
	CHECK_EQ(test_join(joiner), -EHOSTDOWN);
	CHECK_EQ(co_batch_join(&batch), -EHOSTDOWN);
	CHECK_EQ(co_batch_join(&mixed), -EHOSTDOWN);
	/* One that had ended has ended well, and its place is nobody's. */
	CHECK_EQ(test_join(over), 42);
	CHECK(co_hart_lost(hart));
	CHECK_EQ(co_harts_lost(), 1);
	CHECK_EQ(co_spawn(NULL, &there, double_it, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < hart; i++)
		CHECK_EQ(test_join(test_spawn_on(i, double_it, (void *)21)), 42);
	CHECK(!co_hart_lose(hart));
}

TEST(loops_and_spawns_anywhere_go_on_without_it)
{
	for (unsigned i = 0; i < 2 * co_harts(); i++) {
		struct co *c;
		intptr_t result = 0;

		c = test_spawn(NULL, double_it, (void *)(uintptr_t)i);
		CHECK_EQ(co_join(c, &result), 0);
		CHECK_EQ(result, 2 * (intptr_t)i);
	}
}

BODY(come, co_barrier_computes())

TEST(barriers_break_of_which_it_was_a_member_and_no_others)
{
	if (!co_harts_lost())
		SKIP("no hart is lost");
	if (!(co_hart_role(co_harts() - 1) & CO_ROLE_COMPUTE))
		SKIP("the lost one is no member");
	CHECK_EQ(test_join(test_spawn_on(1, come, NULL)), -EOWNERDEAD);
	CHECK_EQ(co_barrier_mend(managers), 0);
	if (co_groups() == 1)
		CHECK_EQ(co_barrier_managers(), 0);
}

TEST(a_lost_hart_can_be_asked_after_and_has_nothing_pending)
{
	const unsigned hart = co_harts() - 1;

	if (!co_harts_lost())
		SKIP("no hart is lost");
	co_watch_report(hart);
	co_watch_stacks();
	CHECK(co_hart_gone(hart));
	CHECK(!co_hart_silent(hart));
}
