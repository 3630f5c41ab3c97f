/* collective.c - checks, barrier and broadcast. */
#include "collective.h"

/* ---- Checks ---- */

int co_mpi_check_root(MPI_Comm comm, int root)
{
	int r = co_mpi_check_comm(comm);

	if (r || (comm->remote && co_mpi_root_is_here(root)))
		return r;
	if (root < 0 || root >= comm->peers->size)
		r = co_mpi_say(MPI_ERR_ROOT, "root %d of %d ranks in %s", root, comm->peers->size,
			       co_mpi_comm_name(comm));
	return r;
}

int co_mpi_check_data(const void *buf, MPI_Count n, MPI_Datatype type)
{
	if (buf == MPI_IN_PLACE)
		return co_mpi_say(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for this buffer");
	return co_mpi_check_buffer(buf, n, type);
}

int co_mpi_check_blocks(const struct co_mpi_blocks *b, int n)
{
	int r = b->types ? MPI_SUCCESS : co_mpi_check_type(b->type);

	if (!r && b->base == MPI_IN_PLACE)
		r = co_mpi_say(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for this buffer");
	n = b->listed || n == 0 ? n : 1;
	for (int i = 0; i < n && !r; i++) {
		if (co_mpi_block_n(b, i))
			r = co_mpi_check_buffer(b->base, co_mpi_block_n(b, i),
						co_mpi_block_type(b, i));
	}
	return r;
}

int co_mpi_check_in_place(MPI_Comm comm, const void *buf)
{
	if (!comm->remote || buf != MPI_IN_PLACE)
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_BUFFER, "MPI_IN_PLACE in an inter-communicator");
}

/* ---- Barrier ---- */

/*
 * Dissemination: in round i each rank receives from a rank 2^i away, and so knows of 2^(i+1) ranks:
 * from the rank 2^i to the left or, if the number of ranks is a power of two, from its partner in
 * round i of a reduction. So a rank receives from few ranks: windows (cohart/message.h) suffice.
 */
static void dissemination(struct co_mpi_schedule *s, int rank, int size)
{
	bool pairs = !(size & (size - 1));

	for (int by = 1; by < size; by <<= 1) {
		int from = pairs ? rank ^ by : (rank - by + size) % size;
		int to = pairs ? from : (rank + by) % size;

		co_mpi_schedule_recv(s, NULL, 0, MPI_BYTE, from);
		co_mpi_schedule_send(s, NULL, 0, MPI_BYTE, to);
		co_mpi_schedule_then(s);
	}
}

/*
 * A barrier of each side; then the first ranks of both sides exchange messages, and each tells its
 * side.
 */
static void fill_inter_barrier(struct co_mpi_schedule *s, int rank, int size)
{
	co_mpi_schedule_local(s, true);
	dissemination(s, rank, size);
	co_mpi_schedule_local(s, false);
	if (rank == 0) {
		co_mpi_schedule_recv(s, NULL, 0, MPI_BYTE, 0);
		co_mpi_schedule_send(s, NULL, 0, MPI_BYTE, 0);
		co_mpi_schedule_then(s);
	}
	co_mpi_schedule_local(s, true);
	co_mpi_fill_bcast(s, rank, size, NULL, 0, MPI_BYTE, 0);
}

static int barrier(MPI_Comm comm, MPI_Request *request)
{
	int r = co_mpi_check_comm(comm);
	struct co_mpi_schedule *s;

	if (r)
		return r;
	if (co_mpi_by_lines(comm, request, false))
		return co_mpi_short_barrier(comm);
	s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED, 0);
	if (comm->remote)
		fill_inter_barrier(s, comm->rank, co_mpi_size(comm));
	else
		dissemination(s, comm->rank, co_mpi_size(comm));
	return co_mpi_schedule_run(s, request);
}

CO_MPI_BOTH(Barrier, Ibarrier, barrier(comm, request), (void)0, (comm), MPI_Comm comm);

/* ---- Broadcast ---- */

/* Down a binomial tree: v is the rank counted from the root. */
static void binomial_tree(struct co_mpi_schedule *s, int rank, int size, void *buf, MPI_Count n,
			  MPI_Datatype type, int root)
{
	int v = (rank - root + size) % size, bit = 1;

	while (bit < size && !(v & bit))
		bit <<= 1;
	if (v) {
		co_mpi_schedule_recv(s, buf, n, type, (v - bit + root) % size);
		co_mpi_schedule_then(s);
	}
	while (bit >>= 1)
		if (v + bit < size)
			co_mpi_schedule_send(s, buf, n, type, (v + bit + root) % size);
}

/* Bytes in parts, one for each rank, the last ones shorter or empty. */
struct parts {
	char *bytes;
	MPI_Count all, each;
};

static MPI_Count part_at(const struct parts *p, int i)
{
	return i * p->each < p->all ? i * p->each : p->all;
}

