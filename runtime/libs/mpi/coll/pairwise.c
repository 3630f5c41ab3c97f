/*
 * pairwise.c - all-to-all without requests: each rank exchanges parts with one rank after another.
 *
 * A schedule, its requests and this rank's stack are in main memory. On a machine whose harts have
 * no cache their use takes longer than the parts themselves. So here all of it is in the
 * scratchpad: the exchange runs in a coroutine of its own, with a stack there.
 */
#include <errno.h>
#include <string.h>

#include "../type/walk.h"
#include "pairwise.h"

static size_t bytes_of(const struct co_mpi_side *s, unsigned i)
{
	return s->size * (s->counts ? (size_t)s->counts[i] : s->count);
}

static void *place_of(const struct co_mpi_side *s, unsigned i)
{
	ptrdiff_t at = s->counts ? s->at[i] : (ptrdiff_t)(i * s->count);

	return s->base + at * (ptrdiff_t)s->size;
}

static unsigned world_of(const struct co_mpi_pairwise *p, unsigned rank)
{
	return p->world ? (unsigned)p->world[rank] : p->first + rank;
}

/* Empty parts are not sent: both sides know their size. */
static int begin_turn(struct co_mpi_pairwise *p, unsigned turn)
{
	unsigned to = turn < p->size - p->rank ? p->rank + turn : p->rank + turn - p->size;
	unsigned from = p->rank >= turn ? p->rank - turn : p->rank + p->size - turn;
	size_t outs = bytes_of(&p->out, to), ins = bytes_of(&p->in, from);
	int r = 0;

	if (ins)
		r = co_message_recv_start(p->me, world_of(p, from), p->tag, p->context,
					  place_of(&p->in, from), ins,
					  &p->turns[turn % CO_MPI_WINDOW].came);
	if (outs && !r)
		r = co_message_send_start(p->me, world_of(p, to), p->tag, p->context,
					  place_of(&p->out, to), outs,
					  &p->turns[turn % CO_MPI_WINDOW].sent);
	return r;
}

/* Wait for the messages of the earlier turn that used this turn's entry of `turns`. */
static int finish_turn(struct co_mpi_pairwise *p, unsigned turn)
{
	struct co_message *came = &p->turns[turn % CO_MPI_WINDOW].came;
	int r = co_message_wait(p->me, came);
	int also = co_message_wait(p->me, &p->turns[turn % CO_MPI_WINDOW].sent);

	if (!r && came->got.bytes < came->bytes)
		r = -EBADMSG;
	p->canceled |= r == -ECANCELED || also == -ECANCELED;
	return r ? r : also;
}

/* Run all turns, also after an error, but not after a cancel. Returns the first error. */
static int exchange(struct co_mpi_pairwise *p)
{
	size_t own = bytes_of(&p->in, p->rank), outs = bytes_of(&p->out, p->rank);
	int first = outs > own ? -EMSGSIZE : outs < own ? -EBADMSG : 0;

	co_mpi_move(place_of(&p->in, p->rank), place_of(&p->out, p->rank), own < outs ? own : outs);
	for (unsigned turn = 1; turn < p->size + CO_MPI_WINDOW && !p->canceled; turn++) {
		int r = finish_turn(p, turn);

		first = first ? first : r;
		r = turn < p->size ? begin_turn(p, turn) : 0;
		first = first ? first : r;
	}
	return first;
}

intptr_t co_mpi_pairwise_run(void *pairs)
{
	struct co_mpi_pairwise *p = pairs;
	int r = CO_MPI_COMPARES ? co_mpi_agree(p->comm, p->tag) : MPI_SUCCESS;

	memset(p->turns, 0, sizeof(p->turns));
	r = r ? r : co_mpi_class(exchange(p));
	if (!p->canceled)
		co_spm_free(p);
	return r;
}
