/*
 * bench_barrier.c - a hart's share of an episode: what all harts together execute, divided by their
 * number.
 *
 * The members come again and again, each on a hart of its own, and no other hart is awake. So what
 * is counted from one return of the first member to a later one is whole episodes: the part of the
 * first that others have still to do then is as large as what they have still to do of the last.
 * Each sleeps in each episode, but for the last one to come.
 */
#include "bench/bench.h"

enum { MOST = 512 };

static struct {
	struct bench_span span;
	struct co_barrier barrier;
	struct co_barrier_member *data[MOST]; /* in the member's own scratchpad */
	struct co *co[MOST];
	unsigned members;
	unsigned harts; /* on so many; 0: as many as members */
} b;

/* The hart of member i: workers first, then, for as many members as harts, hart 0. */
static unsigned hart_of(unsigned i)
{
	return (bench_worker(0) + (b.harts ? i % b.harts : i)) % co_harts();
}

static intptr_t take_data(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	b.data[i] = co_spm_alloc(sizeof(struct co_barrier_member), CO_LINE);
	BENCH_REQUIRE(b.data[i]);
	*b.data[i] = (struct co_barrier_member){ 0 };
	return 0;
}

static intptr_t leave_data(void *arg)
{
	co_spm_free(b.data[(uintptr_t)arg]);
	return 0;
}

static void come(unsigned i)
{
	if (i == 0) {
		BENCH_TIMES(&b.span, BENCH_CALL(co_barrier_wait(&b.barrier, 0)));
	} else {
		BENCH_PARTNER(&b.span, BENCH_CALL(co_barrier_wait(&b.barrier, i)));
	}
}

static intptr_t member(void *arg)
{
	come((unsigned)(uintptr_t)arg);
	return 0;
}

static void on_all(co_fn *fn, unsigned from)
{
	for (unsigned i = from; i < b.members; i++)
		b.co[i] = bench_spawn(hart_of(i), fn, (void *)(uintptr_t)i);
	if (from)
		fn((void *)0);
	for (unsigned i = from; i < b.members; i++)
		bench_join(b.co[i]);
}

static void measure(enum co_barrier_form form, const char *name, unsigned n)
{
	b.members = n;
	b.span = (struct bench_span){ .turns = bench_turns(n > 64 ? 10 : 40) };
	on_all(take_data, 0);
	BENCH_REQUIRE(co_barrier_init_at(&b.barrier, n, form, b.data) == 0);
	on_all(member, 1);
	on_all(leave_data, 0);
	bench_row_of(n, bench_per_turn(&b.span, n) / n, "barrier_%s_%u", name, n);
}

static void measure_all(unsigned from, unsigned to)
{
	for (unsigned n = from; n <= to; n *= 2) {
		measure(CO_BARRIER_CENTRAL, "central", n);
		measure(CO_BARRIER_TREE, "tree", n);
	}
}

BENCH(barrier, "65")
{
	measure_all(2, 64);
}

BENCH(barrier_many, "512")
{
	measure_all(128, 512);
}

/* Eight on each of two harts, which run each other's members meanwhile. */
BENCH(barrier_crowded, "5")
{
	b.harts = 2;
	measure(CO_BARRIER_AUTO, "on_2_harts", 16);
	b.harts = 0;
}
