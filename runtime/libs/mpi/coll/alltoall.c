/* alltoall.c - all-to-all: each rank has a part for each rank. */
#include <string.h>

#include "pairwise.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- Bruck: short parts among many ranks ---- */

/*
 * A part for the rank k to the right makes one hop for each bit that is set in k, together with all
 * other parts that have the bit. `parts` holds the parts as bytes, part k at k * each; parts with
 * the bit are packed into one message.
 */
struct hop {
	char *parts, *packed;
	MPI_Count each;
	int size, bit;
	bool unpack;
};

static int hop(void *arg)
{
	struct hop *h = arg;
	char *packed = h->packed;

	for (int k = h->bit; k < h->size; k++) {
		char *part = h->parts + k * h->each;

		if (!(k & h->bit))
			continue;
		if (h->unpack)
			memcpy(part, packed, (size_t)h->each);
		else
			memcpy(packed, part, (size_t)h->each);
		packed += h->each;
	}
	return MPI_SUCCESS;
}

static void add_hop(struct co_mpi_schedule *s, const struct hop *like, char *packed, bool unpack)
{
	struct hop *h = co_mpi_schedule_room(s, sizeof(*h));

	if (!h)
		return;
	*h = *like;
	h->packed = packed;
	h->unpack = unpack;
	co_mpi_schedule_call(s, hop, h);
}

/*
 * Copy the parts into the order of the ring, from this rank's own part on, and run the rounds.
 * After them part k is from the rank k to the left: copy each part to its place.
 */
static void bruck(struct co_mpi_schedule *s, int rank, int size, const struct co_mpi_blocks *out,
		  const struct co_mpi_blocks *in)
{
	struct hop h = { .each = in->count * in->type->size, .size = size };
	MPI_Count half = (size + 1) / 2 * h.each;
	char *packed = co_mpi_schedule_room(s, 2 * half), *came = packed + half;

	h.parts = co_mpi_schedule_room(s, size * h.each);
	co_mpi_schedule_copy(s, co_mpi_block(out, rank), (size - rank) * out->count, out->type,
			     h.parts, (size - rank) * h.each, MPI_BYTE);
	if (rank)
		co_mpi_schedule_copy(s, co_mpi_block(out, 0), rank * out->count, out->type,
				     h.parts + (size - rank) * h.each, rank * h.each, MPI_BYTE);
	for (h.bit = 1; h.bit < size; h.bit <<= 1) {
		MPI_Count bytes = 0;

		for (int k = h.bit; k < size; k++)
			bytes += k & h.bit ? h.each : 0;
		add_hop(s, &h, packed, false);
		co_mpi_schedule_recv(s, came, bytes, MPI_BYTE, (rank - h.bit + size) % size);
		co_mpi_schedule_send(s, packed, bytes, MPI_BYTE, (rank + h.bit) % size);
		co_mpi_schedule_then(s);
		add_hop(s, &h, came, true);
	}
	for (int k = 0; k < size; k++)
		co_mpi_schedule_copy(s, h.parts + k * h.each, h.each, MPI_BYTE,
				     co_mpi_block(in, (rank - k + size) % size), in->count,
				     in->type);
}

/* ---- Pairwise exchange ---- */

/* Empty parts are not sent: both sides know their size. */
static void exchange(struct co_mpi_schedule *s, const struct co_mpi_blocks *out, int to,
		     const struct co_mpi_blocks *in, int from)
{
	if (from >= 0 && co_mpi_block_bytes(in, from))
		co_mpi_schedule_recv(s, co_mpi_block(in, from), co_mpi_block_n(in, from),
				     co_mpi_block_type(in, from), from);
	if (to >= 0 && co_mpi_block_bytes(out, to))
		co_mpi_schedule_send(s, co_mpi_block(out, to), co_mpi_block_n(out, to),
				     co_mpi_block_type(out, to), to);
}

static void own(struct co_mpi_schedule *s, int rank, const struct co_mpi_blocks *out,
		const struct co_mpi_blocks *in)
{
	MPI_Count outs = co_mpi_block_n(out, rank), ins = co_mpi_block_n(in, rank);

	/* With no elements the type is not read: it may be invalid. */
	if (outs || ins)
		co_mpi_schedule_copy(
			s, co_mpi_block(out, rank), outs, co_mpi_block_type(outs ? out : in, rank),
			co_mpi_block(in, rank), ins, co_mpi_block_type(ins ? in : out, rank));
}

/* CO_MPI_WINDOW messages each way at once, to the right and from the left. */
static void pairwise_exchange(struct co_mpi_schedule *s, int rank, int size,
			      const struct co_mpi_blocks *out, const struct co_mpi_blocks *in)
{
	own(s, rank, out, in);
	for (int i = 1; i < size; i++) {
		exchange(s, out, (rank + i) % size, in, (rank - i + size) % size);
		if (i % CO_MPI_WINDOW == 0)
			co_mpi_schedule_then(s);
	}
}

