/*
 * access.c - reads and writes of files, at a position that is given or at the rank's own.
 *
 * A collective access is each rank's own access, and an access that a call begins has ended when
 * the call returns: the standard allows both, and hart 0 serves one access after another anyway.
 */
#include <stdlib.h>

#include "../request/request.h"
#include "file.h"

/* An access through the view, from `skip` bytes on: addresses are positions in the file. */
struct access {
	struct co_mpi_walk walk;
	MPI_File file;
	bool writes;
	MPI_Count skip, left, done;
	char *data;
	int error; /* a negative errno number */
};

/* Move one dense piece of the view. True: go on. */
static bool move_piece(struct access *a, MPI_Offset at, MPI_Count bytes)
{
	MPI_Count n;

	if (a->skip >= bytes) {
		a->skip -= bytes;
		return true;
	}
	at += a->skip;
	bytes -= a->skip;
	a->skip = 0;
	bytes = bytes < a->left ? bytes : a->left;
	n = co_mpi_file_move(a->file, a->writes, at, a->data + a->done, (size_t)bytes);
	if (n < 0) {
		a->error = (int)n;
		return false;
	}
	a->done += n;
	a->left -= n;
	return n == bytes && a->left > 0;
}

static bool move_run(struct co_mpi_walk *walk, const struct co_mpi_run *run)
{
	struct access *a = (struct access *)walk;
	bool more = true;

	for (MPI_Count i = 0; more && i < run->blocks; i++)
		more = move_piece(a, (intptr_t)run->at + i * run->stride, run->bytes);
	return more;
}

/* Move bytes at position `offset` of the view. Returns a class; *done bytes have moved. */
static int move_all(MPI_File f, bool writes, MPI_Offset offset, void *data, MPI_Count bytes,
		    MPI_Count *done)
{
	MPI_Count at = offset * f->unit->size;
	MPI_Offset first = f->at + at / f->type->size * f->type->extent;
	struct access a = {
		{ move_run, CO_MPI_TO_DENSE }, f, writes, at % f->type->size, bytes, 0, data, 0
	};
	MPI_Count types = (a.skip + bytes + f->type->size - 1) / f->type->size;
	int r = f->atomic ? co_mpi_lock(&f->shared->lock) : MPI_SUCCESS;

	if (r)
		return r;
	if (bytes)
		co_mpi_walk(&a.walk, f->type, types, (void *)(intptr_t)first);
	if (f->atomic)
		co_mutex_unlock(&f->shared->lock);
	*done = a.done;
	return co_mpi_file_class(a.error);
}

int co_mpi_file_check_access(MPI_File f, bool writes, MPI_Offset offset, const void *buf, int n,
			     MPI_Datatype type)
{
	int r = co_mpi_check_buffer(buf, n, type);

	if (r)
		return r;
	if (co_mpi.inside)
		co_mpi_tell(-1, -1, n * type->size);
	if (writes ? f->mode & MPI_MODE_RDONLY : f->mode & MPI_MODE_WRONLY)
		return writes ? MPI_ERR_READ_ONLY : co_mpi_say(MPI_ERR_ACCESS, "opened to write");
	r = co_mpi_file_check_position(f, offset);
	if (r)
		return r;
	if (n * type->size % f->unit->size)
		return co_mpi_say(MPI_ERR_IO, "%lld bytes, of units of %lld", n * type->size,
				  f->unit->size);
	return MPI_SUCCESS;
}

/* Move data; if its type is not plain, by a copy without holes. */
static int move_pieces(MPI_File f, bool writes, MPI_Offset offset, void *buf, int n,
		       MPI_Datatype type, MPI_Count *done)
{
	MPI_Count bytes = n * type->size;
	char *packed;
	int r;

	if (type->plain)
		return move_all(f, writes, offset, co_mpi_type_data(type, buf), bytes, done);
	packed = malloc((size_t)bytes + 1);
	if (!packed)
		return co_mpi_say(MPI_ERR_NO_MEM, "%lld bytes", bytes);
	if (writes)
		co_mpi_pack(buf, n, type, packed);
	r = move_all(f, writes, offset, packed, bytes, done);
	if (!writes)
		co_mpi_unpack(packed, *done, buf, n, type);
	free(packed);
	return r;
}

int co_mpi_file_access(MPI_File f, bool writes, MPI_Offset offset, void *buf, int n,
		       MPI_Datatype type, MPI_Status *status, MPI_Offset *units)
{
	MPI_Count done = 0;
	int r = move_pieces(f, writes, offset, buf, n, type, &done);

	if (r)
		return r;
	*units = done / f->unit->size;
	co_mpi_give_status(status, &(MPI_Status){ .MPI_SOURCE = MPI_ANY_SOURCE,
						  .MPI_TAG = MPI_ANY_TAG,
						  .bytes = done });
	return MPI_SUCCESS;
}

int co_mpi_file_request(const MPI_Status *status, MPI_Request *request)
{
	int r = co_mpi_request_ready(request);

	if (!r)
		(*request)->status = *status;
	return r;
}

