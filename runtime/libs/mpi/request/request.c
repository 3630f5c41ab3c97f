/*
 * request.c - requests: how each kind of request begins, goes on and ends, and the wait for one
 * while all other requests go on.
 *
 * Point-to-point requests go on by themselves while this rank is in any call of cohart/message.h.
 * Listed schedules (collectives) go on only in co_mpi_schedules_advance(). So a wait calls that
 * first, and then waits for the end of any message that it knows: of the requests that it was
 * called for, and of all schedules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "schedule.h"

#define SPARES 16

static MPI_Request spares; /* freed requests, for new requests */
static unsigned n_spares;
/* Freed by the program before they had ended, or buffered: taken at the front, put at the end. */
static MPI_Request orphans, *orphans_end = &orphans;
static unsigned n_orphans;

MPI_Request co_mpi_request_new(enum co_mpi_kind kind, MPI_Comm comm)
{
	MPI_Request r = spares;

	if (r) {
		spares = r->next;
		n_spares--;
	} else {
		r = malloc(sizeof(*r));
		if (!r)
			return NULL;
	}
	memset(r, 0, offsetof(struct co_mpi_request, message) + sizeof(r->message.state));
	r->magic = CO_MPI_IS_REQUEST;
	r->kind = kind;
	r->comm = comm;
	r->status = CO_MPI_EMPTY_STATUS;
	if (comm)
		comm->references++;
	return r;
}

void co_mpi_request_put(MPI_Request r)
{
	if (r->type)
		co_mpi_type_put(r->type);
	if (r->comm)
		co_mpi_comm_put(r->comm);
	if (r->packed)
		free(r->packed);
	co_mpi_unmark(&r->magic);
	if (n_spares == SPARES) {
		free(r);
		return;
	}
	r->next = spares;
	spares = r;
	n_spares++;
}

int co_mpi_request_ready(MPI_Request *request)
{
	MPI_Request r = co_mpi_request_new(CO_MPI_READY, NULL);

	if (!r)
		return MPI_ERR_NO_MEM;
	r->active = true;
	r->ended = true;
	*request = r;
	return MPI_SUCCESS;
}

/* ---- Messages ---- */

static bool is_message(MPI_Request r)
{
	return r->kind == CO_MPI_SEND || r->kind == CO_MPI_RECV;
}

static int begin_send(MPI_Request r, unsigned world, uint32_t tag, uint32_t context)
{
	size_t bytes = (size_t)(r->type->size * r->count);
	const void *data = r->packed;
	int e;

	if (!data) {
		data = co_mpi_type_data(r->type, r->buf);
		if (!r->type->plain && bytes) {
			r->packed = malloc(bytes);
			if (!r->packed)
				return MPI_ERR_NO_MEM;
			co_mpi_pack(r->buf, r->count, r->type, r->packed);
			data = r->packed;
		}
	}
	e = (r->mode == CO_MPI_SYNC ? co_message_send_sync_start : co_message_send_start)(
		co_mpi.me, world, tag, context, data, bytes, &r->message);
	return co_mpi_class(e);
}

static int begin_recv(MPI_Request r, unsigned world, uint32_t tag, uint32_t context)
{
	size_t room = (size_t)(r->type->size * r->count);
	void *data = co_mpi_type_data(r->type, r->buf);

	if (!r->type->plain && room) {
		data = r->packed = malloc(room);
		if (!data)
			return MPI_ERR_NO_MEM;
	}
	return co_mpi_class(
		co_message_recv_start(co_mpi.me, world, tag, context, data, room, &r->message));
}

int co_mpi_begin(MPI_Request r, unsigned world, uint32_t tag, uint32_t context)
{
	int e;

	r->status = CO_MPI_EMPTY_STATUS;
	r->error = MPI_SUCCESS;
	r->cancelled = r->ended = false;
	e = (r->kind == CO_MPI_SEND ? begin_send : begin_recv)(r, world, tag, context);
	r->active = e == MPI_SUCCESS;
	if (e) {
		free(r->packed);
		r->packed = NULL;
	}
	return e;
}

static void end_recv(MPI_Request r, int error)
{
	const struct co_message_info *got = &r->message.got;
	MPI_Count room = r->type->size * r->count;

	if (r->cancelled && error == -ECANCELED) {
		r->status.cancelled = 1;
		r->error = MPI_SUCCESS;
		return;
	}
	if (error && error != -EMSGSIZE)
		return;
	if (r->comm)
		r->status.MPI_SOURCE = co_mpi_group_find(r->comm->peers, (int)got->rank);
	r->status.MPI_TAG = (int)got->tag;
	r->status.bytes = (MPI_Count)got->bytes < room ? (MPI_Count)got->bytes : room;
	if (r->packed)
		co_mpi_unpack(r->packed, r->status.bytes, r->buf, r->count, r->type);
}

/* End a request whose message has ended with `error`. */
static void end(MPI_Request r, int error)
{
	r->error = co_mpi_class(error);
	r->ended = true;
	if (r->kind == CO_MPI_RECV)
		end_recv(r, error);
	free(r->packed);
	r->packed = NULL;
}

void co_mpi_tell_requests(int n, MPI_Request const requests[])
{
	MPI_Count bytes = 0;

	for (int i = 0; i < n; i++) {
		const struct co_mpi_request *r = requests[i];

		if (co_mpi_is(r, CO_MPI_IS_REQUEST) && r->kind <= CO_MPI_RECV && r->type)
			bytes += r->count * r->type->size;
	}
	if (n == 1 && co_mpi_is(requests[0], CO_MPI_IS_REQUEST) && requests[0]->kind <= CO_MPI_RECV)
		co_mpi_tell(requests[0]->peer, requests[0]->tag, bytes);
	else
		co_mpi_tell(-1, -1, bytes);
}

