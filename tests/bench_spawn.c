/* bench_spawn.c - starting coroutines that do nothing, and waiting for their ends. */
#include "bench/bench.h"

enum { BATCH = 64 };

static intptr_t nothing(void *arg)
{
	return (intptr_t)arg;
}

static void one(unsigned hart)
{
	struct co *c;

	BENCH_CALL(co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(hart) }, nothing, NULL));
	BENCH_CALL(co_join(c, NULL));
}

static uint64_t singly(unsigned hart)
{
	struct bench_span s = { .turns = bench_turns(100) };

	BENCH_TIMES(&s, one(hart));
	return bench_per_turn(&s, 1);
}

BENCH(spawn_join, "5 host")
{
	bench_row("spawn_join_same", 0, singly(co_hart()), NULL);
	bench_row("spawn_join_cross", 0, singly(bench_worker(1)), NULL);
}

/* A batch of 64 on the workers but this one; where each goes is written down before. */
static struct co_batch batch;
static struct co_attr attr[BATCH];

static void sixty_four(void)
{
	for (unsigned i = 0; i < BATCH; i++)
		BENCH_CALL(co_batch_spawn(&batch, &attr[i], nothing, NULL, NULL));
	BENCH_CALL(co_batch_join(&batch));
}

static void batches(unsigned first, unsigned workers)
{
	struct bench_span s = { .turns = bench_turns(20) };

	for (unsigned i = 0; i < BATCH; i++)
		attr[i] = (struct co_attr){ .on = CO_ON_HART(bench_worker(first + i % workers)) };
	BENCH_TIMES(&s, sixty_four());
	bench_row("spawn_join_batch64", workers, bench_per_turn(&s, 1) / BATCH, NULL);
}

BENCH(batch_on_few, "5 host")
{
	batches(1, 1);
	batches(1, 3);
}

/* On as many harts as coroutines: the first worker, who starts them, takes the last one. */
BENCH(batch_on_64, "65")
{
	batches(0, 64);
}
