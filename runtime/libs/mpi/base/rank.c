/* rank.c - the state of this rank, and its first communicators. */
#include "objects.h"

struct co_mpi_rank co_mpi;

struct co_mpi_comm co_mpi_world = { .name = "MPI_COMM_WORLD" };
struct co_mpi_comm co_mpi_self = { .name = "MPI_COMM_SELF" };
