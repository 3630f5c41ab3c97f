/* window.c - windows: how they begin and end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/debug.h>
#include <cohart/process.h>
#include <cohart/spm.h>

#include "../comm/make.h"
#include "remote.h"

/* ---- Beginning ---- */

/* The arguments with which a rank makes a window. */
struct offer {
	int flavor, unit;
	MPI_Aint bytes;
	void *base;
	MPI_Info info;
};

static int check_offer(const struct offer *o)
{
	int r = co_mpi_check_info(o->info);

	if (r)
		return r;
	if (o->bytes < 0)
		return co_mpi_say(MPI_ERR_SIZE, "%ld bytes", (long)o->bytes);
	if (o->unit < 1)
		return co_mpi_say(MPI_ERR_DISP, "a displacement's unit is %d", o->unit);
	if (o->bytes && o->base && !co_spm_shared(co_process_public(o->base), (size_t)o->bytes))
		return co_mpi_say(MPI_ERR_RMA_SHARED, "%p is in a scratchpad's private part",
				  o->base);
	return MPI_SUCCESS;
}

/* The first rank of this board: it allocates the list. */
static int leader(MPI_Win win)
{
	int i = 0;

	while (co_mpi_win_far(win, i))
		i++;
	return i;
}

static bool spans_boards(MPI_Group g)
{
	for (int i = 0; i < g->size; i++) {
		if (co_mpi_group_world(g, i) / co_mpi_ranks_here() != co_mpi.board)
			return true;
	}
	return false;
}

/* Share the address of the list of this rank's board. */
static int share_address(MPI_Win win)
{
	struct co_mpi_target **all, *const none = (struct co_mpi_target *)1;
	int r, n = co_mpi_size(win->comm);

	if (!win->pending)
		return PMPI_Bcast(&win->targets, sizeof(win->targets), MPI_BYTE, 0, win->comm);
	all = malloc(sizeof(*all) * (size_t)n);
	if (!all)
		return MPI_ERR_NO_MEM;
	if (win->comm->rank == leader(win) && !win->targets)
		win->targets = none;
	r = PMPI_Allgather(&win->targets, sizeof(*all), MPI_BYTE, all, sizeof(*all), MPI_BYTE,
			   win->comm);
	win->targets = r ? NULL : all[leader(win)];
	for (int i = 0; !r && i < n; i++) { /* a board without memory: no window on any */
		if (all[i] == none && win->comm->rank == leader(win) && win->targets != none)
			free(win->targets);
		if (all[i] == none)
			win->targets = NULL;
	}
	free(all);
	return r;
}

/* Make the list that all ranks of a board share. */
static int share_targets(MPI_Win win)
{
	size_t bytes = sizeof(struct co_mpi_target) * (size_t)co_mpi_size(win->comm);
	int r;

	if (win->comm->rank == leader(win)) {
		win->targets = aligned_alloc(CO_LINE, bytes);
		if (win->targets)
			memset(win->targets, 0, bytes);
	}
	r = share_address(win);
	if (!r && !win->targets)
		r = co_mpi_say(MPI_ERR_NO_MEM, "%lu bytes for a window's ranks",
			       (unsigned long)bytes);
	return r;
}

static size_t bytes_of(size_t ranks)
{
	return sizeof(struct co_mpi_win) + ranks;
}

static void put_win(MPI_Win win)
{
	size_t ranks = (size_t)co_mpi_size(win->comm);

	co_mpi_served_end(win->served);
	if (win->comm->rank == leader(win))
		free(win->targets);
	co_mpi_comm_put(win->comm);
	free(win->pending);
	co_mpi_info_put(win->info);
	co_mpi_errhandler_put(win->errhandler);
	co_mpi_unmark(&win->magic);
	free(win->has_come);
	free(win->memory);
	co_mpi_near_give(win, bytes_of(ranks));
}

