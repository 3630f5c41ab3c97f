/*
 * test_tile_ends.c - how loops over tiles end: in time or not, cancelled, by the errors of several
 * members, and where scratchpads have no room; and what is said then.
 *
 * Topologies: 1x(1+3+1)
 */
#include <string.h>

#include "harness/test.h"

#define ROWS 192 /* more than there are members: none is in all of them at a time */
#define WIDE 32

static int32_t in[ROWS][WIDE], out[ROWS][WIDE];
static struct co_tiles loop;
static struct co_a32 entered, released;

static int copy_tile(struct co_block *b)
{
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y), (size_t)b->n[1] * 4);
	return 0;
}

static int copies(void *arg, struct co_block *b)
{
	(void)arg;
	return copy_tile(b);
}

static int waits(void *arg, struct co_block *b)
{
	(void)arg;
	co_atomic_add(&entered, 1, CO_RELEASE); /* paired with test_await() */
	/* Relaxed until it is: ThreadSanitizer lets no store through between loads that acquire. */
	while (!co_atomic_load(&released, CO_RELAXED))
		co_yield();
	(void)co_atomic_load(&released, CO_ACQUIRE); /* paired with the case's release */
	return copy_tile(b);
}

static void set_up(co_tile_fn *body)
{
	for (long i = 0; i < ROWS * WIDE; i++)
		(&in[0][0])[i] = (int32_t)(i * 7 + 3);
	memset(out, 0xee, sizeof(out));
	co_atomic_store(&entered, 0, CO_RELAXED);
	co_atomic_store(&released, 0, CO_RELAXED);
	loop = (struct co_tiles){
		.body = body,
		.dims = 2,
		.range = { { 0, ROWS, 1 }, { 0, WIDE, 1 } },
		.tile = { 1, WIDE },
		.arrays = 2,
		.array = { { .at = in, .size = 4, .extent = { ROWS, WIDE } },
			   { .at = out,
			     .size = 4,
			     .extent = { ROWS, WIDE },
			     .access = CO_TILE_OUT } },
	};
}

static bool done(void)
{
	return memcmp(in, out, sizeof(in)) == 0;
}

TEST(a_wait_that_takes_too_long_may_be_taken_up_again)
{
	size_t before = test_spm_used();

	set_up(waits);
	loop.name = "slow";
	REQUIRE_EQ(co_tiles_start(&loop), 0);
	CHECK(test_await(&entered, 1));
	CHECK_EQ(co_tiles_wait_until(&loop, co_after_us(200)), -ETIMEDOUT);
	CHECK_EQ(co_tiles_wait_until(&loop, 0), -ETIMEDOUT);
	co_atomic_store(&released, 1, CO_RELEASE);
	CHECK_EQ(co_tiles_wait(&loop), 0);
	CHECK(done());
	CHECK_EQ(test_spm_used(), before);
}

static intptr_t waits_for_it(void *arg)
{
	(void)arg;
	REQUIRE_EQ(co_tiles_start(&loop), 0);
	return co_tiles_wait(&loop);
}

TEST(a_waiter_who_is_cancelled_leaves_the_loop_as_it_is)
{
	struct co *c;

	set_up(waits);
	c = test_spawn_on(0, waits_for_it, NULL);
	CHECK(test_await(&entered, 1));
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
	co_atomic_store(&released, 1, CO_RELEASE);
	CHECK_EQ(co_tiles_wait(&loop), 0);
	CHECK(done());
}

static int waits_for_its_end(void *arg, struct co_block *b)
{
	(void)arg;
	co_atomic_add(&entered, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&loop.stop, CO_RELAXED))
		co_yield();
	return copy_tile(b);
}

static intptr_t runs(void *arg)
{
	(void)arg;
	return co_tiles_run(&loop);
}

