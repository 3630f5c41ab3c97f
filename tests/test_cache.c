/*
 * test_cache.c - main memory through a software cache is what it would be without one.
 *
 * Topologies: 1x(1+3+1)
 */

#define CO_CACHE_COUNT 1
#include <cohart/cache.h>
#include <cohart/parallel.h>
#include <cohart/tile.h>

#include "harness/test.h"

#define N 4096

/* In lines of its own: whole lines are written back. */
static _Alignas(256) int32_t memory[N];
static _Alignas(256) int32_t mirror[N];

static void fill(void)
{
	for (int32_t i = 0; i < N; i++)
		memory[i] = mirror[i] = i * 3 + 1;
}

static struct co_cache *open_cache(size_t line, unsigned sets, unsigned ways)
{
	struct co_cache *c = NULL;

	REQUIRE_EQ(co_cache_open(&c, &(struct co_cache_shape){ line, sets, ways }), 0);
	return c;
}

TEST(loads_and_stores_do_what_they_do_without_it)
{
	static const struct co_cache_shape shapes[] = {
		{ 32, 1, 1 }, { 32, 4, 2 }, { 64, 8, 3 }, { 128, 1, 16 }, { 256, 16, 1 },
	};
	struct test_random random = test_random(1);

	for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct co_cache *c = open_cache(shapes[s].line, shapes[s].sets, shapes[s].ways);
		struct co_cache_view v = co_cache_view(c);
		struct co_cache_counts counts;
		bool same = true;

		fill();
		for (unsigned i = 0; i < 6000; i++) {
			unsigned at = test_below(&random, i % 5 ? 200 : N);

			if (test_below(&random, 2)) {
				int32_t x = (int32_t)test_next(&random);

				mirror[at] = x;
				co_cache_store(v, int32_t, &memory[at], x);
			} else {
				same &= co_cache_load(v, int32_t, &memory[at]) == mirror[at];
			}
		}
		CHECK(same);
		co_cache_done(v);
		CHECK_EQ(co_cache_flush(c), 0);
		CHECK_EQ(memcmp(memory, mirror, sizeof(memory)), 0);
		co_cache_counts(c, &counts);
		CHECK_EQ(counts.accesses, 6000);
		CHECK(counts.misses > 100 && counts.misses < 6000);
		CHECK(counts.written_back > 0 && counts.written_back <= counts.first_writes);
		CHECK_EQ(co_cache_close(c), 0);
	}
}

/* One of them crosses a line, and is done in parts. */
TEST(types_of_all_sizes_arrive)
{
	struct pair {
		uint64_t a, b;
	};
	static _Alignas(64) unsigned char bytes[256];
	struct co_cache *c = open_cache(64, 2, 2);
	struct co_cache_view v = co_cache_view(c);
	struct pair p;

	co_cache_store(v, uint8_t, &bytes[3], 0xa5);
	co_cache_store(v, uint16_t, &bytes[66], 0xbeef);
	co_cache_store(v, uint32_t, &bytes[128], 0xcafef00d);
	co_cache_store(v, uint64_t, &bytes[136], 0x0123456789abcdef);
	co_cache_store(v, uint32_t, &bytes[190], 0xa1b2c3d4);
	co_cache_store(v, struct pair, &bytes[208], ((struct pair){ 7, 9 }));
	CHECK_EQ(co_cache_load(v, uint8_t, &bytes[3]), 0xa5);
	CHECK_EQ(co_cache_load(v, uint16_t, &bytes[66]), 0xbeef);
	CHECK_EQ(co_cache_load(v, uint32_t, &bytes[128]), 0xcafef00d);
	CHECK(co_cache_load(v, uint64_t, &bytes[136]) == 0x0123456789abcdef);
	CHECK_EQ(co_cache_load(v, uint32_t, &bytes[190]), 0xa1b2c3d4);
	p = co_cache_load(v, struct pair, &bytes[208]);
	CHECK(p.a == 7 && p.b == 9);
	CHECK_EQ(bytes[3], 0); /* not in memory yet */
	CHECK_EQ(co_cache_close(c), 0);
	CHECK_EQ(bytes[3], 0xa5);
	CHECK(bytes[189] == 0 && bytes[190] == 0xd4 && bytes[193] == 0xa1 && bytes[194] == 0);
	CHECK_EQ(bytes[208], 7);
}

