/* predefined.c - the predefined datatypes. */
#include <complex.h>
#include <limits.h>
#include <stddef.h>
#include <wchar.h>

#include "walk.h"

#define SIZED(first, type) \
	((first) + (sizeof(type) == 1 ? 0 : sizeof(type) == 2 ? 1 : sizeof(type) == 4 ? 2 : 3))
#define INT_OF(type) SIZED(CO_MPI_INT8, type)
#define UINT_OF(type) SIZED(CO_MPI_UINT8, type)

#define COMMON(text)                                                                     \
	.magic = CO_MPI_IS_TYPE, .references = 1, .predefined = true, .committed = true, \
	.name = "MPI_" text
#define BYTES(type)                                                            \
	.align = _Alignof(type), .size = sizeof(type), .extent = sizeof(type), \
	.true_extent = sizeof(type)
#define KIND(kind, external_bytes)                                                                \
	.simple = CO_MPI_IS_SIMPLE, .plain = true, .dense = true, .elements = 1, .basic = (kind), \
	.external = (external_bytes)
#define BASIC(c_name, type, text, kind, external_bytes)                   \
	struct co_mpi_type co_mpi_##c_name = { COMMON(text), BYTES(type), \
					       KIND(kind, external_bytes) }

BASIC(char, char, "CHAR", CHAR_MIN < 0 ? CO_MPI_INT8 : CO_MPI_UINT8, 1);
BASIC(signed_char, signed char, "SIGNED_CHAR", CO_MPI_INT8, 1);
BASIC(unsigned_char, unsigned char, "UNSIGNED_CHAR", CO_MPI_UINT8, 1);
BASIC(byte, char, "BYTE", CO_MPI_RAW, 1);
BASIC(packed, char, "PACKED", CO_MPI_RAW, 1);
BASIC(wchar, wchar_t, "WCHAR", WCHAR_MIN < 0 ? INT_OF(wchar_t) : UINT_OF(wchar_t), 2);
BASIC(short, short, "SHORT", INT_OF(short), 2);
BASIC(unsigned_short, short, "UNSIGNED_SHORT", UINT_OF(short), 2);
BASIC(int, int, "INT", INT_OF(int), 4);
BASIC(unsigned, int, "UNSIGNED", UINT_OF(int), 4);
BASIC(long, long, "LONG", INT_OF(long), 4);
BASIC(unsigned_long, long, "UNSIGNED_LONG", UINT_OF(long), 4);
BASIC(long_long, long long, "LONG_LONG", INT_OF(long long), 8);
BASIC(unsigned_long_long, long long, "UNSIGNED_LONG_LONG", UINT_OF(long long), 8);
BASIC(float, float, "FLOAT", CO_MPI_REAL, 4);
BASIC(double, double, "DOUBLE", CO_MPI_DOUBLE_REAL, 8);
BASIC(long_double, long double, "LONG_DOUBLE", CO_MPI_LONG_REAL, sizeof(long double));
BASIC(int8, int8_t, "INT8_T", CO_MPI_INT8, 1);
BASIC(int16, int16_t, "INT16_T", CO_MPI_INT16, 2);
BASIC(int32, int32_t, "INT32_T", CO_MPI_INT32, 4);
BASIC(int64, int64_t, "INT64_T", CO_MPI_INT64, 8);
BASIC(uint8, uint8_t, "UINT8_T", CO_MPI_UINT8, 1);
BASIC(uint16, uint16_t, "UINT16_T", CO_MPI_UINT16, 2);
BASIC(uint32, uint32_t, "UINT32_T", CO_MPI_UINT32, 4);
BASIC(uint64, uint64_t, "UINT64_T", CO_MPI_UINT64, 8);
BASIC(c_bool, bool, "C_BOOL", CO_MPI_BOOL, 1);
BASIC(c_float_complex, float complex, "C_FLOAT_COMPLEX", CO_MPI_REAL_COMPLEX, 8);
BASIC(c_double_complex, double complex, "C_DOUBLE_COMPLEX", CO_MPI_DOUBLE_COMPLEX, 16);
BASIC(c_long_double_complex, long double complex, "C_LONG_DOUBLE_COMPLEX", CO_MPI_LONG_COMPLEX,
      2 * sizeof(long double));
BASIC(aint, MPI_Aint, "AINT", INT_OF(MPI_Aint), 8);
BASIC(count, MPI_Count, "COUNT", INT_OF(MPI_Count), 8);
BASIC(offset, MPI_Offset, "OFFSET", INT_OF(MPI_Offset), 8);

typedef long double long_double;

/* A value and an int: laid out as C does. */
#define SIZE(type) (sizeof(type) + sizeof(int))
#define IN_ORDER(type) (SIZE(type) == sizeof(struct pair_of_##type))
#define DENSE(type) (sizeof(type) == offsetof(struct pair_of_##type, at))
#define PARTS(type) ((MPI_Datatype[]){ &co_mpi_##type, &co_mpi_int })
#define PARTS_AT(type) ((MPI_Aint[]){ 0, offsetof(struct pair_of_##type, at) })
#define MADE(type)                                                                    \
	.combiner = MPI_COMBINER_STRUCT, .n_ints = 3, .n_addresses = 2, .n_types = 2, \
	.ints = (int[]){ 2, 1, 1 }, .types = PARTS(type), .addresses = PARTS_AT(type)
#define PAIR_KIND(type) \
	.plain = IN_ORDER(type), .dense = DENSE(type), .elements = 2, .basic = CO_MPI_PAIR
#define PAIR_BYTES(type)                                              \
	.size = SIZE(type), .align = _Alignof(struct pair_of_##type), \
	.extent = sizeof(struct pair_of_##type),                      \
	.true_extent = offsetof(struct pair_of_##type, at) + sizeof(int)
#define PAIR_MADE(c_name) .made = &made_##c_name
#define PAIR(c_name, type, text)                                                                 \
	static struct co_mpi_made made_##c_name = { MADE(type) };                                \
	struct co_mpi_type co_mpi_##c_name = { COMMON(text), PAIR_MADE(c_name), PAIR_KIND(type), \
					       PAIR_BYTES(type) }
#define C_PAIR(type, c_type)    \
	struct pair_of_##type { \
		c_type value;   \
		int at;         \
	}

C_PAIR(float, float);
C_PAIR(double, double);
C_PAIR(long, long);
C_PAIR(int, int);
C_PAIR(short, short);
C_PAIR(long_double, long double);

PAIR(float_int, float, "FLOAT_INT");
PAIR(double_int, double, "DOUBLE_INT");
PAIR(long_int, long, "LONG_INT");
PAIR(two_int, int, "2INT");
PAIR(short_int, short, "SHORT_INT");
PAIR(long_double_int, long_double, "LONG_DOUBLE_INT");

struct co_mpi_type co_mpi_lower_bound = { COMMON("LB"), .plain = true, .dense = true,
					  .basic = CO_MPI_MARKER, .has_lower = true };
struct co_mpi_type co_mpi_upper_bound = { COMMON("UB"), .plain = true, .dense = true,
					  .basic = CO_MPI_MARKER, .has_upper = true };
