/*
 * test_pipeline.c - a stream through stages: pipelines, farms and maps (seed C8), and how they end.
 *
 * Topologies: 3x(1+4)
 */
#include "harness/test.h"

enum { ITEMS = 300, MOST = 512 };

static struct co_stage stage[20];
static struct co_pipeline p;
static unsigned harts[MOST];
static struct co_a32 seen[ITEMS];
static struct co_a32 by[MOST];
static unsigned came, wrong;

/* All compute harts; there is one at least, be it hart 0. */
static struct co_scope computes(void)
{
	for (unsigned i = 0; i < test_computes(); i++)
		harts[i] = test_compute(i);
	return (struct co_scope){ harts, test_computes() };
}

static struct co_scope one_of(unsigned i)
{
	static unsigned own[MOST];

	own[i] = test_compute(i % test_computes());
	return (struct co_scope){ &own[i], 1 };
}

static int run(unsigned stages)
{
	memset(seen, 0, sizeof(seen));
	memset(by, 0, sizeof(by));
	came = wrong = 0;
	p = (struct co_pipeline){ .stages = stage, .n = stages };
	return co_pipeline_run(&p);
}

/* Counts the items 1..ITEMS. */
static int count(struct co_worker *me, void *arg)
{
	struct test_random random = test_random(1000);
	int r = 0;

	for (unsigned i = 1; i <= ITEMS && r == 0; i++) {
		if (arg)
			test_pause(&random);
		r = co_worker_give(me, i);
	}
	return r;
}

/* Changes an item in a way that shows which stages it has been through, and in what order. */
static uintptr_t change(uintptr_t item, uintptr_t stage_number)
{
	return item * 3 + stage_number;
}

static int change_each(struct co_worker *me, void *arg)
{
	uintptr_t item;
	int r = 0;

	while (r == 0) {
		r = co_worker_take(me, &item);
		if (r == 0)
			r = co_worker_give(me, change(item, (uintptr_t)arg));
	}
	return r;
}

/* Expects them in their order, through `arg` stages. */
static int expect_each(struct co_worker *me, void *arg)
{
	uintptr_t item;
	int r;

	while ((r = co_worker_take(me, &item)) == 0) {
		uintptr_t want = ++came;

		for (uintptr_t s = 0; s < (uintptr_t)arg; s++)
			want = change(want, s);
		wrong += item != want;
	}
	return r;
}

TEST_TIDY(c8_pipeline_passes_items_through_its_stages_in_order)
{
	for (unsigned stages = 0; stages < 18; stages += 1 + stages / 2) {
		stage[0] = (struct co_stage){ .fn = count };
		for (unsigned s = 0; s < stages; s++)
			stage[1 + s] = (struct co_stage){ .fn = change_each,
							  .arg = (void *)(uintptr_t)s,
							  .on = one_of(s) };
		stage[1 + stages] =
			(struct co_stage){ .fn = expect_each, .arg = (void *)(uintptr_t)stages };
		CHECK_EQ(run(stages + 2), 0);
		CHECK_EQ(came, ITEMS);
		CHECK_EQ(wrong, 0);
	}
}

static int farm_out(struct co_worker *me, void *arg)
{
	struct test_random random = test_random(co_worker_rank(me));
	uintptr_t item;
	int r = 0;

	while (r == 0) {
		r = co_worker_take(me, &item);
		if (r)
			break;
		co_atomic_add(&by[co_worker_rank(me)], 1, CO_RELAXED);
		test_pause(&random);
		r = co_worker_give(me, item);
	}
	return r;
}

static int tick_off(struct co_worker *me, void *arg)
{
	uintptr_t item;
	int r;

	while ((r = co_worker_take(me, &item)) == 0) {
		REQUIRE(item >= 1 && item <= ITEMS);
		co_atomic_add(&seen[item - 1], 1, CO_RELAXED);
	}
	return r;
}

static unsigned sum_of(struct co_a32 *words, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += co_atomic_load(&words[i], CO_RELAXED);
	return sum;
}

TEST_TIDY(c8_farm_gives_each_item_to_one_worker)
{
	stage[0] = (struct co_stage){ .fn = count };
	stage[1] = (struct co_stage){ .fn = farm_out, .on = computes() };
	stage[2] = (struct co_stage){ .fn = tick_off };
	CHECK_EQ(run(3), 0);
	CHECK_EQ(sum_of(by, MOST), ITEMS);
	for (unsigned i = 0; i < ITEMS; i++)
		CHECK_EQ(co_atomic_load(&seen[i], CO_RELAXED), 1);
}

