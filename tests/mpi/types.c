/* types.c - datatypes: what each constructor describes, its bounds, how it was made, bad arguments.
 */
#include <complex.h>

#include "check.h"

enum { ROOM = 400 };

/* One of it, out of an array of ints, has these of them, in this order. */
static void check_places(MPI_Datatype type, int n, const int wanted[])
{
	static int array[ROOM], packed[ROOM], back[ROOM];
	int at = 0, size;

	MPI_Type_commit(&type);
	MPI_Type_size(type, &size);
	CHECK(size == n * (int)sizeof(int));
	for (int i = 0; i < ROOM; i++) {
		array[i] = i;
		back[i] = -1;
	}
	CHECK(MPI_Pack(array, 1, type, packed, sizeof(packed), &at, MPI_COMM_WORLD) == 0);
	CHECK(at == size);
	for (int i = 0; i < n; i++)
		CHECK(packed[i] == wanted[i]);
	at = 0;
	CHECK(MPI_Unpack(packed, size, &at, back, 1, type, MPI_COMM_WORLD) == 0);
	for (int i = 0; i < n; i++) {
		CHECK(back[wanted[i]] == wanted[i]);
		back[wanted[i]] = -1;
	}
	for (int i = 0; i < ROOM; i++)
		CHECK(back[i] == -1);
}

static void check_bounds(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Aint true_lower,
			 MPI_Aint true_extent)
{
	MPI_Aint a, b;
	MPI_Count x, y;

	CHECK(MPI_Type_get_extent(type, &a, &b) == 0 && a == lower && b == extent);
	CHECK(MPI_Type_get_extent_x(type, &x, &y) == 0 && x == lower && y == extent);
	CHECK(MPI_Type_get_true_extent(type, &a, &b) == 0);
	CHECK(a == true_lower && b == true_extent);
	CHECK(MPI_Type_get_true_extent_x(type, &x, &y) == 0);
	CHECK(x == true_lower && y == true_extent);
	CHECK(MPI_Type_extent(type, &a) == 0 && a == extent);
	CHECK(MPI_Type_lb(type, &a) == 0 && a == lower);
	CHECK(MPI_Type_ub(type, &a) == 0 && a == lower + extent);
}

/* It was made by that constructor, with these numbers. */
static void check_made(MPI_Datatype type, int combiner, int n_ints, const int ints[],
		       int n_addresses, const MPI_Aint addresses[])
{
	int a, b, c, how, got[64];
	MPI_Aint where[16];
	MPI_Datatype of[16];

	CHECK(MPI_Type_get_envelope(type, &a, &b, &c, &how) == 0);
	CHECK(a == n_ints && b == n_addresses && how == combiner);
	CHECK(MPI_Type_get_contents(type, 64, 16, 16, got, where, of) == 0);
	for (int i = 0; i < n_ints; i++)
		CHECK(got[i] == ints[i]);
	for (int i = 0; i < n_addresses; i++)
		CHECK(where[i] == addresses[i]);
	for (int i = 0; i < c; i++)
		CHECK(of[i] == MPI_INT);
	if (n_ints)
		CHECK_ERROR(MPI_Type_get_contents(type, n_ints - 1, 16, 16, got, where, of),
			    MPI_ERR_ARG);
}

