/*
 * profile.c - calls of the program's own in the place of the library's, which they reach by the
 * profiling names: what the program calls comes by them, what the library calls itself does not.
 */
#include "check.h"

static int sends, waits, sums, level;
static double seconds;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	sends++;
	return PMPI_Send(buf, count, type, to, tag, comm);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	waits++;
	return PMPI_Wait(request, status);
}

int MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	double begin = PMPI_Wtime();
	int r = PMPI_Allreduce(out, in, count, type, op, comm);

	sums++;
	seconds += PMPI_Wtime() - begin;
	return r;
}

int MPI_Pcontrol(const int to, ...)
{
	level = to;
	return PMPI_Pcontrol(to);
}

int main(int argc, char **argv)
{
	int rank, size, mine, theirs = -1, sum;
	MPI_Request r;

	init(&argc, &argv, &rank, &size);
	CHECK(MPI_Pcontrol(2, "with", 3, "more") == 0 && level == 2);
	mine = 10 * rank;
	for (int i = 1; i <= 3; i++) {
		MPI_Irecv(&theirs, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &r);
		CHECK(MPI_Send(&mine, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD) ==
		      0);
		CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0);
		CHECK(theirs == 10 * ((rank + 1) % size) && sends == i && waits == i);
	}
	/* These send and wait inside of the library. */
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Sendrecv(&mine, 1, MPI_INT, rank, 1, &theirs, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	CHECK(sends == 3 && waits == 3 && sums == 0);
	CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == 0);
	CHECK(sum == size * (size - 1) / 2 && sums == 1 && seconds >= 0);
	CHECK(PMPI_Send(&mine, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == 0 && sends == 3);
	MPI_Finalize();
	return 0;
}
