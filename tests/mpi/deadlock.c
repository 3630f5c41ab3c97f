/*
 * deadlock.c - sends that nobody receives: the report names ranks, peers, tags and lines.
 *
 * Ends with: 1 rank 0 has sent what is not received by rank [01], tag 7
 *
 * Says, too: 'rank 0' on hart 1 .*, at tests/mpi/deadlock.c:[0-9]+ \(main\)
 */
#include "check.h"

/* More than is kept for a receiver that has not come. */
static char data[1 << 16];

int main(int argc, char **argv)
{
	int rank, ranks;

	init(&argc, &argv, &rank, &ranks);
	MPI_Send(data, sizeof(data), MPI_CHAR, (rank + 1) % ranks, 7, MPI_COMM_WORLD);
	MPI_Recv(data, sizeof(data), MPI_CHAR, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