/* A worker that has much to do with its first item. */
static int farm_out_unevenly(struct co_worker *me, void *arg)
{
	uintptr_t item;
	int r;

	while ((r = co_worker_take(me, &item)) == 0) {
		if (co_atomic_add(&by[co_worker_rank(me)], 1, CO_RELAXED) == 0 && item == 1)
			CHECK(test_await(&seen[0], ITEMS - 1));
		else
			co_atomic_add(&seen[0], 1, CO_RELAXED);
	}
	return r;
}

TEST_TIDY(c8_farm_goes_on_while_a_worker_is_busy)
{
	if (test_computes() < 2)
		SKIP("two compute harts are needed");
	stage[0] = (struct co_stage){ .fn = count };
	stage[1] = (struct co_stage){ .fn = farm_out_unevenly, .on = computes() };
	CHECK_EQ(run(2), 0);
	CHECK_EQ(sum_of(by, MOST), ITEMS);
}

TEST_TIDY(c8_farms_in_a_row_lose_nothing)
{
	stage[0] = (struct co_stage){ .fn = count };
	stage[1] = (struct co_stage){ .fn = farm_out, .on = computes() };
	stage[2] = (struct co_stage){ .fn = farm_out, .on = computes() };
	stage[3] = (struct co_stage){ .fn = tick_off };
	CHECK_EQ(run(4), 0);
	CHECK_EQ(sum_of(by, MOST), 2 * ITEMS);
	for (unsigned i = 0; i < ITEMS; i++)
		CHECK_EQ(co_atomic_load(&seen[i], CO_RELAXED), 1);
}

/* A part of what worker 0 gives: plain words, which are there when the item goes on. */
static unsigned part[ITEMS][MOST];

static int do_parts(struct co_worker *me, void *arg)
{
	unsigned rank = co_worker_rank(me), k = 0;
	struct test_random random = test_random(rank);
	uintptr_t item;
	int r = 0;

	CHECK_EQ(co_worker_ranks(me), stage[1].on.n);
	while (r == 0) {
		r = co_worker_take(me, &item);
		if (r)
			break;
		CHECK_EQ(item, ++k);
		test_pause(&random);
		part[item - 1][rank] = (unsigned)item * 1000 + rank;
		/* Who does not give has done it when it takes the next. */
		if (rank == 0 || rank % 3)
			r = co_worker_give(me, item);
	}
	if (!arg)
		CHECK_EQ(k, ITEMS);
	return r;
}

static int check_parts(struct co_worker *me, void *arg)
{
	unsigned ranks = (unsigned)(uintptr_t)arg;
	uintptr_t item;
	int r;

	while ((r = co_worker_take(me, &item)) == 0) {
		wrong += item != ++came;
		for (unsigned i = 0; i < ranks; i++)
			wrong += part[item - 1][i] != (unsigned)item * 1000 + i;
	}
	return r;
}

static void map_on(struct co_scope on, enum co_team_form form, void *slowly)
{
	memset(part, 0, sizeof(part));
	stage[0] = (struct co_stage){ .fn = count, .arg = slowly };
	stage[1] = (struct co_stage){ .fn = do_parts, .on = on, .map = true, .form = form };
	stage[2] = (struct co_stage){ .fn = check_parts, .arg = (void *)(uintptr_t)on.n };
	CHECK_EQ(run(3), 0);
	CHECK_EQ(came, ITEMS);
	CHECK_EQ(wrong, 0);
}

TEST_TIDY(c8_map_passes_an_item_on_when_all_have_done_their_parts)
{
	struct co_scope all = computes();

	map_on(all, CO_TEAM_TREE, NULL);
	map_on(all, CO_TEAM_LINEAR, NULL);
	for (unsigned n = 1; n <= all.n && n < 10; n++)
		map_on((struct co_scope){ all.harts, n }, CO_TEAM_TREE, NULL);
}

/* What has been done goes on although nothing new comes. */
static int give_and_wait(struct co_worker *me, void *arg)
{
	int r = 0;

	for (unsigned i = 1; i <= ITEMS && r == 0; i++) {
		r = co_worker_give(me, i);
		if (r == 0 && !test_await(&seen[i - 1], 1))
			return -ETIME;
	}
	return r;
}

TEST_TIDY(c8_map_does_not_hold_back_the_last_item)
{
	stage[0] = (struct co_stage){ .fn = give_and_wait };
	stage[1] = (struct co_stage){ .fn = do_parts, .on = computes(), .map = true };
	stage[2] = (struct co_stage){ .fn = tick_off };
	CHECK_EQ(run(3), 0);
	map_on(computes(), CO_TEAM_AUTO, "slowly");
}

