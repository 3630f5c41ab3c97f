/*
 * private.c - threadprivate and _Thread_local variables are each thread's own, and stay from region
 * to region. It prints the same by libgomp, with one thread a compute hart.
 */
#include <omp.h>
#include <stdio.h>

static int number = 5;
static _Thread_local double local;
#pragma omp threadprivate(number)

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
	if (argc > 1) {
#pragma omp parallel num_threads(omp_get_max_threads() + 1)
		number++;
	}
	return 0;
}
