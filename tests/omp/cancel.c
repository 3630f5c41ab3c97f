/*
 * cancel.c - regions, loops, sections and groups of tasks that end early. Its output equals
 * libgomp's with OMP_CANCELLATION=true.
 */
#include <omp.h>
#include <stdio.h>

static void region(void)
{
	int after = 0, before = 0;

#pragma omp parallel num_threads(4)
	{
#pragma omp atomic
		before++;
#pragma omp barrier
#pragma omp cancel parallel if (omp_get_thread_num() == 2)
#pragma omp barrier
#pragma omp atomic
		after++;
	}
	printf("region: %d before, %d after\n", before, after);
}

static void loop(void)
{
	int done = 0, all = 0;

	for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(4)
		{
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 100000; i++) {
#pragma omp atomic
				done++;
#pragma omp cancel for if (i == 20)
#pragma omp cancellation point for
			}
#pragma omp for schedule(dynamic) reduction(+ : all)
			for (int i = 0; i < 100; i++)
				all++;
		}
	}
	printf("loop: cut %d; the next one is whole: %d\n", done < 400000 && done > 100, all);
}

static void sections(void)
{
	int done = 0;

#pragma omp parallel num_threads(2)
#pragma omp sections
	{
#pragma omp section
		{
#pragma omp cancel sections
			done += 100;
		}
#pragma omp section
		{
#pragma omp cancellation point sections
			done += 0;
		}
	}
	printf("sections: %d\n", done);
}

/* A cancelled loop cancels no other one: in a team of one, and in the region after. */
static void others(int threads)
{
	int cut = 0, next = 0, more = 0;

#pragma omp parallel num_threads(threads)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 50 * threads; i++) {
#pragma omp atomic
			cut++;
#pragma omp cancel for
		}
#pragma omp for
		for (int i = 0; i < 10; i++) {
#pragma omp atomic
			next++;
#pragma omp cancel for if (i == 20)
		}
#pragma omp cancel parallel
	}
#pragma omp parallel num_threads(threads)
#pragma omp for
	for (int i = 0; i < 10; i++) {
#pragma omp atomic
		more++;
#pragma omp cancel for if (i == 20)
	}
	printf("others of %d: cut %d, next %d, more %d\n", threads, cut <= threads, next, more);
}

static void group(void)
{
	int begun = 0, others = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task shared(others)
		others++;
#pragma omp taskgroup
		{
#pragma omp task depend(out : begun)
			{
#pragma omp cancel taskgroup
			}
			for (int i = 0; i < 1000; i++) {
#pragma omp task shared(begun) depend(in : begun)
#pragma omp atomic
				begun++;
			}
		}
#pragma omp taskwait
	}
	printf("group: %d begun, others %d\n", begun, others);
}

int main(void)
{
	printf("cancellation: %d\n", omp_get_cancellation());
	for (int i = 0; i < 3; i++) {
		region();
		loop();
		sections();
		others(1);
		others(3);
		group();
	}
	return 0;
}
