/* place.c - where threads run: on compute harts, a rank's on its own; each of them is a place. */
#include <cohart/hart.h>
#include <cohart/process.h>

#include "team.h"

/* In images of ranks alone. */
struct co_scope co_process_harts(void) __attribute__((weak));

static struct co_scope computes(void)
{
	if (co_process_harts && co_process_harts().n)
		return co_process_harts();
	return co_scope_of(CO_ALL_HARTS, 0, CO_ROLE_COMPUTE);
}

unsigned co_omp_places(void)
{
	static unsigned n; /* equal on all harts */

	if (!n)
		n = computes().n;
	return n;
}

unsigned co_omp_place_hart(unsigned place)
{
	return computes().harts[place];
}

static unsigned here(void)
{
	return co_omp_self()->place;
}

int omp_get_num_places(void)
{
	return (int)co_omp_places();
}

int omp_get_place_num(void)
{
	return (int)here();
}

int omp_get_place_num_procs(int place)
{
	return place >= 0 && (unsigned)place < co_omp_places();
}

void omp_get_place_proc_ids(int place, int *ids)
{
	if (omp_get_place_num_procs(place))
		*ids = (int)co_omp_place_hart((unsigned)place);
}

int omp_get_partition_num_places(void)
{
	return omp_get_num_places();
}

void omp_get_partition_place_nums(int *places)
{
	for (unsigned i = 0; i < co_omp_places(); i++)
		places[i] = (int)i;
}

omp_proc_bind_t omp_get_proc_bind(void)
{
	return (omp_proc_bind_t)co_omp_env.bind;
}

int omp_get_num_procs(void)
{
	return (int)co_omp_places();
}
