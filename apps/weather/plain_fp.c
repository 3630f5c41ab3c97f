/*
 * plain_fp.c - the same equations by plain loops on one hart, which share nothing with the rest:
 * all fluxes, then all changes, and the library's pow(). What tiles make is compared with this.
 */
#include <math.h>
#include <string.h>

#include "weather.h"

static const double c0 = 27.5629410929725921310572974482;
static const double gamma_ = 1.40027894002789400278940027894;

struct grid {
	size_t wide, high; /* with the halo */
	double *q, *flux;
};

static double *cell(const struct grid *g, unsigned v, long k, long i)
{
	return &g->q[(v * g->high + (size_t)(k + HALO)) * g->wide + (size_t)(i + HALO)];
}

static double *flux(const struct grid *g, unsigned v, long k, long i)
{
	return &g->flux[(v * g->high + (size_t)k) * g->wide + (size_t)i];
}

static struct grid grid_of(const struct field *f, double *scratch)
{
	struct grid g = { .wide = (size_t)f->nx + 2 * HALO, .high = (size_t)f->nz + 2 * HALO };

	g.q = scratch;
	g.flux = scratch + VARS * g.wide * g.high;
	return g;
}

size_t plain_bytes(const struct field *f)
{
	return 2 * VARS * ((size_t)f->nx + 2 * HALO) * ((size_t)f->nz + 2 * HALO) * sizeof(double);
}

/* The field with its halo: round in x, solid in z. */
static void surround(const struct field *f, const struct grid *g, const double *from)
{
	for (unsigned v = 0; v < VARS; v++) {
		for (long k = -HALO; k < f->nz + HALO; k++) {
			long row = k < 0 ? 0 : k >= f->nz ? f->nz - 1 : k;

			for (long i = -HALO; i < f->nx + HALO; i++) {
				double x = from[line_of(f, row, v) + (size_t)((i + f->nx) % f->nx)];

				if (row != k && v == WMOM)
					x = 0;
				if (row != k && v == UMOM)
					x *= f->rest[k].dens / f->rest[row].dens;
				*cell(g, v, k, i) = x;
			}
		}
	}
}

/* INJECTION: 50 m/s of air at 298 K, in the two cells left of the field, near three quarters up. */
static void inject(const struct field *f, const struct grid *g)
{
	double top = f->dz * (double)f->nz;

	for (long k = 0; k < f->nz; k++) {
		double z = ((double)k + 0.5) * f->dz;

		for (long i = -HALO; i < 0 && fabs(z - 3 * top / 4) <= top / 16; i++) {
			double r = *cell(g, DENS, k, i) + f->rest[k].dens;

			*cell(g, UMOM, k, i) = r * 50;
			*cell(g, RHOT, k, i) = r * 298 - f->rest[k].rt;
		}
	}
}

/* Fluxes through the left edge of a cell, or (z) its lower one. */
static void flow(const struct field *f, const struct grid *g, long k, long i, bool z, double dt)
{
	double damping = -0.05 * (z ? f->dz : f->dx) / (16 * dt);
	const struct rest *rest = &f->rest[k];
	double value[VARS], third[VARS], r, rt, u, w, p;

	for (unsigned v = 0; v < VARS; v++) {
		double s[4];

		for (int n = 0; n < 4; n++)
			s[n] = *(z ? cell(g, v, k - HALO + n, i) : cell(g, v, k, i - HALO + n));
		value[v] = -s[0] / 12 + 7 * s[1] / 12 + 7 * s[2] / 12 - s[3] / 12;
		third[v] = -s[0] + 3 * s[1] - 3 * s[2] + s[3];
	}
	if (z && (k == 0 || k == f->nz))
		value[WMOM] = third[DENS] = 0;
	r = value[DENS] + (z ? rest->edge_dens : rest->dens);
	rt = value[RHOT] + (z ? rest->edge_rt : rest->rt);
	u = value[UMOM] / r;
	w = value[WMOM] / r;
	p = c0 * pow(rt, gamma_) - (z ? rest->edge_p : rest->p);
	*flux(g, DENS, k, i) = r * (z ? w : u) - damping * third[DENS];
	*flux(g, UMOM, k, i) = r * u * (z ? w : u) + (z ? 0 : p) - damping * third[UMOM];
	*flux(g, WMOM, k, i) = r * w * (z ? w : u) + (z ? p : 0) - damping * third[WMOM];
	*flux(g, RHOT, k, i) = rt * (z ? w : u) - damping * third[RHOT];
}

static double change(const struct field *f, const struct grid *g, unsigned v, long k, long i,
		     bool z)
{
	double c = z ? -(*flux(g, v, k + 1, i) - *flux(g, v, k, i)) / f->dz
		     : -(*flux(g, v, k, i + 1) - *flux(g, v, k, i)) / f->dx;
	double x = ((double)i + 0.5) * f->dx - (double)f->nx * f->dx / 8;
	double h = ((double)k + 0.5) * f->dz - 1000;
	double far = sqrt(x * x + h * h) / 500 * M_PI_2;

	if (z && v == WMOM)
		c -= 9.8 * *cell(g, DENS, k, i);
	if (v == WMOM && f->which == GRAVITY_WAVES && far <= M_PI_2)
		c += 0.01 * cos(far) * cos(far) * f->rest[k].dens;
	return c;
}

/* to = now + dt * (how `from` changes), along one axis. */
static void part(const struct field *f, const struct grid *g, const double *from, double *to,
		 bool z, double dt)
{
	surround(f, g, from);
	if (f->which == INJECTION)
		inject(f, g);
	for (long k = 0; k < f->nz + z; k++)
		for (long i = 0; i < f->nx + !z; i++)
			flow(f, g, k, i, z, dt);
	for (long k = 0; k < f->nz; k++) {
		for (unsigned v = 0; v < VARS; v++) {
			size_t at = line_of(f, k, v);

			for (long i = 0; i < f->nx; i++)
				to[at + (size_t)i] =
					f->now[at + (size_t)i] + dt * change(f, g, v, k, i, z);
		}
	}
}

void plain_step(struct field *f, double *scratch, unsigned number)
{
	struct grid g = grid_of(f, scratch);

	for (unsigned axis = 0; axis < 2; axis++) {
		bool z = axis != number % 2;

		part(f, &g, f->now, f->tmp, z, f->dt / 3);
		part(f, &g, f->tmp, f->tmp, z, f->dt / 2);
		part(f, &g, f->tmp, f->now, z, f->dt);
	}
}

/* The largest difference, in proportion to the largest number of its kind. */
double plain_difference(const struct field *f, const double *a, const double *b)
{
	double worst = 0;

	for (unsigned v = 0; v < VARS; v++) {
		double most = 0, differs = 0;

		for (long k = 0; k < f->nz; k++) {
			for (size_t i = line_of(f, k, v); i < line_of(f, k, v) + (size_t)f->nx;
			     i++) {
				most = fmax(most, fabs(b[i]));
				differs = fmax(differs, fabs(a[i] - b[i]));
			}
		}
		worst = fmax(worst, most > 0 ? differs / most : differs);
	}
	return worst;
}
