/* comm.c - the calls for one communicator: properties, attributes, error handlers, its end. */
#include <stdio.h>
#include <string.h>

#include "make.h"

CO_MPI_DEFINE(Comm_free, MPI_Comm *comm)
{
	int r = co_mpi_check_comm(*comm);

	if (!r && (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF))
		r = co_mpi_say(MPI_ERR_COMM, "%s cannot be freed", co_mpi_comm_name(*comm));
	if (!r)
		r = co_mpi_attributes_free(*comm, &(*comm)->attributes);
	if (r)
		return co_mpi_error(*comm, __func__, r);
	co_mpi_comm_put(*comm);
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/*
 * Each rank has waited for all that it began in the communicator: nothing is under way once all
 * ranks have called.
 */
CO_MPI_DEFINE(Comm_disconnect, MPI_Comm *comm)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = PMPI_Barrier(*comm);

	return r ? r : PMPI_Comm_free(comm);
}

/* ---- Properties ---- */

CO_MPI_DEFINE(Comm_size, MPI_Comm comm, int *size)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*size = comm->group->size;
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_rank, MPI_Comm comm, int *rank)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*rank = comm->rank;
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_group, MPI_Comm comm, MPI_Group *group)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*group = co_mpi_group_get(comm->group);
	return co_mpi_error(comm, __func__, r);
}

static int compare(MPI_Comm a, MPI_Comm b)
{
	int same = co_mpi_group_compare(a->group, b->group), remote = MPI_IDENT;

	if (a == b)
		return MPI_IDENT;
	if (!a->remote != !b->remote)
		return MPI_UNEQUAL;
	if (a->remote)
		remote = co_mpi_group_compare(a->remote, b->remote);
	if (same == MPI_UNEQUAL || remote == MPI_UNEQUAL)
		return MPI_UNEQUAL;
	return same == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

CO_MPI_DEFINE(Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	int r = co_mpi_check_comm(comm1);

	if (!r)
		r = co_mpi_check_comm(comm2);
	if (!r)
		*result = compare(comm1, comm2);
	return co_mpi_error(comm1, __func__, r);
}

/* ---- Names and hints ---- */

CO_MPI_DEFINE(Comm_set_name, MPI_Comm comm, const char *comm_name)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		snprintf(comm->name, sizeof(comm->name), "%s", comm_name);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_get_name, MPI_Comm comm, char *comm_name, int *resultlen)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*resultlen = snprintf(comm_name, MPI_MAX_OBJECT_NAME, "%s", comm->name);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_set_info, MPI_Comm comm, MPI_Info info)
{
	int r = co_mpi_check_comm(comm);

	return co_mpi_error(comm, __func__, r ? r : co_mpi_info_set(&comm->info, info));
}

CO_MPI_DEFINE(Comm_get_info, MPI_Comm comm, MPI_Info *info_used)
{
	int r = co_mpi_check_comm(comm);

	return co_mpi_error(comm, __func__, r ? r : co_mpi_info_get(comm->info, info_used));
}

/* ---- Attributes ---- */

CO_MPI_DEFINE(Comm_create_keyval, MPI_Comm_copy_attr_function *comm_copy_attr_fn,
	      MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
	      void *extra_state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_COMM,
						 (co_mpi_copy_function *)comm_copy_attr_fn,
						 (co_mpi_delete_function *)comm_delete_attr_fn,
						 comm_keyval, extra_state));
}

CO_MPI_DEFINE(Comm_free_keyval, int *comm_keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_COMM, comm_keyval));
}

CO_MPI_DEFINE(Comm_set_attr, MPI_Comm comm, int comm_keyval, void *attribute_val)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		r = co_mpi_attribute_set(CO_MPI_OF_COMM, comm, &comm->attributes, comm_keyval,
					 attribute_val);
	return co_mpi_error(comm, __func__, r);
}

/* The value of a predefined attribute, an address; NULL: the key value is not predefined. */
static void *predefined(int keyval)
{
	static int tag_max = CO_MPI_TAG_MAX, none = MPI_PROC_NULL, any = MPI_ANY_SOURCE, one_clock,
		   first;
	static int *const values[] = {
		[MPI_TAG_UB] = &tag_max,
		[MPI_HOST] = &none,
		[MPI_IO] = &any,
		[MPI_WTIME_IS_GLOBAL] = &one_clock,
		[MPI_UNIVERSE_SIZE] = &co_mpi.ranks,
		[MPI_APPNUM] = &first,
		[MPI_LASTUSEDCODE] = &co_mpi_last_code,
	};

	one_clock = co_mpi.boards == 1;
	return keyval >= MPI_TAG_UB && keyval <= MPI_LASTUSEDCODE ? values[keyval] : NULL;
}

CO_MPI_DEFINE(Comm_get_attr, MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
	void *v = predefined(comm_keyval);
	int r = co_mpi_check_comm(comm);

	if (!r && v) {
		memcpy(attribute_val, &v, sizeof(v));
		*flag = 1;
	} else if (!r) {
		r = co_mpi_attribute_get(CO_MPI_OF_COMM, comm->attributes, comm_keyval,
					 attribute_val, flag);
	}
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_delete_attr, MPI_Comm comm, int comm_keyval)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		r = co_mpi_attribute_delete(CO_MPI_OF_COMM, comm, &comm->attributes, comm_keyval);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_OLD_NAME(Keyval_create, Comm_create_keyval);
CO_MPI_OLD_NAME(Keyval_free, Comm_free_keyval);
CO_MPI_OLD_NAME(Attr_put, Comm_set_attr);
CO_MPI_OLD_NAME(Attr_get, Comm_get_attr);
CO_MPI_OLD_NAME(Attr_delete, Comm_delete_attr);

/* ---- Error handlers ---- */

CO_MPI_DEFINE(Comm_create_errhandler, MPI_Comm_errhandler_function *comm_errhandler_fn,
	      MPI_Errhandler *errhandler)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_errhandler_new((void (*)(void *, int *, ...))comm_errhandler_fn,
						  errhandler));
}

CO_MPI_DEFINE(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler)
{
	int none = co_mpi_check_comm(comm);
	int r = co_mpi_handler_set(none ? NULL : &comm->errhandler, none, errhandler);

	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *errhandler)
{
	int none = co_mpi_check_comm(comm);
	int r = co_mpi_handler_get(none ? NULL : &comm->errhandler, none, errhandler);

	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_call_errhandler, MPI_Comm comm, int errorcode)
{
	int r = co_mpi_check_comm(comm);

	co_mpi_error(comm, __func__, r ? r : errorcode);
	return r;
}

CO_MPI_OLD_NAME(Errhandler_create, Comm_create_errhandler);
CO_MPI_OLD_NAME(Errhandler_set, Comm_set_errhandler);
CO_MPI_OLD_NAME(Errhandler_get, Comm_get_errhandler);
