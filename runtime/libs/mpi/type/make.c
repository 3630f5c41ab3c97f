/* make.c - the constructors of datatypes; of arrays: array.c. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

/* ---- Checks ---- */

static int check_count(int count, MPI_Datatype of)
{
	if (count < 0)
		return co_mpi_say(MPI_ERR_COUNT, "count %d", count);
	return co_mpi_check_made(of);
}

static int check_block(int count, int block, MPI_Datatype of)
{
	int r = check_count(count, of);

	if (!r && block < 0)
		r = co_mpi_say(MPI_ERR_ARG, "block of %d", block);
	return r;
}

static int check_list(int count, const int blocks[], const void *at)
{
	if (count < 0)
		return co_mpi_say(MPI_ERR_COUNT, "count %d", count);
	if (count > 0 && (!blocks || !at))
		return co_mpi_say(MPI_ERR_ARG, "a list is NULL");
	for (int i = 0; i < count; i++) {
		if (blocks[i] < 0)
			return co_mpi_say(MPI_ERR_ARG, "block %d of %d", i, blocks[i]);
	}
	return MPI_SUCCESS;
}

static int check_same(int count, int block, const void *at, MPI_Datatype of)
{
	int r = check_block(count, block, of);

	if (!r && count > 0 && !at)
		r = co_mpi_say(MPI_ERR_ARG, "the displacements are NULL");
	return r;
}

static void copy(void *to, const void *from, int n, size_t size)
{
	if (n > 0)
		memcpy(to, from, (size_t)n * size);
}

/* Arguments of a constructor: the ints, then the lists that are not NULL, of ints[0] ints each. */
struct arguments {
	int combiner, n_ints, ints[3];
	const int *list, *other;
	int n_addresses;
	const MPI_Aint *addresses;
};

static int make(const struct arguments *a, int n_types, const MPI_Datatype types[],
		MPI_Datatype *type)
{
	int n = a->list ? a->ints[0] : 0, others = a->other ? a->ints[0] : 0;
	MPI_Datatype t =
		co_mpi_type_new(a->combiner, a->n_ints + n + others, a->n_addresses, n_types);

	if (!t)
		return MPI_ERR_NO_MEM;
	copy(t->made->ints, a->ints, a->n_ints, sizeof(int));
	copy(t->made->ints + a->n_ints, a->list, n, sizeof(int));
	copy(t->made->ints + a->n_ints + n, a->other, others, sizeof(int));
	copy(t->made->addresses, a->addresses, a->n_addresses, sizeof(MPI_Aint));
	for (int i = 0; i < n_types; i++)
		t->made->types[i] = co_mpi_type_get(types[i]);
	co_mpi_type_measure(t);
	*type = t;
	return MPI_SUCCESS;
}

/* ---- Contiguous, vectors ---- */

int co_mpi_make_contiguous(int count, MPI_Datatype of, MPI_Datatype *type)
{
	const struct arguments a = { MPI_COMBINER_CONTIGUOUS, 1, { count }, NULL, NULL, 0, NULL };
	int r = check_count(count, of);

	return r ? r : make(&a, 1, &of, type);
}

CO_MPI_DEFINE(Type_contiguous, int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	return co_mpi_error(NULL, __func__, co_mpi_make_contiguous(count, oldtype, newtype));
}

CO_MPI_DEFINE(Type_vector, int count, int blocklength, int stride, MPI_Datatype oldtype,
	      MPI_Datatype *newtype)
{
	const struct arguments a = {
		MPI_COMBINER_VECTOR, 3, { count, blocklength, stride }, NULL, NULL, 0, NULL
	};
	int r = check_block(count, blocklength, oldtype);

	return co_mpi_error(NULL, __func__, r ? r : make(&a, 1, &oldtype, newtype));
}

int co_mpi_make_hvector(int count, int block, MPI_Aint stride, MPI_Datatype of, MPI_Datatype *type)
{
	const struct arguments a = {
		MPI_COMBINER_HVECTOR, 2, { count, block }, NULL, NULL, 1, &stride
	};
	int r = check_block(count, block, of);

	return r ? r : make(&a, 1, &of, type);
}

CO_MPI_DEFINE(Type_create_hvector, int count, int blocklength, MPI_Aint stride,
	      MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_make_hvector(count, blocklength, stride, oldtype, newtype));
}

CO_MPI_OLD_NAME(Type_hvector, Type_create_hvector);

/* ---- Lists ---- */

