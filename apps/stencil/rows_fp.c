/*
 * rows_fp.c - a row of each kernel, with vectors and without: kernels, for harts that have floating
 * point.
 *
 * Constants come with the arguments: those of the program are in main memory, which a hart without
 * a cache would read for every row.
 */
#include <cohart/vector.h>

#include "rows.h"

/* Neighbour r of the element (or of the vector that begins there), dx elements beside it. */
#define VECTOR(r, dx) co_f64x2_load(in[r] + x + (dx))
#define SCALAR(r, dx) in[r][x + (size_t)(dx)]

/* clang-format off */
#define ROW_SCALAR(name, OF)                                                              \
	void name##_scalar(double *out, const double *const in[], size_t n, const double *k) \
	{ for (size_t x = 0; x < n; x++) out[x] = OF(SCALAR); (void)in; (void)k; }

#define ROW_VECTOR(name, OF)                                                              \
	void name(double *out, const double *const in[], size_t n, const double *k)       \
	{ size_t x = 0; (void)k;                                                          \
	  for (; x + 2 <= n; x += 2) co_f64x2_store(out + x, OF(VECTOR));                 \
	  for (; x < n; x++) out[x] = OF(SCALAR); }
/* clang-format on */

/* c = a * b + c */
#define MADD(at) (at(0, 0) * at(1, 0) + at(2, 0))
ROW_SCALAR(row_madd, MADD)
ROW_VECTOR(row_madd, MADD)

/* Rows of the line above, this one, and that below. */
#define FIVE(at) (k[0] * at(1, 0) + k[1] * ((at(0, 0) + at(2, 0)) + (at(1, -1) + at(1, 1))))
ROW_SCALAR(row_five, FIVE)
ROW_VECTOR(row_five, FIVE)

#define CORNERS(at) ((at(0, -1) + at(0, 1)) + (at(2, -1) + at(2, 1)))
#define NINE(at) (FIVE(at) + k[2] * CORNERS(at))
ROW_SCALAR(row_nine, NINE)
ROW_VECTOR(row_nine, NINE)

#define SECOND(at, before, after) (at before - 2.0 * at(1, 0) + at after)
#define HEAT(at) (k[0] * SECOND(at, (0, 0), (2, 0)) + k[0] * SECOND(at, (1, -1), (1, 1)) + at(1, 0))
ROW_SCALAR(row_heat, HEAT)
ROW_VECTOR(row_heat, HEAT)

#define JACOBI(at) (k[0] * (at(1, 0) + at(1, -1) + at(1, 1) + at(2, 0) + at(0, 0)))
ROW_SCALAR(row_jacobi, JACOBI)
ROW_VECTOR(row_jacobi, JACOBI)

/* Below, before, this, behind, above. */
#define SIX(at) ((at(0, 0) + at(4, 0)) + (at(1, 0) + at(3, 0)) + (at(2, -1) + at(2, 1)))
#define SEVEN(at) (k[0] * at(2, 0) + k[1] * SIX(at))
ROW_SCALAR(row_seven, SEVEN)
ROW_VECTOR(row_seven, SEVEN)

/* Three planes of three rows, from below. */
#define THREE(at, r) (at(r, -1) + at(r, 0) + at(r, 1))
#define PLANE(at, r) (THREE(at, r) + THREE(at, (r) + 1) + THREE(at, (r) + 2))
#define TWENTY_SEVEN(at) (k[0] * at(4, 0) + k[1] * (PLANE(at, 0) + PLANE(at, 3) + PLANE(at, 6)))
ROW_SCALAR(row_twenty_seven, TWENTY_SEVEN)
ROW_VECTOR(row_twenty_seven, TWENTY_SEVEN)

/* The field itself is neighbour 0. */
#define FDTD_Y(at) (at(0, 0) - k[0] * (at(2, 0) - at(1, 0)))
ROW_SCALAR(row_fdtd_y, FDTD_Y)
ROW_VECTOR(row_fdtd_y, FDTD_Y)
#define FDTD_X(at) (at(0, 0) - k[0] * (at(1, 0) - at(1, -1)))
ROW_SCALAR(row_fdtd_x, FDTD_X)
ROW_VECTOR(row_fdtd_x, FDTD_X)
#define FDTD_Z(at) (at(0, 0) - k[0] * (at(1, 1) - at(1, 0) + at(3, 0) - at(2, 0)))
ROW_SCALAR(row_fdtd_z, FDTD_Z)
ROW_VECTOR(row_fdtd_z, FDTD_Z)

/*
 * What miniWeather is made of: cells that are moved, to another place of another array; a field
 * that changes; and what flows through the left edge of a cell, from four cells around it. No sum
 * is of two products: harts that fuse one of them would choose.
 */
#define SHIFT(at) at(0, -2)
ROW_SCALAR(row_shift, SHIFT)
ROW_VECTOR(row_shift, SHIFT)
#define APPLY(at) (at(0, 0) + k[0] * at(1, 0))
ROW_SCALAR(row_apply, APPLY)
ROW_VECTOR(row_apply, APPLY)
#define EDGE(at, r) (k[1] * (k[0] * (at(r, -1) + at(r, 0)) - (at(r, -2) + at(r, 1))))
#define THIRD(at, r) (3.0 * (at(r, -1) - at(r, 0)) + (at(r, 1) - at(r, -2)))
#define CARRIED(at) (EDGE(at, 1) * EDGE(at, 1) / (EDGE(at, 0) + 1.0))
#define FLUX(at) (CARRIED(at) - k[2] * THIRD(at, 1))
ROW_SCALAR(row_flux, FLUX)
ROW_VECTOR(row_flux, FLUX)

void row_fdtd_edge_scalar(double *out, const double *const in[], size_t n, const double *k)
{
	(void)in;
	for (size_t x = 0; x < n; x++)
		out[x] = k[0];
}

void row_fdtd_edge(double *out, const double *const in[], size_t n, const double *k)
{
	row_fdtd_edge_scalar(out, in, n, k);
}

void sow_row(double *row, long n, uint32_t seed)
{
	uint32_t state = seed * 2654435761u + 12345;

	for (long x = 0; x < n; x++) {
		state = state * 1664525u + 1013904223u;
		row[x] = (double)(state >> 8) / (1 << 24);
	}
}
