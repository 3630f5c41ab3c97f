/* op_functions.c - the predefined operations, a loop for each with each type that it is for. */
#include <complex.h>
#include <stdint.h>

#include "op.h"

/* op_kind(): b = the expression, of a and b, for all elements. */
#define LOOP(op, kind, type, expression)                                   \
	static void op##_##kind(const void *in, void *result, MPI_Count n) \
	{                                                                  \
		LOOP_OF(type, expression)                                  \
	}
#define LOOP_OF(type, expression)         \
	const type *restrict x = in;      \
	type *restrict y = result;        \
	for (MPI_Count i = 0; i < n; i++) \
		y[i] = LOOP_VALUE(type, expression);
#define LOOP_VALUE(type, expression)     \
	({                               \
		type a = x[i], b = y[i]; \
		(type)(expression);      \
	})

#define FOR_SIGNED(op, e)           \
	LOOP(op, int8, int8_t, e)   \
	LOOP(op, int16, int16_t, e) \
	LOOP(op, int32, int32_t, e) \
	LOOP(op, int64, int64_t, e)
#define FOR_UNSIGNED(op, e)           \
	LOOP(op, uint8, uint8_t, e)   \
	LOOP(op, uint16, uint16_t, e) \
	LOOP(op, uint32, uint32_t, e) \
	LOOP(op, uint64, uint64_t, e)
#define FOR_REAL(op, e)                  \
	LOOP(op, real, float, e)         \
	LOOP(op, double_real, double, e) \
	LOOP(op, long_real, long double, e)
#define FOR_COMPLEX(op, e)                          \
	LOOP(op, real_complex, float complex, e)    \
	LOOP(op, double_complex, double complex, e) \
	LOOP(op, long_complex, long double complex, e)

FOR_SIGNED(max, a > b ? a : b)
FOR_UNSIGNED(max, a > b ? a : b)
FOR_REAL(max, a > b ? a : b)
FOR_SIGNED(min, a < b ? a : b)
FOR_UNSIGNED(min, a < b ? a : b)
FOR_REAL(min, a < b ? a : b)
/* Signed integers are summed by these, too: they wrap, with equal bits. */
LOOP(sum, uint16, uint16_t, a + b)
LOOP(sum, uint32, uint32_t, a + b)
LOOP(sum, uint64, uint64_t, a + b)
FOR_REAL(sum, a + b)
FOR_COMPLEX(sum, a + b)
FOR_UNSIGNED(prod, 1u * a * b)
FOR_REAL(prod, (a * b))
FOR_COMPLEX(prod, (a * b))
FOR_UNSIGNED(land, (a && b))
FOR_UNSIGNED(lor, a || b)
FOR_UNSIGNED(lxor, !a != !b)

/* ---- By words: bitwise operations, and sums of bytes ---- */

typedef uintptr_t __attribute__((may_alias)) word;
typedef word word_fn(word a, word b);

static inline word word_and(word a, word b)
{
	return a & b;
}

static inline word word_or(word a, word b)
{
	return a | b;
}

static inline word word_xor(word a, word b)
{
	return a ^ b;
}

