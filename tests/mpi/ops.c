/* ops.c - operations: each predefined one with each kind of type that it is for, and the program's
 * own. */
#include <complex.h>

#include "check.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

/* A number as an element of a type; and back. */
static void put(void *to, MPI_Datatype type, double value)
{
	if (type == MPI_FLOAT)
		*(float *)to = (float)value;
	else if (type == MPI_DOUBLE)
		*(double *)to = value;
	else if (type == MPI_LONG_DOUBLE)
		*(long double *)to = value;
	else {
		long long n = (long long)value;
		int size;

		MPI_Type_size(type, &size);
		memcpy(to, &n, (size_t)size); /* little-endian */
	}
}

static bool is(const void *got, MPI_Datatype type, double wanted)
{
	char place[16] = { 0 };
	int size;

	MPI_Type_size(type, &size);
	put(place, type, wanted);
	return !memcmp(got, place, (size_t)size);
}

static void apply(double a, double b, MPI_Op op, MPI_Datatype type, double wanted)
{
	char x[3][16], y[3][16];
	static char from[48], to[48];
	int size;

	MPI_Type_size(type, &size);
	for (int i = 0; i < 3; i++) {
		put(x[i], type, a);
		put(y[i], type, b);
		memcpy(from + i * size, x[i], (size_t)size);
		memcpy(to + i * size, y[i], (size_t)size);
	}
	CHECK(MPI_Reduce_local(from, to, 2, type, op) == 0);
	CHECK(is(to, type, wanted) && is(to + size, type, wanted));
	CHECK(is(to + 2 * size, type, b)); /* it had 2 to do */
}

static const MPI_Datatype integers[] = { MPI_SIGNED_CHAR,
					 MPI_UNSIGNED_CHAR,
					 MPI_CHAR,
					 MPI_SHORT,
					 MPI_UNSIGNED_SHORT,
					 MPI_INT,
					 MPI_UNSIGNED,
					 MPI_LONG,
					 MPI_UNSIGNED_LONG,
					 MPI_LONG_LONG,
					 MPI_UNSIGNED_LONG_LONG,
					 MPI_INT8_T,
					 MPI_INT16_T,
					 MPI_INT32_T,
					 MPI_INT64_T,
					 MPI_UINT8_T,
					 MPI_UINT16_T,
					 MPI_UINT32_T,
					 MPI_UINT64_T,
					 MPI_AINT,
					 MPI_COUNT,
					 MPI_OFFSET };
static const MPI_Datatype reals[] = { MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE };

static void numbers(void)
{
	for (int i = 0; i < COUNT(integers) + COUNT(reals); i++) {
		MPI_Datatype t = i < COUNT(integers) ? integers[i] : reals[i - COUNT(integers)];

		apply(5, 3, MPI_MAX, t, 5);
		apply(3, 5, MPI_MAX, t, 5);
		apply(5, 3, MPI_MIN, t, 3);
		apply(3, 5, MPI_MIN, t, 3);
		apply(5, 3, MPI_SUM, t, 8);
		apply(5, 3, MPI_PROD, t, 15);
	}
	apply(-5, 3, MPI_MAX, MPI_SIGNED_CHAR, 3);
	apply(-5, 3, MPI_MIN, MPI_LONG, -5);
	apply(200, 3, MPI_MAX, MPI_UNSIGNED_CHAR, 200);
	apply(0xffff, 0xffff, MPI_PROD, MPI_UNSIGNED_SHORT, 1);
	apply(0x7fffffff, 1, MPI_SUM, MPI_INT, -2147483648.0);
}

static void bits(void)
{
	for (int i = 0; i <= COUNT(integers); i++) {
		MPI_Datatype t = i < COUNT(integers) ? integers[i] : MPI_BYTE;

		apply(12, 10, MPI_BAND, t, 8);
		apply(12, 10, MPI_BOR, t, 14);
		apply(12, 10, MPI_BXOR, t, 6);
	}
	for (int i = 0; i <= COUNT(integers); i++) {
		MPI_Datatype t = i < COUNT(integers) ? integers[i] : MPI_C_BOOL;
		int two = i < COUNT(integers) ? 2 : 1;

		apply(two, 1, MPI_LAND, t, 1);
		apply(two, 0, MPI_LAND, t, 0);
		apply(0, two, MPI_LOR, t, 1);
		apply(0, 0, MPI_LOR, t, 0);
		apply(two, 1, MPI_LXOR, t, 0);
		apply(0, two, MPI_LXOR, t, 1);
	}
}

static unsigned char of_bytes(MPI_Op op, unsigned a, unsigned b)
{
	if (op == MPI_SUM)
		return (unsigned char)(a + b);
	return (unsigned char)(op == MPI_BAND ? a & b : op == MPI_BOR ? a | b : a ^ b);
}

/* Of all lengths, wherever they lie; nothing beside them is touched. */
static void bytes_of_all_lengths(void)
{
	static const MPI_Op ops[] = { MPI_SUM, MPI_BAND, MPI_BOR, MPI_BXOR };
	_Alignas(8) unsigned char in[64], out[64], was[64];

	for (int i = 0; i < 64 * 40 * COUNT(ops); i++) {
		MPI_Op op = ops[i % COUNT(ops)];
		int from = i / 4 % 8, to = i / 32 % 8, n = i / 256;

		for (int k = 0; k < 64; k++) {
			in[k] = (unsigned char)(k * 37 + i * 11);
			out[k] = was[k] = (unsigned char)(k * 91 + i * 7);
		}
		CHECK(MPI_Reduce_local(in + from, out + to, n, MPI_UNSIGNED_CHAR, op) == 0);
		for (int k = 0; k < 64; k++) {
			bool inside = k >= to && k < to + n;

			CHECK(out[k] ==
			      (inside ? of_bytes(op, in[from + k - to], was[k]) : was[k]));
		}
	}
}

