/* test_batch.c - many coroutines, one join; or one after the other, as they end. */
#include <cohart/select.h>

#include "stay.h"

enum { MOST = 1024 };

static intptr_t result[MOST];

BODY(twice, 2 * (intptr_t)arg)

TEST(one_join_collects_all_results)
{
	struct co_batch b = { 0 };
	const unsigned n = 2 * test_computes();

	for (unsigned i = 0; i < n; i++)
		result[i] = -1;
	for (unsigned i = 0; i < n; i++)
		REQUIRE_EQ(co_batch_spawn(&b, NULL, twice, (void *)(intptr_t)i, &result[i]), 0);
	CHECK_EQ(co_batch_join(&b), 0);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(result[i], 2 * i);
}

TEST(an_empty_batch_joins_at_once)
{
	struct co_batch b = { 0 };

	CHECK_EQ(co_batch_join(&b), 0);
	CHECK_EQ(co_batch_join_until(&b, 0), 0);
}

TEST(a_batch_can_be_used_again)
{
	struct co_batch b = { 0 };

	for (intptr_t round = 1; round <= 20; round++) {
		for (intptr_t i = 0; i < 4; i++)
			REQUIRE_EQ(co_batch_spawn(&b, NULL, twice, (void *)(round + i), &result[i]),
				   0);
		REQUIRE_EQ(co_batch_join(&b), 0);
		for (intptr_t i = 0; i < 4; i++)
			CHECK_EQ(result[i], 2 * (round + i));
	}
}

TEST(results_may_be_left)
{
	struct co_batch b = { 0 };

	REQUIRE_EQ(co_batch_spawn(&b, NULL, twice, (void *)1, NULL), 0);
	CHECK_EQ(co_batch_join(&b), 0);
}

TEST(results_come_from_stacks_in_main_memory_too)
{
	struct co_batch b = { 0 };
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	intptr_t results[2] = { 0 };

	for (intptr_t i = 0; i < 2; i++)
		REQUIRE_EQ(co_batch_spawn(&b, &attr, twice, (void *)(i + 5), &results[i]), 0);
	CHECK_EQ(co_batch_join(&b), 0);
	CHECK_EQ(results[0], 10);
	CHECK_EQ(results[1], 12);
}

TEST(a_refused_spawn_leaves_the_batch_as_it_was)
{
	struct co_batch b = { 0 };
	const struct co_attr nowhere = { .on = CO_ON_HART(co_harts()) };

	CHECK_EQ(co_batch_spawn(&b, &nowhere, twice, NULL, NULL), -EINVAL);
	CHECK_EQ(co_batch_join_until(&b, co_after_us(1000)), 0);
}

TEST(a_join_that_times_out_can_be_repeated)
{
	struct co_batch b = { 0 };

	hold();
	for (intptr_t i = 0; i < 3; i++)
		REQUIRE_EQ(co_batch_spawn(&b, NULL, stay, (void *)i, &result[i]), 0);
	CHECK_EQ(co_batch_join_until(&b, co_after_us(500)), -ETIMEDOUT);
	CHECK_EQ(co_batch_join_until(&b, 0), -ETIMEDOUT);
	let_go();
	CHECK_EQ(co_batch_join_until(&b, co_after_us(10000000)), 0);
	for (intptr_t i = 0; i < 3; i++)
		CHECK_EQ(result[i], i);
}

static intptr_t batch_within(void *arg)
{
	/* A batch is shared: it cannot lie on a scratchpad stack. */
	struct co_batch *b = co_spm_alloc(sizeof(*b), CO_LINE);
	int r = 0;

	REQUIRE(b);
	*b = (struct co_batch){ 0 };
	for (intptr_t i = 0; i < 3; i++)
		r |= co_batch_spawn(b, NULL, twice, (void *)i, NULL);
	CHECK_EQ(r, 0);
	CHECK_EQ(co_batch_join(b), 0);
	co_spm_free(b);
	return 1;
}

TEST(compute_harts_can_have_batches_of_their_own)
{
	struct co_batch b = { 0 };
	const unsigned n = test_computes() < 16 ? test_computes() : 16;

	for (unsigned i = 0; i < n; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(test_compute(i)) };

		REQUIRE_EQ(co_batch_spawn(&b, &attr, batch_within, NULL, &result[i]), 0);
	}
	CHECK_EQ(co_batch_join(&b), 0);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(result[i], 1);
}

CO_CHANNEL(silent, int, 1);
static struct co_a32 waiting;

static intptr_t wait_for_ever(void *arg)
{
	int n;

	co_atomic_add(&waiting, 1, CO_RELEASE);
	return co_chan_recv(&silent, &n);
}

