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
		r = co_mpi_say(MPI_ERR_TOPOLOGY, "%s has no topology", co_mpi_comm_name(comm));
	if (!r)
		r = co_mpi_check_blocks(out, same && t->outs ? 1 : t->outs);
	if (!r)
		r = co_mpi_check_blocks(in, t->ins);
	if (r)
		return r;
	s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED, -1);
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
	    neighbours(CO_MPI_EQUAL(sendbuf, sendcount, sendtype), true,
		       CO_MPI_EQUAL(recvbuf, recvcount, recvtype), comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, sendbuf, sendcount, sendtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), const void *sendbuf,
	    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	    MPI_Datatype recvtype, MPI_Comm comm);

CO_MPI_BOTH(Neighbor_allgatherv, Ineighbor_allgatherv,
	    neighbours(CO_MPI_EQUAL(sendbuf, sendcount, sendtype), true,
		       CO_MPI_LISTED(recvbuf, recvcounts, displs, recvtype), comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, sendbuf, sendcount, sendtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
	    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);

CO_MPI_BOTH(Neighbor_alltoall, Ineighbor_alltoall,
	    neighbours(CO_MPI_EQUAL(sendbuf, sendcount, sendtype), false,
		       CO_MPI_EQUAL(recvbuf, recvcount, recvtype), comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, sendbuf, sendcount, sendtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), const void *sendbuf,
	    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	    MPI_Datatype recvtype, MPI_Comm comm);

CO_MPI_BOTH(Neighbor_alltoallv, Ineighbor_alltoallv,
	    neighbours(CO_MPI_LISTED(sendbuf, sendcounts, sdispls, sendtype), false,
		       CO_MPI_LISTED(recvbuf, recvcounts, rdispls, recvtype), comm, request),
	    (void)0,
	    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
	    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
	    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
	    MPI_Comm comm);

#define TYPED(buf, n, places, t)  \
	(&(struct co_mpi_blocks){ \
		.base = (buf), .listed = true, .counts = (n), .bytes_at = (places), .types = (t) })

CO_MPI_BOTH(Neighbor_alltoallw, Ineighbor_alltoallw,
	    neighbours(TYPED(sendbuf, sendcounts, sdispls, sendtypes), false,
		       TYPED(recvbuf, recvcounts, rdispls, recvtypes), comm, request),
	    (void)0,
	    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
	     comm),
	    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
	    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
