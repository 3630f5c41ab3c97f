/*
 * test_tile.c - tiles come whole with their halo, results go back, whatever the schedule.
 *
 * Topologies: 2x(1+3) 1x(1+3+1)
 */
#include <string.h>

#include "harness/test.h"

#define NZ 11
#define NY 13
#define NX 29

static int32_t in[NZ][NY][NX], out[NZ][NY][NX];
static struct co_tiles loop;

static const enum co_schedule schedules[] = { CO_STATIC, CO_CYCLIC, CO_DYNAMIC, CO_GUIDED };

static void fill(void)
{
	for (long i = 0; i < NZ * NY * NX; i++)
		(&in[0][0][0])[i] = (int32_t)(i * 7 + 3);
	memset(out, 0xee, sizeof(out));
}

/* ---- What a halo is to have ---- */

struct want {
	enum co_tile_edge edge[3];
	unsigned before[3], after[3];
	long n[3];
};

static struct want want;

/* Index where the array has it; -1: zero. */
static long at(unsigned d, long i)
{
	if (i >= 0 && i < want.n[d])
		return i;
	if (want.edge[d] == CO_EDGE_PERIODIC)
		return (i + want.n[d]) % want.n[d];
	if (want.edge[d] == CO_EDGE_CLAMP)
		return i < 0 ? 0 : want.n[d] - 1;
	return -1;
}

static int32_t expect(long z, long y, long x)
{
	z = at(0, z);
	y = at(1, y);
	x = at(2, x);
	return z < 0 || y < 0 || x < 0 ? 0 : (&in[0][0][0])[(z * want.n[1] + y) * want.n[2] + x];
}

/* A sum with weights over the halo's box, as the body and the check both do it. */
#define WEIGHT(z, y, x) ((int32_t)(1 + (z)*31 + (y)*5 + (x)))

static int32_t box_of_tile(const struct co_block *b, const struct want *w, long z, long y, long x)
{
	int32_t sum = 0;

	for (long k = -(long)w->before[0]; k <= (long)w->after[0]; k++) {
		for (long j = -(long)w->before[1]; j <= (long)w->after[1]; j++) {
			const int32_t *row = co_tile_row(b, 0, z + k, y + j);

			for (long i = -(long)w->before[2]; i <= (long)w->after[2]; i++)
				sum += row[x + i] * WEIGHT(k, j, i);
		}
	}
	return sum;
}

static int32_t box_of_array(long z, long y, long x)
{
	int32_t sum = 0;

	for (long k = -(long)want.before[0]; k <= (long)want.after[0]; k++) {
		for (long j = -(long)want.before[1]; j <= (long)want.after[1]; j++) {
			for (long i = -(long)want.before[2]; i <= (long)want.after[2]; i++)
				sum += expect(z + k, y + j, x + i) * WEIGHT(k, j, i);
		}
	}
	return sum;
}

static int stencil_3d(void *arg, struct co_block *b)
{
	for (long z = 0; z < b->n[0]; z++) {
		for (long y = 0; y < b->n[1]; y++) {
			int32_t *o = co_tile_row(b, 1, z, y);

			for (long x = 0; x < b->n[2]; x++)
				o[x] = box_of_tile(b, arg, z, y, x);
		}
	}
	return 0;
}

/* The same of two dimensions: a layer is a row. */
static int stencil_2d(void *arg, struct co_block *b)
{
	const struct want *w = arg;

	for (long y = 0; y < b->n[0]; y++) {
		int32_t *o = co_tile_layer(b, 1, y);

		for (long x = 0; x < b->n[1]; x++) {
			o[x] = 0;
			for (long j = -(long)w->before[1]; j <= (long)w->after[1]; j++) {
				const int32_t *row = co_tile_layer(b, 0, y + j);

				for (long i = -(long)w->before[2]; i <= (long)w->after[2]; i++)
					o[x] += row[x + i] * WEIGHT(0, j, i);
			}
		}
	}
	return 0;
}

static int stencil_1d(void *arg, struct co_block *b)
{
	const struct want *w = arg;
	const int32_t *row = co_tile_layer(b, 0, 0);
	int32_t *o = co_tile_layer(b, 1, 0);

	for (long x = 0; x < b->n[0]; x++) {
		o[x] = 0;
		for (long i = -(long)w->before[2]; i <= (long)w->after[2]; i++)
			o[x] += row[x + i] * WEIGHT(0, 0, i);
	}
	return 0;
}

