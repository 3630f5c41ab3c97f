/*
 * errhandler.c - error handlers of communicators, windows and files. Without a handler an error of
 * a communicator or a window ends the run, and an error of a file is returned.
 */
#include <stdlib.h>

#include "objects.h"

struct co_mpi_errhandler co_mpi_fatal = { .magic = CO_MPI_IS_ERRHANDLER };
struct co_mpi_errhandler co_mpi_errors_return = { .magic = CO_MPI_IS_ERRHANDLER, .returns = true };

int co_mpi_errhandler_new(void (*call)(void *, int *, ...), MPI_Errhandler *handler)
{
	MPI_Errhandler h = malloc(sizeof(*h));

	if (!h)
		return MPI_ERR_NO_MEM;
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

CO_MPI_DEFINE(Errhandler_free, MPI_Errhandler *errhandler)
{
	int r = check_handler(*errhandler);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_errhandler_put(*errhandler);
	*errhandler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}

int co_mpi_handler_set(MPI_Errhandler *at, int none, MPI_Errhandler handler)
{
	int r = at ? check_handler(handler) : none;

	if (at && !r)
		co_mpi_errhandler_set(at, handler);
	return r;
}

int co_mpi_handler_get(const MPI_Errhandler *at, int none, MPI_Errhandler *handler)
{
	if (!at)
		return none;
	*handler = co_mpi_errhandler_get(*at ? *at : MPI_ERRORS_ARE_FATAL);
	return MPI_SUCCESS;
}
