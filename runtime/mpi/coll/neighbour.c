/* neighbour.c - collectives among the neighbours of a topology. */
#include "collective.h"

/*
 * Two ranks may be neighbours more than once, and their messages are received in the order sent. In
 * a grid with a period of one or two a message sent down comes from above: so the two receives of a
 * dimension are in reverse order.
 */
static int arrival(const struct co_mpi_topology *t, int i)
{
	return t->kind == MPI_CART ? i ^ 1 : i;
}

/* `same`: each neighbour gets part 0. */
static int neighbours(const struct co_mpi_blocks *out, bool same, const struct co_mpi_blocks *in,
		      MPI_Comm comm, MPI_Request *request)
{
	int r = co_mpi_check_intra(comm);
	const struct co_mpi_topology *t = r ? NULL : comm->topology;
	struct co_mpi_schedule *s;

	if (!r && !t)
		r = co_mpi_say(MPI_ERR_TOPOLOGY, "%s has no topology", comm->name);
	if (!r)
		r = co_mpi_check_blocks(out, same && t->outs ? 1 : t->outs);
	if (!r)
		r = co_mpi_check_blocks(in, t->ins);
	if (r)
		return r;
	s = co_mpi_schedule_for(comm, MPI_UNDEFINED, -1);
	for (int k = 0; k < t->ins; k++) {
		int i = arrival(t, k);

		co_mpi_schedule_recv(s, co_mpi_block(in, i), co_mpi_block_n(in, i),
				     co_mpi_block_type(in, i), t->from[i]);
	}
	for (int k = 0; k < t->outs; k++) {
		int i = same ? 0 : k;

		co_mpi_schedule_send(s, co_mpi_block(out, i), co_mpi_block_n(out, i),
				     co_mpi_block_type(out, i), t->to[k]);
	}
	return co_mpi_schedule_run(s, request);
}

CO_MPI_BOTH(Neighbor_allgather, Ineighbor_allgather,
	    neighbours(CO_MPI_EQUAL(out, outs, out_type), true, CO_MPI_EQUAL(in, ins, in_type),
		       comm, request),
	    const void *out, int outs, MPI_Datatype out_type, void *in, int ins,
	    MPI_Datatype in_type, MPI_Comm comm);

CO_MPI_BOTH(Neighbor_allgatherv, Ineighbor_allgatherv,
	    neighbours(CO_MPI_EQUAL(out, outs, out_type), true, CO_MPI_LISTED(in, ins, at, in_type),
		       comm, request),
	    const void *out, int outs, MPI_Datatype out_type, void *in, const int ins[],
	    const int at[], MPI_Datatype in_type, MPI_Comm comm);

CO_MPI_BOTH(Neighbor_alltoall, Ineighbor_alltoall,
	    neighbours(CO_MPI_EQUAL(out, outs, out_type), false, CO_MPI_EQUAL(in, ins, in_type),
		       comm, request),
	    const void *out, int outs, MPI_Datatype out_type, void *in, int ins,
	    MPI_Datatype in_type, MPI_Comm comm);

CO_MPI_BOTH(Neighbor_alltoallv, Ineighbor_alltoallv,
	    neighbours(CO_MPI_LISTED(out, outs, out_at, out_type), false,
		       CO_MPI_LISTED(in, ins, in_at, in_type), comm, request),
	    const void *out, const int outs[], const int out_at[], MPI_Datatype out_type, void *in,
	    const int ins[], const int in_at[], MPI_Datatype in_type, MPI_Comm comm);

#define TYPED(buf, n, places, t)  \
	(&(struct co_mpi_blocks){ \
		.base = (buf), .listed = true, .counts = (n), .bytes_at = (places), .types = (t) })

CO_MPI_BOTH(Neighbor_alltoallw, Ineighbor_alltoallw,
	    neighbours(TYPED(out, outs, out_at, out_types), false, TYPED(in, ins, in_at, in_types),
		       comm, request),
	    const void *out, const int outs[], const MPI_Aint out_at[],
	    const MPI_Datatype out_types[], void *in, const int ins[], const MPI_Aint in_at[],
	    const MPI_Datatype in_types[], MPI_Comm comm);
