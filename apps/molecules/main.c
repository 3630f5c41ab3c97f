/*
 * molecules - a liquid of Lennard-Jones atoms: each rank has a part of a periodic box, and puts
 * copies of the atoms near its borders into its neighbours' windows.
 *
 * An MPI program like any other, and the same on a PC (README.md). The results are the same bits on
 * any number of ranks.
 *
 * Source: seeds E4, E14; Verlet, Physical Review 159 (1967), 98.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "../common/options.h"
#include "../common/machine.h"
#include "molecules.h"

static const char usage[] =
	"usage: molecules [OPTION]...\n"
	"Molecular dynamics of a Lennard-Jones liquid in a periodic box, by reduced units: energy and\n"
	"momentum must be kept, else the exit code is 1.\n"
	"\n"
	"  -n, --atoms=N          4 times a cube: 108, 256, 500, 864, ... (default 864)\n"
	"  -d, --density=X        (default 0.8442)\n"
	"  -t, --temperature=X    until the run begins (default 0.722)\n"
	"  -c, --cut=X            the cut-off (default 2.5)\n"
	"  -s, --steps=N          of the run (default 1000)\n"
	"      --settle=N         before it, while the crystal melts and cools (default 1000)\n"
	"      --step=X           time of a step (default 0.001)\n"
	"  -r, --report=N         a line each N steps (default 100)\n"
	"  -o, --out=NAME         write g(r) to NAME.gr, frames to NAME.xyz\n"
	"  -f, --frames=N         a frame each N steps (default: none)\n"
	"  -p, --published        fail if the liquid is not the published one, too\n"
	"      --help             print this\n";

#define ATOMS 131072 /* sums have room for 256 each; the virial is the largest, below 200 */
#define SETTLE_STEP 0.004
#define SAMPLE 10 /* steps from a look at pressure and distances to the next */

/*
 * How much may differ: of kinetic and potential energy, by 1,000 steps and 864 atoms (its jumps at
 * the cut-off add up by chance); of momentum an atom; of published values.
 */
#define ENERGY_KEPT 1e-5
#define MOMENTUM_KEPT 1e-11
#define ENERGY_NEAR 0.05
#define PRESSURE_NEAR 0.2
#define PEAK_NEAR 0.03
#define PEAK (3.7 / 3.4) /* Rahman, Physical Review 136 (1964), A405: 3.7 of sigma's 3.4 Angstrom */

static struct options options = { .atoms = 864,
				  .steps = 1000,
				  .settle = 1000,
				  .report = 100,
				  .density = 0.8442,
				  .temperature = 0.722,
				  .step = 0.001,
				  .cut = 2.5 };

static struct part part;
static int64_t bins[BINS];
static struct file {
	FILE *file;
	char name[256];
} frames, distribution;

/* Of the run; energies are an atom's. */
static struct {
	double first, off, momentum, temperature, potential, pressure;
	unsigned samples;
} seen;

static double temperature(const struct sums *s)
{
	return (double)s->kinetic / SCALE / (3.0 * (options.atoms - 1));
}

/* By the potential that is shifted to be zero at the cut-off. */
static double potential(const struct sums *s, bool shifted)
{
	double sixth = 1 / (options.cut * options.cut * options.cut), shift;

	sixth *= sixth;
	shift = 4 * sixth * (sixth - 1);
	return ((double)s->potential / SCALE - (shifted ? shift * (double)s->pairs : 0)) / 2 /
	       options.atoms;
}

static double pressure(const struct sums *s)
{
	return options.density *
	       (temperature(s) + (double)s->virial / SCALE / 2 / 3 / options.atoms);
}

static double kinetic(const struct sums *s)
{
	return (double)s->kinetic / SCALE / 2 / options.atoms;
}

static double energy(const struct sums *s)
{
	return kinetic(s) + potential(s, true);
}

/* Returns whether the atoms are all there, and where they may be; else says so. */
static bool is_sound(const struct sums *s, unsigned step)
{
	static const char *const why[] = {
		"atoms are nearer than half a diameter: a shorter --step",
		"an atom crosses a part in one step: a shorter --step",
		"a part has more atoms than room: they are not spread as a liquid's",
	};

	for (int k = 0; k < 3; k++) {
		if (!s->trouble[k])
			continue;
		if (part.rank == 0)
			fprintf(stderr, "molecules: step %u: %s\n", step, why[k]);
		return false;
	}
	if (s->kinetic <= 0 && part.rank == 0)
		fprintf(stderr, "molecules: step %u: the temperature is not above 0\n", step);
	if (s->atoms != options.atoms && part.rank == 0)
		fprintf(stderr, "molecules: step %u: %lld of %u atoms are left\n", step,
			(long long)s->atoms, options.atoms);
	return s->kinetic > 0 && s->atoms == options.atoms;
}

