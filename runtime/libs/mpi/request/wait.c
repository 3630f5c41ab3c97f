/* wait.c - waits and tests for requests, and the results of requests that have ended. */
#include <errno.h>
#include <stdlib.h>

#include <cohart/cohart.h>

#include "request.h"

static void give_status(const struct co_mpi_request *r, MPI_Status *status)
{
	if (r)
		co_mpi_give_status(status, &r->status);
	else if (status != MPI_STATUS_IGNORE)
		*status = CO_MPI_EMPTY_STATUS;
}

/* The communicator, with a reference, of the first request that failed: its handler is called. */
static MPI_Comm blamed;

/* Report an error to the handler of `blamed`, to which no other reference may be left. */
static int report(const char *call, int code)
{
	MPI_Comm comm = blamed;

	blamed = NULL;
	code = co_mpi_error(comm, call, code);
	if (comm)
		co_mpi_comm_put(comm);
	return code;
}

static int check_requests(int n, MPI_Request const requests[])
{
	if (n < 0)
		return co_mpi_say(MPI_ERR_ARG, "%d requests", n);
	for (int i = 0; i < n; i++) {
		if (requests[i] && !co_mpi_is(requests[i], CO_MPI_IS_REQUEST))
			return co_mpi_say(MPI_ERR_REQUEST, "number %d is none, or was freed", i);
	}
	return MPI_SUCCESS;
}

/*
 * Give the program the status of a request that has ended, and return its error. A persistent
 * request can be started again, any other is freed.
 */
static int finish_request(MPI_Request *request, MPI_Status *status)
{
	MPI_Request r = *request;
	int e = r->error;

	if (r->user) {
		e = r->user->query(r->user->state, &r->status);
		if (r->user->free) {
			int failed = r->user->free(r->user->state);

			e = e ? e : failed;
		}
		free(r->user);
	}
	give_status(r, status);
	if (e && r->comm && !blamed) {
		blamed = r->comm;
		blamed->references++;
	}
	r->active = r->ended = false;
	if (!r->persistent) {
		*request = MPI_REQUEST_NULL;
		co_mpi_request_put(r);
	}
	return e;
}

/* Finish one of several requests: its error is in its status. */
static int finish_one(MPI_Request *request, MPI_Status *status)
{
	int e = finish_request(request, status);

	if (status != MPI_STATUS_IGNORE)
		status->MPI_ERROR = e;
	return e ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

static MPI_Status *nth(MPI_Status statuses[], int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Let requests, and other coroutines of this hart, go on while the program polls. */
static int look_at_all(void)
{
	int e = co_mpi_progress();

	if (!e)
		co_pause();
	return e;
}

/* ---- One ---- */

CO_MPI_DEFINE(Wait, MPI_Request *request, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(1, request));
	int e = check_requests(1, request);

	if (!e && co_mpi_is_none(*request)) {
		give_status(NULL, status);
		return MPI_SUCCESS;
	}
	if (!e)
		e = co_mpi_request_wait(*request);
	if (!e)
		e = finish_request(request, status);
	return report(__func__, e);
}

CO_MPI_DEFINE(Test, MPI_Request *request, int *flag, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(1, request));
	int e = check_requests(1, request);

	*flag = 0;
	if (!e && co_mpi_is_none(*request)) {
		*flag = 1;
		give_status(NULL, status);
		return MPI_SUCCESS;
	}
	if (!e) {
		if (!co_mpi_request_poll(*request))
			e = look_at_all();
		*flag = !e && co_mpi_request_poll(*request);
	}
	if (*flag)
		e = finish_request(request, status);
	return report(__func__, e);
}

CO_MPI_DEFINE(Request_get_status, MPI_Request request, int *flag, MPI_Status *status)
{
	int e = check_requests(1, &request);

	*flag = 1;
	if (!e && !co_mpi_is_none(request)) {
		e = look_at_all();
		*flag = !e && co_mpi_request_poll(request);
		if (*flag && request->user)
			e = request->user->query(request->user->state, &request->status);
	}
	if (!e && *flag)
		give_status(co_mpi_is_none(request) ? NULL : request, status);
	return report(__func__, e);
}

/* ---- Several ---- */

/* How many of the active requests have ended; *active: how many are active. */
static int count_active(int n, MPI_Request const requests[], int *active)
{
	int ended = 0;

	*active = 0;
	for (int i = 0; i < n; i++) {
		if (co_mpi_is_none(requests[i]))
			continue;
		++*active;
		ended += co_mpi_request_poll(requests[i]);
	}
	return ended;
}

