/*
 * fold.h - a value that a schedule reduces others into, in the order of ranks: reduce.c, scan.c,
 * reduce_scatter.c.
 *
 * The result of an operation is in its second operand's place, which is the right one. So the value
 * moves between two buffers, unless it is the right one or the operation commutes, and the
 * program's own operand is copied only where it would be written.
 */
#ifndef COHART_MPI_FOLD_H
#define COHART_MPI_FOLD_H

#include "objects.h"

struct co_mpi_fold {
	struct co_mpi_schedule *s;
	MPI_Count n;
	MPI_Datatype type;
	MPI_Op op;
	void *value;
	bool own;    /* the value may be written over */
	void *spare; /* where the next one is received; NULL: to be made */
};

/*
 * Begin with the program's operand, and where the result is to be (NULL: nowhere); MPI_IN_PLACE:
 * the operand is there.
 */
void co_mpi_fold_begin(struct co_mpi_fold *f, const void *out, void *in);
/* Where the next one is received. */
void *co_mpi_fold_theirs(struct co_mpi_fold *f);
/* What was received is a left operand (value = theirs op value), or a right one. */
void co_mpi_fold(struct co_mpi_fold *f, bool left);
/* Copy the value if it is the program's. */
void co_mpi_fold_own(struct co_mpi_fold *f);
/* The result is to be there. */
void co_mpi_fold_end(struct co_mpi_fold *f, void *in);
/* The value of `size` ranks to rank 0 of them. */
void co_mpi_fold_up(struct co_mpi_fold *f, int rank, int size, int first);
/*
 * That of one side of an inter-communicator to its first rank, and the other's to `theirs` of that
 * one. What follows is among this side's ranks.
 */
void co_mpi_fold_swap(struct co_mpi_fold *f, MPI_Comm comm, const void *out, void *theirs);
#endif
