/*
 * errhandler_calls.c - error handlers of windows and of files. Without one an error of a window
 * ends the run, and one of a file is returned.
 */
#include "file.h"

/* Where an object keeps its handler is NULL: it is none, which is an error of class `none`. */
static int set_handler(MPI_Errhandler *at, int none, MPI_Errhandler handler)
{
	int r = at ? co_mpi_check_errhandler(handler) : none;

	if (!r)
		co_mpi_errhandler_set(at, handler);
	return r;
}

static int get_handler(const MPI_Errhandler *at, int none, MPI_Errhandler *handler)
{
	if (!at)
		return none;
	*handler = co_mpi_errhandler_get(*at ? *at : MPI_ERRORS_ARE_FATAL);
	return MPI_SUCCESS;
}

/* ---- Windows ---- */

int co_mpi_win_error(MPI_Win win, const char *call, int code)
{
	MPI_Errhandler *handler = co_mpi_win_errhandler(win);

	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	if (!handler)
		return co_mpi_error(NULL, call, code);
	return co_mpi_handle_error(*handler, &win, "a window", call, code);
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler)
{
	return co_mpi_errhandler_new(__func__, (void (*)(void *, int *, ...))function, handler);
}
CO_MPI_NAME(Win_create_errhandler);

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler)
{
	int r = set_handler(co_mpi_win_errhandler(win), MPI_ERR_WIN, handler);

	return co_mpi_win_error(win, __func__, r);
}
CO_MPI_NAME(Win_set_errhandler);

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler)
{
	int r = get_handler(co_mpi_win_errhandler(win), MPI_ERR_WIN, handler);

	return co_mpi_win_error(win, __func__, r);
}
CO_MPI_NAME(Win_get_errhandler);

int PMPI_Win_call_errhandler(MPI_Win win, int code)
{
	int r = co_mpi_win_errhandler(win) ? MPI_SUCCESS : MPI_ERR_WIN;

	co_mpi_win_error(win, __func__, r ? r : code);
	return r;
}
CO_MPI_NAME(Win_call_errhandler);

/* ---- Files ---- */

/* MPI_FILE_NULL's: what a new file begins with. */
static MPI_Errhandler for_new = MPI_ERRORS_RETURN;

MPI_Errhandler *co_mpi_file_errhandler(MPI_File file)
{
	if (!file)
		return &for_new;
	return co_mpi_is(file, CO_MPI_IS_FILE) ? &file->errhandler : NULL;
}

int co_mpi_file_error(MPI_File file, const char *call, int code)
{
	MPI_Errhandler *handler = co_mpi_file_errhandler(file);

	if (code == MPI_SUCCESS)
		return MPI_SUCCESS;
	handler = handler ? handler : &for_new;
	return co_mpi_handle_error(co_mpi.me ? *handler : NULL, &file, "a file", call, code);
}

int PMPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler)
{
	return co_mpi_errhandler_new(__func__, (void (*)(void *, int *, ...))function, handler);
}
CO_MPI_NAME(File_create_errhandler);

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler)
{
	int r = set_handler(co_mpi_file_errhandler(file), MPI_ERR_FILE, handler);

	return co_mpi_file_error(file, __func__, r);
}
CO_MPI_NAME(File_set_errhandler);

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler)
{
	int r = get_handler(co_mpi_file_errhandler(file), MPI_ERR_FILE, handler);

	return co_mpi_file_error(file, __func__, r);
}
CO_MPI_NAME(File_get_errhandler);

int PMPI_File_call_errhandler(MPI_File file, int code)
{
	int r = co_mpi_file_errhandler(file) ? MPI_SUCCESS : MPI_ERR_FILE;

	co_mpi_file_error(file, __func__, r ? r : code);
	return r;
}
CO_MPI_NAME(File_call_errhandler);
