/* p2p.h - sends and receives of the library's own, and the check of a receive's arguments. */
#ifndef COHART_MPI_P2P_H
#define COHART_MPI_P2P_H

#include "../request/schedule.h"

/* On a context of the library's own: nothing is checked. */
int co_mpi_send(const void *buf, MPI_Count n, MPI_Datatype type, int world, uint32_t tag,
		uint32_t context);
int co_mpi_recv(void *buf, MPI_Count n, MPI_Datatype type, int world, uint32_t tag,
		uint32_t context);

int co_mpi_check_from(int source, int tag, MPI_Comm comm);
#endif
