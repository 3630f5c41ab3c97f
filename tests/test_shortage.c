/*
 * test_shortage.c - each allocation of what moves data and shares work fails in turn: the caller is
 * notified, or the work is done all the same; what is said to be done is; nothing leaks. For a
 * build with FAULTS=1.
 *
 * Topologies: 1x(1+2+1)
 */
#include "use.h"

#ifdef CO_FAULTS

#include <cohart/cache.h>
#include <cohart/dma.h>
#include <cohart/spm_array.h>
#include <cohart/stream.h>
#include <cohart/tile.h>

#define MOST 400 /* allocations that one of them makes */
#define N 4096

static unsigned char from[N], to[N];

static void fill(void)
{
	for (unsigned i = 0; i < N; i++)
		from[i] = (unsigned char)(i * 7 + i / 256);
	memset(to, 0, N);
}

static bool there(void)
{
	return memcmp(to, from, N) == 0;
}

/* ---- What is tried: each returns 0 or an error, and looks whether that is true ---- */

static int copy_part(void *arg, struct co_part *p)
{
	memcpy(to + p->from[0], from + p->from[0], (size_t)(p->to[0] - p->from[0]));
	*(long *)p->partial += p->to[0] - p->from[0];
	return 0;
}

static long copied;

static void describe(struct co_parallel *p, enum co_schedule schedule)
{
	static const long zero;

	*p = LOOP(copy_part, N, .schedule = schedule, .block = 64,
		  .reduction = { sizeof(copied), &zero, co_sum_long, &copied });
}

static int use_loop(void)
{
	static struct co_parallel p;
	int r;

	describe(&p, CO_DYNAMIC);
	copied = 5;
	r = co_parallel_for(&p);
	CHECK_EQ(copied, r ? 5 : 5 + N);
	CHECK(r || there());
	return r;
}

