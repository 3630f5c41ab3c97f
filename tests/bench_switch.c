/* bench_switch.c - two coroutines of a hart that give way to each other. */
#include "bench/bench.h"

#ifdef CO_NO_FP
#define CONTEXT "int"
#else
#define CONTEXT "fp"
#endif

static struct bench_span span;

static intptr_t other(void *arg)
{
	BENCH_PARTNER(&span, co_pause());
	return 0;
}

/* There and back: two switches, two looks for work. */
BENCH(pause_pair, "5 nofp host")
{
	struct co *c = bench_spawn(co_hart(), other, NULL);

	span = (struct bench_span){ .turns = bench_turns(1000) };
	BENCH_TIMES(&span, co_pause());
	bench_join(c);
	bench_row("pause_pair_" CONTEXT, 0, bench_per_turn(&span, 2), NULL);
}

#ifndef CO_NO_FP
/* From now on the caller's floating-point registers are its own. */
static void calculate(void)
{
	static volatile double x = 1;

	x = x * 2;
}

static intptr_t other_live(void *arg)
{
	calculate();
	return other(arg);
}

static intptr_t one_live(void *arg)
{
	calculate();
	BENCH_TIMES(&span, co_pause());
	return (intptr_t)arg;
}

/* Both with floating-point registers that have been used. */
BENCH(pause_pair_live, "5 host")
{
	struct co *one, *two;

	span = (struct bench_span){ .turns = bench_turns(1000) };
	one = bench_spawn(co_hart(), one_live, NULL);
	two = bench_spawn(co_hart(), other_live, NULL);
	bench_join(one);
	bench_join(two);
	bench_row("pause_pair_fp_live", 0, bench_per_turn(&span, 2), NULL);
}
#endif

/* Nobody to give way to. */
BENCH(pause_alone, "5 host")
{
	struct bench_span s = { .turns = bench_turns(1000) };

	BENCH_TIMES(&s, co_pause());
	bench_row("pause_alone", 0, bench_per_turn(&s, 1), NULL);
}

enum { PARKED = 8 };

static struct co_barrier barrier;
static struct co_barrier_member member[PARKED + 1];

static intptr_t come(void *arg)
{
	return co_barrier_wait(&barrier, (unsigned)(uintptr_t)arg);
}

/* As pause_pair, with eight others that are parked at a barrier. */
BENCH(pause_pair_parked, "5")
{
	struct co *c[PARKED + 1];

	BENCH_REQUIRE(co_barrier_init(&barrier, PARKED + 1, CO_BARRIER_AUTO, member) == 0);
	for (uintptr_t i = 0; i < PARKED; i++)
		c[i] = bench_spawn(co_hart(), come, (void *)i);
	c[PARKED] = bench_spawn(co_hart(), other, NULL);
	span = (struct bench_span){ .turns = bench_turns(1000) };
	BENCH_TIMES(&span, co_pause());
	BENCH_REQUIRE(co_barrier_wait(&barrier, PARKED) == 0);
	for (unsigned i = 0; i <= PARKED; i++)
		bench_join(c[i]);
	bench_row_of(PARKED, bench_per_turn(&span, 2), "pause_pair_parked");
}
