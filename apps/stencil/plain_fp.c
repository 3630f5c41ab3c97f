/*
 * plain_fp.c - the kernels as they are defined: loops over arrays, in one hart. What the others
 * make is compared with this.
 */
#include "rows.h"

#define AT2(a, y, x) (a)[(size_t)(y)*w + (size_t)(x)]
#define AT3(a, z, y, x) (a)[((size_t)(z)*h + (size_t)(y)) * w + (size_t)(x)]

void plain_madd(const struct space *s, unsigned step)
{
	size_t n = (size_t)s->n[Y] * (size_t)s->n[X];

	(void)step;
	for (size_t i = 0; i < n; i++)
		s->array[2][i] = s->array[0][i] * s->array[1][i] + s->array[2][i];
}

void plain_five(const struct space *s, unsigned step)
{
	const double *u = s->array[0];
	size_t w = (size_t)s->n[X];

	(void)step;
	for (long y = 1; y < s->n[Y] - 1; y++)
		for (long x = 1; x < s->n[X] - 1; x++)
			AT2(s->array[1], y, x) = 0.5 * AT2(u, y, x) +
						 0.125 * ((AT2(u, y - 1, x) + AT2(u, y + 1, x)) +
							  (AT2(u, y, x - 1) + AT2(u, y, x + 1)));
}

void plain_nine(const struct space *s, unsigned step)
{
	const double *u = s->array[0];
	size_t w = (size_t)s->n[X];

	(void)step;
	for (long y = 1; y < s->n[Y] - 1; y++) {
		for (long x = 1; x < s->n[X] - 1; x++) {
			double near = (AT2(u, y - 1, x) + AT2(u, y + 1, x)) +
				      (AT2(u, y, x - 1) + AT2(u, y, x + 1));
			double far = (AT2(u, y - 1, x - 1) + AT2(u, y - 1, x + 1)) +
				     (AT2(u, y + 1, x - 1) + AT2(u, y + 1, x + 1));

			AT2(s->array[1], y, x) = 0.5 * AT2(u, y, x) + 0.1 * near + 0.025 * far;
		}
	}
}

void plain_heat(const struct space *s, unsigned step)
{
	const double *u = s->array[0];
	size_t w = (size_t)s->n[X];

	(void)step;
	for (long y = 1; y < s->n[Y] - 1; y++)
		for (long x = 1; x < s->n[X] - 1; x++)
			AT2(s->array[1], y, x) =
				0.125 * (AT2(u, y - 1, x) - 2.0 * AT2(u, y, x) + AT2(u, y + 1, x)) +
				0.125 * (AT2(u, y, x - 1) - 2.0 * AT2(u, y, x) + AT2(u, y, x + 1)) +
				AT2(u, y, x);
}

void plain_jacobi(const struct space *s, unsigned step)
{
	const double *u = s->array[0];
	size_t w = (size_t)s->n[X];

	(void)step;
	for (long y = 1; y < s->n[Y] - 1; y++)
		for (long x = 1; x < s->n[X] - 1; x++)
			AT2(s->array[1], y, x) =
				0.2 * (AT2(u, y, x) + AT2(u, y, x - 1) + AT2(u, y, x + 1) +
				       AT2(u, y + 1, x) + AT2(u, y - 1, x));
}

void plain_fdtd(const struct space *s, unsigned step)
{
	double *ex = s->array[0], *ey = s->array[1], *hz = s->array[2];
	size_t w = (size_t)s->n[X];

	for (long x = 0; x < s->n[X]; x++)
		ey[x] = step;
	for (long y = 1; y < s->n[Y]; y++)
		for (long x = 0; x < s->n[X]; x++)
			AT2(ey, y, x) -= 0.5 * (AT2(hz, y, x) - AT2(hz, y - 1, x));
	for (long y = 0; y < s->n[Y]; y++)
		for (long x = 1; x < s->n[X]; x++)
			AT2(ex, y, x) -= 0.5 * (AT2(hz, y, x) - AT2(hz, y, x - 1));
	for (long y = 0; y < s->n[Y] - 1; y++)
		for (long x = 0; x < s->n[X] - 1; x++)
			AT2(hz, y, x) -= 0.7 * (AT2(ex, y, x + 1) - AT2(ex, y, x) +
						AT2(ey, y + 1, x) - AT2(ey, y, x));
}