static int use_stream(void)
{
	static struct co_stream s;
	static struct co_parallel p[3];
	int r = co_stream_open(&s, "short");
	int errors = 0;

	if (r)
		return r;
	copied = 0;
	for (unsigned i = 0; i < 3; i++) {
		describe(&p[i], CO_STATIC);
		CHECK_EQ(co_stream_start(&s, &p[i]), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		errors += co_parallel_wait(&p[i]) != 0;
	CHECK_EQ(copied, (3 - errors) * N); /* one does not hold back the next */
	r = co_stream_close(&s);
	CHECK_EQ(r != 0, errors > 0);
	return r;
}

static int use_move(void)
{
	static unsigned char much[CO_MOVE_FILL_BYTES];
	unsigned char *tile;
	int r;

	CHECK_EQ(co_move_copy(to, from, N), 0);
	CHECK(there());
	memset(much, 0, sizeof(much));
	CHECK_EQ(co_move_fill(much, 9, sizeof(much)), 0); /* if need be the caller does it alone */
	CHECK(much[0] == 9 && memcmp(much, much + 1, sizeof(much) - 1) == 0);
	tile = co_spm_alloc(64, 16);
	if (!tile)
		return -ENOMEM;
	r = co_move_broadcast(tile, from, 64);
	for (unsigned i = 0; r == 0 && i < co_group(0)->computes; i++)
		CHECK_EQ(memcmp(co_spm_at(tile, co_group(0)->compute + i), from, 64), 0);
	co_spm_free(tile);
	return r;
}

static int use_array(void)
{
	static struct co_spm_array a;
	const unsigned char *near;
	int r;

	REQUIRE_EQ(co_spm_array_make(&a, from, 256), 0);
	near = co_spm_array_get(&a);
	CHECK(!near || memcmp(near, from, 256) == 0);
	r = co_spm_array_drop(&a);
	if (r)
		CHECK_EQ(co_spm_array_drop(&a), 0); /* it may be called again */
	return near ? r : -ENOMEM;
}

static int copy_tile(void *arg, struct co_block *b)
{
	memcpy(co_tile_layer(b, 1, 0), co_tile_layer(b, 0, 0), (size_t)b->n[0]);
	return 0;
}

static int use_tiles(void)
{
	static struct co_tiles t;
	int r;

	t = (struct co_tiles){
		.body = copy_tile,
		.dims = 1,
		.range = { { 0, N, 1 } },
		.tile = { 128 },
		.arrays = 2,
		.array = { { .at = from, .size = 1, .extent = { N } },
			   { .at = to, .size = 1, .extent = { N }, .access = CO_TILE_OUT } },
	};
	r = co_tiles_run(&t);
	if (r == -ENOMEM)
		CHECK(t.most[0] > 0); /* there is room: it is reported how much */
	CHECK(r || there());
	return r;
}

static int copy_task(void *arg, long task)
{
	memcpy(to + task * 64, from + task * 64, 64);
	return 0;
}

static int use_tasks(void)
{
	static struct co_tasks t;
	static void *memory;
	int r;

	if (!memory)
		memory = malloc(co_tasks_bytes(N / 64));
	REQUIRE(memory);
	t = (struct co_tasks){ .total = N / 64, .memory = memory, .progress_us = 60000000 };
	r = co_tasks_open(&t);
	if (r)
		return r;
	r = co_tasks_run(&t, copy_task, NULL);
	CHECK_EQ(r == 0, co_tasks_done(&t) == t.total);
	CHECK(r || there());
	CHECK_EQ(co_tasks_close(&t), 0);
	return r;
}

static int use_cache(void)
{
	struct co_cache *c;
	int r = co_cache_open(&c, &(struct co_cache_shape){ 64, 2, 2 });

	if (r)
		return r;
	co_cache_read(c, to, from, N);
	CHECK(there());
	return co_cache_close(c);
}

static const struct {
	const char *name;
	int (*use)(void);
} tried[] = {
	{ "loop", use_loop },   { "stream", use_stream }, { "move", use_move },
	{ "array", use_array }, { "tasks", use_tasks },   { "cache", use_cache },
	{ "tiles", use_tiles },
};

#define TRIED (sizeof(tried) / sizeof(tried[0]))
#define TILES (TRIED - 1)

/* ---- One call after the other fails ---- */

/* @return how many calls there are that can fail */
static unsigned fail_each(enum co_inject_kind what, unsigned i)
{
	unsigned n = 1;

	for (; n < MOST; n++) {
		uint32_t before = co_inject_count(what);
		int r;

		fill();
		co_inject_nth(what, n);
		r = tried[i].use();
		co_inject_nth(what, 0);
		CHECK(what == CO_INJECT_DMA ? r == 0 || r == -EIO
					    : r == 0 || r == -ENOMEM || r == -ENOBUFS);
		if (co_inject_count(what) != before)
			continue;
		CHECK_EQ(r, 0);
		break;
	}
	printf("# %s: %u\n", tried[i].name, n - 1);
	CHECK(n < MOST);
	return n - 1;
}

static struct use before[BOARD_MAX_HARTS];

/* Twice: workers that the first round has made stay. */
TEST(whatever_memory_is_short_of_the_caller_is_notified_and_nothing_leaks)
{
	for (unsigned i = 0; i < TRIED; i++) {
		CHECK(fail_each(CO_INJECT_MEMORY, i) > 0);
		CHECK_EQ(co_sleep_us(20000), 0);
		for (unsigned h = 0; h < co_harts(); h++)
			before[h] = use_of(h);
		(void)fail_each(CO_INJECT_MEMORY, i);
		CHECK_EQ(co_sleep_us(20000), 0);
		for (unsigned h = 0; h < co_harts(); h++)
			check_use(h, &before[h]);
	}
}

static int arrives(void)
{
	static struct co_spm_array a;
	const unsigned char *near;

	REQUIRE_EQ(co_spm_array_make(&a, from, 256), 0);
	near = co_spm_array_get(&a);
	if (!near) {
		near = co_spm_array_get(&a); /* which tries again */
		REQUIRE(near);
	}
	CHECK_EQ(memcmp(near, from, 256), 0);
	return co_spm_array_drop(&a);
}

TEST(whatever_transfer_fails_the_caller_is_notified_and_nothing_leaks)
{
	uint32_t failed = co_inject_count(CO_INJECT_DMA);

	CHECK_EQ(fail_each(CO_INJECT_DMA, TILES) > 0, true);
	co_inject_nth(CO_INJECT_DMA, 1);
	CHECK_EQ(arrives(), 0);
	co_inject_nth(CO_INJECT_DMA, 0);
	CHECK(co_inject_count(CO_INJECT_DMA) > failed + 1);
}

#else

TEST(shortage)
{
	SKIP("make test T=shortage FAULTS=1");
}

#endif
