/*
 * test_tile_ends.c - loops over tiles that cannot be are refused; and how others end: by errors and
 * faults, cancelled, in time or not, and where scratchpads have no room. Nothing is left behind.
 *
 * Topologies: 2x(1+3) 1x(1+3+1)
 */
#include <limits.h>

#include "../runtime/dma/dma.h"
#include "harness/test.h"

#define ROWS 192 /* more than there are members: none is in all of them at a time */
#define WIDE 32
#define N 16 /* of a cube, in the same memory */

static int32_t in[ROWS][WIDE], out[ROWS][WIDE];
static struct co_tiles loop;
static struct co_a32 entered, released;

static int copies(void *arg, struct co_block *b)
{
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y),
		       (size_t)b->n[loop.dims - 1] * 4);
	return 0;
}

static int waits(void *arg, struct co_block *b)
{
	co_atomic_add(&entered, 1, CO_RELEASE);        /* paired with test_await() */
	while (!co_atomic_load(&released, CO_RELAXED)) /* in TSan acquires starve stores */
		co_pause();
	(void)co_atomic_load(&released, CO_ACQUIRE); /* paired with the case's release */
	return copies(arg, b);
}

static int waits_for_its_end(void *arg, struct co_block *b)
{
	co_atomic_add(&entered, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&loop.loop.stop, CO_RELAXED))
		co_pause();
	return copies(arg, b);
}

static void set_up_of(unsigned dims, long slow, long middle, long fast, co_tile_fn *body)
{
	const struct co_tiled array = { .size = 4, .extent = { slow, middle, fast } };

	for (long i = 0; i < ROWS * WIDE; i++)
		in[i / WIDE][i % WIDE] = (int32_t)(i * 7 + 3);
	memset(out, 0xee, sizeof(out));
	co_atomic_store(&entered, 0, CO_RELAXED);
	co_atomic_store(&released, 0, CO_RELAXED);
	loop = (struct co_tiles){ .body = body,
				  .dims = dims,
				  .range = { { 0, slow }, { 0, middle }, { 0, fast } },
				  .arrays = 2,
				  .array = { array, array } };
	loop.array[0].at = in;
	loop.array[1].at = out;
	loop.array[1].access = CO_TILE_OUT;
}

static void set_up(co_tile_fn *body)
{
	set_up_of(2, ROWS, WIDE, 0, body);
	loop.tile[0] = 6;
	loop.tile[1] = 10;
}

/* A row each block. */
static void set_up_rows(co_tile_fn *body)
{
	set_up(body);
	loop.tile[0] = 1;
	loop.tile[1] = WIDE;
}

/* Three dimensions, layers of one row. */
static void set_up_cube(void)
{
	set_up_of(3, N, N, N, copies);
	loop.tile[0] = loop.tile[1] = 1;
	loop.tile[2] = N;
}

static void set_up_halo(void)
{
	set_up_of(3, N, N, N, copies);
	for (unsigned d = 0; d < 3; d++)
		loop.array[0].before[d] = loop.array[0].after[d] = 1;
}

/* One compute hart does it. */
static unsigned set_one_hart(void)
{
	static unsigned only[1];

	only[0] = test_compute(0);
	loop.scope = (struct co_scope){ only, 1 };
	return only[0];
}

static bool copied(void)
{
	return memcmp(in, out, sizeof(in)) == 0;
}

static unsigned rows_copied(void)
{
	unsigned rows = 0;

	for (unsigned y = 0; y < ROWS; y++)
		rows += memcmp(in[y], out[y], sizeof(in[y])) == 0;
	return rows;
}

BODY(runs, co_tiles_run(&loop))

/* ---- Refused ---- */

static void check_refused(int line)
{
	int r = co_tiles_start(&loop);

	if (!CHECK_EQ(r, -EINVAL))
		printf("# refused in line %d\n", line);
}

#define REFUSED(change)                  \
	do {                             \
		set_up(copies);          \
		change;                  \
		check_refused(__LINE__); \
	} while (0)