/* A rank without memory says so to all. */
static int new_win(MPI_Comm comm, const struct offer *o, MPI_Win *made)
{
	size_t ranks = (size_t)co_mpi_size(comm);
	MPI_Win win = co_mpi_near_take(bytes_of(ranks));
	bool *has_come = calloc(ranks, sizeof(bool)), spans = spans_boards(comm->group);
	unsigned char *pending = spans ? calloc(ranks, 1) : NULL;
	bool enough = win && has_come && (pending || !spans);
	MPI_Comm own;
	int r = co_mpi_comm_of(comm, comm->group, CO_MPI_TAG_CREATE,
			       enough ? MPI_SUCCESS : MPI_ERR_NO_MEM, &own);

	if (r) {
		co_mpi_near_give(win, bytes_of(ranks));
		free(has_come);
		free(pending);
		return r;
	}
	/* NOLINTNEXTLINE(clang-analyzer-unix.cstring.NullArg): else there was an error */
	memset(win, 0, bytes_of(ranks));
	win->magic = CO_MPI_IS_WIN;
	win->flavor = o->flavor;
	win->pending = pending;
	win->quick = o->flavor != MPI_WIN_FLAVOR_DYNAMIC && !pending && !co_trace_on();
	win->model = MPI_WIN_UNIFIED;
	win->has_come = has_come;
	win->comm = own;
	co_mpi_errhandler_set(&own->errhandler, MPI_ERRORS_RETURN);
	r = share_targets(win);
	if (r) {
		put_win(win);
		return r;
	}
	*made = win;
	return MPI_SUCCESS;
}

/* The error of the first rank that has one is the error of all ranks. */
static int first_error(MPI_Win win)
{
	for (int i = 0; i < co_mpi_size(win->comm); i++) {
		int e = win->targets[i].error;

		if (e)
			return i == win->comm->rank ? e : co_mpi_say(e, "on rank %d", i);
	}
	return MPI_SUCCESS;
}

/* Where this rank's part of shared memory begins: rank 0 has allocated them one behind another. */
static char *shared_base(MPI_Win win)
{
	char *base = win->targets[0].base;

	for (int i = 0; i < win->comm->rank && base; i++)
		base += win->targets[i].bytes;
	return base;
}

/* Memory for this rank's part, or for the parts of all ranks. */
static void *allocate(MPI_Aint bytes, int *error)
{
	size_t lines = ((size_t)bytes + CO_LINE - 1) / CO_LINE;
	void *p = aligned_alloc(CO_LINE, (lines ? lines : 1) * CO_LINE);

	if (!p)
		*error = co_mpi_say(MPI_ERR_NO_MEM, "%ld bytes", (long)bytes);
	return p;
}

static int allocate_joined(MPI_Win win, struct offer *o, struct co_mpi_target *own)
{
	int r = co_mpi_win_meet(win);
	MPI_Aint all = 0;

	if (r)
		return r;
	if (first_error(win) == MPI_SUCCESS && win->comm->rank == 0) {
		for (int i = 0; i < co_mpi_size(win->comm); i++)
			all += win->targets[i].bytes;
		win->memory = own->base = allocate(all, &own->error);
	}
	r = co_mpi_win_meet(win);
	if (!r)
		o->base = shared_base(win);
	return r;
}

static bool wants_joined(const struct offer *o)
{
	char value[8];
	int there = 0;

	if (o->flavor != MPI_WIN_FLAVOR_SHARED)
		return false;
	if (o->info)
		PMPI_Info_get(o->info, "alloc_shared_noncontig", sizeof(value) - 1, value, &there);
	return !there || strcmp(value, "true") != 0;
}

/* Note the targets of other boards in this board's list, and serve their ranks. */
static int tell_boards(MPI_Win win, struct co_mpi_target *own)
{
	struct known {
		MPI_Aint bytes;
		int unit, error;
	} mine = { own->bytes, own->unit, own->error };
	int n = co_mpi_size(win->comm), r = MPI_ERR_NO_MEM;
	struct known *all = malloc(sizeof(*all) * (size_t)n);

	if (win->comm->rank == leader(win)) {
		win->served = co_mpi_served_new(win);
		if (!win->served)
			own->error = mine.error = MPI_ERR_NO_MEM;
	}
	if (all)
		r = PMPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE,
				   win->comm);
	for (int i = 0; !r && win->comm->rank == leader(win) && i < n; i++) {
		struct co_mpi_target *t = &win->targets[i];

		if (!co_mpi_win_far(win, i))
			continue;
		t->bytes = all[i].bytes;
		t->unit = all[i].unit;
		t->error = all[i].error;
	}
	free(all);
	return r;
}

