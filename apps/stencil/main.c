/*
 * stencil - eleven kernels over 1 to 3 dimensions, each computed in four ways: by plain loops, by
 * the management hart alone, by all compute harts in main memory, and by tiles in their
 * scratchpads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/alone.h"
#include "../common/count.h"
#include "../common/options.h"
#include "../common/plan.h"
#include "stencil.h"

static const char usage[] =
	"usage: stencil [OPTION]...\n"
	"Compute stencils in four ways, and compare every result with that of plain loops.\n"
	"\n"
	"  -k, --kernel=NAME              madd, 5-point, 9-point, heat-2d, jacobi-2d, fdtd-2d,\n"
	"                                 7-point, 27-point, shift, apply or flux alone\n"
	"  -w, --way=NAME                 manager, direct or tiled alone\n"
	"  -n, --size=N                   N x N elements, 4 to 4096 (default 128)\n"
	"  -m, --depth=N                  N x N x N elements, 4 to 256 (default 24)\n"
	"  -t, --steps=N                  1 to 1000 (default 2)\n"
	"  -s, --schedule=static|dynamic  (default static)\n"
	"  -b, --block=N                  tiles or rows that a hart takes at a time (default 1)\n"
	"      --scalar                   no vectors\n"
	"  -p, --plan=FILE                buffers of tiles by a table: a, b, c (make plan TABLE=1)\n"
	"      --break                    instead: what is said when loops go wrong\n"
	"      --help                     print this\n";

static const char *const way_names[] = { "plain", "manager", "direct", "tiled" };
static const char *const schedules[] = { "static", "dynamic" };

static struct {
	int kernel, way, dynamic; /* -1: all of them */
	unsigned size, depth, steps;
	struct setup setup;
	const char *plan;
	bool counts, breaks;
} options = { -1, -1, 0, 128, 24, 2, { .block = 1 }, NULL, false, false };

/* What is computed now, on which hart: for those who are started elsewhere. */
static struct {
	const struct kernel *kernel;
	struct space space;
	enum way way;
	double *want;
} now;

/* ---- Options ---- */

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	static const char *names[KERNELS];
	const struct app_option known[] = {
		{ "kernel", 'k', .which = &options.kernel, .words = names, .n_words = KERNELS },
		{ "way", 'w', .which = &options.way, .words = way_names, .n_words = WAYS },
		{ "size", 'n', .number = &options.size, .least = 4, .most = 4096 },
		{ "depth", 'm', .number = &options.depth, .least = 4, .most = 256 },
		{ "steps", 't', .number = &options.steps, .least = 1, .most = 1000 },
		{ "schedule", 's', .which = &options.dynamic, .words = schedules, .n_words = 2 },
		{ "block", 'b', .number = &options.setup.block, .least = 1, .most = 1000000 },
		{ "plan", 'p', .text = &options.plan },
		{ "scalar", .on = &options.setup.scalar },
		{ "break", .on = &options.breaks },
		{ 0 },
	};

	for (unsigned i = 0; i < KERNELS; i++)
		names[i] = kernels[i].name;
	return app_options("stencil", usage, known, argc, argv);
}

/* ---- Arrays ---- */

/* Compute harts fill them: no cache has them then, and floating point is theirs. */
static int fill_rows(void *arg, struct co_part *part)
{
	const struct space *s = &now.space;
	long rows = s->n[Z] * s->n[Y];

	(void)arg;
	for (long r = part->from[0]; r < part->to[0]; r++)
		sow_row(s->array[r / rows] + r % rows * s->n[X], s->n[X], (uint32_t)r);
	return 0;
}

static int fill(void)
{
	static struct co_parallel loop;
	long rows = (long)now.kernel->arrays * now.space.n[Z] * now.space.n[Y];

	loop = (struct co_parallel){
		.name = "fill", .body = fill_rows, .dims = 1, .range = { { 0, rows, 1 } }
	};
	return co_parallel_for(&loop);
}

static size_t elements(const struct kernel *k)
{
	return k->dims == 2 ? (size_t)options.size * options.size
			    : (size_t)options.depth * options.depth * options.depth;
}

static void drop_arrays(void)
{
	for (unsigned a = 0; a < ARRAYS; a++) {
		free(now.space.array[a]);
		now.space.array[a] = NULL;
	}
	free(now.want);
	now.want = NULL;
}

static int make_arrays(const struct kernel *k)
{
	size_t bytes = elements(k) * sizeof(double);

	now.kernel = k;
	for (unsigned a = 0; a < k->arrays; a++)
		now.space.array[a] = aligned_alloc(64, (bytes + 63) / 64 * 64);
	now.want = aligned_alloc(64, (k->arrays * bytes + 63) / 64 * 64);
	for (unsigned a = 0; a < k->arrays; a++) {
		if (now.space.array[a] && now.want)
			continue;
		fprintf(stderr, "stencil: %s wants %zu MiB more memory (MEM=)\n", k->name,
			2 * k->arrays * (bytes >> 20) + 1);
		drop_arrays();
		return -ENOMEM;
	}
	for (unsigned d = 0; d < AXES; d++)
		now.space.n[d] = (long)(k->dims == 3 ? options.depth : d == Z ? 1 : options.size);
	return 0;
}

