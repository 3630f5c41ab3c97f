/* query.c - queries of datatypes: sizes, bounds, names, how they were made. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "walk.h"

CO_MPI_DEFINE(Type_size_x, MPI_Datatype datatype, MPI_Count *size)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		*size = datatype->size;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_size, MPI_Datatype datatype, int *size)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		*size = datatype->size > INT_MAX ? MPI_UNDEFINED : (int)datatype->size;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_extent, MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
	int r = co_mpi_check_made(datatype);

	if (!r) {
		*lb = datatype->lower;
		*extent = datatype->extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_extent_x, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	int r = co_mpi_check_made(datatype);

	if (!r) {
		*lb = datatype->lower;
		*extent = datatype->extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_true_extent, MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
	int r = co_mpi_check_made(datatype);

	if (!r) {
		*true_lb = datatype->true_lower;
		*true_extent = datatype->true_extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_true_extent_x, MPI_Datatype datatype, MPI_Count *true_lb,
	      MPI_Count *true_extent)
{
	int r = co_mpi_check_made(datatype);

	if (!r) {
		*true_lb = datatype->true_lower;
		*true_extent = datatype->true_extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

/* ---- How it was made ---- */

CO_MPI_DEFINE(Type_get_envelope, MPI_Datatype datatype, int *num_integers, int *num_addresses,
	      int *num_datatypes, int *combiner)
{
	int r = co_mpi_check_made(datatype);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	*num_integers = *num_addresses = *num_datatypes = 0;
	*combiner = MPI_COMBINER_NAMED;
	if (!datatype->predefined) {
		*num_integers = datatype->made->n_ints;
		*num_addresses = datatype->made->n_addresses;
		*num_datatypes = datatype->made->n_types;
		*combiner = datatype->made->combiner;
	}
	return MPI_SUCCESS;
}

static int check_contents(MPI_Datatype type, int ints, int addresses, int types)
{
	int r = co_mpi_check_made(type);

	if (r)
		return r;
	if (type->predefined)
		return co_mpi_say(MPI_ERR_TYPE, "%s is predefined", type->name);
	if (ints < type->made->n_ints || addresses < type->made->n_addresses ||
	    types < type->made->n_types)
		return co_mpi_say(MPI_ERR_ARG, "room for %d, %d and %d of %d, %d and %d", ints,
				  addresses, types, type->made->n_ints, type->made->n_addresses,
				  type->made->n_types);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Type_get_contents, MPI_Datatype datatype, int max_integers, int max_addresses,
	      int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
	      MPI_Datatype array_of_datatypes[])
{
	int r = check_contents(datatype, max_integers, max_addresses, max_datatypes);
	const struct co_mpi_made *m;

	if (r)
		return co_mpi_error(NULL, __func__, r);
	m = datatype->made;
	for (int i = 0; i < m->n_ints; i++)
		array_of_integers[i] = m->ints[i];
	for (int i = 0; i < m->n_addresses; i++)
		array_of_addresses[i] = m->addresses[i];
	for (int i = 0; i < m->n_types; i++)
		array_of_datatypes[i] =
			co_mpi_type_get(m->types[i]); /* the program frees it, too */
	return MPI_SUCCESS;
}

/* ---- Names, and types by their size ---- */

CO_MPI_DEFINE(Type_set_name, MPI_Datatype datatype, const char *type_name)
{
	int r = co_mpi_check_made(datatype);

	if (!r && !type_name)
		r = co_mpi_say(MPI_ERR_ARG, "the name is NULL");
	if (!r)
		snprintf(datatype->name, sizeof(datatype->name), "%s", type_name);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_name, MPI_Datatype datatype, char *type_name, int *resultlen)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		*resultlen = snprintf(type_name, MPI_MAX_OBJECT_NAME, "%s", datatype->name);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_match_size, int typeclass, int size, MPI_Datatype *datatype)
{
	static const struct {
		int typeclass;
		MPI_Datatype datatype;
	} known[] = {
		{ MPI_TYPECLASS_REAL, MPI_FLOAT },
		{ MPI_TYPECLASS_REAL, MPI_DOUBLE },
		{ MPI_TYPECLASS_REAL, MPI_LONG_DOUBLE },
		{ MPI_TYPECLASS_INTEGER, MPI_SIGNED_CHAR },
		{ MPI_TYPECLASS_INTEGER, MPI_SHORT },
		{ MPI_TYPECLASS_INTEGER, MPI_INT },
		{ MPI_TYPECLASS_INTEGER, MPI_LONG },
		{ MPI_TYPECLASS_INTEGER, MPI_LONG_LONG },
		{ MPI_TYPECLASS_COMPLEX, MPI_C_FLOAT_COMPLEX },
		{ MPI_TYPECLASS_COMPLEX, MPI_C_DOUBLE_COMPLEX },
		{ MPI_TYPECLASS_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].typeclass == typeclass && known[i].datatype->size == size) {
			*datatype = known[i].datatype;
			return MPI_SUCCESS;
		}
	}
	return co_mpi_error(NULL, __func__,
			    co_mpi_say(MPI_ERR_ARG, "class %d, %d bytes", typeclass, size));
}

/* ---- Until MPI 2 ---- */

CO_MPI_DEFINE(Type_extent, MPI_Datatype datatype, MPI_Aint *extent)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		*extent = datatype->extent;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_lb, MPI_Datatype datatype, MPI_Aint *displacement)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		*displacement = datatype->lower;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_ub, MPI_Datatype datatype, MPI_Aint *displacement)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		*displacement = datatype->lower + datatype->extent;
	return co_mpi_error(NULL, __func__, r);
}

/* ---- Addresses: relative to MPI_BOTTOM, which is 0 ---- */

CO_MPI_DEFINE(Get_address, const void *location, MPI_Aint *address)
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Address, void *location, MPI_Aint *address)
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint by)
{
	return base + by;
}
CO_MPI_NAME(Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint a, MPI_Aint b)
{
	return a - b;
}
CO_MPI_NAME(Aint_diff);

/* ---- Attributes ---- */

CO_MPI_DEFINE(Type_create_keyval, MPI_Type_copy_attr_function *type_copy_attr_fn,
	      MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
	      void *extra_state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_TYPE,
						 (co_mpi_copy_function *)type_copy_attr_fn,
						 (co_mpi_delete_function *)type_delete_attr_fn,
						 type_keyval, extra_state));
}

CO_MPI_DEFINE(Type_free_keyval, int *type_keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_TYPE, type_keyval));
}

CO_MPI_DEFINE(Type_set_attr, MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		r = co_mpi_attribute_set(CO_MPI_OF_TYPE, datatype, &datatype->attributes,
					 type_keyval, attribute_val);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_attr, MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		r = co_mpi_attribute_get(CO_MPI_OF_TYPE, datatype->attributes, type_keyval,
					 attribute_val, flag);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_delete_attr, MPI_Datatype datatype, int type_keyval)
{
	int r = co_mpi_check_made(datatype);

	if (!r)
		r = co_mpi_attribute_delete(CO_MPI_OF_TYPE, datatype, &datatype->attributes,
					    type_keyval);
	return co_mpi_error(NULL, __func__, r);
}
