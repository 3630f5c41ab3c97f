/* count.c - the size of a received message, from its status, in elements of a datatype. */
#include <limits.h>

#include "walk.h"

static int check_status(const MPI_Status *status, MPI_Datatype type)
{
	if (!status)
		return co_mpi_say(MPI_ERR_ARG, "MPI_STATUS_IGNORE");
	return co_mpi_check_type(type);
}

static int as_int(MPI_Count n)
{
	return n < 0 || n > INT_MAX ? MPI_UNDEFINED : (int)n;
}

CO_MPI_DEFINE(Get_count, const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	int r = check_status(status, datatype);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	if (datatype->size == 0)
		*count = status->bytes ? MPI_UNDEFINED : 0;
	else
		*count = status->bytes % datatype->size ? MPI_UNDEFINED
							: as_int(status->bytes / datatype->size);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Get_elements, const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	int r = check_status(status, datatype);

	if (!r)
		*count = as_int(co_mpi_elements(datatype, status->bytes));
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Get_elements_x, const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	int r = check_status(status, datatype);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	*count = co_mpi_elements(datatype, status->bytes);
	if (*count < 0)
		*count = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int set_elements(MPI_Status *status, MPI_Datatype type, MPI_Count count)
{
	int r = check_status(status, type);

	if (!r && count < 0)
		r = co_mpi_say(MPI_ERR_COUNT, "count %lld", count);
	if (!r)
		status->bytes = co_mpi_elements_bytes(type, count);
	return r;
}

CO_MPI_DEFINE(Status_set_elements, MPI_Status *status, MPI_Datatype datatype, int count)
{
	return co_mpi_error(NULL, __func__, set_elements(status, datatype, count));
}

CO_MPI_DEFINE(Status_set_elements_x, MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	return co_mpi_error(NULL, __func__, set_elements(status, datatype, count));
}
