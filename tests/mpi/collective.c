/*
 * collective.c - each collective, blocking and not, with lengths on both sides of every change of
 * algorithm, each root, in place, and of types with holes. Also on 17 ranks: there are algorithms
 * for many.
 */
#include "check.h"

enum { MOST = 20000, LONG = 70000 };

static int rank, size;
static int *out, *in; /* twice LONG */
/* Short, none, and long enough for each second algorithm. */
static const int lengths[] = { 1, 0, 3, 17, 300, 2500, MOST };
enum { LENGTHS = (int)(sizeof(lengths) / sizeof(lengths[0])) };

/* Lengths of what each rank has for each: a part of that. */
static int part(int n)
{
	return n < size ? n : n / size;
}

static void fill(int *p, int n, int value)
{
	for (int i = 0; i < n; i++)
		p[i] = value;
}

/* What a rank has at i. */
static int element(int r, int i)
{
	return 1000 * r + i % 997;
}

static void give(int *p, int n, int r)
{
	for (int i = 0; i < n; i++)
		p[i] = element(r, i);
}

static bool has(const int *p, int n, int r)
{
	for (int i = 0; i < n; i++)
		if (p[i] != element(r, i))
			return false;
	return true;
}

static void bcast(bool now, int n, int root)
{
	give(out, n, rank == root ? root : size);
	BOTH(Bcast, Ibcast, out, n, MPI_INT, root, MPI_COMM_WORLD);
	CHECK(has(out, n, root));
}

/* Each second int at the root, one after the other elsewhere. */
static void bcast_holes(bool now, int n, int root)
{
	MPI_Datatype second;

	MPI_Type_vector(n, 1, 2, MPI_INT, &second);
	MPI_Type_commit(&second);
	fill(in, 2 * n, -1);
	for (int i = 0; i < n; i++)
		in[2 * i] = element(root, i);
	if (rank == root)
		BOTH(Bcast, Ibcast, in, 1, second, root, MPI_COMM_WORLD);
	else
		BOTH(Bcast, Ibcast, out, n, MPI_INT, root, MPI_COMM_WORLD);
	CHECK(rank == root || has(out, n, root));
	/* And the other way. */
	give(out, n, root);
	fill(in, 2 * n, -1);
	if (rank == root)
		BOTH(Bcast, Ibcast, out, n, MPI_INT, root, MPI_COMM_WORLD);
	else
		BOTH(Bcast, Ibcast, in, 1, second, root, MPI_COMM_WORLD);
	for (int i = 0; i < 2 * n - 1 && rank != root; i++)
		CHECK(in[i] == (i % 2 ? -1 : element(root, i / 2)));
	MPI_Type_free(&second);
}

static void gather(bool now, int n, int root)
{
	n = part(n);
	give(out, n, rank);
	fill(in, size * n, -1);
	BOTH(Gather, Igather, out, n, MPI_INT, in, n, MPI_INT, root, MPI_COMM_WORLD);
	for (int i = 0; i < size && rank == root; i++)
		CHECK(has(in + i * n, n, i));
	fill(in, size * n, -1);
	give(in + rank * n, n, rank);
	BOTH(Gather, Igather, rank == root ? MPI_IN_PLACE : in + rank * n, n, MPI_INT, in, n,
	     MPI_INT, root, MPI_COMM_WORLD);
	for (int i = 0; i < size && rank == root; i++)
		CHECK(has(in + i * n, n, i));
}

static void scatter(bool now, int n, int root)
{
	n = part(n);
	for (int i = 0; i < size && rank == root; i++)
		give(out + i * n, n, i);
	fill(in, n, -1);
	BOTH(Scatter, Iscatter, out, n, MPI_INT, in, n, MPI_INT, root, MPI_COMM_WORLD);
	CHECK(has(in, n, rank));
	fill(in, n, -1);
	BOTH(Scatter, Iscatter, out, n, MPI_INT, rank == root ? MPI_IN_PLACE : in, n, MPI_INT, root,
	     MPI_COMM_WORLD);
	CHECK(has(rank == root ? out + rank * n : in, n, rank));
}

