/* wrong.c - what programs do wrong, each by its word. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int *nowhere;

static void fault(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2)
			*nowhere = 1;
#pragma omp barrier
	}
}

static void again(void)
{
	omp_lock_t l;

	omp_init_lock(&l);
	omp_set_lock(&l);
	omp_set_lock(&l);
}

static void destroy(void)
{
	omp_lock_t l;

	omp_init_lock(&l);
	omp_set_lock(&l);
	omp_destroy_lock(&l);
}

static void others(void)
{
	omp_lock_t l;

	omp_init_lock(&l);
	omp_unset_lock(&l);
}

static void enter(int depth)
{
#pragma omp critical(section)
	if (depth)
		enter(depth - 1);
}

static void team(int n)
{
#pragma omp parallel num_threads(n)
#pragma omp single
	printf("%d threads\n", omp_get_num_threads());
}

static void says(void)
{
	omp_sched_t kind;
	int chunk;

	omp_get_schedule(&kind, &chunk);
	printf("%d threads, schedule %d,%d, dynamic %d, levels %d, limit %d, cancellation %d\n",
	       omp_get_max_threads(), (int)kind, chunk, omp_get_dynamic(),
	       omp_get_max_active_levels() > 1, omp_get_thread_limit(), omp_get_cancellation());
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "says";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(what, "fault") == 0)
		fault();
	if (strcmp(what, "again") == 0)
		again();
	if (strcmp(what, "destroy") == 0)
		destroy();
	if (strcmp(what, "others") == 0)
		others();
	if (strcmp(what, "critical") == 0)
		enter(1);
	if (strcmp(what, "team") == 0)
		team(n);
	if (strcmp(what, "says") == 0)
		says();
	if (strcmp(what, "exit") == 0) {
#pragma omp parallel
#pragma omp single
		exit(7);
	}
	return argc;
}