#define INTS(...)                                                          \
	(int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (const int[]) \
	{                                                                  \
		__VA_ARGS__                                                \
	}
#define BYTES(n) ((n) * (MPI_Aint)sizeof(int))

static void regular(void)
{
	MPI_Datatype t, u;

	CHECK(MPI_Type_contiguous(3, MPI_INT, &t) == 0);
	check_places(t, INTS(0, 1, 2));
	check_bounds(t, 0, 12, 0, 12);
	check_made(t, MPI_COMBINER_CONTIGUOUS, INTS(3), 0, NULL);
	CHECK(MPI_Type_vector(2, 1, 2, t, &u) == 0);
	check_places(u, INTS(0, 1, 2, 6, 7, 8));
	MPI_Type_free(&t); /* u goes on using it */
	CHECK(t == MPI_DATATYPE_NULL);
	check_places(u, INTS(0, 1, 2, 6, 7, 8));
	MPI_Type_free(&u);

	CHECK(MPI_Type_vector(3, 2, 4, MPI_INT, &t) == 0);
	check_places(t, INTS(0, 1, 4, 5, 8, 9));
	check_bounds(t, 0, BYTES(10), 0, BYTES(10));
	check_made(t, MPI_COMBINER_VECTOR, INTS(3, 2, 4), 0, NULL);
	CHECK(MPI_Type_contiguous(2, t, &u) == 0);
	check_places(u, INTS(0, 1, 4, 5, 8, 9, 10, 11, 14, 15, 18, 19));
	MPI_Type_free(&u);
	MPI_Type_free(&t);

	CHECK(MPI_Type_create_hvector(3, 1, BYTES(5), MPI_INT, &t) == 0);
	check_places(t, INTS(0, 5, 10));
	check_made(t, MPI_COMBINER_HVECTOR, INTS(3, 1), 1, (MPI_Aint[]){ BYTES(5) });
	MPI_Type_free(&t);
	CHECK(MPI_Type_hvector(2, 1, BYTES(-3), MPI_INT, &t) == 0);
	check_bounds(t, BYTES(-3), BYTES(4), BYTES(-3), BYTES(4));
	CHECK(MPI_Type_create_hindexed(1, (int[]){ 1 }, (MPI_Aint[]){ BYTES(9) }, t, &u) == 0);
	check_places(u, INTS(9, 6));
	MPI_Type_free(&u);
	MPI_Type_free(&t);
	CHECK(MPI_Type_vector(0, 3, 7, MPI_INT, &t) == 0);
	check_places(t, 0, NULL);
	check_bounds(t, 0, 0, 0, 0);
	MPI_Type_free(&t);
}

static void lists(void)
{
	const int blocks[] = { 2, 0, 1 }, at[] = { 5, 100, 1 };
	const MPI_Aint bytes[] = { BYTES(5), BYTES(100), BYTES(1) };
	MPI_Datatype t;

	CHECK(MPI_Type_indexed(3, blocks, at, MPI_INT, &t) == 0);
	check_places(t, INTS(5, 6, 1));
	check_bounds(t, BYTES(1), BYTES(6), BYTES(1), BYTES(6));
	check_made(t, MPI_COMBINER_INDEXED, INTS(3, 2, 0, 1, 5, 100, 1), 0, NULL);
	MPI_Type_free(&t);
	CHECK(MPI_Type_create_hindexed(3, blocks, bytes, MPI_INT, &t) == 0);
	check_places(t, INTS(5, 6, 1));
	check_made(t, MPI_COMBINER_HINDEXED, INTS(3, 2, 0, 1), 3, bytes);
	MPI_Type_free(&t);
	CHECK(MPI_Type_hindexed(3, (int *)blocks, (MPI_Aint *)bytes, MPI_INT, &t) == 0);
	check_places(t, INTS(5, 6, 1));
	MPI_Type_free(&t);
	CHECK(MPI_Type_create_indexed_block(2, 2, at, MPI_INT, &t) == 0);
	check_places(t, INTS(5, 6, 100, 101));
	check_made(t, MPI_COMBINER_INDEXED_BLOCK, INTS(2, 2, 5, 100), 0, NULL);
	MPI_Type_free(&t);
	CHECK(MPI_Type_create_hindexed_block(3, 1, bytes, MPI_INT, &t) == 0);
	check_places(t, INTS(5, 100, 1));
	check_made(t, MPI_COMBINER_HINDEXED_BLOCK, INTS(3, 1), 3, bytes);
	MPI_Type_free(&t);
	CHECK(MPI_Type_create_struct(3, blocks, bytes,
				     (MPI_Datatype[]){ MPI_INT, MPI_INT, MPI_INT }, &t) == 0);
	check_places(t, INTS(5, 6, 1));
	check_made(t, MPI_COMBINER_STRUCT, INTS(3, 2, 0, 1), 3, bytes);
	MPI_Type_free(&t);
}

/* A C struct, with holes: an array of it by one type. */
static void structs(void)
{
	struct particle {
		char kind;
		double x[2];
		short n;
	};
	const MPI_Aint at[] = { offsetof(struct particle, kind), offsetof(struct particle, x),
				offsetof(struct particle, n) };
	static struct particle p[3], q[3];
	char packed[100];
	int n = 0;
	MPI_Datatype t;

	CHECK(MPI_Type_create_struct(3, (int[]){ 1, 2, 1 }, at,
				     (MPI_Datatype[]){ MPI_CHAR, MPI_DOUBLE, MPI_SHORT }, &t) == 0);
	check_bounds(t, 0, sizeof(struct particle), 0,
		     offsetof(struct particle, n) + (MPI_Aint)sizeof(short));
	for (int i = 0; i < 3; i++)
		p[i] = (struct particle){ (char)i, { i + 0.5, -i }, (short)(7 * i) };
	CHECK_ERROR(MPI_Pack(p, 3, t, packed, 100, &n, MPI_COMM_WORLD), MPI_ERR_TYPE);
	CHECK(MPI_Type_commit(&t) == 0);
	CHECK(MPI_Pack(p, 3, t, packed, 100, &n, MPI_COMM_WORLD) == 0 && n == 3 * 19);
	n = 0;
	CHECK(MPI_Unpack(packed, 57, &n, q, 3, t, MPI_COMM_WORLD) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(q[i].kind == i && q[i].x[0] == i + 0.5 && q[i].x[1] == -i && q[i].n == 7 * i);
	MPI_Type_free(&t);
	CHECK(MPI_Type_struct(2, (int[]){ 1, 1 }, (MPI_Aint[]){ 0, 8 },
			      (MPI_Datatype[]){ MPI_INT, MPI_CHAR }, &t) == 0);
	check_bounds(t, 0, 12, 0, 9);
	MPI_Type_free(&t);
}

/* Bounds that were set stay: by markers, by resizing. */
static void bounds(void)
{
	MPI_Datatype t, u, v;

	CHECK(MPI_Type_create_resized(MPI_INT, -4, 20, &t) == 0);
	check_bounds(t, -4, 20, 0, 4);
	check_made(t, MPI_COMBINER_RESIZED, 0, NULL, 2, (MPI_Aint[]){ -4, 20 });
	CHECK(MPI_Type_contiguous(3, t, &u) == 0);
	check_places(u, INTS(0, 5, 10));
	check_bounds(u, -4, 60, 0, 44);
	CHECK(MPI_Type_create_struct(2, (int[]){ 1, 1 }, (MPI_Aint[]){ 0, 100 },
				     (MPI_Datatype[]){ t, MPI_INT }, &v) == 0);
	check_bounds(v, -4, 20, 0, 104);
	MPI_Type_free(&v);
	CHECK(MPI_Type_create_resized(u, 0, 4, &v) == 0);
	check_bounds(v, 0, 4, 0, 44);
	MPI_Type_free(&v);
	CHECK(MPI_Type_dup(u, &v) == 0);
	check_bounds(v, -4, 60, 0, 44);
	check_places(v, INTS(0, 5, 10));
	MPI_Type_free(&v);
	MPI_Type_free(&u);
	MPI_Type_free(&t);
	CHECK(MPI_Type_struct(3, (int[]){ 1, 1, 1 }, (MPI_Aint[]){ -3, 0, 6 },
			      (MPI_Datatype[]){ MPI_LB, MPI_INT, MPI_UB }, &t) == 0);
	check_bounds(t, -3, 9, 0, 4);
	CHECK(MPI_Type_vector(2, 1, 3, t, &u) == 0);
	check_bounds(u, -3, 36, 0, 31);
	MPI_Type_free(&u);
	MPI_Type_free(&t);
}

static void subarrays(void)
{
	const int sizes[] = { 4, 5, 6 }, parts[] = { 2, 1, 3 }, starts[] = { 1, 4, 2 };
	MPI_Datatype t;

	CHECK(MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &t) == 0);
	check_places(t, INTS(56, 57, 58, 86, 87, 88));
	check_bounds(t, 0, BYTES(120), BYTES(56), BYTES(33));
	check_made(t, MPI_COMBINER_SUBARRAY, INTS(3, 4, 5, 6, 2, 1, 3, 1, 4, 2, MPI_ORDER_C), 0,
		   NULL);
	MPI_Type_free(&t);
	CHECK(MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &t) ==
	      0);
	check_places(t, INTS(57, 58, 77, 78, 97, 98));
	MPI_Type_free(&t);
	CHECK_ERROR(MPI_Type_create_subarray(3, parts, sizes, starts, MPI_ORDER_C, MPI_INT, &t),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_subarray(0, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &t),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_subarray(3, sizes, parts, starts, 77, MPI_INT, &t),
		    MPI_ERR_ARG);
}

