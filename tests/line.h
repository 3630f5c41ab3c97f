/* line.h - a device of the board that raises and lowers its line on demand. */
#ifndef TESTS_LINE_H
#define TESTS_LINE_H

#include <cohart/device.h>
#include <cohart/irq.h>

struct line {
	const char *compatible;
	unsigned n; /* which of them */
	void (*raise)(uintptr_t base);
	void (*lower)(uintptr_t base);
};

static inline volatile uint32_t *line_reg(uintptr_t base, unsigned offset)
{
	return (volatile uint32_t *)(base + offset);
}

/* Goldfish's clock: an alarm that is not in the future comes at once. */
static inline void goldfish_raise(uintptr_t base)
{
	*line_reg(base, 0x10) = 1; /* enable */
	*line_reg(base, 0x0c) = 0; /* alarm, upper half, then lower */
	*line_reg(base, 0x08) = 0;
}

static inline void goldfish_lower(uintptr_t base)
{
	*line_reg(base, 0x1c) = 1; /* clear */
}

/* PL031: a match with the time of now comes at once. */
static inline void pl031_raise(uintptr_t base)
{
	uint32_t now;

	*line_reg(base, 0x10) = 1; /* mask set: let it through */
	do {                       /* the second may pass in between: then it may come twice */
		now = *line_reg(base, 0x00);
		*line_reg(base, 0x04) = now;
	} while (*line_reg(base, 0x00) != now);
}

static inline void pl031_lower(uintptr_t base)
{
	*line_reg(base, 0x1c) = 1;
}

/* A Cadence UART that nobody uses: its transmitter is empty. */
static inline void cadence_raise(uintptr_t base)
{
	*line_reg(base, 0x08) = 8; /* enable */
}

static inline void cadence_lower(uintptr_t base)
{
	*line_reg(base, 0x0c) = 8; /* disable */
}

/* SiFive's: less than one byte is in the transmitter. */
static inline void sifive_raise(uintptr_t base)
{
	*line_reg(base, 0x08) = 1 << 16 | 1; /* txcnt, txen */
	*line_reg(base, 0x10) = 1;           /* ie */
}

static inline void sifive_lower(uintptr_t base)
{
	*line_reg(base, 0x10) = 0;
}

/* BCM2835's timer: it comes after 50 us; set anew if that has passed in between. */
static inline void bcm2835_raise(uintptr_t base)
{
	uint32_t then;

	do {
		then = *line_reg(base, 0x04) + 50;
		*line_reg(base, 0x10) = then; /* compare 1 */
	} while ((int32_t)(*line_reg(base, 0x04) - then) >= 0);
}

static inline void bcm2835_lower(uintptr_t base)
{
	*line_reg(base, 0x00) = 1 << 1;
}

static const struct line lines_known[] = {
	{ "google,goldfish-rtc", 0, goldfish_raise, goldfish_lower },
	{ "arm,pl031", 0, pl031_raise, pl031_lower },
	{ "sifive,uart0", 1, sifive_raise, sifive_lower },
	{ "cdns,uart-r1p12", 1, cadence_raise, cadence_lower },
	{ "brcm,bcm2835-system-timer", 0, bcm2835_raise, bcm2835_lower },
};

/* The board's; its number and registers go to *number, *base. NULL: it has none. */
static inline const struct line *find_line(unsigned *number, uintptr_t *base)
{
	struct co_device_info d;

	for (unsigned i = 0; i < sizeof(lines_known) / sizeof(*lines_known); i++) {
		const struct line *l = &lines_known[i];

		if (co_device_find(l->compatible, l->n, &d) == 0 && d.lines && d.ranges) {
			*number = d.line[0];
			*base = (uintptr_t)d.range[0].registers;
			return l;
		}
	}
	return NULL;
}

#endif
