/*
 * devices.c - target regions where they stand, leagues, and memory of devices. The output equals
 * libgomp's where there is no device.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
static int global = 5;

static int twice(int x)
{
	return 2 * x;
}
#pragma omp end declare target

static void data(void)
{
	int a[100], sum = 0, own = 3;

	for (int i = 0; i < 100; i++)
		a[i] = i;
#pragma omp target data map(tofrom : a)
	{
#pragma omp target map(tofrom : sum) firstprivate(own)
		{
			own += 4;
			for (int i = 0; i < 100; i++) {
				a[i] = twice(a[i]) + own;
				sum += a[i];
			}
			global++;
		}
#pragma omp target update from(a)
		printf("data: %d %d %d\n", a[99], sum, own);
	}
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
#pragma omp target map(from : sum)
	sum = global + omp_is_initial_device() + 10 * omp_get_level() + 100 * omp_in_parallel();
	printf("global: %d\n", sum);
}

/* A region is apart from those around it. */
static void apart(void)
{
	int levels = 0, threads = 0, inside = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) reduction(+ : levels, threads, inside)
	{
#pragma omp target map(tofrom : levels, threads)
		{
			levels += 10 * omp_get_level() + omp_get_num_threads();
#pragma omp parallel num_threads(2) reduction(+ : threads)
			threads += omp_get_level();
		}
		inside += omp_get_level();
	}
	omp_set_max_active_levels(1);
	printf("apart: %d %d %d\n", levels, threads, inside);
}

static void order(void)
{
	int x = 0, wrong = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : x) shared(x)
		x++;
#pragma omp target depend(inout : x) map(tofrom : x) nowait
		x *= 2;
#pragma omp target depend(in : x) map(tofrom : x, wrong)
		wrong += x % 2;
#pragma omp taskwait
		x %= 1000;
	}
	printf("order: %d, %d wrong\n", x, wrong);
}

static void leagues(void)
{
	int teams = 0, numbers = 0, threads = 0, sum = 0, limit = 0;

#pragma omp teams num_teams(4) thread_limit(2) reduction(+ : teams, numbers, threads, limit)
	{
		teams += omp_get_num_teams();
		numbers += 1 << omp_get_team_num();
#pragma omp parallel num_threads(2) reduction(+ : threads, limit)
		{
			threads += omp_get_num_teams();
			limit += omp_get_thread_limit();
		}
	}
	printf("teams: %d %d %d %d, then %d\n", teams, numbers, threads, limit,
	       omp_get_num_teams());
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : sum) reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
#pragma omp teams distribute parallel for num_teams(5) reduction(+ : sum) dist_schedule(static, 7)
	for (int i = 0; i < 1000; i++)
		sum += i;
#pragma omp target teams num_teams(3) map(tofrom : sum)
#pragma omp parallel num_threads(1)
#pragma omp atomic
	sum += 10000 * omp_get_num_teams();
	printf("distributed: %d\n", sum);
}

static void memory(void)
{
	int host = omp_get_initial_device(), box[6] = { 0 };
	int *p = omp_target_alloc(24 * sizeof(int), host);
	size_t size[2] = { 2, 3 }, to[2] = { 0, 0 }, from[2] = { 1, 2 }, to_all[2] = { 2, 3 },
	       from_all[2] = { 4, 6 };
	int r[4];

	for (int i = 0; i < 24; i++)
		p[i] = i;
	r[0] = omp_target_memcpy(p, p, 4 * sizeof(int), 0, 8 * sizeof(int), host, host);
	r[1] = omp_target_memcpy_rect(box, p, sizeof(int), 2, size, to, from, to_all, from_all,
				      host, host);
	r[2] = omp_target_is_present(p, host);
	r[3] = omp_target_alloc(8, -1) == NULL;
	printf("memory: %d %d %d %d: %d %d, %d %d %d %d %d %d\n", r[0], r[1], r[2], r[3], p[0],
	       p[3], box[0], box[1], box[2], box[3], box[4], box[5]);
	omp_target_free(p, host);
	printf("devices: %d %d\n", omp_get_num_devices(), omp_get_device_num() == host);
}

int main(void)
{
	for (int threads = 1; threads < 6; threads += 2) {
		omp_set_num_threads(threads);
		data();
		apart();
		order();
		leagues();
		memory();
	}
	return 0;
}
