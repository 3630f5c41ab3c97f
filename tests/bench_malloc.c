/* bench_malloc.c - malloc() and free() beside many blocks and many holes. */
#include "bench/bench.h"
#include "harness/random.h"

static intptr_t allocates(void *arg)
{
	struct bench_span *s = arg;
	void *volatile p;

	BENCH_TIMES(s, p = malloc(64); free(p));
	return 0;
}

static intptr_t allocates_many(void *arg)
{
	static void *block[64];
	struct bench_span *s = arg;

	BENCH_TIMES(s, for (unsigned i = 0; i < 64; i++) block[i] = malloc(64);
		    for (unsigned i = 0; i < 64; i++) free(block[i]));
	return 0;
}

/* A block of 64 bytes on a compute hart, which has freed one like it before; and one of 64 that it
 * has. */
BENCH(malloc, "5")
{
	static struct bench_span one, many;

	one.turns = bench_turns(1000);
	bench_join(bench_spawn(bench_worker(0), allocates, &one));
	bench_row("malloc_free", 64, bench_per_turn(&one, 1), NULL);
	many.turns = bench_turns(64);
	bench_join(bench_spawn(bench_worker(0), allocates_many, &many));
	bench_row("malloc_free_64", 64, bench_per_turn(&many, 128) / 64, NULL);
}

/*
 * The mean of 1,000 calls and the most that one takes, while so many blocks of 16 to 527 bytes
 * live, in random order, or every other one has been freed again.
 */
struct beside {
	unsigned blocks;
	bool holes;
	uint64_t sum, most;
	unsigned calls;
};

static void note(struct beside *b, uint64_t start, uint64_t empty)
{
	uint64_t took = (bench_clock() - start - empty) / bench_scale;

	b->sum += took;
	b->calls++;
	b->most = took > b->most ? took : b->most;
}

static void one_call(struct beside *b, void **p, size_t bytes)
{
	uint64_t a = bench_clock(), empty = bench_clock() - a, start = bench_clock();

	if (*p) {
		free(*p);
		*p = NULL;
	} else {
		*p = malloc(bytes);
	}
	note(b, start, empty);
}

static intptr_t allocates_beside(void *arg)
{
	struct beside *b = arg;
	struct test_random r = { 1 };
	unsigned slots = b->holes ? 2 * b->blocks : b->blocks;
	void **p = malloc(slots * sizeof(*p));

	BENCH_REQUIRE(p);
	for (unsigned i = 0; i < slots; i++)
		BENCH_REQUIRE(p[i] = malloc(16 + test_below(&r, 512)));
	for (unsigned i = 0; b->holes && i < slots; i += 2) {
		free(p[i]);
		p[i] = NULL;
	}
	b->sum = b->most = b->calls = 0;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned n = test_below(&r, slots);

		one_call(b, &p[n], 16 + test_below(&r, 512));
		one_call(b, &p[n], 16 + test_below(&r, 512));
	}
	for (unsigned i = 0; i < slots; i++)
		free(p[i]);
	free(p);
	return 0;
}

/* Keeps hart 0 from looking whether all harts are stuck, which would be counted. */
static intptr_t has_deadline(void *arg)
{
	return co_sleep_us(3600000000u);
}

BENCH(malloc_beside, "5")
{
	static struct beside b;
	struct co *sleeper = bench_spawn(0, has_deadline, NULL);

	for (b.blocks = 1000; b.blocks <= 100000; b.blocks *= 10) {
		for (unsigned holes = 0; holes < 2; holes++) {
			const char *what = holes ? "holes" : "live";

			b.holes = holes;
			fflush(stdout); /* hart 0 has no rows to print meanwhile */
			bench_join(bench_spawn(bench_worker(0), allocates_beside, &b));
			bench_row_of(b.blocks, BENCH_UNIT * b.sum / b.calls, "malloc_%s", what);
			bench_row_of(b.blocks, BENCH_UNIT * b.most, "malloc_%s_most", what);
		}
	}
	co_cancel(sleeper);
	(void)!co_join(sleeper, NULL);
}

