/* schedule.c - collectives as steps in rounds: how they are made, and how they go on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"

enum step_kind { STEP_SEND, STEP_RECV, STEP_COPY, STEP_REDUCE, STEP_CALL, STEP_THEN };

/* A step: a copy has `from` and `to`, with n of each; a message has only one of them. */
struct step {
	enum step_kind kind;
	unsigned world;
	const void *from;
	void *to;
	MPI_Count from_n, to_n;
	MPI_Datatype from_type, to_type;
	MPI_Op op;
	int (*call)(void *arg);
	MPI_Request request; /* of a message that is under way */
};

/* Memory that goes with a schedule; its bytes follow. */
struct room {
	struct room *next;
	_Alignas(max_align_t) char bytes[];
};

struct co_mpi_schedule {
	MPI_Comm comm;
	uint32_t tag;
	bool local;
	int error; /* the first error */
	struct step *steps;
	unsigned n, space;
	unsigned round, next; /* steps `round` to `next` - 1 are under way */
	struct room *rooms;
	MPI_Request request;
	struct co_mpi_schedule *following; /* in the list of all that are under way */
};

struct co_mpi_schedule *co_mpi_schedules;

/* ---- Making one ---- */

/* The last schedule that has ended, with memory for its steps, for the next one. */
static struct co_mpi_schedule *spare;

struct co_mpi_schedule *co_mpi_schedule_new(MPI_Comm comm)
{
	struct co_mpi_schedule *s = spare ? spare : calloc(1, sizeof(*s));

	spare = NULL;
	if (s) {
		*s = (struct co_mpi_schedule){ .steps = s->steps, .space = s->space };
		s->comm = comm;
		s->tag = comm->sequence++ & INT32_MAX;
		comm->references++;
	}
	return s;
}

static void fail(struct co_mpi_schedule *s, int error)
{
	if (!s->error)
		s->error = error;
}

void *co_mpi_schedule_room(struct co_mpi_schedule *s, MPI_Count bytes)
{
	struct room *r;

	if (!s)
		return NULL;
	r = malloc(sizeof(*r) + (size_t)(bytes ? bytes : 1));
	if (!r) {
		fail(s, co_mpi_say(MPI_ERR_NO_MEM, "%lld bytes for a collective", bytes));
		return NULL;
	}
	r->next = s->rooms;
	s->rooms = r;
	return r->bytes;
}

void *co_mpi_schedule_buffer(struct co_mpi_schedule *s, MPI_Count n, MPI_Datatype type)
{
	MPI_Count stride = type->extent < 0 ? -type->extent : type->extent;
	MPI_Count reach = n ? (n - 1) * stride : 0;
	char *p = co_mpi_schedule_room(s, type->true_extent + reach);

	if (!p)
		return NULL;
	return p - type->true_lower + (type->extent < 0 ? reach : 0);
}

void co_mpi_schedule_local(struct co_mpi_schedule *s, bool local)
{
	if (s)
		s->local = local;
}

/* Add a step, to be filled in; NULL: there is no memory, now or before. */
static struct step *add_step(struct co_mpi_schedule *s, enum step_kind kind)
{
	struct step *more;

	if (!s || s->error)
		return NULL;
	if (s->n == s->space) {
		unsigned space = s->space ? 2 * s->space : 16;

		more = realloc(s->steps, space * sizeof(*more));
		if (!more) {
			fail(s, MPI_ERR_NO_MEM);
			return NULL;
		}
		s->steps = more;
		s->space = space;
	}
	more = &s->steps[s->n++];
	*more = (struct step){ .kind = kind };
	return more;
}

static unsigned world_of(const struct co_mpi_schedule *s, int rank)
{
	MPI_Group g = s->local ? s->comm->group : s->comm->peers;

	return (unsigned)co_mpi_group_world(g, rank);
}

void co_mpi_schedule_send(struct co_mpi_schedule *s, const void *buf, MPI_Count n,
			  MPI_Datatype type, int to)
{
	struct step *t = to == MPI_PROC_NULL ? NULL : add_step(s, STEP_SEND);

	if (!t)
		return;
	t->world = world_of(s, to);
	t->from = buf;
	t->from_n = n;
	t->from_type = co_mpi_type_get(type);
}

