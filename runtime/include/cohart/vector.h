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
 * For each type T of f64x2, f32x4 and i32x4, whose elements are E:
 *
 *	co_T_load(p)              lanes p[0], p[1], ...; p is aligned as an E is, no more
 *	co_T_load_aligned(p)      the same; p is a multiple of CO_VECTOR_BYTES, which is not checked
 *	co_T_store(p, v)          the other way round: CO_VECTOR_BYTES are written, nothing else
 *	co_T_store_aligned(p, v)
 *	co_T_splat(x)             x in every lane
 *	co_T_fma(a, b, c)         a * b + c lane by lane, rounded once where the hart has such an
 *	                          instruction, else twice; not for integers
 *	co_T_sum(v)               of the lanes, always in the same order: (0 + 1) + (2 + 3); of
 *	                          integers it must fit an int32_t
 *	co_T_min(v), co_T_max(v)  of the lanes, the first one of equal ones; a NaN in lane 0 is the
 *	                          result, in any other lane it is passed over
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

/* ---- Floats ---- */

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

/* ---- Integers, without fma ---- */

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
