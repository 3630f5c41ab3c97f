/*
 * remote.h - windows of several boards: requests to the board of a target (cohart/cluster.h), which
 * remote.c sends, and serve.c executes there.
 *
 * A request is a header, the parts of the target's memory that it is about, and data. Puts and
 * accumulates are not answered, but for dynamic windows: a flush is, when all before it are done.
 */
#ifndef COHART_MPI_REMOTE_H
#define COHART_MPI_REMOTE_H

#include <cohart/cluster.h>

#include "../type/op.h"
#include "window.h"

enum co_mpi_far {
	CO_MPI_FAR_PUT = 1,
	CO_MPI_FAR_GET,
	CO_MPI_FAR_COMBINE, /* an accumulate; `fetches`: the answer has the old values */
	CO_MPI_FAR_SWAP,    /* compare and swap: data are the value expected, and the new one */
	CO_MPI_FAR_LOCK,    /* granted by a message CO_MPI_TAG_GRANT */
	CO_MPI_FAR_UNLOCK,
	CO_MPI_FAR_FLUSH,
};

struct co_mpi_far_request {
	uint32_t kind;
	uint32_t answers;     /* 1: an answer is awaited */
	uint32_t op, element; /* of an accumulate: enum co_mpi_op_code, co_mpi_op_kind() */
	uint32_t lock;        /* MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE */
	uint32_t fetches;
	uint64_t parts; /* as many follow */
	uint64_t bytes; /* of data, which follow; of a get, and of MPI_NO_OP: to be sent back */
};

/* A part of the target's memory: blocks of bytes, as elements lie in an array. */
struct co_mpi_far_part {
	int64_t at; /* from the window's memory on; of a dynamic window an address */
	int64_t stride;
	uint64_t blocks, bytes;
};

/* Its data, if any, follow. */
struct co_mpi_far_answer {
	int32_t error; /* a class, or 0 */
	uint32_t zero;
};

/* A window, as a board's service knows it. */
struct co_mpi_served {
	struct co_cluster_server server;
	struct co_mpi_target *targets;
	bool is_dynamic;
	int board, here; /* ranks of a board */
	int n;
	unsigned char *asked; /* [rank here * n + rank]: the lock it has or waits for; 0: none */
	int world[];          /* of its ranks; `asked` follows */
};

/* Elements at this rank, or at a target: `buf` is from the window's memory on then. */
struct co_mpi_elements_at {
	const void *buf;
	MPI_Count n;
	MPI_Datatype type;
};

/* ---- remote.c: at the origin; these return a class ---- */
/* A put or a get: one of `from` and `to` is at the target. */
int co_mpi_far_move(MPI_Win win, int rank, bool put, const struct co_mpi_elements_at *from,
		    const struct co_mpi_elements_at *to);
/* An accumulate; `result` may be NULL. */
int co_mpi_far_combine(MPI_Win win, int rank, const struct co_mpi_elements_at *from,
		       const struct co_mpi_elements_at *to, MPI_Op op,
		       const struct co_mpi_elements_at *result);
int co_mpi_far_swap(MPI_Win win, int rank, const void *out, const void *expected, void *result,
		    const struct co_mpi_elements_at *to);
int co_mpi_far_lock(MPI_Win win, int rank, int kind);
/* Wait until all accesses to the target are done; and release its lock. */
int co_mpi_far_unlock(MPI_Win win, int rank, int kind);
int co_mpi_far_flush(MPI_Win win, int rank);
int co_mpi_far_flush_all(MPI_Win win);

/* ---- serve.c: at the target ---- */
/* Have this board's service execute requests. NULL: no memory. */
struct co_mpi_served *co_mpi_served_new(MPI_Win win);
void co_mpi_served_end(struct co_mpi_served *w);
#endif
