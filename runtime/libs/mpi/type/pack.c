/* pack.c - data of any datatype to bytes and back, and from one to another. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/dma.h>

#include "walk.h"

/* A walk that packs to `bytes`, or unpacks from there. */
struct packer {
	struct co_mpi_walk walk;
	char *bytes;
	MPI_Count left;
};

typedef co_mpi_word word;
typedef co_mpi_half half;

static bool is_aligned(const struct co_mpi_run *run, const char *bytes, uintptr_t to)
{
	return (((uintptr_t)run->at | (uintptr_t)run->stride | (uintptr_t)bytes) & (to - 1)) == 0;
}

void co_mpi_move(void *to, const void *from, size_t n)
{
	/* Short data, and data that co_dma_copy() refuses; the ranges may overlap. */
	if (n < CO_MESSAGE_MOVED || co_dma_copy(to, from, n))
		memmove(to, from, n);
}

/* Pack n blocks of a run, which are apart. */
static void gather(char *restrict to, const struct co_mpi_run *run, MPI_Count n)
{
	const char *at = run->at;
	size_t size = (size_t)run->bytes;

	if (size == sizeof(word) && is_aligned(run, to, sizeof(word))) {
		for (MPI_Count i = 0; i < n; i++, at += run->stride)
			((word *)to)[i] = *(const word *)at;
	} else if (size == sizeof(half) && is_aligned(run, to, sizeof(half))) {
		for (MPI_Count i = 0; i < n; i++, at += run->stride)
			((half *)to)[i] = *(const half *)at;
	} else {
		for (MPI_Count i = 0; i < n; i++, at += run->stride, to += size)
			memcpy(to, at, size);
	}
}

static void scatter(const char *restrict from, const struct co_mpi_run *run, MPI_Count n)
{
	char *at = run->at;
	size_t size = (size_t)run->bytes;

	if (size == sizeof(word) && is_aligned(run, from, sizeof(word))) {
		for (MPI_Count i = 0; i < n; i++, at += run->stride)
			*(word *)at = ((const word *)from)[i];
	} else if (size == sizeof(half) && is_aligned(run, from, sizeof(half))) {
		for (MPI_Count i = 0; i < n; i++, at += run->stride)
			*(half *)at = ((const half *)from)[i];
	} else {
		for (MPI_Count i = 0; i < n; i++, at += run->stride, from += size)
			memcpy(at, from, size);
	}
}

/*
 * How many whole blocks of a run the remaining bytes suffice for; of the next there may be a part.
 */
static MPI_Count blocks_of(const struct packer *p, const struct co_mpi_run *run)
{
	MPI_Count n = p->left / run->bytes;

	return n < run->blocks ? n : run->blocks;
}

static bool pack_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	struct packer *p = (struct packer *)w;
	MPI_Count n = p->left >= run->bytes * run->blocks ? run->blocks : blocks_of(p, run);

	gather(p->bytes, run, n);
	p->bytes += n * run->bytes;
	p->left -= n * run->bytes;
	if (n == run->blocks)
		return true;
	memcpy(p->bytes, run->at + n * run->stride, (size_t)p->left);
	p->left = 0;
	return false;
}

static bool unpack_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	struct packer *p = (struct packer *)w;
	MPI_Count n = p->left >= run->bytes * run->blocks ? run->blocks : blocks_of(p, run);

	scatter(p->bytes, run, n);
	p->bytes += n * run->bytes;
	p->left -= n * run->bytes;
	if (n == run->blocks)
		return true;
	memcpy(run->at + n * run->stride, p->bytes, (size_t)p->left);
	p->left = 0;
	return false;
}

/* Pack as far as there is room. */
static void pack(const void *buf, MPI_Count n, MPI_Datatype type, void *bytes, MPI_Count room)
{
	struct packer p = { { pack_run, CO_MPI_TO_DENSE }, bytes, room };

	co_mpi_walk(&p.walk, type, n, buf);
}

MPI_Count co_mpi_pack(const void *buf, MPI_Count n, MPI_Datatype type, void *bytes)
{
	pack(buf, n, type, bytes, n * type->size);
	return n * type->size;
}

void co_mpi_unpack(const void *bytes, MPI_Count n_bytes, void *buf, MPI_Count n, MPI_Datatype type)
{
	struct packer p = { { unpack_run, CO_MPI_TO_DENSE }, (char *)bytes, n_bytes };

	co_mpi_walk(&p.walk, type, n, buf);
}