/* The rank's number for an index of a dimension. */
static int owner(int index, int how, int arg, int size, int ranks)
{
	int block = how == MPI_DISTRIBUTE_NONE    ? size
		    : arg > 0                     ? arg
		    : how == MPI_DISTRIBUTE_BLOCK ? (size + ranks - 1) / ranks
						  : 1;

	return index / block % ranks;
}

/* All ranks' parts of a two-dimensional array, against the definition. */
static void check_darray(const int sizes[2], const int how[2], const int args[2],
			 const int ranks[2], int order)
{
	int n = ranks[0] * ranks[1], total = 0;

	for (int r = 0; r < n; r++) {
		int wanted[ROOM], found = 0, inner = order == MPI_ORDER_C ? 1 : 0;
		MPI_Datatype t;

		for (int i = 0; i < sizes[0] * sizes[1]; i++) {
			int at[2];

			at[inner] = i % sizes[inner];
			at[1 - inner] = i / sizes[inner];
			if (owner(at[0], how[0], args[0], sizes[0], ranks[0]) == r / ranks[1] &&
			    owner(at[1], how[1], args[1], sizes[1], ranks[1]) == r % ranks[1])
				wanted[found++] = i;
		}
		total += found;
		CHECK(MPI_Type_create_darray(n, r, 2, sizes, how, args, ranks, order, MPI_INT,
					     &t) == 0);
		check_places(t, found, wanted);
		MPI_Type_free(&t);
	}
	CHECK(total == sizes[0] * sizes[1]);
}

