/* file.c - files: how they are opened, closed and sized. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cohart/process.h>
#include <cohart/proxy.h>
#include <cohart/spm.h>

#include "../comm/make.h"
#include "file.h"

int co_mpi_file_class_of_first(MPI_File f, int code)
{
	int r = PMPI_Bcast(&code, 1, MPI_INT, 0, f->comm);

	return r ? r : code;
}

/* ---- On hart 0 ---- */

static intptr_t move_bytes(void *arg)
{
	struct co_mpi_file_piece *p = arg;
	size_t done = 0;

	if (lseek(p->descriptor, (off_t)p->at, SEEK_SET) < 0)
		return -errno;
	while (done < p->bytes) {
		ssize_t n = p->writes ? write(p->descriptor, p->data + done, p->bytes - done)
				      : read(p->descriptor, p->data + done, p->bytes - done);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (intptr_t)done;
}

/* ---- On the rank's hart ---- */

MPI_Count co_mpi_file_move(MPI_File f, bool writes, MPI_Offset at, void *data, size_t bytes)
{
	char *there = co_process_public(data);
	char *copy = NULL;
	MPI_Count n;

	if (at != (off_t)at)
		return -EFBIG;
	if (bytes && !co_spm_shared(there, bytes)) {
		copy = there = malloc(bytes);
		if (!copy)
			return -ENOMEM;
		if (writes)
			memcpy(copy, data, bytes);
	}
	f->piece = (struct co_mpi_file_piece){ f->shared->descriptor, writes, at, there, bytes };
	n = co_proxy_call(move_bytes, &f->piece);
	if (copy && !writes && n > 0)
		memcpy(data, copy, (size_t)n);
	free(copy);
	return n;
}

int co_mpi_file_length(MPI_File f, MPI_Offset *bytes)
{
	off_t end = lseek(f->shared->descriptor, 0, SEEK_END);

	if (end < 0)
		return co_mpi_file_class(-errno);
	*bytes = end;
	return MPI_SUCCESS;
}

/* ---- Opening ---- */

static int check_mode(int mode)
{
	int access = mode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);

	if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR)
		return co_mpi_say(MPI_ERR_AMODE, "to read, to write, or both?");
	if (access == MPI_MODE_RDONLY && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
		return co_mpi_say(MPI_ERR_AMODE, "created, to be read only");
	if (access == MPI_MODE_RDWR && mode & MPI_MODE_SEQUENTIAL)
		return co_mpi_say(MPI_ERR_AMODE, "in sequence, to read and to write");
	return MPI_SUCCESS;
}

/* Compare the modes of all ranks, and collect earlier errors: all ranks get one class. */
static int agree(MPI_Comm comm, int mode, int error)
{
	int mine[3] = { mode, -mode, error }, most[3];
	int r = PMPI_Allreduce(mine, most, 3, MPI_INT, MPI_MAX, comm);

	if (r)
		return r;
	if (most[2])
		return most[2];
	if (most[0] != -most[1])
		return co_mpi_say(MPI_ERR_NOT_SAME, "the ranks open it in different modes");
	return check_mode(mode);
}

/* At the first rank, which has opened the file. */
static int close_shared(MPI_File f)
{
	int r = MPI_SUCCESS;

	if (f->shared->descriptor >= 0 && close(f->shared->descriptor) < 0)
		r = co_mpi_file_class(-errno);
	free(f->shared);
	f->shared = NULL;
	return r;
}

/* Open the file, at the first rank. On error f->shared is NULL. */
static int open_shared(MPI_File f)
{
	int flags = f->mode & MPI_MODE_RDONLY   ? O_RDONLY
		    : f->mode & MPI_MODE_WRONLY ? O_WRONLY
						: O_RDWR;
	int r = MPI_SUCCESS;

	f->shared = calloc(1, sizeof(*f->shared));
	if (!f->shared)
		return MPI_ERR_NO_MEM;
	flags |= f->mode & MPI_MODE_CREATE ? O_CREAT : 0;
	flags |= f->mode & MPI_MODE_EXCL ? O_EXCL : 0;
	f->shared->descriptor = open(f->name, flags, 0666);
	if (f->shared->descriptor < 0)
		r = co_mpi_file_class(-errno);
	else if (f->mode & MPI_MODE_APPEND)
		r = co_mpi_file_length(f, &f->shared->position);
	if (r)
		close_shared(f);
	return r;
}

static void put_file(MPI_File f)
{
	if (!f)
		return;
	co_mpi_errhandler_put(f->errhandler);
	co_mpi_info_put(f->info);
	if (f->unit) {
		co_mpi_type_put(f->unit);
		co_mpi_type_put(f->type);
	}
	if (f->comm)
		co_mpi_comm_put(f->comm);
	co_mpi_unmark(&f->magic);
	free(f->name);
	free(f);
}

static MPI_File file_new(const char *name, int mode, MPI_Info info)
{
	MPI_File f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->name = strdup(name ? name : "");
	f->mode = mode;
	f->info = co_mpi_info_copy(info);
	f->unit = co_mpi_type_get(MPI_BYTE);
	f->type = co_mpi_type_get(MPI_BYTE);
	f->errhandler = co_mpi_errhandler_get(*co_mpi_file_errhandler(NULL));
	if (!f->name || (info && !f->info)) {
		put_file(f);
		return NULL;
	}
	return f;
}

/*
 * f->comm is the library's own: all ranks call this, or none does. After an error of the broadcast
 * the first rank closes the file.
 */
