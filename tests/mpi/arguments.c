/*
 * arguments.c - wrong arguments, by their error classes: of each collective, waiting and not, and
 * of calls of the other chapters. Nothing has begun then, and the next right call works.
 */
#include "check.h"

enum { N = 5, MOST = 64 };

static int rank, size;
static int out[MOST * N], in[MOST * N], counts[MOST], at[MOST];
static MPI_Comm comm = MPI_COMM_WORLD;

/* ---- Collectives ---- */

#define FAIL(error_class, name, iname, ...)                             \
	do {                                                            \
		CHECK_ERROR(MPI_##name(__VA_ARGS__), error_class);      \
		CHECK_ERROR(MPI_##iname(__VA_ARGS__, &r), error_class); \
	} while (0)

static void roots(int root)
{
	MPI_Request r;

	FAIL(MPI_ERR_ROOT, Bcast, Ibcast, out, N, MPI_INT, root, comm);
	FAIL(MPI_ERR_ROOT, Gather, Igather, out, N, MPI_INT, in, N, MPI_INT, root, comm);
	FAIL(MPI_ERR_ROOT, Gatherv, Igatherv, out, N, MPI_INT, in, counts, at, MPI_INT, root, comm);
	FAIL(MPI_ERR_ROOT, Scatter, Iscatter, out, N, MPI_INT, in, N, MPI_INT, root, comm);
	FAIL(MPI_ERR_ROOT, Scatterv, Iscatterv, out, counts, at, MPI_INT, in, N, MPI_INT, root,
	     comm);
	FAIL(MPI_ERR_ROOT, Reduce, Ireduce, out, in, N, MPI_INT, MPI_SUM, root, comm);
}

/* What is wrong with a rank's own data: so many of a type, there. */
static void data(int error_class, int *buf, int n, MPI_Datatype type)
{
	MPI_Request r;

	FAIL(error_class, Bcast, Ibcast, buf, n, type, 0, comm);
	FAIL(error_class, Gather, Igather, buf, n, type, in, N, MPI_INT, 0, comm);
	FAIL(error_class, Gatherv, Igatherv, buf, n, type, in, counts, at, MPI_INT, 0, comm);
	FAIL(error_class, Scatter, Iscatter, out, N, MPI_INT, buf, n, type, 0, comm);
	FAIL(error_class, Scatterv, Iscatterv, out, counts, at, MPI_INT, buf, n, type, 0, comm);
	FAIL(error_class, Allgather, Iallgather, buf, n, type, in, N, MPI_INT, comm);
	FAIL(error_class, Allgather, Iallgather, out, N, MPI_INT, buf, n, type, comm);
	FAIL(error_class, Allgatherv, Iallgatherv, buf, n, type, in, counts, at, MPI_INT, comm);
	FAIL(error_class, Alltoall, Ialltoall, buf, n, type, in, N, MPI_INT, comm);
	FAIL(error_class, Alltoall, Ialltoall, out, N, MPI_INT, buf, n, type, comm);
	FAIL(error_class, Reduce, Ireduce, buf, in, n, type, MPI_SUM, 0, comm);
	FAIL(error_class, Allreduce, Iallreduce, buf, in, n, type, MPI_SUM, comm);
	FAIL(error_class, Scan, Iscan, buf, in, n, type, MPI_SUM, comm);
	FAIL(error_class, Exscan, Iexscan, buf, in, n, type, MPI_SUM, comm);
	FAIL(error_class, Reduce_scatter_block, Ireduce_scatter_block, buf, in, n, type, MPI_SUM,
	     comm);
}

static void operations(MPI_Op op, MPI_Datatype type)
{
	MPI_Request r;

	FAIL(MPI_ERR_OP, Reduce, Ireduce, out, in, N, type, op, 0, comm);
	FAIL(MPI_ERR_OP, Allreduce, Iallreduce, out, in, N, type, op, comm);
	FAIL(MPI_ERR_OP, Scan, Iscan, out, in, N, type, op, comm);
	FAIL(MPI_ERR_OP, Exscan, Iexscan, out, in, N, type, op, comm);
	FAIL(MPI_ERR_OP, Reduce_scatter, Ireduce_scatter, out, in, counts, type, op, comm);
	FAIL(MPI_ERR_OP, Reduce_scatter_block, Ireduce_scatter_block, out, in, 1, type, op, comm);
}

/* Of lists one part is enough to be wrong. */
static void lists(void)
{
	MPI_Datatype types[MOST];
	MPI_Request r;

	for (int i = 0; i < size; i++)
		types[i] = i < size - 1 ? MPI_INT : MPI_DATATYPE_NULL;
	FAIL(MPI_ERR_TYPE, Alltoallw, Ialltoallw, out, counts, at, types, in, counts, at, types,
	     comm);
	counts[size - 1] = -1;
	FAIL(MPI_ERR_COUNT, Alltoallv, Ialltoallv, out, counts, at, MPI_INT, in, counts, at,
	     MPI_INT, comm);
	FAIL(MPI_ERR_COUNT, Allgatherv, Iallgatherv, out, N, MPI_INT, in, counts, at, MPI_INT,
	     comm);
	FAIL(MPI_ERR_COUNT, Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM,
	     comm);
	if (rank == 0) {
		FAIL(MPI_ERR_COUNT, Gatherv, Igatherv, out, N, MPI_INT, in, counts, at, MPI_INT, 0,
		     comm);
		FAIL(MPI_ERR_COUNT, Scatterv, Iscatterv, out, counts, at, MPI_INT, in, N, MPI_INT,
		     0, comm);
	}
	counts[size - 1] = N;
}

static void in_place(void)
{
	MPI_Request r;

	FAIL(MPI_ERR_BUFFER, Bcast, Ibcast, MPI_IN_PLACE, N, MPI_INT, 0, comm);
	FAIL(MPI_ERR_BUFFER, Allreduce, Iallreduce, in, in, N, MPI_INT, MPI_SUM, comm);
	FAIL(MPI_ERR_BUFFER, Scan, Iscan, in, in, N, MPI_INT, MPI_SUM, comm);
	FAIL(MPI_ERR_BUFFER, Alltoall, Ialltoall, in, N, MPI_INT, in, N, MPI_INT, comm);
	FAIL(MPI_ERR_BUFFER, Allgather, Iallgather, in, N, MPI_INT, in, N, MPI_INT, comm);
	FAIL(MPI_ERR_BUFFER, Allreduce, Iallreduce, out, MPI_IN_PLACE, N, MPI_INT, MPI_SUM, comm);
	if (rank == 0)
		return;
	FAIL(MPI_ERR_BUFFER, Reduce, Ireduce, MPI_IN_PLACE, in, N, MPI_INT, MPI_SUM, 0, comm);
	FAIL(MPI_ERR_BUFFER, Gather, Igather, MPI_IN_PLACE, N, MPI_INT, in, N, MPI_INT, 0, comm);
	FAIL(MPI_ERR_BUFFER, Scatter, Iscatter, out, N, MPI_INT, MPI_IN_PLACE, N, MPI_INT, 0, comm);
}

static void double_it(void *a, void *b, int *n, MPI_Datatype *type)
{
	(void)a, (void)b, (void)n, (void)type;
}

static void collectives(void)
{
	int bad[] = { -1, size, MPI_ROOT, MPI_PROC_NULL }, sum;
	MPI_Datatype open_type;
	MPI_Request r;
	MPI_Op op, freed;

	for (int i = 0; i < 4; i++)
		roots(bad[i]);
	MPI_Type_contiguous(2, MPI_INT, &open_type);
	data(MPI_ERR_TYPE, out, 1, open_type);
	data(MPI_ERR_TYPE, out, 1, MPI_DATATYPE_NULL);
	data(MPI_ERR_COUNT, out, -1, MPI_INT);
	data(MPI_ERR_BUFFER, NULL, N, MPI_INT);
	MPI_Type_free(&open_type);
	MPI_Op_create(double_it, 1, &op);
	freed = op;
	MPI_Op_free(&op);
	operations(freed, MPI_INT);
	operations(MPI_OP_NULL, MPI_INT);
	operations(MPI_BAND, MPI_DOUBLE);
	operations(MPI_MAXLOC, MPI_INT);
	lists();
	in_place();
	FAIL(MPI_ERR_COMM, Barrier, Ibarrier, MPI_COMM_NULL);
	FAIL(MPI_ERR_COMM, Bcast, Ibcast, out, N, MPI_INT, 0, MPI_COMM_NULL);
	FAIL(MPI_ERR_COMM, Alltoallv, Ialltoallv, out, counts, at, MPI_INT, in, counts, at, MPI_INT,
	     MPI_COMM_NULL);
	CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == 0);
	CHECK(sum == size * (size - 1) / 2);
}

/* The last rank gives, or is given, more than there is room for: that is lost. */
static void too_much(void)
{
	bool last = rank == size - 1;
	int r;

	counts[size - 1] = N - 1;
	memset(in, -1, sizeof(in));
	r = MPI_Gatherv(out, N, MPI_INT, in, counts, at, MPI_INT, 0, comm);
	if (rank == 0)
		CHECK_ERROR(r, MPI_ERR_TRUNCATE);
	else
		CHECK(r == 0);
	CHECK(in[at[size - 1] + N - 1] == -1);
	counts[size - 1] = N;
	r = MPI_Scatterv(out, counts, at, MPI_INT, in, last ? N - 1 : N, MPI_INT, 0, comm);
	if (last)
		CHECK_ERROR(r, MPI_ERR_TRUNCATE);
	else
		CHECK(r == 0);
	CHECK(!last || rank == 0 || in[N - 1] == -1);
	MPI_Barrier(comm);
}

/* The same of a rank's own part, where both sides have holes and room ends within an element. */
static void too_much_of_its_own(void)
{
	static short to[12];
	MPI_Datatype second, third;

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second);
	MPI_Type_create_resized(MPI_SHORT, 0, 3 * sizeof(short), &third);
	MPI_Type_commit(&second);
	MPI_Type_commit(&third);
	memset(to, -1, sizeof(to));
	out[0] = 1;
	out[2] = 0x30002; /* its first half has room */
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Allgather(out, 3, second, to, 3, third, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
	for (int i = 0; i < 12; i++)
		CHECK(to[i] == (i == 0 ? 1 : i == 3 ? 0 : i == 6 ? 2 : -1));
	MPI_Type_free(&second);
	MPI_Type_free(&third);
}

/* ---- Point to point ---- */

static void messages(void)
{
	MPI_Message m = MPI_MESSAGE_NULL;
	MPI_Request r = MPI_REQUEST_NULL, stale, two[2];
	MPI_Status s[2];
	int flag, which[2];

	CHECK_ERROR(MPI_Sendrecv(out, 1, MPI_INT, rank, 0, in, 1, MPI_INT, size, 0, comm, s),
		    MPI_ERR_RANK);
	CHECK_ERROR(MPI_Sendrecv(out, 1, MPI_INT, rank, 0, in, 1, MPI_INT, rank, -9, comm, s),
		    MPI_ERR_TAG);
	CHECK_ERROR(MPI_Sendrecv(out, 1, MPI_INT, rank, 0, in, -1, MPI_INT, rank, 0, comm, s),
		    MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Recv(in, 1, MPI_DATATYPE_NULL, rank, 0, comm, s), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Recv_init(in, -1, MPI_INT, rank, 0, comm, &r), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Probe(size, 0, comm, s), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Iprobe(rank, -9, comm, &flag, s), MPI_ERR_TAG);
	CHECK_ERROR(MPI_Mprobe(rank, 0, MPI_COMM_NULL, &m, s), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Improbe(-7, 0, comm, &flag, &m, s), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Mrecv(in, 1, MPI_INT, &m, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Imrecv(in, 1, MPI_INT, &m, &r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Buffer_attach(out, -1), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Cancel(&r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Grequest_complete(r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Waitall(-1, &r, s), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Testany(-1, &r, which, &flag, s), MPI_ERR_ARG);
	CHECK(r == MPI_REQUEST_NULL);
	MPI_Send_init(out, 1, MPI_INT, rank, 0, comm, &r);
	CHECK_ERROR(MPI_Grequest_complete(r), MPI_ERR_REQUEST);
	stale = two[0] = two[1] = r;
	MPI_Request_free(&r);
	CHECK_ERROR(MPI_Start(&stale), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Wait(&stale, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Test(&stale, &flag, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Waitany(2, two, which, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Testall(2, two, &flag, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Testsome(2, two, &flag, which, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Request_get_status(stale, &flag, s), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Cancel(&stale), MPI_ERR_REQUEST);
}

/* ---- Objects ---- */

static void packs(void)
{
	MPI_Aint position = 0;
	int bytes, here = -1;

	CHECK_ERROR(MPI_Pack(out, 1, MPI_INT, in, 4, &here, comm), MPI_ERR_ARG);
	here = 0;
	CHECK_ERROR(MPI_Pack(out, 1, MPI_INT, NULL, 4, &here, comm), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Pack(out, 2, MPI_INT, in, 7, &here, comm), MPI_ERR_TRUNCATE);
	CHECK_ERROR(MPI_Unpack(out, 7, &here, in, 2, MPI_INT, comm), MPI_ERR_TRUNCATE);
	CHECK_ERROR(MPI_Unpack(out, 8, &here, in, -1, MPI_INT, comm), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Pack_size(-1, MPI_INT, comm, &bytes), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Pack_size(1, MPI_INT, MPI_COMM_NULL, &bytes), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Pack_external("external32", out, -1, MPI_INT, in, 4, &position),
		    MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Pack_external("external32", out, 1, MPI_INT, NULL, 4, &position),
		    MPI_ERR_BUFFER);
	CHECK(here == 0 && position == 0);
}

static void types(void)
{
	int n[] = { 4 }, ranks[] = { 1 }, none[] = { 0 };
	int block[] = { MPI_DISTRIBUTE_BLOCK }, odd[] = { 77 };
	int any[] = { MPI_DISTRIBUTE_DFLT_DARG };
	MPI_Datatype t = MPI_DATATYPE_NULL;

	for (int i = 0; i < 4; i++)
		CHECK_ERROR(MPI_Type_create_darray(1, 0, 1, i == 0 ? none : n, i == 1 ? odd : block,
						   i == 2 ? none : any, i == 3 ? none : ranks,
						   MPI_ORDER_C, MPI_INT, &t),
			    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_create_struct(1, n, (MPI_Aint[]){ 0 }, NULL, &t), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Type_set_name(MPI_INT, NULL), MPI_ERR_ARG);
	CHECK(t == MPI_DATATYPE_NULL);
}

static void communicators(void)
{
	MPI_Group all, self;
	MPI_Info stale = stale_info();
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Errhandler h;
	int x, twice[] = { 0 };

	CHECK_ERROR(MPI_Comm_dup_with_info(comm, stale, &made), MPI_ERR_INFO);
	CHECK_ERROR(MPI_Comm_set_info(comm, stale), MPI_ERR_INFO);
	MPI_Barrier(MPI_COMM_WORLD); /* before any rank makes infos */
	CHECK_ERROR(MPI_Comm_create(comm, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Comm_create_group(comm, MPI_GROUP_NULL, 0, &made), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Comm_get_errhandler(MPI_COMM_NULL, &h), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_OTHER), MPI_ERR_COMM);
	MPI_Comm_group(comm, &all);
	MPI_Comm_group(MPI_COMM_SELF, &self);
	CHECK_ERROR(MPI_Group_translate_ranks(all, -1, twice, self, &x), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Group_translate_ranks(all, 1, &size, self, &x), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Group_range_incl(all, -1, NULL, &self), MPI_ERR_ARG);
	MPI_Group_free(&all);
	MPI_Group_free(&self);
	CHECK_ERROR(MPI_Add_error_code(123456, &x), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Error_string(123456, (char[MPI_MAX_ERROR_STRING]){ "" }, &x), MPI_ERR_ARG);
	CHECK(made == MPI_COMM_NULL);
}

static void topologies(void)
{
	int dims[] = { 1, 1 }, one[] = { 1 }, none[] = { MPI_PROC_NULL }, less[] = { -1 };
	int index[] = { 1, 0 }, x[2];
	MPI_Comm grid, made = MPI_COMM_NULL;

	MPI_Cart_create(MPI_COMM_SELF, 1, one, one, 0, &grid);
	MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Cart_coords(grid, MPI_PROC_NULL, 1, x), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Graphdims_get(grid, x, x + 1), MPI_ERR_TOPOLOGY);
	MPI_Comm_free(&grid);
	CHECK_ERROR(MPI_Dims_create(4, 2, dims), MPI_ERR_DIMS);
	CHECK_ERROR(MPI_Graph_create(comm, -1, index, one, 0, &made), MPI_ERR_ARG);
	if (size > 1)
		CHECK_ERROR(MPI_Graph_create(comm, 2, index, none, 0, &made), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Dist_graph_create_adjacent(comm, 1, &rank, one, 1, &rank, MPI_UNWEIGHTED,
						   MPI_INFO_NULL, 0, &made),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Dist_graph_create_adjacent(comm, 1, &rank, less, 0, NULL, MPI_WEIGHTS_EMPTY,
						   MPI_INFO_NULL, 0, &made),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Dist_graph_create_adjacent(comm, 1, &rank, NULL, 0, NULL, NULL,
						   MPI_INFO_NULL, 0, &made),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Dist_graph_create(comm, -1, &rank, one, &rank, MPI_UNWEIGHTED,
					  MPI_INFO_NULL, 0, &made),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Dist_graph_create(comm, 1, &rank, less, &rank, MPI_UNWEIGHTED,
					  MPI_INFO_NULL, 0, &made),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_Dist_graph_create(comm, 1, &rank, one, none, MPI_UNWEIGHTED, MPI_INFO_NULL,
					  0, &made),
		    MPI_ERR_RANK);
	CHECK(made == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	for (int i = 0; i < size; i++) {
		counts[i] = N;
		at[i] = N * i;
	}
	collectives();
	too_much();
	too_much_of_its_own();
	messages();
	packs();
	types();
	communicators();
	topologies();
	MPI_Finalize();
	return 0;
}
