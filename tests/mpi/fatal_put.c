/*
 * fatal_put.c - an access past the end of a window names its call, the bytes and the rank.
 * Ends with: 48 MPI_Put: rank 0, a window: MPI_ERR_RMA_RANGE: .* \(bytes 16 to 24 of 16 on rank 0\)
 */
#include "check.h"

int main(int argc, char **argv)
{
	double out = 1, *mine;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Win_allocate(2 * sizeof(*mine), sizeof(*mine), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
			 &win);
	MPI_Win_fence(0, win);
	if (rank_in(MPI_COMM_WORLD) == 0)
		MPI_Put(&out, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, win);
	MPI_Win_fence(0, win);
	MPI_Finalize();
	return 0;
}
