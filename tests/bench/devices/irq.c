/*
 * irq.c - interrupt lines of devices, by clocks that raise theirs at once. An image of its own: one
 * that looks for devices maps them all at boot.
 */
#include "../../line.h"
#include "../bench.h"

struct device {
	const struct line *of;
	uintptr_t base;
	unsigned number;
	uint64_t came; /* by the counter */
	uint64_t sum;
	struct co_a32 handled;
};

static struct device find(void)
{
	struct device d = { 0 };

	d.of = find_line(&d.number, &d.base);
	BENCH_REQUIRE(d.of);
	return d;
}

static bool take_back(void *arg)
{
	struct device *d = arg;

	d->came = bench_clock();
	d->of->lower(d->base);
	/* relaxed: of this hart. */
	co_atomic_store(&d->handled, 1, CO_RELAXED);
	return false;
}

/* From the raising to the handler's first line, and to its return. */
static void interrupt(struct device *d)
{
	uint64_t began = bench_clock();

	d->of->raise(d->base);
	while (!co_atomic_load(&d->handled, CO_RELAXED))
		;
	co_atomic_store(&d->handled, 0, CO_RELAXED);
	d->sum += d->came - began;
}

/* A line that its waiter has raised: to the next scheduling point, back, and served. */
BENCH(irq, "5")
{
	struct bench_span s = { .turns = bench_turns(1000) };
	struct device d = find();
	static struct co_irq irq;

	BENCH_REQUIRE(co_irq_open(d.number, co_hart(), &irq) == 0);
	BENCH_TIMES(&s, d.of->raise(d.base); BENCH_CALL(co_irq_wait(&irq)); take_back(&d));
	bench_row("irq_wait", 0, bench_per_turn(&s, 1), NULL);
	co_irq_close(&irq);
}

/* A line that interrupts who has raised it. */
BENCH(irq_handler, "5")
{
	struct bench_span s = { .turns = bench_turns(1000) };
	struct device d = find();
	static struct co_irq irq;

	BENCH_REQUIRE(co_irq_handler(d.number, co_hart(), take_back, &d, &irq) == 0);
	BENCH_TIMES(&s, interrupt(&d));
	bench_row("irq_handler", 0, bench_per_turn(&s, 1), NULL);
	bench_row("irq_to_handler", 0, d.sum * BENCH_UNIT / bench_scale / s.turns / bench_passes,
		  NULL);
	co_irq_close(&irq);
}
