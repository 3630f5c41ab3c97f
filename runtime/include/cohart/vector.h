/*
 * vector.h - short vectors of fixed width, one source for every architecture.
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
 *	co_i32x4 limit(co_i32x4 v, int32_t most)	(a mask, and a choice by it)
 *	{
 *		return co_i32x4_select(v > most, co_i32x4_splat(most), v);
 *	}
 *
 * They are GCC's vector types of 16 bytes: + - * / & | ^ ~ << >> and comparisons work on them, with
 * a scalar on one side too, v[i] is a lane. A comparison's result is a mask: a vector of integers
 * as wide as the lanes compared, a lane -1 where it holds, else 0. On AArch64 each is a NEON
 * register, and an operation one instruction. Where there are no registers for them (RISC-V:
 * neither QEMU's default processors nor GCC 12 have its vectors; 32-bit Arm: NEON has no doubles,
 * and its floats flush small numbers to zero, so that GCC leaves them alone) the compiler makes
 * plain code of the lanes: a loop unrolled. apps/stencil/README.md says how much is gained.
 * Integers are NEON's on 32-bit Arm, too. On QEMU's rv64 and AArch64 they take no longer than plain
 * code, of every type (make test T=locality, b6: z = 3 x + y, a limit by a mask, a row reversed);
 * on 32-bit Arm floating point is slower by up to two thirds.
 *
 * Context of every function: any; floating point in kernels alone, where the management hart has
 * none (*_fp.c). Cost: an instruction, or one a lane. Source: seed B6.
 */
#ifndef COHART_VECTOR_H
#define COHART_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#define CO_VECTOR_BYTES 16 /* of each type; variables are aligned to that, on 32-bit Arm to 8 */
#define CO_F64_LANES 2
#define CO_F32_LANES 4
#define CO_I64_LANES 2
#define CO_I32_LANES 4
#define CO_I16_LANES 8
#define CO_I8_LANES 16

typedef double co_f64x2 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef float co_f32x4 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef int64_t co_i64x2 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef int32_t co_i32x4 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef int16_t co_i16x8 __attribute__((vector_size(CO_VECTOR_BYTES)));
typedef int8_t co_i8x16 __attribute__((vector_size(CO_VECTOR_BYTES)));

/*
 * For each type T of f64x2, f32x4, i64x2, i32x4, i16x8 and i8x16, whose elements are E and whose
 * masks are M (co_i64x2 for co_f64x2, co_i32x4 for co_f32x4, else T itself):
 *
 *	co_T_load(p)              lanes p[0], p[1], ...; p is aligned as an E is, no more
 *	co_T_load_aligned(p)      as co_T_load(); p is a multiple of CO_VECTOR_BYTES, not checked
 *	co_T_load_some(p, n)      the first n, 0 to all, and 0 in the others; no more is read; n is
 *	                          not checked
 *	co_T_store(p, v)          the other way round: CO_VECTOR_BYTES are written, nothing else
 *	co_T_store_aligned(p, v)
 *	co_T_store_some(p, v, n)  the first n, 0 to all; nothing else is written; n is not checked
 *	co_T_splat(x)             x in every lane
 *	co_T_fma(a, b, c)         a * b + c lane by lane, rounded once where the hart has such an
 *	                          instruction, else twice; not for integers
 *	co_T_sum(v)               of the lanes, always in the same order: (0 + 1) + (2 + 3); an E,
 *	                          which it must fit, but of i8x16 and i16x8 an int32_t
 *	co_T_min(v), co_T_max(v)  of the lanes, the first one of equal ones; a NaN in lane 0 is the
 *	                          result, in any other lane it is passed over
 *	co_T_select(m, a, b)      the lanes of a where m, an M, is -1, and those of b where it is 0
 *	co_T_reverse(v)           the last lane first
 *	co_T_permute(v, at)       lane i is v[at[i]], with at, an M, modulo the number of lanes
 *
 * Of masks, for each M: co_M_any(m), co_M_all(m): is a lane -1, are all? 1 or 0. co_M_count(m): how
 * many are. Their lanes are -1 or 0, which is not checked.
 *
 *	CO_SHUFFLE(a, b, ...)     lanes of two vectors of one type by constant numbers, those of b
 *	                          after those of a: CO_SHUFFLE(a, b, 0, 2) has the first of each
 *	                          co_f64x2
 *	CO_CONVERT(v, T)          to the type T of as many lanes, as a cast of each would
 *
 * Loads and stores go by lanes: where there are registers for vectors the compiler makes one access
 * of them, and where there are none a whole one would go by way of the stack.
 */

#define CO_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define CO_CONVERT(v, T) __builtin_convertvector(v, T)

/* CO_LANES_n(of): of(0), of(1), ... of(n - 1); `each` is a CO_LANES_n. */
#define CO_LANES_2(of) of(0), of(1)
#define CO_LANES_4(of) CO_LANES_2(of), of(2), of(3)
#define CO_LANES_8(of) CO_LANES_4(of), of(4), of(5), of(6), of(7)
#define CO_LANES_16(of) CO_LANES_8(of), of(8), of(9), of(10), of(11), of(12), of(13), of(14), of(15)
#define CO_LANE_OF_P(i) p[i]
#define CO_LANE_IS_X(i) x
#define CO_LANE_STORE(i) p[i] = v[i]
#define CO_LANE_PERMUTE(i) v[(size_t)at[i] & (sizeof(v) / sizeof(v[0]) - 1)]
#define CO_LANE_REVERSE(i) v[sizeof(v) / sizeof(v[0]) - 1 - (i)]

