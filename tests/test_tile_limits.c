/*
 * test_tile_limits.c - loops over tiles whose numbers are at the end of what there is, or beyond.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"

#define N 16

static int32_t in[N][N][N], out[N][N][N];
static struct co_tiles loop;

static int copy_tile(void *arg, struct co_block *b)
{
	(void)arg;
	memcpy(co_tile_layer(b, 1, 0), co_tile_layer(b, 0, 0), (size_t)b->n[2] * 4);
	return 0;
}

static void set_up(void)
{
	loop = (struct co_tiles){
		.body = copy_tile,
		.dims = 3,
		.range = { { 0, N }, { 0, N }, { 0, N } },
		.tile = { 1, 1, N },
		.arrays = 2,
		.array = { { .at = in, .size = 4, .extent = { N, N, N } },
			   { .at = out, .size = 4, .extent = { N, N, N }, .access = CO_TILE_OUT } },
	};
}

#define REFUSED(change)                                   \
	do {                                              \
		set_up();                                 \
		change;                                   \
		CHECK_EQ(co_tiles_start(&loop), -EINVAL); \
	} while (0)

TEST(numbers_beyond_their_range_are_refused)
{
	REFUSED(loop.schedule = 99);
	REFUSED(loop.scope = 99);
	REFUSED(loop.range[1].step = -1);
	REFUSED(loop.arg_bytes = SIZE_MAX);
	REFUSED((loop.range[0].lower = LONG_MIN, loop.range[0].upper = LONG_MAX));
	REFUSED(loop.array[0].access = 99);
	REFUSED(loop.array[0].edge[2] = 99);
	REFUSED(loop.array[0].extent[1] = 0);
	REFUSED(loop.array[0].extent[0] = -1);
	REFUSED(loop.array[0].after[0] = N + 1);
	REFUSED((loop.range[0].lower = LONG_MIN, loop.range[0].upper = LONG_MIN + N,
		 loop.array[0].shift[0] = -1));
}

TEST(arrays_larger_than_memory_are_refused)
{
	REFUSED(loop.array[0].size = SIZE_MAX / 2);
	REFUSED(loop.array[0].extent[0] = LONG_MAX);
	REFUSED(loop.array[0].extent[1] = LONG_MAX);
	REFUSED(loop.array[0].stride[0] = SIZE_MAX / 2);
	REFUSED((loop.array[0].extent[0] = 2, loop.range[0].upper = 2,
		 loop.array[0].stride[0] = SIZE_MAX));
}

TEST(a_scratch_that_no_heap_has_is_refused)
{
	static const size_t bytes[] = { SIZE_MAX, SIZE_MAX - 40, SIZE_MAX / 2, SIZE_MAX / 4 };

	for (unsigned i = 0; i < 4; i++) {
		set_up();
		loop.scratch_bytes = bytes[i];
		CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
		CHECK_EQ(loop.most[0], 0); /* not one element beside it */
	}
}

static int fails(void *arg, struct co_block *b)
{
	(void)arg;
	return b->from[2] == LONG_MAX ? 0 : -EDOM;
}

/* No arrays, for none is as large. */
static void set_up_space(const long *n, const long *tile)
{
	set_up();
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
			set_up();
			loop.body = fails;
			loop.schedule = (enum co_schedule)s;
			loop.range[d].lower = loop.range[d].upper = 3;
			CHECK_EQ(co_tiles_run(&loop), 0);
			loop.range[d].upper = 1;
			CHECK_EQ(co_tiles_run(&loop), 0);
		}
	}
}

/* An array of one element in a dimension is the same all along it. */
TEST(what_is_the_same_along_a_dimension_is_read_alone)
{
	REFUSED((loop.array[0].extent[0] = 1, loop.array[0].before[0] = 1));
	REFUSED((loop.array[0].extent[0] = 1, loop.array[0].shift[0] = 1));
	REFUSED((loop.array[0].extent[0] = 1, loop.array[0].access = CO_TILE_UPDATE));
	set_up();
	loop.array[0].extent[0] = 1;
	for (int i = 0; i < N * N; i++)
		(&in[0][0][0])[i] = i;
	memset(out, 0xee, sizeof(out));
	CHECK_EQ(co_tiles_run(&loop), 0);
	for (int z = 0; z < N; z++)
		CHECK(memcmp(out[z], in[0], sizeof(in[0])) == 0);
}

/* Two arrays are the same elements only if all of their numbers are the same. */
TEST(what_is_written_may_be_read_at_the_same_index_alone)
{
	static const long far[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

	for (unsigned i = 0; i < 3; i++) {
		REFUSED((loop.array[0].at = out, loop.range[i].upper = N - 1,
			 memcpy(loop.array[0].shift, far[i], sizeof(far[i]))));
	}
	REFUSED((loop.array[0].at = out, loop.array[0].size = 2));
	REFUSED((loop.array[0].at = out, loop.array[0].extent[0] = 1));
	set_up();
	loop.array[0].at = out;
	CHECK_EQ(co_tiles_run(&loop), 0);
}

TEST(a_group_may_do_the_loop)
{
	set_up();
	loop.scope = CO_SCOPE_GROUP;
	for (int i = 0; i < N * N * N; i++)
		(&in[0][0][0])[i] = 3 * i;
	memset(out, 0xee, sizeof(out));
	CHECK_EQ(co_tiles_run(&loop), 0);
	CHECK(memcmp(out, in, sizeof(in)) == 0);
}

TEST(harts_that_do_not_exist_do_no_loops)
{
	static const unsigned nobody[] = { 100000 };

	set_up();
	loop.scope = CO_SCOPE_LIST;
	loop.harts = nobody;
	loop.n_harts = 1;
	CHECK_EQ(co_tiles_start(&loop), -EINVAL);
}

static int copy_layers(void *arg, struct co_block *b)
{
	(void)arg;
	for (long z = 0; z < b->n[0]; z++)
		memcpy(co_tile_layer(b, 1, z), co_tile_layer(b, 0, z), N * 4);
	return 0;
}

static intptr_t does(void *arg)
{
	(void)arg;
	return co_tiles_run(&loop);
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
	set_up();
	loop.body = copy_layers;
	loop.dims = 2;
	loop.range[0].upper = LAYERS;
	loop.range[1].upper = N;
	memset(loop.tile, 0, sizeof(loop.tile));
	loop.schedule = CO_DYNAMIC;
	loop.array[0] = (struct co_tiled){ .at = from, .size = 4, .extent = { LAYERS, N } };
	loop.array[1] = loop.array[0];
	loop.array[1].at = to;
	loop.array[1].access = CO_TILE_OUT;
	CHECK_EQ(test_join(test_spawn_on(test_compute(0), does, NULL)), 0);
	CHECK(memcmp(from, to, bytes) == 0);
	free(from);
	free(to);
}
