/*
 * bench_printf.c - a compute hart's share of a printf with two arguments: what it executes itself,
 * while hart 0 formats and prints. The print ring is full once in so many turns, and the wait for
 * room is in the count.
 *
 * Waited is the same with a precision, so that it is not deferred. Direct is the same text made by
 * the hart itself (snprintf) and handed over whole: formatted here, printed there (seed E11).
 */
#include "bench/keep.h"

enum { TURNS = 480, SLEEPS = 768, TEXT = 32 };

static struct co_event go;

/* Lines that begin with # are no rows (tests/bench/bench). */
static intptr_t deferred(void *arg)
{
	unsigned turns = (unsigned)(uintptr_t)arg;

	BENCH_REQUIRE(co_event_wait(&go) == 0);
	BENCH_TURNS(turns, printf("# %d %d\n", 1234, 5678));
	return 0;
}

static intptr_t waited(void *arg)
{
	unsigned turns = (unsigned)(uintptr_t)arg;

	BENCH_REQUIRE(co_event_wait(&go) == 0);
	BENCH_TURNS(turns, printf("# %.4d %.4d\n", 1234, 5678));
	return 0;
}

static intptr_t direct(void *arg)
{
	unsigned turns = (unsigned)(uintptr_t)arg;
	char text[TEXT];

	BENCH_REQUIRE(co_event_wait(&go) == 0);
	BENCH_TURNS(turns, snprintf(text, sizeof(text), "# %d %d\n", 1234, 5678);
		    fputs(text, stdout));
	return 0;
}

/*
 * A wait for a time, on a hart that has nothing else to do. Its timer cuts keepers' turns, so that
 * only the sum of what they have seen is right; no other hart is awake. Where it cuts them moves by
 * whole loops of theirs with any change of the code: so the times slept for differ, and are many.
 */
static intptr_t sleeper(void *arg)
{
	unsigned turns = (unsigned)(uintptr_t)arg;

	BENCH_REQUIRE(co_event_wait(&go) == 0);
	BENCH_TURNS(turns, BENCH_CALL(co_sleep_us(5 + turn_ % 16)));
	return 0;
}

/* What hart 3 executes for so many turns; harts 2 and 4 keep the count. */
static int64_t share(co_fn *fn, unsigned turns)
{
	struct co *c = bench_spawn(3, fn, (void *)(uintptr_t)turns);

	co_event_clear(&go);
	keep_start((unsigned[]){ 2, 4 }, 2, 0, 0);
	co_event_set(&go);
	bench_join(c);
	keep_stop();
	return fn == sleeper ? keep_count(0) + keep_count(1) : keep_count(1);
}

static uint64_t per_turn(co_fn *fn, unsigned turns)
{
	int64_t once = share(fn, turns), twice = share(fn, 2 * turns);

	return (uint64_t)(BENCH_UNIT * (twice - once)) / turns - bench_empty_turn();
}

BENCH(printf, "5")
{
	per_turn(deferred, TURNS); /* warms up */
	bench_row("printf_2", 0, per_turn(deferred, TURNS), NULL);
	bench_row("printf_2_waited", 0, per_turn(waited, TURNS), NULL);
	bench_row("printf_2_direct", 0, per_turn(direct, TURNS), NULL);
}

BENCH(sleep, "5")
{
	bench_row("sleep", 0, per_turn(sleeper, SLEEPS), NULL);
}
