/*
 * sort.c - sample sort: each rank sorts its numbers and offers samples; what these tell about the
 * whole decides which numbers go to which rank, and one all-to-all brings them there.
 *
 * usage: sort [NUMBERS OF EACH RANK]
 * An MPI program like any other, and the same on a PC: mpicc sort.c && mpirun -n 4 ./a.out
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, each = 10000;

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort(uint32_t *numbers, int n)
{
	qsort(numbers, (size_t)n, sizeof(*numbers), compare);
}

static void *get(size_t n, size_t bytes)
{
	void *p = malloc(n * bytes + 1);

	if (!p) {
		fprintf(stderr, "sort: rank %d has no memory\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return p;
}

/* The numbers at which the parts of all ranks but the first begin, from all samples. */
static void split(const uint32_t *sorted, uint32_t *begins)
{
	uint32_t *samples = get((size_t)ranks, sizeof(*samples));
	uint32_t *all = get((size_t)ranks * (size_t)ranks, sizeof(*all));

	for (int i = 0; i < ranks; i++)
		samples[i] = sorted[(long)each * i / ranks];
	MPI_Allgather(samples, ranks, MPI_UINT32_T, all, ranks, MPI_UINT32_T, MPI_COMM_WORLD);
	sort(all, ranks * ranks);
	for (int i = 1; i < ranks; i++)
		begins[i - 1] = all[i * ranks];
	free(samples);
	free(all);
}

/* Send each number to the rank whose part it is in; returns how many have come. */
static int exchange(const uint32_t *sorted, uint32_t **mine)
{
	uint32_t *begins = get((size_t)ranks, sizeof(*begins));
	int *counts = get((size_t)ranks * 4, sizeof(int));
	int *out_at = counts + ranks, *ins = out_at + ranks, *in_at = ins + ranks, n = 0;

	split(sorted, begins);
	for (int i = 0, at = 0; i < ranks; i++) {
		out_at[i] = at;
		while (at < each && (i == ranks - 1 || sorted[at] < begins[i]))
			at++;
		counts[i] = at - out_at[i];
	}
	MPI_Alltoall(counts, 1, MPI_INT, ins, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++) {
		in_at[i] = n;
		n += ins[i];
	}
	*mine = get((size_t)n, sizeof(**mine));
	MPI_Alltoallv(sorted, counts, out_at, MPI_UINT32_T, *mine, ins, in_at, MPI_UINT32_T,
		      MPI_COMM_WORLD);
	free(begins);
	free(counts);
	return n;
}

/* Is it sorted, here and from rank to rank, and is nothing lost? */
static void check(const uint32_t *mine, int n, uint64_t sum_before)
{
	uint32_t last = n ? mine[n - 1] : 0, before = 0;
	uint64_t sums[2] = { sum_before, 0 };
	int ok = 1, all_ok, least, most;
	long total, count = n;

	for (int i = 0; i < n; i++) {
		ok &= i == 0 || mine[i - 1] <= mine[i];
		sums[1] += mine[i];
	}
	MPI_Exscan(&last, &before, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
	ok &= rank == 0 || n == 0 || before <= mine[0];
	MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce(&ok, &all_ok, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
	MPI_Reduce(&count, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&n, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&n, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%ld numbers, %d to %d a rank: %s, sum %s\n", total, least, most,
		       all_ok ? "sorted" : "NOT SORTED", sums[0] == sums[1] ? "kept" : "LOST");
}

int main(int argc, char **argv)
{
	uint32_t *numbers, *mine, x;
	uint64_t sum = 0;
	int n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 1)
		each = (int)strtol(argv[1], NULL, 0);
	if (each < ranks) {
		if (rank == 0)
			fprintf(stderr, "usage: sort [NUMBERS OF EACH RANK, at least %d]\n", ranks);
		MPI_Barrier(MPI_COMM_WORLD); /* as in heat.c */
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	numbers = get((size_t)each, sizeof(*numbers));
	x = 2463534242u + (uint32_t)rank;
	for (int i = 0; i < each; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		numbers[i] = x;
		sum += x;
	}
	sort(numbers, each);
	n = exchange(numbers, &mine);
	sort(mine, n);
	check(mine, n, sum);
	free(numbers);
	free(mine);
	MPI_Finalize();
	return 0;
}