static void fill_inter(struct co_mpi_schedule *s, MPI_Comm comm, const struct co_mpi_blocks *out,
		       const struct co_mpi_blocks *in)
{
	int others = comm->remote->size, rank = comm->rank;
	int turns = others > co_mpi_size(comm) ? others : co_mpi_size(comm);

	for (int i = 0; i < turns; i++) {
		int to = (rank + i) % turns, from = (rank - i + turns) % turns;

		exchange(s, out, to < others ? to : -1, in, from < others ? from : -1);
		if (i % CO_MPI_WINDOW == CO_MPI_WINDOW - 1)
			co_mpi_schedule_then(s);
	}
}

/* In place: pack a copy of the parts first, then send from the copy and receive into the buffer. */
static void fill_in_place(struct co_mpi_schedule *s, int rank, int size,
			  const struct co_mpi_blocks *in)
{
	MPI_Count bytes = 0;
	char *parts;

	for (int i = 0; i < size; i++)
		bytes += co_mpi_block_bytes(in, i);
	parts = co_mpi_schedule_room(s, bytes);
	for (int i = 1; i < size; i++) {
		int to = (rank + i) % size;

		bytes = co_mpi_block_bytes(in, to);
		if (bytes)
			co_mpi_schedule_copy(s, co_mpi_block(in, to), co_mpi_block_n(in, to),
					     co_mpi_block_type(in, to), parts, bytes, MPI_BYTE);
		parts += bytes;
	}
	co_mpi_schedule_then(s);
	for (int i = size - 1; i > 0; i--) {
		int to = (rank + i) % size, from = (rank - i + size) % size;

		bytes = co_mpi_block_bytes(in, to);
		parts -= bytes;
		if (bytes)
			co_mpi_schedule_send(s, parts, bytes, MPI_BYTE, to);
		exchange(s, NULL, -1, in, from);
		if (i % CO_MPI_WINDOW == 0)
			co_mpi_schedule_then(s);
	}
}

static bool is_bruck(const struct co_mpi_blocks *in, int size)
{
	return !in->listed && in->count * in->type->size <= CO_MPI_ALLTOALL_BRUCK &&
	       size >= CO_MPI_ALLTOALL_BRUCK_RANKS;
}

/* The base of `out` is a buffer, or MPI_IN_PLACE. */
int co_mpi_alltoall(const struct co_mpi_blocks *out, const struct co_mpi_blocks *in, MPI_Comm comm,
		    MPI_Request *request)
{
	int r = co_mpi_check_comm(comm), n = r ? 0 : comm->peers->size;
	struct co_mpi_schedule *s;

	if (!r)
		r = co_mpi_check_in_place(comm, out->base);
	if (!r && out->base != MPI_IN_PLACE)
		r = co_mpi_check_blocks(out, n);
	if (!r)
		r = co_mpi_check_blocks(in, n);
	if (!r && !comm->remote && !in->listed)
		r = co_mpi_check_two(out->base, in->base, in->count);
	if (r)
		return r;
	s = co_mpi_schedule_for(comm, request, MPI_UNDEFINED,
				in->listed ? -1 : co_mpi_block_bytes(in, 0));
	if (comm->remote)
		fill_inter(s, comm, out, in);
	else if (out->base == MPI_IN_PLACE)
		fill_in_place(s, comm->rank, n, in);
	else if (is_bruck(in, n))
		bruck(s, comm->rank, n, out, in);
	else
		pairwise_exchange(s, comm->rank, n, out, in);
	return co_mpi_schedule_run(s, request);
}

/*
 * ---- By pairwise.c: parts that lie as bytes ----
 *
 * These functions are inline, so that the arguments of a call stay in registers: all ranks make the
 * accesses to main memory before and after an exchange, and each takes time of the ranks' engine.
 */
INLINE bool is_plain(const struct co_mpi_blocks *b)
{
	return co_mpi_is_buffer(b->base) && !b->types && !b->bytes_at &&
	       co_mpi_is(b->type, CO_MPI_IS_TYPE) && b->type->committed && b->type->plain &&
	       (b->listed || b->count >= 0);
}

INLINE struct co_mpi_side side_of(const struct co_mpi_blocks *b)
{
	return (struct co_mpi_side){ .base = co_mpi_type_data(b->type, b->base),
				     .counts = b->listed ? b->counts : NULL,
				     .at = b->at,
				     .count = (size_t)b->count,
				     .size = (size_t)b->type->size };
}

/* Make the checks that is_plain() has not made. */
INLINE int check_plain(const struct co_mpi_blocks *out, const struct co_mpi_blocks *in, int size)
{
	int e = out->listed ? co_mpi_check_blocks(out, size) : MPI_SUCCESS;

	if (!e && in->listed)
		e = co_mpi_check_blocks(in, size);
	else if (!e)
		e = co_mpi_check_two(out->base, in->base, in->count);
	return e;
}

/*
 * Exchange by pairwise.c. False: it cannot be used, or the scratchpad is full; nothing has begun.
 * True: *error is a class.
 */