/* Those that wait, those on their way, and those that are started later; nobody else. */
TEST(a_batch_is_cancelled)
{
	enum { SOME = 12 };
	struct co_batch b = { 0 };
	struct co *other = test_spawn_on(co_harts() - 1, wait_for_ever, NULL);

	for (unsigned round = 0; round < 3; round++) {
		co_atomic_store(&waiting, 0, CO_RELAXED);
		for (unsigned i = 0; i < SOME; i++) {
			const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

			REQUIRE_EQ(co_batch_spawn(&b, &attr, wait_for_ever, NULL, &result[i]), 0);
		}
		if (round)
			test_await(&waiting, SOME);
		co_batch_cancel(&b);
		REQUIRE_EQ(co_batch_spawn(&b, NULL, wait_for_ever, NULL, &result[SOME]), 0);
		CHECK_EQ(co_batch_join_until(&b, co_after_us(20000000)), 0);
		for (unsigned i = 0; i <= SOME; i++)
			CHECK_EQ(result[i], -ECANCELED);
		/* It is a batch like any other again. */
		REQUIRE_EQ(co_batch_spawn(&b, NULL, twice, (void *)4, &result[0]), 0);
		CHECK_EQ(co_batch_join(&b), 0);
		CHECK_EQ(result[0], 8);
	}
	CHECK_EQ(co_join_until(other, NULL, co_after_us(2000)), -ETIMEDOUT);
	test_cancel(other);
}

/* ---- Children with records ---- */

static struct co_child child[MOST];
static struct co_batch some;

static unsigned few(void)
{
	return 2 * test_computes() < MOST ? 2 * test_computes() : MOST;
}

static void spawn_child(unsigned i, co_fn *fn)
{
	REQUIRE_EQ(co_batch_spawn_child(&some, NULL, fn, (void *)(intptr_t)i, &child[i]), 0);
}

TEST(each_child_is_given_once_as_it_ends)
{
	const unsigned n = few();
	bool given[MOST] = { false };

	for (unsigned i = 0; i < n; i++)
		spawn_child(i, twice);
	for (unsigned i = 0; i < n; i++) {
		struct co_child *one = NULL;

		REQUIRE_EQ(co_batch_join_any_until(&some, &one, LONG_ENOUGH), 0);
		REQUIRE(one >= child && one < child + n);
		CHECK(!given[one - child]);
		given[one - child] = true;
		CHECK_EQ(one->status, 0);
		CHECK_EQ(one->result, 2 * (one - child));
	}
	CHECK_EQ(co_batch_join(&some), 0);
}

TEST(without_children_there_is_none_to_wait_for)
{
	struct co_child *one = &child[MOST - 1];
	struct co_case cases[] = { co_case_batch(&some, &one) };

	for (unsigned round = 0; round < 2; round++) {
		CHECK_EQ(co_batch_try_join_any(&some, &one), -ECHILD);
		CHECK_EQ(co_batch_join_any(&some, &one), -ECHILD);
		CHECK_EQ(co_batch_join_any_until(&some, &one, 0), -ECHILD);
		CHECK_EQ(co_select(cases, 1), 0);
		CHECK_EQ(cases[0].result, -ECHILD);
		CHECK(one == &child[MOST - 1]);
		/* Also when all have been given. */
		spawn_child(0, twice);
		CHECK_EQ(co_batch_join_any(&some, &one), 0);
		CHECK(one == &child[0]);
		one = &child[MOST - 1];
	}
	CHECK_EQ(co_batch_join(&some), 0);
}

TEST(a_child_that_goes_on_is_not_given)
{
	struct co_child *one = NULL;
	struct co_case cases[] = { co_case_batch(&some, &one) };

	hold();
	spawn_child(3, stay);
	CHECK_EQ(co_batch_try_join_any(&some, &one), -EAGAIN);
	CHECK_EQ(co_batch_join_any_until(&some, &one, co_after_us(500)), -ETIMEDOUT);
	CHECK_EQ(co_select_try(cases, 1), -EAGAIN);
	CHECK_EQ(co_select_until(cases, 1, co_after_us(500)), -ETIMEDOUT);
	CHECK(!one);
	let_go();
	CHECK_EQ(co_select_until(cases, 1, LONG_ENOUGH), 0);
	CHECK_EQ(cases[0].result, 0);
	CHECK(one == &child[3]);
	CHECK_EQ(child[3].result, 3);
	CHECK_EQ(co_batch_join(&some), 0);
}

/* Until it has ended, and nobody has been given it. */
static void await_end(const struct co_child *c)
{
	/* relaxed: the batch's calls lock its queue. */
	REQUIRE(AWAIT(co_atomic_load(&some.last, CO_RELAXED) == (uintptr_t)c));
}