static int open_all(MPI_File f)
{
	int first = f->comm->rank == 0 ? open_shared(f) : MPI_SUCCESS;
	int r = co_mpi_file_class_of_first(f, first);
	struct {
		struct co_mpi_file_shared *shared;
		MPI_Offset position; /* before any rank moves it */
	} said = { f->shared, f->shared ? f->shared->position : 0 };

	if (!r)
		r = PMPI_Bcast(&said, sizeof(said), MPI_BYTE, 0, f->comm);
	if (r && f->shared)
		(void)close_shared(f);
	if (r)
		return r;
	f->shared = said.shared;
	f->position = said.position;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(File_open, MPI_Comm comm, const char *filename, int amode, MPI_Info info,
	      MPI_File *fh)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_intra(comm);
	MPI_File f;

	*fh = MPI_FILE_NULL;
	if (r)
		return co_mpi_file_error(MPI_FILE_NULL, __func__, r);
	r = co_mpi_check_one_board("files of MPI");
	if (r) /* not to the handler of files, which returns: a program may not look */
		return co_mpi_error(comm, __func__, r);
	r = co_mpi_check_info(info);
	f = r ? NULL : file_new(filename, amode, info);
	r = agree(comm, amode, f || r ? r : MPI_ERR_NO_MEM);
	if (!r && f)
		r = co_mpi_comm_of(comm, comm->group, CO_MPI_TAG_CREATE, r, &f->comm);
	if (!r && f) {
		co_mpi_errhandler_set(&f->comm->errhandler, MPI_ERRORS_RETURN);
		r = open_all(f);
	}
	if (r) {
		put_file(f);
		return co_mpi_file_error(MPI_FILE_NULL, __func__, r);
	}
	f->magic = CO_MPI_IS_FILE;
	*fh = f;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(File_close, MPI_File *fh)
{
	CO_MPI_SLICE(__func__, (void)0);
	MPI_File f = *fh;
	int r = co_mpi_check_file(f);

	if (!r)
		r = co_mpi_error_of_all(
			f->comm, f->split ? co_mpi_say(MPI_ERR_FILE, "a split access has not ended")
					  : MPI_SUCCESS);
	if (r)
		return co_mpi_file_error(f, __func__, r);
	if (f->comm->rank == 0) {
		r = close_shared(f);
		if (f->mode & MPI_MODE_DELETE_ON_CLOSE && unlink(f->name) < 0)
			r = co_mpi_file_class(-errno);
	}
	r = co_mpi_file_class_of_first(f, r);
	*fh = MPI_FILE_NULL;
	r = co_mpi_file_error(f, __func__, r);
	put_file(f);
	return r;
}

CO_MPI_DEFINE(File_delete, const char *filename, MPI_Info info)
{
	(void)info;
	return co_mpi_file_error(MPI_FILE_NULL, __func__,
				 unlink(filename) < 0 ? co_mpi_file_class(-errno) : MPI_SUCCESS);
}

/* ---- Sizes ---- */

/* The host cannot cut a file: keep the first bytes, and write them anew. */
static int cut_file(MPI_File f, size_t bytes)
{
	char *kept = malloc(bytes + 1);
	MPI_Count n;
	int again;

	if (!kept)
		return MPI_ERR_NO_MEM;
	n = co_mpi_file_move(f, false, 0, kept, bytes);
	if (n >= 0) {
		again = open(f->name, O_WRONLY | O_TRUNC);
		if (again < 0)
			n = -errno;
		else
			close(again);
	}
	if (n > 0)
		n = co_mpi_file_move(f, true, 0, kept, (size_t)n);
	free(kept);
	return n < 0 ? co_mpi_file_class((int)n) : MPI_SUCCESS;
}

static int resize(MPI_File f, MPI_Offset bytes, bool only_more)
{
	MPI_Offset now = 0;
	MPI_Count n;
	int r = co_mpi_file_length(f, &now);

	if (r || now == bytes || (now > bytes && only_more))
		return r;
	if (now > bytes)
		return f->mode & MPI_MODE_RDWR || bytes == 0
			       ? cut_file(f, (size_t)bytes)
			       : co_mpi_say(MPI_ERR_UNSUPPORTED_OPERATION,
					    "a file that is not read cannot be cut");
	n = co_mpi_file_move(f, true, bytes - 1, &(char){ 0 }, 1);
	return n < 0 ? co_mpi_file_class((int)n) : MPI_SUCCESS;
}

/* All ranks call this with one number; the first rank sets the size. */
static int set_size(MPI_File f, MPI_Offset bytes, bool only_more)
{
	int r = co_mpi_check_random(f);

	if (r)
		return r;
	if (bytes < 0)
		r = co_mpi_say(MPI_ERR_ARG, "%lld bytes", bytes);
	else if (f->mode & MPI_MODE_RDONLY)
		r = MPI_ERR_READ_ONLY;
	r = co_mpi_error_of_all(f->comm, r);
	if (!r && f->comm->rank == 0)
		r = resize(f, bytes, only_more);
	return co_mpi_file_class_of_first(f, r);
}

CO_MPI_DEFINE(File_set_size, MPI_File fh, MPI_Offset size)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_file_error(fh, __func__, set_size(fh, size, false));
}

CO_MPI_DEFINE(File_preallocate, MPI_File fh, MPI_Offset size)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_file_error(fh, __func__, set_size(fh, size, true));
}

CO_MPI_DEFINE(File_get_size, MPI_File fh, MPI_Offset *size)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		r = co_mpi_file_length(fh, size);
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_sync, MPI_File fh)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_file(fh);

	if (!r)
		r = PMPI_Barrier(fh->comm);
	return co_mpi_file_error(fh, __func__, r);
}
