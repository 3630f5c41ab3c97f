/* p2p.c - sends, receives, and requests of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "p2p.h"

#define SEND_PARAMETERS \
	const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm
#define RECV_PARAMETERS \
	void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm

/* ---- Checks ---- */

/* With MPI_PROC_NULL nothing else is checked. */
static int check_send(SEND_PARAMETERS)
{
	int r = co_mpi_check_comm(comm);

	if (r || dest == MPI_PROC_NULL)
		return r;
	r = co_mpi_check_buffer(buf, count, datatype);
	if (!r)
		r = co_mpi_check_rank(comm, dest);
	return r ? r : co_mpi_check_tag(tag);
}

int co_mpi_check_from(int source, int tag, MPI_Comm comm)
{
	int r = co_mpi_check_comm(comm);

	if (!r && source != MPI_ANY_SOURCE)
		r = co_mpi_check_rank(comm, source);
	return r || tag == MPI_ANY_TAG ? r : co_mpi_check_tag(tag);
}

static int check_recv(RECV_PARAMETERS)
{
	int r = co_mpi_check_from(source, tag, comm);

	return r || source == MPI_PROC_NULL ? r : co_mpi_check_buffer(buf, count, datatype);
}

/* ---- Requests ---- */

/* Make a request of a call's arguments. */
static MPI_Request make_request(enum co_mpi_kind kind, const void *buf, MPI_Count n,
				MPI_Datatype datatype, int peer, int tag, MPI_Comm comm)
{
	MPI_Request r = co_mpi_request_new(kind, comm);

	if (!r)
		return NULL;
	r->buf = (void *)buf;
	r->count = n;
	r->type = peer == MPI_PROC_NULL ? NULL : co_mpi_type_get(datatype);
	r->peer = peer;
	r->tag = tag;
	return r;
}

/* ---- Buffered sends: a request that the program does not know sends a copy ---- */

static struct {
	void *base;
	size_t bytes, used; /* the copies are on the heap, and counted */
} attached;

static void give_back_request(MPI_Request r)
{
	attached.used -= (size_t)r->buffered;
}

/* Have the request send a copy of its data, which it has until it ends. Returns a class. */
static int copy_data(MPI_Request r)
{
	r->packed = malloc((size_t)(r->type->size * r->count) + 1);
	if (!r->packed)
		return MPI_ERR_NO_MEM;
	co_mpi_pack(r->buf, r->count, r->type, r->packed);
	return MPI_SUCCESS;
}

/*
 * Send a copy of the request's data. The request is the library's own then; `at_end` subtracts the
 * bytes that it is counted for.
 */
static int send_copy(MPI_Request r, size_t counted, void (*at_end)(MPI_Request r))
{
	int e = copy_data(r);

	if (!e)
		e = co_mpi_begin(r, co_mpi_world_of(r->comm, r->peer), (uint32_t)r->tag,
				 r->comm->context);
	if (e) {
		co_mpi_request_put(r);
		return e;
	}
	r->buffered = (MPI_Count)counted;
	r->at_end = at_end;
	co_mpi_request_orphan(r);
	return MPI_SUCCESS;
}

static int begin_buffered(MPI_Request of)
{
	size_t need = (size_t)(of->type->size * of->count) + MPI_BSEND_OVERHEAD;
	MPI_Request r;
	int e;

	co_mpi_progress();
	if (need > attached.bytes - attached.used)
		return co_mpi_say(MPI_ERR_BUFFER, "%zu bytes, and %zu of %zu are free", need,
				  attached.bytes - attached.used, attached.bytes);
	r = make_request(CO_MPI_SEND, of->buf, of->count, of->type, of->peer, of->tag, of->comm);
	e = r ? send_copy(r, need, give_back_request) : MPI_ERR_NO_MEM;
	if (e)
		return e;
	attached.used += need;
	of->active = of->ended = true;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Buffer_attach, void *buffer, int size)
{
	int e = MPI_SUCCESS;

	if (size < 0)
		e = co_mpi_say(MPI_ERR_ARG, "%d bytes", size);
	else if (attached.base || (!buffer && size))
		e = co_mpi_say(MPI_ERR_BUFFER, buffer ? "there is one" : "it is NULL");
	if (e)
		return co_mpi_error(NULL, __func__, e);
	attached.base = buffer;
	attached.bytes = (size_t)size;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Buffer_detach, void *buffer_addr, int *size)
{
	int e = co_mpi_requests_end(give_back_request);

	if (e)
		return co_mpi_error(NULL, __func__, e);
	memcpy(buffer_addr, &attached.base, sizeof(attached.base));
	*size = (int)attached.bytes;
	attached.base = NULL;
	attached.bytes = 0;
	return MPI_SUCCESS;
}