TEST(those_that_ended_before_are_given_in_their_order)
{
	struct co_child *one;

	for (unsigned i = 0; i < 3; i++) {
		spawn_child(i, twice);
		await_end(&child[i]);
	}
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(co_batch_try_join_any(&some, &one), 0);
		CHECK(one == &child[i]);
	}
	CHECK_EQ(co_batch_try_join_any(&some, &one), -ECHILD);
	CHECK_EQ(co_batch_join(&some), 0);
}

TEST(a_join_takes_what_nobody_was_given)
{
	struct co_child *one = NULL;
	intptr_t plain = 0;

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 4; i++)
			spawn_child(i, twice);
		REQUIRE_EQ(co_batch_spawn(&some, NULL, twice, (void *)21, &plain), 0);
		if (round)
			CHECK_EQ(co_batch_join_any(&some, &one), 0);
		CHECK_EQ(co_batch_join(&some), 0);
		for (unsigned i = 0; i < 4; i++) {
			CHECK_EQ(child[i].status, 0);
			CHECK_EQ(child[i].result, 2 * i);
		}
		CHECK_EQ(plain, 42);
		CHECK_EQ(co_batch_try_join_any(&some, &one), -ECHILD);
	}
}

/* One without a record is waited for by a join alone. */
TEST(one_without_a_record_is_not_given)
{
	struct co_child *one = NULL;

	hold();
	REQUIRE_EQ(co_batch_spawn(&some, NULL, stay, (void *)1, &result[0]), 0);
	CHECK_EQ(co_batch_join_any(&some, &one), -ECHILD);
	spawn_child(2, twice);
	CHECK_EQ(co_batch_join_any(&some, &one), 0);
	CHECK(one == &child[2]);
	CHECK_EQ(co_batch_join_any(&some, &one), -ECHILD);
	CHECK_EQ(co_batch_join_until(&some, co_after_us(500)), -ETIMEDOUT);
	let_go();
	CHECK_EQ(co_batch_join(&some), 0);
	CHECK_EQ(result[0], 1);
}

TEST(a_refused_spawn_of_a_child_leaves_the_batch_as_it_was)
{
	const struct co_attr nowhere = { .on = CO_ON_HART(co_harts()) };
	struct co_child *one;

	child[0].status = 5;
	CHECK_EQ(co_batch_spawn_child(&some, &nowhere, twice, NULL, &child[0]), -EINVAL);
	CHECK_EQ(child[0].status, 5);
	CHECK_EQ(co_batch_try_join_any(&some, &one), -ECHILD);
	CHECK_EQ(co_batch_join_until(&some, 0), 0);
}

/* Its block and stack are free, so that there is room where there was none. */
TEST(the_place_of_a_child_that_is_given_is_free)
{
	enum { ROUNDS = 30 };
	const struct co_attr big = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_BIG };
	struct co_child *one;
	unsigned n = 0, begun;
	int r;

	hold();
	while ((r = co_batch_spawn_child(&some, &big, stay, (void *)2, &child[n])) == 0)
		REQUIRE(++n < MOST);
	CHECK_EQ(r, -ENOBUFS);
	REQUIRE(n > 0);
	let_go();
	for (begun = n; begun < n + ROUNDS; begun++) {
		REQUIRE_EQ(co_batch_join_any_until(&some, &one, LONG_ENOUGH), 0);
		CHECK_EQ(one->result, 2);
		REQUIRE_EQ(co_batch_spawn_child(&some, &big, twice, (void *)1, one), 0);
	}
	for (; n; n--)
		CHECK_EQ(co_batch_join_any_until(&some, &one, LONG_ENOUGH), 0);
	CHECK_EQ(co_batch_join(&some), 0);
}

/* By a select every other time; how many this one was given. */
static intptr_t take_children(void *arg)
{
	struct co_child *one = NULL;
	intptr_t n = 0;
	int r;

	do {
		struct co_case cases[] = { co_case_batch(&some, &one) };

		if ((n + (intptr_t)arg) % 2) {
			r = co_batch_join_any_until(&some, &one, LONG_ENOUGH);
		} else {
			REQUIRE_EQ(co_select_until(cases, 1, LONG_ENOUGH), 0);
			r = cases[0].result;
		}
		if (r == 0) {
			CHECK_EQ(one->result, 1);
			one->result = 0; /* given twice, it would be noticed */
			n++;
		}
	} while (r == 0);
	CHECK_EQ(r, -ECHILD);
	return n;
}

static intptr_t end_by_and_by(void *arg)
{
	test_sleep_us((uintptr_t)arg * 50);
	return 1;
}

