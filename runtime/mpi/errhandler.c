/*
 * errhandler.c - error handlers of communicators, windows and files. Without a handler an error of
 * a communicator or a window ends the run, and an error of a file is returned.
 */
#include <stdlib.h>

#include "file.h"
#include "window.h"

struct co_mpi_errhandler co_mpi_fatal = { .magic = CO_MPI_IS_ERRHANDLER };
struct co_mpi_errhandler co_mpi_errors_return = { .magic = CO_MPI_IS_ERRHANDLER, .returns = true };

static int new_handler(const char *name, void (*call)(void *, int *, ...), MPI_Errhandler *handler)
{
	MPI_Errhandler h = malloc(sizeof(*h));

	if (!h)
		return co_mpi_error(NULL, name, MPI_ERR_NO_MEM);
	*h = (struct co_mpi_errhandler){ CO_MPI_IS_ERRHANDLER, 1, call, false };
	*handler = h;
	return MPI_SUCCESS;
}

static bool is_predefined(MPI_Errhandler h)
{
	return h == MPI_ERRORS_ARE_FATAL || h == MPI_ERRORS_RETURN;
}

void co_mpi_errhandler_put(MPI_Errhandler h)
{
	if (h && !is_predefined(h) && --h->references == 0) {
		co_mpi_unmark(&h->magic);
		free(h);
	}
}

MPI_Errhandler co_mpi_errhandler_get(MPI_Errhandler h)
{
	if (h)
		h->references++;
	return h;
}

static int check_handler(MPI_Errhandler h)
{
	return co_mpi_is(h, CO_MPI_IS_ERRHANDLER) ? MPI_SUCCESS
						  : co_mpi_say(MPI_ERR_ARG, "no error handler");
}

void co_mpi_errhandler_set(MPI_Errhandler *to, MPI_Errhandler handler)
{
	co_mpi_errhandler_get(handler);
	co_mpi_errhandler_put(*to);
	*to = handler;
}

CO_MPI_DEFINE(Errhandler_free, MPI_Errhandler *handler)
{
	int r = check_handler(*handler);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_errhandler_put(*handler);
	*handler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}

/* Set the handler at `at`. NULL: the object is invalid, which is an error of class `none`. */
static int set_handler(MPI_Errhandler *at, int none, MPI_Errhandler handler)
{
	int r = at ? check_handler(handler) : none;

	if (at && !r)
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

/* ---- Communicators ---- */

CO_MPI_DEFINE(Comm_create_errhandler, MPI_Comm_errhandler_function *function,
	      MPI_Errhandler *handler)
{
	return new_handler(__func__, (void (*)(void *, int *, ...))function, handler);
}

CO_MPI_DEFINE(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler)
{
	int none = co_mpi_check_comm(comm);
	int r = set_handler(none ? NULL : &comm->errhandler, none, handler);

	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *handler)
{
	int none = co_mpi_check_comm(comm);
	int r = get_handler(none ? NULL : &comm->errhandler, none, handler);

	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_call_errhandler, MPI_Comm comm, int code)
{
	int r = co_mpi_check_comm(comm);

	co_mpi_error(comm, __func__, r ? r : code);
	return r;
}

CO_MPI_OLD_NAME(Errhandler_create, Comm_create_errhandler);
CO_MPI_OLD_NAME(Errhandler_set, Comm_set_errhandler);
CO_MPI_OLD_NAME(Errhandler_get, Comm_get_errhandler);

/* ---- Windows ---- */

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
	return co_mpi_handle_error(*handler, &win, "a window", call, code);
}

CO_MPI_DEFINE(Win_create_errhandler, MPI_Win_errhandler_function *function, MPI_Errhandler *handler)
{
	return new_handler(__func__, (void (*)(void *, int *, ...))function, handler);
}

CO_MPI_DEFINE(Win_set_errhandler, MPI_Win win, MPI_Errhandler handler)
{
	int r = set_handler(of_window(win), MPI_ERR_WIN, handler);

	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_get_errhandler, MPI_Win win, MPI_Errhandler *handler)
{
	int r = get_handler(of_window(win), MPI_ERR_WIN, handler);

	return co_mpi_win_error(win, __func__, r);
}

CO_MPI_DEFINE(Win_call_errhandler, MPI_Win win, int code)
{
	int r = of_window(win) ? MPI_SUCCESS : MPI_ERR_WIN;

	co_mpi_win_error(win, __func__, r ? r : code);
	return r;
}

/* ---- Files ---- */

/* MPI_FILE_NULL's handler, which a new file begins with. */
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

CO_MPI_DEFINE(File_create_errhandler, MPI_File_errhandler_function *function,
	      MPI_Errhandler *handler)
{
	return new_handler(__func__, (void (*)(void *, int *, ...))function, handler);
}

CO_MPI_DEFINE(File_set_errhandler, MPI_File file, MPI_Errhandler handler)
{
	int r = set_handler(co_mpi_file_errhandler(file), MPI_ERR_FILE, handler);

	return co_mpi_file_error(file, __func__, r);
}

CO_MPI_DEFINE(File_get_errhandler, MPI_File file, MPI_Errhandler *handler)
{
	int r = get_handler(co_mpi_file_errhandler(file), MPI_ERR_FILE, handler);

	return co_mpi_file_error(file, __func__, r);
}

CO_MPI_DEFINE(File_call_errhandler, MPI_File file, int code)
{
	int r = co_mpi_file_errhandler(file) ? MPI_SUCCESS : MPI_ERR_FILE;

	co_mpi_file_error(file, __func__, r ? r : code);
	return r;
}
