/* scan.c - reductions over the ranks up to each, with and without itself. */
#include "fold.h"

/*
 * Recursive doubling among `size` ranks from `first` on: in round i each rank adds to its value,
 * from the left, the value of the rank 2^i before it, and so has the value of 2^(i+1) ranks, or of
 * all up to itself.
 */
static void recursive_doubling(struct co_mpi_fold *f, int rank, int first, int size)
{
	for (int by = 1; by < size; by <<= 1) {
		if (rank - by >= first)
			co_mpi_schedule_recv(f->s, co_mpi_fold_theirs(f), f->n, f->type, rank - by);
		if (rank + by < first + size)
			co_mpi_schedule_send(f->s, f->value, f->n, f->type, rank + by);
		co_mpi_schedule_then(f->s);
		if (rank - by >= first)
			co_mpi_fold(f, true);
	}
}

static int scan(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		MPI_Request *request)
{
	struct co_mpi_fold f = { .n = n, .type = type, .op = op };
	int r = co_mpi_check_intra(comm);
	struct co_mpi_short x = CO_MPI_SHORT_OF(comm, n, type, op, MPI_UNDEFINED);

	if (!r)
		r = co_mpi_check_reduction(out, n, in, n, true, type, op, comm);
	if (r)
		return r;
	x.scans = true;
	if (co_mpi_short_begin(&x, request, &r))
		return r ? r : co_mpi_short_scan(&x, out, in, true);
	f.s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED, n * type->size);
	if (n) {
		co_mpi_fold_begin(&f, out, in);
		co_mpi_fold_own(&f);
		recursive_doubling(&f, comm->rank, 0, co_mpi_size(comm));
		co_mpi_fold_end(&f, in);
	}
	return co_mpi_schedule_run(f.s, request);
}

CO_MPI_BOTH(Scan, Iscan, scan(sendbuf, recvbuf, count, datatype, op, comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, recvbuf, count, datatype),
	    (sendbuf, recvbuf, count, datatype, op, comm), const void *sendbuf, void *recvbuf,
	    int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Each rank gets its left neighbour's operand; these operands are scanned from rank 1 on. */
static void fill_exscan(struct co_mpi_fold *f, int rank, int size, const void *out, void *in)
{
	if (out == MPI_IN_PLACE) {
		void *copy = co_mpi_schedule_buffer(f->s, f->n, f->type);

		co_mpi_schedule_copy(f->s, in, f->n, f->type, copy, f->n, f->type);
		out = copy;
	}
	if (rank < size - 1)
		co_mpi_schedule_send(f->s, out, f->n, f->type, rank + 1);
	if (rank == 0)
		return;
	co_mpi_schedule_recv(f->s, in, f->n, f->type, rank - 1);
	co_mpi_schedule_then(f->s);
	co_mpi_fold_begin(f, MPI_IN_PLACE, in);
	recursive_doubling(f, rank, 1, size - 1);
	co_mpi_fold_end(f, in);
}

static int exscan(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		  MPI_Request *request)
{
	struct co_mpi_fold f = { .n = n, .type = type, .op = op };
	int r = co_mpi_check_intra(comm);
	struct co_mpi_short x = CO_MPI_SHORT_OF(comm, n, type, op, MPI_UNDEFINED);

	if (!r) /* the first rank has no result */
		r = co_mpi_check_reduction(out, n, in, n, comm->rank > 0, type, op, comm);
	if (r)
		return r;
	x.scans = true;
	if (co_mpi_short_begin(&x, request, &r))
		return r ? r : co_mpi_short_scan(&x, out, in, false);
	f.s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED, n * type->size);
	if (n)
		fill_exscan(&f, comm->rank, co_mpi_size(comm), out, in);
	return co_mpi_schedule_run(f.s, request);
}

CO_MPI_BOTH(Exscan, Iexscan, exscan(sendbuf, recvbuf, count, datatype, op, comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, recvbuf, count, datatype),
	    (sendbuf, recvbuf, count, datatype, op, comm), const void *sendbuf, void *recvbuf,
	    int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
