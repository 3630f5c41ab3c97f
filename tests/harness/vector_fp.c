/* vector_fp.c - floating-point vectors, lane by lane against scalars; for compute harts. */
#include <stdbool.h>

#include <cohart/vector.h>

#include "kernel.h"

/* Results that are what scalars make, of 9. */
static unsigned doubles(const double *a, const double *b, double *to)
{
	unsigned good = 0;

	co_f64x2_store(to + 1, co_f64x2_fma(co_f64x2_load(a + 1), co_f64x2_load(b + 1),
					    co_f64x2_splat(0.5)));
	for (unsigned i = 1; i <= CO_F64_LANES; i++)
		good += to[i] == a[i] * b[i] + 0.5;
	good += to[0] == 0 && to[3] == 0; /* nothing beside it */
	co_f64x2_store_aligned(to, 2.0 * co_f64x2_load_aligned(a));
	good += to[0] == 2 * a[0] && to[1] == 2 * a[1];
	good += co_f64x2_sum(co_f64x2_load(a)) == a[0] + a[1];
	good += co_f64x2_min(co_f64x2_load(a)) == a[1] && a[1] < a[0];
	good += co_f64x2_max(co_f64x2_load(a)) == a[0];
	good += co_f64x2_min(co_f64x2_load(a + 1)) == (a[1] < a[2] ? a[1] : a[2]);
	return good + (co_f64x2_max(co_f64x2_load(a + 1)) == (a[1] > a[2] ? a[1] : a[2]));
}

/* Of 6. */
static unsigned floats(const float *a, float *to)
{
	unsigned good = 0;

	co_f32x4_store(to + 1,
		       co_f32x4_fma(co_f32x4_load(a), co_f32x4_splat(3), co_f32x4_load(a + 1)));
	good += to[1] == 3 * a[0] + a[1] && to[4] == 3 * a[3] + a[4];
	good += to[0] == 0 && to[5] == 0;
	co_f32x4_store_aligned(to, -co_f32x4_load_aligned(a));
	good += to[0] == -2 && to[1] == 1 && to[2] == -4 && to[3] == -0.5f;
	good += co_f32x4_sum(co_f32x4_load(a)) == (a[0] + a[1]) + (a[2] + a[3]);
	good += co_f32x4_min(co_f32x4_load_aligned(a)) == -1;
	return good + (co_f32x4_max(co_f32x4_load(a + 1)) == 8);
}

/* The least and the greatest, wherever they are: of 2. */
static unsigned extremes(double *d, float *f)
{
	bool right[2] = { true, true };

	for (unsigned turn = 0; turn < 4; turn++) {
		double d0 = d[0];
		float f0 = f[0];

		right[0] &= co_f64x2_min(co_f64x2_load(d)) == -1 &&
			    co_f64x2_max(co_f64x2_load(d)) == 6;
		right[1] &= co_f32x4_min(co_f32x4_load(f)) == -3 &&
			    co_f32x4_max(co_f32x4_load(f)) == 5;
		d[0] = d[1];
		d[1] = d0;
		for (unsigned i = 0; i < 3; i++)
			f[i] = f[i + 1];
		f[3] = f0;
	}
	return right[0] + right[1];
}

/* Masks, mixed lanes, conversions: of 8. */
static unsigned masks(const double *a, const float *f)
{
	const co_f64x2 d = co_f64x2_load(a), e = co_f64x2_load(a + 2);
	const co_f32x4 v = co_f32x4_load(f), low = co_f32x4_splat(1);
	const co_f32x4 limited = co_f32x4_select(v < low, low, v);
	const co_f64x2 picked = co_f64x2_select(d > e, d, e), mixed = CO_SHUFFLE(d, e, 3, 0);
	const co_f64x2 swapped = co_f64x2_permute(d, (co_i64x2){ 1, 2 });
	unsigned good = 0;

	good += limited[0] == 2 && limited[1] == 1 && limited[2] == 4 && limited[3] == 1;
	good += co_i32x4_count(v < low) == 2 && co_i32x4_any(v < low) && !co_i32x4_all(v < low);
	good += picked[0] == 3 && picked[1] == 7;
	good += mixed[0] == a[3] && mixed[1] == a[0];
	good += swapped[0] == a[1] && swapped[1] == a[0];
	good += co_f32x4_reverse(v)[0] == f[3] && co_f32x4_reverse(v)[3] == f[0];
	good += co_f64x2_load_some(a, 1)[0] == a[0] && co_f64x2_load_some(a, 1)[1] == 0;
	return good + (CO_CONVERT(v, co_i32x4)[2] == 4 && CO_CONVERT(v, co_i32x4)[1] == -1);
}

unsigned kernel_vectors(void)
{
	_Alignas(16) double a[4] = { 1.5, -2.25, 3, 7 }, b[4] = { 2, 4, 0.125, 1 }, d[4] = { 0 };
	_Alignas(16) float f[5] = { 2, -1, 4, 0.5f, 8 }, g[6] = { 0 };

	double two[2] = { -1, 6 };
	float four[4] = { -3, 1, 2, 5 };

	__asm__ volatile("" : : "r"(a), "r"(b), "r"(f) : "memory"); /* not known beforehand */
	__asm__ volatile("" : : "r"(two), "r"(four) : "memory");
	return doubles(a, b, d) + floats(f, g) + extremes(two, four) + masks(a, f);
}
