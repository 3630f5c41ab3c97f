/*
 * pairs.c - all-to-all without requests: each rank exchanges parts with one after the other.
 *
 * A schedule, its requests and this rank's stack lie in main memory. On a machine whose harts have
 * no cache that takes longer than the parts themselves, so all of it lies in the scratchpad here:
 * the exchange runs in a coroutine of its own, with a stack there.
 */
#include <errno.h>

#include <cohart/cohart.h>

#include "collective.h"
#include "request.h"
#include "type.h"

/* Parts of one side, whose elements lie as bytes. */
struct side {
	char *base;
	const int *counts,
		*at;        /* of each, in elements; NULL: they are alike, and follow each other */
	size_t count, size; /* of an element */
};

struct pairs {
	struct side out, in;
	MPI_Comm comm;
	struct co_mpi_group group;
	unsigned rank, size;
	uint32_t tag, context;
	struct co_member *me;
	bool canceled; /* messages are under way */
	struct co_message came[CO_MPI_WINDOW], sent[CO_MPI_WINDOW];
};

static struct side side_of(const struct co_mpi_blocks *b)
{
	return (struct side){ .base = co_mpi_type_data(b->type, b->base),
			      .counts = b->listed ? b->counts : NULL,
			      .at = b->at,
			      .count = (size_t)b->count,
			      .size = (size_t)b->type->size };
}

static size_t bytes_of(const struct side *s, unsigned i)
{
	return s->size * (s->counts ? (size_t)s->counts[i] : s->count);
}

static void *place_of(const struct side *s, unsigned i)
{
	ptrdiff_t at = s->counts ? s->at[i] : (ptrdiff_t)(i * s->count);

	return s->base + at * (ptrdiff_t)s->size;
}

static unsigned world_of(const struct pairs *p, unsigned rank)
{
	return (unsigned)co_mpi_group_world(&p->group, (int)rank);
}

/* Parts of no bytes are not sent: both sides know. */
static int begin_turn(struct pairs *p, unsigned turn)
{
	unsigned to = turn < p->size - p->rank ? p->rank + turn : p->rank + turn - p->size;
	unsigned from = p->rank >= turn ? p->rank - turn : p->rank + p->size - turn;
	size_t outs = bytes_of(&p->out, to), ins = bytes_of(&p->in, from);
	int r = 0;

	if (ins)
		r = co_message_recv_start(p->me, world_of(p, from), p->tag, p->context,
					  place_of(&p->in, from), ins,
					  &p->came[turn % CO_MPI_WINDOW]);
	if (outs && !r)
		r = co_message_send_start(p->me, world_of(p, to), p->tag, p->context,
					  place_of(&p->out, to), outs,
					  &p->sent[turn % CO_MPI_WINDOW]);
	return r;
}

/* Those of an earlier turn. */
static int finish_turn(struct pairs *p, unsigned turn)
{
	int r = co_message_wait(p->me, &p->came[turn % CO_MPI_WINDOW]);
	int also = co_message_wait(p->me, &p->sent[turn % CO_MPI_WINDOW]);

	p->canceled |= r == -ECANCELED || also == -ECANCELED;
	return r ? r : also;
}

/* What has begun is waited for in any case, but after a cancel. Returns the first error. */
static int exchange(struct pairs *p)
{
	size_t own = bytes_of(&p->in, p->rank), outs = bytes_of(&p->out, p->rank);
	int first = outs > own ? -EMSGSIZE : 0;

	co_mpi_move(place_of(&p->in, p->rank), place_of(&p->out, p->rank), own < outs ? own : outs);
	for (unsigned turn = 1; turn < p->size + CO_MPI_WINDOW && !p->canceled; turn++) {
		int r = finish_turn(p, turn);

		first = first ? first : r;
		r = turn < p->size ? begin_turn(p, turn) : 0;
		first = first ? first : r;
	}
	return first;
}

/* What co_mpi_pairs_may() has not seen. */
static int check_pairs(MPI_Comm comm, const struct co_mpi_blocks *out,
		       const struct co_mpi_blocks *in)
{
	int e = MPI_SUCCESS;

	if (out->listed)
		e = co_mpi_check_blocks(out, comm->group->size);
	if (!e && in->listed)
		e = co_mpi_check_blocks(in, comm->group->size);
	else if (!e)
		e = co_mpi_check_two(out->base, in->base, in->count);
	return e;
}

/* Returns a class. */
static intptr_t run(void *arg)
{
	struct pairs *p = arg;
	int r = CO_MPI_COMPARES ? co_mpi_agree(p->comm, p->tag) : MPI_SUCCESS;

	return r ? r : co_mpi_class(exchange(p));
}

static bool is_plain(const struct co_mpi_blocks *b)
{
	return co_mpi_is_buffer(b->base) && !b->types && !b->bytes_at &&
	       co_mpi_is(b->type, CO_MPI_IS_TYPE) && b->type->committed && b->type->plain &&
	       (b->listed || b->count >= 0);
}

bool co_mpi_pairs_may(MPI_Comm comm, const struct co_mpi_blocks *out,
		      const struct co_mpi_blocks *in)
{
	/* Collectives that are under way would not go on meanwhile. */
	return co_mpi_is(comm, CO_MPI_IS_COMM) && !comm->remote && is_plain(out) && is_plain(in) &&
	       !co_mpi_schedules_busy();
}

int co_mpi_pairs(MPI_Comm comm, const struct co_mpi_blocks *out, const struct co_mpi_blocks *in)
{
	const struct co_attr attr = { .name = "MPI_Alltoall",
				      .on = CO_ON_HART(co_hart()),
				      .stack = CO_STACK_ANY };
	int e = check_pairs(comm, out, in), r = 0;
	struct pairs *p;
	struct co *c;
	intptr_t result;

	if (e)
		return e;
	p = co_spm_alloc(sizeof(*p), _Alignof(struct pairs));
	if (!p)
		return CO_MPI_PAIRS_NO_ROOM;
	co_mpi_schedule_is(comm, MPI_UNDEFINED, in->listed ? -1 : co_mpi_block_bytes(in, 0));
	*p = (struct pairs){ .out = side_of(out),
			     .in = side_of(in),
			     .comm = comm,
			     .group = *comm->group,
			     .rank = (unsigned)comm->rank,
			     .size = (unsigned)comm->group->size,
			     .tag = comm->sequence++ & INT32_MAX,
			     .context = comm->context + 1,
			     .me = co_mpi.me };
	if (!co_spm_stacks() || co_spawn(&c, &attr, run, p))
		result = run(p);
	else
		r = co_join(c, &result);
	/* A rank that is cancelled ends: what it has begun is under way, and p with it. */
	if (r)
		return co_mpi_class(r);
	if (!p->canceled)
		co_spm_free(p);
	return (int)result;
}
