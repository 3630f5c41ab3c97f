/* ranks.c - a program of many processes, of two objects. */
#include <math.h>
#include <stdio.h>

#include <cohart/process.h>

#ifdef OTHER
double root(double x);

double root(double x)
{
	static double before;

	before += sqrt(x);
	return before;
}
#else
double root(double x);

#ifndef START
#define START 1
#endif
static int number = START;

int main(void)
{
	number += (int)co_process_rank();
	printf("rank %u of %u: %d, %.2f\n", co_process_rank(), co_process_ranks(), number,
	       root(co_process_rank()));
	return co_process_rank() == 2 ? 7 : 0;
}
#endif
