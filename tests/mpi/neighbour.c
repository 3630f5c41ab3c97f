/* neighbour.c - collectives among neighbours: of grids with and without ends, and of graphs. */
#include "check.h"

static int rank, size;

/* What a rank sends in a direction: 0 down, 1 up. */
static int said(int r, int direction)
{
	return 10 * r + direction;
}

/* Lists of two neighbours, the second one's value before the first one's in memory. */
struct lists {
	int counts[2], at[2];
	MPI_Aint bytes[2];
	MPI_Datatype types[2];
};

/*
 * Of two neighbours: `below` sends up to here, `above` sends down; MPI_PROC_NULL: nothing comes.
 * Each is one int in each form.
 */
static void exchange(MPI_Comm comm, bool now, int below, int above)
{
	int out[2] = { said(rank, 0), said(rank, 1) }, in[2];
	struct lists l = { { 1, 1 }, { 1, 0 }, { sizeof(int), 0 }, { MPI_INT, MPI_INT } };
	int from_below = below < 0 ? -1 : said(below, 1),
	    from_above = above < 0 ? -1 : said(above, 0);

	in[0] = in[1] = -1;
	BOTH(Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
	CHECK(in[0] == from_below && in[1] == from_above);
	in[0] = in[1] = -1;
	BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, (int[]){ out[1], out[0] }, l.counts, l.at,
	     MPI_INT, in, l.counts, l.at, MPI_INT, comm);
	CHECK(in[1] == from_below && in[0] == from_above);
	in[0] = in[1] = -1;
	BOTH(Neighbor_alltoallw, Ineighbor_alltoallw, (int[]){ out[1], out[0] }, l.counts, l.bytes,
	     l.types, in, l.counts, l.bytes, l.types, comm);
	CHECK(in[1] == from_below && in[0] == from_above);
	in[0] = in[1] = -1;
	BOTH(Neighbor_allgather, Ineighbor_allgather, &rank, 1, MPI_INT, in, 1, MPI_INT, comm);
	CHECK(in[0] == (below < 0 ? -1 : below) && in[1] == (above < 0 ? -1 : above));
	in[0] = in[1] = -1;
	BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, &rank, 1, MPI_INT, in, l.counts, l.at,
	     MPI_INT, comm);
	CHECK(in[1] == (below < 0 ? -1 : below) && in[0] == (above < 0 ? -1 : above));
}

static void grids(void)
{
	int last = (rank - 1 + size) % size, next = (rank + 1) % size;

	for (int period = 0; period < 2; period++) {
		MPI_Comm comm;

		MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &comm);
		for (int now = 0; now < 2; now++)
			exchange(comm, now, period || rank ? last : MPI_PROC_NULL,
				 period || rank < size - 1 ? next : MPI_PROC_NULL);
		MPI_Comm_free(&comm);
	}
}

/* Two dimensions, one of a single rank: it is its own neighbour, and up comes from below. */
static void thick(void)
{
	int dims[2] = { size, 1 }, periods[2] = { 1, 1 }, out[4], in[4];
	int last = (rank - 1 + size) % size, next = (rank + 1) % size;
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
	for (int i = 0; i < 4; i++)
		out[i] = 100 * rank + i;
	CHECK(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm) == 0);
	CHECK(in[0] == 100 * last + 1 && in[1] == 100 * next);
	CHECK(in[2] == 100 * rank + 3 && in[3] == 100 * rank + 2);
	MPI_Comm_free(&comm);
}

/* Each sends to the next only, long messages. */
static void directed(void)
{
	enum { N = 5000 };
	int last = (rank - 1 + size) % size, next = (rank + 1) % size;
	int *out = malloc(sizeof(int) * N), *in = malloc(sizeof(int) * N);
	MPI_Comm comm;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	for (int now = 0; now < 2; now++) {
		for (int i = 0; i < N; i++) {
			out[i] = rank + i;
			in[i] = -1;
		}
		BOTH(Neighbor_alltoall, Ineighbor_alltoall, out, N, MPI_INT, in, N, MPI_INT, comm);
		for (int i = 0; i < N; i++)
			CHECK(in[i] == last + i);
	}
	MPI_Comm_free(&comm);
	free(out);
	free(in);
}

/* A graph in which all are neighbours of each other. */
static void complete(void)
{
	int *index = malloc(sizeof(int) * (size_t)size), *in = malloc(sizeof(int) * (size_t)size);
	int *edges = malloc(sizeof(int) * (size_t)(size * size)), n = 0;
	MPI_Comm comm;

	for (int i = 0; i < size; i++) {
		for (int k = 0; k < size; k++)
			if (k != i)
				edges[n++] = k;
		index[i] = n;
	}
	MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
	CHECK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm) == 0);
	for (int i = 0; i < size - 1; i++)
		CHECK(in[i] == (i < rank ? i : i + 1));
	MPI_Comm_free(&comm);
	free(index);
	free(edges);
	free(in);
}

static void bad(void)
{
	int a[2], b[2], period = 1;
	MPI_Comm comm;

	CHECK_ERROR(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD),
		    MPI_ERR_TOPOLOGY);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &comm);
	CHECK_ERROR(MPI_Neighbor_allgather(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Neighbor_alltoall(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm),
		    MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Neighbor_alltoall(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm),
		    MPI_ERR_BUFFER);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	grids();
	thick();
	directed();
	complete();
	bad();
	MPI_Finalize();
	return 0;
}
