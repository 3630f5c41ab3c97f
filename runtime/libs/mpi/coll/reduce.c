/* reduce.c - reductions to one rank, to all, and of parts to each. */
#include "fold.h"

/* ---- A running value ---- */

void co_mpi_fold_begin(struct co_mpi_fold *f, const void *out, void *in)
{
	bool there = out == MPI_IN_PLACE;

	f->value = there ? in : (void *)out;
	f->own = there;
	f->spare = there ? NULL : in;
}

void *co_mpi_fold_theirs(struct co_mpi_fold *f)
{
	if (!f->spare)
		f->spare = co_mpi_schedule_buffer(f->s, f->n, f->type);
	return f->spare;
}

void co_mpi_fold_own(struct co_mpi_fold *f)
{
	void *value;

	if (f->own)
		return;
	value = co_mpi_fold_theirs(f);
	co_mpi_schedule_copy(f->s, f->value, f->n, f->type, value, f->n, f->type);
	f->value = value;
	f->own = true;
	f->spare = NULL;
}

static void swap(struct co_mpi_fold *f)
{
	void *value = f->spare;

	co_mpi_schedule_reduce(f->s, f->value, value, f->n, f->type, f->op);
	f->spare = f->own ? f->value : NULL;
	f->value = value;
	f->own = true;
}

void co_mpi_fold(struct co_mpi_fold *f, bool left)
{
	void *theirs = f->spare;

	if (left && !f->own && !f->op->commutes) {
		/* The copy must not overwrite the received operand. */
		f->spare = NULL;
		co_mpi_fold_own(f);
		f->spare = theirs;
	}
	if (f->own && (left || f->op->commutes))
		co_mpi_schedule_reduce(f->s, theirs, f->value, f->n, f->type, f->op);
	else
		swap(f);
}

void co_mpi_fold_end(struct co_mpi_fold *f, void *in)
{
	if (f->value != in)
		co_mpi_schedule_copy(f->s, f->value, f->n, f->type, in, f->n, f->type);
}

/* ---- To one rank ---- */

/*
 * Reduce up a binomial tree to rank `first`: 0, for the order of ranks, or the root if the
 * operation commutes. The value is complete there.
 */
void co_mpi_fold_binomial(struct co_mpi_fold *f, int rank, int size, int first)
{
	int v = (rank - first + size) % size;

	for (int bit = 1; bit < size; bit <<= 1) {
		if (v & bit) {
			co_mpi_schedule_send(f->s, f->value, f->n, f->type,
					     (v - bit + first) % size);
			return;
		}
		if (v + bit >= size)
			continue;
		co_mpi_schedule_recv(f->s, co_mpi_fold_theirs(f), f->n, f->type,
				     (v + bit + first) % size);
		co_mpi_schedule_then(f->s);
		co_mpi_fold(f, false);
	}
}

/* Reduce the values of this side of an inter-communicator to its first rank. */
static void fold_side(struct co_mpi_fold *f, MPI_Comm comm, const void *out)
{
	co_mpi_fold_begin(f, out, NULL);
	co_mpi_schedule_local(f->s, true);
	co_mpi_fold_binomial(f, comm->rank, co_mpi_size(comm), 0);
	co_mpi_schedule_local(f->s, false);
}

void co_mpi_fold_swap(struct co_mpi_fold *f, MPI_Comm comm, const void *out, void *theirs)
{
	fold_side(f, comm, out);
	if (comm->rank == 0) {
		co_mpi_schedule_send(f->s, f->value, f->n, f->type, 0);
		co_mpi_schedule_recv(f->s, theirs, f->n, f->type, 0);
	}
	co_mpi_schedule_then(f->s);
	co_mpi_schedule_local(f->s, true);
}

/* `in` is where the root's result goes to, and NULL elsewhere. */
static void fill_reduce(struct co_mpi_fold *f, int rank, int size, const void *out, void *in,
			int root)
{
	int first = f->op->commutes ? root : 0;

	co_mpi_fold_begin(f, out, in);
	co_mpi_fold_binomial(f, rank, size, first);
	if (first == root) {
		if (rank == root)
			co_mpi_fold_end(f, in);
		return;
	}
	if (rank == 0)
		co_mpi_schedule_send(f->s, f->value, f->n, f->type, root);
	if (rank == root) {
		/* The root's own value may be sent from `in`. */
		co_mpi_schedule_then(f->s);
		co_mpi_schedule_recv(f->s, in, f->n, f->type, 0);
	}
}

int co_mpi_check_reduction(const void *out, MPI_Count all, const void *in, MPI_Count own,
			   bool result, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	int r = co_mpi_check_in_place(comm, out);

	if (!r && out != MPI_IN_PLACE)
		r = co_mpi_check_data(out, all, type);
	if (!r && (result || out == MPI_IN_PLACE))
		r = co_mpi_check_data(in, out == MPI_IN_PLACE ? all : own, type);
	if (!r)
		r = co_mpi_check_op(op, type);
	return r ? r : co_mpi_check_two(out, in, own);
}

