/*
 * fatal_parts.c - of a part that is too long and one that is too short the first is reported, and
 * nothing that is said of the other. Two ranks send no two parts to a third.
 * Ends with: 15 (MPI_ERR_TRUNCATE: the message is longer than the buffer$|few ranks)
 */
#include "check.h"

int main(int argc, char **argv)
{
	int out[3] = { 0 }, in[64], counts[16], at[16], rank, ranks;

	init(&argc, &argv, &rank, &ranks);
	for (int i = 0; i < ranks; i++) {
		counts[i] = 2;
		at[i] = 2 * i;
	}
	if (ranks < 3) {
		printf("few ranks\n");
		MPI_Finalize();
		return MPI_ERR_TRUNCATE;
	}
	/* 2 of rank 0, 3 of rank 1, 1 of the others, where 2 are expected. */
	MPI_Gatherv(out,
		    rank == 0   ? 2
		    : rank == 1 ? 3
				: 1,
		    MPI_INT, in, counts, at, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
