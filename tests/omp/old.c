/*
 * old.c - what compilers before GCC 4.9 call: they execute the master's part of a region
 * themselves. The output equals libgomp's.
 */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned n);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*fn)(void *), void *data, unsigned n, long from,
				      long to, long step, long chunk);
void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned n, long from,
				      long to, long step);
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned n, unsigned sections);
bool GOMP_loop_dynamic_next(long *start, long *end);
unsigned GOMP_sections_next(void);
void GOMP_loop_end_nowait(void);
void GOMP_sections_end_nowait(void);

static int threads, sum, inner;

static void inside(void *data)
{
	(void)data;
#pragma omp atomic
	inner++;
}

static void region(void *data)
{
#pragma omp atomic
	threads += *(int *)data;
	GOMP_parallel_start(inside, NULL, 2);
	inside(NULL);
	GOMP_parallel_end();
}

static void loop(void *data)
{
	long start, end;

	while (GOMP_loop_dynamic_next(&start, &end)) {
		for (long i = start; i < end; i += 3) {
#pragma omp atomic
			*(int *)data += (int)i;
		}
	}
	GOMP_loop_end_nowait();
}

static void sections(void *data)
{
	for (unsigned i = GOMP_sections_next(); i; i = GOMP_sections_next()) {
#pragma omp atomic
		*(int *)data += 1 << i;
	}
	GOMP_sections_end_nowait();
}

int main(void)
{
	for (unsigned n = 1; n < 7; n++) {
		int one = 1;

		omp_set_max_active_levels((int)(n % 3));
		threads = sum = inner = 0;
		GOMP_parallel_start(region, &one, n);
		region(&one);
		GOMP_parallel_end();
		printf("%u: %d threads, %d inside, %d after\n", n, threads, inner, omp_get_level());
		GOMP_parallel_loop_dynamic_start(loop, &sum, n, 0, 300, 3, 4);
		loop(&sum);
		GOMP_parallel_end();
		GOMP_parallel_loop_runtime_start(loop, &sum, n, 0, 300, 3);
		loop(&sum);
		GOMP_parallel_end();
		GOMP_parallel_sections_start(sections, &sum, n, 5);
		sections(&sum);
		GOMP_parallel_end();
		printf("loops and sections: %d\n", sum);
	}
	return 0;
}
