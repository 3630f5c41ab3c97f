/* gather.c - gather and scatter, with equal parts and others. */
#include "collective.h"

/*
 * Down or up a binomial tree: v is the rank counted from the root. A rank gathers, or scatters, the
 * parts of its subtree, [v, v + below), as bytes in this order.
 */
struct tree {
	int v, size, root;
	int bit; /* the lowest of v; at the root, the first not below size: the parent is v - bit */
	int below; /* ranks in the subtree, with this rank */
};

static struct tree tree_of(int rank, int size, int root)
{
	struct tree t = { .v = (rank - root + size) % size, .size = size, .root = root, .bit = 1 };

	while (t.bit < size && !(t.v & t.bit))
		t.bit <<= 1;
	t.below = t.v + t.bit < size ? t.bit : size - t.v;
	return t;
}

static int rank_of(const struct tree *t, int v)
{
	return (v + t->root) % t->size;
}

/* The size of the subtree of the child v + bit, as far as there are ranks. */
static int below(const struct tree *t, int bit)
{
	return t->v + 2 * bit < t->size ? bit : t->size - t->v - bit;
}

static bool is_binomial(MPI_Count bytes, int size)
{
	return bytes <= CO_MPI_GATHER_BINOMIAL && size >= CO_MPI_GATHER_BINOMIAL_RANKS;
}

/* ---- Gather ---- */

static void gather_binomial(struct co_mpi_schedule *s, const struct tree *t, const void *out,
			    MPI_Count n, MPI_Datatype type, char *parts)
{
	MPI_Count each = n * type->size;

	if (t->below == 1 && t->v) {
		co_mpi_schedule_send(s, out, n, type, rank_of(t, t->v - t->bit));
		return;
	}
	co_mpi_schedule_copy(s, out, n, type, parts, each, MPI_BYTE);
	for (int bit = 1; bit < t->bit && t->v + bit < t->size; bit <<= 1)
		co_mpi_schedule_recv(s, parts + bit * each, below(t, bit) * each, MPI_BYTE,
				     rank_of(t, t->v + bit));
	co_mpi_schedule_then(s);
	if (t->v)
		co_mpi_schedule_send(s, parts, t->below * each, MPI_BYTE,
				     rank_of(t, t->v - t->bit));
}

/* Copy n parts, of ranks from `first` on, from `parts` to their places (back), or to `parts`. */
static void copy_order(struct co_mpi_schedule *s, const struct co_mpi_blocks *all, int first, int n,
		       char *parts, bool back)
{
	MPI_Count bytes = n * all->count * all->type->size;

	if (back)
		co_mpi_schedule_copy(s, parts, bytes, MPI_BYTE, co_mpi_block(all, first),
				     n * all->count, all->type);
	else
		co_mpi_schedule_copy(s, co_mpi_block(all, first), n * all->count, all->type, parts,
				     bytes, MPI_BYTE);
}

/* At the root: copy between `parts`, in the tree's order, and the places of the ranks' parts. */
static void reorder(struct co_mpi_schedule *s, const struct co_mpi_blocks *all, int root, int size,
		    char *parts, bool back)
{
	copy_order(s, all, root, size - root, parts, back);
	if (root)
		copy_order(s, all, 0, root, parts + (size - root) * all->count * all->type->size,
			   back);
}

static void recv_all(struct co_mpi_schedule *s, const struct co_mpi_blocks *in, int size, int but)
{
	for (int i = 0; i < size; i++)
		if (i != but)
			co_mpi_schedule_recv(s, co_mpi_block(in, i), co_mpi_block_n(in, i),
					     co_mpi_block_type(in, i), i);
}

/* `out` may be MPI_IN_PLACE at the root, whose part is in its place. */
static void fill_gather(struct co_mpi_schedule *s, int rank, int size, const void *out, MPI_Count n,
			MPI_Datatype type, const struct co_mpi_blocks *in, int root)
{
	bool there = out == MPI_IN_PLACE;
	struct tree t = tree_of(rank, size, root);
	char *parts;

	if (there) {
		out = co_mpi_block(in, root);
		n = co_mpi_block_n(in, root);
		type = in->type;
	}
	if (!in->listed && is_binomial(n * type->size, size)) {
		parts = t.below > 1 ? co_mpi_schedule_room(s, t.below * n * type->size) : NULL;
		gather_binomial(s, &t, out, n, type, parts);
		if (rank == root)
			reorder(s, in, root, size, parts, true);
		return;
	}
	if (rank != root) {
		co_mpi_schedule_send(s, out, n, type, root);
		return;
	}
	if (!there)
		co_mpi_schedule_copy(s, out, n, type, co_mpi_block(in, root),
				     co_mpi_block_n(in, root), in->type);
	recv_all(s, in, size, root);
}

/* The bytes of a rank's part: by `all` at the root, by its own part at any other rank. */
static MPI_Count bytes_of(MPI_Comm comm, int root, const struct co_mpi_blocks *all, MPI_Count n,
			  MPI_Datatype type)
{
	return comm->rank == root ? co_mpi_block_bytes(all, 0) : n * type->size;
}

/* `own`: this rank's part; `all`: the parts of all ranks, at the root. */
static int check_parts(const void *own, MPI_Count n, MPI_Datatype type,
		       const struct co_mpi_blocks *all, int root, MPI_Comm comm)
{
	int r = co_mpi_check_root(comm, root);
	bool is_root = !r && root == (comm->remote ? MPI_ROOT : comm->rank);

	if (r || root == MPI_PROC_NULL)
		return r;
	if (is_root)
		r = co_mpi_check_blocks(all, comm->peers->size);
	if (!r && root != MPI_ROOT && !(is_root && own == MPI_IN_PLACE))
		r = co_mpi_check_data(own, n, type);
	if (!r && is_root && !comm->remote && !all->listed)
		r = co_mpi_check_two(own, all->base, all->count);
	return r;
}

