/* array.c - datatypes of parts of arrays: hvectors inside of each other. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

/* The part so far: its type, to which we have a reference, and where it begins. */
struct part {
	MPI_Datatype type;
	MPI_Aint at;
};

/* Repeat a part n times, `stride` apart. On errors the reference to its type has been dropped. */
static int repeat(struct part *p, int n, MPI_Aint stride)
{
	MPI_Datatype t;
	int r;

	if (n == 1)
		return MPI_SUCCESS;
	r = co_mpi_make_hvector(n, 1, stride, p->type, &t);
	co_mpi_type_put(p->type);
	p->type = t;
	return r;
}

/* The i-th dimension, counted from the dimension whose elements lie one behind another. */
static int dimension(int order, int dims, int i)
{
	return order == MPI_ORDER_C ? dims - 1 - i : i;
}

static int check_array(int dims, int order, MPI_Datatype of)
{
	if (dims < 1)
		return co_mpi_say(MPI_ERR_ARG, "%d dimensions", dims);
	if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
		return co_mpi_say(MPI_ERR_ARG, "order %d", order);
	return co_mpi_check_made(of);
}

/* Make t the type of part p, in an array of `bytes` bytes. */
static int finish_array(MPI_Datatype t, struct part p, MPI_Datatype of, MPI_Aint bytes,
			MPI_Datatype *type)
{
	if (!t) {
		co_mpi_type_put(p.type);
		return MPI_ERR_NO_MEM;
	}
	t->made->types[0] = co_mpi_type_get(of);
	t->made->inner = p.type;
	t->made->at = p.at;
	co_mpi_type_measure(t);
	co_mpi_type_bound(t, 0, bytes);
	*type = t;
	return MPI_SUCCESS;
}

/* ---- A subarray ---- */

static int check_subarray(int dims, const int sizes[], const int parts[], const int starts[])
{
	for (int i = 0; i < dims; i++) {
		if (sizes[i] < 1 || parts[i] < 1 || starts[i] < 0 || parts[i] > sizes[i] ||
		    starts[i] > sizes[i] - parts[i])
			return co_mpi_say(MPI_ERR_ARG, "dimension %d: %d from %d on, of %d", i,
					  parts[i], starts[i], sizes[i]);
	}
	return MPI_SUCCESS;
}

static int make_subarray(int dims, const int *const lists[3], int order, MPI_Datatype of,
			 MPI_Datatype *type)
{
	const int *sizes = lists[0], *parts = lists[1], *starts = lists[2];
	MPI_Aint stride;
	struct part p;
	MPI_Datatype t;
	int r = check_array(dims, order, of);

	if (!r)
		r = check_subarray(dims, sizes, parts, starts);
	if (r)
		return r;
	p = (struct part){ co_mpi_type_get(of), 0 };
	stride = of->extent;
	for (int i = 0; i < dims; i++) {
		int d = dimension(order, dims, i);

		r = repeat(&p, parts[d], stride);
		if (r)
			return r;
		p.at += starts[d] * stride;
		stride *= sizes[d];
	}
	t = co_mpi_type_new(MPI_COMBINER_SUBARRAY, 3 * dims + 2, 0, 1);
	if (t) {
		t->made->ints[0] = dims;
		for (int i = 0; i < 3; i++)
			memcpy(t->made->ints + 1 + i * dims, lists[i], (size_t)dims * sizeof(int));
		t->made->ints[3 * dims + 1] = order;
	}
	return finish_array(t, p, of, stride, type);
}

CO_MPI_DEFINE(Type_create_subarray, int ndims, const int array_of_sizes[],
	      const int array_of_subsizes[], const int array_of_starts[], int order,
	      MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const int *const lists[] = { array_of_sizes, array_of_subsizes, array_of_starts };

	return co_mpi_error(NULL, __func__, make_subarray(ndims, lists, order, oldtype, newtype));
}

/* ---- A distributed array ---- */

/* A dimension: its blocks go to its ranks in turn. */
struct turns {
	int size, block, ranks, me;
};

static int turns_of(int size, int how, int arg, int ranks, struct turns *t)
{
	bool given = arg != MPI_DISTRIBUTE_DFLT_DARG;

	t->size = size;
	t->ranks = ranks;
	if (size < 1 || ranks < 1)
		return co_mpi_say(MPI_ERR_ARG, "%d elements on %d ranks", size, ranks);
	if (given && how != MPI_DISTRIBUTE_NONE && arg < 1)
		return co_mpi_say(MPI_ERR_ARG, "a distribution's argument is %d", arg);
	switch (how) {
	case MPI_DISTRIBUTE_BLOCK:
		t->block = given ? arg : (size + ranks - 1) / ranks;
		if ((MPI_Count)t->block * ranks < size)
			return co_mpi_say(MPI_ERR_ARG, "blocks of %d on %d ranks are less than %d",
					  t->block, ranks, size);
		return MPI_SUCCESS;
	case MPI_DISTRIBUTE_CYCLIC:
		t->block = given ? arg : 1;
		return MPI_SUCCESS;
	case MPI_DISTRIBUTE_NONE:
		t->block = size;
		return ranks == 1 ? MPI_SUCCESS
				  : co_mpi_say(MPI_ERR_ARG, "not distributed, on %d ranks", ranks);
	default:
		return co_mpi_say(MPI_ERR_ARG, "distribution %d", how);
	}
}

