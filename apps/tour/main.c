/*
 * tour - what there is: the machine as a picture, then coroutines, channels, scratchpads and the
 * proxy, each at work on every compute hart, with the time it took.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "team.h"

static const struct {
	const char *name;
	int (*show)(void);
} stops[] = {
	{ "coroutines", show_coroutines },   { "channels", show_channels },
	{ "scratchpads", show_scratchpads }, { "proxy", show_proxy },
	{ "stacks", show_stacks },
};

static int tour(void)
{
	for (unsigned i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		int r = stops[i].show();

		if (r) {
			fprintf(stderr, "tour: %s: %s\n", stops[i].name, strerror(-r));
			return r;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t start = co_now();
	bool breaks = argc == 2 && strcmp(argv[1], "--break") == 0;
	int r;

	if (argc > 1 && !breaks) {
		fprintf(stderr,
			"tour: no option %s; there is --break: coroutines that fault, and what "
			"becomes of the others\n",
			argv[1]);
		return 1;
	}
	r = team_init();

	if (r) {
		fprintf(stderr, "tour: start: %s\n", strerror(-r));
		return 1;
	}
	if (breaks) {
		r = show_faults();
		if (r)
			fprintf(stderr, "tour: --break: %s\n", strerror(-r));
		return r ? 1 : 0;
	}
	show_machine();
	if (tour())
		return 1;
	printf("\nThat was all, in %" PRIu64 " ms. Next:\n", co_us(co_now() - start) / 1000);
	printf("  make run APP=wordcount ARGS='README.md'   a real file, counted on all compute harts\n"
	       "  make run TOPOLOGY=sw26010                 the same tour on 4 groups of 1 + 64 harts\n"
	       "  make run ARGS=--break                     coroutines that fault, and what becomes of the others\n"
	       "  make test                                 the tests, on both boards\n");
	return 0;
}
