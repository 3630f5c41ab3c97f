/*
 * machine.c - the machine as a picture.
 */
#include <stdio.h>

#include <cohart/cohart.h>

#include "shows.h"

/* Up to this many harts each has its number in the picture. */
#define NUMBERED 80
#define NUMBERS_A_ROW 16
#define LETTERS_A_ROW 64

static void repeat(char c, unsigned times)
{
	while (times--)
		putchar(c);
}

/* One row of compute harts; `of` is how many places a full row has. */
static void draw_row(unsigned hart, unsigned count, unsigned of)
{
	if (co_harts() <= NUMBERED) {
		for (unsigned i = 0; i < count; i++)
			printf("%4u", hart + i);
		repeat(' ', 4 * (of - count));
		printf(" |\n");
		return;
	}
	putchar(' ');
	repeat('c', count);
	repeat(' ', of - count);
	printf(" | %u..%u\n", hart, hart + count - 1);
}

/* A management hart on the left, the compute harts it serves on the right. */
static void draw_group(unsigned number)
{
	const struct co_group *g = co_group(number);
	unsigned row = co_harts() <= NUMBERED ? NUMBERS_A_ROW : LETTERS_A_ROW;
	unsigned of = g->computes < row ? g->computes : row;

	printf("  group %-3u [%3u ", number, g->manager);
	if (g->computes == 0 || g->compute == g->manager) {
		printf("%s]\n", co_role_name(co_hart_role(g->manager)));
		return;
	}
	for (unsigned i = 0; i < g->computes; i += of) {
		unsigned left = g->computes - i;

		if (i)
			printf("%26s", "");
		else
			printf("manage]--");
		putchar('|');
		draw_row(g->compute + i, left < of ? left : of, of);
	}
	if (g->movers)
		printf("%26s+ %u move hart%s, from %u on\n", "", g->movers,
		       g->movers == 1 ? "" : "s", g->compute + g->computes);
}

static void draw_part(size_t offset, size_t bytes, const char *who, const char *name)
{
	unsigned cells = (unsigned)((40 * bytes + co_spm_bytes() - 1) / co_spm_bytes());

	printf("  %06zx %7zu  %-7s  %-18s ", offset, bytes, who, name);
	repeat('#', cells);
	putchar('\n');
}

static void draw_scratchpad(void)
{
	unsigned count;
	const struct co_spm_part *parts = co_spm_parts(&count);
	size_t end = 0;

	printf("\nscratchpad: %zu KiB for each hart, all the same\n", co_spm_bytes() / 1024);
	for (unsigned i = 0; i < count; i++) {
		const struct co_spm_part *p = &parts[i];

		/* What lies between parts is not mapped: a stack that overflows ends there. */
		if (p->offset > end)
			draw_part(end, p->offset - end, "nobody", "guard");
		draw_part(p->offset, p->bytes, p->is_public ? "public" : "private", p->name);
		end = p->offset + p->bytes;
	}
}

void show_machine(void)
{
	printf("Cohart %s on %s: %u hart%s, topology %s\n\n", CO_VERSION, co_board(), co_harts(),
	       co_harts() == 1 ? "" : "s", co_topology());
	for (unsigned g = 0; g < co_groups(); g++)
		draw_group(g);
	if (!co_hart_has_cas(co_harts() - 1) && co_hart_has_cas(0))
		printf("  (compute harts have no compare-and-swap: channels take tickets)\n");
	if (co_harts() > NUMBERED)
		printf("  (each c is a compute hart)\n");
	draw_scratchpad();
}
