/*
 * flood.c - thousands of short messages to a rank that does not receive: nothing is lost when it
 * takes what there is; then to one that never does, and a long one, which is a deadlock.
 *
 * Ends with: 1 (has sent what is not received by rank 0, tag 9|alone)
 */
#include "check.h"

#define MANY 3000

static char more[1 << 16]; /* than is kept of a message */

int main(int argc, char **argv)
{
	int rank, ranks, x, from[64] = { 0 };
	MPI_Status status;

	init(&argc, &argv, &rank, &ranks);
	if (ranks == 1) {
		printf("alone\n");
		MPI_Finalize();
		return 1;
	}
	for (int i = 0; i < MANY && rank > 0; i++)
		MPI_Send(&i, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
	for (int i = 0; i < MANY * (ranks - 1) && rank == 0; i++) {
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
		CHECK(x == from[status.MPI_SOURCE]++);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, &status);
	for (int i = 0; i < MANY; i++)
		MPI_Send(&i, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
	MPI_Send(more, sizeof(more), MPI_CHAR, 0, 9, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
