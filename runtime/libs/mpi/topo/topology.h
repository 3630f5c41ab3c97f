/* topology.h - the common part of all topologies. */
#ifndef COHART_MPI_TOPOLOGY_H
#define COHART_MPI_TOPOLOGY_H

#include "../comm/make.h"

/* A topology with memory for `ints` ints; NULL: no memory. */
struct co_mpi_topology *co_mpi_topology_new(int kind, int ints);
/* Take n ints of this memory, copied from `list`, unless that is NULL. */
int *co_mpi_topology_list(struct co_mpi_topology *t, int n, const int list[]);
/* Has the communicator a topology of this kind? 0, MPI_ERR_TOPOLOGY, ... */
int co_mpi_check_topology(MPI_Comm comm, int kind);
/*
 * Make a communicator of the first n ranks of comm; all of them call it. It takes over the
 * topology, which is freed on failure.
 */
int co_mpi_topology_comm(MPI_Comm comm, int n, struct co_mpi_topology *t, MPI_Comm *made);
#endif