bool co_mpi_request_poll(MPI_Request r)
{
	if (r->ended || !is_message(r))
		return r->ended;
	if (!co_message_ended(&r->message))
		return false;
	end(r, co_message_wait(co_mpi.me, &r->message));
	return true;
}

/* ---- Requests that nobody will wait for ---- */

static void add_orphan(MPI_Request r)
{
	r->next = NULL;
	*orphans_end = r;
	orphans_end = &r->next;
	n_orphans++;
}

static MPI_Request take_orphan(void)
{
	MPI_Request r = orphans;

	orphans = r->next;
	if (!orphans)
		orphans_end = &orphans;
	n_orphans--;
	return r;
}

/* Look at the first n: a request that has ended is put, another becomes the last of the list. */
static void drop_orphans(unsigned n)
{
	for (; n && orphans; n--) {
		MPI_Request r = take_orphan();

		if (!co_mpi_request_poll(r)) {
			add_orphan(r);
			continue;
		}
		if (r->at_end)
			r->at_end(r);
		co_mpi_request_put(r);
	}
}

/*
 * Blocking calls do not look at the list. Two looks for each request that is added keep it about
 * as short as the number of requests under way, whatever a program calls.
 */
void co_mpi_request_orphan(MPI_Request r)
{
	drop_orphans(2);
	add_orphan(r);
}

int co_mpi_requests_end(void (*at_end)(MPI_Request r))
{
	MPI_Request r = orphans;
	int e;

	while (r) {
		if (at_end && r->at_end != at_end) {
			r = r->next;
			continue;
		}
		e = co_mpi_request_wait(r);
		if (e)
			return e;
		drop_orphans(n_orphans);
		r = orphans; /* the list has changed */
	}
	return MPI_SUCCESS;
}

void co_mpi_request_drop(MPI_Request r)
{
	if (!r->active || r->ended) {
		co_mpi_request_put(r);
		return;
	}
	if (r->kind == CO_MPI_RECV)
		r->cancelled = co_message_cancel(co_mpi.me, &r->message) == 0;
	co_mpi_request_orphan(r);
}

int co_mpi_progress(void)
{
	int e = co_mpi_class(co_message_progress(co_mpi.me));

	if (!e)
		co_mpi_schedules_advance();
	if (orphans)
		drop_orphans(n_orphans);
	return e;
}

/* ---- The wait ---- */

/* The requests whose messages are waited for: these lists grow as needed, and stay. */
static MPI_Request *waited;
static struct co_message **messages;
static unsigned n_waited, room;

int co_mpi_wait_also(MPI_Request r)
{
	if (n_waited == room) {
		unsigned more = room ? 2 * room : 32;
		MPI_Request *w = realloc(waited, more * sizeof(MPI_Request));
		struct co_message **m = realloc(messages, more * sizeof(struct co_message *));

		waited = w ? w : waited;
		messages = m ? m : messages;
		if (!w || !m)
			return MPI_ERR_NO_MEM;
		room = more;
	}
	waited[n_waited] = r;
	messages[n_waited++] = &r->message;
	return MPI_SUCCESS;
}

/* Another coroutine of this rank ends a generalised request: let it run, and messages move on. */
static int look_again(void)
{
	int e = co_mpi_class(co_message_progress(co_mpi.me));

	co_pause();
	return e;
}

/* Wait until one of the listed messages has ended, and end its request. */
static int wait_for_listed(void)
{
	unsigned which = UINT32_MAX;
	int error;

	error = co_message_wait_any(co_mpi.me, messages, n_waited, &which);
	if (which >= n_waited)
		return co_mpi_class(error ? error : -EINVAL);
	end(waited[which], error);
	return MPI_SUCCESS;
}

static bool has_ended(const struct co_mpi_request *r)
{
	return co_mpi_is_none(r) || r->ended;
}

int co_mpi_wait_any(MPI_Request const r[], int n)
{
	for (;;) {
		int e = MPI_SUCCESS;
		bool polls = false;

		co_mpi_schedules_advance();
		n_waited = 0;
		for (int i = 0; !e && i < n; i++) {
			if (co_mpi_is_none(r[i]))
				continue;
			if (co_mpi_request_poll(r[i]))
				return MPI_SUCCESS;
			polls |= r[i]->kind == CO_MPI_USER;
			if (is_message(r[i]))
				e = co_mpi_wait_also(r[i]);
		}
		if (!e)
			e = co_mpi_schedules_list();
		if (!e)
			e = polls ? look_again() : wait_for_listed();
		if (e)
			return e;
	}
}

int co_mpi_wait_probe(unsigned world, uint32_t tag, uint32_t context)
{
	int r;

	n_waited = 0;
	if (co_mpi_schedules_list())
		return -ENOMEM;
	r = co_message_probe_or_any(co_mpi.me, world, tag, context, messages, n_waited);
	/* A schedule inside of a step cannot go on here: end requests that have ended, once. */
	for (unsigned i = 0; !r && i < n_waited; i++)
		co_mpi_request_poll(waited[i]);
	return r;
}

int co_mpi_request_wait(MPI_Request r)
{
	int e = MPI_SUCCESS;

	if (!has_ended(r) && is_message(r) && !co_mpi_schedules_busy()) {
		int error = co_message_wait(co_mpi.me, &r->message);

		/* The coroutine was cancelled, not the message. */
		if (error == -ECANCELED && !co_message_ended(&r->message))
			return co_mpi_class(error);
		end(r, error);
	}
	while (!e && !has_ended(r))
		e = co_mpi_wait_any(&r, 1);
	return e;
}
