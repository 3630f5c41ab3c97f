/* view.c - views: which bytes of a file a rank sees, and positions in them. */
#include <stdio.h>

#include "../coll/collective.h"
#include "file.h"

/* ---- Setting one ---- */

static int check_view(MPI_File f, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type,
		      const char *as)
{
	bool sequential = f->mode & MPI_MODE_SEQUENTIAL;
	int r = co_mpi_check_type(unit);

	if (!r)
		r = co_mpi_check_type(type);
	if (r)
		return r;
	if (sequential != (at == MPI_DISPLACEMENT_CURRENT))
		return co_mpi_say(MPI_ERR_ARG,
				  "MPI_DISPLACEMENT_CURRENT: with MPI_MODE_SEQUENTIAL");
	if (!sequential && at < 0)
		return co_mpi_say(MPI_ERR_ARG, "a view at byte %lld", at);
	if (unit->size <= 0 || type->size <= 0 || type->size % unit->size || type->extent <= 0 ||
	    type->true_lower < 0)
		return co_mpi_say(MPI_ERR_ARG, "a file type of %lld bytes, of units of %lld",
				  type->size, unit->size);
	if (strcmp(as, "native") != 0 && strcmp(as, "internal") != 0)
		return co_mpi_say(MPI_ERR_UNSUPPORTED_DATAREP, "%s", as);
	return MPI_SUCCESS;
}

/* Finds the byte of a file type that follows the first `skip` bytes of its data. */
struct finder {
	struct co_mpi_walk walk;
	MPI_Count skip;
	MPI_Offset at;
};

static bool find_run(struct co_mpi_walk *walk, const struct co_mpi_run *run)
{
	struct finder *s = (struct finder *)walk;

	if (s->skip >= run->blocks * run->bytes) {
		s->skip -= run->blocks * run->bytes;
		return true;
	}
	s->at = (intptr_t)run->at + s->skip / run->bytes * run->stride + s->skip % run->bytes;
	return false;
}

/* The byte of the file at a position of the view. */
static MPI_Offset byte_of(MPI_File f, MPI_Offset position)
{
	MPI_Offset bytes = position * f->unit->size;
	struct finder s = { { find_run, CO_MPI_TO_DENSE }, bytes % f->type->size, 0 };

	co_mpi_walk(&s.walk, f->type, 1, NULL);
	return f->at + bytes / f->type->size * f->type->extent + s.at;
}

/*
 * The shared file pointer goes to the view's begin, before any rank leaves the call. *at: where the
 * view begins; with MPI_MODE_SEQUENTIAL it is where the shared file pointer was.
 */
static int reset_pointer(MPI_File f, MPI_Offset *at)
{
	if (f->comm->rank == 0) {
		if (f->mode & MPI_MODE_SEQUENTIAL)
			*at = byte_of(f, f->shared->position);
		f->shared->position = 0;
	}
	return PMPI_Bcast(at, sizeof(*at), MPI_BYTE, 0, f->comm);
}