static void darrays(void)
{
	enum {
		B = MPI_DISTRIBUTE_BLOCK,
		C = MPI_DISTRIBUTE_CYCLIC,
		N = MPI_DISTRIBUTE_NONE,
		D = MPI_DISTRIBUTE_DFLT_DARG
	};
	const int sizes[] = { 11, 13 }, ranks[] = { 2, 3 };
	int hows[][4] = { { B, B, D, D }, { C, C, D, D },  { C, C, 2, 3 },  { B, C, 9, 4 },
			  { C, B, 3, D }, { C, C, 7, 20 }, { B, B, 10, 12 } };
	MPI_Datatype t;

	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		check_darray(sizes, hows[i], hows[i] + 2, ranks, MPI_ORDER_C);
		check_darray(sizes, hows[i], hows[i] + 2, ranks, MPI_ORDER_FORTRAN);
	}
	check_darray(sizes, (int[]){ N, C }, (int[]){ D, 2 }, (int[]){ 1, 4 }, MPI_ORDER_C);
	CHECK(MPI_Type_create_darray(6, 1, 2, sizes, hows[2], hows[2] + 2, ranks, MPI_ORDER_C,
				     MPI_INT, &t) == 0);
	check_made(t, MPI_COMBINER_DARRAY, INTS(6, 1, 2, 11, 13, C, C, 2, 3, 2, 3, MPI_ORDER_C), 0,
		   NULL);
	check_bounds(t, 0, BYTES(143), BYTES(3), BYTES(127));
	MPI_Type_free(&t);
	CHECK_ERROR(MPI_Type_create_darray(5, 1, 2, sizes, hows[2], hows[2] + 2, ranks, MPI_ORDER_C,
					   MPI_INT, &t),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_darray(6, 1, 2, sizes, (int[]){ B, B }, (int[]){ 5, 5 }, ranks,
					   MPI_ORDER_C, MPI_INT, &t),
		    MPI_ERR_ARG);
}

