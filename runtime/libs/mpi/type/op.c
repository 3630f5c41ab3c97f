/* op.c - operations: their handles, checks, and how one is applied. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

#define VALUES(number) .magic = CO_MPI_IS_OP, .references = 1, .predefined = true, .code = (number)
#define PREDEFINED(c_name, number) \
	struct co_mpi_op co_mpi_##c_name = { VALUES(number), .commutes = true }

PREDEFINED(max, CO_MPI_MAX);
PREDEFINED(min, CO_MPI_MIN);
PREDEFINED(sum, CO_MPI_SUM);
PREDEFINED(prod, CO_MPI_PROD);
PREDEFINED(land, CO_MPI_LAND);
PREDEFINED(band, CO_MPI_BAND);
PREDEFINED(lor, CO_MPI_LOR);
PREDEFINED(bor, CO_MPI_BOR);
PREDEFINED(lxor, CO_MPI_LXOR);
PREDEFINED(bxor, CO_MPI_BXOR);
PREDEFINED(maxloc, CO_MPI_MAXLOC);
PREDEFINED(minloc, CO_MPI_MINLOC);
struct co_mpi_op co_mpi_replace = { VALUES(CO_MPI_REPLACE) };
struct co_mpi_op co_mpi_no_op = { VALUES(CO_MPI_NO_OP) };

static int check_op(MPI_Op op)
{
	if (!op)
		return co_mpi_say(MPI_ERR_OP, "MPI_OP_NULL");
	return co_mpi_is(op, CO_MPI_IS_OP) ? MPI_SUCCESS
					   : co_mpi_say(MPI_ERR_OP, "no operation, or freed");
}

int co_mpi_check_op(MPI_Op op, MPI_Datatype type)
{
	int r = check_op(op);

	if (r || !op->predefined)
		return r;
	if (op->code >= CO_MPI_REPLACE)
		return co_mpi_say(MPI_ERR_OP, "MPI_REPLACE and MPI_NO_OP are for windows alone");
	if (!type->predefined || !co_mpi_op_for(op->code, type))
		return co_mpi_say(MPI_ERR_OP, "it is not for %s", co_mpi_type_name(type));
	return MPI_SUCCESS;
}

int co_mpi_check_accumulate(MPI_Op op, MPI_Datatype type)
{
	MPI_Datatype only = co_mpi_type_only(type);
	int r = check_op(op);

	if (r)
		return r;
	if (!op->predefined)
		return co_mpi_say(MPI_ERR_OP, "windows take predefined operations alone");
	if (op->code >= CO_MPI_REPLACE || type->size == 0)
		return MPI_SUCCESS;
	if (!only)
		return co_mpi_say(MPI_ERR_TYPE, "its elements are of several types");
	return co_mpi_op_for(op->code, only)
		       ? MPI_SUCCESS
		       : co_mpi_say(MPI_ERR_OP, "not for %s", co_mpi_type_name(only));
}

/* The program's function takes an int: in parts, if there are more. */
static void apply_own(MPI_Op op, const void *in, void *result, MPI_Count n, MPI_Datatype type)
{
	const char *from = in;
	char *to = result;

	while (n > 0) {
		const int part = n < INT_MAX ? (int)n : INT_MAX;
		int count = part; /* the function may change it */

		op->function((void *)from, to, &count, &type);
		from += part * type->extent;
		to += part * type->extent;
		n -= part;
	}
}

void co_mpi_op_apply(MPI_Op op, const void *in, void *result, MPI_Count n, MPI_Datatype type)
{
	if (n == 0)
		return;
	if (op->predefined)
		co_mpi_op_for(op->code, type)(in, result, n);
	else
		apply_own(op, in, result, n, type);
}

void co_mpi_op_put(MPI_Op op)
{
	if (--op->references == 0 && !op->predefined) {
		co_mpi_unmark(&op->magic);
		free(op);
	}
}

/* ---- The program's calls ---- */

CO_MPI_DEFINE(Op_create, MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	MPI_Op o;

	if (!user_fn)
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_ARG, "the function is NULL"));
	o = malloc(sizeof(*o));
	if (!o)
		return co_mpi_error(NULL, __func__, MPI_ERR_NO_MEM);
	*o = (struct co_mpi_op){ CO_MPI_IS_OP, 1, false, commute != 0, CO_MPI_OPS, user_fn };
	*op = o;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Op_free, MPI_Op *op)
{
	int r = check_op(*op);

	if (!r && (*op)->predefined)
		r = co_mpi_say(MPI_ERR_OP, "it is predefined");
	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_op_put(*op);
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Op_commutative, MPI_Op op, int *commute)
{
	int r = check_op(op);

	if (!r)
		*commute = op->commutes;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Reduce_local, const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype,
	      MPI_Op op)
{
	int r = co_mpi_check_buffer(inbuf, count, datatype);

	if (!r)
		r = co_mpi_check_buffer(inoutbuf, count, datatype);
	if (!r)
		r = co_mpi_check_op(op, datatype);
	if (!r)
		r = co_mpi_check_two(inbuf, inoutbuf, count);
	if (!r)
		co_mpi_op_apply(op, inbuf, inoutbuf, count, datatype);
	return co_mpi_error(NULL, __func__, r);
}
