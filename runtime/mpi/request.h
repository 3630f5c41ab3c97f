/*
 * request.h - the interface between the files that make, begin and end requests: request.c, p2p.c,
 * ended.c, schedule.c.
 */
#ifndef COHART_MPI_REQUEST_H
#define COHART_MPI_REQUEST_H

#include "objects.h"

#define CO_MPI_EMPTY_STATUS ((MPI_Status){ .MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG })

/* The mode of a send; a ready send is a standard send. */
enum co_mpi_mode { CO_MPI_STANDARD, CO_MPI_BUFFERED, CO_MPI_SYNC };

/* A generalised request's functions. */
struct co_mpi_user {
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	void *state;
};

/* The rank in MPI_COMM_WORLD, or CO_ANY_RANK. */
static inline unsigned co_mpi_world_of(MPI_Comm comm, int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return CO_ANY_RANK;
	return (unsigned)co_mpi_group_world(comm->peers, rank);
}

/* Set the status of a received message; MPI_ERROR is left. */
static inline void co_mpi_set_status(MPI_Status *status, MPI_Comm comm,
				     const struct co_message_info *got)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	status->MPI_SOURCE = co_mpi_group_find(comm->peers, (int)got->rank);
	status->MPI_TAG = (int)got->tag;
	status->cancelled = 0;
	status->bytes = (MPI_Count)got->bytes;
}

/* Copy a status without MPI_ERROR, which calls for one request leave as it was. */
static inline void co_mpi_give_status(MPI_Status *status, const MPI_Status *from)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	status->MPI_SOURCE = from->MPI_SOURCE;
	status->MPI_TAG = from->MPI_TAG;
	status->cancelled = from->cancelled;
	status->bytes = from->bytes;
}

static inline void co_mpi_set_no_proc(MPI_Status *status)
{
	co_mpi_give_status(status,
			   &(MPI_Status){ .MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG });
}

int co_mpi_check_from(int from, int tag, MPI_Comm comm);

/* Is it NULL, or persistent and not under way? Then it never ends, and waits pass it over. */
static inline bool co_mpi_is_none(const struct co_mpi_request *r)
{
	return !r || !r->active;
}

/* Free the request when it has ended. */
void co_mpi_request_orphan(MPI_Request r);
/*
 * Wait until one of n requests has ended; NULL, and requests that are not active, are passed over.
 * Returns a class.
 */
int co_mpi_wait_any(MPI_Request const r[], int n);

/*
 * Wait until there is a message to probe, or until a message of a schedule has ended, so that the
 * schedule may go on.
 * @return 0; -ENOMEM; as co_message_recv()
 */
int co_mpi_wait_probe(unsigned world, uint32_t tag, uint32_t context);

/* ---- schedule.c, for the wait ---- */

/* Let all schedules go on as far as they can. */
void co_mpi_schedules_advance(void);
extern struct co_mpi_schedule *co_mpi_schedules; /* all that are under way */
static inline bool co_mpi_schedules_busy(void)
{
	return co_mpi_schedules != NULL;
}

/* Call co_mpi_wait_also() for all messages that schedules wait for. */
int co_mpi_schedules_list(void);
int co_mpi_wait_also(MPI_Request r);
#endif