/* Copy by way of packed bytes: neither buffer lies as bytes. */
static int copy_packed(const void *from, MPI_Count from_n, MPI_Datatype from_type, void *to,
		       MPI_Count to_n, MPI_Datatype to_type)
{
	MPI_Count bytes = from_n * from_type->size, room = to_n * to_type->size;
	void *between;

	bytes = bytes < room ? bytes : room;
	between = malloc((size_t)bytes);
	if (!between)
		return co_mpi_say(MPI_ERR_NO_MEM, "%lld bytes to copy by", bytes);
	pack(from, from_n, from_type, between, bytes);
	co_mpi_unpack(between, bytes, to, to_n, to_type);
	free(between);
	return MPI_SUCCESS;
}

static bool lies_as_bytes(MPI_Count n, MPI_Datatype type)
{
	return type->plain || (n == 1 && type->dense);
}

int co_mpi_copy(const void *from, MPI_Count from_n, MPI_Datatype from_type, void *to,
		MPI_Count to_n, MPI_Datatype to_type)
{
	MPI_Count bytes = from_n * from_type->size, room = to_n * to_type->size;
	bool plain_from = lies_as_bytes(from_n, from_type), plain_to = lies_as_bytes(to_n, to_type);
	MPI_Count n = bytes < room ? bytes : room;
	int r = MPI_SUCCESS;

	if (n > 0) {
		void *data = co_mpi_type_data(from_type, from);
		void *place = co_mpi_type_data(to_type, to);

		if (plain_from && plain_to)
			co_mpi_copy_bytes(place, data, (size_t)n);
		else if (plain_from)
			co_mpi_unpack(data, n, to, to_n, to_type);
		else if (plain_to)
			pack(from, from_n, from_type, place, n);
		else
			r = copy_packed(from, from_n, from_type, to, to_n, to_type);
	}
	if (!r && bytes > room)
		r = co_mpi_say(MPI_ERR_TRUNCATE, "%lld bytes, room for %lld", bytes, room);
	return r;
}

/* ---- The program's calls ---- */

static int check_pack(const void *buf, int count, MPI_Datatype type, const void *bytes,
		      int position, MPI_Comm comm)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		r = co_mpi_check_buffer(buf, count, type);
	if (!r && position < 0)
		r = co_mpi_say(MPI_ERR_ARG, "position %d", position);
	if (!r && !bytes && count * type->size > 0)
		r = co_mpi_say(MPI_ERR_BUFFER, "NULL");
	return r;
}

CO_MPI_DEFINE(Pack, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf,
	      int outsize, int *position, MPI_Comm comm)
{
	int r = check_pack(inbuf, incount, datatype, outbuf, *position, comm);

	if (!r && (MPI_Count)incount * datatype->size > outsize - *position)
		r = co_mpi_say(MPI_ERR_TRUNCATE, "%lld bytes, room for %d",
			       (MPI_Count)incount * datatype->size, outsize - *position);
	if (!r)
		*position += (int)co_mpi_pack(inbuf, incount, datatype, (char *)outbuf + *position);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Unpack, const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	      MPI_Datatype datatype, MPI_Comm comm)
{
	int r = check_pack(outbuf, outcount, datatype, inbuf, *position, comm);
	MPI_Count all = r ? 0 : (MPI_Count)outcount * datatype->size;

	if (!r && all > insize - *position)
		r = co_mpi_say(MPI_ERR_TRUNCATE, "%lld bytes wanted, %d are there", all,
			       insize - *position);
	if (r)
		return co_mpi_error(comm, __func__, r);
	co_mpi_unpack((const char *)inbuf + *position, all, outbuf, outcount, datatype);
	*position += (int)all;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Pack_size, int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
	int r = co_mpi_check_comm(comm);
	MPI_Count all;

	if (!r)
		r = co_mpi_check_type(datatype);
	if (!r && incount < 0)
		r = co_mpi_say(MPI_ERR_COUNT, "count %d", incount);
	if (r)
		return co_mpi_error(comm, __func__, r);
	all = incount * datatype->size;
	*size = all > INT_MAX ? MPI_UNDEFINED : (int)all;
	return MPI_SUCCESS;
}