/* Finish requests that all have ended, and give their statuses. */
static int finish_all(int n, MPI_Request requests[], MPI_Status statuses[])
{
	int e = MPI_SUCCESS;

	for (int i = 0; i < n; i++) {
		if (co_mpi_is_none(requests[i])) {
			give_status(NULL, nth(statuses, i));
			if (statuses)
				statuses[i].MPI_ERROR = MPI_SUCCESS;
		} else if (finish_one(&requests[i], nth(statuses, i))) {
			e = MPI_ERR_IN_STATUS;
		}
	}
	return e;
}

CO_MPI_DEFINE(Waitall, int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(count, array_of_requests));
	int e = check_requests(count, array_of_requests);

	for (int i = 0; !e && i < count; i++) {
		if (!co_mpi_is_none(array_of_requests[i]))
			e = co_mpi_request_wait(array_of_requests[i]);
	}
	if (!e)
		e = finish_all(count, array_of_requests, array_of_statuses);
	return report(__func__, e);
}

CO_MPI_DEFINE(Testall, int count, MPI_Request array_of_requests[], int *flag,
	      MPI_Status array_of_statuses[])
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(count, array_of_requests));
	int e = check_requests(count, array_of_requests), active;

	*flag = 0;
	if (!e && count_active(count, array_of_requests, &active) < active)
		e = look_at_all();
	if (!e)
		*flag = count_active(count, array_of_requests, &active) == active;
	if (*flag)
		e = finish_all(count, array_of_requests, array_of_statuses);
	return report(__func__, e);
}

/* Finish the first request that has ended; *which is -1 if no request has. */
static int finish_first(int n, MPI_Request requests[], MPI_Status *status, int *which)
{
	for (int i = 0; i < n; i++) {
		if (co_mpi_is_none(requests[i]) || !co_mpi_request_poll(requests[i]))
			continue;
		*which = i;
		return finish_request(&requests[i], status);
	}
	*which = -1;
	return MPI_SUCCESS;
}

static int none_of(int n, MPI_Request const requests[], int *which, MPI_Status *status)
{
	int active;

	count_active(n, requests, &active);
	if (active)
		return false;
	*which = MPI_UNDEFINED;
	give_status(NULL, status);
	return true;
}

CO_MPI_DEFINE(Waitany, int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(count, array_of_requests));
	int e = check_requests(count, array_of_requests);

	if (!e && none_of(count, array_of_requests, index, status))
		return MPI_SUCCESS;
	if (!e)
		e = co_mpi_wait_any(array_of_requests, count);
	if (!e)
		e = finish_first(count, array_of_requests, status, index);
	return report(__func__, e);
}

CO_MPI_DEFINE(Testany, int count, MPI_Request array_of_requests[], int *index, int *flag,
	      MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(count, array_of_requests));
	int e = check_requests(count, array_of_requests);

	*flag = 1;
	if (!e && none_of(count, array_of_requests, index, status))
		return MPI_SUCCESS;
	if (!e)
		e = look_at_all();
	if (!e)
		e = finish_first(count, array_of_requests, status, index);
	if (!e && *index < 0) {
		*flag = 0;
		*index = MPI_UNDEFINED;
	}
	return report(__func__, e);
}

/* Finish all requests that have ended. */
static int finish_some(int n, MPI_Request requests[], int *ended, int which[],
		       MPI_Status statuses[])
{
	int e = MPI_SUCCESS;

	*ended = 0;
	for (int i = 0; i < n; i++) {
		if (co_mpi_is_none(requests[i]) || !co_mpi_request_poll(requests[i]))
			continue;
		if (finish_one(&requests[i], nth(statuses, *ended)))
			e = MPI_ERR_IN_STATUS;
		which[(*ended)++] = i;
	}
	return e;
}

CO_MPI_DEFINE(Waitsome, int incount, MPI_Request array_of_requests[], int *outcount,
	      int array_of_indices[], MPI_Status array_of_statuses[])
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(incount, array_of_requests));
	int e = check_requests(incount, array_of_requests);

	if (!e && none_of(incount, array_of_requests, outcount, MPI_STATUS_IGNORE))
		return MPI_SUCCESS;
	if (!e)
		e = co_mpi_wait_any(array_of_requests, incount);
	if (!e)
		e = finish_some(incount, array_of_requests, outcount, array_of_indices,
				array_of_statuses);
	return report(__func__, e);
}

