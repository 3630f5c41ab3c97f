/* stopwatch.c - see cohart/stopwatch.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/debug.h>
#include <cohart/hart.h>
#include <cohart/stopwatch.h>

#include "../core/core.h"
#include "../core/hook.h"
#include "../core/memory/stack.h"
#include "../core/option.h"
#include "../core/timeline.h"
#include "stopwatch.h"

/* In the hart's own scratchpad. */
static _Thread_local struct co_stopwatch_sum mine[CO_STOPWATCH_NAMES];

unsigned co_stopwatch_loops;
CO_OPTION = { "--kernel-times", &co_stopwatch_loops, CO_LOOPS_TIMED, "" };

#define ROWS (2 * CO_STOPWATCH_NAMES)

/* The sums of all harts; collect() runs on one hart at a time. */
static struct co_stopwatch_sum all[ROWS];
static const char others[] = "others";

uint64_t co_stopwatch_start(const char *name)
{
	co_mark_begin(name);
	return co_now();
}

static void add_sum(struct co_stopwatch_sum *to, const struct co_stopwatch_sum *s)
{
	to->least = to->calls && to->least < s->least ? to->least : s->least;
	to->most = to->most > s->most ? to->most : s->most;
	to->calls += s->calls;
	to->total += s->total;
	to->harts += s->harts;
}

/* Will the text be there when the table is printed, by another hart? */
static bool stays(const char *name)
{
	struct co_stack_place place;

	return name && co_spm_shared(name, 1) && !co_stack_find((uintptr_t)name, &place);
}

static NOINLINE void begin_row(struct co_stopwatch_sum *row, const char *name)
{
	CO_ASSERT_THAT(stays(name),
		       "the name of a stopwatch is a literal, or other text that stays");
	row->name = row < &mine[CO_STOPWATCH_NAMES - 1] ? name : others;
}

void co_stopwatch_stop(const char *name, uint64_t since)
{
	uint64_t took = co_now() - since;
	unsigned i = 0;

	while (mine[i].name && mine[i].name != name && i < CO_STOPWATCH_NAMES - 1)
		i++;
	if (!mine[i].name)
		begin_row(&mine[i], name);
	co_mark_end(name, 0);
	add_sum(&mine[i], &(struct co_stopwatch_sum){ NULL, 0, 1, took, took, took });
}

/* A name's row, or the first free one; NULL: only the last is free, which is for other names. */
static struct co_stopwatch_sum *row_of(const char *name)
{
	unsigned n = 0;

	while (n < ROWS - 1 && all[n].name && strcmp(all[n].name, name) != 0)
		n++;
	return n < ROWS - 1 ? &all[n] : NULL;
}

/* Names are compared by their text, since each file has its own literals. */
static intptr_t collect(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < CO_STOPWATCH_NAMES && mine[i].name; i++) {
		struct co_stopwatch_sum s = mine[i];
		struct co_stopwatch_sum *row = row_of(s.name);

		if (!row) {
			s.name = others;
			row = row_of(others) ?: &all[ROWS - 1];
		}
		row->name = s.name;
		s.harts = 1;
		add_sum(row, &s);
	}
	return 0;
}

static intptr_t forget(void *arg)
{
	(void)arg;
	memset(mine, 0, sizeof(mine));
	return 0;
}

/* Run fn on each hart, on one at a time. Returns on how many harts that failed. */
static unsigned everywhere(co_fn *fn)
{
	unsigned left_out = 0;

	for (unsigned hart = 0; hart < co_harts(); hart++) {
		const struct co_attr attr = { .name = "stopwatch", .on = CO_ON_HART(hart) };
		struct co *c;

		if (hart == co_hart())
			(void)fn(NULL);
		else if (co_spawn(&c, &attr, fn, NULL) || co_join(c, NULL))
			left_out++;
	}
	return left_out;
}

static unsigned collect_all(void)
{
	memset(all, 0, sizeof(all));
	return everywhere(collect);
}

/* Hundredths of a microsecond; a tick may be longer than one. */
static uint64_t hundredths(uint64_t ticks)
{
	return co_us(ticks * 100);
}

static void print_line(const struct co_stopwatch_sum *s)
{
	uint64_t n[] = { hundredths(s->total) / s->calls, hundredths(s->least),
			 hundredths(s->most) };

	printf("%-20s %5u %8" PRIu64 " %11" PRIu64, s->name, s->harts, s->calls, co_us(s->total));
	for (unsigned i = 0; i < sizeof(n) / sizeof(*n); i++)
		printf(" %8" PRIu64 ".%02u", n[i] / 100, (unsigned)(n[i] % 100));
	printf("\n");
}

void co_stopwatch_print(void)
{
	unsigned left_out = collect_all();

	printf("%-20s %5s %8s %11s %11s %11s %11s\n", "kernel", "harts", "calls", "total us",
	       "mean us", "least us", "most us");
	for (unsigned i = 0; i < ROWS && all[i].name; i++)
		print_line(&all[i]);
	if (left_out)
		printf("(without %u harts that could not be asked)\n", left_out);
}

void co_stopwatch_reset(void)
{
	(void)everywhere(forget);
}

int co_stopwatch_read(const char *name, struct co_stopwatch_sum *sum)
{
	const struct co_stopwatch_sum *row;

	(void)collect_all();
	row = row_of(name) ?: &all[ROWS - 1];
	if (!row->name || strcmp(row->name, name) != 0)
		return -ENOENT;
	*sum = *row;
	return 0;
}

static void begin(void)
{
	if (co_stopwatch_loops && atexit(co_stopwatch_print))
		printf("--kernel-times: there is no room for it among the calls at exit\n");
	co_stopwatch_loops |= co_timeline ? CO_LOOPS_NOTED : 0;
}

CO_HOOKS = { .machine_up = begin };