/* ---- Beginning ---- */

static int begin_request(MPI_Request r)
{
	if (r->peer == MPI_PROC_NULL) {
		co_mpi_set_no_proc(&r->status);
		r->active = r->ended = true;
		return MPI_SUCCESS;
	}
	if (r->kind == CO_MPI_SEND && r->mode == CO_MPI_BUFFERED)
		return begin_buffered(r);
	return co_mpi_begin(r, co_mpi_world_of(r->comm, r->peer), (uint32_t)r->tag,
			    r->comm->context);
}

/* Begin a new request, unless it is persistent, and hand it out. */
static int start(MPI_Request r, enum co_mpi_mode mode, bool persistent, MPI_Request *request)
{
	int e = r ? MPI_SUCCESS : MPI_ERR_NO_MEM;

	if (r) {
		r->mode = mode;
		r->persistent = persistent;
		if (!persistent)
			e = begin_request(r);
		if (e)
			co_mpi_request_put(r);
		else
			*request = r;
	}
	return e;
}

static int start_send(SEND_PARAMETERS, enum co_mpi_mode mode, bool persistent, MPI_Request *request,
		      const char *call)
{
	CO_MPI_SLICE(call, co_mpi_tell(dest, tag, co_mpi_bytes(count, datatype)));
	int e = check_send(buf, count, datatype, dest, tag, comm);

	if (!e)
		e = start(make_request(CO_MPI_SEND, buf, count, datatype, dest, tag, comm), mode,
			  persistent, request);
	return co_mpi_error(comm, call, e);
}

#define START_SEND(name, mode, persistent)                                                 \
	int PMPI_##name(SEND_PARAMETERS, MPI_Request *request)                             \
	{                                                                                  \
		return start_send(buf, count, datatype, dest, tag, comm, mode, persistent, \
				  request, __func__);                                      \
	}                                                                                  \
	CO_MPI_NAME(name)

START_SEND(Isend, CO_MPI_STANDARD, false);
START_SEND(Ibsend, CO_MPI_BUFFERED, false);
START_SEND(Issend, CO_MPI_SYNC, false);
START_SEND(Irsend, CO_MPI_STANDARD, false);
START_SEND(Send_init, CO_MPI_STANDARD, true);
START_SEND(Bsend_init, CO_MPI_BUFFERED, true);
START_SEND(Ssend_init, CO_MPI_SYNC, true);
START_SEND(Rsend_init, CO_MPI_STANDARD, true);

static int start_recv(RECV_PARAMETERS, bool persistent, MPI_Request *request, const char *call)
{
	CO_MPI_SLICE(call, co_mpi_tell(source, tag, co_mpi_bytes(count, datatype)));
	int e = check_recv(buf, count, datatype, source, tag, comm);

	if (!e)
		e = start(make_request(CO_MPI_RECV, buf, count, datatype, source, tag, comm),
			  CO_MPI_STANDARD, persistent, request);
	return co_mpi_error(comm, call, e);
}

CO_MPI_DEFINE(Irecv, RECV_PARAMETERS, MPI_Request *request)
{
	return start_recv(buf, count, datatype, source, tag, comm, false, request, __func__);
}