/* The loop over the last `dims` of want.n. */
static void set_up(unsigned dims, const long *tile)
{
	static co_tile_fn *const body[] = { stencil_1d, stencil_2d, stencil_3d };

	loop = (struct co_tiles){ .body = body[dims - 1],
				  .arg = &want,
				  .arg_bytes = sizeof(want),
				  .dims = dims,
				  .arrays = 2 };
	loop.array[0] = (struct co_tiled){ .at = in, .size = sizeof(int32_t) };
	loop.array[1] =
		(struct co_tiled){ .at = out, .size = sizeof(int32_t), .access = CO_TILE_OUT };
	for (unsigned d = 0; d < dims; d++) {
		unsigned w = 3 - dims + d;

		loop.range[d].upper = want.n[w];
		loop.array[0].extent[d] = loop.array[1].extent[d] = want.n[w];
		loop.array[0].before[d] = (unsigned short)want.before[w];
		loop.array[0].after[d] = (unsigned short)want.after[w];
		loop.array[0].edge[d] = want.edge[w];
		loop.tile[d] = tile[w];
	}
}

static bool right(void)
{
	const int32_t *o = &out[0][0][0];

	for (long z = 0; z < want.n[0]; z++) {
		for (long y = 0; y < want.n[1]; y++) {
			for (long x = 0; x < want.n[2]; x++) {
				if (*o++ != box_of_array(z, y, x))
					return false;
			}
		}
	}
	return true;
}

static void run(unsigned dims, const long *tile, enum co_schedule schedule, bool single)
{
	fill();
	set_up(dims, tile);
	loop.schedule = schedule;
	loop.block = 2;
	loop.single = single;
	REQUIRE_EQ(co_tiles_run(&loop), 0);
	CHECK(right());
}

static void run_all(unsigned dims, const long *tile)
{
	for (unsigned s = 0; s < sizeof(schedules) / sizeof(*schedules); s++) {
		run(dims, tile, schedules[s], false);
		run(dims, tile, schedules[s], true);
	}
}

TEST(a_halo_in_three_dimensions)
{
	for (unsigned e = CO_EDGE_CLAMP; e <= CO_EDGE_PERIODIC; e++) {
		want = (struct want){ .edge = { e, e, e },
				      .before = { 1, 1, 1 },
				      .after = { 1, 1, 1 },
				      .n = { NZ, NY, NX } };
		run_all(3, (const long[]){ 2, 4, 8 });
		run_all(3, (const long[]){ 1, NY, NX });
	}
	want.edge[0] = CO_EDGE_ZERO;
	want.edge[1] = CO_EDGE_CLAMP;
	want.before[0] = 2;
	want.after[1] = 3;
	want.before[2] = 0;
	run_all(3, (const long[]){ 3, 5, 11 });
	run_all(3, (const long[]){ 0, 0, 0 });
}

TEST(a_halo_in_two_dimensions)
{
	for (unsigned e = CO_EDGE_CLAMP; e <= CO_EDGE_PERIODIC; e++) {
		want = (struct want){ .edge = { 0, e, (e + 1) % 3 + 1 },
				      .before = { 0, 1, 2 },
				      .after = { 0, 2, 1 },
				      .n = { 1, NZ * NY, NX } };
		run_all(2, (const long[]){ 0, 7, 10 });
		run_all(2, (const long[]){ 0, 1, NX });
	}
	run_all(2, (const long[]){ 0, 0, 0 });
}

TEST(a_halo_in_one_dimension)
{
	for (unsigned e = CO_EDGE_CLAMP; e <= CO_EDGE_PERIODIC; e++) {
		want = (struct want){ .edge = { 0, 0, e },
				      .before = { 0, 0, 3 },
				      .after = { 0, 0, 2 },
				      .n = { 1, 1, NZ * NY * NX } };
		run_all(1, (const long[]){ 0, 0, 100 });
		run_all(1, (const long[]){ 0, 0, 3 });
		run_all(1, (const long[]){ 0, 0, 0 });
	}
}

/* ---- Updates, several arrays ---- */

static int add_tables(void *arg, struct co_block *b)
{
	const int32_t *of_x = co_tile_layer(b, 1, 0);

	(void)arg;
	for (long y = 0; y < b->n[0]; y++) {
		int32_t *row = co_tile_layer(b, 0, y);
		const int32_t *of_y = co_tile_layer(b, 2, y);

		for (long x = 0; x < b->n[1]; x++)
			row[x] += of_x[x] + 1000 * of_y[0];
	}
	return 0;
}

