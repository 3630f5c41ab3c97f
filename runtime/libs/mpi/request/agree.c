/*
 * agree.c - DEBUG=1: do all ranks of a communicator call one collective, with one root and one
 * size?
 *
 * Each rank keeps its last calls in static data that other ranks read (co_process_at()): rank 0 of
 * a communicator compares its call with the calls of all other ranks, and each other rank compares
 * its call with rank 0's. So the rank that calls later finds a difference. A lock of rank 0 of
 * MPI_COMM_WORLD admits one comparison at a time.
 */
#include <stdio.h>
#include <string.h>

#include <cohart/process.h>
#include <cohart/sync.h>

#include "schedule.h"

#define KEPT 64

struct co_mpi_here co_mpi_here;

struct said {
	uint32_t context, number;
	struct co_mpi_here here;
};

static struct said said[KEPT];
static unsigned n_said;
static struct co_mutex lock; /* of rank 0 of MPI_COMM_WORLD: protects `said` of all ranks */

/*
 * The record of a rank of MPI_COMM_WORLD for call `number` in `context`; NULL: it has not called
 * yet, or so long ago that the record was overwritten.
 */
static const struct said *find_said(unsigned world, uint32_t context, uint32_t number)
{
	const struct said *all = co_process_at(said, world);

	for (unsigned i = 0; i < KEPT; i++) {
		if (all[i].here.call && all[i].context == context && all[i].number == number)
			return &all[i];
	}
	return NULL;
}

static bool differ(const struct co_mpi_here *a, const struct co_mpi_here *b)
{
	return strcmp(a->call, b->call) != 0 || a->root != b->root ||
	       (a->bytes >= 0 && b->bytes >= 0 && a->bytes != b->bytes);
}

static void tell_rank(int rank, const struct co_mpi_here *h)
{
	char root[24] = "", bytes[32] = "";

	if (h->root != MPI_UNDEFINED)
		snprintf(root, sizeof(root), ", root %d", h->root);
	if (h->bytes >= 0)
		snprintf(bytes, sizeof(bytes), ", %lld bytes", h->bytes);
	fprintf(stderr, "  rank %d: %s%s%s, at %#lx\n", rank, h->call, root, bytes,
		(unsigned long)(uintptr_t)h->at);
}

/* A rank of comm whose call differs from `own`; -1: all agree. */
static int odd_one(MPI_Comm comm, uint32_t number, const struct said *own, struct said *other)
{
	int end = comm->rank == 0 ? comm->group->size : 1;

	for (int i = comm->rank == 0 ? 1 : 0; i < end; i++) {
		const struct said *s = find_said((unsigned)co_mpi_group_world(comm->group, i),
						 comm->context, number);

		if (s && differ(&s->here, &own->here)) {
			*other = *s;
			return i;
		}
	}
	return -1;
}

int co_mpi_agree(MPI_Comm comm, uint32_t number)
{
	struct co_mutex *l = co_process_at(&lock, 0);
	struct said *own = &said[n_said++ % KEPT], other;
	int odd;

	if (!co_mpi_here.known)
		co_mpi_here = (struct co_mpi_here){ "another call of MPI", NULL, MPI_UNDEFINED, -1,
						    false };
	if (comm->remote || co_mpi.boards > 1) /* nobody reads another board's memory */
		return MPI_SUCCESS;
	odd = co_mpi_lock(l);
	if (odd)
		return odd;
	*own = (struct said){ comm->context, number, co_mpi_here };
	odd = odd_one(comm, number, own, &other);
	co_mutex_unlock(l);
	co_mpi_here.known = false;
	if (odd < 0)
		return MPI_SUCCESS;
	fflush(stdout);
	tell_rank(odd, &other.here);
	tell_rank(comm->rank, &own->here);
	return co_mpi_say(MPI_ERR_OTHER, "the ranks of %s do not call the same collective",
			  co_mpi_comm_name(comm));
}
