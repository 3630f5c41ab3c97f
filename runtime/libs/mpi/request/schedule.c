/*
 * schedule.c - collectives as steps in rounds: how they are made, and how they go on.
 *
 * The schedule of a blocking call runs while it is made: a copy or a reduction when it is added, a
 * send of a short message, too, and the receive of a round at the end of the round. All else
 * of a round (a second receive, long messages, types with holes) is kept as steps until the round
 * ends. Other ranks may keep all steps of their part of the collective: the messages are equal.
 */
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
	bool at_once;  /* it runs while it is made: `blocking` */
	bool receives; /* at once: the round receives `bytes` to `to`, and has no steps yet */
	unsigned from; /* at once: the rank of MPI_COMM_WORLD that the round receives from */
	void *to;
	size_t bytes;
	size_t taken; /* at once: bytes of co_mpi.now->rooms */
	bool left;    /* at once: messages are under way for good, and use its rooms */
	int error;    /* the first error */
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

/* The schedule of a blocking call, which runs while it is made. It is in use if it has `comm`. */
static struct co_mpi_schedule blocking = { .at_once = true };

/*
 * May a blocking call run its schedule while it is made? Not while collectives are under way, which
 * would not go on meanwhile, nor while a message of a cancelled call is under way.
 */
static bool may_be_at_once(void)
{
	struct co_message *sent = &co_mpi.now->sent;

	return !blocking.comm && !co_mpi_schedules_busy() &&
	       (co_message_idle(sent) || !co_message_test(co_mpi.me, sent));
}

static struct co_mpi_schedule *begin_at_once(MPI_Comm comm)
{
	struct co_mpi_schedule *s = &blocking;

	s->comm = comm;
	s->tag = co_mpi_number(comm);
	s->local = false;
	s->error = CO_MPI_COMPARES ? co_mpi_agree(comm, s->tag) : MPI_SUCCESS;
	return s;
}

struct co_mpi_schedule *co_mpi_schedule_new(MPI_Comm comm, bool blocks)
{
	struct co_mpi_schedule *s;

