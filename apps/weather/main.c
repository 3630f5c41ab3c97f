/*
 * weather - the equations of miniWeather (dry air in a slice of the atmosphere, 20 km wide and 10
 * km high) on all compute harts: what warm and cold air does, in pictures, and how well mass and
 * energy are kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/alone.h"
#include "../common/options.h"
#include "../common/picture.h"
#include "../common/plan.h"
#include "weather.h"

#define BAR 50 /* characters of the progress bar */

static const char usage[] =
	"usage: weather [OPTION]...\n"
	"Compute the flow of air in a slice of the atmosphere, on all compute harts.\n"
	"\n"
	"  -c, --case=NAME       thermal, collision, gravity-waves, density-current or\n"
	"                        injection (default: thermal)\n"
	"  -x, --nx=N            cells of a row, 8 to 4096 (default 100)\n"
	"  -z, --nz=N            rows, 8 to 4096 (default: half as many)\n"
	"  -t, --time=SECONDS    of the air's, 1 to 10000 (default 100)\n"
	"  -s, --steps=N         instead: so many steps, 1 to 1000000\n"
	"  -p, --pictures=N      PNGs on the way, the first at the beginning, 1 to 1000\n"
	"  -o, --out=NAME        their names: NAME-0.png, ... (default: weather)\n"
	"  -f, --field=FILE      their cells, a byte each, for render\n"
	"      --plan=FILE       scratchpads by a table: field, rest (make plan TABLE=1)\n"
	"      --alone           on the management hart by itself\n"
	"      --check           compare with plain loops on one hart\n"
	"      --timers          how long parts of a step take, on all harts\n"
	"      --help            print this\n";

static const char *const cases[] = { "collision", "thermal", "gravity-waves", "density-current",
				     "injection" };

static struct {
	int which;
	unsigned nx, nz, time, steps, pictures;
	const char *out, *field, *plan;
	bool alone, check, timers;
} options = { .which = THERMAL, .nx = 100, .time = 100, .out = "weather" };

static struct field field;
static double (*sums)[2]; /* of each row */
static uint64_t *hashes;
static uint8_t *pixels;
static double *start, *scratch; /* --check */

/* ---- Options ---- */

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "case", 'c', .which = &options.which, .words = cases, .n_words = CASES },
		{ "nx", 'x', .number = &options.nx, .least = 8, .most = 4096 },
		{ "nz", 'z', .number = &options.nz, .least = 8, .most = 4096 },
		{ "time", 't', .number = &options.time, .least = 1, .most = 10000 },
		{ "steps", 's', .number = &options.steps, .least = 1, .most = 1000000 },
		{ "pictures", 'p', .number = &options.pictures, .least = 1, .most = 1000 },
		{ "out", 'o', .text = &options.out },
		{ "field", 'f', .text = &options.field },
		{ "plan", .text = &options.plan },
		{ "alone", .on = &options.alone },
		{ "check", .on = &options.check },
		{ "timers", .on = &options.timers },
		{ 0 },
	};

	return app_options("weather", usage, known, argc, argv);
}

/* ---- The field ---- */

static void *take(size_t bytes, bool *good)
{
	void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	*good &= p != NULL;
	return p;
}

/* 20 km by 10 km; steps as long as sound allows. */
static int make_field(void)
{
	size_t cells = (size_t)options.nx * options.nz, bytes = cells * VARS * sizeof(double);
	bool good = true;
	struct rest *rest;

	field = (struct field){ .nx = (long)options.nx,
				.nz = (long)options.nz,
				.which = options.which };
	field.dx = 2e4 / options.nx;
	field.dz = 1e4 / options.nz;
	field.dt = (field.dx < field.dz ? field.dx : field.dz) / 450 * 1.5;
	field.now = take(bytes, &good);
	field.next = take(bytes, &good);
	field.tmp = take(bytes, &good);
	rest = take((options.nz + 2 * HALO) * sizeof(*rest), &good);
	sums = take(options.nz * sizeof(*sums), &good);
	hashes = take(options.nz * sizeof(*hashes), &good);
	if (options.pictures)
		pixels = take(cells, &good);
	if (options.check) {
		start = take(bytes, &good);
		scratch = take(plain_bytes(&field), &good);
	}
	if (!good) {
		fprintf(stderr, "weather: %u x %u cells want %u MiB of memory (MEM=)\n", options.nx,
			options.nz,
			(unsigned)((uint64_t)bytes * (options.check ? 6 : 3) >> 20) + 96);
		return 1;
	}
	field.rest = rest + HALO;
	field.timers = options.timers;
	return 0;
}

