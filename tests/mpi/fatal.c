/*
 * fatal.c - without a handler an error ends all.
 * Ends with: 6 MPI_Send: rank 0, MPI_COMM_WORLD: MPI_ERR_RANK
 */
#include "check.h"

int main(int argc, char **argv)
{
	int x = 0;

	MPI_Init(&argc, &argv);
	if (rank_in(MPI_COMM_WORLD) == 0)
		MPI_Send(&x, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
