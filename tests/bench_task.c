/* bench_task.c - what handing out a task costs, and noting that it is done. */
#include "bench/bench.h"

static struct co_tasks t;

static int nothing(void *arg, long task)
{
	return 0;
}

static void once(void)
{
	BENCH_CALL(co_tasks_open(&t));
	BENCH_CALL(co_tasks_run(&t, nothing, NULL));
}

/* So many for each of the workers, of all that is executed from the first to the last. */
static void tasks(const char *name, unsigned workers, unsigned each)
{
	struct bench_span s = { .turns = bench_turns(5) };

	t = (struct co_tasks){ .total = (long)(workers * each) };
	t.memory = malloc(co_tasks_bytes(t.total));
	BENCH_REQUIRE(t.memory);
	BENCH_TIMES(&s, once());
	bench_row(name, workers, bench_per_turn(&s, 1) / (workers * each), NULL);
	free(t.memory);
}

BENCH(tasks_on_4, "5 host")
{
	tasks("task", 4, 1000);
}

BENCH(tasks_on_64, "65")
{
	tasks("task", 64, 1000);
}

/* Four groups, each with a pool. */
BENCH(tasks_in_groups, "4x(1+64)")
{
	tasks("task_in_groups", 256, 250);
}
