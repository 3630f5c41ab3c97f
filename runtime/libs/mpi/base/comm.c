/* comm.c - communicators: contexts, beginning, end, and checks. */
#include <stdlib.h>

#include "objects.h"

/* ---- Contexts ---- */

/* A context: a rank's number, how many contexts it has handed out, and a bit for the second one. */
#define COUNT_BITS 21
_Static_assert(CO_MPI_RANKS_MOST == 1 << (32 - 1 - COUNT_BITS), "a context names any rank");

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

static enum co_mpi_lines lines_for(const struct co_mpi_group *group)
{
	/* Lines are of a team on one board. */
	if (co_mpi.boards > 1 || group->size < co_mpi.ranks || group->size == 1)
		return CO_MPI_NO_LINES;
	return group->world ? CO_MPI_LINES : CO_MPI_LINES_IN_ORDER;
}

void co_mpi_comm_set_groups(MPI_Comm comm, MPI_Group group, MPI_Group remote)
{
	comm->group = group;
	comm->remote = remote;
	comm->peers = remote ? remote : group;
	comm->reach = comm->peers->size;
	comm->first = comm->peers->first;
	comm->world = comm->peers->world;
	comm->rank = group->rank;
	comm->lines = remote ? CO_MPI_NO_LINES : lines_for(group);
}

static int begin_comm(MPI_Comm comm, int n, int first, uint32_t context)
{
	int *world = malloc(sizeof(int) * (size_t)n);
	MPI_Group group;

	for (int i = 0; i < n && world; i++)
		world[i] = first + i;
	group = world ? co_mpi_group_new(n, world) : NULL;
	free(world);
	if (!group)
		return MPI_ERR_NO_MEM;
	co_mpi_comm_set_groups(comm, group, NULL);
	comm->magic = CO_MPI_IS_COMM;
	comm->references = 1;
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

void co_mpi_topology_put(struct co_mpi_topology *t)
{
	if (t && !--t->references)
		free(t);
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
	co_mpi_near_give(comm, sizeof(*comm));
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
	return co_mpi_say(MPI_ERR_RANK, "rank %d of %d in %s", rank, comm->peers->size,
			  co_mpi_comm_name(comm));
}

int co_mpi_check_one_board(const char *what)
{
	if (co_mpi.boards == 1)
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_UNSUPPORTED_OPERATION,
			  "a job of %d boards has no %s: only one board has (docs/cluster.md)",
			  co_mpi.boards, what);
}

int co_mpi_check_intra(MPI_Comm comm)
{
	int r = co_mpi_check_comm(comm);

	if (!r && comm->remote)
		r = co_mpi_say(MPI_ERR_COMM, "%s is an inter-communicator", co_mpi_comm_name(comm));
	return r;
}