static void send_parts(struct co_mpi_schedule *s, const struct parts *p, int from, int to, int rank)
{
	co_mpi_schedule_send(s, p->bytes + part_at(p, from), part_at(p, to) - part_at(p, from),
			     MPI_BYTE, rank);
}

static void recv_parts(struct co_mpi_schedule *s, const struct parts *p, int from, int to, int rank)
{
	co_mpi_schedule_recv(s, p->bytes + part_at(p, from), part_at(p, to) - part_at(p, from),
			     MPI_BYTE, rank);
}

/* Scatter the parts down a binomial tree, each to its rank; then all-gather them round a ring. */
static void scatter_ring(struct co_mpi_schedule *s, int rank, int size, const struct parts *p,
			 int root)
{
	int v = (rank - root + size) % size, bit = 1;
	int left = (rank - 1 + size) % size, right = (rank + 1) % size;

	while (bit < size && !(v & bit))
		bit <<= 1;
	if (v) {
		recv_parts(s, p, v, v + bit < size ? v + bit : size, (v - bit + root) % size);
		co_mpi_schedule_then(s);
	}
	while (bit >>= 1)
		if (v + bit < size)
			send_parts(s, p, v + bit, v + 2 * bit < size ? v + 2 * bit : size,
				   (v + bit + root) % size);
	for (int i = 0; i < size - 1; i++) {
		int out = (v - i + size) % size, in = (v - i - 1 + size) % size;

		co_mpi_schedule_then(s);
		recv_parts(s, p, in, in + 1, left);
		send_parts(s, p, out, out + 1, right);
	}
}

void co_mpi_fill_bcast(struct co_mpi_schedule *s, int rank, int size, void *buf, MPI_Count n,
		       MPI_Datatype type, int root)
{
	struct parts p = { .all = n * type->size };

	if (p.all < CO_MPI_BCAST_SCATTER || size < CO_MPI_BCAST_SCATTER_RANKS) {
		binomial_tree(s, rank, size, buf, n, type, root);
		return;
	}
	p.each = ((p.all + size - 1) / size + 63) & ~(MPI_Count)63;
	if (type->plain) {
		p.bytes = co_mpi_type_data(type, buf);
		scatter_ring(s, rank, size, &p, root);
		return;
	}
	p.bytes = co_mpi_schedule_room(s, p.all);
	if (rank == root)
		co_mpi_schedule_copy(s, buf, n, type, p.bytes, p.all, MPI_BYTE);
	scatter_ring(s, rank, size, &p, root);
	co_mpi_schedule_then(s);
	if (rank != root)
		co_mpi_schedule_copy(s, p.bytes, p.all, MPI_BYTE, buf, n, type);
}

static void fill_inter_bcast(struct co_mpi_schedule *s, MPI_Comm comm, void *buf, MPI_Count n,
			     MPI_Datatype type, int root)
{
	if (root == MPI_ROOT)
		co_mpi_schedule_send(s, buf, n, type, 0);
	if (co_mpi_root_is_here(root))
		return;
	if (comm->rank == 0) {
		co_mpi_schedule_recv(s, buf, n, type, root);
		co_mpi_schedule_then(s);
	}
	co_mpi_schedule_local(s, true);
	co_mpi_fill_bcast(s, comm->rank, co_mpi_size(comm), buf, n, type, 0);
}

static int bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
	int r = co_mpi_check_root(comm, root);
	struct co_mpi_schedule *s;

	if (!r && root != MPI_PROC_NULL)
		r = co_mpi_check_data(buf, n, type);
	if (r || (co_mpi_by_lines(comm, request, false) &&
		  co_mpi_short_bcast(buf, n, type, root, comm, &r)))
		return r;
	s = co_mpi_schedule_for(comm, request, root, n * type->size);
	if (comm->remote)
		fill_inter_bcast(s, comm, buf, n, type, root);
	else
		co_mpi_fill_bcast(s, comm->rank, co_mpi_size(comm), buf, n, type, root);
	return co_mpi_schedule_run(s, request);
}

CO_MPI_BOTH(Bcast, Ibcast, bcast(buffer, count, datatype, root, comm, request),
	    co_mpi_tell_part(root, buffer, count, datatype), (buffer, count, datatype, root, comm),
	    void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);

/* ---- Between the sides of an inter-communicator ---- */

int co_mpi_swap(MPI_Comm inter, int mine[], int n, int theirs[], int m)
{
	struct co_mpi_schedule *s = co_mpi_schedule_new(inter, true);

	if (inter->rank == 0) {
		co_mpi_schedule_recv(s, theirs, m, MPI_INT, 0);
		co_mpi_schedule_send(s, mine, n, MPI_INT, 0);
		co_mpi_schedule_then(s);
	}
	co_mpi_schedule_local(s, true);
	co_mpi_fill_bcast(s, inter->rank, co_mpi_size(inter), theirs, m, MPI_INT, 0);
	co_mpi_schedule_then(s);
	co_mpi_fill_bcast(s, inter->rank, co_mpi_size(inter), mine, n, MPI_INT, 0);
	return co_mpi_schedule_run(s, NULL);
}