void plain_seven(const struct space *s, unsigned step)
{
	const double *u = s->array[0];
	size_t h = (size_t)s->n[Y], w = (size_t)s->n[X];

	(void)step;
	for (long z = 1; z < s->n[Z] - 1; z++)
		for (long y = 1; y < s->n[Y] - 1; y++)
			for (long x = 1; x < s->n[X] - 1; x++)
				AT3(s->array[1], z, y, x) =
					0.4 * AT3(u, z, y, x) +
					0.1 * ((AT3(u, z - 1, y, x) + AT3(u, z + 1, y, x)) +
					       (AT3(u, z, y - 1, x) + AT3(u, z, y + 1, x)) +
					       (AT3(u, z, y, x - 1) + AT3(u, z, y, x + 1)));
}

/* The sum of the nine in a plane, around an element of it. */
static double nine_of(const double *u, size_t w)
{
	const double *before = u - w, *behind = u + w;

	return (before[-1] + before[0] + before[1]) + (u[-1] + u[0] + u[1]) +
	       (behind[-1] + behind[0] + behind[1]);
}

void plain_twenty_seven(const struct space *s, unsigned step)
{
	size_t h = (size_t)s->n[Y], w = (size_t)s->n[X];

	(void)step;
	for (long z = 1; z < s->n[Z] - 1; z++) {
		for (long y = 1; y < s->n[Y] - 1; y++) {
			for (long x = 1; x < s->n[X] - 1; x++) {
				const double *u = &AT3(s->array[0], z, y, x);

				AT3(s->array[1], z, y, x) =
					0.35 * *u + 0.025 * (nine_of(u - h * w, w) + nine_of(u, w) +
							     nine_of(u + h * w, w));
			}
		}
	}
}

void plain_shift(const struct space *s, unsigned step)
{
	size_t w = (size_t)s->n[X];

	(void)step;
	for (long y = 0; y < s->n[Y]; y++)
		for (long x = 2; x < s->n[X]; x++)
			AT2(s->array[1], y, x) = AT2(s->array[0], y, x - 2);
}

void plain_apply(const struct space *s, unsigned step)
{
	size_t n = (size_t)s->n[Y] * (size_t)s->n[X];

	(void)step;
	for (size_t i = 0; i < n; i++)
		s->array[2][i] = s->array[0][i] + 0.5 * s->array[1][i];
}

/* At the left edge of a cell, by the two cells on each side. */
static double at_edge(const double *u)
{
	return 1.0 / 12 * (7.0 * (u[-1] + u[0]) - (u[-2] + u[1]));
}

void plain_flux(const struct space *s, unsigned step)
{
	size_t w = (size_t)s->n[X];

	(void)step;
	for (long y = 0; y < s->n[Y]; y++) {
		for (long x = 2; x < s->n[X] - 1; x++) {
			const double *u = &AT2(s->array[1], y, x);
			double wind = at_edge(u), dens = at_edge(&AT2(s->array[0], y, x)) + 1.0;

			AT2(s->array[2], y, x) =
				wind * wind / dens - 0.25 * (3.0 * (u[-1] - u[0]) + (u[1] - u[-2]));
		}
	}
}

long differs(const double *a, const double *b, long n)
{
	for (long i = 0; i < n; i++) {
		uint64_t x, y;

		__builtin_memcpy(&x, &a[i], sizeof(x));
		__builtin_memcpy(&y, &b[i], sizeof(y));
		if (x != y)
			return i;
	}
	return -1;
}