CO_MPI_DEFINE(Recv_init, RECV_PARAMETERS, MPI_Request *request)
{
	return start_recv(buf, count, datatype, source, tag, comm, true, request, __func__);
}

CO_MPI_DEFINE(Start, MPI_Request *request)
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(1, request));
	MPI_Request r = *request;
	int e;

	if (!co_mpi_is(r, CO_MPI_IS_REQUEST) || !r->persistent || r->active)
		return co_mpi_error(
			NULL, __func__,
			co_mpi_say(MPI_ERR_REQUEST, "not a persistent one, or under way"));
	e = begin_request(r);
	return co_mpi_error(r->comm, __func__, e);
}

CO_MPI_DEFINE(Startall, int count, MPI_Request array_of_requests[])
{
	CO_MPI_SLICE(__func__, co_mpi_tell_requests(count, array_of_requests));
	int e = MPI_SUCCESS;

	if (count < 0)
		e = co_mpi_error(NULL, __func__, co_mpi_say(MPI_ERR_ARG, "%d requests", count));
	for (int i = 0; !e && i < count; i++)
		e = PMPI_Start(&array_of_requests[i]);
	return e;
}

/* ---- Waiting: without a request where nothing else is under way ---- */

static int run_to_end(MPI_Request r, enum co_mpi_mode mode, MPI_Status *status)
{
	MPI_Request begun;
	int e = start(r, mode, false, &begun);

	if (e)
		return e;
	e = co_mpi_request_wait(begun);
	e = e ? e : begun->error;
	co_mpi_give_status(status, &begun->status);
	co_mpi_request_drop(begun);
	return e;
}

/* The library's own messages. */
static int run_own(enum co_mpi_kind kind, const void *buf, MPI_Count n, MPI_Datatype datatype,
		   int world, uint32_t tag, uint32_t context)
{
	MPI_Request r = make_request(kind, buf, n, datatype, world, (int)tag, NULL);
	int e = r ? co_mpi_begin(r, (unsigned)world, tag, context) : MPI_ERR_NO_MEM;

	if (!e) {
		e = co_mpi_request_wait(r);
		e = e ? e : r->error;
	}
	if (r)
		co_mpi_request_drop(r);
	return e;
}

int co_mpi_send(const void *buf, MPI_Count n, MPI_Datatype datatype, int world, uint32_t tag,
		uint32_t context)
{
	if (!datatype->plain || co_mpi_schedules_busy())
		return run_own(CO_MPI_SEND, buf, n, datatype, world, tag, context);
	return co_mpi_class(co_message_send(co_mpi.me, (unsigned)world, tag, context,
					    co_mpi_type_data(datatype, buf),
					    (size_t)(n * datatype->size)));
}

int co_mpi_recv(void *buf, MPI_Count n, MPI_Datatype datatype, int world, uint32_t tag,
		uint32_t context)
{
	if (!datatype->plain || co_mpi_schedules_busy())
		return run_own(CO_MPI_RECV, buf, n, datatype, world, tag, context);
	return co_mpi_class(co_message_recv(co_mpi.me, (unsigned)world, tag, context,
					    co_mpi_type_data(datatype, buf),
					    (size_t)(n * datatype->size), NULL));
}

/* Bytes of packed copies that are under way without the program's knowledge. */
static size_t copies;

static void copy_has_gone(MPI_Request r)
{
	copies -= (size_t)r->buffered;
}

/*
 * Send by a request: data that has to be packed, or any data while collectives are under way. A
 * short message need not wait for its receiver, as in a send without a request: the packed copy
 * stays until it is fetched.
 */
static int send_by_request(MPI_Request r, enum co_mpi_mode mode)
{
	size_t bytes = r ? (size_t)(r->type->size * r->count) : 0;
	int e;

	if (!r || mode != CO_MPI_STANDARD || bytes > CO_MESSAGE_KEPT ||
	    copies + bytes > co_message_kept_most())
		return run_to_end(r, mode, MPI_STATUS_IGNORE);
	e = send_copy(r, bytes, copy_has_gone);
	if (e)
		return e;
	copies += bytes;
	return co_mpi_progress();
}

