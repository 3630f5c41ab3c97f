/*
 * cost.c - what constructs of OpenMP cost: nanoseconds on a PC, and instructions of all harts where
 * the clock counts these (make run APP=omp/cost HARTS=65 ICOUNT=1).
 */
#include <omp.h>
#include <stdio.h>

#define TIMES 200
#define BLOCKS 20000
#define TASKS 2000

static int threads;

/* What the compiler must not leave out. */
static inline void use(int value)
{
	__asm__ volatile("" : : "r"(value));
}

static void say(const char *what, double since, int times)
{
	double each = (omp_get_wtime() - since) * 1e9 / times;

	printf("%-28s %8.0f, a thread %7.1f\n", what, each, each / threads);
}

static void regions(void)
{
	double since = 0;

	for (int i = -3; i < TIMES; i++) {
		if (i == 0)
			since = omp_get_wtime();
#pragma omp parallel
		use(1);
	}
	say("fork and join", since, TIMES);
}

static void barriers(void)
{
	double since = 0;

#pragma omp parallel
	{
#pragma omp barrier
#pragma omp master
		since = omp_get_wtime();
		for (int i = 0; i < TIMES; i++) {
#pragma omp barrier
		}
#pragma omp master
		say("barrier", since, TIMES);
	}
}

static void critical_sections(void)
{
	double since = omp_get_wtime();

	for (int i = 0; i < TIMES; i++) {
#pragma omp critical
		use(i);
	}
	say("critical, by one thread", since, TIMES);
}

static void dynamic_loop(void)
{
	double since = omp_get_wtime();

#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < BLOCKS; i++)
		use(i);
	say("a chunk of a dynamic loop", since, BLOCKS);
}

static void static_loops(void)
{
	double since = 0;

#pragma omp parallel
	{
#pragma omp barrier
#pragma omp master
		since = omp_get_wtime();
		for (int k = 0; k < TIMES; k++) {
#pragma omp for schedule(static) nowait
			for (int i = 0; i < threads; i++)
				use(i);
		}
#pragma omp barrier
#pragma omp master
		say("static loop of an iteration", since, TIMES);
	}
}

static void tasks(void)
{
	double since = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		since = omp_get_wtime();
		for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
			use(i);
		}
#pragma omp taskwait
		threads = 2;
		say("task, by two threads", since, TASKS);
	}
}

int main(void)
{
	threads = omp_get_max_threads();
	printf("%d threads\n", threads);
	regions();
	barriers();
	critical_sections();
	dynamic_loop();
	static_loops();
	tasks();
	return 0;
}
