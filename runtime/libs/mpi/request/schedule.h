/* schedule.h - schedules: the steps of a collective, in rounds. */
#ifndef COHART_MPI_SCHEDULE_H
#define COHART_MPI_SCHEDULE_H

#include "request.h"

/*
 * A collective is a schedule: steps in rounds. All steps of a round begin together, and the next
 * round begins when all have ended. A schedule is made by the calls below, then run to its end, or
 * started as a request: blocking and non-blocking collectives share their code. The schedule of a
 * blocking call runs while it is made, most often. Its messages are in its communicator's second
 * context, and tagged by its number there.
 *
 * Buffers, types and operations are used until the schedule ends. An error while it is made (no
 * memory) is returned by co_mpi_schedule_run(). Ranks are the communicator's peers or, if `local`
 * is set in an inter-communicator, ranks of this side.
 */
/* blocks: co_mpi_schedule_run() follows without a request. NULL: no memory */
struct co_mpi_schedule *co_mpi_schedule_new(MPI_Comm comm, bool blocks);
/* Memory until the schedule ends, at least one byte; NULL: no memory. */
void *co_mpi_schedule_room(struct co_mpi_schedule *s, MPI_Count bytes);
/*
 * Memory for n elements of a type. Returns the address to use with the type, as for a buffer of the
 * program.
 */
void *co_mpi_schedule_buffer(struct co_mpi_schedule *s, MPI_Count n, MPI_Datatype type);
void co_mpi_schedule_local(struct co_mpi_schedule *s, bool local);
void co_mpi_schedule_send(struct co_mpi_schedule *s, const void *buf, MPI_Count n,
			  MPI_Datatype type, int to);
void co_mpi_schedule_recv(struct co_mpi_schedule *s, void *buf, MPI_Count n, MPI_Datatype type,
			  int from);
/*
 * Copies, reductions and calls run in the order given, when the round begins, before its messages.
 */
void co_mpi_schedule_copy(struct co_mpi_schedule *s, const void *from, MPI_Count from_n,
			  MPI_Datatype from_type, void *to, MPI_Count to_n, MPI_Datatype to_type);
void co_mpi_schedule_reduce(struct co_mpi_schedule *s, const void *in, void *inout, MPI_Count n,
			    MPI_Datatype type, MPI_Op op);
void co_mpi_schedule_call(struct co_mpi_schedule *s, int (*call)(void *arg), void *arg);
/* Steps that are added later are in the next round. */
void co_mpi_schedule_then(struct co_mpi_schedule *s);
/*
 * With DEBUG=1: the description of the collective that is being made, for the comparison with the
 * calls of other ranks when it runs (agree.c). Each collective call of mpi.h begins with
 * CO_MPI_HERE().
 */
struct co_mpi_here {
	const char *call;
	const void *at;
	int root;        /* or MPI_UNDEFINED */
	MPI_Count bytes; /* -1: ranks may differ in it */
	bool known;
};
#ifdef CO_DEBUG
#define CO_MPI_COMPARES true
#else
#define CO_MPI_COMPARES false
#endif
extern struct co_mpi_here co_mpi_here;
#define CO_MPI_HERE()                                                           \
	(CO_MPI_COMPARES ? (void)(co_mpi_here.call = __func__ + 1,              \
				  co_mpi_here.at = __builtin_return_address(0)) \
			 : (void)0)
#define co_mpi_schedule_is(comm, root, bytes) \
	(CO_MPI_COMPARES && !(comm)->remote ? co_mpi_schedule_says(root, bytes) : (void)0)
/* A schedule for a call that gives root and bytes; `bytes` is evaluated only with DEBUG=1. */
#define co_mpi_schedule_for(comm, request, root, bytes) \
	(co_mpi_schedule_is(comm, root, bytes), co_mpi_schedule_new(comm, !(request)))
static inline void co_mpi_schedule_says(int root, MPI_Count bytes)
{
	co_mpi_here.root = root;
	co_mpi_here.bytes = bytes;
	co_mpi_here.known = true;
}

int co_mpi_agree(MPI_Comm comm, uint32_t number); /* a class */
/*
 * Run a schedule to its end (request NULL), or begin it. It is freed in any case, now or at its
 * end.
 * @param s  NULL: there was no memory for it
 */
int co_mpi_schedule_run(struct co_mpi_schedule *s, MPI_Request *request);

/* ---- For the wait ---- */

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