/* What the plan has for the air at rest and for the field. Returns 0 or an error as begin(). */
static int use_plan(void)
{
	static struct co_spm_array near;
	static struct co_plan plan;
	const struct co_plan_row *row;
	size_t bytes = (size_t)(field.nz + 2 * HALO) * sizeof(struct rest);
	int r;

	if (app_plan("weather", options.plan, &plan))
		return 1;
	row = co_plan_of(&plan, "rest");
	field.buffer = co_plan_buffer(&plan, "field");
	r = co_plan_array(&plan, "rest", &near, field.rest - HALO, bytes);
	if (r == 0 && row && row->whole >= bytes) /* else its rows come with the tiles */
		field.rest_near = &near;
	printf("by %s: buffers of %zu bytes for cells, the air at rest %s\n", options.plan,
	       field.buffer, field.rest_near ? "whole" : "by tiles");
	return r;
}

/* A function for each row of the field, on all compute harts. */
static int each_row(void *fn, struct co_part *part)
{
	void (*const *row)(long k) = fn;

	for (long k = part->from[0]; k < part->to[0]; k++)
		(*row)(k);
	return 0;
}

static int for_rows(void (*fn)(long k), long from, long to)
{
	static void (*row)(long k);
	static struct co_parallel loop;

	row = fn;
	loop = (struct co_parallel){ .name = "weather, rows",
				     .body = each_row,
				     .arg = &row,
				     .dims = 1,
				     .range = { { from, to, 1 } } };
	return co_parallel_for(&loop);
}

/*
 * A hart that comes to the machine's barrier for the first time finds out who else does. If one is
 * lost nobody comes: there are fewer members than harts then.
 */
static int meet_once(void *arg, struct co_part *part)
{
	return part->members == *(const unsigned *)arg ? co_barrier_computes() : -EHOSTDOWN;
}

static int meet(void)
{
	static struct co_parallel loop;
	static unsigned harts;

	harts = 0;
	for (unsigned g = 0; g < co_groups(); g++)
		harts += co_group(g)->computes;
	loop = (struct co_parallel){ .name = "weather, first",
				     .body = meet_once,
				     .arg = &harts,
				     .dims = 1,
				     .range = { { 0, (long)harts, 1 } } };
	return co_parallel_for(&loop);
}

static void make_rest(long k)
{
	rest_make(&field, k);
}

static void begin_row(long k)
{
	start_row(&field, k);
}

static void add_row(long k)
{
	sum_row(&field, k, sums[k]);
	hashes[k] = hash_row(&field, k);
}

static void draw_row(long k)
{
	pixels_row(&field, k, pixels + k * field.nx);
}

/* In the order of the rows: whoever has summed them up, the result is the same. */
static int add_up(double *mass, double *energy, uint64_t *hash)
{
	int r = for_rows(add_row, 0, field.nz);

	*mass = *energy = 0;
	*hash = 0;
	for (long k = 0; k < field.nz; k++) {
		*mass += sums[k][0];
		*energy += sums[k][1];
		*hash = (*hash ^ hashes[k]) * 0x100000001b3;
	}
	return r;
}

/* Blue, white, red; 255 is what is not a number: black. */
static void make_palette(uint8_t palette[256][3])
{
	for (int i = 0; i < 255; i++) {
		int cold = i < 127 ? 2 * (127 - i) : 0, warm = i > 127 ? 2 * (i - 127) : 0;

		palette[i][0] = (uint8_t)(255 - cold);
		palette[i][1] = (uint8_t)(255 - (cold + warm) * 4 / 5);
		palette[i][2] = (uint8_t)(255 - warm);
	}
	memset(palette[255], 0, 3);
}

/* One picture's cells behind another's: time is the third axis. Returns 0 or an errno number. */
static int keep_cells(unsigned number)
{
	size_t cells = (size_t)options.nx * options.nz;
	FILE *file = fopen(options.field, number ? "ab" : "wb");
	int r;

	if (!file)
		return errno;
	errno = EIO;
	r = fwrite(pixels, 1, cells, file) == cells ? 0 : errno;
	errno = EIO;
	return fclose(file) && r == 0 ? errno : r;
}

static int draw(unsigned number)
{
	static uint8_t palette[256][3];
	struct picture picture = { .width = options.nx,
				   .height = options.nz,
				   .scale = (399 + options.nx) / options.nx,
				   .cells = pixels,
				   .palette = (const uint8_t(*)[3])palette };
	const char *wrong = options.field;
	char path[160];
	int r = for_rows(draw_row, 0, field.nz);

	if (r == 0 && options.field)
		r = -keep_cells(number);
	if (r == 0) {
		make_palette(palette);
		snprintf(path, sizeof(path), "%s-%u.png", options.out, number);
		wrong = path;
		r = picture_write(path, &picture);
	}
	if (r == 0)
		return 0;
	fprintf(stderr, "\nweather: %s: %s\n", wrong, strerror(-r));
	return 1;
}

