/*
 * window.h - windows: what their files share: window.c, window_dynamic.c, epoch.c, lock.c, rma.c.
 *
 * All ranks' memory is one: a put is a copy by the caller. What ranks share of a window, a list of
 * what each exposes, is in one piece of the heap.
 */
#ifndef COHART_MPI_WINDOW_H
#define COHART_MPI_WINDOW_H

#include <cohart/atomic.h>
#include <cohart/sync.h>

#include "objects.h"

/* Memory that was attached. */
struct co_mpi_region {
	char *base;
	MPI_Aint bytes;
	struct co_mpi_region *next;
};

/*
 * What all ranks share of one of a window's ranks. Ranks there are kept plus 1: 0 is none.
 * Zero-filled it is valid.
 */
struct co_mpi_target {
	_Alignas(CO_LINE) struct co_mutex atomic; /* accumulates on its memory, one at a time */
	struct co_mutex guard;                    /* of the rest, once the window is made */
	char *base;                               /* as every hart finds it */
	MPI_Aint bytes;
	int unit;
	int error; /* of this rank, when it made the window */
	/* Locks of its memory: who has them, and a list of ranks that wait, linked by `next`. */
	int readers;
	bool written;
	int first, last;
	/* This rank waits for a lock, of one target or another. */
	int next, kind;
	struct co_mpi_region *regions; /* of a dynamic window */
	struct co_a32 order;           /* swapped for its order in memory alone */
};

/* Between fences: accesses may come, and one has. */
enum co_mpi_fence { CO_MPI_NO_FENCE, CO_MPI_FENCED, CO_MPI_FENCE_USED };

struct co_mpi_win {
	enum co_mpi_magic magic;
	MPI_Comm comm; /* the window's own: for messages of epochs */
	struct co_mpi_target *targets;
	void *memory; /* was allocated with it; NULL: the program's */
	MPI_Errhandler errhandler;
	struct co_mpi_attribute *attributes;
	MPI_Info info;
	int flavor, model, unit; /* attributes: read by their addresses */
	MPI_Aint bytes;
	void *base; /* as this rank knows it */
	char name[MPI_MAX_OBJECT_NAME];
	/* Epochs of this rank. */
	enum co_mpi_fence fence;
	bool all_locked;
	MPI_Group started, posted;
	int to_come;    /* of the ranks that it was posted to: how many have not completed, */
	bool *has_come; /* and which have */
	unsigned flushes;
	int n_locked; /* targets, each of which has its kind here, or 0: */
	unsigned char locked[];
};

/* Tags of a window's messages, in its communicator's first context. */
enum { CO_MPI_TAG_POST = 1, CO_MPI_TAG_COMPLETE, CO_MPI_TAG_GRANT };

int co_mpi_check_win(MPI_Win win);
/* And is it one of its ranks, or MPI_PROC_NULL? */
int co_mpi_check_target(MPI_Win win, int rank);
/* Has this rank an epoch in which it may access that one's memory? It counts as one of them. */
int co_mpi_check_access(MPI_Win win, int rank);
/* All its ranks meet. Returns a class. */
int co_mpi_win_meet(MPI_Win win);
/* Is it a window, and are these assertions of its epochs? */
int co_mpi_check_epoch(MPI_Win win, int assert);
/* A fence that no access has followed is no epoch any more. Returns a class. */
int co_mpi_end_fence(MPI_Win win);

/* A mutex of a target. Returns a class. */
int co_mpi_win_take(struct co_mutex *m);

static inline int co_mpi_win_world(MPI_Win win, int rank)
{
	return co_mpi_group_world(win->comm->group, rank);
}
#endif
