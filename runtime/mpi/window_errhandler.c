/* window_errhandler.c - error handlers of windows. */
#include "objects.h"

int co_mpi_win_error(MPI_Win win, const char *call, int code)
{
	MPI_Errhandler *handler = co_mpi_win_errhandler(win);

	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	if (!handler)
		return co_mpi_error(NULL, call, code);
	return co_mpi_handle_error(*handler, &win, "a window", call, code);
}

static int check_win(MPI_Win win)
{
	return co_mpi_win_errhandler(win) ? MPI_SUCCESS : MPI_ERR_WIN;
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler)
{
	return co_mpi_errhandler_new(__func__, (void (*)(void *, int *, ...))function, handler);
}
CO_MPI_NAME(Win_create_errhandler);

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler)
{
	int r = check_win(win);

	if (!r)
		r = co_mpi_check_errhandler(handler);
	if (r)
		return co_mpi_win_error(win, __func__, r);
	co_mpi_errhandler_set(co_mpi_win_errhandler(win), handler);
	return MPI_SUCCESS;
}
CO_MPI_NAME(Win_set_errhandler);

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler)
{
	int r = check_win(win);

	if (r)
		return co_mpi_win_error(win, __func__, r);
	*handler = *co_mpi_win_errhandler(win);
	*handler = *handler ? *handler : MPI_ERRORS_ARE_FATAL;
	co_mpi_errhandler_get(*handler);
	return MPI_SUCCESS;
}
CO_MPI_NAME(Win_get_errhandler);

int PMPI_Win_call_errhandler(MPI_Win win, int code)
{
	int r = check_win(win);

	co_mpi_win_error(win, __func__, r ? r : code);
	return r;
}
CO_MPI_NAME(Win_call_errhandler);
