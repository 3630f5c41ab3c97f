/*
 * pingpong - a ball between two coroutines, over each mechanism: time and instructions a round
 * trip, on one hart and between two.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/count.h"
#include "../common/options.h"
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
	&chan_single, &chan_slot, &chan_cas, &chan_ticket, &link_,
	&mail,        &mailbox,   &event,    &signal_,     &barrier,
};
const unsigned mechanism_count = sizeof(mechanisms) / sizeof(*mechanisms);

static struct {
	const char *only;
	unsigned rounds;
	unsigned hart[2];
} options = { .rounds = 1000 };

static void list(FILE *f)
{
	for (unsigned i = 0; i < mechanism_count; i++)
		fprintf(f, "  %-16s %s\n", mechanisms[i]->name, mechanisms[i]->about);
}

/* Returns -1 to go on, else the exit code. */
static int parse_mechanism(const char *name)
{
	for (unsigned i = 0; i < mechanism_count; i++) {
		if (strcmp(mechanisms[i]->name, name) == 0)
			return -1;
	}
	if (strcmp(name, "list") == 0) {
		list(stdout);
		return 0;
	}
	fprintf(stderr, "pingpong: no mechanism '%s'; there are:\n", name);
	list(stderr);
	return 2;
}

static int parse(int argc, char **argv)
{
	unsigned last = co_harts() - 1;
	const struct app_option known[] = {
		{ "mechanism", 'm', .text = &options.only },
		{ "rounds", 'r', .number = &options.rounds, .least = 1, .most = 10000000 },
		{ "from", 'f', .number = &options.hart[0], .most = last },
		{ "to", 't', .number = &options.hart[1], .most = last },
		{ 0 },
	};
	int code = app_options("pingpong", usage, known, argc, argv);

	return code < 0 && options.only ? parse_mechanism(options.only) : code;
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
	const unsigned from = options.hart[0], to = options.hart[1];

	printf("%-15s %-40s", m->name, m->about);
	for (unsigned i = 0; i < (from == to ? 1 : 2); i++) {
		struct score s;
		int r = play(m, (const unsigned[]){ from, i ? to : from }, options.rounds, &s);

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
	bool counts = app_can_count();
	int code;

	find_harts();
	code = parse(argc, argv);
	if (code >= 0)
		return code;
	printf("%u round trips, %s, %u harts\n", options.rounds, co_board(), co_harts());
	printf("%-56s", "");
	printf("  %-*s", counts ? 21 : 7, "  one hart");
	if (options.hart[0] != options.hart[1])
		printf("    harts %u and %u", options.hart[0], options.hart[1]);
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
