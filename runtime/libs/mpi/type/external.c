/*
 * external.c - external32, the form of data that all computers read: big-endian, with sizes of its
 * own.
 */
#include <stdint.h>
#include <string.h>

#include "walk.h"

struct converter {
	struct co_mpi_walk walk;
	unsigned char *bytes;
	bool out; /* to external32 */
};

/* The index of a number's i-th byte, from the lowest, on this computer. */
static unsigned at_weight(unsigned i, unsigned size)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i;
}

/* Write a number of n bytes as m bytes: its highest bytes are left out, or extended. */
static void number_out(unsigned char *to, unsigned m, const unsigned char *from, unsigned n,
		       bool negative)
{
	for (unsigned i = 0; i < m; i++)
		to[m - 1 - i] = i < n ? from[at_weight(i, n)] : negative ? 0xff : 0;
}

static void number_in(unsigned char *to, unsigned n, const unsigned char *from, unsigned m,
		      bool negative)
{
	for (unsigned i = 0; i < n; i++)
		to[at_weight(i, n)] = i < m ? from[m - 1 - i] : negative ? 0xff : 0;
}

/* Convert one element of a basic type; a complex number is two numbers. */
static void convert(struct converter *c, unsigned char *at, MPI_Datatype type)
{
	bool complex = type->basic >= CO_MPI_REAL_COMPLEX && type->basic <= CO_MPI_LONG_COMPLEX;
	bool is_signed = type->basic >= CO_MPI_INT8 && type->basic <= CO_MPI_INT64;
	unsigned parts = complex ? 2 : 1;
	unsigned n = (unsigned)type->size / parts, m = type->external / parts;

	for (unsigned i = 0; i < parts; i++, at += n, c->bytes += m) {
		if (c->out)
			number_out(c->bytes, m, at, n, is_signed && at[at_weight(n - 1, n)] & 0x80);
		else
			number_in(at, n, c->bytes, m, is_signed && c->bytes[0] & 0x80);
	}
}

static bool convert_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	struct converter *c = (struct converter *)w;

	for (MPI_Count i = 0; i < run->blocks; i++) {
		char *at = run->at + i * run->stride;

		for (MPI_Count done = 0; done < run->bytes; done += run->type->size)
			convert(c, (unsigned char *)at + done, run->type);
	}
	return true;
}

/* ---- The size ---- */

struct sizer {
	struct co_mpi_walk walk;
	MPI_Count bytes;
};

static bool add_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	MPI_Count n = run->blocks * (run->bytes / run->type->size);

	((struct sizer *)w)->bytes += n * run->type->external;
	return true;
}

static MPI_Count external_bytes(MPI_Count n, MPI_Datatype type)
{
	struct sizer s = { { add_run, CO_MPI_TO_BASIC }, 0 };

	co_mpi_walk(&s.walk, type, 1, NULL);
	return n * s.bytes;
}

/* ---- The program's calls ---- */

static int check_external(const char *form, const void *buf, int count, MPI_Datatype type)
{
	if (!form || strcmp(form, "external32") != 0)
		return co_mpi_say(MPI_ERR_ARG, "the form is \"%s\", not \"external32\"",
				  form ? form : "");
	return co_mpi_check_buffer(buf, count, type);
}

/* Convert, if the bytes are there, or room for them. */
static int convert_all(const char *form, const void *buf, int count, MPI_Datatype type,
		       const void *bytes, MPI_Aint room, MPI_Aint *position, bool out)
{
	struct converter c = { { convert_run, CO_MPI_TO_BASIC }, NULL, out };
	MPI_Count all;
	int r = check_external(form, buf, count, type);

	if (r)
		return r;
	all = external_bytes(count, type);
	if (*position < 0)
		return co_mpi_say(MPI_ERR_ARG, "position %ld", (long)*position);
	if (!bytes && all > 0)
		return co_mpi_say(MPI_ERR_BUFFER, "NULL");
	if (all > room - *position)
		return co_mpi_say(MPI_ERR_TRUNCATE, "%lld bytes, %ld are there", all,
				  (long)(room - *position));
	c.bytes = (unsigned char *)bytes + *position;
	co_mpi_walk(&c.walk, type, count, buf);
	*position += (MPI_Aint)all;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Pack_external, const char *datarep, const void *inbuf, int incount,
	      MPI_Datatype datatype, void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
	return co_mpi_error(
		NULL, __func__,
		convert_all(datarep, inbuf, incount, datatype, outbuf, outsize, position, true));
}

CO_MPI_DEFINE(Unpack_external, const char *datarep, const void *inbuf, MPI_Aint insize,
	      MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype)
{
	return co_mpi_error(
		NULL, __func__,
		convert_all(datarep, outbuf, outcount, datatype, inbuf, insize, position, false));
}

CO_MPI_DEFINE(Pack_external_size, const char *datarep, int incount, MPI_Datatype datatype,
	      MPI_Aint *size)
{
	int r = check_external(datarep, MPI_BOTTOM, 0, datatype);

	if (!r && incount < 0)
		r = co_mpi_say(MPI_ERR_COUNT, "count %d", incount);
	if (!r)
		*size = (MPI_Aint)external_bytes(incount, datatype);
	return co_mpi_error(NULL, __func__, r);
}
