/*
 * matvec - a stream of matrices times a vector, by Emitter, Workers and Collector: service time and
 * scalability from 2 to 58 harts, with a linear and with a tree-shaped multicast.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "matvec.h"

static const char usage[] =
	"usage: matvec [OPTION]...\n"
	"Multiply a stream of matrices by a vector on more and more harts, and check every result.\n"
	"\n"
	"  -m, --size=56|112|168          that size alone\n"
	"  -t, --type=int|float           that type alone\n"
	"  -d, --distribution=linear|tree that multicast alone\n"
	"  -b, --by=channel|link|mail     what carries the addresses (default: link)\n"
	"  -n, --harts=N                  Emitter, Workers and Collector together (default: a table)\n"
	"  -l, --length=N                 matrices of a stream, 2 to 100000 (default 40)\n"
	"      --in-place                 leave the matrices in main memory\n"
	"      --help                     print this\n";

static const unsigned sizes[] = { 56, 112, 168 };
static const char *const types[] = { "int", "float" };
static const char *const distributions[] = { "linear", "tree" };
static const char *const transports[] = { "channel", "link", "mail" };

/* -1: all of them. */
static struct {
	int size, type, distribution;
	struct setup setup;
	bool counts;
} options = { -1, -1, -1, { .by = BY_LINK, .length = 40 }, false };

/* Instructions of a loop of a thousand turns, by the counter. Not inlined: one piece of code. */
static __attribute__((noinline)) uint64_t count_loop(void)
{
	uint64_t start = co_instructions();

	for (unsigned i = 0; i < 1000; i++)
		__asm__ volatile("" : : "r"(i)); /* keeps the compiler from dropping the turn */
	return co_instructions() - start;
}

/* An emulator that counts no instructions shows some clock: it never gives a number three times. */
static bool can_count(void)
{
	uint64_t n = count_loop();

	return n >= 1000 && n < 100000 && count_loop() == n && count_loop() == n;
}

static bool parse_number(const char *text, unsigned low, unsigned high, unsigned *n)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value < low || value > high) {
		fprintf(stderr, "matvec: a number from %u to %u, not '%s'\n", low, high, text);
		return false;
	}
	*n = (unsigned)value;
	return true;
}

static bool parse_word(const char *text, const char *const *words, int n, int *which)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(text, words[i]) == 0) {
			*which = i;
			return true;
		}
	}
	fprintf(stderr, "matvec: '%s' is none of:", text);
	for (int i = 0; i < n; i++)
		fprintf(stderr, " %s", words[i]);
	fputc('\n', stderr);
	return false;
}

static bool parse_option(int option)
{
	static const char *const names[] = { "56", "112", "168" };
	unsigned most = co_harts() < WORKERS_MAX + 2 ? co_harts() : WORKERS_MAX + 2;
	int by;

	switch (option) {
	case 'm':
		return parse_word(optarg, names, 3, &options.size);
	case 't':
		return parse_word(optarg, types, 2, &options.type);
	case 'd':
		return parse_word(optarg, distributions, 2, &options.distribution);
	case 'b':
		if (!parse_word(optarg, transports, 3, &by))
			return false;
		options.setup.by = (enum transport)by;
		return true;
	case 'n':
		return parse_number(optarg, 1, most, &options.setup.harts);
	case 'l':
		return parse_number(optarg, 2, 100000, &options.setup.length);
	case 'i':
		options.setup.in_place = true;
		return true;
	default: /* getopt_long() has said what is wrong */
		return false;
	}
}

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "size", required_argument, NULL, 'm' },
		{ "type", required_argument, NULL, 't' },
		{ "distribution", required_argument, NULL, 'd' },
		{ "by", required_argument, NULL, 'b' },
		{ "harts", required_argument, NULL, 'n' },
		{ "length", required_argument, NULL, 'l' },
		{ "in-place", no_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool good = true;
	int option;

	while (good && (option = getopt_long(argc, argv, "m:t:d:b:n:l:", names, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		good = parse_option(option);
	}
	if (good && optind < argc) {
		fprintf(stderr, "matvec: what is '%s'?\n", argv[optind]);
		good = false;
	}
	if (!good)
		fputs(usage, stderr);
	return good ? -1 : 2;
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
	       transports[s->by], co_us(ticks));
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
	options.counts = can_count();
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
