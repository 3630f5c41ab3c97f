/*
 * pipeline - items through a row of stages on all compute harts, one after the other, checked at
 * the end.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

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
static unsigned long items = 1000;

static bool parse_number(const char *text, unsigned long high, unsigned long *n)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value < 1 || value > high) {
		fprintf(stderr, "pipeline: a number from 1 to %lu, not '%s'\n", high, text);
		return false;
	}
	*n = value;
	return true;
}

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "stages", required_argument, NULL, 's' },
		{ "items", required_argument, NULL, 'i' },
		{ "capacity", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	unsigned long n = 0;
	bool good = true;
	int option;

	while (good && (option = getopt_long(argc, argv, "s:i:c:", names, NULL)) != -1) {
		switch (option) {
		case 's':
			good = parse_number(optarg, STAGES_MAX, &n);
			line.stages = (unsigned)n;
			break;
		case 'i':
			good = parse_number(optarg, 100000000, &items);
			break;
		case 'c':
			good = parse_number(optarg, CAPACITY_MAX, &n);
			line.capacity = (unsigned)n;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default: /* getopt_long() has said what is wrong */
			good = false;
		}
	}
	if (good && optind < argc) {
		fprintf(stderr, "pipeline: what is '%s'?\n", argv[optind]);
		good = false;
	}
	if (!good)
		fputs(usage, stderr);
	return good ? -1 : 2;
}

static intptr_t source(void *arg)
{
	int r = 0;

	(void)arg;
	for (unsigned long i = 0; i < items && r == 0; i++)
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
	printf("%u stages, %u harts (%s), %lu items, up to %u between two stages\n", line.stages,
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
	co_join(c, NULL);
	r = line_close(&line);
	if (r)
		return fail("a stage", r);
	if (wrong) {
		fprintf(stderr, "pipeline: %lu of %lu items wrong or missing\n", wrong, items);
		return 1;
	}
	tell(start, first, end);
	return 0;
}