/* `whole` blocks of p, a turn apart, and `rest` elements behind them. */
static int blocks_and_rest(struct part *p, const struct turns *t, int whole, int rest,
			   MPI_Aint stride)
{
	MPI_Aint turn = (MPI_Aint)t->block * t->ranks * stride;
	struct part last = { co_mpi_type_get(p->type), 0 };
	MPI_Datatype both = NULL;
	int r = repeat(&last, rest, stride);

	if (r) {
		co_mpi_type_put(p->type);
		return r;
	}
	r = repeat(p, t->block, stride);
	if (!r)
		r = repeat(p, whole, turn);
	if (r) {
		co_mpi_type_put(last.type);
		return r;
	}
	r = co_mpi_make_struct(2, (int[]){ 1, 1 }, (MPI_Aint[]){ 0, whole * turn },
			       (MPI_Datatype[]){ p->type, last.type }, &both);
	co_mpi_type_put(p->type);
	co_mpi_type_put(last.type);
	p->type = both;
	return r;
}

static int take_turns(struct part *p, const struct turns *t, MPI_Aint stride)
{
	MPI_Aint first = (MPI_Aint)t->me * t->block, turn = (MPI_Aint)t->ranks * t->block;
	int whole, rest, r;

	if (first >= t->size) { /* none are left for this rank */
		MPI_Datatype none;

		r = co_mpi_make_contiguous(0, p->type, &none);
		co_mpi_type_put(p->type);
		p->type = none;
		return r;
	}
	whole = (int)((t->size - first) / turn);
	rest = (int)((t->size - first) % turn);
	if (rest >= t->block) {
		whole++;
		rest = 0;
	}
	p->at += first * stride;
	if (whole == 0)
		return repeat(p, rest, stride);
	if (rest)
		return blocks_and_rest(p, t, whole, rest, stride);
	r = repeat(p, t->block, stride);
	return r ? r : repeat(p, whole, turn * stride);
}

/* The arguments of a distributed array, as MPI_Type_get_contents() gives them. */
struct darray {
	int size, rank, dims, order;
	const int *lists[4]; /* sizes, distributions, their arguments, ranks */
};

static int make_parts(const struct darray *a, MPI_Datatype of, struct part *p, MPI_Aint *bytes)
{
	MPI_Aint stride = of->extent;
	struct turns t = { 0 };

	*p = (struct part){ co_mpi_type_get(of), 0 };
	for (int i = 0; i < a->dims; i++) {
		int d = dimension(a->order, a->dims, i), below = 1;
		int r = turns_of(a->lists[0][d], a->lists[1][d], a->lists[2][d], a->lists[3][d],
				 &t);

		if (r) {
			co_mpi_type_put(p->type);
			return r;
		}
		for (int j = d + 1; j < a->dims; j++)
			below *= a->lists[3][j]; /* ranks are in C's order in any case */
		t.me = a->rank / below % t.ranks;
		r = take_turns(p, &t, stride);
		if (r)
			return r;
		stride *= t.size;
	}
	*bytes = stride;
	return MPI_SUCCESS;
}

static int check_darray(const struct darray *a, MPI_Datatype of)
{
	MPI_Count ranks = 1;
	int r = check_array(a->dims, a->order, of);

	if (r)
		return r;
	for (int i = 0; i < a->dims; i++) {
		if (a->lists[3][i] < 1)
			return co_mpi_say(MPI_ERR_ARG, "%d ranks", a->lists[3][i]);
		ranks *= a->lists[3][i];
	}
	if (ranks != a->size || a->rank < 0 || a->rank >= a->size)
		return co_mpi_say(MPI_ERR_ARG, "rank %d of %d, in a grid of %lld", a->rank, a->size,
				  ranks);
	return MPI_SUCCESS;
}

static int make_darray(const struct darray *a, MPI_Datatype of, MPI_Datatype *type)
{
	struct part p;
	MPI_Aint bytes;
	MPI_Datatype t;
	int r = check_darray(a, of);

	if (!r)
		r = make_parts(a, of, &p, &bytes);
	if (r)
		return r;
	t = co_mpi_type_new(MPI_COMBINER_DARRAY, 4 * a->dims + 4, 0, 1);
	if (t) {
		int *v = t->made->ints;

		v[0] = a->size;
		v[1] = a->rank;
		v[2] = a->dims;
		for (int i = 0; i < 4; i++)
			memcpy(v + 3 + i * a->dims, a->lists[i], (size_t)a->dims * sizeof(int));
		v[4 * a->dims + 3] = a->order;
	}
	return finish_array(t, p, of, bytes, type);
}

CO_MPI_DEFINE(Type_create_darray, int size, int rank, int ndims, const int array_of_gsizes[],
	      const int array_of_distribs[], const int array_of_dargs[],
	      const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	const struct darray a = { size,
				  rank,
				  ndims,
				  order,
				  { array_of_gsizes, array_of_distribs, array_of_dargs,
				    array_of_psizes } };

	return co_mpi_error(NULL, __func__, make_darray(&a, oldtype, newtype));
}