CO_MPI_DEFINE(Type_indexed, int count, const int array_of_blocklengths[],
	      const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const struct arguments a = { MPI_COMBINER_INDEXED,   1, { count }, array_of_blocklengths,
				     array_of_displacements, 0, NULL };
	int r = check_list(count, array_of_blocklengths, array_of_displacements);

	if (!r)
		r = co_mpi_check_made(oldtype);
	return co_mpi_error(NULL, __func__, r ? r : make(&a, 1, &oldtype, newtype));
}

CO_MPI_DEFINE(Type_create_hindexed, int count, const int array_of_blocklengths[],
	      const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const struct arguments a = { MPI_COMBINER_HINDEXED, 1,    { count },
				     array_of_blocklengths, NULL, count,
				     array_of_displacements };
	int r = check_list(count, array_of_blocklengths, array_of_displacements);

	if (!r)
		r = co_mpi_check_made(oldtype);
	return co_mpi_error(NULL, __func__, r ? r : make(&a, 1, &oldtype, newtype));
}

/* The name until MPI 2, whose lists are not const: a report says the current name. */
CO_MPI_DEFINE(Type_hindexed, int count, int array_of_blocklengths[],
	      MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	return PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements,
					 oldtype, newtype);
}

CO_MPI_DEFINE(Type_create_indexed_block, int count, int blocklength,
	      const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const struct arguments a = { MPI_COMBINER_INDEXED_BLOCK,
				     2,
				     { count, blocklength },
				     array_of_displacements,
				     NULL,
				     0,
				     NULL };
	int r = check_same(count, blocklength, array_of_displacements, oldtype);

	return co_mpi_error(NULL, __func__, r ? r : make(&a, 1, &oldtype, newtype));
}

CO_MPI_DEFINE(Type_create_hindexed_block, int count, int blocklength,
	      const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const struct arguments a = {
		MPI_COMBINER_HINDEXED_BLOCK, 2, { count, blocklength }, NULL, NULL, count,
		array_of_displacements
	};
	int r = check_same(count, blocklength, array_of_displacements, oldtype);

	return co_mpi_error(NULL, __func__, r ? r : make(&a, 1, &oldtype, newtype));
}

int co_mpi_make_struct(int count, const int blocks[], const MPI_Aint at[], const MPI_Datatype of[],
		       MPI_Datatype *type)
{
	const struct arguments a = { MPI_COMBINER_STRUCT, 1, { count }, blocks, NULL, count, at };
	int r = check_list(count, blocks, at);

	if (!r && count > 0 && !of)
		r = co_mpi_say(MPI_ERR_ARG, "a list is NULL");
	for (int i = 0; !r && i < count; i++)
		r = co_mpi_check_made(of[i]);
	return r ? r : make(&a, count, of, type);
}

CO_MPI_DEFINE(Type_create_struct, int count, const int array_of_blocklengths[],
	      const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
	      MPI_Datatype *newtype)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_make_struct(count, array_of_blocklengths, array_of_displacements,
					       array_of_types, newtype));
}

CO_MPI_DEFINE(Type_struct, int count, int array_of_blocklengths[],
	      MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[],
	      MPI_Datatype *newtype)
{
	return co_mpi_error(NULL, __func__,
			    co_mpi_make_struct(count, array_of_blocklengths, array_of_displacements,
					       array_of_types, newtype));
}

/* ---- Resized types and duplicates ---- */

CO_MPI_DEFINE(Type_create_resized, MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
	      MPI_Datatype *newtype)
{
	const struct arguments a = { MPI_COMBINER_RESIZED,      0, { 0 }, NULL, NULL, 2,
				     (MPI_Aint[]){ lb, extent } };
	int r = co_mpi_check_made(oldtype);

	if (!r)
		r = make(&a, 1, &oldtype, newtype);
	if (!r)
		co_mpi_type_bound(*newtype, lb, extent);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Type_dup, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const struct arguments a = { MPI_COMBINER_DUP, 0, { 0 }, NULL, NULL, 0, NULL };
	MPI_Datatype t;
	int r = co_mpi_check_made(oldtype);

	if (!r)
		r = make(&a, 1, &oldtype, &t);
	if (r)
		return co_mpi_error(NULL, __func__, r);
	if (oldtype->committed)
		co_mpi_type_commit(t);
	r = co_mpi_attributes_copy(oldtype, oldtype->attributes, &t->attributes);
	if (r) {
		(void)co_mpi_attributes_free(t, &t->attributes); /* copied before the error */
		co_mpi_type_put(t);
		return co_mpi_error(NULL, __func__, r);
	}
	*newtype = t;
	return MPI_SUCCESS;
}
