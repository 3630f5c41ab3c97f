/* type.h - datatypes and operations, as all of the library uses them. */
#ifndef COHART_MPI_TYPE_H
#define COHART_MPI_TYPE_H

#include "../base/objects.h"

/* ---- Datatypes: type.c, pack.c ---- */
struct co_mpi_made; /* how it was made: type.h */

struct co_mpi_type {
	enum co_mpi_magic magic;
	enum co_mpi_magic simple; /* CO_MPI_IS_SIMPLE: it is plain and committed */
	int references;           /* a predefined one has enough for ever */
	bool predefined, committed;
	/* Elements lie one behind another without holes, in order: they are copied as bytes. */
	bool plain;
	bool dense;                /* inside of one element there are no holes */
	bool has_lower, has_upper; /* its bounds were set: types made of it use them */
	unsigned char basic;       /* enum co_mpi_basic */
	unsigned char external;    /* bytes of a basic type in external32 */
	unsigned char align;
	MPI_Count size;     /* bytes of data in one */
	MPI_Count elements; /* basic elements in one */
	MPI_Aint lower, extent, true_lower, true_extent;
	MPI_Datatype only; /* co_mpi_type_only(), of a type that is not predefined */
	struct co_mpi_made *made;
	struct co_mpi_attribute *attributes;
	char name[MPI_MAX_OBJECT_NAME];
};

static inline const char *co_mpi_type_name(MPI_Datatype type)
{
	return co_mpi_named(type->name, "an unnamed datatype");
}

/*
 * 0, or the class, with a text: is the type valid and committed; are buffer and count valid, too?
 * The checks below call these if a quick look is not enough.
 */
int co_mpi_type_error(MPI_Datatype type);
int co_mpi_buffer_error(const void *buf, MPI_Count count, MPI_Datatype type);
static inline int co_mpi_check_type(MPI_Datatype type)
{
	bool ready = co_mpi_is(type, CO_MPI_IS_TYPE) && type->committed;

	return ready ? MPI_SUCCESS : co_mpi_type_error(type);
}

/* Neither NULL nor MPI_IN_PLACE, which is the byte before it (mpi.h): one comparison. */
static inline bool co_mpi_is_buffer(const void *buf)
{
	return (uintptr_t)buf - (uintptr_t)MPI_IN_PLACE > 1;
}

/* For a timeline: bytes of data that has not been checked; -1: unknown. */
MPI_Count co_mpi_bytes(MPI_Count count, MPI_Datatype type);

static inline int co_mpi_check_buffer(const void *buf, MPI_Count count, MPI_Datatype type)
{
	bool fine = count >= 0 && co_mpi_is_buffer(buf);

	fine = fine && co_mpi_is(type, CO_MPI_IS_TYPE) && type->committed;
	return fine ? MPI_SUCCESS : co_mpi_buffer_error(buf, count, type);
}

/* Check that two buffers of n elements are not one. */
int co_mpi_two_error(void);
static inline int co_mpi_check_two(const void *out, const void *in, MPI_Count n)
{
	bool fine = !n || !out || out == MPI_IN_PLACE || out != in;

	return fine ? MPI_SUCCESS : co_mpi_two_error();
}

/* Take a reference to a type, or drop one. */
static inline MPI_Datatype co_mpi_type_get(MPI_Datatype type)
{
	type->references++;
	return type;
}
void co_mpi_type_put(MPI_Datatype type);
void co_mpi_type_commit(MPI_Datatype type);
/* Where the data of elements of a plain type begins. */
static inline void *co_mpi_type_data(MPI_Datatype type, const void *buf)
{
	return (char *)buf + type->true_lower;
}

/* Pack n elements; returns the number of bytes. */
MPI_Count co_mpi_pack(const void *buf, MPI_Count n, MPI_Datatype type, void *bytes);
/* Unpack bytes to at most n elements: as far as the bytes go. */
void co_mpi_unpack(const void *bytes, MPI_Count n_bytes, void *buf, MPI_Count n, MPI_Datatype type);
/*
 * Copy between buffers whose types have equal signatures. Returns a class: MPI_ERR_NO_MEM, or
 * MPI_ERR_TRUNCATE if `from` has more bytes.
 */
int co_mpi_copy(const void *from, MPI_Count from_n, MPI_Datatype from_type, void *to,
		MPI_Count to_n, MPI_Datatype to_type);

/* ---- Operations: op.c ---- */
struct co_mpi_op {
	enum co_mpi_magic magic;
	int references;
	bool predefined, commutes;
	int code;
	MPI_User_function *function;
};

/* 0, or the class: is it an operation, and can it reduce this type? */
int co_mpi_check_op(MPI_Op op, MPI_Datatype type);
/* result = in op result, for n elements. */
void co_mpi_op_apply(MPI_Op op, const void *in, void *result, MPI_Count n, MPI_Datatype type);
void co_mpi_op_put(MPI_Op op);
#endif