static void allgather(bool now, int n, int root)
{
	n = part(n);
	give(out, n, rank);
	fill(in, size * n, -1);
	BOTH(Allgather, Iallgather, out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		CHECK(has(in + i * n, n, i));
	fill(in, size * n, -1);
	give(in + rank * n, n, rank);
	BOTH(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INT,
	     MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		CHECK(has(in + i * n, n, i));
}

static void alltoall(bool now, int n, int root)
{
	n = part(n);
	for (int i = 0; i < size; i++)
		fill(out + i * n, n, 100 * rank + i);
	fill(in, size * n, -1);
	BOTH(Alltoall, Ialltoall, out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size * n; i++)
		CHECK(in[i] == 100 * (i / n) + rank);
	BOTH(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT,
	     MPI_COMM_WORLD);
	CHECK(memcmp(out, in, sizeof(int) * (size_t)(size * n)) == 0);
}

/* Holes on both sides, not the same: out has each second int, in each third. */
static void holes(bool now, int n, int root)
{
	MPI_Datatype second, third;

	n = part(n);
	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second);
	MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &third);
	MPI_Type_commit(&second);
	MPI_Type_commit(&third);
	for (int form = 0; form < 3; form++) {
		fill(in, 3 * size * n, -1);
		for (int i = 0; i < size * n; i++)
			out[2 * i] = element(rank, i % (n ? n : 1));
		if (form == 0)
			BOTH(Allgather, Iallgather, out, n, second, in, n, third, MPI_COMM_WORLD);
		else if (form == 1)
			BOTH(Alltoall, Ialltoall, out, n, second, in, n, third, MPI_COMM_WORLD);
		else
			BOTH(Gather, Igather, out, n, second, in, n, third, root, MPI_COMM_WORLD);
		for (int i = 0; i < 3 * size * n && (form < 2 || rank == root); i++)
			CHECK(in[i] == (i % 3 ? -1 : element(i / 3 / n, i / 3 % n)));
	}
	MPI_Type_free(&second);
	MPI_Type_free(&third);
}

/* Parts of holes here, without there: each side goes its own way, by the same messages. */
static void mixed_alltoall(void)
{
	enum { N = 300 };
	MPI_Datatype apart;
	bool holes = rank % 2;
	int step = holes ? 2 : 1;

	MPI_Type_vector(N, 1, 2, MPI_INT, &apart);
	MPI_Type_create_resized(apart, 0, 2 * N * (int)sizeof(int), &apart);
	MPI_Type_commit(&apart);
	for (int i = 0; i < size * N; i++)
		out[i] = 100 * rank + i / N;
	fill(in, size * N * step, -1);
	CHECK(MPI_Alltoall(out, N, MPI_INT, in, holes ? 1 : N, holes ? apart : MPI_INT,
			   MPI_COMM_WORLD) == 0);
	for (int i = 0; i < size * N; i++)
		CHECK(in[i * step] == 100 * (i / N) + rank);
	for (int i = 0; holes && i < size * N; i++)
		CHECK(in[2 * i + 1] == -1);
	MPI_Type_free(&apart);
}

/* What is under way goes on meanwhile: the last rank's send is waited for, and the broadcast. */
static void alltoall_meanwhile(void)
{
	enum { N = 100 };
	int *come = malloc(sizeof(int) * LONG), *heard = malloc(sizeof(int) * LONG);
	MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };

	CHECK(come && heard);
	give(heard, rank == 0 ? LONG : 0, 7);
	CHECK(MPI_Ibcast(heard, LONG, MPI_INT, 0, MPI_COMM_WORLD, &r[0]) == 0);
	if (rank == 0)
		CHECK(MPI_Irecv(come, LONG, MPI_INT, size - 1, 5, MPI_COMM_WORLD, &r[1]) == 0);
	give(out, LONG, 9);
	if (rank == size - 1) {
		CHECK(MPI_Wait(&r[0], MPI_STATUS_IGNORE) == 0);
		CHECK(MPI_Send(out, size > 1 ? LONG : 0, MPI_INT, 0, 5, MPI_COMM_WORLD) == 0);
	}
	CHECK(MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD) == 0);
	CHECK(MPI_Wait(&r[0], MPI_STATUS_IGNORE) == 0);
	CHECK(MPI_Wait(&r[1], MPI_STATUS_IGNORE) == 0);
	CHECK(has(heard, LONG, 7) && (rank || size == 1 || has(come, LONG, 9)));
	for (int i = 0; i < size; i++)
		CHECK(memcmp(in + i * N, out + rank * N, sizeof(int) * N) == 0);
	free(come);
	free(heard);
}

