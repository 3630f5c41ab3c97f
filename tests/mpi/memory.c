/*
 * memory.c - what a rank takes of its hart's scratchpad, with all windows for messages open: on 64
 * ranks 6.25 KiB at most, of 511 24 KiB. Also on 64 ranks.
 */
#include <cohart/hart.h>
#include <cohart/spm.h>

#include "check.h"

static char out[512 * 64], in[512 * 64];

int main(int argc, char **argv)
{
	struct co_spm_use use;
	int rank, ranks, most, mine;

	init(&argc, &argv, &rank, &ranks);
	for (int i = 1; i < ranks; i++) {
		int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;

		MPI_Sendrecv(out, 8, MPI_CHAR, to, 0, in, 8, MPI_CHAR, from, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	}
	MPI_Alltoall(out, 64, MPI_CHAR, in, 64, MPI_CHAR, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	co_spm_use(co_hart(), &use);
	mine = (int)use.used;
	MPI_Reduce(&mine, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("%d ranks: %d bytes of scratchpad a rank\n", ranks, most);
		/* The limits are those of a release. */
		CHECK(DEBUGGED || most <= (ranks > 64 ? 24576 : 6400));
	}
	MPI_Finalize();
	return 0;
}