/* The sum of bytes: nothing is carried out of their highest bits. */
static inline word word_sum(word a, word b)
{
	const word top = (word)0x8080808080808080;

	return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

/* Combine n bytes: by words, if both operands are aligned alike. */
static inline __attribute__((always_inline)) void by_words(const unsigned char *x, unsigned char *y,
							   MPI_Count n, word_fn *f)
{
	const size_t each = sizeof(word);
	bool alike = ((uintptr_t)x ^ (uintptr_t)y) % each == 0;

	for (; n > 0 && (!alike || (uintptr_t)y % each); x++, y++, n--)
		*y = (unsigned char)f(*x, *y);
#pragma GCC unroll 8
	for (; n >= (MPI_Count)each; x += each, y += each, n -= (MPI_Count)each)
		*(word *)y = f(*(const word *)x, *(word *)y);
	for (; n > 0; x++, y++, n--)
		*y = (unsigned char)f(*x, *y);
}

#define BY_WORDS(op, kind, f)                                              \
	static void op##_##kind(const void *in, void *result, MPI_Count n) \
	{                                                                  \
		by_words(in, result, n *(MPI_Count)sizeof(kind##_t), f);   \
	}
#define BITWISE(op, f)          \
	BY_WORDS(op, uint8, f)  \
	BY_WORDS(op, uint16, f) \
	BY_WORDS(op, uint32, f) \
	BY_WORDS(op, uint64, f)
BY_WORDS(sum, uint8, word_sum)
BITWISE(band, word_and)
BITWISE(bor, word_or)
BITWISE(bxor, word_xor)

/* A value and its place: of equal values the least place. */
#define PLACE(kind, type)   \
	struct at_##kind {  \
		type value; \
		int at;     \
	};
/* The padding of the result stays: behind the last element may lie other data. */
#define TAKE_IF(a, b, than)                                                         \
	if ((a).value than(b).value || ((a).value == (b).value && (a).at < (b).at)) \
	(b).value = (a).value, (b).at = (a).at
#define BETTER(kind, op, than)                                             \
	static void op##_##kind(const void *in, void *result, MPI_Count n) \
	{                                                                  \
		const struct at_##kind *a = in;                            \
		struct at_##kind *b = result;                              \
		for (; n > 0; n--, a++, b++)                               \
			TAKE_IF(*a, *b, than);                             \
	}
#define PLACES(kind, type)      \
	PLACE(kind, type)       \
	BETTER(kind, maxloc, >) \
	BETTER(kind, minloc, <)
PLACES(short_int, short)
PLACES(two_int, int)
PLACES(long_int, long)
PLACES(float_int, float)
PLACES(double_int, double)
PLACES(long_double_int, long double)

#define SIGNED_TABLE(op)                                                                     \
	[CO_MPI_INT8] = op##_int8, [CO_MPI_INT16] = op##_int16, [CO_MPI_INT32] = op##_int32, \
	[CO_MPI_INT64] = op##_int64
#define UNSIGNED_TABLE(op)                                                                         \
	[CO_MPI_UINT8] = op##_uint8, [CO_MPI_UINT16] = op##_uint16, [CO_MPI_UINT32] = op##_uint32, \
	[CO_MPI_UINT64] = op##_uint64
#define SAME_TABLE(op)                                                                          \
	[CO_MPI_INT8] = op##_uint8, [CO_MPI_INT16] = op##_uint16, [CO_MPI_INT32] = op##_uint32, \
	[CO_MPI_INT64] = op##_uint64, UNSIGNED_TABLE(op)
#define REAL_TABLE(op)                                                      \
	[CO_MPI_REAL] = op##_real, [CO_MPI_DOUBLE_REAL] = op##_double_real, \
	[CO_MPI_LONG_REAL] = op##_long_real
#define COMPLEX_TABLE(op)                                                                         \
	[CO_MPI_REAL_COMPLEX] = op##_real_complex, [CO_MPI_DOUBLE_COMPLEX] = op##_double_complex, \
	[CO_MPI_LONG_COMPLEX] = op##_long_complex

static co_mpi_op_function *const functions[][CO_MPI_BASICS] = {
	[CO_MPI_MAX] = { SIGNED_TABLE(max), UNSIGNED_TABLE(max), REAL_TABLE(max) },
	[CO_MPI_MIN] = { SIGNED_TABLE(min), UNSIGNED_TABLE(min), REAL_TABLE(min) },
	[CO_MPI_SUM] = { SAME_TABLE(sum), REAL_TABLE(sum), COMPLEX_TABLE(sum) },
	[CO_MPI_PROD] = { SAME_TABLE(prod), REAL_TABLE(prod), COMPLEX_TABLE(prod) },
	[CO_MPI_LAND] = { SAME_TABLE(land), [CO_MPI_BOOL] = land_uint8 },
	[CO_MPI_BAND] = { SAME_TABLE(band), [CO_MPI_RAW] = band_uint8 },
	[CO_MPI_LOR] = { SAME_TABLE(lor), [CO_MPI_BOOL] = lor_uint8 },
	[CO_MPI_BOR] = { SAME_TABLE(bor), [CO_MPI_RAW] = bor_uint8 },
	[CO_MPI_LXOR] = { SAME_TABLE(lxor), [CO_MPI_BOOL] = lxor_uint8 },
	[CO_MPI_BXOR] = { SAME_TABLE(bxor), [CO_MPI_RAW] = bxor_uint8 },
};
_Static_assert(sizeof(bool) == 1, "a bool is computed with as a byte");

#define PLACE_OF(type, kind)                                                  \
	{                                                                     \
		type, maxloc_##kind, minloc_##kind, sizeof(struct at_##kind), \
			offsetof(struct at_##kind, at) + sizeof(int)          \
	}
static const struct {
	MPI_Datatype type;
	co_mpi_op_function *max, *min;
	size_t bytes, data; /* with the padding behind, and without */
} places[] = {
	PLACE_OF(MPI_SHORT_INT, short_int),   PLACE_OF(MPI_2INT, two_int),
	PLACE_OF(MPI_LONG_INT, long_int),     PLACE_OF(MPI_FLOAT_INT, float_int),
	PLACE_OF(MPI_DOUBLE_INT, double_int), PLACE_OF(MPI_LONG_DOUBLE_INT, long_double_int),
};
#define PLACES_MOST (sizeof(places) / sizeof(places[0]))

static co_mpi_op_function *place_function(enum co_mpi_op_code code, MPI_Datatype type)
{
	for (size_t i = 0; i < PLACES_MOST; i++) {
		if (places[i].type == type)
			return code == CO_MPI_MAXLOC ? places[i].max : places[i].min;
	}
	return NULL;
}

co_mpi_op_function *co_mpi_op_for(enum co_mpi_op_code code, MPI_Datatype type)
{
	if (code == CO_MPI_MAXLOC || code == CO_MPI_MINLOC)
		return place_function(code, type);
	if (code > CO_MPI_MINLOC || type == MPI_PACKED || type == MPI_WCHAR)
		return NULL;
	return functions[code][type->basic];
}

/* Of a pair: CO_MPI_BASICS and its index in `places`. */
unsigned co_mpi_op_kind(MPI_Datatype type)
{
	for (unsigned i = 0; i < PLACES_MOST; i++) {
		if (places[i].type == type)
			return CO_MPI_BASICS + i;
	}
	return type->basic;
}

co_mpi_op_function *co_mpi_op_of_kind(unsigned code, unsigned kind, size_t *extent, size_t *data)
{
	static const unsigned char bytes[CO_MPI_BASICS] = {
		[CO_MPI_INT8] = 1,
		[CO_MPI_INT16] = 2,
		[CO_MPI_INT32] = 4,
		[CO_MPI_INT64] = 8,
		[CO_MPI_UINT8] = 1,
		[CO_MPI_UINT16] = 2,
		[CO_MPI_UINT32] = 4,
		[CO_MPI_UINT64] = 8,
		[CO_MPI_REAL] = sizeof(float),
		[CO_MPI_DOUBLE_REAL] = sizeof(double),
		[CO_MPI_LONG_REAL] = sizeof(long double),
		[CO_MPI_REAL_COMPLEX] = sizeof(float complex),
		[CO_MPI_DOUBLE_COMPLEX] = sizeof(double complex),
		[CO_MPI_LONG_COMPLEX] = sizeof(long double complex),
		[CO_MPI_BOOL] = 1,
		[CO_MPI_RAW] = 1,
	};
	unsigned place = kind - CO_MPI_BASICS;

	if (code == CO_MPI_MAXLOC || code == CO_MPI_MINLOC) {
		if (place >= PLACES_MOST)
			return NULL;
		*extent = places[place].bytes;
		*data = places[place].data;
		return code == CO_MPI_MAXLOC ? places[place].max : places[place].min;
	}
	if (code > CO_MPI_MINLOC || kind >= CO_MPI_BASICS)
		return NULL;
	*extent = *data = bytes[kind];
	return functions[code][kind];
}
