/* output.c - frames as XYZ files have them, and the radial distribution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules.h"

#define ANGSTROM 3.405 /* argon's sigma */

static void *must_get(size_t n, size_t bytes)
{
	void *p = calloc(n + 1, bytes);

	if (!p) {
		fprintf(stderr, "molecules: no memory for a frame\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
		exit(1);
	}
	return p;
}

/* The atoms of all ranks on the first one, by their numbers. */
void write_frame(struct part *p, FILE *file, unsigned atoms, double time)
{
	int *counts = must_get((size_t)p->ranks * 2, sizeof(int)), *from = counts + p->ranks;
	int64_t(*mine)[4] = must_get((size_t)p->n, sizeof(*mine));
	int64_t(*all)[4] = must_get(p->rank ? 0 : atoms, sizeof(*all));
	unsigned *row = must_get(p->rank ? 0 : atoms, sizeof(*row));
	double unit = p->unit * ANGSTROM, side = p->side * ANGSTROM;
	int words = 4 * p->n;

	for (int i = 0; i < p->n; i++) {
		mine[i][0] = p->id[i];
		memcpy(mine[i] + 1, p->at[i].x, sizeof(p->at[i].x));
	}
	MPI_Gather(&words, 1, MPI_INT, counts, 1, MPI_INT, 0, p->comm);
	for (int r = 1; r < p->ranks; r++)
		from[r] = from[r - 1] + counts[r - 1];
	MPI_Gatherv(mine, words, MPI_INT64_T, all, counts, from, MPI_INT64_T, 0, p->comm);
	for (unsigned i = 0; p->rank == 0 && i < atoms; i++)
		row[all[i][0]] = i;
	if (p->rank == 0)
		fprintf(file, "%u\nLattice=\"%.5f 0 0 0 %.5f 0 0 0 %.5f\" Time=%g\n", atoms, side,
			side, side, time);
	for (unsigned i = 0; p->rank == 0 && i < atoms; i++) {
		const int64_t *x = all[row[i]] + 1;

		fprintf(file, "Ar %.4f %.4f %.4f\n", (double)x[0] * unit, (double)x[1] * unit,
			(double)x[2] * unit);
	}
	free(counts);
	free(mine);
	free(all);
	free(row);
}

/* g(r) in a bin: its pairs divided by the pairs of an ideal gas. */
static double g_of(const int64_t *bins, int bin, unsigned samples, const struct options *o)
{
	double each = o->cut / BINS, r = bin * each, next = r + each;
	double shell = 4 * M_PI / 3 * (next * next * next - r * r * r);

	return (double)bins[bin] / ((double)o->atoms * samples * o->density * shell);
}

void write_distribution(const int64_t *bins, unsigned samples, const struct options *o, FILE *file)
{
	fprintf(file, "# r/sigma g(r)\n");
	for (int i = 0; i < BINS; i++)
		fprintf(file, "%.4f %.5f\n", (i + 0.5) * o->cut / BINS, g_of(bins, i, samples, o));
}

/* The highest value of g(r) between two distances, and where: of a parabola through three bins. */
double highest(const int64_t *bins, unsigned samples, const struct options *o, double from,
	       double to, double *r)
{
	double each = o->cut / BINS, left, mid, right, bend, off;
	int best = (int)(from / each);

	for (int i = best; i < BINS - 1 && i * each < to; i++) {
		if (g_of(bins, i, samples, o) > g_of(bins, best, samples, o))
			best = i;
	}
	left = g_of(bins, best - 1, samples, o);
	mid = g_of(bins, best, samples, o);
	right = g_of(bins, best + 1, samples, o);
	bend = left - 2 * mid + right;
	off = bend < 0 ? (left - right) / (2 * bend) : 0;
	*r = (best + 0.5 + off) * each;
	return mid - (left - right) * off / 4;
}
