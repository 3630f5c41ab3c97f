/*
 * hybrid.c - MPI and OpenMP in one program: a rank's threads have its static data, are on harts of
 * its own, and its main thread alone calls MPI (FUNNELED). It prints what it does by Open MPI and
 * libgomp.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int rank, wrong;
static long squares[N], total;
static omp_lock_t lock;

/* A sum by each way to share something static. */
static void add_up(void)
{
	long by_reduction = 0, by_task = 0, by_lock = 0;

#pragma omp parallel for reduction(+ : by_reduction) schedule(dynamic, 7)
	for (int i = 0; i < N; i++) {
		squares[i] = (long)i * i * (rank + 1);
		by_reduction += squares[i];
	}
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++) {
#pragma omp atomic
			total += squares[i];
		}
#pragma omp single
		for (int i = 0; i < N; i += 100) {
#pragma omp task firstprivate(i) shared(by_task)
			for (int k = i; k < i + 100; k++) {
#pragma omp critical
				by_task += squares[k];
			}
		}
#pragma omp taskwait
		omp_set_lock(&lock);
		by_lock += omp_get_thread_num() + 1;
		omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp master
		wrong += by_task != total;
	}
	wrong += by_reduction != total || by_lock != 4 * 5 / 2;
}

int main(int argc, char **argv)
{
	long all, threads = 0;
	int level, ranks, wrongs;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	omp_init_lock(&lock);
	omp_set_dynamic(0);
	omp_set_num_threads(4);
	for (int i = 0; i < 3; i++) {
		total = 0;
		add_up();
		MPI_Allreduce(&total, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		/* Threads compute while the main thread waits for the others' main threads. */
#pragma omp parallel reduction(+ : threads)
		{
			threads++;
#pragma omp master
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	omp_destroy_lock(&lock);
	MPI_Allreduce(&wrong, &wrongs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d of %d: %ld of %ld, %ld threads\n", rank, ranks, total, all, threads);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d wrong, level %s\n", wrongs,
		       level >= MPI_THREAD_FUNNELED ? "funneled" : "too low");
	MPI_Finalize();
	return wrongs != 0;
}
