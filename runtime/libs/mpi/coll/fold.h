/*
 * fold.h - a value that a schedule reduces operands into, in the order of ranks: reduce.c, scan.c,
 * reduce_scatter.c.
 *
 * The result of an operation is in the place of its second operand, which is the right one. So the
 * value moves between two buffers, unless it is the right operand or the operation commutes, and
 * the program's own operand is copied only where it would be overwritten.
 */
#ifndef COHART_MPI_FOLD_H
#define COHART_MPI_FOLD_H

#include "collective.h"

struct co_mpi_fold {
	struct co_mpi_schedule *s;
	MPI_Count n;
	MPI_Datatype type;
	MPI_Op op;
	void *value;
	bool own;    /* the value may be written over */
	void *spare; /* where the next operand is received; NULL: not made yet */
};

/*
 * Begin with the program's operand `out`; the result goes to `in` (NULL: nowhere). MPI_IN_PLACE:
 * the operand is in `in`.
 */
void co_mpi_fold_begin(struct co_mpi_fold *f, const void *out, void *in);
/* The buffer for the next operand. */
void *co_mpi_fold_theirs(struct co_mpi_fold *f);
/*
 * Reduce the received operand into the value: from the left (value = theirs op value), or from the
 * right.
 */
void co_mpi_fold(struct co_mpi_fold *f, bool left);
/* Copy the value, if it is still the program's operand. */
void co_mpi_fold_own(struct co_mpi_fold *f);
/* Copy the result to `in`, unless it is there. */
void co_mpi_fold_end(struct co_mpi_fold *f, void *in);
/* Reduce the values of `size` ranks to rank `first`. */
void co_mpi_fold_binomial(struct co_mpi_fold *f, int rank, int size, int first);
/*
 * Reduce the values of this side of an inter-communicator to its first rank, and exchange the
 * result with the remote side's: into `theirs` of the first rank. Later steps are among this side's
 * ranks.
 */
void co_mpi_fold_swap(struct co_mpi_fold *f, MPI_Comm comm, const void *out, void *theirs);
#endif