/*
 * Are all arguments valid, and is no request needed? Then one call of cohart/message.h suffices.
 * `any`: MPI_ANY_SOURCE and MPI_ANY_TAG are valid, too.
 */
static inline __attribute__((always_inline)) bool
is_simple(const void *buf, int n, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm, bool any)
{
	return co_mpi.quick && co_mpi_is(comm, CO_MPI_IS_COMM) &&
	       ((unsigned)peer < (unsigned)comm->reach || (any && peer == MPI_ANY_SOURCE)) &&
	       ((unsigned)tag <= CO_MPI_TAG_MAX || (any && tag == MPI_ANY_TAG)) && n >= 0 &&
	       co_mpi_is_buffer(buf) && datatype && datatype->simple == CO_MPI_IS_SIMPLE;
}

/* The call; a class. */
static inline __attribute__((always_inline)) int send_simply(SEND_PARAMETERS)
{
	return co_mpi_class(co_message_send(
		co_mpi.quick, co_mpi_world_of(comm, dest), (uint32_t)tag, comm->context,
		co_mpi_type_data(datatype, buf), (size_t)(count * datatype->size)));
}

static __attribute__((noinline)) int send_now(SEND_PARAMETERS, enum co_mpi_mode mode,
					      const char *call)
{
	CO_MPI_SLICE(call, co_mpi_tell(dest, tag, co_mpi_bytes(count, datatype)));
	int e = check_send(buf, count, datatype, dest, tag, comm);

	if (mode == CO_MPI_STANDARD && is_simple(buf, count, datatype, dest, tag, comm, false))
		e = send_simply(buf, count, datatype, dest, tag, comm);
	else if (!e && dest != MPI_PROC_NULL)
		e = send_by_request(
			make_request(CO_MPI_SEND, buf, count, datatype, dest, tag, comm), mode);
	return co_mpi_error(comm, call, e);
}

static inline __attribute__((always_inline)) int send_standard(SEND_PARAMETERS, const char *call)
{
	if (!is_simple(buf, count, datatype, dest, tag, comm, false))
		return send_now(buf, count, datatype, dest, tag, comm, CO_MPI_STANDARD, call);
	return co_mpi_error(comm, call, send_simply(buf, count, datatype, dest, tag, comm));
}

CO_MPI_DEFINE(Send, SEND_PARAMETERS)
{
	return send_standard(buf, count, datatype, dest, tag, comm, __func__);
}

CO_MPI_DEFINE(Rsend, SEND_PARAMETERS)
{
	return send_standard(buf, count, datatype, dest, tag, comm, __func__);
}

CO_MPI_DEFINE(Ssend, SEND_PARAMETERS)
{
	return send_now(buf, count, datatype, dest, tag, comm, CO_MPI_SYNC, __func__);
}

CO_MPI_DEFINE(Bsend, SEND_PARAMETERS)
{
	return send_now(buf, count, datatype, dest, tag, comm, CO_MPI_BUFFERED, __func__);
}

/* The call; a class. */
static inline __attribute__((always_inline)) int recv_simply(RECV_PARAMETERS, MPI_Status *status)
{
	size_t room = (size_t)(count * datatype->size);
	struct co_message_info got;
	int r;

	r = co_message_recv(co_mpi.quick, co_mpi_world_of(comm, source), (uint32_t)tag,
			    comm->context, co_mpi_type_data(datatype, buf), room,
			    status == MPI_STATUS_IGNORE ? NULL : &got);
	if (status != MPI_STATUS_IGNORE && (!r || r == -EMSGSIZE)) {
		got.bytes = got.bytes < room ? got.bytes : room;
		co_mpi_set_status(status, comm, &got);
	}
	return co_mpi_class(r);
}

