/* test_batch.c - many coroutines, one join. */
#include "harness/test.h"

enum { MOST = 1024 };

static intptr_t result[MOST];
static struct co_a32 go;

static intptr_t twice(void *arg)
{
	return 2 * (intptr_t)arg;
}

static intptr_t wait_to_go(void *arg)
{
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with the case's release */
		test_sleep_us(200);
	return (intptr_t)arg;
}

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

	co_atomic_store(&go, 0, CO_RELAXED); /* spawning publishes it */
	for (intptr_t i = 0; i < 3; i++)
		REQUIRE_EQ(co_batch_spawn(&b, NULL, wait_to_go, (void *)i, &result[i]), 0);
	CHECK_EQ(co_batch_join_until(&b, co_after_us(500)), -ETIMEDOUT);
	CHECK_EQ(co_batch_join_until(&b, 0), -ETIMEDOUT);
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(co_batch_join_until(&b, co_after_us(10000000)), 0);
	for (intptr_t i = 0; i < 3; i++)
		CHECK_EQ(result[i], i);
}

static intptr_t batch_within(void *arg)
{
	/* A batch is shared: it cannot lie on a scratchpad stack. */
	struct co_batch *b = co_spm_alloc(sizeof(*b), CO_LINE);
	int r = 0;

	(void)arg;
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

	(void)arg;
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
	co_cancel(other);
	CHECK_EQ(test_join(other), -ECANCELED);
}