/* ---- A kernel in its ways ---- */

static int step(unsigned number)
{
	int r = 0;

	for (unsigned i = 0; i < now.kernel->passes && r == 0; i++) {
		struct pass p = now.kernel->pass[i];

		if (p.first_row_alone)
			p.k[0] = number;
		if (now.way == DIRECT)
			r = pass_direct(&p, &now.space, &options.setup);
		else if (now.way == TILED)
			r = pass_tiled(&p, &now.space, &options.setup);
		else
			pass_alone(&p, &now.space, &options.setup);
	}
	return r;
}

static intptr_t steps(void *arg)
{
	const char *section = now.kernel->section[now.way];
	int r = 0;

	(void)arg;
	co_mark_begin(section);
	for (unsigned t = 0; t < options.steps && r == 0; t++) {
		if (now.way == PLAIN)
			now.kernel->plain(&now.space, t);
		else
			r = step(t);
		if (now.kernel->swaps) {
			double *a = now.space.array[0];

			now.space.array[0] = now.space.array[1];
			now.space.array[1] = a;
		}
		co_pause();
	}
	co_mark_end(section, 0);
	return r;
}

static intptr_t look(void *where)
{
	size_t n = elements(now.kernel);
	long at = -1;

	for (unsigned a = 0; a < now.kernel->arrays && at < 0; a++) {
		at = differs(now.space.array[a], now.want + a * n, (long)n);
		if (at >= 0)
			at += (long)(a * n);
	}
	*(long *)where = at;
	return 0;
}

/* One way. Returns 0, 1 if the result is wrong, or a negative errno number. */
static int show_way(enum way way)
{
	static long at;
	uint64_t start, count;
	int r;

	now.way = way;
	r = fill();
	start = co_now();
	count = co_instructions();
	if (r == 0)
		r = way == PLAIN || way == MANAGER ? app_alone("stencil, alone", steps, NULL)
						   : (int)steps(NULL);
	count = co_instructions() - count;
	start = co_now() - start;
	if (r)
		return r;
	printf(" %9" PRIu64, co_us(start));
	if (options.counts)
		printf(" %7.2f", (double)count / (double)elements(now.kernel) / options.steps);
	if (way == PLAIN) {
		for (unsigned a = 0; a < now.kernel->arrays; a++)
			memcpy(now.want + a * elements(now.kernel), now.space.array[a],
			       elements(now.kernel) * sizeof(double));
		return 0;
	}
	r = app_alone("stencil, alone", look, &at);
	if (r || at < 0)
		return r;
	printf("\n");
	fprintf(stderr, "stencil: %s, %s: element %ld is not that of the plain loops\n",
		now.kernel->name, way_names[way], at);
	return 1;
}

/* A line of the table. */
static int show_kernel(const struct kernel *k)
{
	int r = make_arrays(k);

	if (r)
		return r;
	printf("%-10s", k->name);
	for (unsigned way = 0; way < WAYS && r == 0; way++) {
		if (way == PLAIN || options.way < 0 || options.way == (int)way)
			r = show_way((enum way)way);
	}
	printf("\n");
	drop_arrays();
	return r;
}

/* ---- The whole ---- */

static void print_title(void)
{
	printf("stencils on %s, %u compute harts: %u x %u and %u x %u x %u, %u steps, %s%s\n\n",
	       co_board(), options.setup.harts, options.size, options.size, options.depth,
	       options.depth, options.depth, options.steps, schedules[options.dynamic],
	       options.setup.scalar ? ", no vectors" : "");
	if (options.plan)
		printf("tiles by %s: buffers of %zu, %zu and %zu bytes\n\n", options.plan,
		       co_plan_buffer(&options.setup.plan, "a"),
		       co_plan_buffer(&options.setup.plan, "b"),
		       co_plan_buffer(&options.setup.plan, "c"));
	printf("%-10s", "");
	for (int w = 0; w < WAYS; w++) {
		if (w == PLAIN || options.way < 0 || options.way == w)
			printf(" %*s", options.counts ? 17 : 9, way_names[w]);
	}
	printf("\n%-10s", "");
	for (int w = 0; w < WAYS; w++) {
		if (w == PLAIN || options.way < 0 || options.way == w)
			printf(" %9s%s", "us", options.counts ? "  insns." : "");
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	int code = parse(argc, argv);
	int r = 0;

	if (code >= 0)
		return code;
	if (options.breaks) {
		r = show_breaks();
		if (r)
			fprintf(stderr, "stencil: %s\n", strerror(-r));
		return r != 0;
	}
	if (options.plan && app_plan("stencil", options.plan, &options.setup.plan))
		return 1;
	options.setup.schedule = options.dynamic ? CO_DYNAMIC : CO_STATIC;
	for (unsigned g = 0; g < co_groups(); g++)
		options.setup.harts += co_group(g)->computes;
	options.counts = app_can_count();
	print_title();
	for (unsigned i = 0; i < KERNELS && r == 0; i++) {
		if (options.kernel < 0 || options.kernel == (int)i)
			r = show_kernel(&kernels[i]);
	}
	if (r < 0)
		fprintf(stderr, "stencil: %s\n", strerror(-r));
	if (r)
		return 1;
	printf("\nall results are those of the plain loops, to the bit\n");
	return 0;
}