static __attribute__((noinline)) int recv_now(RECV_PARAMETERS, MPI_Status *status, const char *call)
{
	CO_MPI_SLICE(call, co_mpi_tell(source, tag, co_mpi_bytes(count, datatype)));
	int e = check_recv(buf, count, datatype, source, tag, comm);

	if (is_simple(buf, count, datatype, source, tag, comm, true))
		e = recv_simply(buf, count, datatype, source, tag, comm, status);
	else if (!e && source == MPI_PROC_NULL)
		co_mpi_set_no_proc(status);
	else if (!e)
		e = run_to_end(make_request(CO_MPI_RECV, buf, count, datatype, source, tag, comm),
			       CO_MPI_STANDARD, status);
	return co_mpi_error(comm, call, e);
}

/* Apart, so that other receives have no room for a struct co_message_info. */
static __attribute__((noinline)) int recv_with_status(RECV_PARAMETERS, MPI_Status *status,
						      const char *call)
{
	return co_mpi_error(comm, call,
			    recv_simply(buf, count, datatype, source, tag, comm, status));
}

CO_MPI_DEFINE(Recv, RECV_PARAMETERS, MPI_Status *status)
{
	if (!is_simple(buf, count, datatype, source, tag, comm, true))
		return recv_now(buf, count, datatype, source, tag, comm, status, __func__);
	if (status != MPI_STATUS_IGNORE)
		return recv_with_status(buf, count, datatype, source, tag, comm, status, __func__);
	return co_mpi_error(comm, __func__,
			    recv_simply(buf, count, datatype, source, tag, comm, NULL));
}

/* Begin the receive before the send, so that two ranks that exchange do not wait for each other. */
static int exchange(MPI_Request recv, MPI_Request send, MPI_Status *status)
{
	MPI_Request r = MPI_REQUEST_NULL;
	int e;

	if (!recv || !send) { /* no memory: nothing is sent or received */
		if (recv)
			co_mpi_request_put(recv);
		if (send)
			co_mpi_request_put(send);
		return MPI_ERR_NO_MEM;
	}
	e = start(recv, CO_MPI_STANDARD, false, &r);
	if (e) {
		co_mpi_request_put(send);
		return e;
	}
	e = run_to_end(send, CO_MPI_STANDARD, MPI_STATUS_IGNORE);
	if (!e)
		e = co_mpi_request_wait(r);
	e = e ? e : r->error;
	co_mpi_give_status(status, &r->status);
	co_mpi_request_drop(r);
	return e;
}

CO_MPI_DEFINE(Sendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
	      int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
	      int recvtag, MPI_Comm comm, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, (co_mpi_tell(dest, sendtag, co_mpi_bytes(sendcount, sendtype)),
				co_mpi_tell_from(source)));
	int e = check_send(sendbuf, sendcount, sendtype, dest, sendtag, comm);

	if (!e)
		e = check_recv(recvbuf, recvcount, recvtype, source, recvtag, comm);
	if (!e)
		e = exchange(make_request(CO_MPI_RECV, recvbuf, recvcount, recvtype, source,
					  recvtag, comm),
			     make_request(CO_MPI_SEND, sendbuf, sendcount, sendtype, dest, sendtag,
					  comm),
			     status);
	return co_mpi_error(comm, __func__, e);
}

CO_MPI_DEFINE(Sendrecv_replace, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	      int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, (co_mpi_tell(dest, sendtag, co_mpi_bytes(count, datatype)),
				co_mpi_tell_from(source)));
	int e = check_send(buf, count, datatype, dest, sendtag, comm);
	MPI_Request send;

	if (!e)
		e = check_recv(buf, count, datatype, source, recvtag, comm);
	if (e)
		return co_mpi_error(comm, __func__, e);
	send = make_request(CO_MPI_SEND, buf, count, datatype, dest, sendtag, comm);
	if (send && dest != MPI_PROC_NULL && copy_data(send)) {
		co_mpi_request_put(send);
		send = NULL; /* no memory */
	}
	e = exchange(make_request(CO_MPI_RECV, buf, count, datatype, source, recvtag, comm), send,
		     status);
	return co_mpi_error(comm, __func__, e);
}
