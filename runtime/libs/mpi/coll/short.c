/*
 * short.c - blocking collectives of short data among all ranks: by lines of their team
 * (cohart/team.h), without messages.
 *
 * All ranks of a communicator must go one way, whatever each of them has under way, and wherever
 * its data lies. So the choice is by arguments that all ranks give alike: the communicator, the
 * bytes, the type of a reduction. Of a broadcast the root chooses by its bytes, and tells all.
 */
#include <errno.h>
#include <string.h>

#include "collective.h"

/* Count the collective. With DEBUG=1: do all ranks call it? */
static int begin(MPI_Comm comm)
{
	if (CO_MPI_COMPARES)
		return co_mpi_agree(comm, co_mpi_number(comm));
	(void)co_mpi_number(comm);
	return MPI_SUCCESS;
}

/* A rank's number in the team of all ranks. */
static unsigned member_of(MPI_Comm comm, int rank)
{
	return (unsigned)co_mpi_group_world(comm->group, rank);
}

int co_mpi_short_barrier(MPI_Comm comm)
{
	int e;

	co_mpi_schedule_is(comm, MPI_UNDEFINED, 0);
	e = begin(comm);
	return e ? e : co_mpi_class(co_team_sync(co_mpi.me));
}

/* A type with holes: the root packs, and each other rank unpacks. */
static int bcast_packed(void *buf, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm,
			size_t *sent)
{
	size_t bytes = (size_t)(n * type->size);
	char packed[CO_TEAM_SHORT];
	int r;

	if (comm->rank == root && bytes <= sizeof(packed))
		co_mpi_pack(buf, n, type, packed);
	else if (comm->rank != root && bytes > sizeof(packed))
		bytes = sizeof(packed);
	r = co_broadcast_short(co_mpi.me, member_of(comm, root), packed, bytes, sent);
	if (!r && comm->rank != root && *sent <= sizeof(packed))
		co_mpi_unpack(packed, (MPI_Count)(*sent < bytes ? *sent : bytes), buf, n, type);
	return r;
}

bool co_mpi_short_bcast(void *buf, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm,
			int *error)
{
	size_t bytes = (size_t)(n * type->size), sent = 0;
	int r;

	co_mpi_schedule_is(comm, root, (MPI_Count)bytes);
	*error = begin(comm);
	if (*error)
		return true;
	if (type->plain)
		r = co_broadcast_short(co_mpi.me, member_of(comm, root),
				       co_mpi_type_data(type, buf), bytes, &sent);
	else
		r = bcast_packed(buf, n, type, root, comm, &sent);
	if (!r && sent > CO_TEAM_SHORT)
		return false;
	if (!r)
		r = sent > bytes ? -EMSGSIZE : sent < bytes ? -EBADMSG : 0;
	*error = co_mpi_class(r);
	return true;
}

/* ---- Reductions ---- */

/* A co_combine_fn; the result of an operation is in the place of its second operand. */
static void combine(void *value, const void *right, void *arg)
{
	const struct co_mpi_short *x = arg;
	_Alignas(max_align_t) char copy[CO_TEAM_SHORT];

	if (x->op->commutes) {
		co_mpi_op_apply(x->op, right, value, x->n, x->type);
		return;
	}
	memcpy(copy, right, x->bytes);
	co_mpi_op_apply(x->op, value, copy, x->n, x->type);
	memcpy(value, copy, x->bytes);
}

bool co_mpi_short_begin(struct co_mpi_short *x, const MPI_Request *request, int *error)
{
	/* Between groups there may be neither type nor operation. */
	if (!co_mpi_by_lines(x->comm, request, x->scans) ||
	    !co_mpi_by_lines(x->comm, request, !x->op->commutes))
		return false;
	x->bytes = (size_t)(x->n * x->type->size);
	if (x->bytes > CO_TEAM_SHORT || !x->type->plain || x->type->true_lower)
		return false;
	co_mpi_schedule_is(x->comm, x->root, (MPI_Count)x->bytes);
	*error = begin(x->comm);
	return true;
}

/* This rank's operand, in the place of its result. */
static void take_operand(const struct co_mpi_short *x, const void *out, void *value)
{
	if (out != MPI_IN_PLACE && x->bytes)
		memcpy(value, out, x->bytes);
}

int co_mpi_short_allreduce(struct co_mpi_short *x, const void *out, void *in)
{
	take_operand(x, out, in);
	return co_mpi_class(co_all_reduce(co_mpi.me, in, x->bytes, combine, x));
}

/* The team begins at the root. An operation that does not commute has to begin at rank 0. */
int co_mpi_short_reduce(struct co_mpi_short *x, const void *out, void *in)
{
	_Alignas(max_align_t) char value[CO_TEAM_SHORT];
	bool is_root = x->comm->rank == x->root;
	unsigned root = member_of(x->comm, x->root);

	if (is_root)
		take_operand(x, out, in);
	if (x->op->commutes || !root)
		return co_mpi_class(co_reduce(co_mpi.me, root, is_root ? in : (void *)out, x->bytes,
					      combine, x));
	if (!is_root)
		take_operand(x, out, value);
	return co_mpi_class(co_all_reduce(co_mpi.me, is_root ? in : value, x->bytes, combine, x));
}

int co_mpi_short_scan(struct co_mpi_short *x, const void *out, void *in, bool with)
{
	_Alignas(max_align_t) char value[CO_TEAM_SHORT];

	if (with) {
		take_operand(x, out, in);
		return co_mpi_class(co_scan(co_mpi.me, in, NULL, x->bytes, combine, x));
	}
	take_operand(x, out == MPI_IN_PLACE ? in : out, value);
	return co_mpi_class(co_scan(co_mpi.me, value, in, x->bytes, combine, x));
}
