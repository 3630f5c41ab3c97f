/*
 * tasks.c - explicit tasks: trees of them, their order, groups, loops of tasks. The output
 * equals libgomp's.
 */
#include <malloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 5)
	a = fib(n - 1);
#pragma omp task shared(b) final(n < 8)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void trees(void)
{
	long f = 0;

#pragma omp parallel
#pragma omp single
	f = fib(18);
	printf("fib(18) = %ld\n", f);
}

/* Many more than there is memory for at once. */
static void many(void)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single nowait
	for (int i = 0; i < 20000; i++) {
#pragma omp task firstprivate(i) shared(sum)
		{
#pragma omp atomic
			sum += i;
		}
	}
	printf("many: %ld\n", sum);
}

/* Tasks that no thread waits for but at barriers, from all threads. */
static void at_barriers(void)
{
	int done[3] = { 0 }, wrong = 0;

#pragma omp parallel num_threads(5) reduction(+ : wrong)
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 30; k++) {
#pragma omp task shared(done) firstprivate(i)
			{
#pragma omp task shared(done) firstprivate(i)
				{
#pragma omp atomic
					done[i]++;
				}
			}
		}
#pragma omp barrier
		wrong += done[i] != 150;
#pragma omp barrier
	}
	printf("at barriers: %d, %d wrong\n", done[2], wrong);
}

static void order(void)
{
	int x = 0, y = 0, wrong = 0, readers = 0;
	int chain[20] = { 1 };

#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : x) shared(x, wrong) firstprivate(i)
			wrong += x++ != i;
			for (int k = 0; k < 3; k++) {
#pragma omp task depend(in : x) depend(out : y) shared(x, y, readers, wrong) firstprivate(i)
				{
					wrong += x != i + 1;
					y++;
#pragma omp atomic
					readers++;
				}
			}
		}
		for (int i = 1; i < 20; i++) {
#pragma omp task depend(in : chain[i - 1]) depend(out : chain[i]) shared(chain) firstprivate(i)
			chain[i] = 2 * chain[i - 1];
		}
#pragma omp task depend(in : chain[19]) if (0) shared(chain, wrong)
		wrong += chain[19] != 1 << 19;
#pragma omp taskwait
		wrong += x != 50 || y != 150;
	}
	printf("in order: %d readers, %d wrong\n", readers, wrong);
}

static void groups(void)
{
	int inside = 0, wrong = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp taskgroup
		for (int k = 0; k < 4; k++) {
#pragma omp task shared(inside)
			{
				for (int l = 0; l < 3; l++) {
#pragma omp task shared(inside)
					{
#pragma omp atomic
						inside++;
					}
				}
#pragma omp taskyield
			}
		}
		wrong += inside != 12 * (i + 1);
	}
	printf("in groups: %d, %d wrong\n", inside, wrong);
}

static void loops(void)
{
	static int times[1000];
	unsigned long long sum = 0;
	int wrong = 0, last = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(7) lastprivate(last)
		for (int i = 0; i < 1000; i++) {
			times[i]++;
			last = i;
		}
#pragma omp taskloop num_tasks(13) nogroup
		for (int i = 999; i >= 0; i -= 3)
			times[i]++;
#pragma omp taskwait
#pragma omp taskloop
		for (unsigned long long i = 5; i < 500; i += 11) {
#pragma omp atomic
			sum += i;
		}
#pragma omp taskloop collapse(2) if (0)
		for (int i = 0; i < 3; i++)
			for (int k = 0; k < 4; k++)
				sum += 1;
	}
	for (int i = 0; i < 1000; i++)
		wrong += times[i] != 1 + (i % 3 == 0);
	printf("loops of tasks: %d wrong, last %d, sum %llu\n", wrong, last, sum);
}

/* Each task has the settings of its creator, and threads, and may have regions. */
static void surroundings(void)
{
	int wrong = 0, inner = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) shared(wrong, inner)
	{
		omp_set_num_threads(2 + omp_get_thread_num() % 2);
#pragma omp task shared(inner, wrong)
		{
			int n = omp_get_max_threads(), count = 0;

#pragma omp atomic
			wrong += omp_get_num_threads() != 3 || omp_in_final();
#pragma omp parallel reduction(+ : count)
			count++;
#pragma omp atomic
			wrong += count != n;
#pragma omp atomic
			inner += count;
		}
	}
	omp_set_max_active_levels(1);
	printf("regions in tasks: %d, %d wrong\n", inner, wrong);
}

static int count;

/* An untied task of several parts ends after its last one. */
static void untied(void)
{
	int n = 0, seen = 0;

#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task untied shared(n) if (i % 4)
			{
#pragma omp atomic
				n++;
#pragma omp taskyield
#pragma omp atomic
				n++;
			}
		}
#pragma omp taskwait
#pragma omp atomic read
		seen = n;
	}
	printf("untied: %d\n", seen);
}

/* A task that its creator executes is one, with settings of its own. */
static void undeferred(void)
{
	int outer = 0, inner = 0, kept = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task if (0) final(1) shared(outer, inner)
		{
			outer = omp_in_final();
			omp_set_num_threads(7);
#pragma omp task shared(inner)
			inner = omp_in_final();
#pragma omp taskwait
		}
		kept = omp_get_max_threads() != 7;
	}
	printf("undeferred: final %d, inner %d, kept %d\n", outer, inner, kept);
}

static void alone(void)
{
	int sum = 0;

	/* Without data. */
#pragma omp task
	count++;

#pragma omp task shared(sum)
	sum += 1;
#pragma omp taskgroup
	{
#pragma omp task shared(sum) depend(out : sum)
		sum += 10;
#pragma omp task shared(sum) depend(in : sum)
		sum *= 2;
	}
#pragma omp taskloop shared(sum)
	for (int i = 0; i < 10; i++)
		sum += 100;
#pragma omp taskwait
	printf("without a region: %d, %d\n", sum, count);
}

static unsigned long in_use(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return (unsigned long)mallinfo().uordblks;
#endif
}

/* Threads keep no more memory for tasks, however many tasks of another one they execute. */
static void memory(void)
{
	unsigned long first = 0;

	for (int round = 0; round < 6; round++) {
#pragma omp parallel num_threads(2 + round % 2)
#pragma omp master
		for (int i = 0; i < 1000; i++) {
#pragma omp task
			for (volatile int k = 0; k < 100; k++)
				;
			for (volatile int k = 0; k < 50; k++)
				;
		}
		if (round == 1)
			first = in_use();
	}
	printf("memory: %d\n", in_use() < first + 150000); /* 64 tasks of each thread */
}

int main(void)
{
	for (int n = 1; n < 7; n += 2) {
		omp_set_num_threads(n);
		trees();
		many();
		at_barriers();
		order();
		groups();
		loops();
		surroundings();
		untied();
		undeferred();
		alone();
	}
	memory();
	return 0;
}
