/*
 * request.h - requests: how they are made, begun, waited for and ended: request.c, wait.c.
 */
#ifndef COHART_MPI_REQUEST_H
#define COHART_MPI_REQUEST_H

#include "../type/type.h"

enum co_mpi_kind {
	CO_MPI_SEND,
	CO_MPI_RECV,
	CO_MPI_SCHEDULE,
	CO_MPI_USER,   /* generalised */
	CO_MPI_READY,  /* has ended when it begins */
	CO_MPI_ACCESS, /* of a window: as CO_MPI_READY, but neither cancelled nor freed */
};

struct co_mpi_request {
	enum co_mpi_magic magic;
	enum co_mpi_kind kind;
	bool persistent, active, ended, freed, cancelled;
	int error;
	MPI_Status status;
	MPI_Comm comm;
	void *buf;    /* the program's buffer */
	void *packed; /* the packed bytes to send, or to unpack; NULL: buf itself */
	MPI_Count count;
	MPI_Datatype type;
	int peer, tag;            /* of a persistent one */
	int mode;                 /* of a send: enum co_mpi_mode */
	MPI_Count buffered;       /* bytes of the program's buffer that it counts for */
	struct co_mpi_user *user; /* of a generalised one */
	void (*at_end)(struct co_mpi_request *r); /* of a request that the program does not know */
	struct co_mpi_request *next;              /* of a list of request.c */
	struct co_message message; /* of a send, a receive; the last: most of it is not cleared */
};

MPI_Request co_mpi_request_new(enum co_mpi_kind kind, MPI_Comm comm); /* NULL: no memory */
/* Make a request that has ended, for a call that did all at once. */
int co_mpi_request_ready(MPI_Request *request);
/*
 * Wait until the request has ended; other requests go on meanwhile. Returns the class of an error
 * of the wait; the request's own is in its `error`.
 */
int co_mpi_request_wait(MPI_Request request);
void co_mpi_request_put(MPI_Request request);
/* Let all that is under way go on, without waiting. Returns a class. */
int co_mpi_progress(void);
/*
 * Wait for all requests that were freed before they had ended, or that send a copy: with this
 * `at_end` alone, unless that is NULL. Returns a class.
 */
int co_mpi_requests_end(void (*at_end)(MPI_Request request));
/* Put a request that may be under way, after an error: a receive is withdrawn. */
void co_mpi_request_drop(MPI_Request request);
/* Begin the send or receive that the request describes; `world` is a rank of MPI_COMM_WORLD. */
int co_mpi_begin(MPI_Request request, unsigned world, uint32_t tag, uint32_t context);
/* For a timeline: peer, tag and bytes of a request of the program, or the bytes of several. */
void co_mpi_tell_requests(int n, MPI_Request const requests[]);
/* Has the request ended? Checks this request alone. */
bool co_mpi_request_poll(MPI_Request request);

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

/* The number in MPI_COMM_WORLD of a rank of messages, or CO_ANY_RANK. */
static inline unsigned co_mpi_world_of(MPI_Comm comm, int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return CO_ANY_RANK;
	/* In a row, most likely. */
	return (unsigned)(__builtin_expect(!comm->world, 1) ? comm->first + rank
							    : comm->world[rank]);
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
#endif
