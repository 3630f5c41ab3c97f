/* file_view.c - views: which bytes of a file a rank sees, and positions in them. */
#include <stdio.h>

#include "file.h"

/* ---- Setting one ---- */

static int check_view(MPI_Offset at, MPI_Datatype unit, MPI_Datatype type, const char *as)
{
	int r = co_mpi_check_type(unit);

	if (!r)
		r = co_mpi_check_type(type);
	if (r)
		return r;
	if (at < 0)
		return co_mpi_say(MPI_ERR_ARG, "a view at byte %lld", at);
	if (unit->size <= 0 || type->size <= 0 || type->size % unit->size || type->extent <= 0 ||
	    type->true_lower < 0)
		return co_mpi_say(MPI_ERR_ARG, "a file type of %lld bytes, of units of %lld",
				  type->size, unit->size);
	if (strcmp(as, "native") != 0 && strcmp(as, "internal") != 0)
		return co_mpi_say(MPI_ERR_UNSUPPORTED_DATAREP, "%s", as);
	return MPI_SUCCESS;
}

/* Return one class at all ranks: an error of one rank is an error of all. */
static int agree(MPI_File f, int code)
{
	int worst = code;
	int r = PMPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, f->comm);

	return r ? r : worst;
}

CO_MPI_DEFINE(File_set_view, MPI_File f, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type,
	      const char *representation, MPI_Info info)
{
	int r = co_mpi_check_file(f);

	if (!r)
		r = agree(f, check_view(at, unit, type, representation));
	if (!r && info)
		r = PMPI_File_set_info(f, info);
	if (r)
		return co_mpi_file_error(f, __func__, r);
	co_mpi_type_get(unit);
	co_mpi_type_get(type);
	co_mpi_type_put(f->unit);
	co_mpi_type_put(f->type);
	f->at = at;
	f->unit = unit;
	f->type = type;
	f->position = 0;
	return MPI_SUCCESS;
}

/* Hand a type out to the program, which frees the handle unless the type is predefined. */
static int hand_out(MPI_Datatype type, MPI_Datatype *to)
{
	if (!type->predefined)
		return PMPI_Type_dup(type, to);
	*to = type;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(File_get_view, MPI_File f, MPI_Offset *at, MPI_Datatype *unit, MPI_Datatype *type,
	      char *representation)
{
	int r = co_mpi_check_file(f);

	if (!r)
		r = hand_out(f->unit, unit);
	if (!r)
		r = hand_out(f->type, type);
	if (r)
		return co_mpi_file_error(f, __func__, r);
	*at = f->at;
	snprintf(representation, MPI_MAX_DATAREP_STRING, "native");
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

static int seek(MPI_File f, MPI_Offset offset, int whence)
{
	MPI_Offset from = 0;
	int r;

	if (whence == MPI_SEEK_CUR) {
		from = f->position;
	} else if (whence == MPI_SEEK_END) {
		r = co_mpi_file_length(f, &from);
		if (r)
			return r;
		from = units_of(f, from);
	} else if (whence != MPI_SEEK_SET) {
		return co_mpi_say(MPI_ERR_ARG, "from where? %d", whence);
	}
	if (__builtin_add_overflow(from, offset, &from))
		return co_mpi_say(MPI_ERR_ARG, "%lld away from there", offset);
	r = co_mpi_file_check_position(f, from);
	if (!r)
		f->position = from;
	return r;
}

CO_MPI_DEFINE(File_seek, MPI_File file, MPI_Offset offset, int whence)
{
	int r = co_mpi_check_file(file);

	if (!r)
		r = seek(file, offset, whence);
	return co_mpi_file_error(file, __func__, r);
}

CO_MPI_DEFINE(File_get_position, MPI_File file, MPI_Offset *offset)
{
	int r = co_mpi_check_file(file);

	if (!r)
		*offset = file->position;
	return co_mpi_file_error(file, __func__, r);
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

CO_MPI_DEFINE(File_get_byte_offset, MPI_File f, MPI_Offset offset, MPI_Offset *byte)
{
	int r = co_mpi_check_file(f);
	struct finder s = { { find_run, CO_MPI_TO_DENSE }, 0, 0 };

	if (!r)
		r = co_mpi_file_check_position(f, offset);
	if (r)
		return co_mpi_file_error(f, __func__, r);
	offset *= f->unit->size;
	s.skip = offset % f->type->size;
	co_mpi_walk(&s.walk, f->type, 1, NULL);
	*byte = f->at + offset / f->type->size * f->type->extent + s.at;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(File_get_type_extent, MPI_File file, MPI_Datatype type, MPI_Aint *extent)
{
	int r = co_mpi_check_file(file);

	if (!r)
		r = co_mpi_check_type(type);
	if (!r)
		*extent = type->extent;
	return co_mpi_file_error(file, __func__, r);
}
