/* make.h - communicators made of others. */
#ifndef COHART_MPI_MAKE_H
#define COHART_MPI_MAKE_H

#include "../coll/collective.h"

/*
 * Make a communicator of these groups, with a context that all its ranks know. It takes over a
 * reference to each group, also on failure. Returns a class.
 */
int co_mpi_comm_with(MPI_Comm like, MPI_Group group, MPI_Group remote, uint32_t context,
		     MPI_Comm *made);
/*
 * Make a communicator of `group`, a part of the ranks of comm; all ranks of the group call it. A
 * caller outside of the group gets MPI_COMM_NULL. A rank that cannot go on gives its `error`: then
 * no rank gets a communicator, and all return a class.
 */
int co_mpi_comm_of(MPI_Comm comm, MPI_Group group, uint32_t tag, int error, MPI_Comm *made);
int co_mpi_comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part);
/*
 * All ranks of comm have made their communicators, without an `error`, or none keeps one. Returns
 * the class of all.
 */
int co_mpi_all_have(MPI_Comm comm, int error, MPI_Comm *made);

/* Tags, in the second context, of messages that belong to no collective: the highest bit is set. */
#define CO_MPI_TAG_CREATE 0xfffffff0u
#define CO_MPI_TAG_GROUP 0x80000000u
#endif
