/*
 * matvec - a stream of matrices times a vector, by Emitter, Workers and Collector: service time and
 * scalability from 2 to 58 harts, with a linear and with a tree-shaped multicast.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/count.h"
#include "../common/options.h"
#include "matvec.h"

static const char usage[] =
	"usage: matvec [OPTION]...\n"
	"Multiply a stream of matrices by a vector on more and more harts, and check every result.\n"
	"\n"
	"  -m, --size=56|112|168          that size alone\n"
	"  -t, --type=int|float           that type alone\n"
	"  -d, --distribution=linear|tree that multicast alone\n"
	"  -b, --by=link|mail             what carries the addresses (default: link)\n"
	"  -n, --harts=N                  Emitter, Workers and Collector together (default: a table)\n"
	"  -l, --length=N                 matrices of a stream, 2 to 100000 (default 40)\n"
	"      --in-place                 leave the matrices in main memory\n"
	"      --help                     print this\n";

static const unsigned sizes[] = { 56, 112, 168 };
static const char *const types[] = { "int", "float" };
static const char *const carriers[] = { "link", "mail" };
static const char *const distributions[] = { "linear", "tree" };

/* -1: all of them. */
static struct {
	int size, type, distribution;
	struct setup setup;
	bool counts;
} options = { -1, -1, -1, { .length = 40 }, false };

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	static const char *const names[] = { "56", "112", "168" };
	unsigned most = co_harts() < WORKERS_MAX + 2 ? co_harts() : WORKERS_MAX + 2;
	int by = 0;
	const struct app_option known[] = {
		{ "size", 'm', .which = &options.size, .words = names, .n_words = 3 },
		{ "type", 't', .which = &options.type, .words = types, .n_words = 2 },
		{ "distribution", 'd', .which = &options.distribution, .words = distributions,
		  .n_words = 2 },
		{ "by", 'b', .which = &by, .words = carriers, .n_words = 2 },
		{ "harts", 'n', .number = &options.setup.harts, .least = 1, .most = most },
		{ "length", 'l', .number = &options.setup.length, .least = 2, .most = 100000 },
		{ "in-place", .on = &options.setup.in_place },
		{ 0 },
	};
	int code = app_options("matvec", usage, known, argc, argv);

	options.setup.by_mail = by;
	return code;
}

static uint64_t busiest(const struct costs *c, char *who)
{
	uint64_t most = c->emitter;

	*who = 'E';
	if (c->worker > most) {
		most = c->worker;
		*who = 'W';
	}
	if (c->collector > most) {
		most = c->collector;
		*who = 'C';
	}
	return most;
}

/* Times of one worker, which the others are compared with. */
struct base {
	uint64_t ticks, most;
};

static void print_ratio(uint64_t a, uint64_t b)
{
	uint64_t tenths = b ? (10 * a + b / 2) / b : 0;

	printf(" %4" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
}

static void print_outcome(const struct outcome *o, struct base *base)
{
	uint64_t per = o->ticks / (options.setup.length - 1);
	uint64_t tenths = co_us(10 * per);
	uint64_t most;
	char who;

	most = busiest(&o->costs, &who);
	if (!base->ticks)
		*base = (struct base){ per, most };
	printf("  %7" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
	print_ratio(base->ticks, per);
	if (options.counts) {
		printf("  %8" PRIu64 " %c", most, who);
		print_ratio(base->most, most);
	}
}

/* One row of the table. Returns results that were wrong, or a negative errno number. */
static int show_row(struct setup *s, struct base base[2])
{
	int wrong = 0;

	printf("%5u %7u", s->harts, workers_of(s->harts));
	for (int d = 0; d < 2; d++) {
		struct outcome o;
		int r;

		if (options.distribution >= 0 && options.distribution != d)
			continue;
		s->tree = d;
		r = run_stream(s, &o);
		if (r) {
			printf("\n");
			return r;
		}
		print_outcome(&o, &base[d]);
		wrong += (int)o.wrong;
	}
	printf("\n");
	return wrong;
}

static int print_title(const struct setup *s)
{
	uint64_t ticks, instructions;
	int r = numbers_plain(&ticks, &instructions);

	if (r)
		return r;
	printf("\nM = %u, %s, by %s; the plain loop: %" PRIu64 " us", s->m, types[s->type],
	       carriers[s->by_mail], co_us(ticks));
	if (options.counts)
		printf(", %" PRIu64 " instructions", instructions);
	printf("\n             ");
	for (int d = 0; d < 2; d++) {
		if (options.distribution < 0 || options.distribution == d)
			printf("  %*s", options.counts ? -32 * !d : -15 * !d, distributions[d]);
	}
	printf("\nharts workers");
	for (int d = 0; d < 2; d++) {
		if (options.distribution < 0 || options.distribution == d)
			printf("  %9s      S%s", "us", options.counts ? "   busiest       S'" : "");
	}
	printf("\n");
	return 0;
}

/* A table, or its only row. Returns results that were wrong, or a negative errno number. */
static int show_table(struct setup *s)
{
	static const unsigned harts[] = { 2, 3, 4, 6, 10, 18, 34, 58 };
	struct base base[2] = { { 0, 0 }, { 0, 0 } };
	int wrong;

	numbers_make(s->m, s->type);
	wrong = print_title(s);
	if (wrong)
		return wrong;
	if (options.setup.harts) {
		s->harts = options.setup.harts;
		return show_row(s, base);
	}
	for (unsigned i = 0; i < sizeof(harts) / sizeof(*harts) && wrong >= 0; i++) {
		int r;

		if (harts[i] > co_harts() && i > 0)
			break;
		s->harts = harts[i] < co_harts() ? harts[i] : co_harts();
		r = show_row(s, base);
		wrong = r < 0 ? r : wrong + r;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	struct setup s;
	int code, wrong = 0;

	code = parse(argc, argv);
	if (code >= 0)
		return code;
	options.counts = app_can_count();
	s = options.setup;
	printf("streams of %u matrices on %s, %u harts\n", s.length, co_board(), co_harts());
	for (int i = 0; i < 6; i++) {
		int size = i / 2, type = i % 2;

		if ((options.size >= 0 && options.size != size) ||
		    (options.type >= 0 && options.type != type))
			continue;
		s.m = sizes[size];
		s.type = (enum scalar)type;
		code = show_table(&s);
		if (code < 0) {
			fprintf(stderr, "matvec: %u harts: %s\n", s.harts, strerror(-code));
			return 1;
		}
		wrong += code;
	}
	if (wrong) {
		fprintf(stderr, "matvec: %d results are wrong\n", wrong);
		return 1;
	}
	printf("\nall results are those of the plain loop\n");
	return 0;
}
