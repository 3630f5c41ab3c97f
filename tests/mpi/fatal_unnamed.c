/*
 * fatal_unnamed.c - an error in a communicator that has no name says so.
 * Ends with: 6 MPI_Send: rank 0, an unnamed communicator: .*\(rank 9 of [0-9]+ in an unnamed comm
 */
#include "check.h"

int main(int argc, char **argv)
{
	MPI_Comm comm;
	int x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
	if (rank_in(comm) == 0)
		MPI_Send(&x, 1, MPI_INT, 9, 0, comm);
	MPI_Barrier(comm);
	MPI_Finalize();
	return 0;
}
