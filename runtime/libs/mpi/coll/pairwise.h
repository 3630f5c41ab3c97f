/*
 * pairwise.h - an all-to-all without requests. Its messages equal the messages of the schedule that
 * other ranks of the communicator may run (alltoall.c).
 */
#ifndef COHART_MPI_PAIRWISE_H
#define COHART_MPI_PAIRWISE_H

#include <cohart/cohart.h>

#include "collective.h"

/* The parts that a rank sends, or the parts that it receives; their elements lie as bytes. */
struct co_mpi_side {
	char *base;
	const int *counts,
		*at; /* of each part, in elements; NULL: parts are equal, one behind another */
	size_t count, size; /* of an element */
};

/*
 * The state of an exchange, in one block of the scratchpad. The block is not cleared: the caller of
 * co_mpi_pairwise_run() fills in every field but `turns`.
 */
struct co_mpi_pairwise {
	struct co_mpi_side out, in;
	MPI_Comm comm;
	const int *world; /* as of a group */
	unsigned first, rank, size;
	uint32_t tag, context;
	struct co_member *me;
	struct co_attr attr;
	bool canceled; /* messages may be under way */
	struct co_mpi_turn {
		struct co_message came, sent;
	} turns[CO_MPI_WINDOW];
};

/*
 * Run the exchange, and free its block (co_spm_free()), unless the coroutine was cancelled: the
 * messages in the block may be under way then, so it is never freed. Waits. Returns a class. This
 * is a coroutine's function, so that the stack may be in the scratchpad, too.
 */
intptr_t co_mpi_pairwise_run(void *pairs);
#endif
