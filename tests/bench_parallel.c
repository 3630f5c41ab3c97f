/* bench_parallel.c - what launching a loop costs before it does anything. */
#include "bench/bench.h"

static int nothing(void *arg, struct co_part *part)
{
	return 0;
}

/* Units for each of the compute harts; a hart's share of all that is executed. */
static void launches_of(enum co_schedule schedule, const char *name, unsigned harts, unsigned units)
{
	static struct co_parallel p;
	struct bench_span s = { .turns = bench_turns(20) };

	p = (struct co_parallel){ .body = nothing,
				  .dims = 1,
				  .range = { { 0, units * harts, 1 } },
				  .schedule = schedule };
	BENCH_TIMES(&s, BENCH_CALL(co_parallel_for(&p)));
	bench_row(name, harts, bench_per_turn(&s, 1) / harts, NULL);
}

static void launches(enum co_schedule schedule, const char *name, unsigned harts)
{
	launches_of(schedule, name, harts, 1);
}

BENCH(parallel_on_4, "5 host")
{
	launches(CO_STATIC, "parallel_static", 4);
	launches(CO_DYNAMIC, "parallel_dynamic", 4);
}

BENCH(parallel_on_64, "65")
{
	launches(CO_STATIC, "parallel_static", 64);
	launches(CO_DYNAMIC, "parallel_dynamic", 64);
}

/* Ten units a hart, one after another or in blocks. */
BENCH(parallel_units, "65")
{
	launches_of(CO_DYNAMIC, "parallel_dynamic_10", 64, 10);
	launches_of(CO_GUIDED, "parallel_guided_10", 64, 10);
}
