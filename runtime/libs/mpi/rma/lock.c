/*
 * lock.c - locks of windows' memory: many readers or one writer, in the target's entry of the list
 * that all ranks share.
 *
 * A caller that cannot have the lock waits in a list, and the rank that unlocks sends a message to
 * each waiter whose turn it is: so other operations go on meanwhile. Readers pass writers that
 * wait: a rank with the lock may wait for something that another reader is to do.
 */
#include <errno.h>

#include "../p2p/p2p.h"
#include "remote.h"

/* Make earlier writes visible to all harts before later writes. */
static void order_memory(MPI_Win win)
{
	struct co_mpi_target *own = &win->targets[win->comm->rank];

	/*
	 * Release, then acquire, of one word: nothing moves over both, so earlier writes are
	 * visible before later ones. Pairs with order_memory() of the rank that reads them.
	 */
	co_atomic_swap(&own->order, 1, CO_ACQ_REL);
	(void)co_atomic_load(&own->order, CO_ACQUIRE);
}

/* ---- The lock of one target ---- */

static bool is_free(const struct co_mpi_target *t, int kind)
{
	return !t->written && (kind == MPI_LOCK_SHARED || t->readers == 0);
}

static void have(struct co_mpi_target *t, int kind)
{
	if (kind == MPI_LOCK_SHARED)
		t->readers++;
	else
		t->written = true;
}

static void enqueue(struct co_mpi_target *targets, struct co_mpi_target *t, int who, int kind)
{
	targets[who].next = 0;
	targets[who].kind = kind;
	co_atomic_store(&targets[who].waits, 1, CO_RELAXED);
	if (t->last)
		targets[t->last - 1].next = who + 1;
	else
		t->first = who + 1;
	t->last = who + 1;
}

bool co_mpi_lock_or_wait(struct co_mpi_target *targets, int rank, int who, int kind)
{
	struct co_mpi_target *t = &targets[rank];
	bool had = is_free(t, kind);

	if (had)
		have(t, kind);
	else
		enqueue(targets, t, who, kind);
	return had;
}

/* What an entry of `locked` has beside the kind of lock. */
enum {
	UNCHECKED = 4, /* the lock is not taken: the program has asserted MPI_MODE_NOCHECK */
	FAR = 8,       /* the target is on another board */
};

static int lock_here(MPI_Win win, int rank, int kind)
{
	struct co_mpi_target *t = &win->targets[rank];
	bool had;
	int r = co_mpi_lock(&t->guard);

	if (r)
		return r;
	had = co_mpi_lock_or_wait(win->targets, rank, win->comm->rank, kind);
	co_mutex_unlock(&t->guard);
	if (had)
		return MPI_SUCCESS;
	return co_mpi_recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, CO_MPI_TAG_GRANT, win->comm->context);
}

static int lock_target(MPI_Win win, int rank, int kind, bool unchecked)
{
	bool far = co_mpi_win_far(win, rank);
	int r = MPI_SUCCESS;

	if (!unchecked)
		r = far ? co_mpi_far_lock(win, rank, kind) : lock_here(win, rank, kind);
	if (!r)
		win->locked[rank] =
			(unsigned char)(kind | (unchecked ? UNCHECKED : 0) | (far ? FAR : 0));
	return r;
}

/* Give the lock to the waiters whose turn it is. Returns their list: its first rank + 1, or 0. */
static int grant(struct co_mpi_target *targets, struct co_mpi_target *t)
{
	int granted = 0, *end = &granted;

	t->last = 0;
	for (int *at = &t->first; *at;) {
		struct co_mpi_target *w = &targets[*at - 1];

		if (!is_free(t, w->kind)) {
			t->last = *at;
			at = &w->next;
			continue;
		}
		have(t, w->kind);
		*end = *at;
		*at = w->next;
		end = &w->next;
		*end = 0;
	}
	return granted;
}

int co_mpi_unlock(struct co_mpi_target *targets, int rank, int kind)
{
	struct co_mpi_target *t = &targets[rank];

	if (kind == MPI_LOCK_SHARED)
		t->readers--;
	else
		t->written = false;
	return grant(targets, t);
}

int co_mpi_next_granted(struct co_mpi_target *targets, int *list)
{
	int rank = *list - 1;

	if (rank < 0)
		return -1;
	*list = targets[rank].next; /* once the rank has the message it may use its `next` again */
	/* Release: pairs with the load of co_mpi_waits(): `next` has been read. */
	co_atomic_store(&targets[rank].waits, 0, CO_RELEASE);
	return rank;
}

bool co_mpi_waits(struct co_mpi_target *targets, int rank)
{
	return co_atomic_load(&targets[rank].waits, CO_ACQUIRE);
}

static int unlock_here(MPI_Win win, int rank, int kind)
{
	struct co_mpi_target *t = &win->targets[rank];
	int r = co_mpi_lock(&t->guard), first = r, granted, next;

	if (r)
		return r;
	granted = co_mpi_unlock(win->targets, rank, kind);
	co_mutex_unlock(&t->guard);
	while ((next = co_mpi_next_granted(win->targets, &granted)) >= 0) {
		r = co_mpi_send(NULL, 0, MPI_BYTE, co_mpi_win_world(win, next), CO_MPI_TAG_GRANT,
				win->comm->context);
		first = first ? first : r;
	}
	return first;
}

