/*
 * test_tile.c - tiles come whole with their halo, and results go back, whatever the schedule.
 *
 * Loops are drawn from the seed: arrays of any extent, stride and shift, of one element along some
 * dimensions, with halos and borders of every kind. What bodies see, and what is in memory
 * afterwards, is what one would read and write without tiles.
 *
 * Topologies: 2x(1+3) 1x(1+3+1)
 */
#include "harness/test.h"

#define ROUNDS 120
#define INPUTS 3
#define ELEMENTS 12000

/* An array as a round draws it. */
struct drawn {
	long extent[3], shift[3], before[3], after[3];
	size_t stride[3]; /* in elements, of all dimensions */
	bool fixed[3];
	enum co_tile_edge edge[3];
};

static int32_t memory[INPUTS + 1][ELEMENTS], mirror[ELEMENTS];
static struct drawn drawn[INPUTS + 1]; /* the last one is written */
static struct co_tiles loop;

static unsigned dims(void)
{
	return loop.dims < CO_TILE_DIMS ? loop.dims : CO_TILE_DIMS;
}

static struct drawn draw(struct test_random *r, bool written)
{
	struct drawn a;
	size_t stride = 1;

	for (unsigned d = dims(); d-- > 0;) {
		long n = loop.range[d].upper - loop.range[d].lower;
		long more = test_below(r, 3);

		a.fixed[d] = !written && n > 1 && test_below(r, 4) == 0;
		a.extent[d] = a.fixed[d] ? 1 : n + more;
		a.shift[d] =
			a.fixed[d] ? 0
				   : (long)test_below(r, (unsigned)more + 1) - loop.range[d].lower;
		a.before[d] = a.after[d] = 0;
		if (!a.fixed[d] && !written) {
			a.before[d] = test_below(r, a.extent[d] < 3 ? (unsigned)a.extent[d] : 3);
			a.after[d] = test_below(r, a.extent[d] < 3 ? (unsigned)a.extent[d] : 3);
		}
		a.edge[d] = (enum co_tile_edge)test_below(r, 4);
		a.stride[d] = stride;
		stride = stride * (size_t)a.extent[d] + test_below(r, 3);
	}
	REQUIRE(stride <= ELEMENTS);
	return a;
}

static struct co_tiled described(const struct drawn *a, int32_t *at, enum co_tile_access access)
{
	struct co_tiled t = { .at = at, .size = sizeof(*at), .access = access };

	for (unsigned d = 0; d < dims(); d++) {
		t.extent[d] = a->extent[d];
		t.shift[d] = a->shift[d];
		t.edge[d] = a->edge[d];
		t.before[d] = (unsigned short)a->before[d];
		t.after[d] = (unsigned short)a->after[d];
		if (d + 1 < loop.dims)
			t.stride[d] = a->stride[d] * sizeof(*at);
	}
	return t;
}

/* Element of the loop's index i, by its number in memory; -1: zero; -2: nobody says what. */
static long place(const struct drawn *a, const long *i)
{
	long at = 0;
	bool zero = false;

	for (unsigned d = 0; d < dims(); d++) {
		long k = a->fixed[d] ? 0 : i[d] + a->shift[d];
		long n = a->extent[d];

		if (k < 0 || k >= n) {
			if (a->edge[d] == CO_EDGE_NONE)
				return -2;
			zero |= a->edge[d] == CO_EDGE_ZERO;
			if (a->edge[d] == CO_EDGE_PERIODIC)
				k = k < 0 ? k + n : k - n;
			else
				k = k < 0 ? 0 : n - 1;
		}
		at += k * (long)a->stride[d];
	}
	return zero ? -1 : at;
}

/* The next index of a box from..to, last dimension first. Returns false after the last. */
static bool next(long *i, const long *from, const long *to)
{
	for (unsigned d = dims(); d-- > 0;) {
		if (++i[d] < to[d])
			return true;
		i[d] = from[d];
	}
	return false;
}

