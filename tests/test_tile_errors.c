/*
 * test_tile_errors.c - tiles that cannot be are refused, and what goes wrong leaves nothing behind.
 *
 * Topologies: 2x(1+3) 1x(1+3+1)
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../runtime/data/rows.h"
#include "harness/test.h"

#define NZ 11
#define NY 13
#define NX 29

static int32_t in[NZ][NY][NX], out[NZ][NY][NX];
static struct co_tiles loop;

static void fill(void)
{
	for (long i = 0; i < NZ * NY * NX; i++)
		(&in[0][0][0])[i] = (int32_t)(i * 7 + 3);
	memset(out, 0xee, sizeof(out));
}

static int copy_tile(void *arg, struct co_block *b)
{
	(void)arg;
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y), (size_t)b->n[1] * 4);
	return 0;
}

static int nothing(void *arg, struct co_block *b)
{
	(void)arg;
	(void)b;
	return 0;
}

static int fail_at(void *arg, struct co_block *b)
{
	const long *where = arg;

	(void)copy_tile(NULL, b);
	return b->from[0] <= where[0] && where[0] < b->to[0] && b->from[1] <= where[1] &&
			       where[1] < b->to[1]
		       ? -EDOM
		       : 0;
}

static void set_up_copy(co_tile_fn *body, void *arg)
{
	loop = (struct co_tiles){
		.body = body,
		.arg = arg,
		.dims = 2,
		.range = { { 0, NZ * NY }, { 0, NX } },
		.tile = { 6, 10 },
		.arrays = 2,
		.array = { { .at = in, .size = 4, .extent = { NZ * NY, NX } },
			   { .at = out,
			     .size = 4,
			     .extent = { NZ * NY, NX },
			     .access = CO_TILE_OUT } },
	};
}

/* Three dimensions, and a halo on all sides. */
static void set_up_halo(void)
{
	loop = (struct co_tiles){
		.body = copy_tile,
		.dims = 3,
		.range = { { 0, NZ }, { 0, NY }, { 0, NX } },
		.arrays = 2,
		.array = { { .at = in,
			     .size = 4,
			     .extent = { NZ, NY, NX },
			     .before = { 1, 1, 1 },
			     .after = { 1, 1, 1 } },
			   { .at = out,
			     .size = 4,
			     .extent = { NZ, NY, NX },
			     .access = CO_TILE_OUT } },
	};
}

TEST(an_error_ends_the_loop_and_says_where)
{
	static long where[2] = { 77, 25 };
	size_t before = test_spm_used();

	for (unsigned s = 0; s < 8; s++) {
		fill();
		set_up_copy(fail_at, where);
		loop.schedule = (enum co_schedule)(s / 2); /* CO_STATIC to CO_GUIDED */
		loop.single = s % 2;
		CHECK_EQ(co_tiles_run(&loop), -EDOM);
		CHECK_EQ(loop.error, -EDOM);
		CHECK(loop.error_at[0] <= 77 && loop.error_at[0] > 77 - 6);
		CHECK_EQ(loop.error_at[1], 20);
		CHECK_EQ(out[77 / NY][77 % NY][25], (int32_t)0xeeeeeeee); /* not written back */
	}
	CHECK_EQ(test_spm_used(), before);
}

static int fault_at(void *arg, struct co_block *b)
{
	const long *where = arg;

	if (fail_at(arg, b))
		co_panic("row %ld is asked to", where[0]);
	return 0;
}

TEST(a_fault_of_the_body_ends_the_loop_and_says_where)
{
	static long where[2] = { 77, 25 };
	size_t before = test_spm_used();

	for (unsigned s = 0; s < 4; s++) {
		fill();
		set_up_copy(fault_at, where);
		loop.schedule = (enum co_schedule)s;
		CHECK_EQ(co_tiles_run(&loop), -EFAULT);
		CHECK(loop.error_at[0] <= 77 && loop.error_at[0] > 77 - 6);
		CHECK_EQ(loop.error_at[1], 20);
		CHECK_EQ(test_spm_used(), before);
	}
}

TEST(memory_that_is_not_to_be_handed_out_is_refused)
{
	static const int32_t constant[NZ * NY][NX];
	size_t before = test_spm_used();

	set_up_copy(copy_tile, NULL);
	loop.array[0].at = (void *)(uintptr_t)16;
	CHECK_EQ(co_tiles_start(&loop), -EFAULT);
	set_up_copy(copy_tile, NULL);
	loop.array[1].at = (void *)(uintptr_t)constant;
	CHECK_EQ(co_tiles_start(&loop), -EFAULT);
	CHECK_EQ(test_spm_used(), before);
}