/*
 * The most that one call takes, for blocks of 16 B to 8 KiB, each power of two as often: while so
 * many blocks are taken, while some are replaced, while every other one is freed and some are taken
 * there, and while another hart frees all that are left, which is counted as growth.
 */
enum phase { GROWTH, LIVE, HOLES, PHASES };

static struct {
	struct test_random random;
	unsigned blocks;
	void **p;
	uint64_t malloc_most[PHASES], free_most[PHASES];
} slowest;

static void timed_malloc(unsigned i, enum phase phase)
{
	/* What 100,000 blocks of up to 8 KiB need is more than there is. */
	size_t low = (size_t)16 << test_below(&slowest.random, slowest.blocks > 10000 ? 7 : 9);
	size_t bytes = low + test_below(&slowest.random, (unsigned)low);
	uint64_t a = bench_clock(), empty = bench_clock() - a, start, took;

	start = bench_clock();
	slowest.p[i] = malloc(bytes);
	took = (bench_clock() - start - empty) / bench_scale;
	BENCH_REQUIRE(slowest.p[i]);
	if (took > slowest.malloc_most[phase])
		slowest.malloc_most[phase] = took;
}

static void timed_free(unsigned i, enum phase phase)
{
	uint64_t a = bench_clock(), empty = bench_clock() - a, start, took;

	start = bench_clock();
	free(slowest.p[i]);
	took = (bench_clock() - start - empty) / bench_scale;
	slowest.p[i] = NULL;
	if (took > slowest.free_most[phase])
		slowest.free_most[phase] = took;
}

static intptr_t grows_and_lives(void *arg)
{
	for (unsigned i = 0; i < slowest.blocks; i++)
		timed_malloc(i, GROWTH);
	for (unsigned turn = 0; turn < 10000; turn++) {
		unsigned i = test_below(&slowest.random, slowest.blocks);

		timed_free(i, LIVE);
		timed_malloc(i, LIVE);
	}
	for (unsigned i = 0; i < slowest.blocks; i += 2)
		timed_free(i, HOLES);
	for (unsigned turn = 0; turn < 10000; turn++) {
		unsigned i = test_below(&slowest.random, slowest.blocks);

		if (slowest.p[i])
			timed_free(i, HOLES);
		else
			timed_malloc(i, HOLES);
	}
	return 0;
}

static intptr_t frees_all(void *arg)
{
	for (unsigned i = 0; i < slowest.blocks; i++) {
		if (slowest.p[i])
			timed_free(i, GROWTH);
	}
	return 0;
}

BENCH(malloc_slowest, "5")
{
	struct co *sleeper = bench_spawn(0, has_deadline, NULL);

	static const char *const names[PHASES] = { "growth", "live", "holes" };

	for (unsigned n = 1000; n <= 100000; n *= 10) {
		memset(&slowest, 0, sizeof(slowest));
		slowest.random.state = n;
		slowest.blocks = n;
		slowest.p = malloc(n * sizeof(*slowest.p));
		BENCH_REQUIRE(slowest.p);
		fflush(stdout); /* hart 0 has no rows to print meanwhile */
		bench_join(bench_spawn(bench_worker(0), grows_and_lives, NULL));
		bench_join(bench_spawn(bench_worker(1), frees_all, NULL));
		free(slowest.p);
		for (unsigned i = 0; i < PHASES; i++) {
			bench_row_of(n, BENCH_UNIT * slowest.malloc_most[i], "malloc_slowest_%s",
				     names[i]);
			bench_row_of(n, BENCH_UNIT * slowest.free_most[i], "free_slowest_%s",
				     names[i]);
		}
	}
	co_cancel(sleeper);
	(void)!co_join(sleeper, NULL);
}
