/*
 * pingpong - a ball between two coroutines, over each mechanism: time and instructions a round
 * trip, on one hart and between two.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "game.h"

static const char usage[] =
	"usage: pingpong [OPTION]...\n"
	"Play ping-pong over each mechanism, on one hart and between two.\n"
	"\n"
	"  -m, --mechanism=NAME  that one alone; `list` prints them\n"
	"  -r, --rounds=N        round trips of a game, 1 to 10000000 (default 1000)\n"
	"  -f, --from=HART       who serves (default: the first compute hart)\n"
	"  -t, --to=HART         who returns (default: the last compute hart)\n"
	"      --help            print this\n";

const struct mechanism *const mechanisms[] = {
	&chan_single,  &chan_slot, &chan_cas, &chan_ticket, &chan_add, &link_homed, &link_mail,
	&link_unhomed, &mail,      &mailbox,  &event,       &signal_,  &barrier,
};
const unsigned mechanism_count = sizeof(mechanisms) / sizeof(*mechanisms);

static struct {
	const char *only;
	unsigned long rounds;
	unsigned long hart[2];
} options = { .rounds = 1000 };

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

static bool parse_number(const char *text, unsigned long low, unsigned long high, unsigned long *n)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value < low || value > high) {
		fprintf(stderr, "pingpong: a number from %lu to %lu, not '%s'\n", low, high, text);
		return false;
	}
	*n = value;
	return true;
}

static void list(FILE *f)
{
	for (unsigned i = 0; i < mechanism_count; i++)
		fprintf(f, "  %-16s %s\n", mechanisms[i]->name, mechanisms[i]->about);
}

static bool parse_mechanism(const char *name)
{
	for (unsigned i = 0; i < mechanism_count; i++) {
		if (strcmp(mechanisms[i]->name, name) == 0) {
			options.only = name;
			return true;
		}
	}
	fprintf(stderr, "pingpong: no mechanism '%s'; there are:\n", name);
	list(stderr);
	return false;
}

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "mechanism", required_argument, NULL, 'm' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool good = true;
	int option;

	while (good && (option = getopt_long(argc, argv, "m:r:f:t:", names, NULL)) != -1) {
		switch (option) {
		case 'm':
			if (strcmp(optarg, "list") == 0) {
				list(stdout);
				return 0;
			}
			good = parse_mechanism(optarg);
			break;
		case 'r':
			good = parse_number(optarg, 1, 10000000, &options.rounds);
			break;
		case 'f':
			good = parse_number(optarg, 0, co_harts() - 1, &options.hart[0]);
			break;
		case 't':
			good = parse_number(optarg, 0, co_harts() - 1, &options.hart[1]);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default: /* getopt_long() has said what is wrong */
			good = false;
		}
	}
	if (good && optind < argc) {
		fprintf(stderr, "pingpong: what is '%s'?\n", argv[optind]);
		good = false;
	}
	if (!good)
		fputs(usage, stderr);
	return good ? -1 : 2;
}

static void find_harts(void)
{
	bool first = true;

	for (unsigned h = 0; h < co_harts(); h++) {
		if (!(co_hart_role(h) & CO_ROLE_COMPUTE))
			continue;
		if (first)
			options.hart[0] = h;
		first = false;
		options.hart[1] = h;
	}
}

static void print_score(const struct score *s, bool counts)
{
	uint64_t hundredths = co_us(100 * s->ticks) / options.rounds;

	printf("  %6" PRIu64 ".%02u", hundredths / 100, (unsigned)(hundredths % 100));
	if (counts)
		printf("  %12" PRIu64, s->instructions / options.rounds);
}

/* One line of the table: the game on one hart, then between two. */
static int show(const struct mechanism *m, bool counts)
{
	const unsigned from = (unsigned)options.hart[0], to = (unsigned)options.hart[1];

	printf("%-15s %-40s", m->name, m->about);
	for (unsigned i = 0; i < (from == to ? 1 : 2); i++) {
		struct score s;
		int r = play(m, (const unsigned[]){ from, i ? to : from }, (unsigned)options.rounds,
			     &s);

		if (r) {
			printf("\n");
			fprintf(stderr, "pingpong: %s: %s\n", m->name, strerror(-r));
			return 1;
		}
		print_score(&s, counts);
	}
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	bool counts = can_count();
	int code;

	find_harts();
	code = parse(argc, argv);
	if (code >= 0)
		return code;
	printf("%lu round trips, %s, %u harts\n", options.rounds, co_board(), co_harts());
	printf("%-56s", "");
	printf("  %-*s", counts ? 21 : 7, "  one hart");
	if (options.hart[0] != options.hart[1])
		printf("    harts %lu and %lu", options.hart[0], options.hart[1]);
	printf("\n%-56s", "");
	for (unsigned i = 0; i < (options.hart[0] == options.hart[1] ? 1 : 2); i++)
		printf("  %9s%s", "us", counts ? "  instructions" : "");
	printf("\n");
	for (unsigned i = 0; i < mechanism_count; i++) {
		if (options.only && strcmp(options.only, mechanisms[i]->name) != 0)
			continue;
		code = show(mechanisms[i], counts);
		if (code > 0)
			return code;
	}
	printf("every ball came back as it should\n");
	return 0;
}