static int set_view(MPI_File f, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type,
		    const char *representation, MPI_Info info)
{
	int r = check_view(f, at, unit, type, representation);
	MPI_Info copy = NULL;
	MPI_Offset first = at;

	if (!r)
		r = co_mpi_info_set(&copy, info);
	r = co_mpi_error_of_all(f->comm, r);
	if (!r)
		r = reset_pointer(f, &first);
	if (r || !info) {
		co_mpi_info_put(copy);
	} else {
		co_mpi_info_put(f->info);
		f->info = copy;
	}
	if (r)
		return r;
	co_mpi_type_get(unit);
	co_mpi_type_get(type);
	co_mpi_type_put(f->unit);
	co_mpi_type_put(f->type);
	f->at = f->mode & MPI_MODE_SEQUENTIAL ? first : at;
	f->unit = unit;
	f->type = type;
	f->position = 0;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(File_set_view, MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
	      MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_file(fh);

	if (!r)
		r = set_view(fh, disp, etype, filetype, datarep, info);
	return co_mpi_file_error(fh, __func__, r);
}

/* Hand a type out to the program, which frees the handle unless the type is predefined. */
static int hand_out(MPI_Datatype type, MPI_Datatype *to)
{
	if (!type->predefined)
		return PMPI_Type_dup(type, to);
	*to = type;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(File_get_view, MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype,
	      MPI_Datatype *filetype, char *datarep)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		r = hand_out(fh->unit, etype);
	if (!r)
		r = hand_out(fh->type, filetype);
	if (r)
		return co_mpi_file_error(fh, __func__, r);
	*disp = fh->at;
	snprintf(datarep, MPI_MAX_DATAREP_STRING, "native");
	return MPI_SUCCESS;
}

/* ---- Positions ---- */

/* Half of the range of MPI_Offset is left for the length of an access at the position. */
int co_mpi_file_check_position(MPI_File f, MPI_Offset position)
{
	MPI_Offset bytes, end;

	if (position < 0 || __builtin_mul_overflow(position, f->unit->size, &bytes) ||
	    __builtin_mul_overflow(bytes / f->type->size + 1, f->type->extent, &end) ||
	    __builtin_add_overflow(end, f->at, &end) || end > INT64_MAX / 2)
		return co_mpi_say(MPI_ERR_ARG, "position %lld", position);
	return MPI_SUCCESS;
}

/* Counts the bytes of data before `end` in one file type; addresses are offsets in the type. */
struct counter {
	struct co_mpi_walk walk;
	MPI_Offset end;
	MPI_Count seen;
};

static bool count_run(struct co_mpi_walk *walk, const struct co_mpi_run *run)
{
	struct counter *c = (struct counter *)walk;

	for (MPI_Count i = 0; i < run->blocks; i++) {
		MPI_Offset at = (intptr_t)run->at + i * run->stride;
		MPI_Offset here = c->end - at;

		if (here > 0)
			c->seen += here < run->bytes ? here : run->bytes;
	}
	return true;
}

/* How many units of the view are in the first `bytes` bytes of the file; a part of one counts. */
static MPI_Offset units_of(MPI_File f, MPI_Offset bytes)
{
	MPI_Offset after = bytes > f->at ? bytes - f->at : 0;
	MPI_Offset end = f->type->true_lower + f->type->true_extent;
	MPI_Offset whole = after >= end ? (after - end) / f->type->extent + 1 : 0;
	MPI_Offset seen = whole * f->type->size;

	/* More file types may have begun: their data may reach beyond their extent. */
	for (MPI_Offset begin = whole * f->type->extent; begin < after; begin += f->type->extent) {
		struct counter c = { { count_run, CO_MPI_TO_DENSE }, after - begin, 0 };

		co_mpi_walk(&c.walk, f->type, 1, NULL);
		seen += c.seen;
	}
	return (seen + f->unit->size - 1) / f->unit->size;
}

int co_mpi_file_seek(MPI_File f, MPI_Offset offset, int whence, MPI_Offset *position)
{
	MPI_Offset to = 0;
	int r = MPI_SUCCESS;

	if (whence == MPI_SEEK_CUR) {
		to = *position;
	} else if (whence == MPI_SEEK_END) {
		r = co_mpi_file_length(f, &to);
		to = r ? 0 : units_of(f, to);
	} else if (whence != MPI_SEEK_SET) {
		r = co_mpi_say(MPI_ERR_ARG, "from where? %d", whence);
	}
	if (!r && __builtin_add_overflow(to, offset, &to))
		r = co_mpi_say(MPI_ERR_ARG, "%lld away from there", offset);
	if (!r)
		r = co_mpi_file_check_position(f, to);
	if (!r)
		*position = to;
	return r;
}

CO_MPI_DEFINE(File_seek, MPI_File fh, MPI_Offset offset, int whence)
{
	int r = co_mpi_check_random(fh);

	if (!r)
		r = co_mpi_file_seek(fh, offset, whence, &fh->position);
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_get_position, MPI_File fh, MPI_Offset *offset)
{
	int r = co_mpi_check_random(fh);

	if (!r)
		*offset = fh->position;
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_get_byte_offset, MPI_File fh, MPI_Offset offset, MPI_Offset *disp)
{
	int r = co_mpi_check_random(fh);

	if (!r)
		r = co_mpi_file_check_position(fh, offset);
	if (!r)
		*disp = byte_of(fh, offset);
	return co_mpi_file_error(fh, __func__, r);
}

CO_MPI_DEFINE(File_get_type_extent, MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent)
{
	int r = co_mpi_check_file(fh);

	if (!r)
		r = co_mpi_check_type(datatype);
	if (!r)
		*extent = datatype->extent;
	return co_mpi_file_error(fh, __func__, r);
}
