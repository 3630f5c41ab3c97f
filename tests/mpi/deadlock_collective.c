/*
 * deadlock_collective.c - a rank does not come to a short collective of all: the report names it.
 *
 * Ends with: 1 (these ranks are missing: 0|rank 0 waits for a message from rank 0)
 */
#include "check.h"

int main(int argc, char **argv)
{
	int rank, ranks, x = 0;

	init(&argc, &argv, &rank, &ranks);
	if (rank)
		MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&x, 1, MPI_INT, ranks - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
