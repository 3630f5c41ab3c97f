/*
 * unfinished.c - a rank that ends without MPI_Finalize() ends all.
 * Ends with: 1 has returned in rank 0
 */
#include "check.h"

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (rank_in(MPI_COMM_WORLD) == 0)
		return 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
