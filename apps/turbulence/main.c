/*
 * turbulence - the vortex of Taylor and Green breaks up: Navier and Stokes' equations in a periodic
 * box, by Fourier modes that ranks share.
 *
 * An MPI program like any other, and the same on a PC (README.md). The results are the same bits on
 * any number of ranks.
 *
 * Source: seed E14; Taylor, Green, Proceedings of the Royal Society A 158 (1937), 499; Brachet et
 * al., Journal of Fluid Mechanics 130 (1983), 411.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/machine.h"
#include "../common/options.h"
#include "turbulence.h"

static const char usage[] =
	"usage: turbulence [OPTION]...\n"
	"The vortex of Taylor and Green in a periodic box: energy must be kept or dissipated, the flow\n"
	"begin as it is known to and stay free of divergence, else the exit code is 1.\n"
	"\n"
	"  -g, --grid=N           points of a side, a product of 2, 3 and 5 (default 32)\n"
	"  -r, --reynolds=X       number of Reynolds, from 10; 0: no viscosity (default 100)\n"
	"  -s, --steps=N          (default 40)\n"
	"      --step=X           time of a step (default 0.025)\n"
	"      --report=N         a line each N steps (default 10)\n"
	"  -o, --out=NAME         write NAME.spectrum, and NAME.slice: the vorticity where z is pi / 2\n"
	"      --help             print this\n";

/* How much may differ: of the first energy, of the first enstrophy, of a line's sums. */
#define ENERGY_NEAR 1e-6
#define SERIES_NEAR 2e-5
#define SERIES_UNTIL \
	0.3 /* of time, terms of t^5 are not in it, nor later than this, by Reynolds' */
#define SERIES_VISCOUS 0.01
#define DIVERGENCE_NEAR 1e-12
#define LINE_NEAR 1e-14

static struct options {
	unsigned grid, steps, report;
	double reynolds, step;
	const char *out;
} options = { .grid = 32, .steps = 40, .report = 10, .reynolds = 100, .step = 0.025 };

static struct flow flow;
static struct state state;
static int rank;

/* Of the run. */
static struct {
	double first_energy, first_enstrophy, energy, series, divergence, most, most_at;
	bool in_series;
} seen;

static double viscosity(void)
{
	return options.reynolds > 0 ? 1 / options.reynolds : 0;
}

static double enstrophy(void)
{
	return (double)state.enstrophy * ENSTROPHY_UNIT;
}

static double dissipation(void)
{
	return 2 * viscosity() * enstrophy();
}

/* The enstrophy, by the first one's, as Taylor and Green have it. */
static double series(double t)
{
	double v = viscosity(), vv = v * v;

	return 1 - 6 * v * t + (5.0 / 48 + 18 * vv) * t * t - (5.0 / 3 + 36 * vv) * v * t * t * t +
	       (50.0 / (99 * 64) + 1835.0 / (9 * 16) * vv + 54 * vv * vv) * t * t * t * t;
}

/*
 * Energies are looked at after an even number of steps, by Simpson's rule. Returns whether the flow
 * is one.
 */
static bool look(unsigned step)
{
	static double dissipated, before, last;
	double t = step * options.step, until = SERIES_UNTIL * 1.0001, energy, now;

	if (options.reynolds > 0)
		until = fmin(until, SERIES_VISCOUS * options.reynolds);
	flow_state(&flow, &state);
	if (state.wild) {
		if (rank == 0)
			fprintf(stderr,
				"turbulence: step %u: the flow has blown up: a shorter --step\n",
				step);
		return false;
	}
	energy = (double)state.energy * ENERGY_UNIT;
	now = dissipation();
	if (step == 0) {
		seen.first_energy = energy;
		seen.first_enstrophy = enstrophy();
	} else if (step % 2 == 0) {
		dissipated += options.step / 3 * (before + 4 * last + now);
		seen.energy = fmax(seen.energy, fabs(seen.first_energy - energy - dissipated) /
							seen.first_energy);
	}
	before = last;
	last = now;
	if (step && t <= until) {
		seen.in_series = true;
		seen.series =
			fmax(seen.series, fabs(enstrophy() / seen.first_enstrophy - series(t)));
	}
	seen.divergence = fmax(seen.divergence, state.divergence);
	if (now > seen.most) {
		seen.most = now;
		seen.most_at = t;
	}
	if (rank == 0 && step % options.report == 0)
		printf("%9.4f %12.9f %12.8f %13.10f\n", t, energy, enstrophy(), now);
	return true;
}

/* Context: the first rank. */
static bool judge(const char *what, double off, double near)
{
	/* Not "off > near": what is not a number is not near. */
	bool good = off <= near;

	printf("%-46s %.1e: %s\n", what, off, good ? "good" : "TOO FAR");
	return good;
}