static int check_to_root(const void *out, const void *in, int n, MPI_Datatype type, MPI_Op op,
			 int root, MPI_Comm comm)
{
	int r = co_mpi_check_root(comm, root);
	bool is_root;

	if (r || root == MPI_PROC_NULL)
		return r;
	if (root == MPI_ROOT)
		return co_mpi_check_data(in, n, type);
	is_root = !comm->remote && root == comm->rank;
	if (out == MPI_IN_PLACE && !comm->remote && !is_root)
		return co_mpi_say(MPI_ERR_BUFFER, "MPI_IN_PLACE at a rank that is not the root");
	return co_mpi_check_reduction(out, n, is_root ? in : NULL, n, is_root, type, op, comm);
}

static int reduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, int root,
		  MPI_Comm comm, MPI_Request *request)
{
	int r = check_to_root(out, in, n, type, op, root, comm);
	struct co_mpi_fold f = { .n = n, .type = type, .op = op };
	struct co_mpi_short x = CO_MPI_SHORT_OF(comm, n, type, op, root);

	if (r)
		return r;
	if (co_mpi_short_begin(&x, request, &r))
		return r ? r : co_mpi_short_reduce(&x, out, in);
	f.s = co_mpi_schedule_for(comm, request, root, n * type->size);
	if (n == 0)
		return co_mpi_schedule_run(f.s, request);
	if (!comm->remote) {
		fill_reduce(&f, comm->rank, co_mpi_size(comm), out, comm->rank == root ? in : NULL,
			    root);
	} else if (root == MPI_ROOT) {
		co_mpi_schedule_recv(f.s, in, n, type, 0);
	} else if (root != MPI_PROC_NULL) {
		fold_side(&f, comm, out);
		if (comm->rank == 0)
			co_mpi_schedule_send(f.s, f.value, n, type, root);
	}
	return co_mpi_schedule_run(f.s, request);
}

CO_MPI_BOTH(Reduce, Ireduce, reduce(sendbuf, recvbuf, count, datatype, op, root, comm, request),
	    co_mpi_tell_part(root, recvbuf, count, datatype),
	    (sendbuf, recvbuf, count, datatype, op, root, comm), const void *sendbuf, void *recvbuf,
	    int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);

/* ---- To all ---- */

/*
 * Steps among a power of two of ranks: of the first 2 * more ranks, each odd rank takes the value
 * of the even rank before it, and sends it the result. `v` is -1 at an even rank, which waits for
 * the result.
 */
struct powers {
	int rank, size, more;
	int v, n; /* this rank's place among n */
};

static struct powers powers_of(int rank, int size)
{
	struct powers p = { .rank = rank, .size = size, .n = 1 };

	while (2 * p.n <= size)
		p.n *= 2;
	p.more = size - p.n;
	if (rank >= 2 * p.more)
		p.v = rank - p.more;
	else
		p.v = rank % 2 ? rank / 2 : -1;
	return p;
}

static int at_place(const struct powers *p, int v)
{
	return v < p->more ? 2 * v + 1 : v + p->more;
}

static void fold_more(struct co_mpi_fold *f, const struct powers *p)
{
	if (p->rank >= 2 * p->more)
		return;
	if (p->v < 0) {
		co_mpi_schedule_send(f->s, f->value, f->n, f->type, p->rank + 1);
		co_mpi_schedule_then(f->s);
		return;
	}
	co_mpi_schedule_recv(f->s, co_mpi_fold_theirs(f), f->n, f->type, p->rank - 1);
	co_mpi_schedule_then(f->s);
	co_mpi_fold(f, true);
}

static void give_more(struct co_mpi_fold *f, const struct powers *p, void *in)
{
	if (p->rank >= 2 * p->more)
		return;
	if (p->v < 0)
		co_mpi_schedule_recv(f->s, in, f->n, f->type, p->rank + 1);
	else
		co_mpi_schedule_send(f->s, in, f->n, f->type, p->rank - 1);
}

/*
 * Recursive doubling: each round doubles the number of ranks whose operands the value has: all
 * whose places differ from this rank's in the lower bits alone.
 */
static void recursive_doubling(struct co_mpi_fold *f, const struct powers *p)
{
	for (int bit = 1; bit < p->n; bit <<= 1) {
		int other = at_place(p, p->v ^ bit);

		co_mpi_schedule_recv(f->s, co_mpi_fold_theirs(f), f->n, f->type, other);
		co_mpi_schedule_send(f->s, f->value, f->n, f->type, other);
		co_mpi_schedule_then(f->s);
		co_mpi_fold(f, p->v & bit);
	}
}

/* The first element of a part, of n parts. */
static MPI_Count element_of(const struct co_mpi_fold *f, int part, int n)
{
	return f->n * part / n;
}

