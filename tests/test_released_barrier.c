/* test_released_barrier.c - a member that a fault has ended: the barrier is broken for all. */
#include "holder.h"

#define MEMBERS 6
#define ROUNDS 5 /* the one that faults comes so often */

static struct co_barrier step;
static struct co_barrier_member data[MEMBERS];
static unsigned mortal; /* this member faults */

static void make(enum co_barrier_form form)
{
	REQUIRE_EQ(co_barrier_init(&step, MEMBERS, form, data), 0);
	if (form == CO_BARRIER_TREE)
		step.shift = 1; /* so that few members make three levels */
}

/* Every call says so, at once. */
static void check_broken(unsigned me)
{
	CHECK_EQ(co_barrier_wait(&step, me), -EOWNERDEAD);
	CHECK_EQ(co_barrier_wait_until(&step, me, 0), -EOWNERDEAD);
}

static bool gathers; /* member 0 does, from the second round on */

static int arrive(unsigned me, unsigned rounds)
{
	int r;

	if (me || !gathers || !rounds)
		return co_barrier_wait(&step, me);
	r = co_barrier_gather(&step);
	if (!r)
		co_barrier_release(&step);
	return r;
}

/* One member faults before it comes to the round after these. */
static intptr_t keep_step(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	unsigned rounds = 0;
	int r;

	co_barrier_bind(&step, me);
	while ((r = arrive(me, rounds)) == 0) {
		rounds++;
		if (me == mortal && rounds == ROUNDS)
			fault_here();
	}
	/* It may be notified of that before it is released from the last one. */
	CHECK(rounds == ROUNDS || rounds == ROUNDS - 1);
	check_broken(me);
	co_barrier_unbind(&step, me);
	return r;
}

TEST_ON_HARTS(all_members_are_notified_that_one_was_ended, on_some_harts)
{
	mortal = MEMBERS - 1;
	for (unsigned way = 0; way < 4; way++) {
		struct co *c[MEMBERS];

		make(way % 2 ? CO_BARRIER_TREE : CO_BARRIER_CENTRAL);
		gathers = way / 2;
		for (unsigned i = 0; i < MEMBERS; i++)
			c[i] = test_spawn_on(i == MEMBERS - 1 ? hart : i % co_harts(), keep_step,
					     (void *)(uintptr_t)i);
		test_join_all(c, MEMBERS - 1, -EOWNERDEAD);
		CHECK_EQ(co_join(c[MEMBERS - 1], NULL), -EFAULT);
	}
}

/* Each has waited in another way by then: for its hart, or for the others of it. */
TEST_ON_HARTS(any_of_those_on_a_hart_may_be_ended, on_some_harts)
{
	for (mortal = 0; mortal < MEMBERS; mortal++) {
		struct co *c[MEMBERS];

		make(CO_BARRIER_TREE);
		for (unsigned i = 0; i < MEMBERS; i++)
			c[i] = test_spawn_on(hart, keep_step, (void *)(uintptr_t)i);
		for (unsigned i = 0; i < MEMBERS; i++)
			CHECK_EQ(co_join(c[i], NULL), i == mortal ? -EFAULT : 0);
	}
}

/* It comes, does not wait for the others, and faults. */
static intptr_t come_and_fault(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	co_barrier_bind(&step, me);
	CHECK_EQ(co_barrier_wait_until(&step, me, co_after_us(1)), -ETIMEDOUT);
	fault_when_asked();
}

static intptr_t come_until_broken(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	int r = co_barrier_wait(&step, me);

	/* All have come, but those that the dead one was to release were notified first. */
	CHECK(r == 0 || r == -EOWNERDEAD);
	if (r == 0)
		CHECK_EQ(co_barrier_wait(&step, me), -EOWNERDEAD);
	check_broken(me);
	return r;
}

/* A member with nobody, all or some below it; before or while the others come. */
static void come_and_fault_as(unsigned dead, unsigned hart, bool late)
{
	struct co *c[MEMBERS];

	make(CO_BARRIER_TREE);
	c[dead] = start_holder(hart, come_and_fault, (void *)(uintptr_t)dead);
	if (!late)
		end_holder(c[dead]);
	for (unsigned i = 0; i < MEMBERS; i++) {
		if (i != dead)
			c[i] = test_spawn_on(i % co_harts(), come_until_broken,
					     (void *)(uintptr_t)i);
	}
	if (late)
		end_holder(c[dead]);
	for (unsigned i = 0; i < MEMBERS; i++) {
		if (i != dead)
			test_join(c[i]);
	}
	CHECK_EQ(co_barrier_mend(&step), 0);
	CHECK_EQ(co_barrier_wait_until(&step, dead, 0), -ETIMEDOUT);
}

TEST_ON_HARTS(one_that_has_come_and_is_ended_breaks_the_round, on_some_harts)
{
	for (unsigned late = 0; late < 2; late++) {
		come_and_fault_as(0, hart, late);
		come_and_fault_as(1, hart, late);
		come_and_fault_as(MEMBERS - 1, hart, late);
	}
}