#define REFUSED_CUBE(change)             \
	do {                             \
		set_up_cube();           \
		change;                  \
		check_refused(__LINE__); \
	} while (0)

TEST(what_makes_no_sense_is_refused)
{
	static const unsigned nobody[] = { 100000 };
	size_t before = test_spm_used();

	REFUSED(loop.body = NULL);
	REFUSED(loop.dims = 0);
	REFUSED(loop.dims = 4);
	REFUSED(loop.arrays = CO_TILE_ARRAYS + 1);
	REFUSED(loop.tile[0] = -1);
	REFUSED(loop.range[0].step = 2);
	REFUSED(loop.schedule = CO_OWNER);
	REFUSED(loop.scope.n = 1);
	REFUSED((loop.scope.harts = nobody, loop.scope.n = 1));
	REFUSED(loop.array[0].at = NULL);
	REFUSED(loop.array[0].size = 0);
	REFUSED(loop.array[0].extent[1] = WIDE - 1);     /* the range leaves it */
	REFUSED(loop.array[0].shift[0] = -1);            /* the same */
	REFUSED(loop.array[0].stride[0] = WIDE * 4 - 1); /* rows overlap */
	REFUSED(loop.array[1].before[0] = 1);            /* a halo of what is written */
	REFUSED(loop.array[0].before[0] = ROWS + 1);
	REFUSED(loop.array[1].extent[1] = 1); /* all would write one column */
	REFUSED((loop.array[0].at = out, loop.array[0].after[1] = 1));
	REFUSED((loop.array[0].at = out, loop.array[0].access = CO_TILE_OUT));
	REFUSED((loop.array[0].at = out, loop.array[0].size = 2));
	REFUSED((loop.array[0].at = out, loop.array[0].extent[0] = 1,
		 loop.array[0].stride[0] = (size_t)WIDE * 4)); /* one row, for all of them */
	REFUSED(loop.array[0].at = (char *)out + 4);           /* others' elements */
	REFUSED((loop.array[0] = loop.array[1], loop.array[1].access = CO_TILE_IN,
		 loop.array[1].before[0] = 1)); /* what is written stands first */
	REFUSED(loop.array[0].shift[1] = LONG_MAX);
	REFUSED((loop.range[1].upper = LONG_MAX, loop.array[1].shift[1] = 1));
	/* Numbers beyond their range. */
	REFUSED_CUBE(loop.schedule = 99);
	REFUSED_CUBE(loop.range[1].step = -1);
	REFUSED_CUBE(loop.arg_bytes = SIZE_MAX);
	REFUSED_CUBE((loop.range[0].lower = LONG_MIN, loop.range[0].upper = LONG_MAX));
	REFUSED_CUBE(loop.array[0].access = 99);
	REFUSED_CUBE(loop.array[0].extent[0] = -1);
	REFUSED_CUBE(loop.array[0].after[0] = N + 1);
	REFUSED_CUBE((loop.range[0].lower = LONG_MIN, loop.range[0].upper = LONG_MIN + N,
		      loop.array[0].shift[0] = -1));
	/* Arrays larger than memory. */
	REFUSED_CUBE(loop.array[0].size = SIZE_MAX / 2);
	REFUSED_CUBE(loop.array[0].extent[0] = LONG_MAX);
	REFUSED_CUBE(loop.array[0].extent[1] = LONG_MAX);
	REFUSED_CUBE(loop.array[0].stride[0] = SIZE_MAX / 2);
	REFUSED_CUBE((loop.array[0].extent[0] = 2, loop.range[0].upper = 2,
		      loop.array[0].stride[0] = SIZE_MAX));
	for (unsigned d = 0; d < 3; d++) {
		REFUSED_CUBE(loop.array[0].edge[d] = (enum co_tile_edge)(CO_EDGE_PERIODIC + 1));
		REFUSED_CUBE(loop.array[0].extent[d] = 0);
	}
	CHECK_EQ(test_spm_used(), before);
}