CO_MPI_DEFINE(Testsome, int incount, MPI_Request array_of_requests[], int *outcount,
	      int array_of_indices[], MPI_Status array_of_statuses[])
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(incount, array_of_requests));
	int e = check_requests(incount, array_of_requests);

	if (!e && none_of(incount, array_of_requests, outcount, MPI_STATUS_IGNORE))
		return MPI_SUCCESS;
	if (!e)
		e = look_at_all();
	if (!e)
		e = finish_some(incount, array_of_requests, outcount, array_of_indices,
				array_of_statuses);
	return report(__func__, e);
}

/* ---- Otherwise ---- */

/* Requests of collectives and of accesses to windows are neither cancelled nor freed. */
static int check_may_drop(MPI_Request r)
{
	if (!co_mpi_is(r, CO_MPI_IS_REQUEST))
		return co_mpi_say(MPI_ERR_REQUEST, "none, or freed");
	if (r->kind != CO_MPI_SCHEDULE && r->kind != CO_MPI_ACCESS)
		return MPI_SUCCESS;
	blamed = r->comm;
	if (blamed)
		blamed->references++;
	return co_mpi_say(MPI_ERR_REQUEST, "it is %s: wait for it",
			  r->kind == CO_MPI_SCHEDULE ? "a collective's" : "of a window");
}

CO_MPI_DEFINE(Request_free, MPI_Request *request)
{
	MPI_Request r = *request;
	int e = check_may_drop(r);

	if (e)
		return report(__func__, e);
	*request = MPI_REQUEST_NULL;
	r->persistent = false;
	if (!r->active)
		co_mpi_request_put(r);
	else if (r->user && r->ended)
		e = finish_request(&r, MPI_STATUS_IGNORE);
	else if (r->user)
		r->freed = true; /* until MPI_Grequest_complete() */
	else
		co_mpi_request_orphan(r);
	return report(__func__, e);
}

/* A receive that has not matched is cancelled; a send cannot be withdrawn. */
CO_MPI_DEFINE(Cancel, MPI_Request *request)
{
	MPI_Request r = *request;
	int e = check_may_drop(r);

	if (!e && co_mpi_is_none(r))
		e = co_mpi_say(MPI_ERR_REQUEST, "not under way");
	if (!e && r->user) {
		e = r->user->cancel ? r->user->cancel(r->user->state, r->ended) : MPI_SUCCESS;
	} else if (!e && r->kind == CO_MPI_RECV) {
		e = co_mpi_progress(); /* a message that has come for it has matched now */
		if (!e && !co_mpi_request_poll(r))
			r->cancelled = co_message_cancel(co_mpi.me, &r->message) == 0;
	}
	return report(__func__, e);
}

CO_MPI_DEFINE(Test_cancelled, const MPI_Status *status, int *flag)
{
	*flag = status->cancelled;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Status_set_cancelled, MPI_Status *status, int flag)
{
	status->cancelled = flag;
	return MPI_SUCCESS;
}

/* ---- Generalised requests ---- */

CO_MPI_DEFINE(Grequest_start, MPI_Grequest_query_function *query_fn,
	      MPI_Grequest_free_function *free_fn, MPI_Grequest_cancel_function *cancel_fn,
	      void *extra_state, MPI_Request *request)
{
	MPI_Request r = co_mpi_request_new(CO_MPI_USER, NULL);

	if (r)
		r->user = malloc(sizeof(*r->user));
	if (!r || !r->user) {
		if (r)
			co_mpi_request_put(r);
		return co_mpi_error(NULL, __func__, MPI_ERR_NO_MEM);
	}
	*r->user = (struct co_mpi_user){ query_fn, free_fn, cancel_fn, extra_state };
	r->active = true;
	*request = r;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Grequest_complete, MPI_Request request)
{
	if (!co_mpi_is(request, CO_MPI_IS_REQUEST) || !request->user || request->ended)
		return co_mpi_error(
			NULL, __func__,
			co_mpi_say(MPI_ERR_REQUEST, "no generalised one that is under way"));
	request->ended = true;
	if (request->freed)
		return co_mpi_error(NULL, __func__, finish_request(&request, MPI_STATUS_IGNORE));
	return MPI_SUCCESS;
}
