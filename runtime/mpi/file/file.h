/*
 * file.h - how files are kept, for file*.c.
 *
 * All ranks use one descriptor, which the first rank has opened: descriptors are few. So a seek and
 * the access after it are one call of hart 0 (cohart/proxy.h), without another access between them,
 * and a rank's position is a number of its own. Nothing is buffered: all ranks can read the bytes
 * that a rank has written.
 */
#ifndef COHART_MPI_FILE_H
#define COHART_MPI_FILE_H

#include <cohart/sync.h>

#include "../type/walk.h"

/* The part that the ranks share, in the heap; the first rank's. */
struct co_mpi_file_shared {
	int descriptor;
	struct co_mutex lock; /* for atomic accesses of several pieces */
};

/* One access, for hart 0. */
struct co_mpi_file_piece {
	int descriptor;
	bool writes;
	MPI_Offset at;
	char *data; /* at an address that every hart can use */
	size_t bytes;
};

struct co_mpi_file {
	enum co_mpi_magic magic;
	MPI_Comm comm; /* the library's own copy */
	struct co_mpi_file_shared *shared;
	char *name;
	int mode;
	bool atomic;
	int split; /* the split access that has begun, and not ended; 0: none */
	MPI_Errhandler errhandler;
	MPI_Info info;
	MPI_Offset at;                  /* the view */
	MPI_Datatype unit;              /* the view's elementary type */
	MPI_Datatype type;              /* the view's file type */
	MPI_Offset position;            /* in units */
	MPI_Status status;              /* of the split access */
	struct co_mpi_file_piece piece; /* here, as hart 0 cannot read every stack */
};

int co_mpi_file_error(MPI_File file, const char *call, int code);
/* Where a file's handler is; for MPI_FILE_NULL, the handler of new files. NULL: no file. */
MPI_Errhandler *co_mpi_file_errhandler(MPI_File file);
int co_mpi_check_file(MPI_File file);
int co_mpi_file_class(int error); /* of a negative errno number */

/* The file's length in bytes. Returns a class. */
int co_mpi_file_length(MPI_File file, MPI_Offset *bytes);
/* Read or write bytes at `at`. @return the number of bytes moved; a negative errno number */
MPI_Count co_mpi_file_move(MPI_File file, bool writes, MPI_Offset at, void *data, size_t bytes);

/* MPI_ERR_ARG if the position is negative, or if offsets of bytes there might overflow. */
int co_mpi_file_check_position(MPI_File file, MPI_Offset position);
#endif
