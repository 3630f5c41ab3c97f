/* window_attribute.c - attributes of windows. */
#include <string.h>

#include "attribute.h"

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *drop,
			   int *keyval, void *state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_WIN, (co_mpi_copy_fn *)copy,
						 (co_mpi_drop_fn *)drop, keyval, state));
}
CO_MPI_NAME(Win_create_keyval);

int PMPI_Win_free_keyval(int *keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_WIN, keyval));
}
CO_MPI_NAME(Win_free_keyval);

static int check_window(MPI_Win win, struct co_mpi_attribute ***list)
{
	*list = co_mpi_win_attributes(win);
	return *list ? MPI_SUCCESS : co_mpi_say(MPI_ERR_WIN, "%s", win ? "no window" : "NULL");
}

int PMPI_Win_set_attr(MPI_Win win, int keyval, void *value)
{
	struct co_mpi_attribute **list;
	int r = check_window(win, &list);

	if (!r)
		r = co_mpi_attribute_set(CO_MPI_OF_WIN, win, list, keyval, value);
	return co_mpi_win_error(win, __func__, r);
}
CO_MPI_NAME(Win_set_attr);

int PMPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
	struct co_mpi_attribute **list;
	int r = check_window(win, &list);
	void *v;

	if (!r && keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL) {
		v = co_mpi_win_attribute(win, keyval);
		memcpy(value, &v, sizeof(v));
		*flag = 1;
		return MPI_SUCCESS;
	}
	if (!r)
		r = co_mpi_attribute_get(CO_MPI_OF_WIN, *list, keyval, value, flag);
	return co_mpi_win_error(win, __func__, r);
}
CO_MPI_NAME(Win_get_attr);

int PMPI_Win_delete_attr(MPI_Win win, int keyval)
{
	struct co_mpi_attribute **list;
	int r = check_window(win, &list);

	if (!r)
		r = co_mpi_attribute_delete(CO_MPI_OF_WIN, win, list, keyval);
	return co_mpi_win_error(win, __func__, r);
}
CO_MPI_NAME(Win_delete_attr);
