/* ranks.c - two ranks with a known timeline: each call of MPI is a span, with its values. */
#include <mpi.h>

#define BYTES 8

int main(void)
{
	int rank, in = 0, out = 1, flag, *shared;
	MPI_Request requests[2];
	MPI_Win win;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&out, 1, MPI_INT, 1, 11, MPI_COMM_WORLD);
	else
		MPI_Recv(&in, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Irecv(&in, 1, MPI_INT, !rank, 12, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(&out, 1, MPI_INT, !rank, 12, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Ssend(&out, 0, MPI_INT, MPI_PROC_NULL, 13, MPI_COMM_WORLD);
	MPI_Sendrecv(&out, 1, MPI_INT, !rank, 14, &in, 1, MPI_INT, !rank, 14, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Iprobe(MPI_ANY_SOURCE, 15, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Bcast(&out, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&out, 1, MPI_INT, !rank, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Fetch_and_op(&out, &in, MPI_INT, 0, 4, MPI_SUM, win);
	MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
