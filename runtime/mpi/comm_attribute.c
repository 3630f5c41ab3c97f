/* comm_attribute.c - attributes of communicators, and their names until MPI 2. */
#include <limits.h>
#include <string.h>

#include "attribute.h"

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
			    int *keyval, void *state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_COMM, (co_mpi_copy_fn *)copy,
						 (co_mpi_drop_fn *)drop, keyval, state));
}
CO_MPI_NAME(Comm_create_keyval);

int PMPI_Comm_free_keyval(int *keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_COMM, keyval));
}
CO_MPI_NAME(Comm_free_keyval);

static int set_attribute(MPI_Comm comm, int keyval, void *value)
{
	int r = co_mpi_check_comm(comm);

	return r ? r : co_mpi_attribute_set(CO_MPI_OF_COMM, comm, &comm->attributes, keyval, value);
}

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
	return co_mpi_error(comm, __func__, set_attribute(comm, keyval, value));
}
CO_MPI_NAME(Comm_set_attr);

/* The predefined ones: a pointer to the value; NULL: there is none. */
static int *predefined(int keyval)
{
	static int tag_max = CO_MPI_TAG_MAX, none = MPI_PROC_NULL, any = MPI_ANY_SOURCE, yes = 1,
		   first;

	switch (keyval) {
	case MPI_TAG_UB:
		return &tag_max;
	case MPI_HOST:
		return &none;
	case MPI_IO:
		return &any;
	case MPI_WTIME_IS_GLOBAL:
		return &yes;
	case MPI_UNIVERSE_SIZE:
		return &co_mpi.ranks;
	case MPI_APPNUM:
		return &first;
	case MPI_LASTUSEDCODE:
		return &co_mpi_last_code;
	default:
		return NULL;
	}
}

static int get_attribute(MPI_Comm comm, int keyval, void *value, int *flag)
{
	int r = co_mpi_check_comm(comm), *v = predefined(keyval);

	if (r)
		return r;
	if (!v)
		return co_mpi_attribute_get(CO_MPI_OF_COMM, comm->attributes, keyval, value, flag);
	memcpy(value, &v, sizeof(v));
	*flag = 1;
	return MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
	return co_mpi_error(comm, __func__, get_attribute(comm, keyval, value, flag));
}
CO_MPI_NAME(Comm_get_attr);

static int delete_attr(MPI_Comm comm, int keyval)
{
	int r = co_mpi_check_comm(comm);

	return r ? r : co_mpi_attribute_delete(CO_MPI_OF_COMM, comm, &comm->attributes, keyval);
}

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval)
{
	return co_mpi_error(comm, __func__, delete_attr(comm, keyval));
}
CO_MPI_NAME(Comm_delete_attr);

/* ---- Until MPI 2 ---- */

int PMPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *drop, int *keyval, void *state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_COMM, (co_mpi_copy_fn *)copy,
						 (co_mpi_drop_fn *)drop, keyval, state));
}
CO_MPI_NAME(Keyval_create);

int PMPI_Keyval_free(int *keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_COMM, keyval));
}
CO_MPI_NAME(Keyval_free);

int PMPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
	return co_mpi_error(comm, __func__, set_attribute(comm, keyval, value));
}
CO_MPI_NAME(Attr_put);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
	return co_mpi_error(comm, __func__, get_attribute(comm, keyval, value, flag));
}
CO_MPI_NAME(Attr_get);

int PMPI_Attr_delete(MPI_Comm comm, int keyval)
{
	return co_mpi_error(comm, __func__, delete_attr(comm, keyval));
}
CO_MPI_NAME(Attr_delete);