void co_mpi_schedule_recv(struct co_mpi_schedule *s, void *buf, MPI_Count n, MPI_Datatype type,
			  int from)
{
	struct step *t = from == MPI_PROC_NULL ? NULL : add_step(s, STEP_RECV);

	if (!t)
		return;
	t->world = world_of(s, from);
	t->to = buf;
	t->to_n = n;
	t->to_type = co_mpi_type_get(type);
}

void co_mpi_schedule_copy(struct co_mpi_schedule *s, const void *from, MPI_Count from_n,
			  MPI_Datatype from_type, void *to, MPI_Count to_n, MPI_Datatype to_type)
{
	struct step *t = add_step(s, STEP_COPY);

	if (!t)
		return;
	t->from = from;
	t->from_n = from_n;
	t->from_type = co_mpi_type_get(from_type);
	t->to = to;
	t->to_n = to_n;
	t->to_type = co_mpi_type_get(to_type);
}

void co_mpi_schedule_reduce(struct co_mpi_schedule *s, const void *in, void *inout, MPI_Count n,
			    MPI_Datatype type, MPI_Op op)
{
	struct step *t = add_step(s, STEP_REDUCE);

	if (!t)
		return;
	t->from = in;
	t->to = inout;
	t->from_n = n;
	t->from_type = co_mpi_type_get(type);
	t->op = op;
	op->references++;
}

void co_mpi_schedule_call(struct co_mpi_schedule *s, int (*call)(void *arg), void *arg)
{
	struct step *t = add_step(s, STEP_CALL);

	if (!t)
		return;
	t->call = call;
	t->to = arg;
}

void co_mpi_schedule_then(struct co_mpi_schedule *s)
{
	if (s && s->n && s->steps[s->n - 1].kind != STEP_THEN)
		add_step(s, STEP_THEN);
}

/* ---- Running it ---- */

static void begin_message(struct co_mpi_schedule *s, struct step *t)
{
	bool sends = t->kind == STEP_SEND;
	MPI_Request r = co_mpi_request_new(sends ? CO_MPI_SEND : CO_MPI_RECV, s->comm);
	int e;

	if (!r) {
		fail(s, MPI_ERR_NO_MEM);
		return;
	}
	r->buf = sends ? (void *)t->from : t->to;
	r->count = sends ? t->from_n : t->to_n;
	r->type = co_mpi_type_get(sends ? t->from_type : t->to_type);
	e = co_mpi_begin(r, t->world, s->tag, s->comm->context + 1);
	if (e) {
		co_mpi_request_put(r);
		fail(s, e);
		return;
	}
	t->request = r;
}

/*
 * Check that a part has the size of its place, as in any collective; a longer part is
 * MPI_ERR_TRUNCATE. After an error nothing is noted, since its text is kept until it is reported.
 */
static void check_part(struct co_mpi_schedule *s, MPI_Count bytes, MPI_Count place)
{
	if (!s->error && bytes < place)
		fail(s, co_mpi_class(-EBADMSG));
}

static void do_at_once(struct co_mpi_schedule *s, struct step *t)
{
	int e = MPI_SUCCESS;

	if (t->kind == STEP_COPY)
		e = co_mpi_copy(t->from, t->from_n, t->from_type, t->to, t->to_n, t->to_type);
	else if (t->kind == STEP_REDUCE)
		co_mpi_op_apply(t->op, t->from, t->to, t->from_n, t->from_type);
	else if (t->kind == STEP_CALL)
		e = t->call(t->to);
	if (e)
		fail(s, e);
	if (t->kind == STEP_COPY)
		check_part(s, t->from_n * t->from_type->size, t->to_n * t->to_type->size);
}

/*
 * Begin the round whose first step is `first`. Receives begin before sends: a message that has come
 * has its place then.
 */
static void begin_round(struct co_mpi_schedule *s, unsigned first)
{
	unsigned i;

	s->round = first;
	for (i = first; i < s->n && s->steps[i].kind != STEP_THEN; i++)
		do_at_once(s, &s->steps[i]);
	s->next = i;
	for (i = first; !s->error && i < s->next; i++) {
		if (s->steps[i].kind == STEP_RECV)
			begin_message(s, &s->steps[i]);
	}
	for (i = first; !s->error && i < s->next; i++) {
		if (s->steps[i].kind == STEP_SEND)
			begin_message(s, &s->steps[i]);
	}
}