TEST(several_take_children_of_one_batch)
{
	const unsigned n = few() + 8 < MOST ? few() + 8 : MOST;
	struct co *taker[3];
	intptr_t taken = 0;

	for (unsigned i = 0; i < n; i++)
		spawn_child(i, end_by_and_by);
	for (uintptr_t i = 0; i < 3; i++)
		taker[i] = test_spawn_on(i % co_harts(), take_children, (void *)i);
	for (unsigned i = 0; i < 3; i++)
		taken += test_join(taker[i]);
	CHECK_EQ(taken, n);
	CHECK_EQ(co_batch_join(&some), 0);
}

/* The first record wakes one of those that wait, the last one all. */
TEST(those_that_wait_in_vain_are_notified)
{
	struct co *taker[3];
	intptr_t taken = 0;

	hold();
	spawn_child(1, stay);
	for (uintptr_t i = 0; i < 3; i++)
		taker[i] = test_sleeper((i + 1) % co_harts(), take_children, (void *)i);
	let_go();
	for (unsigned i = 0; i < 3; i++)
		taken += test_join(taker[i]);
	CHECK_EQ(taken, 1);
	CHECK_EQ(co_batch_join(&some), 0);
}

CO_CHANNEL(numbers, int, 1);

TEST(a_select_takes_children_beside_channels)
{
	struct co_child *one = NULL;
	int x = 0;
	struct co_case cases[] = { CO_CASE_RECV(&numbers, &x), co_case_batch(&some, &one) };

	hold();
	spawn_child(1, stay);
	CHECK_EQ(co_chan_send(&numbers, &(int){ 5 }), 0);
	CHECK_EQ(co_select_until(cases, 2, LONG_ENOUGH), 0);
	CHECK_EQ(x, 5);
	CHECK(!one);
	let_go();
	CHECK_EQ(co_select_until(cases, 2, LONG_ENOUGH), 1);
	CHECK_EQ(cases[1].result, 0);
	CHECK(one == &child[1]);
	CHECK_EQ(co_batch_join(&some), 0);
}

static intptr_t wait_for_any(void *arg)
{
	struct co_child *one;

	return co_batch_join_any(&some, &one);
}

TEST(who_waits_for_a_child_is_cancelled_and_no_end_is_lost)
{
	struct co_child *one = NULL;
	struct co *c;

	hold();
	spawn_child(1, stay);
	c = test_sleeper(co_harts() - 1, wait_for_any, NULL);
	test_cancel(c);
	let_go();
	CHECK_EQ(co_batch_join_any_until(&some, &one, LONG_ENOUGH), 0);
	CHECK(one == &child[1]);
	CHECK_EQ(co_batch_join(&some), 0);
}

TEST(children_that_are_cancelled_are_given)
{
	struct co_child *one;

	co_atomic_store(&waiting, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 0; i < 4; i++)
		spawn_child(i, wait_for_ever);
	test_await(&waiting, 4);
	co_batch_cancel(&some);
	for (unsigned i = 0; i < 4; i++) {
		REQUIRE_EQ(co_batch_join_any_until(&some, &one, LONG_ENOUGH), 0);
		CHECK_EQ(one->status, 0);
		CHECK_EQ(one->result, -ECANCELED);
	}
	CHECK_EQ(co_batch_join(&some), 0);
}

static struct co_a32 go; /* whose turn it is */

static intptr_t wait_for_turn(void *arg)
{
	while (co_atomic_load(&go, CO_ACQUIRE) < (uint32_t)(intptr_t)arg)
		test_sleep_us(500);
	return 0;
}

static intptr_t wait_for_one(void *arg)
{
	struct co_child **one = arg;

	return co_batch_join_any(&some, one);
}

/* The first waiter finds that what it was woken for has been taken: the next end is its. */
TEST(one_that_waits_for_a_child_is_not_overtaken_twice)
{
	struct co_child *first = NULL, *second = NULL, *taken = NULL;
	struct co *c[2];

	co_atomic_store(&go, 0, CO_RELAXED); /* spawning publishes it */
	for (unsigned i = 1; i <= 3; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1) };

		REQUIRE_EQ(co_batch_spawn_child(&some, &attr, wait_for_turn, (void *)(intptr_t)i,
						&child[i]),
			   0);
	}
	c[0] = test_sleeper(0, wait_for_one, &first);
	c[1] = test_sleeper(0, wait_for_one, &second);
	co_atomic_store(&go, 1, CO_RELEASE);
	/* This hart gives way to neither. */
	while (co_batch_try_join_any(&some, &taken) == -EAGAIN)
		;
	CHECK(taken == &child[1]);
	test_sleep_us(1000);
	co_atomic_store(&go, 2, CO_RELEASE);
	CHECK_EQ(test_join(c[0]), 0);
	CHECK(first == &child[2]);
	co_atomic_store(&go, 3, CO_RELEASE);
	CHECK_EQ(test_join(c[1]), 0);
	CHECK(second == &child[3]);
	CHECK_EQ(co_batch_join(&some), 0);
}