/* ---- On one hart ---- */

struct span {
	unsigned first, steps;
};

static intptr_t steps_alone(void *arg)
{
	const struct span *s = arg;

	return run_alone(&field, s->first, s->steps);
}

/* The largest difference from plain loops, in proportion. */
static intptr_t compare(void *arg)
{
	struct field plain = field;

	plain.now = start;
	for (unsigned s = 0; s < options.steps; s++) {
		plain_step(&plain, scratch, s);
		co_pause();
	}
	*(double *)arg = plain_difference(&field, field.now, start);
	return 0;
}

/* ---- The run ---- */

static int run_span(unsigned first, unsigned steps)
{
	static struct span span;
	const char *section = options.alone ? "weather alone" : "weather";
	int r;

	span = (struct span){ first, steps };
	co_mark_begin(section);
	r = options.alone ? app_alone("weather, alone", steps_alone, &span)
			  : run_steps(&field, first, steps);
	co_mark_end(section, 0);
	return r;
}

/* All steps, in as many pieces as the bar has characters or there are pictures. */
static int run(void)
{
	unsigned shown = 0, drawn = 0, done = 0;
	int r = 0;

	printf("  [");
	while (r == 0) {
		unsigned next = (unsigned)((uint64_t)(shown + 1) * options.steps / BAR);
		unsigned picture = options.pictures > 1
					   ? (unsigned)((uint64_t)drawn * options.steps /
							(options.pictures - 1))
					   : drawn * options.steps;

		if (drawn < options.pictures && done >= picture)
			r = draw(drawn++);
		else if (shown < BAR && done >= next)
			shown++, fputc('#', stdout), fflush(stdout);
		else if (done == options.steps)
			break;
		else {
			if (drawn < options.pictures && picture < next)
				next = picture;
			r = run_span(done, next - done);
			done = next;
		}
	}
	printf("]\n");
	return r;
}

static int begin(void)
{
	int r = make_field();

	if (r)
		return r;
	r = options.alone ? 0 : meet();
	if (r == 0)
		r = for_rows(make_rest, -HALO, field.nz + HALO);
	if (r == 0)
		r = for_rows(begin_row, 0, field.nz);
	if (r == 0 && options.plan)
		r = use_plan();
	if (options.check)
		memcpy(start, field.now, (size_t)(field.nx * field.nz) * VARS * sizeof(double));
	if (!options.steps)
		options.steps = (unsigned)(options.time / field.dt) + 1;
	return r;
}

static int report(double mass, double energy, uint64_t took)
{
	static double differs;
	double mass_now, energy_now;
	uint64_t hash;
	int r = add_up(&mass_now, &energy_now, &hash);

	if (r)
		return r;
	printf("  d_mass: %.6e\n  d_te:   %.6e\n", (mass_now - mass) / mass,
	       (energy_now - energy) / energy);
	printf("  %" PRIu64 " ms; the field's bits: %016" PRIx64 "\n", co_us(took) / 1000, hash);
	if (options.timers)
		co_stopwatch_print();
	if (!options.check)
		return 0;
	r = app_alone("weather, alone", compare, &differs);
	if (r)
		return r;
	printf("  the largest difference from plain loops: %.1e\n", differs);
	if (differs < 1e-9)
		return 0;
	fprintf(stderr, "weather: that is too much\n");
	return 1;
}

int main(int argc, char **argv)
{
	double mass, energy;
	uint64_t hash, took;
	int r = parse(argc, argv);

	if (r >= 0)
		return r;
	if (!options.nz)
		options.nz = options.nx < 16 ? 8 : options.nx / 2;
	r = begin();
	if (r == 0)
		r = add_up(&mass, &energy, &hash);
	if (r == 0) {
		printf("%s on %s, %u harts: %u x %u cells, %u steps of %.3f s\n",
		       cases[options.which], co_board(), co_harts(), options.nx, options.nz,
		       options.steps, field.dt);
		took = co_now();
		r = run();
		took = co_now() - took;
	}
	if (field.rest_near && r == 0)
		r = co_spm_array_drop(field.rest_near);
	if (r == 0)
		r = report(mass, energy, took);
	if (r == -EHOSTDOWN)
		fprintf(stderr, "weather: a compute hart is lost, and all of them are wanted: "
				"--alone does without\n");
	else if (r < 0)
		fprintf(stderr, "weather: %s\n", strerror(-r));
	return r != 0;
}