TEST(the_longest_unused_way_goes)
{
	static _Alignas(64) int32_t words[8][16]; /* a line each, all of the one set */
	struct co_cache *c = open_cache(64, 1, 3);
	struct co_cache_view v = co_cache_view(c);
	struct co_cache_counts counts;

	for (unsigned i = 0; i < 3; i++)
		(void)co_cache_load(v, int32_t, words[i]);
	(void)co_cache_load(v, int32_t, words[0]); /* 1 is the one now */
	(void)co_cache_load(v, int32_t, words[3]);
	co_cache_counts(c, &counts);
	CHECK_EQ(counts.misses, 4);
	CHECK_EQ(counts.searches, 1);
	(void)co_cache_load(v, int32_t, words[0]);
	(void)co_cache_load(v, int32_t, words[2]);
	(void)co_cache_load(v, int32_t, words[3]);
	co_cache_counts(c, &counts);
	CHECK_EQ(counts.misses, 4);
	(void)co_cache_load(v, int32_t, words[1]);
	co_cache_counts(c, &counts);
	CHECK_EQ(counts.misses, 5);
	CHECK_EQ(co_cache_close(c), 0);
}

TEST(what_others_write_is_not_written_over_and_seen_after_forgetting)
{
	struct co_cache *c = open_cache(64, 2, 1);
	struct co_cache_view v = co_cache_view(c);
	struct co_cache_counts counts;

	fill();
	for (unsigned i = 0; i < 200; i++)
		CHECK_EQ(co_cache_load(v, int32_t, &memory[i]), mirror[i]);
	memory[199] = 99;
	CHECK_EQ(co_cache_load(v, int32_t, &memory[199]), mirror[199]);
	CHECK_EQ(co_cache_forget(c), 0);
	CHECK_EQ(co_cache_load(v, int32_t, &memory[199]), 99);
	co_cache_counts(c, &counts);
	CHECK_EQ(counts.written_back, 0);
	CHECK_EQ(co_cache_close(c), 0);
}

TEST(much_at_a_time_is_read_and_written_through_it)
{
	static int32_t copy[N];
	struct co_cache *c = open_cache(128, 4, 2);

	fill();
	co_cache_read(c, copy, memory, sizeof(memory));
	CHECK_EQ(memcmp(copy, memory, sizeof(copy)), 0);
	for (unsigned i = 0; i < N; i++)
		copy[i] = -copy[i];
	co_cache_write(c, &memory[1], copy, sizeof(memory) - 8);
	CHECK_EQ(co_cache_close(c), 0);
	CHECK_EQ(memory[0], 1);
	CHECK_EQ(memcmp(&memory[1], copy, sizeof(memory) - 8), 0);
	CHECK_EQ(memory[N - 1], mirror[N - 1]);
}

static struct co_cache *bare;
static int32_t *volatile nowhere; /* NULL, unknown to the compiler */

static intptr_t store_nowhere(void *arg)
{
	struct co_cache_view v = co_cache_view(bare);

	co_cache_store(v, int32_t, nowhere, 7);
	return 0;
}

/* No line is there yet, or one is, which is not to be damaged. */
TEST_FAULTY(a_store_through_a_null_pointer_ends_its_coroutine)
{
	for (unsigned lines = 0; lines < 2; lines++) {
		bare = open_cache(64, 2, 1);
		struct co_cache_view v = co_cache_view(bare);

		fill();
		for (unsigned i = 0; lines && i < 32; i += 16)
			CHECK_EQ(co_cache_load(v, int32_t, &memory[i]), mirror[i]);
		CHECK_EQ(co_join(test_spawn_on(co_hart(), store_nowhere, NULL), NULL), -EFAULT);
		for (unsigned i = 0; lines && i < 32; i += 4)
			CHECK_EQ(co_cache_load(v, int32_t, &memory[i]), mirror[i]);
		co_spm_free(bare); /* it is not to be used any more: an access has not ended */
	}
}