static void names(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length, a, b, c, how;
	MPI_Datatype t;

	CHECK(MPI_Type_get_name(MPI_LONG_DOUBLE_INT, name, &length) == 0);
	CHECK(!strcmp(name, "MPI_LONG_DOUBLE_INT") && length == 19);
	MPI_Type_dup(MPI_INT, &t);
	CHECK(MPI_Type_get_name(t, name, &length) == 0 && length == 0 && !name[0]);
	CHECK(MPI_Type_set_name(t, "mine") == 0);
	CHECK(MPI_Type_get_name(t, name, &length) == 0 && !strcmp(name, "mine") && length == 4);
	CHECK(MPI_Type_get_envelope(MPI_INT, &a, &b, &c, &how) == 0);
	CHECK(how == MPI_COMBINER_NAMED && a == 0 && b == 0 && c == 0);
	check_made(t, MPI_COMBINER_DUP, 0, NULL, 0, NULL);
	MPI_Type_free(&t);
	CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, sizeof(int), &t) == 0 && t == MPI_INT);
	CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &t) == 0 && t == MPI_DOUBLE);
	CHECK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, sizeof(float complex), &t) == 0 &&
	      t == MPI_C_FLOAT_COMPLEX);
	CHECK_ERROR(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &t), MPI_ERR_ARG);
}

static void sizes(void)
{
	int size;
	MPI_Count all;
	MPI_Datatype t, u;
	static char c[10];
	MPI_Aint from, to;

	CHECK(MPI_Type_size(MPI_DOUBLE_INT, &size) == 0 && size == 12);
	check_bounds(MPI_DOUBLE_INT, 0, 16, 0, 12);
	check_bounds(MPI_SHORT_INT, 0, 8, 0, 8);
	CHECK(MPI_Type_size(MPI_SHORT_INT, &size) == 0 && size == 6);
	MPI_Type_contiguous(1 << 30, MPI_LONG_LONG, &t);
	MPI_Type_contiguous(1 << 10, t, &u);
	CHECK(MPI_Type_size(u, &size) == 0 && size == MPI_UNDEFINED);
	CHECK(MPI_Type_size_x(u, &all) == 0 && all == 1LL << 43);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	MPI_Get_address(c, &from);
	MPI_Address(c + 7, &to);
	CHECK(MPI_Aint_diff(to, from) == 7 && MPI_Aint_add(from, 7) == to);
}

static void bad(void)
{
	MPI_Datatype t = MPI_DATATYPE_NULL, none = MPI_DATATYPE_NULL, mine = MPI_INT;
	int n, block = -1, at = 0;
	MPI_Aint a, b;

	CHECK_ERROR(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Type_contiguous(1, none, &t), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_vector(1, -1, 1, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_hvector(-2, 1, 1, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Type_indexed(1, &block, &at, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_indexed(1, NULL, &at, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_hindexed(-1, NULL, NULL, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Type_create_indexed_block(1, -1, &at, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_hindexed_block(1, 1, NULL, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_struct(1, (int[]){ 1 }, (MPI_Aint[]){ 0 }, &none, &t),
		    MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_create_resized(none, 0, 1, &t), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_dup(none, &t), MPI_ERR_TYPE);
	CHECK(t == MPI_DATATYPE_NULL);
	CHECK_ERROR(MPI_Type_commit(&none), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_free(&none), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_free(&mine), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_size(none, &n), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_get_extent(none, &a, &b), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_get_contents(MPI_INT, 9, 9, 9, &n, &a, &t), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Type_set_name(none, "x"), MPI_ERR_TYPE);
	CHECK(MPI_Type_commit(&mine) == 0);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	regular();
	lists();
	structs();
	bounds();
	subarrays();
	darrays();
	names();
	sizes();
	bad();
	MPI_Finalize();
	return 0;
}