/* Have all messages of this round ended? */
static bool round_has_ended(struct co_mpi_schedule *s)
{
	bool ended = true;

	for (unsigned i = s->round; i < s->next; i++) {
		MPI_Request r = s->steps[i].request;

		if (!r)
			continue;
		if (!co_mpi_request_poll(r)) {
			ended = false;
			continue;
		}
		if (r->error)
			fail(s, r->error);
		if (r->kind == CO_MPI_RECV)
			check_part(s, r->status.bytes, r->count * r->type->size);
		co_mpi_request_put(r);
		s->steps[i].request = NULL;
	}
	return ended;
}

static void put_schedule(struct co_mpi_schedule *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct step *t = &s->steps[i];

		if (t->from_type)
			co_mpi_type_put(t->from_type);
		if (t->to_type)
			co_mpi_type_put(t->to_type);
		if (t->op)
			co_mpi_op_put(t->op);
	}
	for (struct room *r = s->rooms, *next; r; r = next) {
		next = r->next;
		free(r);
	}
	co_mpi_comm_put(s->comm);
	if (!spare) {
		spare = s;
		return;
	}
	free(s->steps);
	free(s);
}

/* Advance a schedule as far as messages have come. True: it has ended. */
static bool advance(struct co_mpi_schedule *s)
{
	while (round_has_ended(s)) {
		if (s->error || s->next >= s->n)
			return true;
		begin_round(s, s->next + 1);
	}
	return false;
}

/*
 * A step may run a function of the program, which may call MPI: only the outermost call goes
 * through the list. New schedules are added at its end.
 */
void co_mpi_schedules_advance(void)
{
	static bool inside;

	if (!co_mpi_schedules || inside)
		return;
	inside = true;
	for (struct co_mpi_schedule **at = &co_mpi_schedules, *s; (s = *at);) {
		if (!advance(s)) {
			at = &s->following;
			continue;
		}
		*at = s->following;
		s->request->error = s->error;
		s->request->ended = true;
		put_schedule(s);
	}
	inside = false;
}

int co_mpi_schedules_list(void)
{
	int e = MPI_SUCCESS;

	for (struct co_mpi_schedule *s = co_mpi_schedules; s; s = s->following) {
		for (unsigned i = s->round; !e && i < s->next; i++) {
			if (s->steps[i].request)
				e = co_mpi_wait_also(s->steps[i].request);
		}
	}
	return e;
}

/* Run the only schedule that is under way: wait for each message, without a list of messages. */
static int run_alone(struct co_mpi_schedule *s)
{
	int e = MPI_SUCCESS;

	for (unsigned first = 0; !s->error && first < s->n; first = s->next + 1) {
		begin_round(s, first);
		for (unsigned i = first; !e && i < s->next; i++) {
			if (s->steps[i].request)
				e = co_mpi_request_wait(s->steps[i].request);
		}
		if (e)
			return e; /* messages are under way, and use s */
		(void)round_has_ended(s);
	}
	e = s->error;
	put_schedule(s);
	return e;
}

int co_mpi_schedule_run(struct co_mpi_schedule *s, MPI_Request *request)
{
	struct co_mpi_schedule **at = &co_mpi_schedules;
	MPI_Request r = NULL;
	int e = s ? s->error : MPI_ERR_NO_MEM;

	if (!e && CO_MPI_COMPARES)
		e = co_mpi_agree(s->comm, s->tag);
	if (!e && !request && !co_mpi_schedules)
		return run_alone(s);
	if (!e)
		r = co_mpi_request_new(CO_MPI_SCHEDULE, s->comm);
	if (!r) {
		if (s)
			put_schedule(s);
		return e ? e : MPI_ERR_NO_MEM;
	}
	r->active = true;
	s->request = r;
	while (*at)
		at = &(*at)->following;
	*at = s;
	begin_round(s, 0);
	if (request) {
		*request = r;
		return MPI_SUCCESS;
	}
	e = co_mpi_request_wait(r);
	e = e ? e : r->error;
	co_mpi_request_put(r);
	return e;
}