INLINE bool by_pairwise(const struct co_mpi_blocks *out, const struct co_mpi_blocks *in,
			MPI_Comm comm, int *error)
{
	struct co_mpi_pairwise *p;
	intptr_t result;
	struct co *c;

	/* Not while collectives are under way: they would not go on during the exchange. */
	if (!co_mpi_is(comm, CO_MPI_IS_COMM) || comm->remote || !is_plain(out) || !is_plain(in) ||
	    co_mpi_schedules_busy() || is_bruck(in, comm->group->size))
		return false;
	*error = check_plain(out, in, comm->group->size);
	if (*error)
		return true;
	p = co_spm_alloc(sizeof(*p), _Alignof(struct co_mpi_pairwise));
	if (!p)
		return false;
	co_mpi_schedule_is(comm, MPI_UNDEFINED, in->listed ? -1 : co_mpi_block_bytes(in, 0));
	/* Every field but `turns`, as pairwise.h says. */
	p->out = side_of(out);
	p->in = side_of(in);
	p->comm = comm;
	p->world = comm->group->world;
	p->first = (unsigned)comm->group->first;
	p->rank = (unsigned)comm->rank;
	p->size = (unsigned)comm->group->size;
	p->tag = co_mpi_number(comm);
	p->context = comm->context + 1;
	p->me = co_mpi.me;
	p->canceled = false;
	/* A name is for reports, and makes the start slower. */
	p->attr = (struct co_attr){ .name = CO_MPI_COMPARES ? "MPI_Alltoall" : NULL,
				    .on = CO_ON_HART(co_hart()),
				    .stack = CO_STACK_ANY };
	if (!co_spm_stacks() || co_spawn(&c, &p->attr, co_mpi_pairwise_run, p))
		result = co_mpi_pairwise_run(p);
	else
		*error = co_mpi_class(co_join(c, &result));
	if (!*error)
		*error = (int)result;
	return true;
}

CO_MPI_TRACED(Alltoall, co_mpi_tell_part(MPI_UNDEFINED, recvbuf, recvcount, recvtype),
	      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
	      const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
CO_MPI_DEFINE(Alltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	int r;

	CO_MPI_TRACE(Alltoall, (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
	CO_MPI_HERE();
	if (!by_pairwise(CO_MPI_EQUAL(sendbuf, sendcount, sendtype),
			 CO_MPI_EQUAL(recvbuf, recvcount, recvtype), comm, &r))
		r = co_mpi_alltoall(CO_MPI_EQUAL(sendbuf, sendcount, sendtype),
				    CO_MPI_EQUAL(recvbuf, recvcount, recvtype), comm, NULL);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_CALL_BY(Ialltoall, ,
	       co_mpi_alltoall(CO_MPI_EQUAL(sendbuf, sendcount, sendtype),
			       CO_MPI_EQUAL(recvbuf, recvcount, recvtype), comm, request),
	       co_mpi_tell_part(MPI_UNDEFINED, recvbuf, recvcount, recvtype),
	       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request),
	       const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);

CO_MPI_TRACED(Alltoallv, (void)0,
	      (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
	       comm),
	      const void *sendbuf, const int sendcounts[], const int sdispls[],
	      MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	      MPI_Datatype recvtype, MPI_Comm comm)
CO_MPI_DEFINE(Alltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[],
	      MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	      MPI_Datatype recvtype, MPI_Comm comm)
{
	int r;

	CO_MPI_TRACE(Alltoallv, (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
				 rdispls, recvtype, comm));
	CO_MPI_HERE();
	if (!by_pairwise(CO_MPI_LISTED(sendbuf, sendcounts, sdispls, sendtype),
			 CO_MPI_LISTED(recvbuf, recvcounts, rdispls, recvtype), comm, &r))
		r = co_mpi_alltoall(CO_MPI_LISTED(sendbuf, sendcounts, sdispls, sendtype),
				    CO_MPI_LISTED(recvbuf, recvcounts, rdispls, recvtype), comm,
				    NULL);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_CALL_BY(Ialltoallv, ,
	       co_mpi_alltoall(CO_MPI_LISTED(sendbuf, sendcounts, sdispls, sendtype),
			       CO_MPI_LISTED(recvbuf, recvcounts, rdispls, recvtype), comm,
			       request),
	       (void)0,
	       (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
		comm, request),
	       const void *sendbuf, const int sendcounts[], const int sdispls[],
	       MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
	       MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);

#define TYPED(buf, n, places, t)  \
	(&(struct co_mpi_blocks){ \
		.base = (buf), .listed = true, .counts = (n), .at = (places), .types = (t) })

CO_MPI_BOTH(Alltoallw, Ialltoallw,
	    co_mpi_alltoall(TYPED(sendbuf, sendcounts, sdispls, sendtypes),
			    TYPED(recvbuf, recvcounts, rdispls, recvtypes), comm, request),
	    (void)0,
	    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
	     comm),
	    const void *sendbuf, const int sendcounts[], const int sdispls[],
	    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
	    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