static int gather(const void *out, MPI_Count n, MPI_Datatype type, const struct co_mpi_blocks *in,
		  int root, MPI_Comm comm, MPI_Request *request)
{
	int r = check_parts(out, n, type, in, root, comm);
	struct co_mpi_schedule *s;

	if (r)
		return r;
	s = co_mpi_schedule_for(comm, request, root,
				in->listed ? -1 : bytes_of(comm, root, in, n, type));
	if (!comm->remote)
		fill_gather(s, comm->rank, co_mpi_size(comm), out, n, type, in, root);
	else if (root == MPI_ROOT)
		recv_all(s, in, comm->remote->size, MPI_UNDEFINED);
	else
		co_mpi_schedule_send(s, out, n, type, root);
	return co_mpi_schedule_run(s, request);
}

CO_MPI_BOTH(Gather, Igather,
	    gather(sendbuf, sendcount, sendtype, CO_MPI_EQUAL(recvbuf, recvcount, recvtype), root,
		   comm, request),
	    co_mpi_tell_part(root, sendbuf, sendcount, sendtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
	    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	    MPI_Datatype recvtype, int root, MPI_Comm comm);

CO_MPI_BOTH(Gatherv, Igatherv,
	    gather(sendbuf, sendcount, sendtype,
		   CO_MPI_LISTED(recvbuf, recvcounts, displs, recvtype), root, comm, request),
	    co_mpi_tell_part(root, sendbuf, sendcount, sendtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
	    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	    const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
	    MPI_Comm comm);

/* ---- Scatter ---- */

static void scatter_binomial(struct co_mpi_schedule *s, const struct tree *t, void *in, MPI_Count n,
			     MPI_Datatype type, MPI_Count each, char *parts)
{
	int bit = t->bit;

	if (t->v) {
		if (t->below == 1) {
			co_mpi_schedule_recv(s, in, n, type, rank_of(t, t->v - bit));
			return;
		}
		co_mpi_schedule_recv(s, parts, t->below * each, MPI_BYTE, rank_of(t, t->v - bit));
		co_mpi_schedule_then(s);
	}
	while (bit >>= 1)
		if (t->v + bit < t->size)
			co_mpi_schedule_send(s, parts + bit * each, below(t, bit) * each, MPI_BYTE,
					     rank_of(t, t->v + bit));
	if (in != MPI_IN_PLACE)
		co_mpi_schedule_copy(s, parts, each, MPI_BYTE, in, n, type);
}

static void send_all(struct co_mpi_schedule *s, const struct co_mpi_blocks *out, int size, int but)
{
	for (int i = 0; i < size; i++)
		if (i != but)
			co_mpi_schedule_send(s, co_mpi_block(out, i), co_mpi_block_n(out, i),
					     co_mpi_block_type(out, i), i);
}

static void scatter_all(struct co_mpi_schedule *s, int rank, int size,
			const struct co_mpi_blocks *out, void *in, MPI_Count n, MPI_Datatype type,
			int root)
{
	if (rank != root) {
		co_mpi_schedule_recv(s, in, n, type, root);
		return;
	}
	if (in != MPI_IN_PLACE && in != co_mpi_block(out, root))
		co_mpi_schedule_copy(s, co_mpi_block(out, root), co_mpi_block_n(out, root),
				     out->type, in, n, type);
	send_all(s, out, size, root);
}

void co_mpi_fill_scatter(struct co_mpi_schedule *s, int rank, int size,
			 const struct co_mpi_blocks *out, void *in, MPI_Count n, MPI_Datatype type,
			 int root)
{
	struct tree t = tree_of(rank, size, root);
	MPI_Count each = rank == root ? out->count * out->type->size : n * type->size;
	char *parts;

	if (out->listed || !is_binomial(each, size)) {
		scatter_all(s, rank, size, out, in, n, type, root);
		return;
	}
	parts = t.below > 1 ? co_mpi_schedule_room(s, t.below * each) : NULL;
	if (rank == root)
		reorder(s, out, root, size, parts, false);
	scatter_binomial(s, &t, in, n, type, each, parts);
}

static int scatter(const struct co_mpi_blocks *out, void *in, MPI_Count n, MPI_Datatype type,
		   int root, MPI_Comm comm, MPI_Request *request)
{
	int r = check_parts(in, n, type, out, root, comm);
	struct co_mpi_schedule *s;

	if (r)
		return r;
	s = co_mpi_schedule_for(comm, request, root,
				out->listed ? -1 : bytes_of(comm, root, out, n, type));
	if (!comm->remote)
		co_mpi_fill_scatter(s, comm->rank, co_mpi_size(comm), out, in, n, type, root);
	else if (root == MPI_ROOT)
		send_all(s, out, comm->remote->size, MPI_UNDEFINED);
	else
		co_mpi_schedule_recv(s, in, n, type, root);
	return co_mpi_schedule_run(s, request);
}

CO_MPI_BOTH(Scatter, Iscatter,
	    scatter(CO_MPI_EQUAL(sendbuf, sendcount, sendtype), recvbuf, recvcount, recvtype, root,
		    comm, request),
	    co_mpi_tell_part(root, recvbuf, recvcount, recvtype),
	    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),
	    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
	    MPI_Datatype recvtype, int root, MPI_Comm comm);

CO_MPI_BOTH(Scatterv, Iscatterv,
	    scatter(CO_MPI_LISTED(sendbuf, sendcounts, displs, sendtype), recvbuf, recvcount,
		    recvtype, root, comm, request),
	    co_mpi_tell_part(root, recvbuf, recvcount, recvtype),
	    (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
	    const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
	    void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