static void too_long_alltoall(void)
{
	enum { N = 200 };

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Alltoall(out, N, MPI_INT, in, N - 1, MPI_INT, MPI_COMM_WORLD),
		    MPI_ERR_TRUNCATE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* ---- Parts of different lengths, the last rank's first in memory ---- */

static int *counts, *at, *displs;
static MPI_Datatype *types;

static int length(int r, int n)
{
	return (r + 1) % 3 * n / 2;
}

static int lay_out(int n)
{
	int all = 0;

	for (int i = size - 1; i >= 0; i--) {
		counts[i] = length(i, n);
		at[i] = all;
		all += counts[i] + 1;
	}
	return all;
}

/* All parts are there, and what lies between them is untouched. */
static bool laid(const int *p, int n)
{
	for (int i = 0; i < size; i++)
		if (!has(p + at[i], length(i, n), i) || p[at[i] + length(i, n)] != -1)
			return false;
	return true;
}

static void lists(bool now, int n, int root)
{
	int all, mine;

	n = part(n);
	all = lay_out(n);
	mine = length(rank, n);
	give(out, mine, rank);
	fill(in, all, -1);
	BOTH(Gatherv, Igatherv, out, mine, MPI_INT, in, rank == root ? counts : NULL,
	     rank == root ? at : NULL, MPI_INT, root, MPI_COMM_WORLD);
	CHECK(rank != root || laid(in, n));
	fill(in, all, -1);
	BOTH(Allgatherv, Iallgatherv, out, mine, MPI_INT, in, counts, at, MPI_INT, MPI_COMM_WORLD);
	CHECK(laid(in, n));
	fill(in, all, -1);
	give(in + at[rank], mine, rank);
	BOTH(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, at, MPI_INT,
	     MPI_COMM_WORLD);
	CHECK(laid(in, n));
	fill(out, mine, -1);
	BOTH(Scatterv, Iscatterv, in, rank == root ? counts : NULL, rank == root ? at : NULL,
	     MPI_INT, out, mine, MPI_INT, root, MPI_COMM_WORLD);
	CHECK(has(out, mine, rank));
}

/* Rank i sends length(i + k) to rank k, and gets as many from it: each value says from and to. */
static void lists_to_all(bool now, int n, int root)
{
	int all = 0;

	n = part(n);
	for (int i = 0; i < size; i++) {
		counts[i] = length(i + rank, n);
		at[i] = all;
		displs[i] = all * (int)sizeof(int);
		types[i] = counts[i] ? MPI_INT : MPI_DATATYPE_NULL;
		fill(out + all, counts[i], 100 * rank + i);
		all += counts[i];
	}
	for (int form = 0; form < 3; form++) {
		int *to = form == 2 ? out : in;

		fill(in, all, -1);
		if (form == 0)
			BOTH(Alltoallv, Ialltoallv, out, counts, at, MPI_INT, in, counts, at,
			     MPI_INT, MPI_COMM_WORLD);
		else if (form == 1)
			BOTH(Alltoallw, Ialltoallw, out, counts, displs, types, in, counts, displs,
			     types, MPI_COMM_WORLD);
		else
			BOTH(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL,
			     out, counts, at, MPI_INT, MPI_COMM_WORLD);
		for (int i = 0; i < size; i++)
			for (int k = 0; k < counts[i]; k++)
				CHECK(to[at[i] + k] == 100 * i + rank);
	}
}

/* ---- Reductions ---- */

/* The sum of all ranks' elements, of those before `end`. */
static int sum_at(int end, int i)
{
	return 1000 * (end * (end - 1) / 2) + end * (i % 997);
}

static bool has_sum(const int *p, int n, int end, int first)
{
	for (int i = 0; i < n; i++)
		if (p[i] != sum_at(end, first + i))
			return false;
	return true;
}

static void reduce(bool now, int n, int root)
{
	give(out, n, rank);
	fill(in, n, -1);
	BOTH(Reduce, Ireduce, out, rank == root ? in : NULL, n, MPI_INT, MPI_SUM, root,
	     MPI_COMM_WORLD);
	CHECK(rank != root || has_sum(in, n, size, 0));
	BOTH(Reduce, Ireduce, rank == root ? MPI_IN_PLACE : out, out, n, MPI_INT, MPI_SUM, root,
	     MPI_COMM_WORLD);
	CHECK(rank == root ? has_sum(out, n, size, 0) : has(out, n, rank));
}

static void allreduce(bool now, int n, int root)
{
	give(out, n, rank);
	fill(in, n, -1);
	BOTH(Allreduce, Iallreduce, out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(has_sum(in, n, size, 0) && has(out, n, rank));
	BOTH(Allreduce, Iallreduce, MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(has_sum(out, n, size, 0));
}

static void scans(bool now, int n, int root)
{
	give(out, n, rank);
	BOTH(Scan, Iscan, out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(has_sum(in, n, rank + 1, 0) && has(out, n, rank));
	fill(in, n, -7);
	BOTH(Exscan, Iexscan, out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(rank == 0 ? n == 0 || in[0] == -7 : has_sum(in, n, rank, 0));
	give(in, n, rank);
	BOTH(Exscan, Iexscan, MPI_IN_PLACE, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(rank == 0 || has_sum(in, n, rank, 0));
	BOTH(Scan, Iscan, MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(has_sum(out, n, rank + 1, 0));
}

static void reduce_scatter(bool now, int n, int root)
{
	int first = 0, all = 0;

	n = part(n);
	for (int i = 0; i < size; i++) {
		counts[i] = length(i, n);
		first += i < rank ? counts[i] : 0;
		all += counts[i];
	}
	give(out, all, rank);
	fill(in, all, -1);
	BOTH(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(has_sum(in, counts[rank], size, first));
	BOTH(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, out, counts, MPI_INT, MPI_SUM,
	     MPI_COMM_WORLD);
	CHECK(has_sum(out, counts[rank], size, first));
	give(out, n * size, rank);
	BOTH(Reduce_scatter_block, Ireduce_scatter_block, out, in, n, MPI_INT, MPI_SUM,
	     MPI_COMM_WORLD);
	CHECK(has_sum(in, n, size, n * rank));
	BOTH(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM,
	     MPI_COMM_WORLD);
	CHECK(has_sum(out, n, size, n * rank));
}

/* ---- Barrier: none leaves before the last has come ---- */

static void barrier(bool now, int n, int root)
{
	static MPI_Request r;
	int flag = 0, come = 0;

	if (now) {
		CHECK(MPI_Barrier(MPI_COMM_WORLD) == 0);
		return;
	}
	/* One comes late, as it waits for a message that is sent before the others wait. */
	if (rank == root) {
		for (int i = 1; i < size; i++)
			MPI_Recv(&come, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &r) == 0);
	} else {
		CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &r) == 0);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		CHECK(!flag);
		MPI_Send(&come, 1, MPI_INT, root, 1, MPI_COMM_WORLD);
	}
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0);
}

/* A broadcast goes in parts only from there on. */
static void long_bcast(bool now, int n, int root)
{
	bcast(now, LONG + n, root);
	bcast_holes(now, LONG, root);
}

static void each(void (*of)(bool now, int n, int root))
{
	int roots[] = { 0, size - 1, size / 2 };

	for (int l = 0; l < LENGTHS; l++)
		for (int i = 0; i < 3; i++)
			of((i + l) % 2, lengths[l], roots[i]);
}

/* All goes to the last rank: the others need not have a buffer. */
static void one_gets_all(void)
{
	enum { N = 8 };

	for (int i = 0; i < N; i++)
		out[i] = i;
	for (int r = 0; r < size; r++)
		counts[r] = r == size - 1 ? N : 0;
	CHECK(MPI_Reduce_scatter(out, counts[rank] ? in : NULL, counts, MPI_INT, MPI_SUM,
				 MPI_COMM_WORLD) == 0);
	for (int i = 0; i < counts[rank]; i++)
		CHECK(in[i] == size * i);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	out = malloc(sizeof(int) * 2 * LONG);
	in = malloc(sizeof(int) * 2 * LONG);
	counts = malloc(sizeof(int) * (size_t)size);
	at = malloc(sizeof(int) * (size_t)size);
	displs = malloc(sizeof(int) * (size_t)size);
	types = malloc(sizeof(MPI_Datatype) * (size_t)size);
	CHECK(out && in && counts && at && displs && types);
	each(barrier);
	each(bcast);
	each(bcast_holes);
	long_bcast(true, 0, 0);
	long_bcast(false, -1, size - 1);
	each(gather);
	each(scatter);
	each(allgather);
	each(alltoall);
	each(holes);
	mixed_alltoall();
	alltoall_meanwhile();
	too_long_alltoall();
	each(lists);
	one_gets_all();
	each(lists_to_all);
	each(reduce);
	each(allreduce);
	each(scans);
	each(reduce_scatter);
	MPI_Finalize();
	return 0;
}