TEST(who_runs_it_and_is_cancelled_cancels_the_loop)
{
	size_t before = test_spm_used();
	unsigned rows = 0;
	struct co *c;

	set_up(waits_for_its_end);
	c = test_spawn_on(0, runs, NULL);
	CHECK(test_await(&entered, 1));
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
	for (unsigned y = 0; y < ROWS; y++)
		rows += memcmp(in[y], out[y], sizeof(in[y])) == 0;
	CHECK_EQ(rows, co_atomic_load(&entered, CO_RELAXED)); /* what was begun, and no more */
	CHECK(rows < ROWS);
	CHECK_EQ(test_spm_used(), before);
}

/* All members are in a block; then the first fails, and the others when they see it. */
static int fail_together(void *arg, struct co_block *b)
{
	const int *others = arg;

	co_atomic_add(&entered, 1, CO_RELEASE);
	if (b->from[0] == 0) {
		if (!test_await(&entered, b->members))
			return -ETIMEDOUT;
		return -EDOM;
	}
	while (!co_atomic_load(&loop.stop, CO_RELAXED))
		co_yield();
	return *others;
}

TEST(of_several_errors_the_first_is_told)
{
	static int others;
	size_t before = test_spm_used();

	for (unsigned i = 0; i < 4; i++) {
		others = i % 2 ? -EIO : 0; /* then they find the next block, and leave it */
		set_up(fail_together);
		loop.arg = &others;
		loop.schedule = CO_CYCLIC;
		loop.single = i / 2;
		CHECK_EQ(co_tiles_run(&loop), -EDOM);
		CHECK_EQ(loop.error, -EDOM);
		CHECK_EQ(loop.error_at[0], 0);
		CHECK_EQ(co_atomic_load(&entered, CO_RELAXED),
			 test_computes() < ROWS ? test_computes() : ROWS);
		CHECK_EQ(out[0][0], (int32_t)0xeeeeeeee);
		CHECK_EQ(test_spm_used(), before);
	}
}

/* ---- Without room ---- */

static void **taken[512]; /* by hart: a list */

/* All of this hart's heap but some crumbs. */
static intptr_t fill_heap(void *arg)
{
	size_t piece = 4096;

	while (piece >= 64) {
		void **p = co_spm_alloc(piece, 16);

		if (!p) {
			piece /= 2;
			continue;
		}
		*p = taken[co_hart()];
		taken[co_hart()] = p;
	}
	return (intptr_t)arg;
}

static intptr_t clear_heap(void *arg)
{
	void **p = taken[co_hart()];

	taken[co_hart()] = NULL;
	while (p) {
		void **next = *p;

		co_spm_free(p);
		p = next;
	}
	return (intptr_t)arg;
}

TEST(a_member_whose_heap_is_full_is_told_at_once)
{
	unsigned last = test_compute(test_computes() - 1);
	size_t before = test_spm_used();
	long most[CO_TILE_DIMS] = { 77 };

	test_join(test_spawn_on(last, fill_heap, NULL));
	set_up(copies);
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK_EQ(loop.most[0], last == co_hart() ? 1 : 0);
	test_join(test_spawn_on(last, clear_heap, NULL));
	CHECK_EQ(test_spm_used(), before);
	CHECK_EQ(co_tiles_run(&loop), 0);
	CHECK(done());
	/* The caller's own has no room for the plan: nothing is said of tiles. */
	fill_heap(NULL);
	set_up(copies);
	CHECK_EQ(co_tiles_start(&loop), -ENOMEM);
	CHECK_EQ(loop.most[0], 1);
	CHECK_EQ(loop.most[1], WIDE);
	CHECK_EQ(co_tiles_fit(&loop, 8192, most), 0);
	clear_heap(NULL);
	CHECK_EQ(most[0], 77);
	CHECK_EQ(test_spm_used(), before);
	loop.array[0].size = 0;
	CHECK_EQ(co_tiles_fit(&loop, 8192, most), 0);
	loop.dims = 0;
	CHECK_EQ(co_tiles_fit(&loop, 8192, most), 0);
	CHECK_EQ(most[0], 77);
}
