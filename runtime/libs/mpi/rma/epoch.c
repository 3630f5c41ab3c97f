/* epoch.c - epochs of windows that all ranks, or groups, take part in; checks of accesses */
#include <errno.h>
#include <string.h>

#include "../p2p/p2p.h"
#include "remote.h"

#define ALL_ASSERTS                                                                  \
	(MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | \
	 MPI_MODE_NOSUCCEED)

int co_mpi_check_epoch(MPI_Win win, int assert)
{
	int r = co_mpi_check_win(win);

	if (!r && assert & ~ALL_ASSERTS)
		r = co_mpi_say(MPI_ERR_ASSERT, "assertion %#x", (unsigned)assert);
	return r;
}

/* ---- Accesses ---- */

static bool is_started(MPI_Win win, int rank)
{
	return win->started &&
	       co_mpi_group_find(win->started, co_mpi_win_world(win, rank)) != MPI_UNDEFINED;
}

int co_mpi_check_access(MPI_Win win, int rank)
{
	if (win->all_locked || win->locked[rank] || is_started(win, rank))
		return MPI_SUCCESS;
	if (win->fence == CO_MPI_NO_FENCE || win->started)
		return co_mpi_say(MPI_ERR_RMA_SYNC, "no epoch with rank %d", rank);
	win->fence = CO_MPI_FENCE_USED;
	return MPI_SUCCESS;
}

/* End a fence's epoch before an epoch of another kind; an error if an access has used it. */
int co_mpi_end_fence(MPI_Win win)
{
	if (win->fence == CO_MPI_FENCE_USED)
		return co_mpi_say(MPI_ERR_RMA_SYNC, "a fence is to come: there were accesses");
	win->fence = CO_MPI_NO_FENCE;
	return MPI_SUCCESS;
}

static bool has_lock(MPI_Win win)
{
	return win->n_locked || win->all_locked;
}

/* ---- Fences ---- */

CO_MPI_DEFINE(Win_fence, int assert, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_epoch(win, assert), met;

	if (!r && (has_lock(win) || win->started || win->posted))
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "an epoch is open");
	if (r)
		return co_mpi_win_error(win, __func__, r);
	/* Errors of accesses to other boards come now. All ranks wait for this rank even so. */
	r = co_mpi_far_flush_all(win);
	met = co_mpi_win_meet(win);
	if (!met)
		win->fence = assert &MPI_MODE_NOSUCCEED ? CO_MPI_NO_FENCE : CO_MPI_FENCED;
	return co_mpi_win_error(win, __func__, r ? r : met);
}

/* ---- Groups: messages say that memory is exposed, and that accesses are complete ---- */

/* Send to every rank, even after an error. Returns the first error. */
static int send_all(MPI_Win win, MPI_Group group, uint32_t tag)
{
	int first = MPI_SUCCESS;

	for (int i = 0; i < group->size; i++) {
		int r = co_mpi_send(NULL, 0, MPI_BYTE, co_mpi_group_world(group, i), tag,
				    win->comm->context);

		first = first ? first : r;
	}
	return first;
}

CO_MPI_DEFINE(Win_post, MPI_Group group, int assert, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_epoch(win, assert);

	if (!r && win->posted)
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "it is posted already");
	if (!r)
		r = co_mpi_check_part(group, win->comm->group, "the window");
	if (!r)
		r = co_mpi_end_fence(win);
	if (!r && !(assert &MPI_MODE_NOCHECK))
		r = send_all(win, group, CO_MPI_TAG_POST);
	if (r)
		return co_mpi_win_error(win, __func__, r);
	win->posted = co_mpi_group_get(group);
	win->to_come = group->size;
	memset(win->has_come, 0, sizeof(bool) * (size_t)group->size);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Win_start, MPI_Group group, int assert, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_epoch(win, assert);

	if (!r && (win->started || has_lock(win)))
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "an epoch is open");
	if (!r)
		r = co_mpi_check_part(group, win->comm->group, "the window");
	if (!r)
		r = co_mpi_end_fence(win);
	if (r)
		return co_mpi_win_error(win, __func__, r);
	for (int i = 0; !r && !(assert &MPI_MODE_NOCHECK) && i < group->size; i++)
		r = co_mpi_recv(NULL, 0, MPI_BYTE, co_mpi_group_world(group, i), CO_MPI_TAG_POST,
				win->comm->context);
	if (!r)
		win->started = co_mpi_group_get(group);
	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_complete, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_win(win), sent;

	if (!r && !win->started)
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "it was not started");
	if (r)
		return co_mpi_win_error(win, __func__, r);
	r = co_mpi_far_flush_all(win);
	sent = send_all(win, win->started, CO_MPI_TAG_COMPLETE);
	r = r ? r : sent;
	co_mpi_group_put(win->started);
	win->started = NULL;
	return co_mpi_win_error(win, __func__, r);
}

/*
 * Take the message of the i-th rank of `posted` that its accesses are complete, if it has come, or
 * wait for it.
 */
static int take_word(MPI_Win win, int i, bool wait)
{
	unsigned world = (unsigned)co_mpi_group_world(win->posted, i);
	struct co_message_info info;
	int r;

	if (!wait) {
		r = co_message_try_probe(co_mpi.me, world, CO_MPI_TAG_COMPLETE, win->comm->context,
					 &info);
		if (r)
			return r == -EAGAIN ? MPI_SUCCESS : co_mpi_class(r);
	}
	r = co_mpi_recv(NULL, 0, MPI_BYTE, (int)world, CO_MPI_TAG_COMPLETE, win->comm->context);
	if (!r) {
		win->has_come[i] = true;
		win->to_come--;
	}
	return r;
}

static int take_all(MPI_Win win, bool wait)
{
	int r = co_mpi_check_win(win);

	if (!r && !win->posted)
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "it was not posted");
	if (!r && !wait)
		r = co_mpi_progress();
	for (int i = 0; !r && i < win->posted->size; i++) {
		if (!win->has_come[i])
			r = take_word(win, i, wait);
	}
	if (!r && win->to_come == 0) {
		co_mpi_group_put(win->posted);
		win->posted = NULL;
	}
	return r;
}

CO_MPI_DEFINE(Win_wait, MPI_Win win)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_win_error(win, __func__, take_all(win, true));
}

CO_MPI_DEFINE(Win_test, MPI_Win win, int *flag)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = take_all(win, false);

	if (!r)
		*flag = !win->posted;
	return co_mpi_win_error(win, __func__, r);
}
