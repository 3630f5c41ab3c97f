/*
 * mismatch.c - ranks that call different collectives, or with other roots or sizes: one of them
 * gets an error, and both calls are named with their lines. One rank is never wrong.
 *
 * With DEBUG=1.
 *
 * Ends with: 16 ^(  rank 0: MPI_Reduce, root 0, 4 bytes, at tests/mpi/mismatch.c:|alone)
 *
 * Says, too: ^(  rank [1-9]: MPI_Bcast, root 0, 4 bytes, at tests/mpi/mismatch.c:|alone)
 */
#include "check.h"

#define LENGTH 4

static int rank, ranks;
static int in[8 * LENGTH], out[8 * LENGTH];

/* Somebody has got the error; those that have not would wait for ever, and do not. */
static void one_is_notified(int code)
{
	int mine = code != MPI_SUCCESS, all;

	if (code)
		CHECK_ERROR(code, MPI_ERR_OTHER);
	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(ranks == 1 || all > 0);
}

static MPI_Comm another(void)
{
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	return comm;
}

int main(int argc, char **argv)
{
	bool odd;
	MPI_Request r;

	init(&argc, &argv, &rank, &ranks);
	odd = rank == ranks - 1 && rank > 0;
	one_is_notified(MPI_Ibcast(in, LENGTH, MPI_INT, odd, another(), &r));
	one_is_notified(MPI_Ibcast(in, LENGTH - odd, MPI_INT, 0, another(), &r));
	one_is_notified(MPI_Iallreduce(in, out, LENGTH - odd, MPI_INT, MPI_SUM, another(), &r));
	one_is_notified(
		MPI_Igather(in, LENGTH - odd, MPI_INT, out, LENGTH, MPI_INT, 0, another(), &r));
	one_is_notified(odd ? MPI_Ibarrier(another(), &r)
			    : MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, another(), &r));
	one_is_notified(MPI_Ireduce(in, out, LENGTH, MPI_INT, MPI_SUM, odd, another(), &r));
	one_is_notified(
		MPI_Iscatter(in, LENGTH, MPI_INT, out, LENGTH - odd, MPI_INT, 0, another(), &r));
	one_is_notified(MPI_Iscan(in, out, LENGTH - odd, MPI_INT, MPI_SUM, another(), &r));
	one_is_notified(MPI_Ialltoall(in, 1 + odd, MPI_INT, out, 1 + odd, MPI_INT, another(), &r));
	one_is_notified(
		MPI_Ireduce_scatter_block(in, out, 1 + odd, MPI_INT, MPI_SUM, another(), &r));
	/* These are right: what a rank says of itself, and of all, need not be the same. */
	MPI_Gather(in, 2, MPI_INT, out, 1 + (rank == 0), MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gather(rank == 0 ? MPI_IN_PLACE : in, 2, MPI_INT, out, 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (ranks == 1) {
		printf("alone\n");
		MPI_Finalize();
		return 16;
	}
	if (rank == 0)
		MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	else
		MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return 0;
}
