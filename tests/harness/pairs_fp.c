/* pairs_fp.c - the same loops by vectors and by plain code, for tests/locality/vectors.c. */
#include <cohart/vector.h>

#include "pairs.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): E is a type, a statement is one. */
/* How many elements of type E the arrays have. */
#define N(E) ((long)(PAIRS_BYTES / sizeof(E)))
#define LANES(E) ((long)(CO_VECTOR_BYTES / sizeof(E)))

#define ARRAYS(E)                     \
	const E *x = p->x, *y = p->y; \
	E *z = p->z;                  \
	(void)y

#define LOOP(T, E, name, step, statement)             \
	static void T##_##name(struct pairs *p)       \
	{                                             \
		ARRAYS(E);                            \
		for (long i = 0; i < N(E); i += step) \
			statement;                    \
	}

/* z[i] = x[i] * 3 + y[i] */
#define ADD(T, E)                                                                     \
	LOOP(T, E, add, LANES(E), T##_store_aligned(z + i, T##_sum_at(x + i, y + i))) \
	LOOP(T, E, add_plain, 1, z[i] = (E)(x[i] * (E)3 + y[i]))

/* By a mask: z[i] = x[i] > y[i] ? y[i] : x[i] */
#define LIMIT(T, E)                                                                       \
	LOOP(T, E, limit, LANES(E), T##_store_aligned(z + i, T##_least_at(x + i, y + i))) \
	LOOP(T, E, limit_plain, 1, z[i] = x[i] > y[i] ? y[i] : x[i])

/* A shuffle: z is x backwards. */
#define TURN(T, E)                                                                             \
	LOOP(T, E, turn, LANES(E),                                                             \
	     T##_store_aligned(z + N(E) - LANES(E) - i, T##_reverse(T##_load_aligned(x + i)))) \
	LOOP(T, E, turn_plain, 1, z[N(E) - 1 - i] = x[i])

#define AT(T, E, name, result)                                           \
	static inline T T##_##name##_at(const E *at, const E *other)     \
	{                                                                \
		T x = T##_load_aligned(at), y = T##_load_aligned(other); \
		return result;                                           \
	}

#define PAIRS(T, E)                              \
	AT(T, E, sum, x *(E)3 + y)               \
	AT(T, E, least, T##_select(x > y, y, x)) \
	ADD(T, E)                                \
	LIMIT(T, E)                              \
	TURN(T, E)

PAIRS(co_f64x2, double)
PAIRS(co_f32x4, float)
PAIRS(co_i64x2, int64_t)
PAIRS(co_i32x4, int32_t)
PAIRS(co_i16x8, int16_t)
PAIRS(co_i8x16, int8_t)

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

/* NOLINTEND(bugprone-macro-parentheses) */

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
