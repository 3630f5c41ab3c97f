/* file_errhandler.c - error handlers of files. Without one an error is returned, as of a file. */
#include "file.h"

static MPI_Errhandler for_new =
	MPI_ERRORS_RETURN; /* MPI_FILE_NULL's: what a new file begins with */

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

static int check(MPI_File file)
{
	return co_mpi_file_errhandler(file) ? MPI_SUCCESS : MPI_ERR_FILE;
}

int PMPI_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler)
{
	return co_mpi_errhandler_new(__func__, (void (*)(void *, int *, ...))function, handler);
}
CO_MPI_NAME(File_create_errhandler);

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler)
{
	int r = check(file);

	if (!r)
		r = co_mpi_check_errhandler(handler);
	if (r)
		return co_mpi_file_error(file, __func__, r);
	co_mpi_errhandler_set(co_mpi_file_errhandler(file), handler);
	return MPI_SUCCESS;
}
CO_MPI_NAME(File_set_errhandler);

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler)
{
	int r = check(file);

	if (r)
		return co_mpi_file_error(file, __func__, r);
	*handler = co_mpi_errhandler_get(*co_mpi_file_errhandler(file));
	return MPI_SUCCESS;
}
CO_MPI_NAME(File_get_errhandler);

int PMPI_File_call_errhandler(MPI_File file, int code)
{
	int r = check(file);

	co_mpi_file_error(file, __func__, r ? r : code);
	return r;
}
CO_MPI_NAME(File_call_errhandler);