static void one_step(void)
{
	co_mark_begin("step");
	kick(&part);
	drift(&part);
	co_mark_begin("halo");
	halo_move(&part);
	halo_copy(&part);
	co_mark_end("halo", 1);
	forces(&part);
	kick(&part);
	co_mark_end("step", 1);
}

static void look(unsigned step)
{
	const struct sums *s = &part.all;

	seen.samples++;
	seen.temperature += temperature(s);
	seen.potential += potential(s, false);
	seen.pressure += pressure(s);
	for (int d = 0; d < 3; d++)
		seen.momentum =
			fmax(seen.momentum, fabs((double)s->momentum[d]) / SCALE / options.atoms);
	if (step == 0)
		seen.first = energy(s);
	/* The total crosses zero near a temperature of 2.4: proportions are of its two parts. */
	seen.off = fmax(seen.off,
			fabs(energy(s) - seen.first) / (kinetic(s) + fabs(potential(s, true))));
	if (part.rank == 0 && step % options.report == 0)
		printf("%8u %12.6f %12.6f %14.9f %12.6f\n", step, temperature(s),
		       potential(s, true), energy(s), pressure(s));
}

static bool settle(void)
{
	part.step = SETTLE_STEP;
	/* The crystal melts at twice the temperature. */
	for (unsigned i = 0; i <= options.settle; i++) {
		if (i % 20 == 0 || i == options.settle) {
			double t = options.temperature * (i < options.settle / 2 ? 2 : 1);

			add_up(&part);
			if (!is_sound(&part.all, i))
				return false;
			scale(&part, sqrt(t / temperature(&part.all)));
		}
		if (i < options.settle)
			one_step();
	}
	part.step = options.step;
	return true;
}

static bool run(void)
{
	for (unsigned i = 0; i < options.steps; i++) {
		bool sample = (i + 1) % SAMPLE == 0 || i + 1 == options.steps;

		part.bins = sample ? bins : NULL;
		one_step();
		if (sample) {
			add_up(&part);
			if (!is_sound(&part.all, i + 1))
				return false;
			look(i + 1);
		}
		if (options.frames && (i + 1) % options.frames == 0)
			write_frame(&part, frames.file, options.atoms, (i + 1) * options.step);
	}
	return true;
}

static bool judge(const char *what, double ours, double theirs, double near)
{
	bool good = fabs(ours - theirs) <= near;

	printf("%-34s %8.4f, published %8.4f%s\n", what, ours, theirs,
	       !options.published ? ""
	       : good             ? ": good"
				  : ": NOT NEAR");
	return good || !options.published;
}

/* The results of the run, alone and beside published values. Context: the first rank. */
static bool report(void)
{
	double u, p, more_u, more_p, r, peak, t = seen.temperature / seen.samples;
	double may = ENERGY_KEPT * fmax(1, options.steps / 1000.0) *
		     fmax(1, sqrt(864.0 / options.atoms));
	bool kept = seen.off <= may && seen.momentum <= MOMENTUM_KEPT, near;

	printf("the energy has been %.1e off, momentum %.1e an atom: %s\n", seen.off, seen.momentum,
	       kept ? "kept" : "NOT KEPT");
	tails(options.density, options.cut, &more_p, &more_u);
	state_of_liquid(options.density, t, &p, &u);
	printf("mean temperature                   %8.4f\n", t);
	near = judge("mean potential energy, with tail", seen.potential / seen.samples + more_u, u,
		     ENERGY_NEAR);
	near &= judge("mean pressure, with tail", seen.pressure / seen.samples + more_p, p,
		      PRESSURE_NEAR);
	peak = highest(bins, seen.samples - 1, &options, 0.5, 1.5, &r);
	near &= judge("g(r) is highest at", r, PEAK, PEAK_NEAR);
	printf("and there                          %8.4f\n", peak);
	printf("the atoms' bits: %016llx\n", (unsigned long long)part.all.hash);
	return kept && near;
}

static bool say_error(const struct file *f)
{
	fprintf(stderr, "molecules: %s: %s\n", f->name, strerror(errno));
	return false;
}

static bool close_file(struct file *f)
{
	bool bad;

	if (!f->file)
		return true;
	bad = ferror(f->file);
	errno = EIO; /* of an earlier write */
	bad |= fclose(f->file) != 0;
	return !bad || say_error(f);
}

static int finish(void)
{
	int good = 1;

	MPI_Allreduce(MPI_IN_PLACE, bins, BINS, MPI_INT64_T, MPI_SUM, part.comm);
	if (part.rank == 0) {
		good = report();
		if (distribution.file)
			write_distribution(bins, seen.samples - 1, &options, distribution.file);
		good &= close_file(&distribution);
		good &= close_file(&frames);
	}
	MPI_Bcast(&good, 1, MPI_INT, 0, part.comm);
	return good ? 0 : 1;
}

static bool create(const char *suffix, struct file *f)
{
	snprintf(f->name, sizeof(f->name), "%s%s", options.out, suffix);
	f->file = fopen(f->name, "w");
	return f->file || say_error(f);
}

