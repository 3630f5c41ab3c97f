/*
 * pipeline - items through a row of stages on all compute harts, one after the other, checked at
 * the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/options.h"
#include "stage.h"

static const char usage[] =
	"usage: pipeline [OPTION]...\n"
	"Send items through stages that lie round-robin on the compute harts, and check what comes out.\n"
	"\n"
	"  -s, --stages=N    1 to 1024 (default: as many as there are compute harts)\n"
	"  -i, --items=N     1 to 100000000 (default 1000)\n"
	"  -c, --capacity=N  items between two stages, 1 to 256 (default 4)\n"
	"      --help        print this\n";

static struct line line = { .capacity = 4 };
static unsigned items = 1000;

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "stages", 's', .number = &line.stages, .least = 1, .most = STAGES_MAX },
		{ "items", 'i', .number = &items, .least = 1, .most = 100000000 },
		{ "capacity", 'c', .number = &line.capacity, .least = 1, .most = CAPACITY_MAX },
		{ 0 },
	};

	return app_options("pipeline", usage, known, argc, argv);
}

static intptr_t source(void *arg)
{
	int r = 0;

	(void)arg;
	for (unsigned i = 0; i < items && r == 0; i++)
		r = line_put(&line, i);
	line_end(&line);
	return r;
}

static uint64_t expected(uint64_t item)
{
	for (unsigned s = 0; s < line.stages; s++)
		item = stage_work(s, item);
	return item;
}

/* Take all items out; how many were wrong. *first: when the first one came. */
static int drain(uint64_t *first, unsigned long *wrong)
{
	uint64_t item;
	unsigned long n = 0;
	int r;

	*wrong = 0;
	for (; (r = line_get(&line, &item)) == 0; n++) {
		if (n == 0)
			*first = co_now();
		*wrong += item != expected(n);
	}
	*wrong += n < items ? items - n : n - items;
	return r == -EPIPE ? 0 : r;
}

static int fail(const char *what, int r)
{
	fprintf(stderr, "pipeline: %s: %s\n", what, strerror(-r));
	return 1;
}

static void tell(uint64_t start, uint64_t first, uint64_t end)
{
	uint64_t us = co_us(end - start);
	uint64_t hops = (uint64_t)items * (line.stages + 1);
	uint64_t passed = 0;

	for (unsigned i = 0; i < line.stages; i++)
		passed += line.stage[i].passed;
	printf("%u stages, %u harts (%s), %u items, up to %u between two stages\n", line.stages,
	       co_harts(), co_board(), items, line.capacity);
	printf("the first one was through after %" PRIu64 " us, all after %" PRIu64 " us\n",
	       co_us(first - start), us);
	printf("%" PRIu64 " hops, %" PRIu64 " ns each; %" PRIu64
	       " calls of a stage, all results right\n",
	       hops, us * 1000 / hops, passed);
}

int main(int argc, char **argv)
{
	unsigned long wrong;
	uint64_t start, first = 0, end;
	struct co *c;
	int r;

	for (unsigned g = 0; g < co_groups(); g++)
		line.stages += co_group(g)->computes;
	r = parse(argc, argv);
	if (r >= 0)
		return r;
	r = line_open(&line);
	if (r) {
		fprintf(stderr, "pipeline: no room for stage %u: %s\n", line.failed, strerror(-r));
		return 1;
	}
	start = co_now();
	r = co_spawn(&c, &(struct co_attr){ .name = "source", .on = CO_ON_HART(0) }, source, NULL);
	if (r)
		return fail("source", r);
	r = drain(&first, &wrong);
	end = co_now();
	if (r)
		return fail("the last channel", r);
	r = co_join(c, NULL);
	if (r)
		return fail("source", r);
	r = line_close(&line);
	if (r)
		return fail("a stage", r);
	if (wrong) {
		fprintf(stderr, "pipeline: %lu of %u items wrong or missing\n", wrong, items);
		return 1;
	}
	tell(start, first, end);
	return 0;
}
