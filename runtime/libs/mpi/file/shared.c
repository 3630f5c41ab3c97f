/*
 * shared.c - reads and writes at the shared file pointer, by one rank or by all in order.
 *
 * The pointer is a number that all ranks reach. A rank that accesses alone locks it during the
 * access, so that it moves by the bytes that were moved, also at the file's end. Ordered accesses
 * are collective: a scan of their sizes says where each rank's begins.
 */
#include "../coll/collective.h"
#include "file.h"

/* ---- One rank's ---- */

static int move_shared(MPI_File f, bool writes, void *buf, int count, MPI_Datatype datatype,
		       MPI_Status *status)
{
	int r = co_mpi_check_file(f);
	MPI_Offset units = 0, at;

	if (!r)
		r = co_mpi_lock(&f->shared->pointer);
	if (r)
		return r;
	at = f->shared->position;
	r = co_mpi_file_check_access(f, writes, at, buf, count, datatype);
	if (!r)
		r = co_mpi_file_access(f, writes, at, buf, count, datatype, status, &units);
	f->shared->position = at + units;
	co_mutex_unlock(&f->shared->pointer);
	return r;
}

static int start_shared(MPI_File f, bool writes, void *buf, int count, MPI_Datatype datatype,
			MPI_Request *request)
{
	MPI_Status status = CO_MPI_EMPTY_STATUS;
	int r = move_shared(f, writes, buf, count, datatype, &status);

	return r ? r : co_mpi_file_request(&status, request);
}

/* ACCESS: with a status, START: with a request. */
#define ACCESS(name, how, writes, data)                                                          \
	CO_MPI_FILE_CALL(name, how(fh, writes, CO_MPI_FILE_DATA, status), MPI_File fh, data buf, \
			 int count, MPI_Datatype datatype, MPI_Status *status)
#define START(name, writes, data)                                                                \
	CO_MPI_FILE_CALL(name, start_shared(fh, writes, CO_MPI_FILE_DATA, request), MPI_File fh, \
			 data buf, int count, MPI_Datatype datatype, MPI_Request *request)

ACCESS(read_shared, move_shared, false, in);
ACCESS(write_shared, move_shared, true, out);
START(iread_shared, false, in);
START(iwrite_shared, true, out);

/* ---- All ranks', in order ---- */

/*
 * An error of one rank's arguments is an error of all, and nothing moves. All ranks have come when
 * the pointer is read, and have moved their parts when the first rank writes it.
 */
static int move_ordered(MPI_File f, bool writes, void *buf, int count, MPI_Datatype datatype,
			MPI_Status *status, enum co_mpi_split split)
{
	int r = split ? co_mpi_file_check_split(f) : MPI_SUCCESS, met;
	MPI_Offset units, before = 0, all = 0, at, moved;

	if (!r)
		r = co_mpi_file_check_access(f, writes, 0, buf, count, datatype);
	r = co_mpi_error_of_all(f->comm, r);
	if (r)
		return r;
	units = count * datatype->size / f->unit->size;
	r = PMPI_Exscan(&units, &before, 1, MPI_OFFSET, MPI_SUM, f->comm);
	at = f->shared->position + (f->comm->rank ? before : 0);
	if (!r)
		r = co_mpi_file_check_position(f, at);
	if (!r)
		r = co_mpi_file_access(f, writes, at, buf, count, datatype, status, &moved);
	/* The pointer moves by the units that ranks asked for: a place is one rank's. */
	met = PMPI_Reduce(&units, &all, 1, MPI_OFFSET, MPI_SUM, 0, f->comm);
	if (!met && f->comm->rank == 0)
		f->shared->position += all;
	met = met ? met : co_mpi_file_class_of_first(f, MPI_SUCCESS);
	r = r ? r : met;
	if (!r && split)
		f->split = split;
	return r;
}

static int run_ordered(MPI_File f, bool writes, void *buf, int count, MPI_Datatype datatype,
		       MPI_Status *status)
{
	int r = co_mpi_check_file(f);

	return r ? r : move_ordered(f, writes, buf, count, datatype, status, CO_MPI_NO_SPLIT);
}

static int begin_ordered(MPI_File f, bool writes, void *buf, int count, MPI_Datatype datatype)
{
	int r = co_mpi_check_file(f);

	return r ? r
		 : move_ordered(f, writes, buf, count, datatype, &f->status,
				writes ? CO_MPI_WRITE_ORDERED : CO_MPI_READ_ORDERED);
}

ACCESS(read_ordered, run_ordered, false, in);
ACCESS(write_ordered, run_ordered, true, out);
CO_MPI_FILE_CALL(read_ordered_begin, begin_ordered(fh, false, CO_MPI_FILE_DATA), MPI_File fh,
		 in buf, int count, MPI_Datatype datatype);
CO_MPI_FILE_CALL(write_ordered_begin, begin_ordered(fh, true, CO_MPI_FILE_DATA), MPI_File fh,
		 out buf, int count, MPI_Datatype datatype);
CO_MPI_END_SPLIT(read_ordered_end, CO_MPI_READ_ORDERED, in);
CO_MPI_END_SPLIT(write_ordered_end, CO_MPI_WRITE_ORDERED, out);

/* ---- The pointer ---- */

/* Do the ranks agree in their numbers? The class is that of all ranks. */
static int agree_seek(MPI_File f, MPI_Offset offset, int whence)
{
	/* The complement, unlike the negative, of every offset is one. */
	MPI_Offset mine[] = { offset, ~offset, whence, ~(MPI_Offset)whence }, most[4];
	int r = PMPI_Allreduce(mine, most, 4, MPI_OFFSET, MPI_MAX, f->comm);

	if (!r && (most[0] != ~most[1] || most[2] != ~most[3]))
		r = co_mpi_say(MPI_ERR_NOT_SAME, "the ranks seek different positions");
	return r;
}

CO_MPI_DEFINE(File_seek_shared, MPI_File fh, MPI_Offset offset, int whence)
{
	int r = co_mpi_check_random(fh);

	if (!r)
		r = agree_seek(fh, offset, whence);
	if (r)
		return co_mpi_file_error(fh, __func__, r);
	if (fh->comm->rank == 0)
		r = co_mpi_file_seek(fh, offset, whence, &fh->shared->position);
	return co_mpi_file_error(fh, __func__, co_mpi_file_class_of_first(fh, r));
}

CO_MPI_DEFINE(File_get_position_shared, MPI_File fh, MPI_Offset *offset)
{
	int r = co_mpi_check_random(fh);

	if (!r)
		r = co_mpi_lock(&fh->shared->pointer);
	if (!r) {
		*offset = fh->shared->position;
		co_mutex_unlock(&fh->shared->pointer);
	}
	return co_mpi_file_error(fh, __func__, r);
}
