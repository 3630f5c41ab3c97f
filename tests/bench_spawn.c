/* bench_spawn.c - starting coroutines that do nothing, and waiting for their ends. */
#include "bench/bench.h"

enum { BATCH = 64 };

static intptr_t nothing(void *arg)
{
	return (intptr_t)arg;
}

static void one(const struct co_attr *attr)
{
	struct co *c;

	BENCH_CALL(co_spawn(&c, attr, nothing, NULL));
	BENCH_CALL(co_join(c, NULL));
}

static uint64_t singly(unsigned hart)
{
	struct bench_span s = { .turns = bench_turns(100) };

	BENCH_TIMES(&s, one(&(struct co_attr){ .on = CO_ON_HART(hart) }));
	return bench_per_turn(&s, 1);
}

BENCH(spawn_join, "5 host")
{
	bench_row("spawn_join_same", 0, singly(co_hart()), NULL);
	bench_row("spawn_join_cross", 0, singly(bench_worker(1)), NULL);
}

static struct co_a32 enough;

static intptr_t stay_awake(void *arg)
{
	while (!co_atomic_load(&enough, CO_RELAXED))
		co_pause();
	return (intptr_t)arg;
}

/*
 * Where harts are threads, the kernel wakes those that sleep, which costs more than all else: here
 * neither hart sleeps.
 */
BENCH(spawn_join_awake, "host")
{
	struct co *here = bench_spawn(co_hart(), stay_awake, NULL);
	struct co *there = bench_spawn(bench_worker(1), stay_awake, NULL);

	bench_row("spawn_join_awake", 0, singly(bench_worker(1)), NULL);
	co_atomic_store(&enough, 1, CO_RELAXED);
	bench_join(here);
	bench_join(there);
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

static void anywhere(void)
{
	for (unsigned i = 0; i < BATCH; i++)
		BENCH_CALL(co_batch_spawn(&batch, NULL, nothing, NULL, NULL));
	BENCH_CALL(co_batch_join(&batch));
}

/* The same, on whatever harts the scheduler likes. */
BENCH(batch_anywhere, "65")
{
	struct bench_span s = { .turns = bench_turns(20) };

	BENCH_TIMES(&s, anywhere());
	bench_row("spawn_join_batch64_any", 64, bench_per_turn(&s, 1) / BATCH, NULL);
}

/* Where the scheduler likes; and with a name. */
BENCH(spawn_join_any, "5 host")
{
	struct bench_span s = { .turns = bench_turns(100) }, t = s;
	const int on = CO_ON_HART(bench_worker(1));

	BENCH_TIMES(&s, one(NULL));
	bench_row("spawn_join_any", 0, bench_per_turn(&s, 1), NULL);
	BENCH_TIMES(&t, one(&(struct co_attr){ .name = "nothing", .on = on }));
	bench_row("spawn_join_named", 0, bench_per_turn(&t, 1), NULL);
}

/* By class of stack, on another hart. */
BENCH(spawn_join_class, "5 host")
{
	static const struct {
		const char *name;
		enum co_stack stack;
	} classes[] = { { "1k", CO_STACK_1K }, { "2k", CO_STACK_2K }, { "4k", CO_STACK_4K } };

	for (unsigned i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		struct bench_span s = { .turns = bench_turns(100) };
		const struct co_attr of = { .on = CO_ON_HART(bench_worker(1)),
					    .stack = classes[i].stack };

		BENCH_TIMES(&s, one(&of));
		bench_row_of(0, bench_per_turn(&s, 1), "spawn_join_%s", classes[i].name);
	}
}
