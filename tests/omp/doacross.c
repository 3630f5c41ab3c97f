/*
 * doacross.c - loops with ordered(n): iterations wait for named others. The output equals
 * the output of libgomp, and the results equal the same loops without threads.
 */
#include <omp.h>
#include <stdio.h>

#define ROWS 30
#define COLUMNS 20

static long a[ROWS][COLUMNS];

/* Each element follows from the one above it and the one to its left. */
static long element(int i, int k)
{
	return ((i ? a[i - 1][k] : 1) + 3 * (k ? a[i][k - 1] : 1)) % 10007;
}

static long sum(void)
{
	long s = 0;

	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++) {
			s = (s * 31 + a[i][k]) % 1000003;
			a[i][k] = -1;
		}
	return s;
}

static void planes(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++)
			a[i][k] = element(i, k);
	printf("one thread: %ld\n", sum());

#define PLANE(...)                                                                                \
	_Pragma("omp parallel") _Pragma(#__VA_ARGS__) for (int i = 0; i < ROWS;                   \
							   i++) for (int k = 0; k < COLUMNS; k++) \
	{                                                                                         \
		_Pragma("omp ordered depend(sink : i - 1, k)") a[i][k] = element(i, k);           \
		_Pragma("omp ordered depend(source)")                                             \
	}                                                                                         \
	printf(#__VA_ARGS__ ": %ld\n", sum());

	PLANE(omp for ordered(2))
	PLANE(omp for ordered(2) schedule(static, 1))
	PLANE(omp for ordered(2) schedule(static, 7))
	PLANE(omp for ordered(2) schedule(dynamic))
	PLANE(omp for ordered(2) schedule(dynamic, 4))
	PLANE(omp for ordered(2) schedule(guided))
	PLANE(omp for ordered(2) schedule(runtime))
}

static void lines(void)
{
	unsigned long long fib[60] = { 1, 1 };
	int last = 0;

#pragma omp parallel for ordered(1) schedule(dynamic, 3) lastprivate(last)
	for (unsigned long long i = 2; i < 60; i++) {
#pragma omp ordered depend(sink : i - 1) depend(sink : i - 2)
		fib[i] = fib[i - 1] + fib[i - 2];
#pragma omp ordered depend(source)
		last = (int)i;
	}
	printf("fib: %llu, last %d\n", fib[59], last);
}

/* Downwards, by steps, of loops that are collapsed; one that is empty. */
static void steps(void)
{
	int before = 0, none = 0, wrong = 0;
	int done[8][9] = { { 0 } };

#pragma omp parallel reduction(+ : wrong)
	{
#pragma omp for collapse(2) ordered(3) schedule(static, 2)
		for (int i = 7; i >= 0; i -= 2)
			for (int k = 0; k < 9; k += 4)
				for (int l = 0; l < 2; l++) {
#pragma omp ordered depend(sink : i + 2, k, l) depend(sink : i, k - 4, l)
					int seen;

					if (i < 7) {
#pragma omp atomic read
						seen = done[i + 2][k];
						wrong += seen < l + 1;
					}
#pragma omp atomic
					done[i][k]++;
#pragma omp ordered depend(source)
				}
#pragma omp for ordered(2)
		for (int i = 0; i < before; i++)
			for (int k = 0; k < 5; k++) {
#pragma omp ordered depend(sink : i - 1, k)
				none++;
#pragma omp ordered depend(source)
			}
	}
	printf("steps: %d wrong, %d\n", wrong, none);
}

int main(void)
{
	for (int threads = 1; threads < 7; threads++) {
		omp_set_num_threads(threads);
		planes();
		lines();
		steps();
	}
	return 0;
}
