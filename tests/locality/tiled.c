/*
 * tiled.c - the same loops in main memory and by tiles, for tests/locality/run: what DMA saves, and
 * how much of it a hart does not wait for. The sections of hart 0 are the whole: launch and wait.
 */
#include <cohart/cohart.h>

#include "../harness/test.h"

enum { N = 1 << 18, TAPS = 32, M = 1 << 17 };

/* In lines of their own. */
static alignas(CO_LINE) int32_t a[N], b[N], c[N], wanted[N];
static alignas(CO_LINE) int32_t taps[TAPS];

static void fill(void)
{
	for (int32_t i = 0; i < N; i++) {
		a[i] = i * 5 + 1;
		b[i] = i ^ 0x55;
	}
	for (int32_t i = 0; i < TAPS; i++)
		taps[i] = i * i - 7;
	memset(c, 0, sizeof(c));
}

/* Each element once. */
static __attribute__((noinline)) void triad(int32_t *to, const int32_t *x, const int32_t *y, long n)
{
	for (long i = 0; i < n; i++)
		to[i] = x[i] + 3 * y[i];
}

/* Each element as often as there are taps. */
static __attribute__((noinline)) void filter(int32_t *to, const int32_t *x, const int32_t *t,
					     long n)
{
	for (long i = 0; i < n; i++) {
		int32_t sum = 0;

		for (long k = 0; k < TAPS; k += 4)
			sum += x[i + k] * t[k] + x[i + k + 1] * t[k + 1] + x[i + k + 2] * t[k + 2] +
			       x[i + k + 3] * t[k + 3];
		to[i] = sum;
	}
}

/* ---- In main memory ---- */

static int triad_there(void *arg, struct co_part *p)
{
	long from = p->from[0];

	co_mark_begin("direct stream");
	triad(c + from, a + from, b + from, p->to[0] - from);
	co_mark_end("direct stream", 0);
	return 0;
}

static int filter_there(void *arg, struct co_part *p)
{
	long from = p->from[0];

	co_mark_begin("direct reuse");
	filter(c + from, a + from, taps, p->to[0] - from);
	co_mark_end("direct reuse", 0);
	return 0;
}

static void there(co_body_fn *body, long n, const char *name)
{
	static alignas(CO_LINE) struct co_parallel p;

	memset(c, 0, sizeof(c));
	p = (struct co_parallel){ .body = body, .dims = 1, .range = { { 0, n } } };
	co_mark_begin(name);
	CHECK_EQ(co_parallel_for(&p), 0);
	co_mark_end(name, 0);
	memcpy(wanted, c, sizeof(c));
	memset(c, 0, sizeof(c));
}

/* ---- By tiles ---- */

static int triad_tile(void *arg, struct co_block *blk)
{
	triad(co_tile_layer(blk, 2, 0), co_tile_layer(blk, 0, 0), co_tile_layer(blk, 1, 0),
	      blk->n[0]);
	return 0;
}

static int filter_tile(void *arg, struct co_block *blk)
{
	filter(co_tile_layer(blk, 1, 0), co_tile_layer(blk, 0, 0), arg, blk->n[0]);
	return 0;
}

static void tiled(struct co_tiles *t, const char *name)
{
	t->name = name;
	co_mark_begin(name);
	CHECK_EQ(co_tiles_run(t), 0);
	co_mark_end(name, 0);
	CHECK_EQ(memcmp(c, wanted, sizeof(c)), 0);
}

static struct co_tiles stream = {
	.body = triad_tile,
	.dims = 1,
	.range = { { 0, N } },
	.arrays = 3,
	.array = { { .at = a, .size = 4, .extent = { N } },
		   { .at = b, .size = 4, .extent = { N } },
		   { .at = c, .size = 4, .extent = { N }, .access = CO_TILE_OUT } },
};

static struct co_tiles reuse = {
	.body = filter_tile,
	.arg = taps,
	.arg_bytes = sizeof(taps),
	.dims = 1,
	.range = { { 0, M } },
	.tile = { 256 }, /* eight blocks a member: the first is what nobody brings in meanwhile */
	.arrays = 2,
	.array = { { .at = a, .size = 4, .extent = { N }, .after = { TAPS - 1 } },
		   { .at = c, .size = 4, .extent = { N }, .access = CO_TILE_OUT } },
};

TEST(tiles)
{
	fill();
	there(triad_there, N, "direct stream");
	tiled(&stream, "tiled stream");
	stream.single = true;
	tiled(&stream, "single stream");
	there(filter_there, M, "direct reuse");
	tiled(&reuse, "tiled reuse");
	reuse.single = true;
	tiled(&reuse, "single reuse");
	reuse.single = false;
	reuse.schedule = CO_DYNAMIC;
	tiled(&reuse, "dynamic reuse");
}