static bool create_files(void)
{
	return !options.out ||
	       (create(".gr", &distribution) && (!options.frames || create(".xyz", &frames)));
}

/* Context: the first rank. Returns NULL, or the error's text. */
static const char *check_options(void)
{
	static char wrong[120];
	unsigned side = 1;

	while (4 * side * side * side < options.atoms)
		side++;
	if (4 * side * side * side != options.atoms) {
		snprintf(wrong, sizeof(wrong),
			 "%u atoms are no crystal: %u and %u are (4 times a cube)", options.atoms,
			 4 * (side - 1) * (side - 1) * (side - 1), 4 * side * side * side);
		return wrong;
	}
	if (options.frames && !options.out)
		return "--frames=N wants --out=NAME";
	if (options.frames > options.steps)
		return "--frames=N wants --steps=N, as many at least";
	if (options.out && strlen(options.out) > 250)
		return "--out=NAME wants a name of 250 characters at most";
	return NULL;
}

/* The first rank alone prints an error. Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "atoms", 'n', .number = &options.atoms, .least = 32, .most = ATOMS },
		{ "density", 'd', .real = &options.density, .from = 0.1, .to = 1.2 },
		{ "temperature", 't', .real = &options.temperature, .from = 0.1, .to = 1.5 },
		{ "cut", 'c', .real = &options.cut, .from = 1, .to = 10 },
		{ "steps", 's', .number = &options.steps, .least = 1, .most = 10000000 },
		{ "settle", .number = &options.settle, .most = 10000000 },
		{ "step", .real = &options.step, .from = 1e-6, .to = 1 },
		{ "report", 'r', .number = &options.report, .least = 1, .most = 10000000 },
		{ "out", 'o', .text = &options.out },
		{ "frames", 'f', .number = &options.frames, .least = 1, .most = 10000000 },
		{ "published", 'p', .on = &options.published },
		{ 0 },
	};
	int code = -1, rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		code = app_options("molecules", usage, known, argc, argv);
		if (code < 0) {
			const char *wrong = check_options();

			if (wrong) {
				fprintf(stderr, "molecules: %s\n", wrong);
				code = 2;
			}
		}
	}
	MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&options, sizeof(options), MPI_BYTE, 0, MPI_COMM_WORLD);
	return code;
}

/*
 * In the crystal each atom has as many neighbours as the lattice has points within the cut-off: an
 * atom without its copy would be missing, and whatever is missing twice breaks no law. Rounding
 * decides on points at the cut-off.
 */
static bool is_whole(void)
{
	double half = cube_root(4 / options.density) / 2, reach = options.cut / half;
	int wide = (int)reach + 1, least = -1, most = -1;

	for (int x = -wide; x <= wide; x++) {
		for (int y = -wide; y <= wide; y++) {
			for (int z = -wide; z <= wide; z++) {
				double at = (x * x + y * y + z * z) / (reach * reach);

				least += (x + y + z) % 2 == 0 && at < 1 - 1e-9;
				most += (x + y + z) % 2 == 0 && at < 1 + 1e-9;
			}
		}
	}
	add_up(&part);
	if (part.all.pairs >= (int64_t)least * options.atoms &&
	    part.all.pairs <= (int64_t)most * options.atoms)
		return true;
	if (part.rank == 0)
		fprintf(stderr, "molecules: the crystal's atoms have %g neighbours each, not %d\n",
			(double)part.all.pairs / options.atoms, least);
	return false;
}

static int simulate(void)
{
	if (part.rank == 0)
		printf("%u atoms, density %g, in a box of %.4f; cut-off %g, steps of %g\n"
		       "%d ranks: %d x %d x %d parts of %d x %d x %d cells\n"
		       "    step  temperature    potential          total     pressure\n",
		       options.atoms, options.density, part.side, options.cut, options.step,
		       part.ranks, part.dims[0], part.dims[1], part.dims[2], part.cells[0],
		       part.cells[1], part.cells[2]);
	part_fill(&part, &options);
	halo_move(&part);
	halo_copy(&part);
	forces(&part);
	if (!is_whole() || !settle())
		return 1;
	add_up(&part);
	look(0);
	return run() ? finish() : 1;
}

int main(int argc, char **argv)
{
	const char *wrong;
	int code;

	MPI_Init(&argc, &argv);
	code = parse(argc, argv);
	if (code < 0) {
		wrong = part_init(&part, &options);
		if (wrong && part.rank == 0)
			fprintf(stderr, "molecules: %s\n", wrong);
		code = wrong || (part.rank == 0 && !create_files()) ? 2 : 0;
		MPI_Bcast(&code, 1, MPI_INT, 0, part.comm);
		if (code == 0)
			code = simulate();
		if (!wrong && part.ranks > 1)
			MPI_Win_free(&part.win);
	}
	MPI_Finalize();
	return code;
}