TEST(what_is_updated_in_place_is_updated_once)
{
	enum { H = NZ * NY, W = NX };
	static int32_t of_x[W], of_y[H + 2];
	static const struct co_tiles update = {
		.body = add_tables,
		.dims = 2,
		.range = { { 0, H, 1 }, { 2, W, 1 } },
		.tile = { 5, 9 },
		.arrays = 3,
		.array = { { .at = in, .size = 4, .extent = { H, W }, .access = CO_TILE_UPDATE },
			   { .at = of_x, .size = 4, .extent = { 1, W } },
			   { .at = of_y, .size = 4, .extent = { H + 2, 1 }, .shift = { 2 } } },
	};

	for (unsigned i = 0; i < W; i++)
		of_x[i] = (int32_t)i;
	for (unsigned i = 0; i < H + 2; i++)
		of_y[i] = (int32_t)(3 * i);
	for (unsigned s = 0; s < 8; s++) {
		bool same = true;

		fill();
		loop = update;
		loop.schedule = schedules[s / 2];
		loop.single = s % 2;
		REQUIRE_EQ(co_tiles_run(&loop), 0);
		for (int32_t i = 0; i < H * W; i++) {
			int32_t more = i % W < 2 ? 0 : i % W + 3000 * (i / W + 2);

			same &= (&in[0][0][0])[i] == i * 7 + 3 + more;
		}
		CHECK(same);
	}
}

static int copy_tile(void *arg, struct co_block *b)
{
	(void)arg;
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y), (size_t)b->n[1] * 4);
	return 0;
}

TEST(columns_of_one_array_are_copied_within_it)
{
	bool same = true;

	fill();
	loop = (struct co_tiles){
		.body = copy_tile,
		.dims = 2,
		.range = { { 0, NZ * NY, 1 }, { 0, 10, 1 } },
		.tile = { 6, 10 },
		.arrays = 2,
		.array = { { .at = in, .size = 4, .extent = { NZ * NY, 10 }, .stride = { NX * 4 } },
			   { .at = &in[0][0][15],
			     .size = 4,
			     .extent = { NZ * NY, 10 },
			     .stride = { NX * 4 },
			     .access = CO_TILE_OUT } },
	};
	REQUIRE_EQ(co_tiles_run(&loop), 0);
	for (int32_t i = 0; i < NZ * NY * NX; i++) {
		int32_t from = i % NX >= 15 && i % NX < 25 ? i - 15 : i;

		same &= (&in[0][0][0])[i] == from * 7 + 3;
	}
	CHECK(same);
	loop.array[1].at = &in[0][0][9]; /* a column of both */
	CHECK_EQ(co_tiles_run(&loop), -EINVAL);
}

static int sum_tile(void *arg, struct co_block *b)
{
	(void)arg;
	for (long x = 0; x < b->n[0]; x++)
		*(long *)b->partial += ((const int32_t *)co_tile_layer(b, 0, 0))[x];
	return 0;
}

TEST(a_reduction_sees_every_element_once)
{
	static const long zero;
	static long sum;
	static const struct co_tiles add = {
		.body = sum_tile,
		.dims = 1,
		.range = { { 0, NZ * NY * NX, 1 } },
		.tile = { 64 },
		.arrays = 1,
		.array = { { .at = in, .size = 4, .extent = { NZ * NY * NX } } },
		.reduction = { sizeof(sum), &zero, co_sum_long, &sum },
	};
	long want_sum = 0;

	fill();
	for (long i = 0; i < NZ * NY * NX; i++)
		want_sum += i * 7 + 3;
	for (unsigned s = 0; s < 4; s++) {
		sum = 5;
		loop = add;
		loop.schedule = schedules[s];
		CHECK_EQ(co_tiles_run(&loop), 0);
		CHECK_EQ(sum, want_sum + 5);
	}
}

TEST(in_place_element_by_element_is_no_overlap)
{
	bool same = true;

	fill();
	loop = (struct co_tiles){
		.body = copy_tile,
		.dims = 2,
		.range = { { 0, NZ * NY, 1 }, { 0, NX, 1 } },
		.tile = { 6, 10 },
		.arrays = 2,
		.array = { { .at = in, .size = 4, .extent = { NZ * NY, NX } },
			   { .at = in,
			     .size = 4,
			     .extent = { NZ * NY, NX },
			     .access = CO_TILE_OUT } },
	};
	CHECK_EQ(co_tiles_run(&loop), 0);
	for (int32_t i = 0; i < NZ * NY * NX; i++)
		same &= (&in[0][0][0])[i] == i * 7 + 3;
	CHECK(same);
}
