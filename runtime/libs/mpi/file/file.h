/*
 * file.h - how files are kept.
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
	struct co_mutex lock;    /* for atomic accesses of several pieces */
	struct co_mutex pointer; /* of `position`, during an access there */
	MPI_Offset position;     /* the shared file pointer, in units */
};

/* Split accesses: each kind has its own calls to begin and to end. */
enum co_mpi_split {
	CO_MPI_NO_SPLIT,
	CO_MPI_READ_ALL,
	CO_MPI_WRITE_ALL,
	CO_MPI_READ_AT_ALL,
	CO_MPI_WRITE_AT_ALL,
	CO_MPI_READ_ORDERED,
	CO_MPI_WRITE_ORDERED,
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
	enum co_mpi_split split; /* has begun, and not ended */
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
/* Is it a file, and one that is not only accessed in sequence (MPI_MODE_SEQUENTIAL)? */
int co_mpi_check_random(MPI_File file);
/* Collective: the class of the first rank, which all other ranks have waited for. */
int co_mpi_file_class_of_first(MPI_File file, int code);
int co_mpi_file_class(int error); /* of a negative errno number */

/* The file's length in bytes. Returns a class. */
int co_mpi_file_length(MPI_File file, MPI_Offset *bytes);
/* Read or write bytes at `at`. @return the number of bytes moved; a negative errno number */
MPI_Count co_mpi_file_move(MPI_File file, bool writes, MPI_Offset at, void *data, size_t bytes);

/* May the program access this data at a position? A class. */
int co_mpi_file_check_access(MPI_File f, bool writes, MPI_Offset offset, const void *buf, int n,
			     MPI_Datatype type);
/* Access it. *units: how many units of the view have moved. Returns a class. */
int co_mpi_file_access(MPI_File f, bool writes, MPI_Offset offset, void *buf, int n,
		       MPI_Datatype type, MPI_Status *status, MPI_Offset *units);
/* A request of an access that has ended. */
int co_mpi_file_request(const MPI_Status *status, MPI_Request *request);
/* May a split access begin? */
int co_mpi_file_check_split(MPI_File file);
int co_mpi_file_end_split(MPI_File file, enum co_mpi_split split, MPI_Status *status);
/* A call MPI_File_NAME(): the class of the expression `does` goes to the handler of the file. */
#define CO_MPI_FILE_CALL(name, does, ...)                     \
	int PMPI_File_##name(__VA_ARGS__)                     \
	{                                                     \
		CO_MPI_SLICE(__func__, (void)0);              \
		return co_mpi_file_error(fh, __func__, does); \
	}                                                     \
	CO_MPI_NAME(File_##name)
/* The buffer of a write, and of a read. */
typedef const void *out;
typedef void *in;
/* The data of a call, as arguments. */
#define CO_MPI_FILE_DATA (void *)(uintptr_t)buf, count, datatype
/* A call that ends a split access: `data` is the type of its buffer. */
#define CO_MPI_END_SPLIT(name, split, data)                                                        \
	CO_MPI_FILE_CALL(name, ((void)buf, co_mpi_file_end_split(fh, split, status)), MPI_File fh, \
			 data buf, MPI_Status *status)

/* Where a seek leads to, from a position. Returns a class, MPI_ERR_ARG among them. */
int co_mpi_file_seek(MPI_File file, MPI_Offset offset, int whence, MPI_Offset *position);
/* MPI_ERR_ARG if the position is negative, or if offsets of bytes there might overflow. */
int co_mpi_file_check_position(MPI_File file, MPI_Offset position);
#endif
