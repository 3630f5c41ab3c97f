/* pack.c - packing, external32, counts of what has come: here, and by messages of made types. */
#include <complex.h>

#include "check.h"

static int rank, ranks;

static void sizes(void)
{
	int bytes;
	MPI_Aint all;
	MPI_Datatype t;

	MPI_Type_vector(5, 1, 3, MPI_DOUBLE, &t);
	MPI_Type_commit(&t);
	CHECK(MPI_Pack_size(3, t, MPI_COMM_WORLD, &bytes) == 0 && bytes >= 120);
	CHECK(MPI_Pack_external_size("external32", 3, t, &all) == 0 && all == 120);
	CHECK(MPI_Pack_external_size("external32", 3, MPI_LONG, &all) == 0 && all == 12);
	CHECK(MPI_Pack_external_size("external32", 1, MPI_LONG_INT, &all) == 0 && all == 8);
	CHECK_ERROR(MPI_Pack_external_size("internal", 3, t, &all), MPI_ERR_ARG);
	MPI_Type_free(&t);
}

/* Several types behind each other; then all of them back. */
static void together(void)
{
	char room[64];
	int at = 0, n = 7, m = 0;
	double x[2] = { 1.5, -2 }, y[2] = { 0, 0 };
	char c = 'c', d = 0;

	CHECK(MPI_Pack(&c, 1, MPI_CHAR, room, sizeof(room), &at, MPI_COMM_WORLD) == 0);
	CHECK(MPI_Pack(&n, 1, MPI_INT, room, sizeof(room), &at, MPI_COMM_WORLD) == 0);
	CHECK(MPI_Pack(x, 2, MPI_DOUBLE, room, sizeof(room), &at, MPI_COMM_WORLD) == 0);
	CHECK_ERROR(MPI_Pack(x, 2, MPI_DOUBLE, room, at + 15, &at, MPI_COMM_WORLD),
		    MPI_ERR_TRUNCATE);
	n = at;
	at = 0;
	CHECK(MPI_Unpack(room, n, &at, &d, 1, MPI_CHAR, MPI_COMM_WORLD) == 0 && d == 'c');
	CHECK(MPI_Unpack(room, n, &at, &m, 1, MPI_INT, MPI_COMM_WORLD) == 0 && m == 7);
	CHECK_ERROR(MPI_Unpack(room, n, &at, y, 3, MPI_DOUBLE, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
	CHECK(MPI_Unpack(room, n, &at, y, 2, MPI_DOUBLE, MPI_COMM_WORLD) == 0 && at == n);
	CHECK(y[0] == 1.5 && y[1] == -2);
	at = 0;
	CHECK_ERROR(MPI_Pack(&n, -1, MPI_INT, room, 64, &at, MPI_COMM_WORLD), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Pack(NULL, 1, MPI_INT, room, 64, &at, MPI_COMM_WORLD), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Pack(&n, 1, MPI_DATATYPE_NULL, room, 64, &at, MPI_COMM_WORLD),
		    MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Pack(&n, 1, MPI_INT, room, 64, &at, MPI_COMM_NULL), MPI_ERR_COMM);
}

/* Elements of each size, at each alignment, far apart and next to each other. */
static void strided(void)
{
	static const MPI_Datatype of[] = { MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE,
					   MPI_C_DOUBLE_COMPLEX };
	static unsigned char from[1000], packed[400], to[1000];

	for (int i = 0; i < 1000; i++)
		from[i] = (unsigned char)(i * 7 + i / 256);
	for (int k = 0; k < 5 * 8 * 3; k++) {
		int size, n = 0, off = k / 3 % 8, apart;
		MPI_Datatype t;

		MPI_Type_size(of[k / 24], &size);
		apart = size + (k % 3) * 5;
		MPI_Type_create_hvector(11, 1, apart, of[k / 24], &t);
		MPI_Type_commit(&t);
		CHECK(MPI_Pack(from + off, 1, t, packed, 400, &n, MPI_COMM_WORLD) == 0);
		CHECK(n == 11 * size);
		for (int i = 0; i < n; i++)
			CHECK(packed[i] == from[off + i / size * apart + i % size]);
		memset(to, 0xee, sizeof(to));
		n = 0;
		CHECK(MPI_Unpack(packed, 11 * size, &n, to + off, 1, t, MPI_COMM_WORLD) == 0);
		for (int i = 0; i < 11 * apart; i++)
			CHECK(to[off + i] ==
			      (i % apart < size && i / apart < 11 ? from[off + i] : 0xee));
		MPI_Type_free(&t);
	}
}

/* Addresses from MPI_BOTTOM on. */
static void absolute(void)
{
	static int a = 3, b[4] = { 4, 5, 6, 7 };
	int got[5], n = 0;
	MPI_Aint at[2];
	MPI_Datatype t;

	MPI_Get_address(b, &at[0]);
	MPI_Get_address(&a, &at[1]);
	MPI_Type_create_hindexed(2, (int[]){ 4, 1 }, at, MPI_INT, &t);
	MPI_Type_commit(&t);
	CHECK(MPI_Pack(MPI_BOTTOM, 1, t, got, sizeof(got), &n, MPI_COMM_WORLD) == 0);
	CHECK(n == 20 && got[0] == 4 && got[3] == 7 && got[4] == 3);
	MPI_Type_free(&t);
}

static void external(void)
{
	static const unsigned char wanted[] = { 0,    0, 1, 2, 0x3f, 0xf8, 0,    0,    0,
						0,    0, 0, 0, 9,    0xff, 0xff, 0xff, 0xfe,
						0x40, 0, 0, 0, 0xc0, 0x80, 0,    0 };
	struct {
		int i;
		double x;
		short s;
		long l;
		float complex z;
	} a = { 0x102, 1.5, 9, -2, 2 - 4.f * I }, b;
	const MPI_Datatype of[] = { MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_LONG, MPI_C_FLOAT_COMPLEX };
	MPI_Aint at[5], n = 0, base;
	unsigned char bytes[40];
	MPI_Datatype t;

	memset(&b, 0, sizeof(b));
	MPI_Get_address(&a, &base);
	MPI_Get_address(&a.i, &at[0]);
	MPI_Get_address(&a.x, &at[1]);
	MPI_Get_address(&a.s, &at[2]);
	MPI_Get_address(&a.l, &at[3]);
	MPI_Get_address(&a.z, &at[4]);
	for (int i = 0; i < 5; i++)
		at[i] = MPI_Aint_diff(at[i], base);
	MPI_Type_create_struct(5, (int[]){ 1, 1, 1, 1, 1 }, at, of, &t);
	MPI_Type_commit(&t);
	CHECK(MPI_Pack_external("external32", &a, 1, t, bytes, 40, &n) == 0);
	CHECK(n == sizeof(wanted) && !memcmp(bytes, wanted, sizeof(wanted)));
	CHECK_ERROR(MPI_Pack_external("external32", &a, 1, t, bytes, 40, &n), MPI_ERR_TRUNCATE);
	CHECK_ERROR(MPI_Pack_external("other", &a, 1, t, bytes, 40, &n), MPI_ERR_ARG);
	n = 0;
	CHECK(MPI_Unpack_external("external32", bytes, sizeof(wanted), &n, &b, 1, t) == 0);
	CHECK(b.i == a.i && b.x == a.x && b.s == a.s && b.l == a.l && b.z == a.z);
	CHECK_ERROR(MPI_Unpack_external("external32", bytes, sizeof(wanted), &n, &b, 1, t),
		    MPI_ERR_TRUNCATE);
	MPI_Type_free(&t);
}

static void counts(void)
{
	MPI_Status status;
	MPI_Datatype t, none;
	MPI_Count many;
	int n;

	MPI_Type_create_struct(2, (int[]){ 1, 2 }, (MPI_Aint[]){ 0, 8 },
			       (MPI_Datatype[]){ MPI_DOUBLE, MPI_INT }, &t);
	MPI_Type_commit(&t);
	CHECK(MPI_Status_set_elements(&status, t, 8) == 0); /* 2 of them, and two elements */
	CHECK(MPI_Get_elements(&status, t, &n) == 0 && n == 8);
	CHECK(MPI_Get_count(&status, t, &n) == 0 && n == MPI_UNDEFINED);
	CHECK(MPI_Get_count(&status, MPI_BYTE, &n) == 0 && n == 2 * 16 + 12);
	CHECK(MPI_Status_set_elements_x(&status, t, 9) == 0);
	CHECK(MPI_Get_count(&status, t, &n) == 0 && n == 3);
	CHECK(MPI_Get_elements_x(&status, t, &many) == 0 && many == 9);
	CHECK(MPI_Status_set_elements_x(&status, MPI_BYTE, 8 + 2) == 0);
	CHECK(MPI_Get_elements(&status, t, &n) == 0 && n == MPI_UNDEFINED);
	CHECK(MPI_Status_set_elements_x(&status, MPI_BYTE, 3LL << 32) == 0);
	CHECK(MPI_Get_count(&status, MPI_BYTE, &n) == 0 && n == MPI_UNDEFINED);
	CHECK(MPI_Get_elements_x(&status, MPI_BYTE, &many) == 0 && many == 3LL << 32);
	CHECK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3) == 0);
	CHECK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &n) == 0 && n == 3);
	MPI_Type_contiguous(0, MPI_INT, &none);
	MPI_Type_commit(&none);
	CHECK(MPI_Get_count(&status, none, &n) == 0 && n == MPI_UNDEFINED);
	MPI_Status_set_elements(&status, none, 0);
	CHECK(MPI_Get_count(&status, none, &n) == 0 && n == 0);
	CHECK_ERROR(MPI_Get_count(MPI_STATUS_IGNORE, none, &n), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Get_elements(&status, MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
	MPI_Type_free(&none);
	MPI_Type_free(&t);
}

/* A column goes to a row, and a message fills a part of what was there for it. */
static void messages(void)
{
	static double matrix[50][60], row[60];
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, n;
	MPI_Datatype column;
	MPI_Status status;

	MPI_Type_vector(50, 1, 60, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	for (int i = 0; i < 50; i++)
		matrix[i][7] = rank * 100 + i;
	MPI_Sendrecv(&matrix[0][7], 1, column, right, 1, row, 60, MPI_DOUBLE, left, 1,
		     MPI_COMM_WORLD, &status);
	CHECK(MPI_Get_count(&status, MPI_DOUBLE, &n) == 0 && n == 50);
	for (int i = 0; i < 50; i++)
		CHECK(row[i] == left * 100 + i);
	MPI_Sendrecv(row, 20, MPI_DOUBLE, right, 2, &matrix[0][9], 1, column, left, 2,
		     MPI_COMM_WORLD, &status);
	CHECK(MPI_Get_elements(&status, column, &n) == 0 && n == 20);
	for (int i = 0; i < 50; i++)
		CHECK(matrix[i][9] == (i < 20 ? (left + ranks - 1) % ranks * 100 + i : 0));
	MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	sizes();
	together();
	strided();
	absolute();
	external();
	counts();
	messages();
	MPI_Finalize();
	return 0;
}
