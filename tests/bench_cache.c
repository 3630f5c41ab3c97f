/* bench_cache.c - what the software cache adds to an access that it has. */
#include "bench/bench.h"

#define N 1024 /* all of it is there */

/* The address is in a register, in both: no address mode of a loop's saves an instruction. */
#define OPAQUE(p) __asm__ volatile("" : "+r"(p))

static _Alignas(128) int32_t words[N];

static __attribute__((noinline)) int32_t load(struct co_cache_view *unused, int32_t *p)
{
	int32_t sum = 0;

	for (unsigned i = 0; i < N; i++) {
		int32_t *at = &p[i];

		OPAQUE(at);
		sum += *at;
	}
	return sum;
}

static __attribute__((noinline)) int32_t load_through(struct co_cache_view *view, int32_t *p)
{
	struct co_cache_view v = *view;
	int32_t sum = 0;

	for (unsigned i = 0; i < N; i++) {
		int32_t *at = &p[i];

		OPAQUE(at);
		sum += co_cache_load(v, int32_t, at);
	}
	return sum;
}

static __attribute__((noinline)) int32_t store(struct co_cache_view *unused, int32_t *p)
{
	for (unsigned i = 0; i < N; i++) {
		int32_t *at = &p[i];

		OPAQUE(at);
		*at = (int32_t)i;
	}
	return 0;
}

static __attribute__((noinline)) int32_t store_through(struct co_cache_view *view, int32_t *p)
{
	struct co_cache_view v = *view;

	for (unsigned i = 0; i < N; i++) {
		int32_t *at = &p[i];

		OPAQUE(at);
		co_cache_store(v, int32_t, at, (int32_t)i);
	}
	return 0;
}

typedef int32_t accesses(struct co_cache_view *v, int32_t *p);

static uint64_t cost_of(accesses *f, struct co_cache_view *v)
{
	struct bench_span s = { .turns = bench_turns(4) };
	accesses *volatile opaque = f;

	BENCH_TIMES(&s, BENCH_CALL(opaque(v, words)));
	return bench_per_turn(&s, 1);
}

/* One more access than without the cache, and what finds it there. */
BENCH(cache, "5 host")
{
	struct co_cache *c = NULL;
	struct co_cache_view v;

	BENCH_REQUIRE(co_cache_open(&c, &(struct co_cache_shape){ 128, N * 4 / 128, 1 }) == 0);
	v = co_cache_view(c);
	bench_row("cache_load_hit", 0, (cost_of(load_through, &v) - cost_of(load, &v)) / N, NULL);
	bench_row("cache_store_hit", 0, (cost_of(store_through, &v) - cost_of(store, &v)) / N,
		  NULL);
	BENCH_REQUIRE(co_cache_close(c) == 0);
}
