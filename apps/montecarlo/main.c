/*
 * montecarlo - photons in a cloud: tasks of very uneven length, shared out in three ways. The
 * result is the same in all of them, and on any number of harts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/options.h"
#include "walk.h"

static const char usage[] =
	"usage: montecarlo [OPTION]...\n"
	"Follow photons through a cloud, pixel by pixel, by each way of sharing pixels out.\n"
	"\n"
	"  -n, --size=N          N x N pixels, 8 to 512 (default 48)\n"
	"  -p, --photons=N       of each pixel, 1 to 10000 (default 8)\n"
	"  -b, --block=N         pixels that a hart takes at a time, 1 to 65536\n"
	"                        (default: so that there are 16 blocks for each hart)\n"
	"  -s, --seed=N          of the random numbers, 0 to 4294967295 (default 1)\n"
	"  -e, --even            no cloud: all photons take as many steps\n"
	"      --show            the cloud as it is seen from above\n"
	"      --help            print this\n";

static const struct way {
	const char *name;
	enum co_schedule schedule;
	const char *section[2];
} ways[] = {
	{ "static", CO_STATIC, { "uneven static", "even static" } },
	{ "dynamic", CO_DYNAMIC, { "uneven dynamic", "even dynamic" } },
	{ "guided", CO_GUIDED, { "uneven guided", "even guided" } },
};

#define WAYS (sizeof(ways) / sizeof(*ways))

static struct {
	struct sky sky;
	unsigned block;
	bool show;
} options = { .sky = { .size = 48, .photons = 8, .seed = 1 } };

/* Of each pixel how many photons came up; of each member how many steps it did, in a line each. */
static uint16_t *up, *want;
static struct done {
	_Alignas(CO_LINE) uint64_t steps;
} * done;
static unsigned members;

/* ---- Options ---- */

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "size", 'n', .number = &options.sky.size, .least = 8, .most = 512 },
		{ "photons", 'p', .number = &options.sky.photons, .least = 1, .most = 10000 },
		{ "block", 'b', .number = &options.block, .least = 1, .most = 65536 },
		{ "seed", 's', .number = &options.sky.seed, .most = 0xffffffff },
		{ "even", 'e', .on = &options.sky.even },
		{ "show", .on = &options.show },
		{ 0 },
	};

	return app_options("montecarlo", usage, known, argc, argv);
}

/* ---- The ways ---- */

static int body(void *arg, struct co_part *part)
{
	struct sky sky = options.sky; /* read but once from main memory */
	uint64_t steps = 0;

	(void)arg;
	for (long i = part->from[0]; i < part->to[0]; i++)
		up[i] = (uint16_t)pixel(&sky, (unsigned)i % sky.size, (unsigned)i / sky.size,
					&steps);
	done[part->member].steps += steps;
	return 0;
}

/* Pixels along the sky's lines: neighbours are as thick. */
static int run(const struct way *way, uint64_t *took)
{
	static struct co_parallel loop;
	long size = (long)options.sky.size, pixels = size * size;
	const char *section = way->section[options.sky.even];
	int r;

	for (unsigned m = 0; m < members; m++)
		done[m].steps = 0;
	memset(up, 0xff, (size_t)pixels * sizeof(*up));
	loop = (struct co_parallel){ .name = way->name,
				     .body = body,
				     .dims = 1,
				     .range = { { 0, pixels, 1 } },
				     .schedule = way->schedule,
				     .block = options.block };
	*took = co_now();
	co_mark_begin(section);
	r = co_parallel_for(&loop);
	co_mark_end(section, 0);
	*took = co_now() - *took;
	return r;
}

/* The same by one loop on this hart. */
static uint64_t run_plain(void)
{
	uint64_t steps = 0;

	for (unsigned y = 0; y < options.sky.size; y++) {
		for (unsigned x = 0; x < options.sky.size; x++)
			want[y * options.sky.size + x] =
				(uint16_t)pixel(&options.sky, x, y, &steps);
		co_pause();
	}
	return steps;
}

/* Returns 0, 1 if a pixel is wrong, or a negative errno number. */
static int show_way(const struct way *way, uint64_t steps)
{
	uint64_t took, most = 0, sum = 0;
	int r = run(way, &took);

	if (r)
		return r;
	for (unsigned m = 0; m < members; m++) {
		most = done[m].steps > most ? done[m].steps : most;
		sum += done[m].steps;
	}
	/* Hundredths: of steps that all harts side by side could do in the busiest one's time. */
	printf("%-8s %9" PRIu64 " %12" PRIu64 " %9" PRIu64 " %%\n", way->name, co_us(took), most,
	       100 * sum / ((most ? most : 1) * members));
	if (sum != steps) {
		fprintf(stderr, "montecarlo: %s: %" PRIu64 " steps, not %" PRIu64 "\n", way->name,
			sum, steps);
		return 1;
	}
	for (unsigned i = 0; i < options.sky.size * options.sky.size; i++) {
		if (up[i] == want[i])
			continue;
		fprintf(stderr, "montecarlo: %s: pixel %u has %u photons, not %u\n", way->name, i,
			up[i], want[i]);
		return 1;
	}
	return 0;
}

/* ---- The whole ---- */

/* Two characters for every few pixels. */
static void show_cloud(void)
{
	static const char shades[] = " .:-=+*#%@";
	unsigned step = options.sky.size > 24 ? options.sky.size / 24 : 1;

	for (unsigned y = 0; y < options.sky.size; y += step) {
		for (unsigned x = 0; x < options.sky.size; x += step) {
			unsigned n = want[y * options.sky.size + x] * 9u / options.sky.photons;

			printf("%c%c", shades[n], shades[n]);
		}
		printf("\n");
	}
	printf("\n");
}

static int make_room(void)
{
	size_t pixels = (size_t)options.sky.size * options.sky.size;

	for (unsigned g = 0; g < co_groups(); g++)
		members += co_group(g)->computes;
	up = malloc(pixels * sizeof(*up));
	want = malloc(pixels * sizeof(*want));
	done = aligned_alloc(CO_LINE, members * sizeof(*done));
	if (!options.block)
		options.block = (unsigned)(pixels / members / 16) + 1;
	return up && want && done ? 0 : -ENOMEM;
}

int main(int argc, char **argv)
{
	int r = parse(argc, argv);
	uint64_t steps, took;

	if (r >= 0)
		return r;
	r = make_room();
	if (r == 0) {
		took = co_now();
		steps = run_plain();
		took = co_now() - took;
		printf("%s work, %u x %u pixels, %u photons each, on %s, %u compute harts\n\n",
		       options.sky.even ? "even" : "uneven", options.sky.size, options.sky.size,
		       options.sky.photons, co_board(), members);
		if (options.show)
			show_cloud();
		printf("                us steps of the busiest      busy\n");
		printf("%-8s %9" PRIu64 " %12" PRIu64 "\n", "plain", co_us(took), steps);
	}
	for (unsigned i = 0; i < WAYS && r == 0; i++)
		r = show_way(&ways[i], steps);
	if (r < 0)
		fprintf(stderr, "montecarlo: %s\n", strerror(-r));
	if (r)
		return 1;
	printf("\nall pixels are those of the plain loop\n");
	return 0;
}