#define CO_VECTOR_MAKE(T, name, from, lanes) \
	static inline T T##_##name from      \
	{                                    \
		T made = { lanes };          \
		return made;                 \
	}
#define CO_VECTOR_STORE(T, E, each)             \
	static inline void T##_store(E *p, T v) \
	{                                       \
		(void)(each(CO_LANE_STORE));    \
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
#define CO_VECTOR_MOVE(T, E, each)                                \
	CO_VECTOR_MAKE(T, load, (const E *p), each(CO_LANE_OF_P)) \
	CO_VECTOR_MAKE(T, splat, (E x), each(CO_LANE_IS_X))       \
	CO_VECTOR_MAKE(T, reverse, (T v), each(CO_LANE_REVERSE))  \
	CO_VECTOR_STORE(T, E, each) CO_VECTOR_ALIGNED(T, E)
/* The compiler knows this as a selection, where lanes have registers of their own, too. */
#define CO_VECTOR_SELECT(T, M)                        \
	static inline T T##_select(M m, T a, T b)     \
	{                                             \
		return (T)((m & (M)a) | (~m & (M)b)); \
	}
/* Clang has no shuffle by numbers that are not constant. */
#ifndef __clang__
#define CO_VECTOR_PERMUTE(T, M, each)            \
	static inline T T##_permute(T v, M at)   \
	{                                        \
		return __builtin_shuffle(v, at); \
	}
#else
#define CO_VECTOR_PERMUTE(T, M, each) CO_VECTOR_MAKE(T, permute, (T v, M at), each(CO_LANE_PERMUTE))
#endif
#define CO_VECTOR_LOAD_SOME(T, E)                           \
	static inline T T##_load_some(const E *p, size_t n) \
	{                                                   \
		T v = { 0 };                                \
		for (size_t i = 0; i < n; i++)              \
			v[i] = p[i];                        \
		return v;                                   \
	}
#define CO_VECTOR_STORE_SOME(T, E)                             \
	static inline void T##_store_some(E *p, T v, size_t n) \
	{                                                      \
		for (size_t i = 0; i < n; i++)                 \
			p[i] = v[i];                           \
	}
#define CO_VECTOR_BEST(T, E, name, is_better)                        \
	static inline E T##_##name(T v)                              \
	{                                                            \
		E m = v[0];                                          \
		for (unsigned i = 1; i < sizeof(v) / sizeof(m); i++) \
			m = v[i] is_better m ? v[i] : m;             \
		return m;                                            \
	}
#define CO_VECTOR_SUM(T, S, sum)     \
	static inline S T##_sum(T v) \
	{                            \
		return sum;          \
	}
#define CO_VECTOR_SOME(T, E)      \
	CO_VECTOR_LOAD_SOME(T, E) \
	CO_VECTOR_STORE_SOME(T, E)
#define CO_VECTOR_MIX(T, M, each) \
	CO_VECTOR_SELECT(T, M)    \
	CO_VECTOR_PERMUTE(T, M, each)
#define CO_VECTOR_FOLD(T, E, S, sum) \
	CO_VECTOR_BEST(T, E, min, <) \
	CO_VECTOR_BEST(T, E, max, >) \
	CO_VECTOR_SUM(T, S, sum)
#define CO_VECTOR(T, E, M, each, S, sum) \
	CO_VECTOR_MOVE(T, E, each)       \
	CO_VECTOR_SOME(T, E)             \
	CO_VECTOR_MIX(T, M, each)        \
	CO_VECTOR_FOLD(T, E, S, sum)
#define CO_VECTOR_FMA(T)                       \
	static inline T T##_fma(T a, T b, T c) \
	{                                      \
		return a * b + c;              \
	}
#define CO_MASK_IS(M, name, test)           \
	static inline int M##_##name(M m)   \
	{                                   \
		co_i64x2 all = (co_i64x2)m; \
		return test;                \
	}
#define CO_MASK(M)                                  \
	CO_MASK_IS(M, any, (all[0] | all[1]) != 0)  \
	CO_MASK_IS(M, all, (all[0] & all[1]) == -1) \
	static inline unsigned M##_count(M m)       \
	{                                           \
		return (unsigned)-M##_sum(m);       \
	}

#define CO_SUM_2 (v[0] + v[1])
#define CO_SUM_4 (CO_SUM_2 + (v[2] + v[3]))
#define CO_SUM_8 (CO_SUM_4 + ((v[4] + v[5]) + (v[6] + v[7])))
#define CO_SUM_16 \
	(CO_SUM_8 + (((v[8] + v[9]) + (v[10] + v[11])) + ((v[12] + v[13]) + (v[14] + v[15]))))

CO_VECTOR(co_f64x2, double, co_i64x2, CO_LANES_2, double, CO_SUM_2)
CO_VECTOR(co_f32x4, float, co_i32x4, CO_LANES_4, float, CO_SUM_4)
CO_VECTOR(co_i64x2, int64_t, co_i64x2, CO_LANES_2, int64_t, CO_SUM_2)
CO_VECTOR(co_i32x4, int32_t, co_i32x4, CO_LANES_4, int32_t, CO_SUM_4)
CO_VECTOR(co_i16x8, int16_t, co_i16x8, CO_LANES_8, int32_t, CO_SUM_8)
CO_VECTOR(co_i8x16, int8_t, co_i8x16, CO_LANES_16, int32_t, CO_SUM_16)
CO_VECTOR_FMA(co_f64x2)
CO_VECTOR_FMA(co_f32x4)
CO_MASK(co_i64x2)
CO_MASK(co_i32x4)
CO_MASK(co_i16x8)
CO_MASK(co_i8x16)

#endif
