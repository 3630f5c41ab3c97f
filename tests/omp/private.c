/*
 * private.c - threadprivate and _Thread_local variables are each thread's own, and stay from region
 * to region. The output equals libgomp's with one thread a compute hart.
 */
#include <omp.h>
#include <stdio.h>

static int number = 5;
static _Thread_local double local;
static double table[40];
static struct pair {
	int a;
	char text[20];
} pair;
#pragma omp threadprivate(number, table, pair)

/* More than a word is copied from the master's variable, by its address. */
static void large(void)
{
	int wrong = 0, *theirs = NULL;

	table[39] = 9;
	pair = (struct pair){ 3, "text" };
#pragma omp parallel copyin(table, pair) reduction(+ : wrong)
	{
		wrong += table[39] != 9 || pair.a != 3 || pair.text[3] != 't';
#pragma omp barrier
#pragma omp single copyprivate(table, pair)
		{
			table[0] = 2.5;
			pair.a = 8;
		}
		wrong += table[0] != 2.5 || pair.a != 8;
#pragma omp master
		theirs = &pair.a;
#pragma omp barrier
		wrong += *theirs != 8;
	}
	printf("arrays and structs: %d wrong\n", wrong);
}

/* Teams in teams: no hart has two threads as long as there is one for each. */
static void nested(void)
{
	int threads = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(omp_get_max_threads() < 4 ? 1 : 2) reduction(+ : threads)
#pragma omp parallel num_threads(omp_get_num_threads()) reduction(+ : threads)
	threads++;
	omp_set_max_active_levels(1);
	printf("nested: %d\n", threads == 1 || threads == 4);
}

int main(int argc, char **argv)
{
	int wrong = 0;

	number = 40;
	local = 0.5;
#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num();

		wrong += number != (me ? 5 : 40) || local != (me ? 0 : 0.5);
		number = 100 + me;
		local = me * 1.5;
	}
#pragma omp parallel reduction(+ : wrong)
	wrong += number != 100 + omp_get_thread_num() || local != omp_get_thread_num() * 1.5;
	number = 7;
#pragma omp parallel copyin(number) reduction(+ : wrong)
	{
		wrong += number != 7;
		number += omp_get_thread_num();
	}
	printf("%d wrong, the master's are %d, %g\n", wrong, number, local);
	large();
	nested();
	if (argc > 1) {
#pragma omp parallel num_threads(omp_get_max_threads() + 1)
		number++;
	}
	return 0;
}