/* Fill in this rank's target. A rank with an error notes it there, so that nobody waits for it. */
static int expose(MPI_Win win, struct offer *o)
{
	struct co_mpi_target *own = &win->targets[win->comm->rank];
	bool given = o->flavor == MPI_WIN_FLAVOR_CREATE || o->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	int r = MPI_SUCCESS;

	own->error = check_offer(o);
	if (!own->error && o->flavor == MPI_WIN_FLAVOR_SHARED && win->pending)
		own->error =
			co_mpi_say(MPI_ERR_RMA_SHARED, "ranks of several boards share no memory");
	if (!own->error)
		own->error = co_mpi_info_set(&win->info, o->info);
	own->bytes = o->bytes;
	own->unit = o->unit;
	if (wants_joined(o))
		r = allocate_joined(win, o, own);
	else if (!given && !own->error)
		win->memory = o->base = allocate(o->bytes, &own->error);
	own->base = co_process_public(o->base);
	win->base = o->base;
	win->bytes = o->bytes;
	win->unit = o->unit;
	if (!r && win->pending)
		r = tell_boards(win, own);
	if (!r)
		r = co_mpi_win_meet(win);
	if (!r)
		r = first_error(win);
	return r;
}

static int make_window(struct offer *o, MPI_Comm comm, MPI_Win *made)
{
	MPI_Win win;
	int r = co_mpi_check_intra(comm), met;

	if (!r)
		r = new_win(comm, o, &win);
	if (r)
		return r;
	r = expose(win, o);
	if (!r) {
		*made = win;
		return MPI_SUCCESS;
	}
	met = co_mpi_win_meet(win); /* all have seen the error */
	put_win(win);
	return met ? met : r;
}

CO_MPI_DEFINE(Win_create, void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
	      MPI_Win *win)
{
	CO_MPI_SLICE(__func__, (void)0);
	struct offer o = { MPI_WIN_FLAVOR_CREATE, disp_unit, size, base, info };

	return co_mpi_error(comm, __func__, make_window(&o, comm, win));
}

static int make_allocated(struct offer *o, MPI_Comm comm, void *base, MPI_Win *win)
{
	int r = make_window(o, comm, win);

	if (!r)
		memcpy(base, &o->base, sizeof(o->base));
	return r;
}

CO_MPI_DEFINE(Win_allocate, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
	      void *baseptr, MPI_Win *win)
{
	CO_MPI_SLICE(__func__, (void)0);
	struct offer o = { MPI_WIN_FLAVOR_ALLOCATE, disp_unit, size, NULL, info };

	return co_mpi_error(comm, __func__, make_allocated(&o, comm, baseptr, win));
}

CO_MPI_DEFINE(Win_allocate_shared, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
	      void *baseptr, MPI_Win *win)
{
	CO_MPI_SLICE(__func__, (void)0);
	struct offer o = { MPI_WIN_FLAVOR_SHARED, disp_unit, size, NULL, info };

	return co_mpi_error(comm, __func__, make_allocated(&o, comm, baseptr, win));
}

CO_MPI_DEFINE(Win_create_dynamic, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	CO_MPI_SLICE(__func__, (void)0);
	struct offer o = { MPI_WIN_FLAVOR_DYNAMIC, 1, 0, MPI_BOTTOM, info };

	return co_mpi_error(comm, __func__, make_window(&o, comm, win));
}

/* ---- The end ---- */

static int check_idle(MPI_Win win)
{
	int r = co_mpi_check_win(win);

	if (r)
		return r;
	if (win->n_locked || win->all_locked)
		return co_mpi_say(MPI_ERR_RMA_SYNC, "it has locks");
	if (win->started || win->posted || win->fence == CO_MPI_FENCE_USED)
		return co_mpi_say(MPI_ERR_RMA_SYNC, "an epoch is open");
	return MPI_SUCCESS;
}

static void drop_regions(struct co_mpi_target *own)
{
	for (struct co_mpi_region *g = own->regions, *next; g; g = next) {
		next = g->next;
		free(g);
	}
}

CO_MPI_DEFINE(Win_free, MPI_Win *win)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = check_idle(*win);

	if (!r)
		r = co_mpi_attributes_free(*win, &(*win)->attributes);
	if (!r)
		r = co_mpi_win_meet(*win);
	if (r)
		return co_mpi_win_error(*win, __func__, r);
	drop_regions(&(*win)->targets[(*win)->comm->rank]);
	r = co_mpi_win_meet(*win); /* rank 0 frees the list of targets */
	put_win(*win);
	*win = MPI_WIN_NULL;
	return co_mpi_win_error(MPI_WIN_NULL, __func__, r);
}
