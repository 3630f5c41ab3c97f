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

/* `each` is CO_LANES_2 or CO_LANES_4: what its argument makes of 0, 1, ... */
#define CO_LANES_2(of) of(0), of(1)
#define CO_LANES_4(of) of(0), of(1), of(2), of(3)
#define CO_LANE_OF_P(i) p[i]
#define CO_LANE_IS_X(i) x
#define CO_LANE_STORE(i) p[i] = v[i]

#define CO_VECTOR_FROM(T, name, from, lanes) \
	static inline T T##_##name(from)     \
	{                                    \
		T v = { lanes };             \
		return v;                    \
	}
#define CO_VECTOR_IN(T, E, each)                                \
	CO_VECTOR_FROM(T, load, const E *p, each(CO_LANE_OF_P)) \
	CO_VECTOR_FROM(T, splat, E x, each(CO_LANE_IS_X))
#define CO_VECTOR_OUT(T, E, each, add)          \
	static inline void T##_store(E *p, T v) \
	{                                       \
		(void)(each(CO_LANE_STORE));    \
	}                                       \
	static inline E T##_sum(T v)            \
	{                                       \
		return add;                     \
	}
#define CO_VECTOR_ALIGNED(T, E)                                                           \
	static inline T T##_load_aligned(const E *p)                                      \
	{                                                                                 \
		return T##_load((const E *)__builtin_assume_aligned(p, CO_VECTOR_BYTES)); \
	}                                                                                 \
	static inline void T##_store_aligned(E *p, T v)                                   \
	{                                                                                 \
		T##_store((E *)__builtin_assume_aligned(p, CO_VECTOR_BYTES), v);          \
	}
#define CO_VECTOR_BEST(T, E, name, is_better)                        \
	static inline E T##_##name(T v)                              \
	{                                                            \
		E m = v[0];                                          \
		for (unsigned i = 1; i < sizeof(v) / sizeof(m); i++) \
			m = v[i] is_better m ? v[i] : m;             \
		return m;                                            \
	}
#define CO_VECTOR_FMA(T)                       \
	static inline T T##_fma(T a, T b, T c) \
	{                                      \
		return a * b + c;              \
	}
#define CO_VECTOR(T, E, each, add)     \
	CO_VECTOR_IN(T, E, each)       \
	CO_VECTOR_OUT(T, E, each, add) \
	CO_VECTOR_ALIGNED(T, E)        \
	CO_VECTOR_BEST(T, E, min, <)   \
	CO_VECTOR_BEST(T, E, max, >)

CO_VECTOR(co_f64x2, double, CO_LANES_2, v[0] + v[1])
CO_VECTOR(co_f32x4, float, CO_LANES_4, (v[0] + v[1]) + (v[2] + v[3]))
CO_VECTOR(co_i32x4, int32_t, CO_LANES_4, (v[0] + v[1]) + (v[2] + v[3]))
CO_VECTOR_FMA(co_f64x2)
CO_VECTOR_FMA(co_f32x4)

#endif
