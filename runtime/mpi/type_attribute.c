/* type_attribute.c - attributes of datatypes. */
#include "attribute.h"

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *drop,
			    int *keyval, void *state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_TYPE, (co_mpi_copy_fn *)copy,
						 (co_mpi_drop_fn *)drop, keyval, state));
}
CO_MPI_NAME(Type_create_keyval);

int PMPI_Type_free_keyval(int *keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_TYPE, keyval));
}
CO_MPI_NAME(Type_free_keyval);

/* One that is not committed has attributes, too. */
static int check_type(MPI_Datatype type)
{
	if (co_mpi_is(type, CO_MPI_IS_TYPE))
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_TYPE, "%s", type ? "no datatype" : "MPI_DATATYPE_NULL");
}

int PMPI_Type_set_attr(MPI_Datatype type, int keyval, void *value)
{
	int r = check_type(type);

	if (!r)
		r = co_mpi_attribute_set(CO_MPI_OF_TYPE, type, &type->attributes, keyval, value);
	return co_mpi_error(NULL, __func__, r);
}
CO_MPI_NAME(Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
	int r = check_type(type);

	if (!r)
		r = co_mpi_attribute_get(CO_MPI_OF_TYPE, type->attributes, keyval, value, flag);
	return co_mpi_error(NULL, __func__, r);
}
CO_MPI_NAME(Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype type, int keyval)
{
	int r = check_type(type);

	if (!r)
		r = co_mpi_attribute_delete(CO_MPI_OF_TYPE, type, &type->attributes, keyval);
	return co_mpi_error(NULL, __func__, r);
}
CO_MPI_NAME(Type_delete_attr);