/* Run an access. offset NULL: at the rank's own position, which moves on. */
static int run(MPI_File f, bool writes, void *buf, int n, MPI_Datatype type,
	       const MPI_Offset *offset, MPI_Status *status)
{
	int r = co_mpi_check_random(f);
	MPI_Offset at = 0, units;

	if (!r) {
		at = offset ? *offset : f->position;
		r = co_mpi_file_check_access(f, writes, at, buf, n, type);
	}
	if (!r)
		r = co_mpi_file_access(f, writes, at, buf, n, type, status, &units);
	if (!r && !offset)
		f->position += units;
	return r;
}

static int start_moving(MPI_File f, bool writes, void *buf, int n, MPI_Datatype type,
			const MPI_Offset *offset, MPI_Request *request)
{
	MPI_Status status = CO_MPI_EMPTY_STATUS;
	int r = run(f, writes, buf, n, type, offset, &status);

	return r ? r : co_mpi_file_request(&status, request);
}

/* ---- Split accesses ---- */

static enum co_mpi_split split_of(bool writes, bool at)
{
	if (at)
		return writes ? CO_MPI_WRITE_AT_ALL : CO_MPI_READ_AT_ALL;
	return writes ? CO_MPI_WRITE_ALL : CO_MPI_READ_ALL;
}

int co_mpi_file_check_split(MPI_File f)
{
	return f->split ? co_mpi_say(MPI_ERR_OTHER, "another split access has not ended")
			: MPI_SUCCESS;
}

static int begin_split(MPI_File f, bool writes, void *buf, int n, MPI_Datatype type,
		       const MPI_Offset *offset)
{
	int r = co_mpi_check_file(f);

	if (!r)
		r = co_mpi_file_check_split(f);
	if (!r)
		r = run(f, writes, buf, n, type, offset, &f->status);
	if (!r)
		f->split = split_of(writes, offset);
	return r;
}

int co_mpi_file_end_split(MPI_File f, enum co_mpi_split split, MPI_Status *status)
{
	int r = co_mpi_check_file(f);

	if (!r && f->split != split)
		r = co_mpi_say(MPI_ERR_OTHER, "no such split access has begun");
	if (r)
		return r;
	f->split = CO_MPI_NO_SPLIT;
	co_mpi_give_status(status, &f->status);
	return MPI_SUCCESS;
}

/* ---- The calls: the offset is given, or not ---- */

#define OWN(name, writes, data)                                                              \
	CO_MPI_FILE_CALL(name, run(fh, writes, CO_MPI_FILE_DATA, NULL, status), MPI_File fh, \
			 data buf, int count, MPI_Datatype datatype, MPI_Status *status)
#define OWN_START(name, writes, data)                                                     \
	CO_MPI_FILE_CALL(name, start_moving(fh, writes, CO_MPI_FILE_DATA, NULL, request), \
			 MPI_File fh, data buf, int count, MPI_Datatype datatype,         \
			 MPI_Request *request)
#define AT(name, writes, data)                                                                  \
	CO_MPI_FILE_CALL(name, run(fh, writes, CO_MPI_FILE_DATA, &offset, status), MPI_File fh, \
			 MPI_Offset offset, data buf, int count, MPI_Datatype datatype,         \
			 MPI_Status *status)
#define AT_START(name, writes, data)                                                         \
	CO_MPI_FILE_CALL(name, start_moving(fh, writes, CO_MPI_FILE_DATA, &offset, request), \
			 MPI_File fh, MPI_Offset offset, data buf, int count,                \
			 MPI_Datatype datatype, MPI_Request *request)

OWN(read, false, in);
OWN(read_all, false, in);
OWN(write, true, out);
OWN(write_all, true, out);
OWN_START(iread, false, in);
OWN_START(iread_all, false, in);
OWN_START(iwrite, true, out);
OWN_START(iwrite_all, true, out);
AT(read_at, false, in);
AT(read_at_all, false, in);
AT(write_at, true, out);
AT(write_at_all, true, out);
AT_START(iread_at, false, in);
AT_START(iread_at_all, false, in);
AT_START(iwrite_at, true, out);
AT_START(iwrite_at_all, true, out);
CO_MPI_FILE_CALL(read_all_begin, begin_split(fh, false, CO_MPI_FILE_DATA, NULL), MPI_File fh,
		 in buf, int count, MPI_Datatype datatype);
CO_MPI_FILE_CALL(write_all_begin, begin_split(fh, true, CO_MPI_FILE_DATA, NULL), MPI_File fh,
		 out buf, int count, MPI_Datatype datatype);
CO_MPI_FILE_CALL(read_at_all_begin, begin_split(fh, false, CO_MPI_FILE_DATA, &offset), MPI_File fh,
		 MPI_Offset offset, in buf, int count, MPI_Datatype datatype);
CO_MPI_FILE_CALL(write_at_all_begin, begin_split(fh, true, CO_MPI_FILE_DATA, &offset), MPI_File fh,
		 MPI_Offset offset, out buf, int count, MPI_Datatype datatype);

CO_MPI_END_SPLIT(read_all_end, CO_MPI_READ_ALL, in);
CO_MPI_END_SPLIT(write_all_end, CO_MPI_WRITE_ALL, out);
CO_MPI_END_SPLIT(read_at_all_end, CO_MPI_READ_AT_ALL, in);
CO_MPI_END_SPLIT(write_at_all_end, CO_MPI_WRITE_AT_ALL, out);
