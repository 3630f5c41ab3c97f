/* reduce_scatter.c - reductions of which each rank gets a part. */
#include "fold.h"

/*
 * Each rank sends every other rank its part of the operand, and reduces the received parts into its
 * own part.
 */
static void pairwise_exchange(struct co_mpi_fold *f, int rank, int size,
			      const struct co_mpi_blocks *out, void *in)
{
	void *own = co_mpi_block(out, rank);
	/* A copy: the operand that is sent may be in the result's place. */
	void *value = co_mpi_schedule_buffer(f->s, f->n, f->type);
	void *theirs[2] = { co_mpi_schedule_buffer(f->s, f->n, f->type),
			    co_mpi_schedule_buffer(f->s, f->n, f->type) };

	co_mpi_schedule_copy(f->s, own, f->n, f->type, value, f->n, f->type);
	for (int i = 1; i < size; i++) {
		int to = (rank + i) % size, from = (rank - i + size) % size;

		if (co_mpi_block_n(out, to))
			co_mpi_schedule_send(f->s, co_mpi_block(out, to), co_mpi_block_n(out, to),
					     f->type, to);
		if (f->n)
			co_mpi_schedule_recv(f->s, theirs[i % 2], f->n, f->type, from);
		co_mpi_schedule_then(f->s);
		if (f->n)
			co_mpi_schedule_reduce(f->s, theirs[i % 2], value, f->n, f->type, f->op);
	}
	co_mpi_schedule_copy(f->s, value, f->n, f->type, in, f->n, f->type);
}

/* Reduce all parts to rank 0, which scatters them. */
static void reduce_then_scatter(struct co_mpi_fold *f, int rank, int size,
				struct co_mpi_blocks *out, MPI_Count all, void *in)
{
	MPI_Count n = f->n;

	f->n = all;
	co_mpi_fold_begin(f, out->base, NULL);
	co_mpi_fold_binomial(f, rank, size, 0);
	co_mpi_schedule_then(f->s);
	out->base = f->value;
	co_mpi_fill_scatter(f->s, rank, size, out, in, n, f->type, 0);
}

/* The ranks of a side get the result of the remote side's operands. */
static void fill_inter(struct co_mpi_fold *f, MPI_Comm comm, struct co_mpi_blocks *out,
		       MPI_Count all, void *in)
{
	MPI_Count n = f->n;
	void *theirs = comm->rank ? NULL : co_mpi_schedule_buffer(f->s, all, f->type);

	f->n = all;
	co_mpi_fold_swap(f, comm, out->base, theirs);
	out->base = theirs;
	co_mpi_fill_scatter(f->s, comm->rank, co_mpi_size(comm), out, in, n, f->type, 0);
}

/* The places of the ranks' parts in the operand, in memory of the schedule. */
static struct co_mpi_blocks parts_of(struct co_mpi_schedule *s, const int counts[], int count,
				     int size, MPI_Datatype type)
{
	struct co_mpi_blocks b = {
		.listed = counts, .count = count, .counts = counts, .type = type
	};
	int *at = counts ? co_mpi_schedule_room(s, (MPI_Count)sizeof(int) * size) : NULL;

	b.at = at;
	if (at)
		at[0] = 0;
	for (int i = 1; i < size && at; i++)
		at[i] = at[i - 1] + counts[i - 1];
	return b;
}

/* Without `counts` each rank gets `count` elements. */
static int reduce_scatter(const void *out, void *in, const int counts[], int count,
			  MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	int r = co_mpi_check_comm(comm), size = r ? 0 : co_mpi_size(comm);
	struct co_mpi_fold f = { .type = type, .op = op };
	MPI_Count all = (MPI_Count)count * size;
	struct co_mpi_blocks parts;

	for (int i = 0; i < size && !r && counts; i++) {
		if (counts[i] < 0)
			r = co_mpi_say(MPI_ERR_COUNT, "%d for rank %d", counts[i], i);
		all += counts[i];
	}
	if (!r)
		r = co_mpi_check_reduction(out, all, in, counts ? counts[comm->rank] : count, true,
					   type, op, comm);
	if (r)
		return r;
	f.s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED, all * type->size);
	if (!all || !f.s)
		return co_mpi_schedule_run(f.s, request);
	f.n = counts ? counts[comm->rank] : count;
	parts = parts_of(f.s, counts, count, size, type);
	parts.base = out == MPI_IN_PLACE ? in : out;
	if (parts.listed && !parts.at)
		return co_mpi_schedule_run(f.s, request); /* returns MPI_ERR_NO_MEM */
	if (comm->remote)
		fill_inter(&f, comm, &parts, all, in);
	else if (op->commutes && all * type->size >= CO_MPI_REDUCE_SCATTER_PAIRWISE * size)
		pairwise_exchange(&f, comm->rank, size, &parts, in);
	else
		reduce_then_scatter(&f, comm->rank, size, &parts, all, in);
	return co_mpi_schedule_run(f.s, request);
}

CO_MPI_BOTH(Reduce_scatter, Ireduce_scatter,
	    reduce_scatter(sendbuf, recvbuf, recvcounts, 0, datatype, op, comm, request), (void)0,
	    (sendbuf, recvbuf, recvcounts, datatype, op, comm), const void *sendbuf, void *recvbuf,
	    const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

CO_MPI_BOTH(Reduce_scatter_block, Ireduce_scatter_block,
	    reduce_scatter(sendbuf, recvbuf, NULL, recvcount, datatype, op, comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, recvbuf, recvcount, datatype),
	    (sendbuf, recvbuf, recvcount, datatype, op, comm), const void *sendbuf, void *recvbuf,
	    int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
