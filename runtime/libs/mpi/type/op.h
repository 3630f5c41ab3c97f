/* op.h - operations, for the files of operations and of windows. */
#ifndef COHART_MPI_OP_H
#define COHART_MPI_OP_H

#include "walk.h"

/* The predefined operations; the code of a program's own operation is CO_MPI_OPS. */
enum co_mpi_op_code {
	CO_MPI_MAX,
	CO_MPI_MIN,
	CO_MPI_SUM,
	CO_MPI_PROD,
	CO_MPI_LAND,
	CO_MPI_BAND,
	CO_MPI_LOR,
	CO_MPI_BOR,
	CO_MPI_LXOR,
	CO_MPI_BXOR,
	CO_MPI_MAXLOC,
	CO_MPI_MINLOC,
	CO_MPI_REPLACE,
	CO_MPI_NO_OP,
	CO_MPI_OPS,
};

/* result = in op result, for n elements. */
typedef void co_mpi_op_function(const void *in, void *result, MPI_Count n);

/* The function of a predefined operation for a predefined type; NULL: it is not for that type. */
co_mpi_op_function *co_mpi_op_for(enum co_mpi_op_code code, MPI_Datatype type);
/*
 * Functions by numbers, which boards exchange: co_mpi_op_kind() of a predefined type; the function
 * of a kind, or NULL, and the bytes from one element to the next, and of an element without the
 * padding behind it. Context: any hart.
 */
unsigned co_mpi_op_kind(MPI_Datatype type);
co_mpi_op_function *co_mpi_op_of_kind(unsigned code, unsigned kind, size_t *extent, size_t *data);
/* 0, or the class: can MPI_Accumulate() and its variants use the operation with this type? */
int co_mpi_check_accumulate(MPI_Op op, MPI_Datatype type);
#endif