/* The same for a tile: where index i of the loop is. */
static int32_t *in_tile(const struct co_block *b, unsigned array, const struct drawn *a,
			const long *i)
{
	long k[3] = { 0 };

	for (unsigned d = 0; d < dims(); d++)
		k[d] = d > 0 && a->fixed[d] ? 0 : i[d] - b->from[d];
	if (loop.dims == 1)
		return (int32_t *)co_tile_layer(b, array, 0) + (a->fixed[0] ? 0 : k[0]);
	if (loop.dims == 2)
		return (int32_t *)co_tile_layer(b, array, k[0]) + k[1];
	return (int32_t *)co_tile_row(b, array, k[0], k[1]) + k[2];
}

/* Elements of all inputs around index i with weights: of the tiles, or of the arrays. */
static uint32_t sum_around(const struct co_block *b, const long *i)
{
	uint32_t sum = 0;

	for (unsigned a = 0; a < INPUTS; a++) {
		long from[3] = { 0 }, to[3] = { 0 }, k[3] = { 0 };
		uint32_t weight = a + 1;

		for (unsigned d = 0; d < dims(); d++) {
			k[d] = from[d] = i[d] - drawn[a].before[d];
			to[d] = i[d] + drawn[a].after[d] + 1;
		}
		do {
			long at = place(&drawn[a], k);

			weight = weight * 5 + 1;
			if (at == -2)
				continue;
			if (b)
				sum += weight * (uint32_t)*in_tile(b, a, &drawn[a], k);
			else if (at >= 0)
				sum += weight * (uint32_t)memory[a][at];
		} while (next(k, from, to));
	}
	return sum;
}

static int body(void *arg, struct co_block *b)
{
	const struct drawn *out = arg; /* a copy of the last one */
	long i[3] = { b->from[0], b->from[1], b->from[2] };

	CHECK(out != &drawn[INPUTS]);
	do {
		int32_t *o = in_tile(b, INPUTS, out, i);

		*o = (int32_t)(sum_around(b, i) +
			       (loop.array[INPUTS].access == CO_TILE_UPDATE ? (uint32_t)*o : 0));
	} while (next(i, b->from, b->to));
	return 0;
}

static void draw_loop(struct test_random *r)
{
	static const long most[] = { 200, 25, 9 };

	loop = (struct co_tiles){ .body = body,
				  .arg = &drawn[INPUTS],
				  .arg_bytes = sizeof(drawn[INPUTS]),
				  .dims = 1 + test_below(r, 3),
				  .arrays = INPUTS + 1,
				  .schedule = (enum co_schedule)test_below(r, 4),
				  .block = test_below(r, 3),
				  .single = test_below(r, 2) };
	for (unsigned d = 0; d < dims(); d++) {
		long n = 1 + test_below(r, (unsigned)most[loop.dims - 1]);

		loop.range[d].lower = (long)test_below(r, 9) - 4;
		loop.range[d].upper = loop.range[d].lower + n;
		loop.tile[d] = test_below(r, (unsigned)n + 2);
	}
	for (unsigned a = 0; a <= INPUTS; a++) {
		bool written = a == INPUTS;

		drawn[a] = draw(r, written);
		loop.array[a] = described(&drawn[a], memory[a],
					  !written           ? CO_TILE_IN
					  : test_below(r, 2) ? CO_TILE_OUT
							     : CO_TILE_UPDATE);
	}
}