/*
 * Rabenseifner: a reduce-scatter by recursive halving, then an all-gather by recursive doubling. Of
 * the parts that two ranks have in common, each reduces one half, until each rank has reduced one
 * part; then the halves are exchanged in the reverse order.
 */
static void rabenseifner(struct co_mpi_fold *f, const struct powers *p)
{
	int from = 0, to = p->n;
	char *value, *theirs = co_mpi_fold_theirs(f);

	co_mpi_fold_own(f);
	if (f->value == theirs)
		theirs = co_mpi_fold_theirs(f);
	value = f->value;
	for (int bit = p->n / 2; bit; bit /= 2) {
		int other = at_place(p, p->v ^ bit), half = from + bit;
		bool upper = p->v & bit;
		MPI_Count a = element_of(f, upper ? from : half, p->n);
		MPI_Count b = element_of(f, upper ? half : to, p->n);

		co_mpi_schedule_send(f->s, co_mpi_after(value, a, f->type), b - a, f->type, other);
		from = upper ? half : from;
		to = upper ? to : half;
		a = element_of(f, from, p->n);
		b = element_of(f, to, p->n);
		co_mpi_schedule_recv(f->s, co_mpi_after(theirs, a, f->type), b - a, f->type, other);
		co_mpi_schedule_then(f->s);
		co_mpi_schedule_reduce(f->s, co_mpi_after(theirs, a, f->type),
				       co_mpi_after(value, a, f->type), b - a, f->type, f->op);
	}
	for (int bit = 1; bit < p->n; bit *= 2) {
		int other = at_place(p, p->v ^ bit), first = p->v & ~(2 * bit - 1);
		int half = first + bit, next = first + 2 * bit;
		bool upper = p->v & bit;
		MPI_Count a = element_of(f, upper ? half : first, p->n);
		MPI_Count b = element_of(f, upper ? next : half, p->n);

		co_mpi_schedule_send(f->s, co_mpi_after(value, a, f->type), b - a, f->type, other);
		a = element_of(f, upper ? first : half, p->n);
		b = element_of(f, upper ? half : next, p->n);
		co_mpi_schedule_recv(f->s, co_mpi_after(value, a, f->type), b - a, f->type, other);
		co_mpi_schedule_then(f->s);
	}
}

static void fill_allreduce(struct co_mpi_fold *f, int rank, int size, const void *out, void *in)
{
	struct powers p = powers_of(rank, size);

	co_mpi_fold_begin(f, out, in);
	fold_more(f, &p);
	if (p.v >= 0) {
		if (f->op->commutes && f->n * f->type->size >= CO_MPI_ALLREDUCE_RABENSEIFNER &&
		    f->n >= p.n && size >= CO_MPI_ALLREDUCE_RABENSEIFNER_RANKS)
			rabenseifner(f, &p);
		else
			recursive_doubling(f, &p);
		co_mpi_fold_end(f, in);
	}
	give_more(f, &p, in);
}

static int allreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		     MPI_Request *request)
{
	struct co_mpi_fold f = { .n = n, .type = type, .op = op };
	int r = co_mpi_check_comm(comm);
	struct co_mpi_short x = CO_MPI_SHORT_OF(comm, n, type, op, MPI_UNDEFINED);

	if (!r)
		r = co_mpi_check_reduction(out, n, in, n, true, type, op, comm);
	if (r)
		return r;
	if (co_mpi_short_begin(&x, request, &r))
		return r ? r : co_mpi_short_allreduce(&x, out, in);
	f.s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED, n * type->size);
	if (n == 0)
		return co_mpi_schedule_run(f.s, request);
	if (comm->remote) {
		co_mpi_fold_swap(&f, comm, out, in);
		co_mpi_fill_bcast(f.s, comm->rank, co_mpi_size(comm), in, n, type, 0);
	} else {
		fill_allreduce(&f, comm->rank, co_mpi_size(comm), out, in);
	}
	return co_mpi_schedule_run(f.s, request);
}

CO_MPI_BOTH(Allreduce, Iallreduce, allreduce(sendbuf, recvbuf, count, datatype, op, comm, request),
	    co_mpi_tell_part(MPI_UNDEFINED, recvbuf, count, datatype),
	    (sendbuf, recvbuf, count, datatype, op, comm), const void *sendbuf, void *recvbuf,
	    int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int co_mpi_error_of_all(MPI_Comm comm, int error)
{
	int theirs = error, ours = error;
	int r = PMPI_Allreduce(&error, &theirs, 1, MPI_INT, MPI_MAX, comm);

	/* Between groups `theirs` is the remote side's error, and `ours` comes back from there. */
	if (!r && comm->remote)
		r = PMPI_Allreduce(&theirs, &ours, 1, MPI_INT, MPI_MAX, comm);
	if (r || error)
		return error ? error : r;
	theirs = ours > theirs ? ours : theirs;
	return theirs ? co_mpi_say(theirs, "on another rank") : MPI_SUCCESS;
}