TEST_TIDY(c8_maps_farms_and_stages_in_one_pipeline)
{
	stage[0] = (struct co_stage){ .fn = count };
	stage[1] = (struct co_stage){ .fn = do_parts, .on = computes(), .map = true };
	stage[2] = (struct co_stage){ .fn = do_parts, .on = computes(), .map = true };
	stage[3] = (struct co_stage){ .fn = farm_out, .on = computes() };
	stage[4] = (struct co_stage){ .fn = tick_off };
	CHECK_EQ(run(5), 0);
	CHECK_EQ(sum_of(seen, ITEMS), ITEMS);
}

/* ---- Ends ---- */

/* Worker `arg` of a stage ends at its fifth item: with an error, or as if it were done. */
struct leaver {
	unsigned rank;
	int with;
	bool faults;
};

static int leave_early(struct co_worker *me, void *arg)
{
	const struct leaver *l = arg;
	uintptr_t item;
	int r = 0;

	for (unsigned k = 0; r == 0; k++) {
		r = co_worker_take(me, &item);
		if (r == 0 && k == 5 && co_worker_rank(me) == l->rank) {
			if (l->faults)
				co_panic("on purpose");
			return l->with;
		}
		if (r == 0)
			r = co_worker_give(me, item);
	}
	return r;
}

static void leave(unsigned rank, int with, bool faults, bool map, int want)
{
	struct leaver l = { rank, with, faults };

	stage[0] = (struct co_stage){ .fn = count };
	stage[1] = (struct co_stage){ .fn = leave_early, .arg = &l, .on = computes(), .map = map };
	stage[2] = (struct co_stage){ .fn = tick_off };
	CHECK_EQ(run(3), want);
}

TEST_TIDY(a_worker_that_fails_ends_the_pipeline)
{
	unsigned last = test_computes() - 1;

	leave(0, -EDOM, false, true, -EDOM);
	leave(last, -EDOM, false, true, -EDOM);
	/* Which worker of a farm gets five is open: of one, that one. */
	if (last == 0)
		leave(0, -EDOM, false, false, -EDOM);
}

TEST_TIDY_FAULTY(a_fault_of_a_worker_ends_the_pipeline)
{
	leave(0, 0, true, true, -EFAULT);
	leave(test_computes() - 1, 0, true, true, -EFAULT);
}

TEST_TIDY(a_stage_that_ends_early_ends_those_before_it)
{
	leave(0, 0, false, true, 0);
	CHECK_EQ(sum_of(seen, ITEMS), 5);
	leave(0, -EPIPE, false, true, 0);
	CHECK_EQ(sum_of(seen, ITEMS), 5);
	/* Another worker of a map has no more part in it. */
	if (test_computes() > 1) {
		leave(1, 0, false, true, 0);
		CHECK_EQ(sum_of(seen, ITEMS), ITEMS);
		leave(1, -EPIPE, false, true, 0);
		CHECK_EQ(sum_of(seen, ITEMS), ITEMS);
	}
}

static int wait_for_ever(struct co_worker *me, void *arg)
{
	return co_sleep_until(CO_FOREVER);
}

BODY(run_stages, run((unsigned)(uintptr_t)arg))

TEST_TIDY(a_pipeline_that_is_cancelled_ends_all_its_workers)
{
	struct co *c;

	stage[0] = (struct co_stage){ .fn = wait_for_ever };
	stage[1] = (struct co_stage){ .fn = do_parts, .arg = "few", .on = computes(), .map = true };
	stage[2] = (struct co_stage){ .fn = farm_out, .on = computes() };
	c = test_spawn_on(0, run_stages, (void *)3);
	test_sleep_us(2000);
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
}

TEST_TIDY(what_makes_no_pipeline_is_refused)
{
	static const unsigned nowhere[] = { 100000 };

	CHECK_EQ(run(0), -EINVAL);
	stage[0] = (struct co_stage){ 0 };
	CHECK_EQ(run(1), -EINVAL);
	stage[0] = (struct co_stage){ .fn = count, .on = { nowhere, 1 } };
	CHECK_EQ(run(1), -EINVAL);
	stage[0] = (struct co_stage){ .fn = count, .on = computes(), .map = true };
	CHECK_EQ(run(1), -EINVAL);
	stage[0] = (struct co_stage){ .fn = count };
	stage[1] = (struct co_stage){ .fn = do_parts, .map = true };
	CHECK_EQ(run(2), -EINVAL);
}
