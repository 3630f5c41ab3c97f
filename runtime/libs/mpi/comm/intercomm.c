/* intercomm.c - communicators between two groups. */
#include <stdlib.h>

#include "../p2p/p2p.h"
#include "make.h"

CO_MPI_DEFINE(Comm_test_inter, MPI_Comm comm, int *flag)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*flag = comm->remote != NULL;
	return co_mpi_error(comm, __func__, r);
}

static int check_inter(MPI_Comm comm)
{
	int r = co_mpi_check_comm(comm);

	if (!r && !comm->remote)
		r = co_mpi_say(MPI_ERR_COMM, "%s is no inter-communicator", co_mpi_comm_name(comm));
	return r;
}

CO_MPI_DEFINE(Comm_remote_size, MPI_Comm comm, int *size)
{
	int r = check_inter(comm);

	if (!r)
		*size = comm->remote->size;
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_remote_group, MPI_Comm comm, MPI_Group *group)
{
	int r = check_inter(comm);

	if (!r)
		*group = co_mpi_group_get(comm->remote);
	return co_mpi_error(comm, __func__, r);
}

/* ---- Making one ---- */

/* The head that a leader sends of its side, before the list of its ranks. */
enum { SIZE, CONTEXT, FIRST, HEAD };

/* Exchange ints between both leaders: the lower rank of MPI_COMM_WORLD sends first. */
static int swap(MPI_Comm peers, int leader, uint32_t tag, const int *mine, int n, int *theirs,
		int m)
{
	int world = co_mpi_group_world(peers->peers, leader), r;
	uint32_t context = peers->context + 1;

	if (co_mpi.rank < world) {
		r = co_mpi_send(mine, n, MPI_INT, world, tag, context);
		return r ? r : co_mpi_recv(theirs, m, MPI_INT, world, tag, context);
	}
	r = co_mpi_recv(theirs, m, MPI_INT, world, tag, context);
	return r ? r : co_mpi_send(mine, n, MPI_INT, world, tag, context);
}

/* Broadcast ints from the leader to all ranks of its side. */
static int tell_ranks(MPI_Comm local, int leader, int *ints, int n)
{
	struct co_mpi_schedule *s = co_mpi_schedule_new(local, true);

	co_mpi_fill_bcast(s, local->rank, co_mpi_size(local), ints, n, MPI_INT, leader);
	return co_mpi_schedule_run(s, NULL);
}

static int check_disjoint(MPI_Group group, const int world[], int n)
{
	for (int i = 0; i < n; i++)
		if (co_mpi_group_find(group, world[i]) != MPI_UNDEFINED)
			return co_mpi_say(MPI_ERR_COMM,
					  "rank %d of MPI_COMM_WORLD is on both sides", world[i]);
	return MPI_SUCCESS;
}

/* Make the communicator, of both heads and the list of the remote side's ranks. */
static int make_intercomm(MPI_Comm local, const int mine[], const int theirs[], const int world[],
			  MPI_Comm *inter)
{
	int r = check_disjoint(local->group, world, theirs[SIZE]);
	MPI_Group remote = r ? NULL : co_mpi_group_new(theirs[SIZE], world);
	bool leads = mine[FIRST] < theirs[FIRST];

	if (!remote)
		return r ? r : MPI_ERR_NO_MEM;
	r = co_mpi_comm_with(local, co_mpi_group_get(local->group), remote,
			     (uint32_t)(leads ? mine : theirs)[CONTEXT], inter);
	if (!r)
		(*inter)->local_leads = leads;
	return r;
}

static int check_leader(MPI_Comm peers, int remote_leader, int tag)
{
	int r = co_mpi_check_comm(peers);

	if (!r)
		r = co_mpi_check_rank(peers, remote_leader);
	if (!r && remote_leader == MPI_PROC_NULL)
		r = co_mpi_say(MPI_ERR_RANK, "the remote leader is MPI_PROC_NULL");
	if (!r && co_mpi_group_world(peers->peers, remote_leader) == co_mpi.rank)
		r = co_mpi_say(MPI_ERR_RANK, "both leaders are this rank");
	if (!r)
		r = co_mpi_check_tag(tag);
	return r;
}

/* Give both heads to all ranks of this side; if the leader fails, the remote side's size is -1. */
static int meet(MPI_Comm local, int leader, MPI_Comm peers, int remote_leader, int tag, int *head)
{
	int r = MPI_SUCCESS, agreed;

	if (local->rank == leader) {
		r = check_leader(peers, remote_leader, tag);
		head[SIZE] = co_mpi_size(local);
		head[CONTEXT] = (int)co_mpi_context_next();
		head[FIRST] = co_mpi.rank;
		if (!r)
			r = swap(peers, remote_leader, CO_MPI_TAG_GROUP | (uint32_t)tag, head, HEAD,
				 head + HEAD, HEAD);
		if (r)
			head[HEAD + SIZE] = -1;
	}
	agreed = tell_ranks(local, leader, head, 2 * HEAD);
	if (!r && !agreed && head[HEAD + SIZE] < 0)
		agreed = co_mpi_say(MPI_ERR_OTHER, "the call of the leader has failed");
	return r ? r : agreed;
}

CO_MPI_DEFINE(Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
	      int remote_leader, int tag, MPI_Comm *newintercomm)
{
	CO_MPI_SLICE(__func__, (void)0);
	int head[2 * HEAD] = { 0 }, *theirs = head + HEAD, *world = NULL, *own = NULL;
	int r = co_mpi_check_intra(local_comm);

	if (!r && (local_leader < 0 || local_leader >= co_mpi_size(local_comm)))
		r = co_mpi_say(MPI_ERR_RANK, "leader %d of %d", local_leader,
			       co_mpi_size(local_comm));
	if (!r)
		r = meet(local_comm, local_leader, peer_comm, remote_leader, tag, head);
	if (r)
		return co_mpi_error(local_comm, __func__, r);
	own = co_mpi_group_list(local_comm->group);
	world = malloc(sizeof(int) * (size_t)(theirs[SIZE] + 1));
	r = own && world ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	if (!r && local_comm->rank == local_leader)
		r = swap(peer_comm, remote_leader, CO_MPI_TAG_GROUP | (uint32_t)tag, own,
			 head[SIZE], world, theirs[SIZE]);
	if (!r)
		r = tell_ranks(local_comm, local_leader, world, theirs[SIZE]);
	if (!r)
		r = make_intercomm(local_comm, head, theirs, world, newintercomm);
	free(own);
	free(world);
	return co_mpi_error(local_comm, __func__, r);
}

/* ---- Merging both sides ---- */

static int merge(MPI_Comm inter, int high, MPI_Comm *merged)
{
	int r = check_inter(inter), theirs[2], mine[2];
	MPI_Group group;
	bool low;

	if (r)
		return r;
	mine[0] = high != 0;
	mine[1] = inter->rank == 0 ? (int)co_mpi_context_next() : 0;
	r = co_mpi_swap(inter, mine, 2, theirs, 2);
	if (r)
		return r;
	*merged = MPI_COMM_NULL;
	low = mine[0] != theirs[0] ? !mine[0] : inter->local_leads;
	r = co_mpi_group_unite(low ? inter->group : inter->remote,
			       low ? inter->remote : inter->group, &group);
	if (!r)
		r = co_mpi_comm_with(inter, group, NULL, (uint32_t)(low ? mine : theirs)[1],
				     merged);
	return co_mpi_all_have(inter, r, merged);
}

CO_MPI_DEFINE(Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_error(intercomm, __func__, merge(intercomm, high, newintracomm));
}
