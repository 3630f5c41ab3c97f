/*
 * vector.h - short vectors of fixed width, the same source on every architecture.
 *
 * Example
 *	static void axpy(double *y, const double *x, double a, size_t n)
 *	{
 *		size_t i = 0;
 *
 *		for (; i + CO_F64_LANES <= n; i += CO_F64_LANES)
 *			co_f64x2_store(y + i, a * co_f64x2_load(x + i) + co_f64x2_load(y + i));
 *		for (; i < n; i++)
 *			y[i] = a * x[i] + y[i];
 *	}
 *
 * They are GCC's vector types of 16 bytes: + - * / and comparisons work on them, with a scalar on
 * one side too, v[i] is a lane. On AArch64 each is a NEON register, and an operation one
 * instruction. Where there are no such registers (RISC-V: neither QEMU's default processors nor GCC
 * 12 have its vectors; 32-bit Arm: NEON has no doubles, and its floats flush small numbers to zero,
 * so that GCC leaves them alone) the compiler makes plain code of the lanes: a loop unrolled.
 * apps/stencil/README.md has what that gains. Integers are NEON's on 32-bit Arm, too.
 *
 * Nothing here is aligned but what says so: a load at any element is good.
 * Context of every function: any; floating point in kernels alone, where the management hart has
 * none (*_fp.c). Cost: an instruction, or one a lane. Source: seed B6.
 */
#ifndef COHART_VECTOR_H
#define COHART_VECTOR_H

#include <stdint.h>

#define CO_VECTOR_BYTES 16
#define CO_F64_LANES 2
#define CO_F32_LANES 4
#define CO_I32_LANES 4

typedef double co_f64x2 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef float co_f32x4 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef int32_t co_i32x4 __attribute__((vector_size(CO_VECTOR_BYTES)));

/*
 * For each type: load and store at any element, or (_aligned) at a multiple of 16 bytes alone;
 * splat, one number in all lanes; fma, a * b + c rounded once where the hart has such an
 * instruction; sum, min and max of the lanes, in a fixed order: (0 + 1) + (2 + 3).
 *
 * Loads and stores go by lanes: where there are registers for vectors the compiler makes one access
 * of them, and where there are none a whole one would go by way of the stack.
 */

/* ---- Doubles ---- */

static inline co_f64x2 co_f64x2_load(const double *p)
{
	return (co_f64x2){ p[0], p[1] };
}

static inline co_f64x2 co_f64x2_load_aligned(const double *p)
{
	return co_f64x2_load(__builtin_assume_aligned(p, CO_VECTOR_BYTES));
}

static inline void co_f64x2_store(double *p, co_f64x2 v)
{
	p[0] = v[0];
	p[1] = v[1];
}

static inline void co_f64x2_store_aligned(double *p, co_f64x2 v)
{
	co_f64x2_store(__builtin_assume_aligned(p, CO_VECTOR_BYTES), v);
}

static inline co_f64x2 co_f64x2_splat(double x)
{
	return (co_f64x2){ x, x };
}

static inline co_f64x2 co_f64x2_fma(co_f64x2 a, co_f64x2 b, co_f64x2 c)
{
	return a * b + c;
}

static inline double co_f64x2_sum(co_f64x2 v)
{
	return v[0] + v[1];
}

static inline double co_f64x2_min(co_f64x2 v)
{
	double m = v[0];

	for (int i = 1; i < 2; i++)
		m = v[i] < m ? v[i] : m;
	return m;
}

static inline double co_f64x2_max(co_f64x2 v)
{
	double m = v[0];

	for (int i = 1; i < 2; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

/* ---- The same for floats ---- */

static inline co_f32x4 co_f32x4_load(const float *p)
{
	return (co_f32x4){ p[0], p[1], p[2], p[3] };
}

static inline co_f32x4 co_f32x4_load_aligned(const float *p)
{
	return co_f32x4_load(__builtin_assume_aligned(p, CO_VECTOR_BYTES));
}

static inline void co_f32x4_store(float *p, co_f32x4 v)
{
	p[0] = v[0];
	p[1] = v[1];
	p[2] = v[2];
	p[3] = v[3];
}

static inline void co_f32x4_store_aligned(float *p, co_f32x4 v)
{
	co_f32x4_store(__builtin_assume_aligned(p, CO_VECTOR_BYTES), v);
}

static inline co_f32x4 co_f32x4_splat(float x)
{
	return (co_f32x4){ x, x, x, x };
}

static inline co_f32x4 co_f32x4_fma(co_f32x4 a, co_f32x4 b, co_f32x4 c)
{
	return a * b + c;
}

static inline float co_f32x4_sum(co_f32x4 v)
{
	return (v[0] + v[1]) + (v[2] + v[3]);
}

static inline float co_f32x4_min(co_f32x4 v)
{
	float m = v[0];

	for (int i = 1; i < 4; i++)
		m = v[i] < m ? v[i] : m;
	return m;
}

static inline float co_f32x4_max(co_f32x4 v)
{
	float m = v[0];

	for (int i = 1; i < 4; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

/* ---- And for integers, which have no fma ---- */

static inline co_i32x4 co_i32x4_load(const int32_t *p)
{
	return (co_i32x4){ p[0], p[1], p[2], p[3] };
}

static inline co_i32x4 co_i32x4_load_aligned(const int32_t *p)
{
	return co_i32x4_load(__builtin_assume_aligned(p, CO_VECTOR_BYTES));
}

static inline void co_i32x4_store(int32_t *p, co_i32x4 v)
{
	p[0] = v[0];
	p[1] = v[1];
	p[2] = v[2];
	p[3] = v[3];
}

static inline void co_i32x4_store_aligned(int32_t *p, co_i32x4 v)
{
	co_i32x4_store(__builtin_assume_aligned(p, CO_VECTOR_BYTES), v);
}

static inline co_i32x4 co_i32x4_splat(int32_t x)
{
	return (co_i32x4){ x, x, x, x };
}

static inline int32_t co_i32x4_sum(co_i32x4 v)
{
	return (v[0] + v[1]) + (v[2] + v[3]);
}

static inline int32_t co_i32x4_min(co_i32x4 v)
{
	int32_t m = v[0];

	for (int i = 1; i < 4; i++)
		m = v[i] < m ? v[i] : m;
	return m;
}

static inline int32_t co_i32x4_max(co_i32x4 v)
{
	int32_t m = v[0];

	for (int i = 1; i < 4; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

#endif