	if (blocks && may_be_at_once())
		return begin_at_once(comm);
	s = spare ? spare : calloc(1, sizeof(*s));
	spare = NULL;
	if (s) {
		*s = (struct co_mpi_schedule){ .steps = s->steps, .space = s->space };
		s->comm = comm;
		s->tag = co_mpi_number(comm);
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
	if (s->at_once && bytes <= (MPI_Count)(sizeof(co_mpi.now->rooms) - s->taken)) {
		char *taken = co_mpi.now->rooms + s->taken;

		s->taken += ((size_t)bytes + _Alignof(max_align_t) - 1) & -_Alignof(max_align_t);
		return taken;
	}
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

static void copy_part(struct co_mpi_schedule *s, const void *from, MPI_Count from_n,
		      MPI_Datatype from_type, void *to, MPI_Count to_n, MPI_Datatype to_type)
{
	int e = co_mpi_copy(from, from_n, from_type, to, to_n, to_type);

	if (e)
		fail(s, e);
	check_part(s, from_n * from_type->size, to_n * to_type->size);
}

static void call_function(struct co_mpi_schedule *s, int (*call)(void *arg), void *arg)
{
	int e = call(arg);

	if (e)
		fail(s, e);
}

static void do_local(struct co_mpi_schedule *s, const struct step *t)
{
	if (t->kind == STEP_COPY)
		copy_part(s, t->from, t->from_n, t->from_type, t->to, t->to_n, t->to_type);
	else if (t->kind == STEP_REDUCE)
		co_mpi_op_apply(t->op, t->from, t->to, t->from_n, t->from_type);
	else if (t->kind == STEP_CALL)
		call_function(s, t->call, t->to);
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
		do_local(s, &s->steps[i]);
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

static void put_steps(struct co_mpi_schedule *s)
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
	s->n = 0;
}

static void put_rooms(struct co_mpi_schedule *s)
{
	for (struct room *r = s->rooms, *next; r; r = next) {
		next = r->next;
		free(r);
	}
	s->rooms = NULL;
}

static void put_schedule(struct co_mpi_schedule *s)
{
	put_steps(s);
	put_rooms(s);
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

/* Has a message ended that a listed schedule waits for? */
static bool have_news(void)
{
	for (const struct co_mpi_schedule *s = co_mpi_schedules; s; s = s->following) {
		for (unsigned i = s->round; i < s->next; i++) {
			MPI_Request r = s->steps[i].request;

			if (r && (r->ended || co_message_ended(&r->message)))
				return true;
		}
	}
	return false;
}

/* While schedules are listed: they go on in the collectives of the ranks' team (coll/short.c). */
static void go_on_meanwhile(void)
{
	static const struct co_team_meanwhile listed = { have_news, co_mpi_schedules_advance };

	co_team_go_on(co_mpi.me, co_mpi_schedules ? &listed : NULL);
	co_mpi_busy(co_mpi_schedules);
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
	go_on_meanwhile();
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

/*
 * Run the round whose first step is `first`, of the only schedule that is under way: wait for each
 * message, without a list of messages. Returns the class of an error of a wait: messages are under
 * way then.
 */
static int run_round(struct co_mpi_schedule *s, unsigned first)
{
	begin_round(s, first);
	for (unsigned i = first; i < s->next; i++) {
		MPI_Request r = s->steps[i].request;
		int e = r ? co_mpi_request_wait(r) : MPI_SUCCESS;

		if (e)
			return e;
	}
	(void)round_has_ended(s);
	return MPI_SUCCESS;
}

static int run_alone(struct co_mpi_schedule *s)
{
	int e;

	for (unsigned first = 0; !s->error && first < s->n; first = s->next + 1) {
		e = run_round(s, first);
		if (e)
			return e; /* messages are under way, and use s */
	}
	e = s->error;
	put_schedule(s);
	return e;
}

/* ---- At once ---- */

/*
 * Run the steps of a round. After an error of a wait its messages are dropped, but other ranks
 * may still fetch from here.
 */
static void run_steps(struct co_mpi_schedule *s)
{
	int e = run_round(s, 0);

	s->left = e != MPI_SUCCESS;
	for (unsigned i = 0; e && i < s->n; i++)
		if (s->steps[i].request)
			co_mpi_request_drop(s->steps[i].request);
	if (e)
		fail(s, e);
}

/* Receive, and wait until the message that this round has sent may be written over. */
static void end_round(struct co_mpi_schedule *s)
{
	struct co_message *sent = &co_mpi.now->sent;
	struct co_message_info got;
	int r = 0;

	if (s->receives && !s->error) {
		r = co_message_recv(co_mpi.me, s->from, s->tag, s->comm->context + 1, s->to,
				    s->bytes, &got);
		if (!r && got.bytes < s->bytes)
			r = -EBADMSG;
	}
	s->receives = false;
	if (s->n) {
		if (!s->error)
			run_steps(s);
		put_steps(s);
	}
	if (!co_message_idle(sent)) {
		int also = co_message_wait(co_mpi.me, sent);

		r = r ? r : also;
	}
	if (r)
		fail(s, co_mpi_class(r));
}

/* ---- Its steps ---- */

/* Is a step that needs no other rank carried out when it is added? */
static inline bool runs_at_once(const struct co_mpi_schedule *s)
{
	return s && s->at_once && !s->error;
}

/* A step for a message. The receive that the round has had so far becomes a step before it. */
static struct step *add_message(struct co_mpi_schedule *s, enum step_kind kind, unsigned world)
{
	struct step *t;

	if (s->receives) {
		s->receives = false;
		t = add_message(s, STEP_RECV, s->from);
		if (!t)
			return NULL;
		t->to = s->to;
		t->to_n = (MPI_Count)s->bytes;
		t->to_type = co_mpi_type_get(MPI_BYTE);
	}
	t = add_step(s, kind);
	if (t)
		t->world = world;
	return t;
}

/*
 * Send a short message that lies as bytes, in a round without steps. A copy is sent: after a call
 * that is cancelled the message may still be under way. False: it is to be a step.
 */
static bool send_at_once(struct co_mpi_schedule *s, const void *buf, MPI_Count n, MPI_Datatype type,
			 unsigned world)
{
	struct co_mpi_now *now = co_mpi.now;
	MPI_Count bytes = n * type->size;
	int r;

	if (s->n || bytes > CO_MESSAGE_SHORT || !type->plain || !co_message_idle(&now->sent))
		return false;
	if (bytes)
		memcpy(now->value, co_mpi_type_data(type, buf), (size_t)bytes);
	r = co_message_send_start(co_mpi.me, world, s->tag, s->comm->context + 1, now->value,
				  (size_t)bytes, &now->sent);
	if (r)
		fail(s, co_mpi_class(r));
	return true;
}

void co_mpi_schedule_send(struct co_mpi_schedule *s, const void *buf, MPI_Count n,
			  MPI_Datatype type, int to)
{
	struct step *t;
	unsigned world;

	if (to == MPI_PROC_NULL || !s || s->error)
		return;
	world = world_of(s, to);
	if (s->at_once && send_at_once(s, buf, n, type, world))
		return;
	t = add_message(s, STEP_SEND, world);
	if (!t)
		return;
	t->from = buf;
	t->from_n = n;
	t->from_type = co_mpi_type_get(type);
}

void co_mpi_schedule_recv(struct co_mpi_schedule *s, void *buf, MPI_Count n, MPI_Datatype type,
			  int from)
{
	struct step *t;

	if (from == MPI_PROC_NULL || !s || s->error)
		return;
	if (s->at_once && !s->n && !s->receives && type->plain) {
		s->receives = true;
		s->from = world_of(s, from);
		s->to = co_mpi_type_data(type, buf);
		s->bytes = (size_t)(n * type->size);
		return;
	}
	t = add_message(s, STEP_RECV, world_of(s, from));
	if (!t)
		return;
	t->to = buf;
	t->to_n = n;
	t->to_type = co_mpi_type_get(type);
}

void co_mpi_schedule_copy(struct co_mpi_schedule *s, const void *from, MPI_Count from_n,
			  MPI_Datatype from_type, void *to, MPI_Count to_n, MPI_Datatype to_type)
{
	struct step *t;

	if (runs_at_once(s)) {
		copy_part(s, from, from_n, from_type, to, to_n, to_type);
		return;
	}
	t = add_step(s, STEP_COPY);
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
	struct step *t;

	if (runs_at_once(s)) {
		co_mpi_op_apply(op, in, inout, n, type);
		return;
	}
	t = add_step(s, STEP_REDUCE);
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
	struct step *t;

	if (runs_at_once(s)) {
		call_function(s, call, arg);
		return;
	}
	t = add_step(s, STEP_CALL);
	if (!t)
		return;
	t->call = call;
	t->to = arg;
}

void co_mpi_schedule_then(struct co_mpi_schedule *s)
{
	if (s && s->at_once)
		end_round(s);
	else if (s && s->n && s->steps[s->n - 1].kind != STEP_THEN)
		add_step(s, STEP_THEN);
}

/* ---- The whole ---- */

static int end_at_once(struct co_mpi_schedule *s)
{
	end_round(s);
	if (s->left) /* rooms stay, and this rank runs no other schedule at once */
		return s->error;
	if (s->rooms)
		put_rooms(s);
	s->taken = 0;
	s->comm = NULL;
	return s->error;
}

int co_mpi_schedule_run(struct co_mpi_schedule *s, MPI_Request *request)
{
	struct co_mpi_schedule **at = &co_mpi_schedules;
	MPI_Request r = NULL;
	int e = s ? s->error : MPI_ERR_NO_MEM;

	if (s && s->at_once)
		return end_at_once(s);
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
	go_on_meanwhile();
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
