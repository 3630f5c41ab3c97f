/*
 * file.h - how files are kept, for file*.c.
 *
 * All ranks use one descriptor, the first rank's: what opens files has few of them. So a seek and
 * the access after it are one call of hart 0 (cohart/proxy.h), which nobody comes between, and a
 * rank's position is a number of its own. Nothing is buffered: what a rank has written is there for
 * all.
 */
#ifndef COHART_MPI_FILE_H
#define COHART_MPI_FILE_H

#include <cohart/sync.h>

#include "type.h"

/* What the ranks share, in the heap; the first rank's. */
struct co_mpi_file_shared {
	int descriptor;
	struct co_mutex lock; /* of atomic accesses of several pieces */
};

/* What hart 0 is to do. */
struct co_mpi_file_piece {
	int descriptor;
	bool writes;
	MPI_Offset at;
	char *data; /* where every hart finds it */
	size_t bytes;
};

struct co_mpi_file {
	enum co_mpi_magic magic;
	MPI_Comm comm; /* the library's own copy */
	struct co_mpi_file_shared *shared;
	char *name;
	int mode;
	bool atomic;
	int split; /* which collective access has begun, and not ended; 0: none */
	MPI_Errhandler errhandler;
	MPI_Info info;
	MPI_Offset at;                  /* the view */
	MPI_Datatype unit;              /* its elementary type */
	MPI_Datatype type;              /* its file type */
	MPI_Offset position;            /* in units */
	MPI_Status status;              /* of the split access */
	struct co_mpi_file_piece piece; /* here, for hart 0 does not reach every stack */
};

int co_mpi_file_error(MPI_File file, const char *call, int code);
/* Where its handler is; of MPI_FILE_NULL, that of files to come. NULL: it is no file. */
MPI_Errhandler *co_mpi_file_errhandler(MPI_File file);
int co_mpi_check_file(MPI_File file);
int co_mpi_file_class(int error); /* of a negative errno number */

/* Its length in bytes. Returns a class. */
int co_mpi_file_length(MPI_File file, MPI_Offset *bytes);
/* Read or write bytes there. @return as many as have moved; a negative errno number */
MPI_Count co_mpi_file_move(MPI_File file, bool writes, MPI_Offset at, void *data, size_t bytes);

/* MPI_ERR_ARG if it is negative, or so far that bytes there have no number. */
int co_mpi_file_check_position(MPI_File file, MPI_Offset position);
#endif
