/*
 * regions.c - teams, and what their threads do one at a time, together, or by one of them. The
 * output equals libgomp's.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void teams(void)
{
	for (int n = 1; n <= 9; n += 2) {
		int seen[9] = { 0 }, wrong = 0;

#pragma omp parallel num_threads(n)
		{
			seen[omp_get_thread_num()]++;
#pragma omp barrier
			if (omp_get_num_threads() != n || omp_get_thread_num() >= n ||
			    omp_in_parallel() != (n > 1)) {
#pragma omp atomic
				wrong++;
			}
		}
		for (int i = 0; i < 9; i++)
			wrong += seen[i] != (i < n);
		printf("team of %d: %d wrong\n", n, wrong);
	}
	for (int yes = 0; yes < 2; yes++) {
#pragma omp parallel if (yes) num_threads(4)
#pragma omp master
		printf("if(%d): %d threads\n", yes, omp_get_num_threads());
	}
	omp_set_num_threads(3);
#pragma omp parallel
#pragma omp single
	printf("omp_set_num_threads(3): %d of at most %d\n", omp_get_num_threads(),
	       omp_get_max_threads());
}

static void barriers(void)
{
	static int step[8];
	int wrong = 0;

#pragma omp parallel num_threads(8) reduction(+ : wrong)
	{
		int me = omp_get_thread_num();

		for (int i = 1; i <= 100; i++) {
			step[me] = i;
#pragma omp barrier
			wrong += step[(me + 3) % 8] != i;
#pragma omp barrier
		}
	}
	printf("barriers: %d wrong\n", wrong);
}

static void one_of_them(void)
{
	int singles = 0, masters = 0, wrong = 0;

#pragma omp parallel num_threads(5) reduction(+ : wrong)
	{
		double copied = -1;

		for (int i = 0; i < 40; i++) {
#pragma omp single
			singles++;
#pragma omp master
			masters++;
#pragma omp single copyprivate(copied)
			copied = 10.5 * i;
			wrong += copied != 10.5 * i;
		}
	}
	printf("single %d, master %d, copyprivate: %d wrong\n", singles, masters, wrong);
}

static void one_at_a_time(void)
{
	int plain = 0, named = 0, other = 0, added = 0, locked = 0, nested = 0, tried = 0;
	double real = 0;
	omp_lock_t lock;
	omp_nest_lock_t nest;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(6)
	for (int i = 0; i < 50; i++) {
#pragma omp critical
		plain++;
#pragma omp critical(a)
		{
			named++;
#pragma omp critical(b)
			other++;
		}
#pragma omp atomic
		added += 2;
#pragma omp atomic
		real += 0.5;
		omp_set_lock(&lock);
		locked++;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		if (omp_test_nest_lock(&nest) == 2)
			nested++;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		while (!omp_test_lock(&lock))
			;
		tried++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	printf("critical %d, a %d, b %d; atomic %d, %g; locks %d %d %d\n", plain, named, other,
	       added, real, locked, nested, tried);
}

static void nesting(void)
{
	int total = 0, wrong = 0;

	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(3) reduction(+ : total)
#pragma omp parallel num_threads(3) reduction(+ : total)
	total += omp_get_num_threads() == 1 && omp_get_level() == 2 && omp_get_active_level() == 1;
	printf("one active level: %d\n", total);
	omp_set_max_active_levels(3);
	total = 0;
	for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(3) reduction(+ : total, wrong)
		{
			int outer = omp_get_thread_num();

#pragma omp parallel num_threads(outer + 2) reduction(+ : total, wrong) firstprivate(outer)
			{
				total++;
				wrong += omp_get_level() != 2 || omp_get_active_level() != 2 ||
					 omp_get_ancestor_thread_num(0) != 0 ||
					 omp_get_ancestor_thread_num(1) != outer ||
					 omp_get_ancestor_thread_num(2) != omp_get_thread_num() ||
					 omp_get_ancestor_thread_num(3) != -1 ||
					 omp_get_team_size(0) != 1 || omp_get_team_size(1) != 3 ||
					 omp_get_team_size(2) != outer + 2;
#pragma omp for schedule(dynamic)
				for (int i = 0; i < 10; i++)
					total += 100;
			}
			wrong += omp_get_thread_num() != outer || omp_get_num_threads() != 3;
		}
	}
	printf("nested teams: %d, %d wrong\n", total, wrong);
	omp_set_max_active_levels(1);
}

/* What a region sets is its own: the threads begin with what holds outside. */
static void settings(void)
{
	omp_sched_t kind;
	int chunk, wrong = 0;

	omp_set_schedule(omp_sched_guided, 7);
	omp_set_dynamic(0);
#pragma omp parallel num_threads(4) reduction(+ : wrong) private(kind, chunk)
	{
		omp_get_schedule(&kind, &chunk);
		wrong += kind != omp_sched_guided || chunk != 7;
		omp_set_schedule(omp_sched_static, omp_get_thread_num());
		omp_set_num_threads(50);
	}
	omp_get_schedule(&kind, &chunk);
	printf("settings: %d wrong; guided: %d, %d; %d threads\n", wrong, kind == omp_sched_guided,
	       chunk, omp_get_max_threads());
	printf("devices: %d, %d\n", omp_get_num_devices(), omp_is_initial_device());
	printf("levels: %d %d\n", omp_get_level(), omp_get_ancestor_thread_num(0));
}

static void time_passes(void)
{
	double since = omp_get_wtime();

	while (omp_get_wtime() < since + 0.001)
		;
	printf("time passes: %d\n", omp_get_wtick() > 0 && omp_get_wtick() < 0.001);
}

/* Memory, files and text are there for all threads. */
static void library(void)
{
	char *text[4] = { 0 };

#pragma omp parallel for num_threads(4) schedule(static)
	for (int i = 0; i < 4; i++) {
		text[i] = malloc(40);
		snprintf(text[i], 40, "thread %d of %d", i, omp_get_num_threads());
	}
	for (int i = 0; i < 4; i++) {
		puts(text[i]);
		free(text[i]);
	}
#pragma omp parallel num_threads(4)
#pragma omp for ordered
	for (int i = 0; i < 8; i++) {
#pragma omp ordered
		printf("line %d\n", i);
	}
}

/* A number is for one region, and not for a region inside. */
static void numbers(int several)
{
	int n = 0;

#pragma omp parallel num_threads(2) if (several)
	{
#pragma omp parallel
#pragma omp single
		n = omp_get_num_threads();
	}
	printf("numbers: %d\n", n == (several ? 1 : omp_get_max_threads()));
}

int main(void)
{
	teams();
	barriers();
	one_of_them();
	one_at_a_time();
	nesting();
	settings();
	time_passes();
	library();
	omp_set_num_threads(3);
	omp_set_max_active_levels(1);
	numbers(0);
	return 0;
}
