/* query.c - files: error classes and handlers, properties. */
#include <errno.h>
#include <string.h>

#include "file.h"

int co_mpi_file_class(int error)
{
	switch (error) {
	case 0:
		return MPI_SUCCESS;
	case -ENOENT:
		return MPI_ERR_NO_SUCH_FILE;
	case -EEXIST:
		return MPI_ERR_FILE_EXISTS;
	case -EACCES:
	case -EPERM:
		return MPI_ERR_ACCESS;
	case -EROFS:
		return MPI_ERR_READ_ONLY;
	case -ENOSPC:
	case -EFBIG:
		return MPI_ERR_NO_SPACE;
	case -EISDIR:
	case -ENOTDIR:
	case -ENAMETOOLONG:
		return MPI_ERR_BAD_FILE;
	case -ENOMEM:
		return MPI_ERR_NO_MEM;
	default:
		return co_mpi_say(MPI_ERR_IO, "%s", strerror(-error));
	}
}

int co_mpi_check_file(MPI_File f)
{
	if (co_mpi.me && co_mpi_is(f, CO_MPI_IS_FILE))
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_FILE, "%s", f ? "no file" : "MPI_FILE_NULL");
}

int co_mpi_check_random(MPI_File f)
{
	int r = co_mpi_check_file(f);

	if (!r && f->mode & MPI_MODE_SEQUENTIAL)
		r = co_mpi_say(MPI_ERR_UNSUPPORTED_OPERATION, "the file is MPI_MODE_SEQUENTIAL");
	return r;
}

/* ---- Properties ---- */

CO_MPI_DEFINE(File_get_group, MPI_File fh, MPI_Group *group)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		r = PMPI_Comm_group(fh->comm, group);
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_get_amode, MPI_File fh, int *amode)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		*amode = fh->mode;
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_set_info, MPI_File fh, MPI_Info info)
{
	int r = co_mpi_check_file(fh);

	return co_mpi_file_error(fh, __func__, r ? r : co_mpi_info_set(&fh->info, info));
}

CO_MPI_DEFINE(File_get_info, MPI_File fh, MPI_Info *info_used)
{
	int r = co_mpi_check_file(fh);

	return co_mpi_file_error(fh, __func__, r ? r : co_mpi_info_get(fh->info, info_used));
}

CO_MPI_DEFINE(File_set_atomicity, MPI_File fh, int flag)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		r = PMPI_Barrier(fh->comm); /* from here on for all */
	if (!r)
		fh->atomic = flag;
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_get_atomicity, MPI_File fh, int *flag)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		*flag = fh->atomic;
	return co_mpi_file_error(fh, __func__, r);
}

/* ---- Error handlers ---- */

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

CO_MPI_DEFINE(File_create_errhandler, MPI_File_errhandler_function *file_errhandler_fn,
	      MPI_Errhandler *errhandler)
{
	return co_mpi_file_error(
		MPI_FILE_NULL, __func__,
		co_mpi_errhandler_new((void (*)(void *, int *, ...))file_errhandler_fn,
				      errhandler));
}

CO_MPI_DEFINE(File_set_errhandler, MPI_File file, MPI_Errhandler errhandler)
{
	int r = co_mpi_handler_set(co_mpi_file_errhandler(file), MPI_ERR_FILE, errhandler);

	return co_mpi_file_error(file, __func__, r);
}

CO_MPI_DEFINE(File_get_errhandler, MPI_File file, MPI_Errhandler *errhandler)
{
	int r = co_mpi_handler_get(co_mpi_file_errhandler(file), MPI_ERR_FILE, errhandler);

	return co_mpi_file_error(file, __func__, r);
}

CO_MPI_DEFINE(File_call_errhandler, MPI_File fh, int errorcode)
{
	int r = co_mpi_file_errhandler(fh) ? MPI_SUCCESS : MPI_ERR_FILE;

	co_mpi_file_error(fh, __func__, r ? r : errorcode);
	return r;
}
