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

int main(void)
{
	uint64_t start = co_now();
	int r = team_init();

	if (r) {
		fprintf(stderr, "tour: start: %s\n", strerror(-r));
		return 1;
	}
	show_machine();
	for (unsigned i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		r = stops[i].show();
		if (r) {
			fprintf(stderr, "tour: %s: %s\n", stops[i].name, strerror(-r));
			return 1;
		}
	}
	printf("\nThat was all, in %" PRIu64 " ms. Next:\n", co_us(co_now() - start) / 1000);
	printf("  make run APP=wordcount ARGS='README.md'   a real file, counted on all compute harts\n"
	       "  make run TOPOLOGY=sw26010                 the same tour on 4 groups of 1 + 64 harts\n"
	       "  make test                                 the tests, on both boards\n");
	return 0;
}