static void complexes(void)
{
	float complex a = 1 + 2 * I, b = 3 - I;
	double complex c = 1 + 2 * I, d = 3 - I;
	long double complex e = 1 + 2 * I, f = 3 - I;

	CHECK(MPI_Reduce_local(&a, &b, 1, MPI_C_COMPLEX, MPI_SUM) == 0 && b == 4 + I);
	CHECK(MPI_Reduce_local(&c, &d, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD) == 0 && d == 5 + 5 * I);
	CHECK(MPI_Reduce_local(&e, &f, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD) == 0);
	CHECK(f == 5 + 5 * I);
	CHECK_ERROR(MPI_Reduce_local(&c, &d, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX), MPI_ERR_OP);
}

/* Pairs of that type and an int. */
#define PAIR(c_type, name)   \
	struct pair_##name { \
		c_type v;    \
		int at;      \
	}
#define CHECK_PLACES(name, type)                                          \
	struct pair_##name x_##name[] = { { 5, 9 }, { 5, 1 }, { 2, 4 } }; \
	struct pair_##name y_##name[] = { { 3, 1 }, { 5, 6 }, { 3, 5 } }; \
	MPI_Reduce_local(x_##name, y_##name, 3, type, MPI_MAXLOC);        \
	CHECK_PAIRS(y_##name, 3, 5);                                      \
	CHECK_AGAIN(name, type)
#define CHECK_AGAIN(name, type)                                    \
	MPI_Reduce_local(x_##name, y_##name, 3, type, MPI_MINLOC); \
	CHECK_PAIRS(y_##name, 2, 4)
#define CHECK_PAIRS(y, value, where)            \
	CHECK((y)[0].v == 5 && (y)[0].at == 9); \
	CHECK((y)[1].v == 5 && (y)[1].at == 1); \
	CHECK((y)[2].v == (value) && (y)[2].at == (where))

static void places(void)
{
	PAIR(float, float);
	PAIR(double, double);
	PAIR(long, long);
	PAIR(int, int);
	PAIR(short, short);
	PAIR(long double, long_double);
	CHECK_PLACES(float, MPI_FLOAT_INT);
	CHECK_PLACES(double, MPI_DOUBLE_INT);
	CHECK_PLACES(long, MPI_LONG_INT);
	CHECK_PLACES(int, MPI_2INT);
	CHECK_PLACES(short, MPI_SHORT_INT);
	CHECK_PLACES(long_double, MPI_LONG_DOUBLE_INT);
}

static int calls;

/* b = 2 a + b, of pairs of ints */
static void own(void *in, void *result, int *n, MPI_Datatype *type)
{
	MPI_Aint lower, extent;
	const int *a = in;
	int *b = result;

	MPI_Type_get_extent(*type, &lower, &extent);
	for (int i = 0; i < *n * (int)(extent / (MPI_Aint)sizeof(int)); i++)
		b[i] += 2 * a[i];
	calls++;
}

static void own_ones(void)
{
	int a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 20, 30, 40 }, commutes;
	MPI_Op op, gone;
	MPI_Datatype pair;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	CHECK(MPI_Op_create(own, 0, &op) == 0);
	CHECK(MPI_Op_commutative(op, &commutes) == 0 && !commutes);
	CHECK(MPI_Reduce_local(a, b, 2, pair, op) == 0 && calls == 1);
	CHECK(b[0] == 12 && b[3] == 48);
	gone = op;
	CHECK(MPI_Op_free(&op) == 0 && op == MPI_OP_NULL && gone != op);
	CHECK(MPI_Op_create(own, 1, &op) == 0);
	CHECK(MPI_Op_commutative(op, &commutes) == 0 && commutes);
	MPI_Op_free(&op);
	CHECK(MPI_Op_commutative(MPI_MAXLOC, &commutes) == 0 && commutes);
	CHECK_ERROR(MPI_Reduce_local(a, b, 2, pair, MPI_SUM), MPI_ERR_OP);
	MPI_Type_free(&pair);
}

static void bad(void)
{
	double a = 1, b = 2;
	int n;
	MPI_Op none = MPI_OP_NULL, sum = MPI_SUM;

	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, none), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_LOR), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_MAXLOC), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE_INT, MPI_SUM), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_BYTE, MPI_SUM), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_C_BOOL, MPI_BAND), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_REPLACE), MPI_ERR_OP);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, -1, MPI_DOUBLE, MPI_SUM), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Reduce_local(NULL, &b, 1, MPI_DOUBLE, MPI_SUM), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Reduce_local(&a, &b, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Op_free(&sum), MPI_ERR_OP);
	CHECK_ERROR(MPI_Op_free(&none), MPI_ERR_OP);
	CHECK_ERROR(MPI_Op_create(NULL, 1, &none), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Op_commutative(none, &n), MPI_ERR_OP);
	CHECK(b == 2);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	numbers();
	bits();
	bytes_of_all_lengths();
	complexes();
	places();
	own_ones();
	bad();
	MPI_Finalize();
	return 0;
}