TEST(shapes_that_cannot_be_are_refused)
{
	static const struct co_cache_shape wrong[] = {
		{ 0, 1, 1 },    { 16, 1, 1 },
		{ 31, 1, 1 },   { 48, 1, 1 },
		{ 8192, 1, 1 }, { SIZE_MAX, 1, 1 },
		{ 64, 0, 1 },   { 64, 3, 1 },
		{ 64, 1, 0 },   { 64, 1, CO_CACHE_WAYS_MAX + 1 },
	};
	struct co_cache *c = (struct co_cache *)memory;
	size_t before = test_spm_use(co_hart()).used;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_EQ(co_cache_open(&c, &wrong[i]), -EINVAL);
		CHECK_EQ(co_cache_bytes(&wrong[i]), 0);
	}
	CHECK_EQ(co_cache_open(&c, &(struct co_cache_shape){ 4096, 1u << 30, 16 }), -ENOMEM);
	CHECK_EQ(co_cache_open(&c, &(struct co_cache_shape){ 4096, 1u << 31, 16 }), -ENOMEM);
	CHECK_EQ(co_cache_open(&c, &(struct co_cache_shape){ 4096, 64, 16 }), -ENOMEM);
	CHECK(c == (struct co_cache *)memory);
	CHECK_EQ(test_spm_use(co_hart()).used, before);
}

/* Each hart sums its own part, and adds to its own words. */
static intptr_t work(void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;
	struct co_cache *c;
	intptr_t sum = 0;
	int r = co_cache_open(&c, &(struct co_cache_shape){ 64, 4, 2 });

	if (r)
		return r;
	struct co_cache_view v = co_cache_view(c);

	for (unsigned i = 0; i < 256; i++) {
		int32_t *p = &memory[n * 256 + i * 37 % 256];

		sum += co_cache_load(v, int32_t, p);
		co_cache_store(v, int32_t, p, -(int32_t)n);
	}
	r = co_cache_close(c);
	return r ? r : sum;
}

TEST(each_hart_has_its_own)
{
	unsigned harts = test_computes() < 16 ? test_computes() : 16;
	static struct co *co[16];

	fill();
	for (unsigned i = 0; i < harts; i++)
		co[i] = test_spawn_on(test_compute(i), work, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < harts; i++) {
		intptr_t sum = 0;

		for (unsigned k = 0; k < 256; k++)
			sum += mirror[i * 256 + k];
		CHECK_EQ(test_join(co[i]), sum);
		CHECK_EQ(memory[i * 256 + 255], -(int32_t)i);
	}
}

/* ---- Caches of launches ---- */

#define LINE_WORDS (256 / sizeof(int32_t))

static const struct co_loop_cache small = CO_LOOP_CACHE(64, 4, 2);
static const struct co_loop_cache large = CO_LOOP_CACHE(256, 16, 2);

static void add_through(struct co_cache *c, long line)
{
	struct co_cache_view v = co_cache_view(c);

	for (size_t i = 0; i < LINE_WORDS; i++) {
		int32_t *p = &memory[(size_t)line * LINE_WORDS + i];

		co_cache_store(v, int32_t, p, co_cache_load(v, int32_t, p) + 1);
	}
}

/* Each index is a line of memory: nobody else writes there. */
static int adds(void *arg, struct co_part *part)
{
	const struct co_loop_cache *how = arg;

	if (test_spm_use(co_hart()).used < co_cache_bytes(&how->shape))
		return -ENODATA;
	CO_EACH(line, part, 0)
	add_through(part->cache, line);
	return 0;
}

static void check_added(int32_t more)
{
	for (int32_t i = 0; i < N; i++)
		CHECK_EQ(memory[i], i * 3 + 1 + more);
}

static int run_with(const struct co_loop_cache *how, co_body_fn *body, enum co_schedule schedule)
{
	static struct co_parallel loop;

	loop = LOOP(body, N / (long)LINE_WORDS, .arg = (void *)(uintptr_t)how, .cache = how,
		    .schedule = schedule);
	return co_parallel_for(&loop);
}

