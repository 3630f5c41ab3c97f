/*
 * abort.c - a code of which nothing would be seen does not pass for success.
 * Ends with: 1 MPI_Abort: rank 0, code 256
 */
#include "check.h"

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (rank_in(MPI_COMM_WORLD) == 0)
		MPI_Abort(MPI_COMM_WORLD, 256);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
