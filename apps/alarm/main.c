/*
 * main.c - set the alarm of a clock, and wait for its interrupt: Goldfish's (QEMU's RISC-V
 * machines), or a PL031 (its Arm machines), which counts seconds.
 *
 *	make run APP=alarm ARGS=1500            in 1500 ms
 *	make run APP=alarm ARGS='20 handler'    by a handler, which interrupts the hart
 *
 * With ICOUNT=1 DEVICES='-rtc clock=vm' a nanosecond is an instruction: Goldfish's says how many
 * there are from the line to the coroutine, or to the handler.
 *
 * Source: Arm PL031 manual (DDI 0224), 3; Goldfish's virtual hardware, "goldfish_rtc".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

/* Goldfish, by words: time and alarm are in nanoseconds. */
enum { G_LOW, G_HIGH, G_ALARM_LOW, G_ALARM_HIGH, G_ENABLE, G_SERVED = 0x1c / 4 };
/* PL031 */
enum { P_NOW, P_MATCH, P_ENABLE = 0x10 / 4, P_SERVED = 0x1c / 4 };

static uint64_t goldfish_now(volatile uint32_t *reg)
{
	uint64_t low = reg[G_LOW]; /* first: it latches the upper half */

	return (uint64_t)reg[G_HIGH] << 32 | low;
}

static uint64_t goldfish_set(volatile uint32_t *reg, unsigned ms)
{
	uint64_t then = goldfish_now(reg) + ms * UINT64_C(1000000);

	reg[G_ENABLE] = 1;
	reg[G_ALARM_HIGH] = (uint32_t)(then >> 32);
	reg[G_ALARM_LOW] = (uint32_t)then; /* sets both */
	return then;
}

static uint64_t pl031_now(volatile uint32_t *reg)
{
	return reg[P_NOW];
}

static uint64_t pl031_set(volatile uint32_t *reg, unsigned ms)
{
	uint32_t then = reg[P_NOW] + (ms + 999) / 1000;

	reg[P_ENABLE] = 1;
	reg[P_MATCH] = then;
	return then;
}

static const struct clock {
	const char *compatible, *unit;
	uint64_t (*now)(volatile uint32_t *reg);
	uint64_t (*set)(volatile uint32_t *reg, unsigned ms);
	unsigned served;
} clocks[] = { { "google,goldfish-rtc", "ns", goldfish_now, goldfish_set, G_SERVED },
	       { "arm,pl031", "s", pl031_now, pl031_set, P_SERVED } };

struct alarm {
	const struct clock *clock;
	volatile uint32_t *reg;
	uint64_t came; /* when it did, by the clock */
};

/* Also the handler, which wakes the coroutine that waits. */
static bool serve(void *arg)
{
	struct alarm *a = arg;

	a->came = a->clock->now(a->reg);
	a->reg[a->clock->served] = 1;
	return true;
}

static int wait_for_alarm(struct alarm *a, const struct co_device_info *d, unsigned ms,
			  bool handler)
{
	static struct co_irq irq;
	uint64_t began = co_now(), then;
	int r = handler ? co_irq_handler(d->line[0], co_hart(), serve, a, &irq)
			: co_irq_open(d->line[0], co_hart(), &irq);

	if (r)
		return r;
	then = a->clock->set(a->reg, ms);
	r = co_irq_wait_until(&irq, co_after_us((ms + 2000) * UINT64_C(1000)));
	if (r == 0 && !handler)
		serve(a);
	co_irq_close(&irq);
	if (r == 0)
		printf("%s, line %u: after %lu ms, %lu %s late\n", d->compatible, d->line[0],
		       (unsigned long)((co_now() - began) / co_ticks(1000)),
		       (unsigned long)(a->came - then), a->clock->unit);
	return r;
}

int main(int argc, char **argv)
{
	unsigned ms = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
	bool handler = argc > 2 && strcmp(argv[2], "handler") == 0;

	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		static struct alarm alarm;
		struct co_device_info d;
		int r;

		if (co_device_find(clocks[i].compatible, 0, &d) || !d.ranges || !d.lines)
			continue;
		alarm.clock = &clocks[i];
		alarm.reg = d.range[0].registers;
		r = wait_for_alarm(&alarm, &d, ms, handler);
		if (r)
			fprintf(stderr, "alarm: %s\n", strerror(-r));
		return r != 0;
	}
	fprintf(stderr, "alarm: this board has no clock that is known here\n");
	return 1;
}
