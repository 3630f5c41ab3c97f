/* dynamic.c - memory that is attached to dynamic windows. */
#include <stdlib.h>

#include <cohart/process.h>
#include <cohart/spm.h>

#include "window.h"

static int check_dynamic(MPI_Win win)
{
	int r = co_mpi_check_win(win);

	if (!r && win->flavor != MPI_WIN_FLAVOR_DYNAMIC)
		r = co_mpi_say(MPI_ERR_RMA_FLAVOR, "it is not dynamic");
	return r;
}

/* Regions may lie one behind another. */
bool co_mpi_is_attached(const struct co_mpi_target *t, const char *low, const char *high)
{
	for (const struct co_mpi_region *g = t->regions; g && low < high;) {
		bool inside = low >= g->base && low < g->base + g->bytes;

		low = inside ? g->base + g->bytes : low;
		g = inside ? t->regions : g->next; /* the next region may be anywhere in the list */
	}
	return low >= high;
}

static int attach(MPI_Win win, char *base, MPI_Aint bytes)
{
	struct co_mpi_target *own;
	struct co_mpi_region *g;
	int r = check_dynamic(win);

	if (!r && bytes < 0)
		r = co_mpi_say(MPI_ERR_SIZE, "%ld bytes", (long)bytes);
	if (!r && !co_spm_shared(co_process_public(base), (size_t)bytes))
		r = co_mpi_say(MPI_ERR_RMA_SHARED, "%p is in a scratchpad's private part", base);
	if (r)
		return r;
	g = malloc(sizeof(*g));
	if (!g)
		return MPI_ERR_NO_MEM;
	own = &win->targets[win->comm->rank];
	r = co_mpi_lock(&own->guard);
	if (r) {
		free(g);
		return r;
	}
	*g = (struct co_mpi_region){ base, bytes, own->regions };
	own->regions = g;
	co_mutex_unlock(&own->guard);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Win_attach, MPI_Win win, void *base, MPI_Aint size)
{
	return co_mpi_win_error(win, __func__, attach(win, base, size));
}

CO_MPI_DEFINE(Win_detach, MPI_Win win, const void *base)
{
	struct co_mpi_target *own;
	struct co_mpi_region **at, *gone;
	int r = check_dynamic(win);

	if (r)
		return co_mpi_win_error(win, __func__, r);
	own = &win->targets[win->comm->rank];
	r = co_mpi_lock(&own->guard);
	if (r)
		return co_mpi_win_error(win, __func__, r);
	at = &own->regions;
	while (*at && (*at)->base != base)
		at = &(*at)->next;
	gone = *at;
	if (gone)
		*at = gone->next;
	co_mutex_unlock(&own->guard);
	free(gone);
	if (!gone)
		r = co_mpi_say(MPI_ERR_RMA_ATTACH, "%p was not attached", base);
	return co_mpi_win_error(win, __func__, r);
}
