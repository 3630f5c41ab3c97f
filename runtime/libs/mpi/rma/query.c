/* query.c - windows: checks, properties, attributes, error handlers. */
#include <stdio.h>
#include <string.h>

#include "window.h"

/* ---- Checks ---- */

int co_mpi_check_win(MPI_Win win)
{
	if (!win)
		return co_mpi_say(MPI_ERR_WIN, "MPI_WIN_NULL");
	return co_mpi_is(win, CO_MPI_IS_WIN) ? MPI_SUCCESS
					     : co_mpi_say(MPI_ERR_WIN, "no window, or freed");
}

int co_mpi_check_target(MPI_Win win, int rank)
{
	int r = co_mpi_check_win(win);

	if (r || rank == MPI_PROC_NULL || (rank >= 0 && rank < co_mpi_size(win->comm)))
		return r;
	return co_mpi_say(MPI_ERR_RANK, "rank %d of %d", rank, co_mpi_size(win->comm));
}

int co_mpi_win_meet(MPI_Win win)
{
	return PMPI_Barrier(win->comm);
}

/* ---- Properties ---- */

/* All memory is shared: this is for any window that is not dynamic. */
CO_MPI_DEFINE(Win_shared_query, MPI_Win win, int rank, MPI_Aint *size, int *disp_unit,
	      void *baseptr)
{
	const struct co_mpi_target *t;
	void *where;
	int r = co_mpi_check_target(win, rank);

	if (!r && win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		r = co_mpi_say(MPI_ERR_RMA_FLAVOR, "it is dynamic");
	if (!r && rank != MPI_PROC_NULL && co_mpi_win_far(win, rank))
		r = co_mpi_say(MPI_ERR_RMA_SHARED, "rank %d is on another board", rank);
	if (r)
		return co_mpi_win_error(win, __func__, r);
	/* MPI_PROC_NULL: the first rank that has memory. */
	t = &win->targets[rank == MPI_PROC_NULL ? 0 : rank];
	for (int i = 1; rank == MPI_PROC_NULL && !t->bytes && i < co_mpi_size(win->comm); i++)
		t = &win->targets[i];
	*size = t->bytes;
	*disp_unit = t->unit;
	where = t->bytes ? t->base : NULL;
	memcpy(baseptr, &where, sizeof(where));
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Win_get_group, MPI_Win win, MPI_Group *group)
{
	int r = co_mpi_check_win(win);

	if (!r)
		*group = co_mpi_group_get(win->comm->group);
	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_set_name, MPI_Win win, const char *win_name)
{
	int r = co_mpi_check_win(win);

	if (!r && !win_name)
		r = co_mpi_say(MPI_ERR_ARG, "the name is NULL");
	if (!r)
		snprintf(win->name, sizeof(win->name), "%s", win_name);
	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_get_name, MPI_Win win, char *win_name, int *resultlen)
{
	int r = co_mpi_check_win(win);

	if (!r)
		*resultlen = snprintf(win_name, MPI_MAX_OBJECT_NAME, "%s", win->name);
	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_set_info, MPI_Win win, MPI_Info info)
{
	int r = co_mpi_check_win(win);

	return co_mpi_win_error(win, __func__, r ? r : co_mpi_info_set(&win->info, info));
}

CO_MPI_DEFINE(Win_get_info, MPI_Win win, MPI_Info *info_used)
{
	int r = co_mpi_check_win(win);

	return co_mpi_win_error(win, __func__, r ? r : co_mpi_info_get(win->info, info_used));
}

/* ---- Attributes ---- */

CO_MPI_DEFINE(Win_create_keyval, MPI_Win_copy_attr_function *win_copy_attr_fn,
	      MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval, void *extra_state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_WIN,
						 (co_mpi_copy_function *)win_copy_attr_fn,
						 (co_mpi_delete_function *)win_delete_attr_fn,
						 win_keyval, extra_state));
}

CO_MPI_DEFINE(Win_free_keyval, int *win_keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_WIN, win_keyval));
}

CO_MPI_DEFINE(Win_set_attr, MPI_Win win, int win_keyval, void *attribute_val)
{
	int r = co_mpi_check_win(win);

	if (!r)
		r = co_mpi_attribute_set(CO_MPI_OF_WIN, win, &win->attributes, win_keyval,
					 attribute_val);
	return co_mpi_win_error(win, __func__, r);
}

/*
 * The value of a predefined attribute: its address, except for MPI_WIN_BASE, an address itself.
 * False: `keyval` is not predefined.
 */
static bool predefined(MPI_Win win, int keyval, void **value)
{
	if (keyval < MPI_WIN_BASE || keyval > MPI_WIN_MODEL)
		return false;
	*value = keyval == MPI_WIN_BASE        ? win->base
		 : keyval == MPI_WIN_SIZE      ? (void *)&win->bytes
		 : keyval == MPI_WIN_DISP_UNIT ? &win->unit
		 : keyval == MPI_WIN_MODEL     ? &win->model
					       : &win->flavor;
	return true;
}

CO_MPI_DEFINE(Win_get_attr, MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
	int r = co_mpi_check_win(win);
	void *v;

	if (!r && predefined(win, win_keyval, &v)) {
		memcpy(attribute_val, &v, sizeof(v));
		*flag = 1;
	} else if (!r) {
		r = co_mpi_attribute_get(CO_MPI_OF_WIN, win->attributes, win_keyval, attribute_val,
					 flag);
	}
	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_delete_attr, MPI_Win win, int win_keyval)
{
	int r = co_mpi_check_win(win);

	if (!r)
		r = co_mpi_attribute_delete(CO_MPI_OF_WIN, win, &win->attributes, win_keyval);
	return co_mpi_win_error(win, __func__, r);
}

/* ---- Error handlers ---- */

static MPI_Errhandler *of_window(MPI_Win win)
{
	return co_mpi_is(win, CO_MPI_IS_WIN) ? &win->errhandler : NULL;
}

int co_mpi_win_error(MPI_Win win, const char *call, int code)
{
	MPI_Errhandler *handler = of_window(win);

	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	if (!handler)
		return co_mpi_error(NULL, call, code);
	return co_mpi_handle_error(*handler, &win, co_mpi_named(win->name, "a window"), call, code);
}

CO_MPI_DEFINE(Win_create_errhandler, MPI_Win_errhandler_function *win_errhandler_fn,
	      MPI_Errhandler *errhandler)
{
	return co_mpi_win_error(
		MPI_WIN_NULL, __func__,
		co_mpi_errhandler_new((void (*)(void *, int *, ...))win_errhandler_fn, errhandler));
}

CO_MPI_DEFINE(Win_set_errhandler, MPI_Win win, MPI_Errhandler errhandler)
{
	int r = co_mpi_handler_set(of_window(win), MPI_ERR_WIN, errhandler);

	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_get_errhandler, MPI_Win win, MPI_Errhandler *errhandler)
{
	int r = co_mpi_handler_get(of_window(win), MPI_ERR_WIN, errhandler);

	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_call_errhandler, MPI_Win win, int errorcode)
{
	int r = of_window(win) ? MPI_SUCCESS : MPI_ERR_WIN;

	co_mpi_win_error(win, __func__, r ? r : errorcode);
	return r;
}
