/* errhandler.c - error handlers, and those of communicators. */
#include <stdlib.h>

#include "objects.h"

struct co_mpi_errhandler co_mpi_fatal = { .magic = CO_MPI_IS_ERRHANDLER };
struct co_mpi_errhandler co_mpi_errors_return = { .magic = CO_MPI_IS_ERRHANDLER, .returns = true };

int co_mpi_errhandler_new(const char *name, void (*call)(void *, int *, ...),
			  MPI_Errhandler *handler)
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

int co_mpi_check_errhandler(MPI_Errhandler h)
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

int PMPI_Errhandler_free(MPI_Errhandler *handler)
{
	int r = co_mpi_check_errhandler(*handler);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_errhandler_put(*handler);
	*handler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}
CO_MPI_NAME(Errhandler_free);

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
	return co_mpi_errhandler_new(__func__, (void (*)(void *, int *, ...))function, handler);
}
CO_MPI_NAME(Comm_create_errhandler);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		r = co_mpi_check_errhandler(handler);
	if (r)
		return co_mpi_error(comm, __func__, r);
	co_mpi_errhandler_set(&comm->errhandler, handler);
	return MPI_SUCCESS;
}
CO_MPI_NAME(Comm_set_errhandler);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
	int r = co_mpi_check_comm(comm);

	if (r)
		return co_mpi_error(comm, __func__, r);
	*handler = comm->errhandler ? comm->errhandler : MPI_ERRORS_ARE_FATAL;
	co_mpi_errhandler_get(*handler);
	return MPI_SUCCESS;
}
CO_MPI_NAME(Comm_get_errhandler);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int code)
{
	int r = co_mpi_check_comm(comm);

	co_mpi_error(comm, __func__, r ? r : code);
	return r;
}
CO_MPI_NAME(Comm_call_errhandler);

/* ---- Until MPI 2 ---- */

int PMPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *handler)
{
	return PMPI_Comm_create_errhandler(function, handler);
}
CO_MPI_NAME(Errhandler_create);

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler)
{
	return PMPI_Comm_set_errhandler(comm, handler);
}
CO_MPI_NAME(Errhandler_set);

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler)
{
	return PMPI_Comm_get_errhandler(comm, handler);
}
CO_MPI_NAME(Errhandler_get);