/* An array of one element in a dimension is the same all along it. */
TEST(what_is_the_same_along_a_dimension_is_read_alone)
{
	REFUSED_CUBE((loop.array[0].extent[0] = 1, loop.array[0].before[0] = 1));
	REFUSED_CUBE((loop.array[0].extent[0] = 1, loop.array[0].shift[0] = 1));
	REFUSED_CUBE((loop.array[0].extent[0] = 1, loop.array[0].access = CO_TILE_UPDATE));
	set_up_cube();
	loop.array[0].extent[0] = 1;
	CHECK_EQ(co_tiles_run(&loop), 0);
	for (int z = 0; z < N; z++)
		CHECK(memcmp(&out[0][0] + z * N * N, in, (size_t)N * N * 4) == 0);
}

/* Two arrays are the same elements only if all of their numbers are the same. */
TEST(what_is_written_may_be_read_at_the_same_index_alone)
{
	static const long far[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

	for (unsigned i = 0; i < 3; i++) {
		REFUSED_CUBE((loop.array[0].at = out, loop.range[i].upper = N - 1,
			      memcpy(loop.array[0].shift, far[i], sizeof(far[i]))));
	}
	REFUSED_CUBE((loop.array[0].at = out, loop.array[0].extent[0] = 1));
	set_up_cube();
	loop.array[0].at = out;
	CHECK_EQ(co_tiles_run(&loop), 0);
}

TEST_TIDY(memory_that_is_not_to_be_handed_out_is_refused)
{
	static const int32_t constant[ROWS][WIDE];

	set_up(copies);
	loop.array[0].at = (void *)(uintptr_t)16;
	CHECK_EQ(co_tiles_start(&loop), -EFAULT);
	set_up(copies);
	loop.array[1].at = (void *)(uintptr_t)constant;
	CHECK_EQ(co_tiles_start(&loop), -EFAULT);
}

static bool meet_by_hand(const struct co_row_set *a, const struct co_row_set *b)
{
	static unsigned char of_a[4000];
	bool both = false;

	memset(of_a, 0, sizeof(of_a));
	for (unsigned set = 0; set < 2; set++) {
		const struct co_row_set *s = set ? b : a;

		for (size_t i = 0; i < s->count[0] * s->count[1] * s->bytes; i++) {
			size_t row = i / s->bytes;
			size_t at = s->at + row / s->count[1] * s->stride[0] +
				    row % s->count[1] * s->stride[1] + i % s->bytes;

			REQUIRE(at < sizeof(of_a));
			both |= set && of_a[at];
			of_a[at] |= !set;
		}
	}
	return both;
}

TEST(rows_meet_that_have_a_byte_in_common)
{
	struct test_random r = test_random(3);
	unsigned met = 0;

	for (unsigned round = 0; round < 3000; round++) {
		struct co_row_set s[2];
		size_t gap[2] = { test_below(&r, 40), test_below(&r, 30) };

		for (unsigned i = 0; i < 2; i++)
			s[i] = (struct co_row_set){ .at = test_below(&r, 400),
						    .bytes = 1 + test_below(&r, 12),
						    .count = { 1 + test_below(&r, 5),
							       1 + test_below(&r, 6) } };
		s[0].stride[1] = (s[0].bytes > s[1].bytes ? s[0].bytes : s[1].bytes) + gap[1];
		s[0].stride[0] = s[0].stride[1] * (s[0].count[1] > s[1].count[1] ? s[0].count[1]
										 : s[1].count[1]) +
				 gap[0];
		memcpy(s[1].stride, s[0].stride, sizeof(s[0].stride));
		if (!CHECK_EQ(co_rows_meet(&s[0], &s[1]), meet_by_hand(&s[0], &s[1])))
			break;
		CHECK_EQ(co_rows_meet(&s[0], &s[1]), co_rows_meet(&s[1], &s[0]));
		met += co_rows_meet(&s[0], &s[1]);
	}
	CHECK(met > 300 && met < 2700);
}

/* Columns of one array; the next plane begins in the middle of where a row would. */
TEST(columns_whose_planes_meet_are_refused)
{
	static const size_t stride[2] = { 108, 32 };

	for (unsigned apart = 16; apart <= 80; apart += 64) {
		set_up_halo();
		memset(loop.array[0].before, 0, sizeof(loop.array[0].before));
		memset(loop.array[0].after, 0, sizeof(loop.array[0].after));
		loop.array[0].at = out;
		loop.array[1].at = (char *)out + apart;
		for (unsigned i = 0; i < 2; i++) {
			memcpy(loop.array[i].stride, stride, sizeof(stride));
			for (unsigned d = 0; d < 3; d++)
				loop.array[i].extent[d] = loop.range[d].upper = 3;
		}
		/* 80 bytes on, rows of a plane lie on those of the one after. */
		CHECK_EQ(co_tiles_run(&loop), apart == 16 ? 0 : -EINVAL);
	}
}

static int add_one(void *arg, struct co_block *b)
{
	for (long y = 0; y < b->n[0]; y++) {
		int32_t *to = co_tile_layer(b, 0, y);
		const int32_t *from = co_tile_layer(b, 1, y);

		for (long x = 0; x < b->n[1]; x++)
			to[x] = from[x] + 1;
	}
	return 0;
}

TEST(the_same_elements_are_written_and_read_in_either_order)
{
	set_up(add_one);
	loop.array[0] = loop.array[1];
	loop.array[1].access = CO_TILE_IN;
	memcpy(out, in, sizeof(out));
	REQUIRE_EQ(co_tiles_run(&loop), 0);
	for (long i = 0; i < ROWS * WIDE; i++) {
		if (!CHECK_EQ((&out[0][0])[i], (&in[0][0])[i] + 1))
			break;
	}
}

/* ---- At the limits ---- */

TEST(a_scratch_that_no_heap_has_is_refused)
{
	static const size_t bytes[] = { SIZE_MAX, SIZE_MAX - 40, SIZE_MAX / 2, SIZE_MAX / 4 };

	for (unsigned i = 0; i < 4; i++) {
		set_up_cube();
		loop.scratch_bytes = bytes[i];
		CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
		CHECK_EQ(loop.most[0], 0); /* not one element beside it */
	}
}

static int fails(void *arg, struct co_block *b)
{
	return b->from[2] == LONG_MAX ? 0 : -EDOM;
}

/* No arrays, for none is as large. */
static void set_up_space(const long *n, const long *tile)
{
	set_up_cube();
	loop.body = fails;
	loop.arrays = 0;
	for (unsigned d = 0; d < 3; d++) {
		loop.range[d].upper = n[d];
		loop.tile[d] = tile[d];
	}
}

TEST(more_blocks_than_can_be_counted_are_refused)
{
	static const long all[] = { LONG_MAX, LONG_MAX, LONG_MAX }, few[] = { 1, 1, LONG_MAX };
	static const long tiles[][3] = { { 1, 1, 1 }, { 0, 0, 1 }, { 0, 1, 1 }, { 1, 0, 1 } };

	for (unsigned i = 0; i < 4; i++) {
		set_up_space(all, tiles[i]);
		CHECK_EQ(co_tiles_start(&loop), -EINVAL);
	}
	for (unsigned s = 0; s < 4; s++) { /* as many as can be are begun */
		set_up_space(few, tiles[s]);
		loop.schedule = (enum co_schedule)s;
		CHECK_EQ(co_tiles_run(&loop), -EDOM);
		set_up_space(all, few);
		loop.tile[0] = loop.tile[1] = 0;
		loop.schedule = (enum co_schedule)s;
		CHECK_EQ(co_tiles_run(&loop), -EDOM);
	}
}

TEST(where_one_dimension_is_empty_nothing_is_done)
{
	for (unsigned d = 0; d < 3; d++) {
		for (unsigned s = 0; s < 4; s++) {
			set_up_cube();
			loop.body = fails;
			loop.schedule = (enum co_schedule)s;
			loop.range[d].lower = loop.range[d].upper = 3;
			CHECK_EQ(co_tiles_run(&loop), 0);
			loop.range[d].upper = 1;
			CHECK_EQ(co_tiles_run(&loop), 0);
		}
	}
}

TEST(a_group_may_do_the_loop)
{
	set_up(copies);
	loop.scope = co_scope_here(CO_GROUP, CO_ROLE_COMPUTE);
	CHECK_EQ(co_tiles_run(&loop), 0);
	CHECK(copied());
}

/* ---- Errors, faults and cancels ---- */

static int fail_at(void *arg, struct co_block *b)
{
	const long *where = arg;

	(void)copies(NULL, b);
	return b->from[0] <= where[0] && where[0] < b->to[0] && b->from[1] <= where[1] &&
			       where[1] < b->to[1]
		       ? -EDOM
		       : 0;
}

static int fault_at(void *arg, struct co_block *b)
{
	const long *where = arg;

	if (fail_at(arg, b))
		co_panic("row %ld is asked to", where[0]);
	return 0;
}

TEST_TIDY_FAULTY(an_error_or_a_fault_ends_the_loop_and_says_where)
{
	static long where[2] = { 77, 25 };

	for (unsigned s = 0; s < 12; s++) { /* faults with two buffers alone */
		set_up(s < 8 ? fail_at : fault_at);
		loop.arg = where;
		loop.schedule = (enum co_schedule)(s % 4); /* CO_STATIC to CO_GUIDED */
		loop.single = s / 4 == 1;
		CHECK_EQ(co_tiles_run(&loop), s < 8 ? -EDOM : -EFAULT);
		CHECK_EQ(loop.error, s < 8 ? -EDOM : -EFAULT);
		CHECK(loop.error_at[0] <= 77 && loop.error_at[0] > 77 - 6);
		CHECK_EQ(loop.error_at[1], 20);
		CHECK_EQ(out[77][25], (int32_t)0xeeeeeeee); /* not written back */
	}
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
	while (!co_atomic_load(&loop.loop.stop, CO_RELAXED))
		co_pause();
	return *others;
}

TEST_TIDY(of_several_errors_the_first_is_reported)
{
	static int others;

	for (unsigned i = 0; i < 4; i++) {
		others = i % 2 ? -EIO : 0; /* then they find the next block, and leave it */
		set_up_rows(fail_together);
		loop.arg = &others;
		loop.schedule = CO_CYCLIC;
		loop.single = i / 2;
		CHECK_EQ(co_tiles_run(&loop), -EDOM);
		CHECK_EQ(loop.error, -EDOM);
		CHECK_EQ(loop.error_at[0], 0);
		CHECK_EQ(co_atomic_load(&entered, CO_RELAXED),
			 test_computes() < ROWS ? test_computes() : ROWS);
		CHECK_EQ(out[0][0], (int32_t)0xeeeeeeee);
	}
}

TEST_TIDY(a_wait_that_takes_too_long_may_be_taken_up_again)
{
	set_up(waits);
	loop.name = "slow";
	REQUIRE_EQ(co_tiles_start(&loop), 0);
	CHECK(test_await(&entered, 1));
	CHECK_EQ(co_tiles_wait_until(&loop, co_after_us(200)), -ETIMEDOUT);
	CHECK_EQ(co_tiles_wait_until(&loop, 0), -ETIMEDOUT);
	co_atomic_store(&released, 1, CO_RELEASE);
	CHECK_EQ(co_tiles_wait(&loop), 0);
	CHECK(copied());
}

static intptr_t waits_for_it(void *arg)
{
	REQUIRE_EQ(co_tiles_start(&loop), 0);
	return co_tiles_wait(&loop);
}

TEST(a_waiter_who_is_cancelled_leaves_the_loop_as_it_is)
{
	struct co *c;

	set_up(waits);
	c = test_spawn_on(0, waits_for_it, NULL);
	CHECK(test_await(&entered, 1));
	test_cancel(c);
	co_atomic_store(&released, 1, CO_RELEASE);
	CHECK_EQ(co_tiles_wait(&loop), 0);
	CHECK(copied());
}

TEST_TIDY(who_runs_it_and_is_cancelled_cancels_the_loop)
{
	struct co *c;

	set_up_rows(waits_for_its_end);
	c = test_spawn_on(0, runs, NULL);
	CHECK(test_await(&entered, 1));
	test_cancel(c);
	CHECK_EQ(rows_copied(), co_atomic_load(&entered, CO_RELAXED)); /* what was begun */
	CHECK(rows_copied() < ROWS);
}

TEST_TIDY(a_cancel_ends_it_and_what_was_done_is_written)
{
	set_up(waits_for_its_end);
	loop.tile[1] = WIDE;
	(void)set_one_hart();
	REQUIRE_EQ(co_tiles_start(&loop), 0);
	CHECK(test_await(&entered, 1));
	co_tiles_cancel(&loop);
	CHECK_EQ(co_tiles_wait(&loop), -ECANCELED);
	CHECK_EQ(rows_copied(), 6);
}

TEST_TIDY(a_waiter_who_is_cancelled_while_another_cancels_the_loop_waits_for_its_end)
{
	struct co *c;

	set_up(waits);
	(void)set_one_hart();
	c = test_spawn_on(0, runs, NULL);
	CHECK(test_await(&entered, 1));
	co_tiles_cancel(&loop);
	co_cancel(c);
	CHECK_EQ(co_sleep_us(2000), 0);
	CHECK(loop.plan != NULL); /* a member is at work by it */
	co_atomic_store(&released, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), -ECANCELED);
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

TEST_TIDY(a_member_whose_heap_is_full_is_notified_at_once)
{
	unsigned last = test_compute(test_computes() - 1);
	long most[CO_TILE_DIMS] = { 77 };

	test_join(test_spawn_on(last, fill_heap, NULL));
	set_up_rows(copies);
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK_EQ(loop.most[0], last == co_hart() ? 1 : 0);
	test_join(test_spawn_on(last, clear_heap, NULL));
	CHECK_EQ(co_tiles_run(&loop), 0);
	CHECK(copied());
	/* The caller's own has no room for the plan: nothing is said of tiles. */
	fill_heap(NULL);
	set_up_rows(copies);
	CHECK_EQ(co_tiles_start(&loop), -ENOMEM);
	CHECK_EQ(loop.most[0], 1);
	CHECK_EQ(loop.most[1], WIDE);
	CHECK_EQ(co_tiles_fit(&loop, 8192, most), 0);
	clear_heap(NULL);
	CHECK_EQ(most[0], 77);
	loop.array[0].size = 0;
	CHECK_EQ(co_tiles_fit(&loop, 8192, most), 0);
	loop.dims = 0;
	CHECK_EQ(co_tiles_fit(&loop, 8192, most), 0);
	CHECK_EQ(most[0], 77);
}

TEST_TIDY(a_tile_that_does_not_fit_says_how_large_it_may_be)
{
	static int32_t wide[2][40000];
	size_t rows = co_spm_bytes() / (WIDE * 4);

	set_up(copies);
	loop.arrays = 1; /* the same row again and again */
	loop.array[0] = (struct co_tiled){ .at = wide, .size = 4, .extent = { 2, 40000 } };
	loop.range[0].upper = 2;
	loop.range[1].upper = 40000;
	loop.tile[0] = 2;
	loop.tile[1] = 40000;
	if (co_spm_bytes() < 2 * sizeof(wide)) {
		REQUIRE_EQ(co_tiles_run(&loop), -ENOMEM);
		CHECK_EQ(loop.most[0], 1);
		CHECK(loop.most[1] > 100 && loop.most[1] < 40000);
	}
	set_up(copies);
	loop.range[0].upper = loop.array[0].extent[0] = loop.array[1].extent[0] = (long)rows;
	loop.array[0].stride[0] = loop.array[1].stride[0] = WIDE * 4;
	if (rows > ROWS)
		loop.array[1].at = loop.array[0].at = calloc(rows, (size_t)WIDE * 4);
	REQUIRE(loop.array[0].at);
	loop.array[1].access = CO_TILE_IN;
	loop.tile[0] = (long)rows;
	loop.tile[1] = WIDE;
	REQUIRE_EQ(co_tiles_start(&loop), -ENOMEM);
	CHECK(loop.most[0] > 0 && (size_t)loop.most[0] < rows);
	CHECK_EQ(loop.most[1], WIDE);
	if (loop.array[0].at != (void *)in)
		free(loop.array[0].at);
}

TEST(what_is_said_to_fit_fits_and_no_more)
{
	size_t room = 8192, bytes;
	long most[3], more[3];

	set_up_halo();
	for (; room > 2048; room -= 512) {
		bytes = co_tiles_fit(&loop, room, most);
		if (!bytes)
			break;
		CHECK(bytes <= room);
		for (unsigned d = 0; d < 3; d++)
			loop.tile[d] = most[d];
		if (loop.tile[0] < N) {
			loop.tile[0]++;
			REQUIRE(co_tiles_fit(&loop, room, more) > 0);
			CHECK_EQ(more[0], most[0]);
		}
		set_up_halo();
	}
	CHECK(room < 8192);
	CHECK_EQ(co_tiles_fit(&loop, 100, most), 0);
}

static void *in_the_middle;

/* Leave this hart's heap in two halves. */
static intptr_t split_heap(void *arg)
{
	void *half = co_spm_alloc(co_spm_largest() / 2, 16);

	in_the_middle = co_spm_alloc(16, 16);
	co_spm_free(half);
	return half && in_the_middle ? 0 : -ENOMEM;
}

static intptr_t join_heap(void *arg)
{
	co_spm_free(in_the_middle);
	return (intptr_t)arg;
}

TEST_TIDY(a_heap_in_pieces_is_reported_with_what_fits_in_one)
{
	unsigned hart;

	set_up(copies);
	hart = set_one_hart();
	loop.scratch_bytes = co_spm_bytes(); /* to be just too much for a half */
	while (!co_tiles_fit(&loop, co_spm_bytes(), loop.most) || co_tiles_run(&loop) == -ENOMEM)
		loop.scratch_bytes -= 512;
	CHECK(copied());
	REQUIRE_EQ(test_join(test_spawn_on(hart, split_heap, NULL)), 0);
	loop.scratch_bytes -= 512; /* what is in the middle is no reason */
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK_EQ(loop.most[0], 0); /* not one element beside so large a scratch */
	loop.scratch_bytes = 0;
	test_join(test_spawn_on(hart, join_heap, NULL));
}

/* The loop's description is in the caller's heap, which may be a member's. */
TEST(a_member_may_begin_a_loop_that_takes_whole_heaps)
{
	enum { LAYERS = 65536 };
	size_t bytes = (size_t)LAYERS * N * 4;
	unsigned char *from = malloc(bytes), *to = malloc(bytes);

	if (!from || !to || co_spm_bytes() > bytes / test_computes() / 2) {
		free(from);
		free(to);
		SKIP("there is not as much memory as heaps want");
	}
	for (size_t i = 0; i < bytes; i++)
		from[i] = (unsigned char)(i * 7 + i / 251);
	set_up_of(2, LAYERS, N, 0, copies);
	loop.schedule = CO_DYNAMIC;
	loop.array[0].at = from;
	loop.array[1].at = to;
	CHECK_EQ(test_join(test_spawn_on(test_compute(0), runs, NULL)), 0);
	CHECK(memcmp(from, to, bytes) == 0);
	free(from);
	free(to);
}
