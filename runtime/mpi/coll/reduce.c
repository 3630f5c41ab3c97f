/* reduce.c - reductions to one rank, to all, and of parts to each. */
#include <errno.h>
#include <string.h>

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

	if (r)
		return r;
	f.s = co_mpi_schedule_for(comm, root, n * type->size);
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
	    const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	    int root, MPI_Comm comm);

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

/* Is a value of this size reduced by halves, where that is possible? */
static bool is_rabenseifner(MPI_Count bytes)
{
	return bytes >= CO_MPI_ALLREDUCE_RABENSEIFNER;
}

static void fill_allreduce(struct co_mpi_fold *f, int rank, int size, const void *out, void *in)
{
	struct powers p = powers_of(rank, size);

	co_mpi_fold_begin(f, out, in);
	fold_more(f, &p);
	if (p.v >= 0) {
		if (f->op->commutes && is_rabenseifner(f->n * f->type->size) && f->n >= p.n &&
		    size >= CO_MPI_ALLREDUCE_RABENSEIFNER_RANKS)
			rabenseifner(f, &p);
		else
			recursive_doubling(f, &p);
		co_mpi_fold_end(f, in);
	}
	give_more(f, &p, in);
}

/*
 * ---- A short value, to all, at once ----
 *
 * The messages equal the messages of recursive_doubling(), which other ranks may run. The
 * value is sent from co_mpi.now, since no other hart can use the caller's stack if that is in a
 * scratchpad.
 */

/* An all-reduce at once, of elements that lie as bytes. */
struct at_once {
	MPI_Comm comm;
	MPI_Op op;
	MPI_Datatype type;
	MPI_Count n;
	size_t bytes;
	uint32_t tag;
};

/*
 * Send `out` to rank `other`, and receive `in` from it (NULL: not). Returns 0, or a negative errno
 * number.
 */
static int meet(const struct at_once *a, int other, const void *out, void *in)
{
	unsigned world = (unsigned)co_mpi_group_world(a->comm->group, other);
	uint32_t context = a->comm->context + 1;
	struct co_message *sent = &co_mpi.now->sent;
	struct co_message_info got = { 0 };
	int r = 0, also = 0;

	/* Begin the send without waiting: two ranks that exchange might both wait for room. */
	if (out)
		r = co_message_send_start(co_mpi.me, world, a->tag, context, out, a->bytes, sent);
	if (!r && in)
		r = co_message_recv(co_mpi.me, world, a->tag, context, in, a->bytes, &got);
	if (!r && in && got.bytes < a->bytes)
		r = -EBADMSG;
	if (out)
		also = co_message_wait(co_mpi.me, sent);
	return r ? r : also;
}

/* Reduce the received `theirs` and `value`, into `value`. */
static void fold_now(const struct at_once *a, void *value, void *theirs, bool left)
{
	if (left || a->op->commutes) {
		co_mpi_op_apply(a->op, theirs, value, a->n, a->type);
	} else {
		co_mpi_op_apply(a->op, value, theirs, a->n, a->type);
		memcpy(value, theirs, a->bytes);
	}
}

static int fold_all_now(const struct at_once *a, void *value)
{
	struct powers p = powers_of(a->comm->rank, a->comm->group->size);
	_Alignas(max_align_t) char theirs[CO_MESSAGE_SHORT];
	bool more = p.rank < 2 * p.more;
	int r = 0;

	if (p.v < 0) {
		r = meet(a, p.rank + 1, value, NULL);
		return r ? r : meet(a, p.rank + 1, NULL, value);
	}
	if (more) {
		r = meet(a, p.rank - 1, NULL, theirs);
		if (!r)
			fold_now(a, value, theirs, true);
	}
	for (int bit = 1; !r && bit < p.n; bit <<= 1) {
		r = meet(a, at_place(&p, p.v ^ bit), value, theirs);
		if (!r)
			fold_now(a, value, theirs, p.v & bit);
	}
	return r || !more ? r : meet(a, p.rank - 1, value, NULL);
}

/*
 * May an all-reduce run at once? Not while collectives are under way, which would not go on
 * meanwhile, nor while the send of a cancelled call is under way.
 */
static bool may_be_now(MPI_Comm comm, MPI_Count n, MPI_Datatype type)
{
	MPI_Count bytes = n * type->size;

	return !comm->remote && type->plain && !type->true_lower && bytes <= CO_MESSAGE_SHORT &&
	       !is_rabenseifner(bytes) && !co_mpi_schedules_busy() &&
	       !co_message_test(co_mpi.me, &co_mpi.now->sent);
}

static int allreduce_now(const void *out, void *in, MPI_Count n, MPI_Datatype type, MPI_Op op,
			 MPI_Comm comm)
{
	struct at_once a = { comm, op, type, n, (size_t)(n * type->size), 0 };
	void *value = co_mpi.now->value;
	int r;

	a.tag = comm->sequence++ & INT32_MAX;
	co_mpi_schedule_is(comm, MPI_UNDEFINED, n * type->size);
	r = CO_MPI_COMPARES ? co_mpi_agree(comm, a.tag) : MPI_SUCCESS;
	if (r)
		return r;
	if (!a.bytes)
		return MPI_SUCCESS;
	memcpy(value, co_mpi_type_data(type, out == MPI_IN_PLACE ? in : out), a.bytes);
	r = fold_all_now(&a, value);
	if (r)
		return co_mpi_class(r);
	memcpy(co_mpi_type_data(type, in), value, a.bytes);
	return MPI_SUCCESS;
}

static int allreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		     MPI_Request *request)
{
	struct co_mpi_fold f = { .n = n, .type = type, .op = op };
	int r = co_mpi_check_comm(comm);

	if (!r)
		r = co_mpi_check_reduction(out, n, in, n, true, type, op, comm);
	if (r)
		return r;
	if (!request && may_be_now(comm, n, type))
		return allreduce_now(out, in, n, type, op, comm);
	f.s = co_mpi_schedule_for(comm, MPI_UNDEFINED, n * type->size);
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
	    const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
	    MPI_Comm comm);

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
