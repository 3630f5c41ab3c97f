/*
 * ring.c - one-sided: each rank puts words into its right neighbour's window, all add to a counter
 * of rank 0, and each looks up who was there before it, with nobody receiving.
 *
 * usage: ring [ROUNDS]
 * An MPI program like any other, and the same on a PC: mpicc ring.c && mpirun -n 4 ./a.out
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 16 };

int main(int argc, char **argv)
{
	int rank, ranks, right, rounds = 100, one = 1, ticket = 0, turns, wrong = 0, all_wrong;
	long out[WORDS], *in;
	MPI_Win window, counter;
	int *count;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 1)
		rounds = (int)strtol(argv[1], NULL, 0);
	right = (rank + 1) % ranks;
	MPI_Win_allocate(sizeof(long) * WORDS, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &in,
			 &window);
	MPI_Win_allocate(rank ? 0 : sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &count,
			 &counter);
	if (rank == 0)
		*count = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < WORDS; i++)
		out[i] = rank;
	/* What came from the left goes on to the right: after all rounds it has gone round. */
	for (int i = 0; i < rounds; i++) {
		MPI_Win_fence(0, window);
		MPI_Put(out, WORDS, MPI_LONG, right, 0, WORDS, MPI_LONG, window);
		MPI_Win_fence(0, window);
		for (int k = 0; k < WORDS; k++)
			out[k] = in[k] + 1;
	}
	for (int k = 0; k < WORDS; k++)
		wrong += out[k] != ((rank - rounds) % ranks + ranks) % ranks + rounds;
	MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);

	/* Tickets: all numbers are drawn, each once. */
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counter);
	MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, counter);
	MPI_Win_unlock(0, counter);
	MPI_Reduce(&ticket, &turns, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks, %d rounds: %d words wrong; tickets 0 to %d drawn: %s\n", ranks,
		       rounds, all_wrong, ranks - 1,
		       turns == ranks * (ranks - 1) / 2 ? "yes" : "no");
	MPI_Win_free(&window);
	MPI_Win_free(&counter);
	MPI_Finalize();
	return 0;
}
