/* scratchpad.c - a rank whose scratchpad heap is full takes part in the collectives of others. */
#include <cohart/spm.h>

#include "check.h"

enum { N = 300, SMALLEST = 64, MOST = 16 };

static int out[MOST * N], in[MOST * N];

/* All of it, but for less than SMALLEST bytes a piece. */
static void fill_up(void)
{
	for (size_t bytes = 1 << 16; bytes >= SMALLEST; bytes /= 2) {
		while (co_spm_alloc(bytes, sizeof(long)))
			;
	}
}

int main(int argc, char **argv)
{
	int rank, size;

	init(&argc, &argv, &rank, &size);
	MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT,
		     MPI_COMM_WORLD); /* takes what messages need */
	if (rank == size - 1)
		fill_up();
	for (int times = 0; times < 3; times++) {
		for (int i = 0; i < size * N; i++)
			out[i] = 1000 * rank + i / N + times;
		CHECK(MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD) == 0);
		for (int i = 0; i < size * N; i++)
			CHECK(in[i] == 1000 * (i / N) + rank + times);
		CHECK(MPI_Allgather(&times, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD) == 0);
		for (int i = 0; i < size; i++)
			CHECK(in[i] == times);
	}
	MPI_Finalize();
	return 0;
}