TEST(a_tile_that_does_not_fit_says_how_large_it_may_be)
{
	static int32_t wide[2][40000];
	size_t before = test_spm_used();
	size_t rows = co_spm_bytes() / (NX * 4);

	set_up_copy(copy_tile, NULL);
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
		CHECK_EQ(test_spm_used(), before);
	}
	fill();
	set_up_copy(copy_tile, NULL);
	loop.range[0].upper = loop.array[0].extent[0] = loop.array[1].extent[0] = (long)rows;
	loop.array[0].stride[0] = loop.array[1].stride[0] = NX * 4;
	if (rows * NX > NZ * NY * NX)
		loop.array[1].at = loop.array[0].at = calloc(rows, (size_t)NX * 4);
	REQUIRE(loop.array[0].at);
	loop.array[1].access = CO_TILE_IN;
	loop.tile[0] = (long)rows;
	loop.tile[1] = NX;
	REQUIRE_EQ(co_tiles_start(&loop), -ENOMEM);
	CHECK(loop.most[0] > 0 && (size_t)loop.most[0] < rows);
	CHECK_EQ(loop.most[1], NX);
	if (loop.array[0].at != (void *)in)
		free(loop.array[0].at);
	CHECK_EQ(test_spm_used(), before);
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
		if (loop.tile[0] < NZ) {
			loop.tile[0]++;
			REQUIRE(co_tiles_fit(&loop, room, more) > 0);
			CHECK_EQ(more[0], most[0]);
		}
		set_up_halo();
	}
	CHECK(room < 8192);
	CHECK_EQ(co_tiles_fit(&loop, 100, most), 0);
}

TEST(what_makes_no_sense_is_refused)
{
	size_t before = test_spm_used();

#define REFUSED(change)                                   \
	do {                                              \
		set_up_copy(copy_tile, NULL);             \
		change;                                   \
		CHECK_EQ(co_tiles_start(&loop), -EINVAL); \
	} while (0)
	REFUSED(loop.body = NULL);
	REFUSED(loop.dims = 0);
	REFUSED(loop.dims = 4);
	REFUSED(loop.arrays = CO_TILE_ARRAYS + 1);
	REFUSED(loop.tile[0] = -1);
	REFUSED(loop.range[0].step = 2);
	REFUSED(loop.schedule = CO_OWNER);
	REFUSED(loop.scope = CO_SCOPE_LIST);
	REFUSED(loop.array[0].at = NULL);
	REFUSED(loop.array[0].size = 0);
	REFUSED(loop.array[0].extent[1] = NX - 1);     /* the range leaves it */
	REFUSED(loop.array[0].shift[0] = -1);          /* the same */
	REFUSED(loop.array[0].stride[0] = NX * 4 - 1); /* rows overlap */
	REFUSED(loop.array[1].before[0] = 1);          /* a halo of what is written */
	REFUSED(loop.array[0].before[0] = NZ * NY + 1);
	REFUSED(loop.array[1].extent[1] = 1); /* all would write one column */
	REFUSED((loop.array[0].at = out, loop.array[0].after[1] = 1));
	REFUSED((loop.array[0].at = out, loop.array[0].access = CO_TILE_OUT));
	REFUSED((loop.array[0].at = out, loop.array[0].size = 2));
	REFUSED((loop.array[0].at = out, loop.array[0].extent[0] = 1,
		 loop.array[0].stride[0] = (size_t)NX * 4)); /* one row, for all of them */
	REFUSED(loop.array[0].at = (char *)out + 4);         /* others' elements */
	REFUSED((loop.array[0] = loop.array[1], loop.array[1].access = CO_TILE_IN,
		 loop.array[1].before[0] = 1)); /* what is written stands first */
	REFUSED(loop.array[0].shift[1] = LONG_MAX);
	REFUSED((loop.range[1].upper = LONG_MAX, loop.array[1].shift[1] = 1));
#undef REFUSED
	CHECK_EQ(test_spm_used(), before);
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

TEST(in_no_dimension_is_there_another_edge_or_less_than_an_element)
{
	size_t before = test_spm_used();

	for (unsigned d = 0; d < 3; d++) {
		set_up_halo();
		loop.array[0].edge[d] = (enum co_tile_edge)(CO_EDGE_PERIODIC + 1);
		CHECK_EQ(co_tiles_start(&loop), -EINVAL);
		set_up_halo();
		loop.array[0].extent[d] = 0;
		CHECK_EQ(co_tiles_start(&loop), -EINVAL);
	}
	CHECK_EQ(test_spm_used(), before);
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
		loop.body = nothing;
		/* 80 bytes on, rows of a plane lie on those of the one after. */
		CHECK_EQ(co_tiles_run(&loop), apart == 16 ? 0 : -EINVAL);
	}
}

