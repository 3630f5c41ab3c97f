/*
 * window.h - the interface between the files of windows.
 *
 * All ranks of a board share memory: a put is a copy by the caller. The ranks of a window share a
 * list of targets, one for each rank, in one piece of the heap; if they are of several boards, each
 * board has a list of its own, and accesses to another board's rank are requests (remote.h).
 */
#ifndef COHART_MPI_WINDOW_H
#define COHART_MPI_WINDOW_H

#include <cohart/atomic.h>
#include <cohart/sync.h>

#include "../base/objects.h"

/* Memory that was attached. */
struct co_mpi_region {
	char *base;
	MPI_Aint bytes;
	struct co_mpi_region *next;
};

/*
 * A target: the part of a window that its ranks share of one of them. Ranks are kept plus 1; 0: no
 * rank. Zero-filled it is valid.
 */
struct co_mpi_target {
	_Alignas(CO_LINE) struct co_mutex atomic; /* accumulates on its memory, one at a time */
	struct co_mutex guard;                    /* of all other fields, once the window is made */
	char *base;                               /* at an address that every hart can use */
	MPI_Aint bytes;
	int unit;
	int error;     /* of this rank, when it made the window */
	int far_error; /* of a far rank's accesses here, since its last flush: the service's */
	/* Locks of its memory: who has them, and a list of ranks that wait, linked by `next`. */
	int readers;
	bool written;
	int first, last;
	/* This rank waits for a lock of any target: the next waiter there, and the kind of lock. */
	int next, kind;
	struct co_a32 waits; /* from its entry in the list until it has been granted the lock */
	struct co_mpi_region *regions; /* of a dynamic window */
	struct co_a32 order;           /* swapped only to order memory */
};

/* State between fences. CO_MPI_FENCED: accesses may come; CO_MPI_FENCE_USED: one has come. */
enum co_mpi_fence { CO_MPI_NO_FENCE, CO_MPI_FENCED, CO_MPI_FENCE_USED };

/* In the scratchpad if there is room: co_mpi_near_take(). */
struct co_mpi_win {
	enum co_mpi_magic magic;
	MPI_Comm comm; /* the window's own: for messages of epochs */
	struct co_mpi_target *targets;
	void *memory; /* was allocated with the window; NULL: the program's */
	/* Of several boards: to which targets accesses may be under way; else NULL. */
	unsigned char *pending;
	struct co_mpi_served *served; /* of the rank that allocated `targets`: for other boards */
	MPI_Errhandler errhandler;
	struct co_mpi_attribute *attributes;
	MPI_Info info;
	int flavor, model, unit; /* attributes: read by their addresses */
	bool quick;              /* accesses need not look closer */
	MPI_Aint bytes;
	void *base; /* as this rank knows it */
	char name[MPI_MAX_OBJECT_NAME];
	/* Epochs of this rank. */
	enum co_mpi_fence fence;
	bool all_locked;
	MPI_Group started, posted;
	int to_come;    /* how many ranks of `posted` have not completed */
	bool *has_come; /* which ranks of `posted` have */
	unsigned flushes;
	int n_locked; /* targets with a lock: `locked` has its kind and flags, or 0 */
	unsigned char locked[];
};

/* Tags of a window's messages, in its communicator's first context. */
enum { CO_MPI_TAG_POST = 1, CO_MPI_TAG_COMPLETE, CO_MPI_TAG_GRANT, CO_MPI_TAG_ANSWER };

/* Report an error (0: success) to the handler of the window. Returns the error. */
int co_mpi_win_error(MPI_Win win, const char *call, int code);
int co_mpi_check_win(MPI_Win win);
/* Is it a window, and is `rank` one of its ranks, or MPI_PROC_NULL? */
int co_mpi_check_target(MPI_Win win, int rank);
/*
 * Has this rank an epoch in which it may access a target's memory? In a fence's epoch this counts
 * as an access.
 */
int co_mpi_check_access(MPI_Win win, int rank);
/* A barrier of the window's ranks. Returns a class. */
int co_mpi_win_meet(MPI_Win win);
/* Is it a window, and are these assertions of its epochs? */
int co_mpi_check_epoch(MPI_Win win, int assert);
/* End a fence's epoch that no access has used; an error if one has. Returns a class. */
int co_mpi_end_fence(MPI_Win win);

/* dynamic.c: is the whole range attached? The caller has the target's `guard`. */
bool co_mpi_is_attached(const struct co_mpi_target *t, const char *low, const char *high);

/* lock.c: take a target's lock for a rank, or enqueue the rank. The caller has the `guard`. */
bool co_mpi_lock_or_wait(struct co_mpi_target *targets, int rank, int who, int kind);
/* Release it. Returns the list of ranks that have it now, for co_mpi_next_granted(). */
int co_mpi_unlock(struct co_mpi_target *targets, int rank, int kind);
/* Take the first rank out of the list: a message to the rank is due. -1: the list is empty. */
int co_mpi_next_granted(struct co_mpi_target *targets, int *list);
/* Is the rank in the list of a target, or is the message of its lock still due? */
bool co_mpi_waits(struct co_mpi_target *targets, int rank);

static inline int co_mpi_win_world(MPI_Win win, int rank)
{
	return co_mpi_group_world(win->comm->group, rank);
}

static inline int co_mpi_ranks_here(void)
{
	return co_mpi.ranks / co_mpi.boards;
}

/* Is this rank of a window on another board? */
static inline bool co_mpi_win_far(MPI_Win win, int rank)
{
	return win->pending && co_mpi_win_world(win, rank) / co_mpi_ranks_here() != co_mpi.board;
}
#endif