static intptr_t bind_and_fault(void *arg)
{
	co_barrier_bind(&step, (unsigned)(uintptr_t)arg);
	fault_when_asked();
}

static void end_member(uintptr_t member)
{
	end_holder(start_holder(co_harts() - 1, bind_and_fault, (void *)member));
}

TEST_FAULTY(a_report_says_who_was_ended)
{
	char text[192];

	REQUIRE_EQ(co_barrier_init(&step, 2, CO_BARRIER_AUTO, data), 0);
	end_member(1);
	CHECK_EQ(co_barrier_wait(&step, 0), -EOWNERDEAD);
	CHECK_EQ(co_barrier_report(&step, text, sizeof(text)), 0);
	REQUIRE_EQ(co_barrier_init(&step, 3, CO_BARRIER_AUTO, data), 0);
	CHECK_EQ(co_barrier_wait_until(&step, 0, 0), -ETIMEDOUT);
	end_member(1);
	end_member(2);
	CHECK_EQ(co_barrier_report(&step, text, sizeof(text)), 2);
	CHECK_STR(text, "2 of 3 have not come: member 1, who never came "
			"(ended by a fault, or with its hart), member 2, who never came "
			"(ended by a fault, or with its hart)");
}

static intptr_t in_all(void *arg)
{
	unsigned member, rounds = 0;
	struct co_barrier *b;

	REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, &member), 0);
	co_barrier_bind(b, member);
	while (co_barrier_all() == 0) {
		rounds++;
		if (arg && rounds == ROUNDS)
			fault_here();
	}
	CHECK(rounds == ROUNDS || rounds == ROUNDS - 1); /* as in keep_step() */
	CHECK_EQ(co_barrier_all(), -EOWNERDEAD);
	co_barrier_unbind(b, member);
	return 0;
}

TEST_FAULTY(the_barrier_of_all_harts_breaks_and_is_mended)
{
	struct co_batch batch = { 0 };
	struct co_barrier *b;

	if (co_harts() == 1)
		SKIP("there is nobody to tell");
	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; i < co_harts(); i++) {
			const struct co_attr attr = { .on = CO_ON_HART(i) };

			REQUIRE_EQ(
				co_batch_spawn(&batch, &attr, in_all, i == 1 ? &step : NULL, NULL),
				0);
		}
		CHECK_EQ(co_batch_join(&batch), -EFAULT);
		REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, NULL), 0);
		CHECK_EQ(co_barrier_mend(b), 0);
	}
}

BODY(come_as_1, co_barrier_wait(&step, 1))

/* It is ended where it comes, and the first one goes on as if nothing had been. */
TEST_ON_HARTS(two_coroutines_are_not_the_same_member, on_some_harts)
{
	struct co *first;

	REQUIRE_EQ(co_barrier_init(&step, 2, CO_BARRIER_AUTO, data), 0);
	first = test_spawn_on(co_harts() - 1, come_as_1, NULL);
	while (co_barrier_missing(&step, 0) != 0)
		test_sleep_us(50);
	CHECK_EQ(co_join(test_spawn_on(hart, come_as_1, NULL), NULL), -EFAULT);
	CHECK_EQ(co_barrier_wait(&step, 0), 0);
	CHECK_EQ(test_join(first), 0);
}

static struct co *ended;
static struct co_event looked_for;

static intptr_t pass_and_fault(void *arg)
{
	co_barrier_bind(&step, 0);
	CHECK_EQ(co_barrier_wait(&step, 0), 0);
	fault_when_asked();
	return 0;
}

static intptr_t come_in_its_block(void *arg)
{
	return co_self() == ended ? co_barrier_wait(&step, 0) : co_event_wait(&looked_for);
}

/* It is no member that has come before, and so nobody rings it. */
TEST_ON_HARTS(who_has_the_block_of_a_member_that_was_ended_is_notified, on_some_harts)
{
	struct co *c[16];
	unsigned n = 0;
	intptr_t r = 0;

	co_event_clear(&looked_for);
	REQUIRE_EQ(co_barrier_init(&step, 2, CO_BARRIER_AUTO, data), 0);
	CHECK_EQ(co_barrier_wait_until(&step, 1, 0), -ETIMEDOUT);
	ended = start_holder(hart, pass_and_fault, NULL);
	end_holder(ended);
	co_look_next = CO_FOREVER; /* the watch would ring it */
	do
		c[n] = test_spawn_on(hart, come_in_its_block, NULL);
	while (c[n] != ended && ++n < 16);
	REQUIRE(n < 16);
	CHECK_EQ(co_join_until(c[n], &r, LONG_ENOUGH), 0);
	CHECK_EQ(r, -EOWNERDEAD);
	co_look_next = co_now();
	co_event_set(&looked_for);
	test_join_all(c, n, 0);
}