TEST_TIDY(b3_a_launch_says_how_much_of_a_window_is_cache)
{
	size_t most;
	unsigned hart = test_compute(0);

	fill();
	CHECK_EQ(run_with(&large, adds, CO_STATIC), 0);
	check_added(1);
	most = test_spm_use(hart).high_water;
	CHECK(most >= co_cache_bytes(&large.shape));
	/* Another launch, another size, in the same place; what the last one stored is there. */
	CHECK_EQ(run_with(&small, adds, CO_DYNAMIC), 0);
	CHECK_EQ(run_with(&large, adds, CO_CYCLIC), 0);
	check_added(3);
	CHECK_EQ(test_spm_use(hart).high_water, most);
}

static int has_none(void *arg, struct co_part *part)
{
	return part->cache ? -EEXIST : 0;
}

static int faults_at_9(void *arg, struct co_part *part)
{
	CO_EACH(line, part, 0)
	{
		add_through(part->cache, line);
		if (line == 9)
			co_panic("it is asked to");
	}
	return 0;
}

TEST_TIDY_FAULTY(b3_a_launch_without_room_for_its_cache_ends_with_an_error)
{
	static const struct co_loop_cache huge = CO_LOOP_CACHE(4096, 1024, 2);
	static const struct co_loop_cache none = CO_LOOP_CACHE(48, 1, 1);

	CHECK_EQ(run_with(&huge, adds, CO_STATIC), -ENOMEM);
	CHECK_EQ(run_with(&none, adds, CO_STATIC), -EINVAL);
	CHECK_EQ(run_with(NULL, has_none, CO_STATIC), 0);
	CHECK_EQ(run_with(&small, faults_at_9, CO_DYNAMIC), -EFAULT);
	fill();
	CHECK_EQ(run_with(&small, adds, CO_GUIDED), 0);
	check_added(1);
}

/* A tile that is written, and a look-up through the cache. */
static int looks_up(void *arg, struct co_block *b)
{
	struct co_cache_view v = co_cache_view(b->cache);
	int32_t *out = co_tile_layer(b, 0, 0);

	for (long i = 0; i < b->n[0]; i++)
		out[i] = co_cache_load(v, int32_t, &memory[(b->from[0] + i) * 7 % N]);
	return 0;
}

/* The largest cache that leaves a member so many bytes. */
static struct co_cache_shape all_but(size_t bytes)
{
	struct co_cache_shape best = { 64, 1, 1 }, shape = best;
	struct co_spm_use use = test_spm_use(test_compute(0));

	bytes = use.heap_bytes - use.used - bytes;
	for (; shape.ways <= CO_CACHE_WAYS_MAX; shape.ways++) {
		for (shape.sets = 1; co_cache_bytes(&shape) <= bytes; shape.sets *= 2) {
			if (co_cache_bytes(&shape) > co_cache_bytes(&best))
				best = shape;
		}
	}
	return best;
}

TEST_TIDY(b3_tiles_take_what_the_launchs_cache_leaves)
{
	static struct co_loop_cache most = CO_LOOP_CACHE(64, 1, 1);
	static struct co_tiles loop;

	if (co_spm_bytes() < 0x20000)
		SKIP("windows are too small");
	fill();
	memset(mirror, 0, sizeof(mirror));
	loop = (struct co_tiles){
		.body = looks_up,
		.dims = 1,
		.range = { { 0, N } },
		.arrays = 1,
		.array = { { .at = mirror, .size = 4, .extent = { N }, .access = CO_TILE_OUT } },
		.cache = &most,
	};
	loop.scope = co_scope_of(CO_GROUP, 0, CO_ROLE_COMPUTE);
	loop.scope.n = 1;
	most.shape = all_but(6144); /* a tile of the whole loop would want more */
	CHECK_EQ(co_tiles_run(&loop), 0);
	for (long i = 0; i < N; i++)
		CHECK_EQ(mirror[i], memory[i * 7 % N]);
	/* Beside that cache a tile of the whole loop is refused, and one that fits is named. */
	loop.tile[0] = N;
	CHECK_EQ(co_tiles_run(&loop), -ENOMEM);
	CHECK(loop.most[0] > 0 && loop.most[0] < N);
}
