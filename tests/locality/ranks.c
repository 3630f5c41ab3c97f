/*
 * ranks.c - calls of MPI, for tests/bench/models: a section for each, in which messages are calls.
 */
#include <cohart/debug.h>

#include "../mpi/check.h"

enum { BYTES = 1024, TURNS = 8, PUTS = 20, SHORT = 16 };

/* Of 8 bytes; the first of each kind opens what it needs. */
static void short_ones(void)
{
	long x = 1, sum;
	MPI_Comm comm; /* on the heap: MPI_COMM_WORLD has the same address in each */

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);

	for (int i = 0; i <= SHORT; i++) {
		if (i == 1)
			co_mark_begin("barrier");
		MPI_Barrier(comm);
	}
	co_mark_end("barrier", SHORT);
	for (int i = 0; i <= SHORT; i++) {
		if (i == 1)
			co_mark_begin("broadcast 8");
		MPI_Bcast(&x, 1, MPI_LONG, 0, comm);
	}
	co_mark_end("broadcast 8", SHORT);
	for (int i = 0; i <= SHORT; i++) {
		if (i == 1)
			co_mark_begin("all-reduce 8");
		MPI_Allreduce(&x, &sum, 1, MPI_LONG, MPI_SUM, comm);
	}
	co_mark_end("all-reduce 8", SHORT);
	MPI_Comm_free(&comm);
}

/* Of 8 bytes, there and back: two messages a turn, each of a send and a receive that waits. */
static void messages(int rank)
{
	long x = 1;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	for (int i = 0; rank < 2 && i < 1 + PUTS; i++) {
		if (i == 1)
			co_mark_begin("message 8");
		if (rank == 0)
			MPI_Send(&x, 1, MPI_LONG, 1, 0, comm);
		MPI_Recv(&x, 1, MPI_LONG, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&x, 1, MPI_LONG, 0, 0, comm);
	}
	if (rank < 2)
		co_mark_end("message 8", 2 * PUTS);
	MPI_Comm_free(&comm);
}

static void all_to_all(int rank, int ranks)
{
	char *out = malloc((size_t)ranks * BYTES), *in = malloc((size_t)ranks * BYTES);
	MPI_Comm comm; /* on the heap: MPI_COMM_WORLD has the same address in each */

	CHECK(out && in);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	memset(out, rank, (size_t)ranks * BYTES);
	MPI_Alltoall(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, comm);
	MPI_Barrier(comm);
	co_mark_begin("all-to-all 1K");
	for (int i = 0; i < TURNS; i++)
		MPI_Alltoall(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, comm);
	co_mark_end("all-to-all 1K", TURNS);
	for (int i = 0; i < ranks; i++)
		CHECK(in[i * BYTES] == i && in[(i + 1) * BYTES - 1] == i);
	MPI_Comm_free(&comm);
	free(out);
	free(in);
}

/* Seed E's passive target: the caller locks, puts and unlocks. */
static void put(int rank)
{
	double out = 1, *mine;
	MPI_Win win;

	MPI_Win_allocate(sizeof(*mine), sizeof(*mine), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	*mine = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < 1 + PUTS; i++) {
		if (i == 1)
			co_mark_begin("lock put unlock");
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Put(&out, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
		MPI_Win_unlock(1, win);
	}
	if (rank == 0)
		co_mark_end("lock put unlock", PUTS);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(*mine == (rank == 1));
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	int rank, ranks;

	init(&argc, &argv, &rank, &ranks);
	CHECK(ranks > 1);
	put(rank);
	short_ones();
	messages(rank);
	all_to_all(rank, ranks);
	MPI_Finalize();
	return 0;
}
