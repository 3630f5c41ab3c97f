/*
 * collective_order.c - operations of the program's that do not commute, several collectives at
 * once, and in parts of all ranks.
 */
#include "check.h"

static int rank, size;

/* ---- Operations whose order matters: 2 x 2 matrices, modulo a prime ---- */

struct matrix {
	int a, b, c, d;
};
enum { PRIME = 10007 };

static struct matrix times(struct matrix x, struct matrix y)
{
	return (struct matrix){ (x.a * y.a + x.b * y.c) % PRIME, (x.a * y.b + x.b * y.d) % PRIME,
				(x.c * y.a + x.d * y.c) % PRIME, (x.c * y.b + x.d * y.d) % PRIME };
}

static void multiply(void *left, void *right, int *n, MPI_Datatype *type)
{
	struct matrix *x = left, *y = right;

	for (int i = 0; i < *n; i++)
		y[i] = times(x[i], y[i]);
}

/* No two of different ranks commute. */
static struct matrix of(int r, int i)
{
	return (struct matrix){ r + 1, i % 13 + 2, 5 * r + 3, i % 7 + 1 };
}

/* The product of those of ranks [0, end), at i. */
static bool is_product(const struct matrix *m, int n, int end, int first)
{
	for (int i = 0; i < n; i++) {
		struct matrix p = of(0, first + i);

		for (int r = 1; r < end; r++)
			p = times(p, of(r, first + i));
		if (memcmp(&p, &m[i], sizeof(p)) != 0)
			return false;
	}
	return true;
}

static void differ(void)
{
	for (int i = 0; i < 100; i++) {
		for (int r = 1; r < size; r++) {
			struct matrix a = times(of(r - 1, i), of(r, i)),
				      b = times(of(r, i), of(r - 1, i));

			CHECK(memcmp(&a, &b, sizeof(a)) != 0);
		}
	}
}

static void in_order(MPI_Datatype type, MPI_Op op, int n)
{
	struct matrix *out = malloc(sizeof(*out) * (size_t)(n * size));
	struct matrix *in = malloc(sizeof(*in) * (size_t)(n * size));

	for (int i = 0; i < n * size; i++)
		out[i] = of(rank, i);
	for (int root = 0; root < size; root++) {
		CHECK(MPI_Reduce(out, in, n, type, op, root, MPI_COMM_WORLD) == 0);
		CHECK(rank != root || is_product(in, n, size, 0));
		memcpy(in, out, sizeof(*in) * (size_t)n);
		CHECK(MPI_Reduce(rank == root ? MPI_IN_PLACE : in, in, n, type, op, root,
				 MPI_COMM_WORLD) == 0);
		CHECK(rank != root || is_product(in, n, size, 0));
	}
	CHECK(MPI_Allreduce(out, in, n, type, op, MPI_COMM_WORLD) == 0);
	CHECK(is_product(in, n, size, 0));
	CHECK(MPI_Scan(out, in, n, type, op, MPI_COMM_WORLD) == 0);
	CHECK(is_product(in, n, rank + 1, 0));
	CHECK(MPI_Exscan(out, in, n, type, op, MPI_COMM_WORLD) == 0);
	CHECK(rank == 0 || is_product(in, n, rank, 0));
	CHECK(MPI_Reduce_scatter_block(out, in, n, type, op, MPI_COMM_WORLD) == 0);
	CHECK(is_product(in, n, size, n * rank));
	for (int i = 0; i < n; i++)
		CHECK(memcmp(&out[i], &(struct matrix[]){ of(rank, i) }[0], sizeof(*out)) == 0);
	free(out);
	free(in);
}

/* What fits a short message is reduced to all without a schedule: 3 matrices of 16 bytes. */
enum { SHORT = 3 };

static void all_reduce_short(MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	struct matrix out[SHORT], in[SHORT];

	for (int n = 1; n <= SHORT; n++) {
		for (int i = 0; i < n; i++)
			out[i] = of(rank_in(comm), i);
		CHECK(MPI_Allreduce(out, in, n, type, op, comm) == 0);
		CHECK(is_product(in, n, size_of(comm), 0));
		CHECK(MPI_Allreduce(MPI_IN_PLACE, out, n, type, op, comm) == 0);
		CHECK(is_product(out, n, size_of(comm), 0));
	}
}

/* Of the first ranks, as many as there may be: powers of two, and others. */
static void of_some_ranks(MPI_Datatype type, MPI_Op op)
{
	MPI_Comm part;

	for (int n = 1; n <= size; n++) {
		MPI_Comm_split(MPI_COMM_WORLD, rank < n, rank, &part);
		all_reduce_short(type, op, part);
		MPI_Comm_free(&part);
	}
}

/* A rank that has another collective under way takes part by a schedule, the others without. */
static void beside_another(MPI_Datatype type, MPI_Op op)
{
	MPI_Request r;
	MPI_Comm dup;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	for (int busy = 0; busy < size; busy++) {
		if (rank == busy)
			CHECK(MPI_Ibarrier(dup, &r) == 0);
		all_reduce_short(type, op, MPI_COMM_WORLD);
		if (rank != busy)
			CHECK(MPI_Ibarrier(dup, &r) == 0);
		CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0);
	}
	MPI_Comm_free(&dup);
}

static void user_operations(void)
{
	MPI_Datatype type;
	MPI_Op op;

	MPI_Type_contiguous(4, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(multiply, 0, &op);
	differ();
	in_order(type, op, 1);
	in_order(type, op, 600);
	of_some_ranks(type, op);
	beside_another(type, op);
	MPI_Op_free(&op);
	MPI_Type_free(&type);
}

/* ---- Several at once, ended in another order ---- */

static void several(void)
{
	enum { N = 6 };
	MPI_Request r[N];
	MPI_Comm part;
	int one = 1, sum[N], root = size - 1, theirs = rank == root ? 42 : 0,
	    order[] = { 3, 0, 5, 1, 4, 2 };
	int *all = malloc(sizeof(int) * (size_t)size);

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
	CHECK(MPI_Iallreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]) == 0);
	CHECK(MPI_Ibcast(&theirs, 1, MPI_INT, root, MPI_COMM_WORLD, &r[1]) == 0);
	CHECK(MPI_Iallreduce(&one, &sum[2], 1, MPI_INT, MPI_SUM, part, &r[2]) == 0);
	CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &r[3]) == 0);
	CHECK(MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r[4]) == 0);
	CHECK(MPI_Iscan(&one, &sum[5], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[5]) == 0);
	for (int i = 0; i < N; i++)
		CHECK(MPI_Wait(&r[order[i]], MPI_STATUS_IGNORE) == 0);
	CHECK(sum[0] == size && theirs == 42 && sum[2] == (size + 1 - rank % 2) / 2);
	CHECK(sum[5] == rank + 1);
	for (int i = 0; i < size; i++)
		CHECK(all[i] == i);
	MPI_Comm_free(&part);
	free(all);
}

/* A type and an operation may be freed while a collective uses them. */
static void freed(void)
{
	struct matrix mine = of(rank, 0), all;
	MPI_Datatype type;
	MPI_Request r;
	MPI_Comm dup;
	MPI_Op op;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Type_contiguous(4, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(multiply, 0, &op);
	CHECK(MPI_Iallreduce(&mine, &all, 1, type, op, dup, &r) == 0);
	MPI_Op_free(&op);
	MPI_Type_free(&type);
	MPI_Comm_free(&dup);
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0 && is_product(&all, 1, size, 0));
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	user_operations();
	several();
	freed();
	MPI_Finalize();
	return 0;
}