TEST(tiles_are_what_the_arrays_are_around_every_index)
{
	struct test_random random = test_random(1);

	for (unsigned round = 0; round < ROUNDS; round++) {
		long from[3] = { 0 }, to[3] = { 0 }, i[3] = { 0 };
		int r;

		draw_loop(&random);
		for (unsigned a = 0; a <= INPUTS; a++) {
			for (unsigned k = 0; k < ELEMENTS; k++)
				memory[a][k] = (int32_t)(k * 7 + a * 1000 + round);
		}
		memcpy(mirror, memory[INPUTS], sizeof(mirror));
		for (unsigned d = 0; d < dims(); d++) {
			i[d] = from[d] = loop.range[d].lower;
			to[d] = loop.range[d].upper;
		}
		do {
			int32_t *o = &mirror[place(&drawn[INPUTS], i)];

			*o = (int32_t)(sum_around(NULL, i) +
				       (loop.array[INPUTS].access == CO_TILE_UPDATE ? (uint32_t)*o
										    : 0));
		} while (next(i, from, to));
		r = co_tiles_run(&loop);
		if (r == -ENOMEM) { /* then what it says fits does */
			memcpy(loop.tile, loop.most, sizeof(loop.tile));
			REQUIRE(loop.most[0] > 0);
			r = co_tiles_run(&loop);
		}
		REQUIRE_EQ(r, 0);
		if (!CHECK(memcmp(mirror, memory[INPUTS], sizeof(mirror)) == 0)) {
			printf("# round %u: %u dimensions, tiles of %ld %ld %ld\n", round,
			       loop.dims, loop.tile[0], loop.tile[1], loop.tile[2]);
			break;
		}
	}
}

/* ---- Updates, several arrays ---- */

#define H 143
#define W 29

static int32_t in[H][W];

static const enum co_schedule schedules[] = { CO_STATIC, CO_CYCLIC, CO_DYNAMIC, CO_GUIDED };

static void fill(void)
{
	for (int32_t i = 0; i < H * W; i++)
		in[i / W][i % W] = i * 7 + 3;
}

static int add_tables(void *arg, struct co_block *b)
{
	const int32_t *of_x = co_tile_layer(b, 1, 0);

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

			same &= (&in[0][0])[i] == i * 7 + 3 + more;
		}
		CHECK(same);
	}
}

static int copy_tile(void *arg, struct co_block *b)
{
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y), (size_t)b->n[1] * 4);
	return 0;
}

static void set_up_copy(int32_t *from, int32_t *to, long wide)
{
	loop = (struct co_tiles){
		.body = copy_tile,
		.dims = 2,
		.range = { { 0, H, 1 }, { 0, wide, 1 } },
		.tile = { 6, 10 },
		.arrays = 2,
		.array = { { .at = from, .size = 4, .extent = { H, wide }, .stride = { W * 4 } },
			   { .at = to,
			     .size = 4,
			     .extent = { H, wide },
			     .stride = { W * 4 },
			     .access = CO_TILE_OUT } },
	};
	fill();
}

TEST(columns_of_one_array_are_copied_within_it)
{
	bool same = true;

	set_up_copy(in[0], &in[0][15], 10);
	REQUIRE_EQ(co_tiles_run(&loop), 0);
	for (int32_t i = 0; i < H * W; i++)
		same &= (&in[0][0])[i] == (i % W >= 15 && i % W < 25 ? i - 15 : i) * 7 + 3;
	CHECK(same);
	loop.array[1].at = &in[0][9]; /* a column of both */
	CHECK_EQ(co_tiles_run(&loop), -EINVAL);
}

static int sum_tile(void *arg, struct co_block *b)
{
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
		.range = { { 0, H * W, 1 } },
		.tile = { 64 },
		.arrays = 1,
		.array = { { .at = in, .size = 4, .extent = { H * W } } },
		.reduction = { sizeof(sum), &zero, co_sum_long, &sum },
	};
	long want_sum = 0;

	fill();
	for (long i = 0; i < H * W; i++)
		want_sum += i * 7 + 3;
	for (unsigned s = 0; s < 4; s++) {
		sum = 5;
		loop = add;
		loop.schedule = schedules[s];
		CHECK_EQ(co_tiles_run(&loop), 0);
		CHECK_EQ(sum, want_sum + 5);
	}
}
