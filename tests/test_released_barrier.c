/*
 * test_released_barrier.c - a member of a barrier that a fault has ended: all others are told, in
 * the same round.
 */
#include "holder.h"

#define MEMBERS 6
#define ROUNDS 5 /* the one who faults comes so often */

static struct co_barrier step;
static struct co_seat seats[MEMBERS];
static struct co_a32 ended; /* rounds that a member has ended, of all */

/* The last member faults before it comes to the round after these. */
static intptr_t keep_step(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	int r;

	co_barrier_bind(&step, me);
	for (unsigned i = 0;; i++) {
		if (me == MEMBERS - 1 && i == ROUNDS)
			*(volatile int *)wild = 1;
		r = co_barrier_wait(&step, me);
		if (r)
			break;
		co_atomic_add(&ended, 1, CO_RELAXED);
	}
	/* And so does every later round, at once. */
	CHECK_EQ(co_barrier_wait(&step, me), r);
	CHECK_EQ(co_barrier_wait_until(&step, me, co_after_us(1)), r);
	co_barrier_unbind(&step, me);
	return r;
}

static void keep_step_as(enum co_barrier_form form, unsigned victims_hart)
{
	struct co *c[MEMBERS];

	REQUIRE_EQ(co_barrier_init(&step, MEMBERS, form, seats), 0);
	if (form == CO_BARRIER_TREE)
		step.shift = 1; /* so that few members make three levels */
	co_atomic_store(&ended, 0, CO_RELAXED);
	for (unsigned i = 0; i < MEMBERS; i++)
		c[i] = test_spawn_on(i == MEMBERS - 1 ? victims_hart : i % co_harts(), keep_step,
				     (void *)(uintptr_t)i);
	for (unsigned i = 0; i < MEMBERS - 1; i++)
		CHECK_EQ(test_join(c[i]), -EOWNERDEAD);
	CHECK_EQ(co_join(c[MEMBERS - 1], NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&ended, CO_RELAXED), MEMBERS * ROUNDS);
}

static void barriers(unsigned hart)
{
	keep_step_as(CO_BARRIER_CENTRAL, hart);
	keep_step_as(CO_BARRIER_TREE, hart);
	keep_step_as(CO_BARRIER_DISSEMINATION, hart);
}

TEST(members_of_a_barrier_agree_which_round_was_the_last)
{
	on_some_harts(barriers);
}

/* It comes, does not wait for the others, and faults: that round still ends well. */
static intptr_t come_and_fault(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	co_barrier_bind(&step, me);
	CHECK_EQ(co_barrier_wait_until(&step, me, co_after_us(1)), -ETIMEDOUT);
	fault_when_told();
	return 0;
}

static intptr_t come_twice(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	CHECK_EQ(co_barrier_wait(&step, me), 0);
	return co_barrier_wait(&step, me);
}

/* Member 1 has others below it, in a tree of twos; in dissemination all depend on it. */
static void come_and_fault_as(enum co_barrier_form form, unsigned hart, bool late)
{
	struct co *c[MEMBERS], *dead;

	REQUIRE_EQ(co_barrier_init(&step, MEMBERS, form, seats), 0);
	if (form == CO_BARRIER_TREE)
		step.shift = 1;
	dead = start_holder(hart, come_and_fault, (void *)1);
	if (!late)
		end_holder(dead);
	for (unsigned i = 0; i < MEMBERS; i++)
		c[i] = i == 1 ? NULL
			      : test_spawn_on(i % co_harts(), come_twice, (void *)(uintptr_t)i);
	if (late)
		end_holder(dead);
	for (unsigned i = 0; i < MEMBERS; i++) {
		if (c[i])
			CHECK_EQ(test_join(c[i]), -EOWNERDEAD);
	}
	CHECK_EQ(co_barrier_mend(&step), 0);
	CHECK_EQ(co_barrier_wait_until(&step, 0, co_after_us(1)), -ETIMEDOUT);
}

static void rounds(unsigned hart)
{
	for (unsigned late = 0; late < 2; late++) {
		come_and_fault_as(CO_BARRIER_CENTRAL, hart, late);
		come_and_fault_as(CO_BARRIER_TREE, hart, late);
		come_and_fault_as(CO_BARRIER_DISSEMINATION, hart, late);
	}
}

TEST(a_round_to_which_the_dead_one_had_come_ends_well)
{
	on_some_harts(rounds);
}

/* Whom all others wait for. `told`: they have come, and it was told, when it faults. */
static void member_0_faults(unsigned hart, bool told)
{
	struct co *c[3];

	REQUIRE_EQ(co_barrier_init(&step, 3, CO_BARRIER_TREE, seats), 0);
	c[0] = start_holder(hart, come_and_fault, (void *)0);
	if (!told)
		end_holder(c[0]);
	for (unsigned i = 1; i < 3; i++)
		c[i] = test_spawn_on(i % co_harts(), come_twice, (void *)(uintptr_t)i);
	while (told && co_barrier_missing(&step, 0) != 0) /* they are at the next one */
		co_sleep_us(100);
	if (told)
		end_holder(c[0]);
	for (unsigned i = 1; i < 3; i++)
		CHECK_EQ(test_join(c[i]), -EOWNERDEAD);
}

static void member_0(unsigned hart)
{
	member_0_faults(hart, false);
	member_0_faults(hart, true);
}

TEST(the_member_who_releases_the_others_may_be_the_dead_one)
{
	on_some_harts(member_0);
}

static intptr_t bind_and_fault(void *arg)
{
	co_barrier_bind(&step, (unsigned)(uintptr_t)arg);
	fault_when_told();
	return 0;
}

/* It has been made anew, for fewer or for as many: who was bound before is no member now. */
TEST(who_is_no_member_any_more_breaks_nothing)
{
	for (unsigned n = 1; n <= 3; n += 2) {
		struct co *c;

		REQUIRE_EQ(co_barrier_init(&step, 3, CO_BARRIER_AUTO, seats), 0);
		c = start_holder(co_harts() - 1, bind_and_fault, (void *)2);
		REQUIRE_EQ(co_barrier_init(&step, n, CO_BARRIER_AUTO, seats), 0);
		end_holder(c);
		/* It waits for those that have not come, and is not told of a death. */
		CHECK_EQ(co_barrier_wait_until(&step, 0, co_after_us(1000)),
			 n == 1 ? 0 : -ETIMEDOUT);
	}
}

static intptr_t in_all(void *arg)
{
	unsigned member;
	struct co_barrier *b;

	REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, &member), 0);
	co_barrier_bind(b, member);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_barrier_all(), 0);
	if (arg)
		*(volatile int *)wild = 1;
	CHECK_EQ(co_barrier_all(), -EOWNERDEAD);
	co_barrier_unbind(b, member);
	return 0;
}

TEST(the_barrier_of_all_harts_breaks_and_is_mended)
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

TEST(a_member_of_two_barriers_leaves_them_in_any_order)
{
	static struct co_barrier one, two;
	static struct co_seat seat[2];

	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_EQ(co_barrier_init(&one, 1, CO_BARRIER_AUTO, &seat[0]), 0);
		REQUIRE_EQ(co_barrier_init(&two, 1, CO_BARRIER_AUTO, &seat[1]), 0);
		co_barrier_bind(&one, 0);
		co_barrier_bind(&two, 0);
		co_barrier_unbind(i ? &one : &two, 0);
		CHECK_EQ(co_barrier_wait(i ? &two : &one, 0), 0);
		co_barrier_unbind(i ? &two : &one, 0);
	}
}
