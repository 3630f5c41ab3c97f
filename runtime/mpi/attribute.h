/*
 * attribute.h - what the calls for attributes of communicators, types and windows share:
 * attribute.c.
 */
#ifndef COHART_MPI_ATTRIBUTE_H
#define COHART_MPI_ATTRIBUTE_H

#include "objects.h"

enum co_mpi_keyval_of { CO_MPI_OF_COMM, CO_MPI_OF_TYPE, CO_MPI_OF_WIN };

/* The functions of a key value; those of types and windows are called as of communicators. */
typedef int co_mpi_copy_fn(void *, int, void *, void *, void *, int *);
typedef int co_mpi_drop_fn(void *, int, void *, void *);

/* These return a class. */
int co_mpi_keyval_create(enum co_mpi_keyval_of of, co_mpi_copy_fn *copy, co_mpi_drop_fn *drop,
			 int *keyval, void *state);
int co_mpi_keyval_free(enum co_mpi_keyval_of of, int *keyval);
/* `handle` and `list`: of the object. */
int co_mpi_attribute_set(enum co_mpi_keyval_of of, void *handle, struct co_mpi_attribute **list,
			 int keyval, void *value);
int co_mpi_attribute_get(enum co_mpi_keyval_of of, struct co_mpi_attribute *list, int keyval,
			 void *value, int *flag);
int co_mpi_attribute_delete(enum co_mpi_keyval_of of, void *handle, struct co_mpi_attribute **list,
			    int keyval);
#endif
