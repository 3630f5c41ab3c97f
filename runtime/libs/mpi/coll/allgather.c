/* allgather.c - all-gather. */
#include "collective.h"

/*
 * Bruck: a rank collects parts as bytes, in the order of the ring, from its own part on. In
 * round i it has 2^i parts: it sends them to the rank 2^i to the left, and receives as many from
 * the rank 2^i to the right; in the last round only as many as are missing.
 */

/* The bytes of n parts, from the part of rank `first` on. */
static MPI_Count bytes_of(const struct co_mpi_blocks *b, int first, int n, int size)
{
	MPI_Count bytes = 0;

	if (!b->listed)
		return n * b->count * b->type->size;
	for (int i = 0; i < n; i++)
		bytes += co_mpi_block_bytes(b, (first + i) % size);
	return bytes;
}

static void bruck(struct co_mpi_schedule *s, int rank, int size, const struct co_mpi_blocks *in)
{
	char *parts = co_mpi_schedule_room(s, bytes_of(in, 0, size, size));
	MPI_Count have = co_mpi_block_bytes(in, rank);

	co_mpi_schedule_copy(s, co_mpi_block(in, rank), co_mpi_block_n(in, rank), in->type, parts,
			     have, MPI_BYTE);
	for (int by = 1; by < size; by <<= 1) {
		int n = by < size - by ? by : size - by, from = (rank + by) % size;

		co_mpi_schedule_recv(s, parts + have, bytes_of(in, from, n, size), MPI_BYTE, from);
		co_mpi_schedule_send(s, parts, bytes_of(in, rank, n, size), MPI_BYTE,
				     (rank - by + size) % size);
		co_mpi_schedule_then(s);
		have += bytes_of(in, from, n, size);
	}
	have = co_mpi_block_bytes(in, rank);
	for (int i = 1; i < size; i++) {
		int of = (rank + i) % size;

		co_mpi_schedule_copy(s, parts + have, co_mpi_block_bytes(in, of), MPI_BYTE,
				     co_mpi_block(in, of), co_mpi_block_n(in, of), in->type);
		have += co_mpi_block_bytes(in, of);
	}
}

/*
 * Recursive doubling, of equal parts among a power of two of ranks: in each round two ranks
 * exchange all parts that they have, from and to the parts' places. A rank's partners are its
 * partners in a reduction: windows (cohart/message.h) for these suffice.
 */
static void recursive_doubling(struct co_mpi_schedule *s, int rank, int size,
			       const struct co_mpi_blocks *in)
{
	for (int by = 1; by < size; by <<= 1) {
		int mine = rank & -by;

		co_mpi_schedule_recv(s, co_mpi_block(in, mine ^ by), by * in->count, in->type,
				     rank ^ by);
		co_mpi_schedule_send(s, co_mpi_block(in, mine), by * in->count, in->type,
				     rank ^ by);
		co_mpi_schedule_then(s);
	}
}

static void ring(struct co_mpi_schedule *s, int rank, int size, const struct co_mpi_blocks *in)
{
	int left = (rank - 1 + size) % size, right = (rank + 1) % size;

	for (int i = 0; i < size - 1; i++) {
		int mine = (rank - i + size) % size, next = (mine - 1 + size) % size;

		co_mpi_schedule_recv(s, co_mpi_block(in, next), co_mpi_block_n(in, next), in->type,
				     left);
		co_mpi_schedule_send(s, co_mpi_block(in, mine), co_mpi_block_n(in, mine), in->type,
				     right);
		co_mpi_schedule_then(s);
	}
}

void co_mpi_fill_allgather(struct co_mpi_schedule *s, int rank, int size,
			   const struct co_mpi_blocks *in)
{
	bool is_short = bytes_of(in, 0, size, size) <= CO_MPI_ALLGATHER_SHORT * size;

	if (is_short && !in->listed && !(size & (size - 1)))
		recursive_doubling(s, rank, size, in);
	else if (is_short && size >= CO_MPI_ALLGATHER_BRUCK_RANKS)
		bruck(s, rank, size, in);
	else
		ring(s, rank, size, in);
}

/* Each rank sends to all ranks of the remote side, CO_MPI_WINDOW messages at once. */
static void fill_inter(struct co_mpi_schedule *s, MPI_Comm comm, const void *out, MPI_Count n,
		       MPI_Datatype type, const struct co_mpi_blocks *in)
{
	int others = comm->remote->size;
	int turns = others > co_mpi_size(comm) ? others : co_mpi_size(comm);

	for (int i = 0; i < turns; i++) {
		int to = (comm->rank + i) % turns, from = (comm->rank - i + turns) % turns;

		if (from < others)
			co_mpi_schedule_recv(s, co_mpi_block(in, from), co_mpi_block_n(in, from),
					     in->type, from);
		if (to < others)
			co_mpi_schedule_send(s, out, n, type, to);
		if (i % CO_MPI_WINDOW == CO_MPI_WINDOW - 1)
			co_mpi_schedule_then(s);
	}
}

static int allgather(const void *out, MPI_Count n, MPI_Datatype type,
		     const struct co_mpi_blocks *in, MPI_Comm comm, MPI_Request *request)
{
	int r = co_mpi_check_comm(comm), rank = r ? 0 : comm->rank;
	struct co_mpi_schedule *s;

	if (!r)
		r = co_mpi_check_in_place(comm, out);
	if (!r)
		r = co_mpi_check_blocks(in, comm->peers->size);
	if (!r && out != MPI_IN_PLACE)
		r = co_mpi_check_data(out, n, type);
	if (!r && !comm->remote && !in->listed)
		r = co_mpi_check_two(out, in->base, in->count);
	if (r)
		return r;
	s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED,
				in->listed ? -1 : co_mpi_block_bytes(in, 0));
	if (comm->remote) {
		fill_inter(s, comm, out, n, type, in);
		return co_mpi_schedule_run(s, request);
	}
	if (out != MPI_IN_PLACE)
		co_mpi_schedule_copy(s, out, n, type, co_mpi_block(in, rank),
				     co_mpi_block_n(in, rank), in->type);
	co_mpi_fill_allgather(s, rank, co_mpi_size(comm), in);
	return co_mpi_schedule_run(s, request);
}

CO_MPI_BOTH(Allgather, Iallgather,
	    allgather(sendbuf, sendcount, sendtype, CO_MPI_EQUAL(recvbuf, recvcount, recvtype),
		      comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, recvbuf, recvcount, recvtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), const void *sendbuf,
	    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	    MPI_Datatype recvtype, MPI_Comm comm);

CO_MPI_BOTH(Allgatherv, Iallgatherv,
	    allgather(sendbuf, sendcount, sendtype,
		      CO_MPI_LISTED(recvbuf, recvcounts, displs, recvtype), comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, sendbuf, sendcount, sendtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
	    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