/* ---- Epochs ---- */

static int lock(int kind, int rank, int assert, MPI_Win win)
{
	int r = co_mpi_check_epoch(win, assert);

	if (!r && kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED)
		r = co_mpi_say(MPI_ERR_LOCKTYPE, "%d", kind);
	if (!r)
		r = co_mpi_check_target(win, rank);
	if (!r && (win->all_locked || win->started))
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "an epoch is open");
	if (r || rank == MPI_PROC_NULL)
		return r;
	if (win->locked[rank])
		return co_mpi_say(MPI_ERR_RMA_SYNC, "rank %d is locked already", rank);
	r = co_mpi_end_fence(win);
	if (!r)
		r = lock_target(win, rank, kind, assert &MPI_MODE_NOCHECK);
	if (!r)
		win->n_locked++;
	return r;
}

CO_MPI_DEFINE(Win_lock, int lock_type, int rank, int assert, MPI_Win win)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(rank, -1, -1));

	return co_mpi_win_error(win, __func__, lock(lock_type, rank, assert, win));
}

/* Release the lock of a target, and make this rank's writes visible. */
static int release(MPI_Win win, int rank)
{
	int locked = win->locked[rank], kind = locked & ~(UNCHECKED | FAR);

	win->locked[rank] = 0;
	if (!(locked & UNCHECKED))
		return locked & FAR ? co_mpi_far_unlock(win, rank, kind)
				    : unlock_here(win, rank, kind);
	order_memory(win);
	return co_mpi_far_flush(win, rank);
}

CO_MPI_DEFINE(Win_unlock, int rank, MPI_Win win)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(rank, -1, -1));
	int r = co_mpi_check_target(win, rank);

	if (!r && rank != MPI_PROC_NULL && (win->all_locked || !win->locked[rank]))
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
	if (r || rank == MPI_PROC_NULL)
		return co_mpi_win_error(win, __func__, r);
	win->n_locked--;
	r = release(win, rank);
	return co_mpi_win_error(win, __func__, r ? r : co_mpi_progress());
}

/* Release the locks of all targets before `end`, even after an error. Returns the first error. */
static int release_all(MPI_Win win, int end)
{
	int first = MPI_SUCCESS;

	for (int i = 0; i < end; i++) {
		int r = release(win, i);

		first = first ? first : r;
	}
	return first;
}

CO_MPI_DEFINE(Win_lock_all, int assert, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);
	bool unchecked = assert &MPI_MODE_NOCHECK;
	int r = co_mpi_check_epoch(win, assert);

	if (!r && (win->all_locked || win->n_locked || win->started))
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "an epoch is open");
	if (!r)
		r = co_mpi_end_fence(win);
	for (int i = 0; !r && i < win->comm->group->size; i++) {
		r = lock_target(win, i, MPI_LOCK_SHARED, unchecked);
		if (r)
			(void)release_all(win, i);
	}
	if (!r)
		win->all_locked = true;
	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_unlock_all, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_win(win);

	if (!r && !win->all_locked)
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "not all are locked");
	if (r)
		return co_mpi_win_error(win, __func__, r);
	win->all_locked = false;
	r = release_all(win, win->comm->group->size);
	return co_mpi_win_error(win, __func__, r ? r : co_mpi_progress());
}

/* ---- Within an epoch: accesses have ended when their calls return; flushes order memory ---- */

/* Programs wait by flushes in a loop: each eighth flush lets requests go on. */
static int flush_some(MPI_Win win)
{
	order_memory(win);
	return ++win->flushes % 8 ? MPI_SUCCESS : co_mpi_progress();
}

static int flush(int rank, MPI_Win win)
{
	int r = co_mpi_check_target(win, rank);

	if (r || rank == MPI_PROC_NULL)
		return r;
	if (!win->locked[rank])
		return co_mpi_say(MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
	r = co_mpi_far_flush(win, rank);
	return r ? r : flush_some(win);
}

CO_MPI_DEFINE(Win_flush, int rank, MPI_Win win)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(rank, -1, -1));

	return co_mpi_win_error(win, __func__, flush(rank, win));
}

CO_MPI_DEFINE(Win_flush_local, int rank, MPI_Win win)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(rank, -1, -1));

	return co_mpi_win_error(win, __func__, flush(rank, win));
}

static int flush_all(MPI_Win win)
{
	int r = co_mpi_check_win(win);

	if (!r && !win->all_locked && !win->n_locked)
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "none is locked");
	if (!r)
		r = co_mpi_far_flush_all(win);
	return r ? r : flush_some(win);
}

CO_MPI_DEFINE(Win_flush_all, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_win_error(win, __func__, flush_all(win));
}

CO_MPI_DEFINE(Win_flush_local_all, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_win_error(win, __func__, flush_all(win));
}

CO_MPI_DEFINE(Win_sync, MPI_Win win)
{
	int r = co_mpi_check_win(win);

	if (!r) {
		order_memory(win);
		r = co_mpi_progress();
	}
	return co_mpi_win_error(win, __func__, r);
}
