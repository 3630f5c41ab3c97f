/*
 * loops.c - loops of each schedule, from and to where one likes: each iteration is executed once,
 * and ordered regions in order. The output equals libgomp's.
 */
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define MOST 600

static int times[MOST], wrong;

/* Iteration i of the loop from `from` by `step`: the `k`-th. */
static void note(long from, long step, long i)
{
	long k = (i - from) / step;

	if ((i - from) % step || k < 0 || k >= MOST) {
#pragma omp atomic
		wrong++;
	} else {
#pragma omp atomic
		times[k]++;
	}
}

static void check(const char *what, long from, long to, long step, int chunk)
{
	long n = 0, bad = wrong;

	for (long i = from; step > 0 ? i < to : i > to; i += step)
		n++;
	for (long k = 0; k < MOST; k++)
		bad += times[k] != (k < n);
	if (bad)
		printf("%s %ld to %ld by %ld, chunk %d: %ld wrong\n", what, from, to, step, chunk,
		       bad);
	memset(times, 0, sizeof(times));
	wrong = 0;
}

/* The compiler knows whether a loop goes up or down. */
#define UP(type, ...) _Pragma(#__VA_ARGS__) for (type i = from; i < to; i += step)
#define DOWN(type, ...) _Pragma(#__VA_ARGS__) for (type i = from; i > to; i += step)
#define LOOP(type, ...)                                          \
	if (step > 0)                                            \
		UP(type, __VA_ARGS__) note(from, step, (long)i); \
	else                                                     \
		DOWN(type, __VA_ARGS__) note(from, step, (long)i)

static void all_schedules(long from, long to, long step, int chunk)
{
	LOOP(long, omp parallel for schedule(static));
	check("static", from, to, step, chunk);
	LOOP(long, omp parallel for schedule(static, chunk));
	check("static chunk", from, to, step, chunk);
	LOOP(long, omp parallel for schedule(dynamic, chunk));
	check("dynamic", from, to, step, chunk);
	LOOP(long, omp parallel for schedule(monotonic : dynamic, chunk));
	check("monotonic", from, to, step, chunk);
	LOOP(long, omp parallel for schedule(guided, chunk));
	check("guided", from, to, step, chunk);
	LOOP(long, omp parallel for schedule(auto));
	check("auto", from, to, step, chunk);
	for (int kind = omp_sched_static; kind <= omp_sched_auto; kind++) {
		omp_set_schedule((omp_sched_t)kind, chunk);
		LOOP(long, omp parallel for schedule(runtime));
		check("runtime", from, to, step, chunk);
	}
	LOOP(long long, omp parallel for schedule(dynamic, chunk));
	check("long long", from, to, step, chunk);
}

static void all_unsigned(long from, long to, long step, int chunk)
{
	LOOP(unsigned long long, omp parallel for schedule(dynamic, chunk));
	check("ull dynamic", from, to, step, chunk);
	LOOP(unsigned long long, omp parallel for schedule(guided, chunk));
	check("ull guided", from, to, step, chunk);
	LOOP(unsigned long long, omp parallel for schedule(static, chunk));
	check("ull static", from, to, step, chunk);
	LOOP(unsigned long long, omp parallel for schedule(runtime));
	check("ull runtime", from, to, step, chunk);
}

static int next, disorder;

/* In the order of iterations, whatever the schedule: of those that 3 does not divide. */
static void visit(int i)
{
	while (next % 3 == 0)
		next++;
	disorder += i != next++;
}

static void say_order(const char *loop)
{
	printf("%s: %d out of order\n", loop, disorder);
	disorder = next = 0;
}

#define ORDERED(...)                                                                          \
	_Pragma(#__VA_ARGS__) for (int i = 0; i < 200; i++) if (i % 3) _Pragma("omp ordered") \
		visit(i);                                                                     \
	say_order(#__VA_ARGS__)

static void ordered(void)
{
	ORDERED(omp parallel for ordered schedule(static));
	ORDERED(omp parallel for ordered schedule(static, 3));
	ORDERED(omp parallel for ordered schedule(dynamic));
	ORDERED(omp parallel for ordered schedule(dynamic, 4));
	ORDERED(omp parallel for ordered schedule(guided, 2));
	omp_set_schedule(omp_sched_guided, 3);
	ORDERED(omp parallel for ordered schedule(runtime));
}

/* Many loops that no barrier parts: threads are in different ones at a time. */
static void loops_without_a_wait(void)
{
	long sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		for (int round = 0; round < 50; round++) {
#pragma omp for schedule(dynamic) nowait
			for (int i = 0; i < 11; i++)
				sum += i;
#pragma omp single nowait
			sum += 1000;
		}
	}
	printf("loops without a wait: %ld\n", sum);
}

static void sections(void)
{
	int done[5] = { 0 };

	for (int round = 0; round < 20; round++) {
#pragma omp parallel sections
		{
#pragma omp section
			done[0]++;
#pragma omp section
			done[1]++;
#pragma omp section
			done[2]++;
		}
#pragma omp parallel
		{
#pragma omp sections nowait
			{
#pragma omp section
				done[3]++;
#pragma omp section
				done[4]++;
			}
		}
	}
	printf("sections: %d %d %d %d %d\n", done[0], done[1], done[2], done[3], done[4]);
}

static void last_values(void)
{
	int x = -1, i = -1;
	double most = -1, product = 1;

#pragma omp parallel for lastprivate(x, i) schedule(dynamic, 7)
	for (i = 0; i < 100; i += 3)
		x = i * i;
	printf("lastprivate: %d, i %d\n", x, i);
#pragma omp parallel for reduction(max : most) reduction(* : product) schedule(guided)
	for (int k = 1; k <= 20; k++) {
		most = k % 13 > most ? k % 13 : most;
		product *= k;
	}
	printf("max %g, product %g\n", most, product);
#pragma omp parallel for collapse(2) lastprivate(x) schedule(dynamic, 5)
	for (int a = 0; a < 7; a++)
		for (int b = 0; b < 9; b++)
			x = 10 * a + b;
	printf("collapse: %d\n", x);
}

/* Ranges near the ends of their type. */
static void ends(void)
{
	unsigned long n = 0, last = 0;

#pragma omp parallel for schedule(dynamic, 3) reduction(+ : n) lastprivate(last)
	for (long i = LONG_MAX - 20; i < LONG_MAX; i++) {
		n++;
		last = (unsigned long)(LONG_MAX - i);
	}
	printf("to LONG_MAX: %lu, last %lu before\n", n, last);
	n = 0;
#pragma omp parallel for schedule(guided) reduction(+ : n)
	for (long i = LONG_MIN + 10; i > LONG_MIN; i -= 2)
		n++;
	printf("to LONG_MIN: %lu\n", n);
	n = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : n)
	for (unsigned long long i = ULLONG_MAX - 9; i < ULLONG_MAX; i++)
		n++;
	printf("to ULLONG_MAX: %lu\n", n);
}

int main(void)
{
	for (int threads = 1; threads <= 6; threads++) {
		omp_set_num_threads(threads);
		for (int chunk = 1; chunk < 90; chunk = chunk * 3 + 1) {
			all_schedules(0, 100, 1, chunk);
			all_schedules(-7, 500, 3, chunk);
			all_schedules(91, -90, -7, chunk);
			all_schedules(5, 5, 1, chunk);
			all_schedules(0, 3, 1, chunk);
			all_unsigned(3, 400, 5, chunk);
		}
		ordered();
		loops_without_a_wait();
		sections();
		last_values();
		ends();
	}
	return 0;
}
