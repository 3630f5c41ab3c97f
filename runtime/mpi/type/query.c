/* type_query.c - queries of datatypes: sizes, bounds, names, how they were made. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "walk.h"

CO_MPI_DEFINE(Type_size_x, MPI_Datatype type, MPI_Count *size)
{
	int r = co_mpi_check_made(type);

	if (!r)
		*size = type->size;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_size, MPI_Datatype type, int *size)
{
	int r = co_mpi_check_made(type);

	if (!r)
		*size = type->size > INT_MAX ? MPI_UNDEFINED : (int)type->size;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_extent, MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent)
{
	int r = co_mpi_check_made(type);

	if (!r) {
		*lower = type->lower;
		*extent = type->extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_extent_x, MPI_Datatype type, MPI_Count *lower, MPI_Count *extent)
{
	int r = co_mpi_check_made(type);

	if (!r) {
		*lower = type->lower;
		*extent = type->extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_true_extent, MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent)
{
	int r = co_mpi_check_made(type);

	if (!r) {
		*lower = type->true_lower;
		*extent = type->true_extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_true_extent_x, MPI_Datatype type, MPI_Count *lower, MPI_Count *extent)
{
	int r = co_mpi_check_made(type);

	if (!r) {
		*lower = type->true_lower;
		*extent = type->true_extent;
	}
	return co_mpi_error(NULL, __func__, r);
}

/* ---- How it was made ---- */

CO_MPI_DEFINE(Type_get_envelope, MPI_Datatype type, int *ints, int *addresses, int *types,
	      int *combiner)
{
	int r = co_mpi_check_made(type);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	*ints = *addresses = *types = 0;
	*combiner = MPI_COMBINER_NAMED;
	if (!type->predefined) {
		*ints = type->made->n_ints;
		*addresses = type->made->n_addresses;
		*types = type->made->n_types;
		*combiner = type->made->combiner;
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

CO_MPI_DEFINE(Type_get_contents, MPI_Datatype type, int max_ints, int max_addresses, int max_types,
	      int ints[], MPI_Aint addresses[], MPI_Datatype types[])
{
	int r = check_contents(type, max_ints, max_addresses, max_types);
	const struct co_mpi_made *m;

	if (r)
		return co_mpi_error(NULL, __func__, r);
	m = type->made;
	for (int i = 0; i < m->n_ints; i++)
		ints[i] = m->ints[i];
	for (int i = 0; i < m->n_addresses; i++)
		addresses[i] = m->addresses[i];
	for (int i = 0; i < m->n_types; i++)
		types[i] = co_mpi_type_get(m->types[i]); /* the program frees it, too */
	return MPI_SUCCESS;
}

/* ---- Names, and types by their size ---- */

CO_MPI_DEFINE(Type_set_name, MPI_Datatype type, const char *name)
{
	int r = co_mpi_check_made(type);

	if (!r && !name)
		r = co_mpi_say(MPI_ERR_ARG, "the name is NULL");
	if (!r)
		snprintf(type->name, sizeof(type->name), "%s", name);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_name, MPI_Datatype type, char *name, int *length)
{
	int r = co_mpi_check_made(type);

	if (!r)
		*length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", type->name);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_match_size, int type_class, int size, MPI_Datatype *type)
{
	static const struct {
		int type_class;
		MPI_Datatype type;
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
		if (known[i].type_class == type_class && known[i].type->size == size) {
			*type = known[i].type;
			return MPI_SUCCESS;
		}
	}
	return co_mpi_error(NULL, __func__,
			    co_mpi_say(MPI_ERR_ARG, "class %d, %d bytes", type_class, size));
}

/* ---- Until MPI 2 ---- */

CO_MPI_DEFINE(Type_extent, MPI_Datatype type, MPI_Aint *extent)
{
	int r = co_mpi_check_made(type);

	if (!r)
		*extent = type->extent;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_lb, MPI_Datatype type, MPI_Aint *lower)
{
	int r = co_mpi_check_made(type);

	if (!r)
		*lower = type->lower;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_ub, MPI_Datatype type, MPI_Aint *upper)
{
	int r = co_mpi_check_made(type);

	if (!r)
		*upper = type->lower + type->extent;
	return co_mpi_error(NULL, __func__, r);
}

/* ---- Addresses: relative to MPI_BOTTOM, which is 0 ---- */

CO_MPI_DEFINE(Get_address, const void *where, MPI_Aint *address)
{
	*address = (MPI_Aint)where;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Address, void *where, MPI_Aint *address)
{
	*address = (MPI_Aint)where;
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

CO_MPI_DEFINE(Type_create_keyval, MPI_Type_copy_attr_function *copy,
	      MPI_Type_delete_attr_function *end, int *keyval, void *state)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_keyval_create(CO_MPI_OF_TYPE, (co_mpi_copy_function *)copy,
						 (co_mpi_delete_function *)end, keyval, state));
}

CO_MPI_DEFINE(Type_free_keyval, int *keyval)
{
	return co_mpi_error(NULL, __func__, co_mpi_keyval_free(CO_MPI_OF_TYPE, keyval));
}

CO_MPI_DEFINE(Type_set_attr, MPI_Datatype type, int keyval, void *value)
{
	int r = co_mpi_check_made(type);

	if (!r)
		r = co_mpi_attribute_set(CO_MPI_OF_TYPE, type, &type->attributes, keyval, value);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_get_attr, MPI_Datatype type, int keyval, void *value, int *flag)
{
	int r = co_mpi_check_made(type);

	if (!r)
		r = co_mpi_attribute_get(CO_MPI_OF_TYPE, type->attributes, keyval, value, flag);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_delete_attr, MPI_Datatype type, int keyval)
{
	int r = co_mpi_check_made(type);

	if (!r)
		r = co_mpi_attribute_delete(CO_MPI_OF_TYPE, type, &type->attributes, keyval);
	return co_mpi_error(NULL, __func__, r);
}
