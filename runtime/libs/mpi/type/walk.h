/*
 * walk.h - how datatypes are kept, and the walk over the data they describe: for the files of
 * types, of packing, of operations and of windows.
 *
 * A type is a tree of the types that it was made of, with the arguments of its constructor as they
 * were given: a vector of a million blocks is as large as a vector of two. The walk goes through
 * the tree, and stops where data is dense.
 */
#ifndef COHART_MPI_WALK_H
#define COHART_MPI_WALK_H

#include <string.h>

#include "type.h"

/* The kinds of basic types, for operations and external32. Integers are in order of size. */
enum co_mpi_basic {
	CO_MPI_NOT_BASIC, /* made of others */
	CO_MPI_MARKER,    /* MPI_LB, MPI_UB */
	CO_MPI_PAIR,      /* of a value and an int: made of them */
	CO_MPI_INT8,
	CO_MPI_INT16,
	CO_MPI_INT32,
	CO_MPI_INT64,
	CO_MPI_UINT8,
	CO_MPI_UINT16,
	CO_MPI_UINT32,
	CO_MPI_UINT64,
	CO_MPI_REAL,
	CO_MPI_DOUBLE_REAL,
	CO_MPI_LONG_REAL,
	CO_MPI_REAL_COMPLEX,
	CO_MPI_DOUBLE_COMPLEX,
	CO_MPI_LONG_COMPLEX,
	CO_MPI_BOOL,
	CO_MPI_RAW, /* MPI_BYTE, MPI_PACKED */
	CO_MPI_BASICS,
};

/* The arguments of its constructor, as MPI_Type_get_contents() gives them. */
struct co_mpi_made {
	int combiner;
	int n_ints, n_addresses, n_types;
	int *ints;
	MPI_Aint *addresses;
	MPI_Datatype *types;
	MPI_Datatype inner; /* of a subarray, a darray: hvectors, which begin at `at` */
	MPI_Aint at;
};

/* A part of a type: n elements of one type, one behind another. */
struct co_mpi_block {
	MPI_Datatype of;
	MPI_Count n;
	MPI_Aint at;
};

int co_mpi_type_blocks(const struct co_mpi_made *m);
struct co_mpi_block co_mpi_type_block(const struct co_mpi_made *m, int i);

/* 0, or the class: is it a type, committed or not? */
int co_mpi_check_made(MPI_Datatype type);

/* Constructors for types made inside of the library: as the public calls, without a report. */
int co_mpi_make_contiguous(int count, MPI_Datatype of, MPI_Datatype *type);
int co_mpi_make_hvector(int count, int block, MPI_Aint stride, MPI_Datatype of, MPI_Datatype *type);
int co_mpi_make_struct(int count, const int blocks[], const MPI_Aint at[], const MPI_Datatype of[],
		       MPI_Datatype *type);
/* A type with room for these arguments, which the caller fills in; NULL: no memory. */
MPI_Datatype co_mpi_type_new(int combiner, int n_ints, int n_addresses, int n_types);
/* Compute a type's sizes and bounds, once its arguments are filled in. */
void co_mpi_type_measure(MPI_Datatype t);
void co_mpi_type_bound(MPI_Datatype t, MPI_Aint lower, MPI_Aint extent); /* set them */

/* Dense data: `blocks` times `bytes` bytes, `stride` apart, of elements of `type`. */
struct co_mpi_run {
	char *at;
	MPI_Count blocks;
	MPI_Aint stride;
	MPI_Count bytes;
	MPI_Datatype type;
};

/* Where a walk stops: at dense data, at predefined types, or inside of pairs, too. */
enum co_mpi_depth { CO_MPI_TO_DENSE, CO_MPI_TO_NAMED, CO_MPI_TO_BASIC };

/* A walk; the first member of a visitor's own struct. */
struct co_mpi_walk {
	bool (*visit)(struct co_mpi_walk *w, const struct co_mpi_run *run); /* false: enough */
	enum co_mpi_depth down_to;
};

/* Walk over n elements of a type, in order. Returns false if the visitor has stopped the walk. */
bool co_mpi_walk(struct co_mpi_walk *w, MPI_Datatype type, MPI_Count n, const void *buf);

/* Words of any type. */
typedef uint64_t __attribute__((may_alias)) co_mpi_word;
typedef uint32_t __attribute__((may_alias)) co_mpi_half;

/* Copy bytes, which may overlap; many bytes are moved by this hart's mover. In pack.c. */
void co_mpi_move(void *to, const void *from, size_t n);

/*
 * Copy bytes. An aligned word is copied as a whole: another hart may read it meanwhile, and it is
 * the quickest way.
 */
static inline void co_mpi_copy_bytes(void *to, const void *from, size_t n)
{
	uintptr_t both = (uintptr_t)to | (uintptr_t)from;

	if (n == sizeof(co_mpi_word) && both % sizeof(co_mpi_word) == 0)
		*(co_mpi_word *)to = *(const co_mpi_word *)from;
	else if (n == sizeof(co_mpi_half) && both % sizeof(co_mpi_half) == 0)
		*(co_mpi_half *)to = *(const co_mpi_half *)from;
	else
		co_mpi_move(to, from, n);
}

/* How many basic elements are in `bytes` bytes of a type; -1: the bytes end inside of one. */
MPI_Count co_mpi_elements(MPI_Datatype type, MPI_Count bytes);
/* How many bytes `elements` basic elements of a type have. */
MPI_Count co_mpi_elements_bytes(MPI_Datatype type, MPI_Count elements);
/* The only predefined type that a type consists of; NULL: there are several, or none. */
static inline MPI_Datatype co_mpi_type_only(MPI_Datatype type)
{
	return type->predefined ? type : type->only;
}
#endif
