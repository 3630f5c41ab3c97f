/*
 * main.c - set the alarm of a clock, and wait for its interrupt: Goldfish's (QEMU's RISC-V
 * machines), or a PL031 (its Arm machines), which counts seconds.
 *
 *	make run APP=alarm ARGS=1500        in 1500 ms
 *
 * With ICOUNT=1 DEVICES='-rtc clock=vm' a nanosecond is an instruction: Goldfish's says how many
 * there are from the line to the coroutine.
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

static int wait_for_alarm(const struct clock *c, const struct co_device_info *d, unsigned ms)
{
	volatile uint32_t *reg = d->range[0].registers;
	struct co_irq irq;
	uint64_t began = co_now(), then, late;
	int r = co_irq_open(d->line[0], co_hart(), &irq);

	if (r)
		return r;
	then = c->set(reg, ms);
	r = co_irq_wait_until(&irq, co_after_us((ms + 2000) * UINT64_C(1000)));
	late = c->now(reg) - then;
	reg[c->served] = 1;
	co_irq_close(&irq);
	if (r == 0)
		printf("%s, line %u: after %lu ms, %lu %s late\n", d->compatible, d->line[0],
		       (unsigned long)((co_now() - began) / co_ticks(1000)), (unsigned long)late,
		       c->unit);
	return r;
}

int main(int argc, char **argv)
{
	unsigned ms = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;

	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct co_device_info d;
		int r;

		if (co_device_find(clocks[i].compatible, 0, &d) || !d.ranges || !d.lines)
			continue;
		r = wait_for_alarm(&clocks[i], &d, ms);
		if (r)
			fprintf(stderr, "alarm: %s\n", strerror(-r));
		return r != 0;
	}
	fprintf(stderr, "alarm: this board has no clock that is known here\n");
	return 1;
}
