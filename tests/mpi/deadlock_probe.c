/*
 * deadlock_probe.c - a rank waits in a probe while a non-blocking collective is under way: the
 * collective goes on, and the message is found; and one that nobody sends is a deadlock that is
 * reported.
 *
 * Ends with: 1 rank 0 looks for a message from rank any, tag 3, context
 */
#include "check.h"

static int rank, ranks;

/* Nobody sends before the barrier is over, which rank 0 takes part in while it probes. */
static void goes_on(bool claim)
{
	MPI_Request barrier;
	MPI_Message message;
	MPI_Status status;
	int x = -1;

	MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
	if (rank) {
		MPI_Wait(&barrier, MPI_STATUS_IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < ranks; i++) {
		if (claim) {
			MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
			MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
		} else {
			MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
			MPI_Recv(&x, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		}
		CHECK(x == status.MPI_SOURCE);
	}
	MPI_Wait(&barrier, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Request barrier;

	init(&argc, &argv, &rank, &ranks);
	for (int i = 0; i < 20; i++)
		goes_on(i % 2);
	if (rank == 0) {
		MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
		MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Recv(&ranks, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
