/*
 * irq.c - interrupt lines of devices, by clocks that raise theirs at once. An image of its own: one
 * that looks for devices maps them all at boot.
 */
#include "../bench.h"

/* What the device does: struct line's functions of tests/line.h, without the checks. */
static void goldfish_raise(volatile uint32_t *reg)
{
	reg[0x10 / 4] = 1; /* enable */
	reg[0x0c / 4] = 0; /* alarm: past */
	reg[0x08 / 4] = 0;
}

static void goldfish_lower(volatile uint32_t *reg)
{
	reg[0x1c / 4] = 1;
}

static void pl031_raise(volatile uint32_t *reg)
{
	uint32_t now;

	reg[0x10 / 4] = 1; /* let it through */
	do {
		now = reg[0];
		reg[0x04 / 4] = now; /* match */
	} while (reg[0] != now);
}

static const struct clock {
	const char *compatible;
	void (*raise)(volatile uint32_t *reg);
} clocks[] = { { "google,goldfish-rtc", goldfish_raise }, { "arm,pl031", pl031_raise } };

struct device {
	const struct clock *clock;
	volatile uint32_t *reg;
	unsigned line;
	uint64_t came; /* by the counter */
	uint64_t sum;
	struct co_a32 handled;
};

static struct device find(void)
{
	struct co_device_info d;
	struct device found = { .clock = clocks };

	if (co_device_find(clocks[0].compatible, 0, &d))
		BENCH_REQUIRE(co_device_find((++found.clock)->compatible, 0, &d) == 0);
	found.reg = (volatile uint32_t *)d.range[0].registers;
	found.line = d.line[0];
	return found;
}

static void raise_line(struct device *d)
{
	d->clock->raise(d->reg);
}

/* Both clocks take their line back by a 1 there. */
static bool take_back(void *arg)
{
	struct device *d = arg;

	d->came = bench_clock();
	goldfish_lower(d->reg);
	/* relaxed: of this hart. */
	co_atomic_store(&d->handled, 1, CO_RELAXED);
	return false;
}

/* From the raising to the handler's first line, and to its return. */
static void interrupt(struct device *d)
{
	uint64_t began = bench_clock();

	raise_line(d);
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

	BENCH_REQUIRE(co_irq_open(d.line, co_hart(), &irq) == 0);
	BENCH_TIMES(&s, raise_line(&d); BENCH_CALL(co_irq_wait(&irq)); take_back(&d));
	bench_row("irq_wait", 0, bench_per_turn(&s, 1), NULL);
	co_irq_close(&irq);
}

/* A line that interrupts who has raised it. */
BENCH(irq_handler, "5")
{
	struct bench_span s = { .turns = bench_turns(1000) };
	struct device d = find();
	static struct co_irq irq;

	BENCH_REQUIRE(co_irq_handler(d.line, co_hart(), take_back, &d, &irq) == 0);
	BENCH_TIMES(&s, interrupt(&d));
	bench_row("irq_handler", 0, bench_per_turn(&s, 1), NULL);
	bench_row("irq_to_handler", 0, d.sum * BENCH_UNIT / bench_scale / s.turns / bench_passes,
		  NULL);
	co_irq_close(&irq);
}
