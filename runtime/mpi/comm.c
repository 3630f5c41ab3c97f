/* comm.c - communicators: their properties, and their end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "objects.h"

struct co_mpi_comm co_mpi_world = { .name = "MPI_COMM_WORLD" };
struct co_mpi_comm co_mpi_self = { .name = "MPI_COMM_SELF" };

/* ---- Contexts ---- */

/* A context: a rank's number, how many contexts it has handed out, and a bit for the second one. */
#define COUNT_BITS 21

/* 0: no context is left. As a context 0 is MPI_COMM_WORLD's, the first one of rank 0. */
uint32_t co_mpi_context_next(void)
{
	if (co_mpi.contexts >> COUNT_BITS)
		return 0;
	return ((uint32_t)co_mpi.rank << COUNT_BITS | co_mpi.contexts) << 1;
}

int co_mpi_context_used(uint32_t context)
{
	if (!context)
		return co_mpi_say(MPI_ERR_OTHER, "no communicators left");
	if (context == co_mpi_context_next())
		co_mpi.contexts++;
	return MPI_SUCCESS;
}

uint32_t co_mpi_context(void)
{
	uint32_t context = co_mpi_context_next();

	if (context)
		co_mpi.contexts++;
	return context;
}

/* ---- Beginning and end ---- */

static int begin_comm(MPI_Comm comm, int n, int first, uint32_t context)
{
	int *world = malloc(sizeof(int) * (size_t)n);

	for (int i = 0; i < n && world; i++)
		world[i] = first + i;
	comm->group = world ? co_mpi_group_new(n, world) : NULL;
	free(world);
	if (!comm->group)
		return MPI_ERR_NO_MEM;
	comm->peers = comm->group;
	comm->magic = CO_MPI_IS_COMM;
	comm->references = 1;
	comm->rank = comm->group->rank;
	comm->context = context;
	comm->errhandler = co_mpi_errhandler_get(MPI_ERRORS_ARE_FATAL);
	return MPI_SUCCESS;
}

int co_mpi_comms_begin(void)
{
	int r = begin_comm(MPI_COMM_WORLD, co_mpi.ranks, 0, 0);

	co_mpi.contexts = 1;
	return r ? r : begin_comm(MPI_COMM_SELF, 1, co_mpi.rank, co_mpi_context());
}

/* Drop all references of a communicator; its attributes have been freed. */
static void clear(MPI_Comm comm)
{
	co_mpi_unmark(&comm->magic);
	co_mpi_group_put(comm->group);
	co_mpi_group_put(comm->remote);
	co_mpi_errhandler_put(comm->errhandler);
	co_mpi_topology_put(comm->topology);
	co_mpi_info_put(comm->info);
}

void co_mpi_comms_end(void)
{
	/* Errors of the program's functions are ignored here. */
	(void)co_mpi_attributes_free(MPI_COMM_WORLD, &MPI_COMM_WORLD->attributes);
	clear(MPI_COMM_WORLD);
	clear(MPI_COMM_SELF);
}

void co_mpi_comm_put(MPI_Comm comm)
{
	if (!comm || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF || --comm->references)
		return;
	clear(comm);
	free(comm);
}

CO_MPI_DEFINE(Comm_free, MPI_Comm *comm)
{
	int r = co_mpi_check_comm(*comm);

	if (!r && (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF))
		r = co_mpi_say(MPI_ERR_COMM, "%s cannot be freed", (*comm)->name);
	if (!r)
		r = co_mpi_attributes_free(*comm, &(*comm)->attributes);
	if (r)
		return co_mpi_error(*comm, __func__, r);
	co_mpi_comm_put(*comm);
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/*
 * Each rank has waited for all that it began in the communicator: nothing is under way once all
 * ranks have called.
 */
CO_MPI_DEFINE(Comm_disconnect, MPI_Comm *comm)
{
	int r = PMPI_Barrier(*comm);

	return r ? r : PMPI_Comm_free(comm);
}

/* ---- Checks ---- */

int co_mpi_comm_error(MPI_Comm comm)
{
	if (!co_mpi.me)
		return co_mpi_say(MPI_ERR_OTHER, "%s",
				  co_mpi.finalized ? "after MPI_Finalize" : "before MPI_Init");
	return co_mpi_say(MPI_ERR_COMM, "%s", comm ? "no communicator" : "MPI_COMM_NULL");
}

int co_mpi_rank_error(MPI_Comm comm, int rank)
{
	return co_mpi_say(MPI_ERR_RANK, "rank %d of %d in %s", rank, comm->peers->size, comm->name);
}

/* ---- Properties ---- */

CO_MPI_DEFINE(Comm_size, MPI_Comm comm, int *size)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*size = comm->group->size;
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_rank, MPI_Comm comm, int *rank)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*rank = comm->rank;
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_group, MPI_Comm comm, MPI_Group *group)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*group = co_mpi_group_get(comm->group);
	return co_mpi_error(comm, __func__, r);
}

static int compare(MPI_Comm a, MPI_Comm b)
{
	int same = co_mpi_group_compare(a->group, b->group), remote = MPI_IDENT;

	if (a == b)
		return MPI_IDENT;
	if (!a->remote != !b->remote)
		return MPI_UNEQUAL;
	if (a->remote)
		remote = co_mpi_group_compare(a->remote, b->remote);
	if (same == MPI_UNEQUAL || remote == MPI_UNEQUAL)
		return MPI_UNEQUAL;
	return same == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

CO_MPI_DEFINE(Comm_compare, MPI_Comm a, MPI_Comm b, int *result)
{
	int r = co_mpi_check_comm(a);

	if (!r)
		r = co_mpi_check_comm(b);
	if (!r)
		*result = compare(a, b);
	return co_mpi_error(a, __func__, r);
}

/* ---- Names and hints ---- */

CO_MPI_DEFINE(Comm_set_name, MPI_Comm comm, const char *name)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		snprintf(comm->name, sizeof(comm->name), "%s", name);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_get_name, MPI_Comm comm, char *name, int *length)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", comm->name);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_set_info, MPI_Comm comm, MPI_Info info)
{
	int r = co_mpi_check_comm(comm);

	return co_mpi_error(comm, __func__, r ? r : co_mpi_info_set(&comm->info, info));
}

CO_MPI_DEFINE(Comm_get_info, MPI_Comm comm, MPI_Info *info)
{
	int r = co_mpi_check_comm(comm);

	return co_mpi_error(comm, __func__, r ? r : co_mpi_info_get(comm->info, info));
}
