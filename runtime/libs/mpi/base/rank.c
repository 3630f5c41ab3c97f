/* rank.c - the state of this rank, its first communicators, and its memory near by. */
#include <stdlib.h>

#include <cohart/spm.h>

#include "objects.h"

struct co_mpi_rank co_mpi;

struct co_mpi_comm co_mpi_world = { .name = "MPI_COMM_WORLD" };
struct co_mpi_comm co_mpi_self = { .name = "MPI_COMM_SELF" };

void *co_mpi_near_take(size_t bytes)
{
	void *p = NULL;

	if (bytes <= CO_MPI_NEAR - co_mpi.near)
		p = co_spm_alloc(bytes, sizeof(uint64_t));
	if (!p)
		return malloc(bytes);
	co_mpi.near += bytes;
	return p;
}

void co_mpi_near_give(void *p, size_t bytes)
{
	if (!p || co_spm_hart(p) < 0) {
		free(p);
		return;
	}
	co_mpi.near -= bytes;
	co_spm_free(p);
}