static int add_one(void *arg, struct co_block *b)
{
	(void)arg;
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
	fill();
	set_up_copy(add_one, NULL);
	loop.array[0] = loop.array[1];
	loop.array[1].access = CO_TILE_IN;
	memcpy(out, in, sizeof(out));
	REQUIRE_EQ(co_tiles_run(&loop), 0);
	for (long i = 0; i < NZ * NY * NX; i++) {
		if (!CHECK_EQ((&out[0][0][0])[i], (&in[0][0][0])[i] + 1))
			break;
	}
}

TEST(an_empty_range_is_no_error)
{
	set_up_copy(copy_tile, NULL);
	loop.range[1].upper = 0;
	CHECK_EQ(co_tiles_run(&loop), 0);
}

static int wait_for_cancel(void *arg, struct co_block *b)
{
	struct co_a32 *begun = arg;

	co_atomic_add(begun, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&loop.stop, CO_RELAXED))
		co_yield();
	return copy_tile(NULL, b);
}

TEST(a_cancel_ends_it_and_what_was_done_is_written)
{
	static struct co_a32 begun;
	static unsigned only[1];
	size_t before = test_spm_used();
	unsigned rows = 0;

	fill();
	co_atomic_store(&begun, 0, CO_RELAXED);
	set_up_copy(wait_for_cancel, &begun);
	loop.tile[1] = NX;
	only[0] = test_compute(0);
	loop.scope = CO_SCOPE_LIST;
	loop.harts = only;
	loop.n_harts = 1;
	REQUIRE_EQ(co_tiles_start(&loop), 0);
	CHECK(test_await(&begun, 1));
	co_tiles_cancel(&loop);
	CHECK_EQ(co_tiles_wait(&loop), -ECANCELED);
	for (unsigned y = 0; y < NZ * NY; y++)
		rows += memcmp(in[y / NY][y % NY], out[y / NY][y % NY], NX * 4) == 0;
	CHECK_EQ(rows, 6);
	CHECK_EQ(test_spm_used(), before);
}

static struct co_a32 entered, released;

static int wait_for_release(void *arg, struct co_block *b)
{
	(void)arg;
	co_atomic_add(&entered, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&released, CO_ACQUIRE))
		co_yield();
	return copy_tile(NULL, b);
}

static intptr_t runs_tiles(void *arg)
{
	(void)arg;
	return co_tiles_run(&loop);
}

TEST(a_waiter_who_is_cancelled_while_another_cancels_the_loop_waits_for_its_end)
{
	static unsigned only[1];
	size_t before = test_spm_used();
	struct co *c;

	fill();
	co_atomic_store(&entered, 0, CO_RELAXED);
	co_atomic_store(&released, 0, CO_RELAXED);
	set_up_copy(wait_for_release, NULL);
	only[0] = test_compute(0);
	loop.scope = CO_SCOPE_LIST;
	loop.harts = only;
	loop.n_harts = 1;
	c = test_spawn_on(0, runs_tiles, NULL);
	CHECK(test_await(&entered, 1));
	co_atomic_or(&loop.stop, 2, CO_RELAXED); /* the first half of co_tiles_cancel() */
	co_cancel(c);
	CHECK_EQ(co_sleep_us(2000), 0);
	CHECK(loop.plan != NULL); /* a member is at work by it */
	co_atomic_store(&released, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), -ECANCELED);
	CHECK_EQ(test_spm_used(), before);
}

static void *in_the_middle;

/* Leave this hart's heap in two halves. */
static intptr_t split_heap(void *arg)
{
	void *half = co_spm_alloc(co_spm_largest() / 2, 16);

	(void)arg;
	in_the_middle = co_spm_alloc(16, 16);
	co_spm_free(half);
	return half && in_the_middle ? 0 : -ENOMEM;
}

static intptr_t join_heap(void *arg)
{
	co_spm_free(in_the_middle);
	return (intptr_t)arg;
}

TEST(a_heap_in_pieces_is_told_with_what_fits_in_one)
{
	static unsigned only[1];
	size_t before = test_spm_used();
	unsigned hart = only[0] = test_compute(0);

	fill();
	set_up_copy(copy_tile, NULL);
	loop.scope = CO_SCOPE_LIST;
	loop.harts = only;
	loop.n_harts = 1;
	loop.scratch_bytes = co_spm_bytes(); /* to be just too much for a half */
	while (!co_tiles_fit(&loop, co_spm_bytes(), loop.most) || co_tiles_start(&loop) == -ENOMEM)
		loop.scratch_bytes -= 512;
	CHECK_EQ(co_tiles_wait(&loop), 0);
	CHECK_EQ(memcmp(in, out, sizeof(in)), 0);
	REQUIRE_EQ(test_join(test_spawn_on(hart, split_heap, NULL)), 0);
	loop.scratch_bytes -= 512; /* what is in the middle is no reason */
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK_EQ(loop.most[0], 0); /* not one element beside so large a scratch */
	loop.scratch_bytes = 0;
	test_join(test_spawn_on(hart, join_heap, NULL));
	CHECK_EQ(test_spm_used(), before);
}
