/*
 * start_fp.c - the air at rest, what each case adds to it, and what is printed of the field: sums,
 * bits, colours. Kernels, a row at a time.
 */
#include <math.h>
#include <string.h>

#include "weather.h"

static const double gravity = 9.8, cp = 1004, cv = 717, rd = 287, p0 = 1e5;
static const double c0 = 27.5629410929725921310572974482;
static const double gamma_ = 1.40027894002789400278940027894;
static const double theta0 = 300;

/* A mean over a cell: Gauss and Legendre's three points, and their weights. */
static const double points[3] = { 0.112701665379258311482073460022, 0.5,
				  0.887298334620741688517926539980 };
static const double weights[3] = { 5.0 / 18, 8.0 / 18, 5.0 / 18 };

struct air {
	double dens, theta;
};

/* Air at rest at a height: of the same potential temperature everywhere, or in stable layers. */
static struct air at_rest(enum which which, double z)
{
	double theta = theta0, exner = 1 - gravity * z / (cp * theta0), rt;

	if (which == GRAVITY_WAVES) {
		double n2 = 0.02 * 0.02; /* Brunt's and Vaisala's frequency, squared */

		theta = theta0 * exp(n2 / gravity * z);
		exner = 1 - gravity * gravity / (cp * n2) * (theta - theta0) / (theta * theta0);
	}
	rt = pow(p0 * pow(exner, cp / rd) / c0, 1 / gamma_);
	return (struct air){ rt / theta, theta };
}

/* A hill of cosine shape on an ellipse. */
static double hill(double x, double z, double height, double x0, double z0, double rx, double rz)
{
	double a = (x - x0) / rx, b = (z - z0) / rz;
	double far = sqrt(a * a + b * b) * M_PI_2;

	return far <= M_PI_2 ? height * cos(far) * cos(far) : 0;
}

/* How much warmer than at rest. */
static double warmer(const struct field *f, double x, double z)
{
	double middle = f->dx * (double)f->nx / 2;

	switch (f->which) {
	case THERMAL:
		return hill(x, z, 3, middle, 2000, 2000, 2000);
	case COLLISION:
		return hill(x, z, 20, middle, 2000, 2000, 2000) +
		       hill(x, z, -20, middle, 8000, 2000, 2000);
	case DENSITY_CURRENT:
		return hill(x, z, -20, middle, 5000, 4000, 2000);
	default:
		return 0;
	}
}

void rest_make(const struct field *f, long k)
{
	struct rest *r = &f->rest[k];
	struct air edge = at_rest(f->which, (double)k * f->dz);

	memset(r, 0, sizeof(*r));
	for (int i = 0; i < 3; i++) {
		struct air a = at_rest(f->which, ((double)k + points[i]) * f->dz);

		r->dens += weights[i] * a.dens;
		r->rt += weights[i] * a.dens * a.theta;
	}
	r->over_rt = 1 / r->rt;
	r->p = c0 * pow(r->rt, gamma_);
	r->edge_dens = edge.dens;
	r->edge_rt = edge.dens * edge.theta;
	r->edge_over_rt = 1 / r->edge_rt;
	r->edge_p = c0 * pow(r->edge_rt, gamma_);
}

/* The deviation is the mean over nine points; the wind of GRAVITY_WAVES is 15 m/s. */
static void start_cell(const struct field *f, long k, long i, double cell[VARS])
{
	for (int a = 0; a < 3; a++) {
		for (int b = 0; b < 3; b++) {
			double x = ((double)i + points[a]) * f->dx;
			double z = ((double)k + points[b]) * f->dz;
			double weight = weights[a] * weights[b];
			struct air air = at_rest(f->which, z);

			if (f->which == GRAVITY_WAVES)
				cell[UMOM] += weight * air.dens * 15;
			cell[RHOT] += weight * air.dens * warmer(f, x, z);
		}
	}
}

void start_row(const struct field *f, long k)
{
	for (long i = 0; i < f->nx; i++) {
		double cell[VARS] = { 0 };

		start_cell(f, k, i, cell);
		for (unsigned v = 0; v < VARS; v++)
			f->now[line_of(f, k, v) + (size_t)i] = cell[v];
	}
}

/* Mass, and energy: of movement as users of miniWeather count it, and within. */
void sum_row(const struct field *f, long k, double sums[2])
{
	const double *q = &f->now[line_of(f, k, 0)];
	size_t n = (size_t)f->nx;

	sums[0] = sums[1] = 0;
	for (size_t i = 0; i < n; i++) {
		double r = q[DENS * n + i] + f->rest[k].dens;
		double u = q[UMOM * n + i] / r, w = q[WMOM * n + i] / r;
		double theta = (q[RHOT * n + i] + f->rest[k].rt) / r;
		double p = c0 * pow(r * theta, gamma_);
		double t = theta / pow(p0 / p, rd / cp);

		sums[0] += r * f->dx * f->dz;
		sums[1] += (r * (u * u + w * w) + r * cv * t) * f->dx * f->dz;
	}
}

uint64_t hash_row(const struct field *f, long k)
{
	const double *q = &f->now[line_of(f, k, 0)];
	uint64_t hash = 0xcbf29ce484222325; /* Fowler, Noll and Vo's, of words */

	for (size_t i = 0; i < (size_t)f->nx * VARS; i++) {
		uint64_t bits;

		memcpy(&bits, &q[i], sizeof(bits));
		hash = (hash ^ bits) * 0x100000001b3;
		hash ^= hash >> 29;
	}
	return hash;
}

/* 0 to 254, 127 where nothing differs from rest: of potential temperature, or of the wind up. */
void pixels_row(const struct field *f, long k, uint8_t *pixels)
{
	static const double most[CASES] = { [COLLISION] = 20,
					    [THERMAL] = 3,
					    [GRAVITY_WAVES] = 0.5,
					    [DENSITY_CURRENT] = 20,
					    [INJECTION] = 2 };
	const double *q = &f->now[line_of(f, k, 0)];
	const struct rest *rest = &f->rest[k];
	size_t n = (size_t)f->nx;

	for (size_t i = 0; i < n; i++) {
		double r = q[DENS * n + i] + rest->dens;
		double x = (q[RHOT * n + i] + rest->rt) / r - rest->rt / rest->dens;

		if (f->which == GRAVITY_WAVES)
			x = q[WMOM * n + i] / r;
		x = 127.5 + 127 * x / most[f->which];
		pixels[i] = x < 0 ? 0 : x > 254 ? 254 : x == x ? (uint8_t)x : 255;
	}
}
