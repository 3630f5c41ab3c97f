/* pairs_fp.c - the same loops by vectors and by plain code, for tests/locality/vectors.c. */
#include <cohart/vector.h>

#include "pairs.h"

/* How many elements of type E the arrays have. */
#define N(E) ((long)(PAIRS_BYTES / sizeof(E)))

/* z[i] = x[i] * 3 + y[i] */
#define MULTIPLY_ADD(T, E, lanes)                                       \
	static void T##_add(struct pairs *p)                            \
	{                                                               \
		for (long i = 0; i < N(E); i += lanes) {                \
			T x = T##_load_aligned((E *)p->x + i);          \
			T y = T##_load_aligned((E *)p->y + i);          \
			T##_store_aligned((E *)p->z + i, x * (E)3 + y); \
		}                                                       \
	}                                                               \
	static void T##_add_plain(struct pairs *p)                      \
	{                                                               \
		const E *x = p->x, *y = p->y;                           \
		E *z = p->z;                                            \
		for (long i = 0; i < N(E); i++)                         \
			z[i] = (E)(x[i] * (E)3 + y[i]);                 \
	}

/* By a mask: z[i] = x[i] > y[i] ? y[i] : x[i] */
#define LIMIT(T, E, lanes)                                                         \
	static void T##_limit(struct pairs *p)                                     \
	{                                                                          \
		for (long i = 0; i < N(E); i += lanes) {                           \
			T x = T##_load_aligned((E *)p->x + i);                     \
			T y = T##_load_aligned((E *)p->y + i);                     \
			T##_store_aligned((E *)p->z + i, T##_select(x > y, y, x)); \
		}                                                                  \
	}                                                                          \
	static void T##_limit_plain(struct pairs *p)                               \
	{                                                                          \
		const E *x = p->x, *y = p->y;                                      \
		E *z = p->z;                                                       \
		for (long i = 0; i < N(E); i++)                                    \
			z[i] = x[i] > y[i] ? y[i] : x[i];                          \
	}

/* A shuffle: z is x backwards. */
#define REVERSE(T, E, lanes)                                                             \
	static void T##_turn(struct pairs *p)                                            \
	{                                                                                \
		for (long i = 0; i < N(E); i += lanes)                                   \
			T##_store_aligned((E *)p->z + N(E) - lanes - i,                  \
					  T##_reverse(T##_load_aligned((E *)p->x + i))); \
	}                                                                                \
	static void T##_turn_plain(struct pairs *p)                                      \
	{                                                                                \
		const E *x = p->x;                                                       \
		E *z = p->z;                                                             \
		for (long i = 0; i < N(E); i++)                                          \
			z[N(E) - 1 - i] = x[i];                                          \
	}

#define PAIRS(T, E, lanes)        \
	MULTIPLY_ADD(T, E, lanes) \
	LIMIT(T, E, lanes)        \
	REVERSE(T, E, lanes)

PAIRS(co_f64x2, double, CO_F64_LANES)
PAIRS(co_f32x4, float, CO_F32_LANES)
PAIRS(co_i64x2, int64_t, CO_I64_LANES)
PAIRS(co_i32x4, int32_t, CO_I32_LANES)
PAIRS(co_i16x8, int16_t, CO_I16_LANES)
PAIRS(co_i8x16, int8_t, CO_I8_LANES)

#define ROW(T, of)                                         \
	{                                                  \
		"vector " #T " " #of, "plain " #T " " #of, \
		{                                          \
			T##_##of, T##_##of##_plain         \
		}                                          \
	}
#define ROWS(T) ROW(T, add), ROW(T, limit), ROW(T, turn)

const struct pair pairs[PAIRS_COUNT] = {
	ROWS(co_f64x2), ROWS(co_f32x4), ROWS(co_i64x2),
	ROWS(co_i32x4), ROWS(co_i16x8), ROWS(co_i8x16),
};

/* Numbers that every type has: small ones. */
void pairs_fill(struct pairs *p, bool doubles)
{
	for (long i = 0; i < (long)PAIRS_BYTES; i++) {
		((int8_t *)p->x)[i] = (int8_t)(i * 7 % 31);
		((int8_t *)p->y)[i] = (int8_t)(i * 5 % 29);
	}
	for (long i = 0; i < N(double) && doubles; i++) {
		((double *)p->x)[i] = (double)(i * 7 % 31);
		((double *)p->y)[i] = (double)(i * 5 % 29);
	}
}