static bool report(double line)
{
	bool good = judge("a line's transform, from its sums", line, LINE_NEAR);

	good &= judge("energy, neither kept nor dissipated", seen.energy, ENERGY_NEAR);
	if (seen.in_series)
		good &= judge("enstrophy at first, from Taylor and Green's", seen.series,
			      SERIES_NEAR);
	else
		printf("enstrophy at first: not looked at, by so long steps\n");
	good &= judge("divergence of a mode", seen.divergence, DIVERGENCE_NEAR);
	if (options.reynolds > 0)
		printf("the highest dissipation, %.7f, at %g\n", seen.most, seen.most_at);
	printf("the flow's bits: %016llx\n", (unsigned long long)state.hash);
	return good;
}

static struct file {
	const char *suffix;
	FILE *file;
} files[] = { { ".spectrum", NULL }, { ".slice", NULL } };

static bool say_error(const struct file *f)
{
	fprintf(stderr, "turbulence: %s%s: %s\n", options.out, f->suffix, strerror(errno));
	return false;
}

/* Context: the first rank. */
static bool create_files(void)
{
	char name[256];

	for (struct file *f = files; options.out && f < files + 2; f++) {
		snprintf(name, sizeof(name), "%s%s", options.out, f->suffix);
		f->file = fopen(name, "w");
		if (!f->file)
			return say_error(f);
	}
	return true;
}

static bool close_files(void)
{
	bool good = true, bad;

	for (struct file *f = files; f < files + 2 && f->file; f++) {
		bad = ferror(f->file);
		errno = EIO; /* of an earlier write */
		bad |= fclose(f->file) != 0;
		good &= !bad || say_error(f);
	}
	return good;
}

static bool write_files(void)
{
	int n = (int)options.grid, side = (n - 1) / 3; /* of the kept modes */
	int most = (int)(sqrt(3.0 * side * side) + 0.5);
	double *plane = rank ? NULL : calloc((size_t)n * (size_t)n, sizeof(*plane));

	if (!rank && !plane) {
		MPI_Abort(MPI_COMM_WORLD, 1);
		return false;
	}
	flow_slice(&flow, plane);
	for (int k = 0; !rank && k <= most; k++)
		fprintf(files[0].file, "%d %.9e\n", k, (double)state.spectrum[k] * ENERGY_UNIT);
	for (int i = 0; plane && i < n * n; i++)
		fprintf(files[1].file, "%.4f%c", plane[i], (i + 1) % n ? ' ' : '\n');
	free(plane);
	return rank || close_files();
}

/* Context: the first rank. Returns NULL, or the error's text. */
static const char *check_options(void)
{
	if (options.out && strlen(options.out) > 240)
		return "--out=NAME wants a name of 240 characters at most";
	if (options.reynolds > 0 && options.reynolds < 10)
		return "--reynolds wants 10 or more, or 0 for none";
	if (options.steps % 2)
		return "--steps wants an even number: energies are looked at by Simpson's rule";
	return NULL;
}

/* The first rank alone prints an error. Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "grid", 'g', .number = &options.grid, .least = 8, .most = GRID_MOST },
		{ "reynolds", 'r', .real = &options.reynolds, .from = 0, .to = 1e6 },
		{ "steps", 's', .number = &options.steps, .least = 2, .most = 1000000 },
		{ "step", .real = &options.step, .from = 1e-6, .to = 1 },
		{ "report", .number = &options.report, .least = 1, .most = 1000000 },
		{ "out", 'o', .text = &options.out },
		{ 0 },
	};
	const char *wrong = NULL;
	int code = -1;

	if (rank == 0) {
		code = app_options("turbulence", usage, known, argc, argv);
		wrong = code < 0 ? check_options() : NULL;
		if (wrong)
			fprintf(stderr, "turbulence: %s\n", wrong);
		code = wrong ? 2 : code;
	}
	MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&options, sizeof(options), MPI_BYTE, 0, MPI_COMM_WORLD);
	return code;
}

static int simulate(void)
{
	double line = line_error(&flow.box);
	int good = 1;

	if (rank == 0)
		printf("%u x %u x %u points, number of Reynolds %g, steps of %g\n"
		       "%d x %d ranks\n"
		       "     time       energy    enstrophy   dissipation\n",
		       options.grid, options.grid, options.grid, options.reynolds, options.step,
		       flow.box.parts[0], flow.box.parts[1]);
	if (!look(0))
		return 1;
	for (unsigned i = 1; i <= options.steps; i++) {
		co_mark_begin("step");
		flow_step(&flow);
		co_mark_end("step", 1);
		if (!look(i))
			return 1;
	}
	if (rank == 0)
		good = report(line);
	if (options.out)
		good &= write_files();
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *wrong;
	int code;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	code = parse(argc, argv);
	if (code < 0) {
		wrong = flow_init(&flow, (int)options.grid, viscosity(), options.step,
				  MPI_COMM_WORLD);
		if (wrong && rank == 0)
			fprintf(stderr, "turbulence: %s\n", wrong);
		code = wrong || (rank == 0 && !create_files()) ? 2 : 0;
		MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
		if (code == 0)
			code = simulate();
	}
	MPI_Finalize();
	return code;
}
