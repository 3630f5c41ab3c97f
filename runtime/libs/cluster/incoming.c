/*
 * incoming.c - messages that ranks of other boards send to ranks of this board. All of this runs on
 * hart 0, in calls that do not wait.
 */
#include <hal/uplink.h>

#include "../../core/memory/main_heap.h"
#include "../../group/message/port.h"
#include "frame.h"

/* A message for a rank of this board; the bytes of a short one follow. */
struct incoming {
	struct co_message m;
	struct incoming *next;
	uint64_t id; /* the sending board's */
	uint32_t board;
	uint32_t slot; /* where its data come: FRAME_TAG + 1 + slot is their tag */
	enum { NEEDS_SLOT, AWAITS_DATA, IS_COMPLETE, IS_DROPPED } state;
	bool unserved; /* a request without a server: a message as any */
};
#define NO_SLOT UINT32_MAX

/* Frames and data of a board; answers for it. */
static struct source {
	struct incoming *first, **end; /* not delivered */
	uint32_t need, slots;          /* of these need a slot; have one */
	uint32_t dropped;              /* frames that make no sense */
	bool greets, waits;            /* a frame had its ranks; memory was short, as was said */
	uint64_t look_at;              /* for memory, where there was none */
	uint32_t n_ended;
	uint64_t ended[FRAME_ENDS]; /* ids of messages that were received */
} * sources;
static uint32_t undelivered, unanswered; /* messages of all sources; an empty look is short */
static uint32_t held;                    /* looks since there are unanswered ones */

static struct incoming *delivered, **look = &delivered; /* not known to be received; the next */
static struct incoming *in_slot[SLOTS];

static struct frame_in {
	struct frame head;
	unsigned char data[FRAME_DATA];
} * rooms;
static uint32_t next_room;  /* frames are handled in their order */
static uint32_t slots_most; /* of a board: no board can have all of them */
static struct {
	bool came;
	uint32_t from;
	uint64_t bytes;
} came[FRAMES];

static void receive_frame(uint32_t i)
{
	struct hal_uplink_descriptor d = { .operation = HAL_UPLINK_RECEIVE,
					   .peer = HAL_UPLINK_ANY,
					   .tag = FRAME_TAG,
					   .address = (uintptr_t)&rooms[i],
					   .bytes = sizeof(rooms[i]),
					   .request = REQUEST(REQUEST_FRAME_IN, i) };

	came[i].came = false;
	CO_ASSERT_OWN(!hal_uplink_submit(&d)); /* FRAMES and SLOTS are few enough */
}

bool co_incoming_begin(void)
{
	sources = co_main_alloc(co_cluster.boards * sizeof(*sources));
	rooms = co_main_alloc(FRAMES * sizeof(*rooms));
	if (!sources || !rooms)
		return false;
	memset(sources, 0, co_cluster.boards * sizeof(*sources));
	for (unsigned i = 0; i < co_cluster.boards; i++)
		sources[i].end = &sources[i].first;
	slots_most = co_cluster_share(SLOTS);
	for (uint32_t i = 0; i < FRAMES; i++)
		receive_frame(i);
	return true;
}

/* ---- Frames ---- */

/* Behind all others from that board. */
static void append(struct source *s, struct incoming *in)
{
	*s->end = in;
	s->end = &in->next;
	undelivered++;
}

bool co_incoming_post(const struct co_message_info *from, uint32_t to, uint32_t context,
		      const void *data)
{
	struct incoming *in = co_main_alloc(sizeof(*in) + from->bytes);

	if (!in)
		return false;
	*in = (struct incoming){ .m = { .kind = CO_MESSAGE_COPY,
					.rank = to,
					.tag = from->tag,
					.context = context,
					.data = in + 1,
					.bytes = from->bytes,
					.got = *from },
				 .board = co_cluster.board,
				 .slot = NO_SLOT,
				 .state = IS_COMPLETE };
	if (from->bytes)
		memcpy(in + 1, data, from->bytes);
	append(&sources[co_cluster.board], in);
	return true;
}

static void add_message(const struct frame *f, unsigned from)
{
	bool is_long = f->message.bytes > FRAME_DATA;
	size_t bytes = (size_t)f->message.bytes;
	struct incoming *in = co_main_alloc(sizeof(*in) + (is_long ? 0 : bytes));
	struct source *s = &sources[from];

	if (!in)
		co_cluster_fail(
			"no memory for a message of %lu bytes from rank %u to rank %u, which does "
			"not receive it yet: more --mem",
			(unsigned long)bytes, (unsigned)f->message.source,
			(unsigned)f->message.dest);
	*in = (struct incoming){
		.m = { .kind = f->message.waits ? CO_MESSAGE_SEND : CO_MESSAGE_COPY,
		       .rank = f->message.dest,
		       .tag = f->message.tag,
		       .context = f->message.context,
		       .data = is_long ? NULL : in + 1,
		       .bytes = bytes,
		       .got = { f->message.source, f->message.tag, bytes } },
		.id = f->message.id,
		.board = from,
		.slot = NO_SLOT,
		.state = is_long ? NEEDS_SLOT : IS_COMPLETE,
	};
	if (!is_long && bytes)
		memcpy(in + 1, f + 1, bytes);
	append(s, in);
	s->need += is_long;
}

/* Does a message's frame make sense? `bytes` have come. */
static bool is_message(const struct frame *f, unsigned from, uint64_t bytes)
{
	uint32_t here = co_cluster.here, source = f->message.source - from * here;
	uint32_t dest = f->message.dest - co_cluster.span->first;
	uint64_t data = f->message.bytes;

	return source < here && f->message.n_ended <= FRAME_RIDERS && dest < here &&
	       data <= HAL_UPLINK_BYTES_MOST &&
	       bytes == sizeof(*f) + (data <= FRAME_DATA ? data : 0);
}

/* Nonsense does not stop this board: its first piece is reported. */
static void drop(unsigned from, const char *what, uint64_t bytes)
{
	if (!sources[from].dropped++)
		co_report("cohart: board %u: board %u has sent %s of %lu bytes that makes no "
			  "sense: it is dropped, and so are others",
			  co_cluster.board, from, what, (unsigned long)bytes);
}

/* Returns whether the frame makes sense. */
static bool take_frame(const struct frame *f, unsigned from, uint64_t bytes)
{
	switch ((enum frame_kind)f->kind) {
	case FRAME_MESSAGE:
		if (!is_message(f, from, bytes) ||
		    !co_outgoing_ended(f->message.ended, f->message.n_ended, from))
			return false;
		add_message(f, from);
		return true;
	case FRAME_READY:
		return co_outgoing_ready(f, from);
	case FRAME_ENDED:
		return f->ended.n <= FRAME_ENDS && co_outgoing_ended(f->ended.id, f->ended.n, from);
	}
	return false;
}

static void handle_frame(const struct frame *f, unsigned from, uint64_t bytes)
{
	bool good = bytes >= sizeof(*f) && bytes <= sizeof(rooms[0]);

	if (good && f->ranks != co_cluster.here && !sources[from].greets)
		co_cluster_fail("board %u has %u ranks, and board %u %u: give all boards as many",
				from, (unsigned)f->ranks, co_cluster.board,
				(unsigned)co_cluster.here);
	good = good && f->ranks == co_cluster.here;
	sources[from].greets |= good;
	if (!good || !take_frame(f, from, bytes))
		drop(from, "a frame", bytes);
}

void co_incoming_frame(uint32_t buffer, unsigned from, uint64_t bytes, uint32_t error)
{
	if ((error && error != HAL_UPLINK_CUT_OFF) || from >= co_cluster.boards)
		co_cluster_fail("the uplink has failed");
	came[buffer].came = true;
	came[buffer].from = from;
	came[buffer].bytes = bytes;
}

NOINLINE static bool handle_frames(void)
{
	bool any = false;

	while (came[next_room].came) {
		handle_frame(&rooms[next_room].head, came[next_room].from, came[next_room].bytes);
		receive_frame(next_room);
		next_room = (next_room + 1) % FRAMES;
		any = true;
	}
	return any;
}

/* ---- Data of long messages ---- */

/* Take memory for the data. Without, the message waits, and its board's later ones behind it. */
static bool take_memory(struct incoming *in, struct source *s)
{
	if (in->m.data || co_now() < s->look_at)
		return in->m.data != NULL;
	in->m.data = co_main_alloc(in->m.bytes);
	if (in->m.data)
		return true;
	s->look_at = co_after_us(10000);
	if (!s->waits) {
		s->waits = true;
		co_report("cohart: board %u: no memory yet for a message of %lu bytes from rank %u "
			  "to rank %u, which waits until there is: more --mem",
			  co_cluster.board, (unsigned long)in->m.bytes, (unsigned)in->m.got.rank,
			  (unsigned)in->m.rank);
	}
	return false;
}

/* Have the data come into that slot. False: there is no memory, or no buffer for the answer. */
static bool ask_for_data(struct incoming *in, uint32_t slot)
{
	struct frame *f = take_memory(in, &sources[in->board])
				  ? co_outgoing_frame(FRAME_READY, in->board)
				  : NULL;
	struct hal_uplink_descriptor d = { .operation = HAL_UPLINK_RECEIVE,
					   .peer = in->board,
					   .tag = FRAME_TAG + 1 + slot,
					   .address = (uintptr_t)in->m.data,
					   .bytes = in->m.bytes,
					   .request = REQUEST(REQUEST_DATA_IN, slot) };

	if (!f)
		return false;
	CO_ASSERT_OWN(!hal_uplink_submit(&d));
	in_slot[slot] = in;
	sources[in->board].slots++;
	in->slot = slot;
	in->state = AWAITS_DATA;
	f->ready.id = in->id;
	f->ready.tag = d.tag;
	co_outgoing_send(f, in->board, 0);
	return true;
}

static uint32_t free_slot(void)
{
	uint32_t i = 0;

	while (i < SLOTS && in_slot[i])
		i++;
	return i;
}

static bool ask_for_all(struct source *s)
{
	bool any = false;

	for (struct incoming *in = s->first; in && s->need; in = in->next) {
		uint32_t slot = free_slot();

		if (in->state != NEEDS_SLOT)
			continue;
		if (slot == SLOTS || s->slots == slots_most || !ask_for_data(in, slot))
			break;
		s->need--;
		any = true;
	}
	return any;
}

void co_incoming_data(uint32_t slot, uint64_t bytes, uint32_t error)
{
	struct incoming *in = in_slot[slot];

	bool good = !error && bytes == in->m.bytes;

	if (!good)
		drop(in->board, "the data of a message: part", bytes);
	in_slot[slot] = NULL;
	sources[in->board].slots--;
	in->state = good ? IS_COMPLETE : IS_DROPPED;
}

static void free_message(struct incoming *in)
{
	if (in->m.data != in + 1)
		co_main_free(in->m.data);
	co_main_free(in);
}

/* ---- Delivery, and the end ---- */

static bool is_request(const struct incoming *in)
{
	return in->m.tag == CO_CLUSTER_REQUEST && in->state == IS_COMPLETE && !in->unserved;
}

static void take_first(struct source *s)
{
	undelivered--;
	s->first = s->first->next;
	if (!s->first)
		s->end = &s->first;
}

/* The message's end is to be reported. */
static void note_delivered(struct incoming *in)
{
	in->next = delivered;
	delivered = in;
	if (look == &delivered)
		look = &in->next;
}

/* Give complete messages to their ranks, in their order. Context: within reach. */
static bool deliver(struct source *s)
{
	bool any = false;

	while (s->first && s->first->state >= IS_COMPLETE && !is_request(s->first)) {
		struct incoming *in = s->first;

		take_first(s);
		any = true;
		if (in->state == IS_DROPPED) {
			free_message(in);
			continue;
		}
		note_delivered(in);
		/* relaxed: the list's lock publishes it. */
		co_atomic_store(&in->m.state, CO_MESSAGE_UNDER_WAY, CO_RELAXED);
		co_port_list(co_member_at(co_cluster.me, in->m.rank), &in->m);
	}
	return any;
}

/* Execute requests; may wait. A message before them goes first. */
static bool execute(struct source *s)
{
	bool any = false;

	while (s->first && is_request(s->first)) {
		struct incoming *in = s->first;
		const struct co_cluster_request r = { in->m.got.rank, in->m.rank, in->m.data,
						      in->m.bytes };

		any = true;
		in->unserved = !co_request_execute(in->m.context, &r);
		if (in->unserved)
			break;
		take_first(s);
		note_delivered(in); /* and not under way: it is as received */
	}
	return any;
}

uint32_t co_incoming_riders(unsigned board, uint64_t *ids)
{
	struct source *s = &sources[board];
	uint32_t n = 0;

	while (n < FRAME_RIDERS && s->n_ended)
		ids[n++] = s->ended[--s->n_ended];
	unanswered -= n;
	return n;
}

static bool answer(unsigned board)
{
	struct source *s = &sources[board];
	struct frame *f = s->n_ended ? co_outgoing_frame(FRAME_ENDED, board) : NULL;

	if (!f)
		return false;
	f->ended.n = s->n_ended;
	for (uint32_t i = 0; i < s->n_ended; i++)
		f->ended.id[i] = s->ended[i];
	unanswered -= s->n_ended;
	s->n_ended = 0;
	co_outgoing_send(f, board, 0);
	return true;
}

/* A call looks at this number of delivered messages. */
#define LOOKS 64

/* Looks that an end is held for where no sender waits: a message may go that carries it. */
#define HELD_MOST 6

/* Free messages that were received, and note them for an answer. */
NOINLINE static void end_received(void)
{
	for (unsigned n = 0; n < LOOKS && delivered; n++) {
		struct incoming *in = *look;

		if (!in) {
			look = &delivered;
			if (n)
				break;
			continue;
		}
		if (co_message_under_way(&in->m) ||
		    (in->board != co_cluster.board && sources[in->board].n_ended == FRAME_ENDS &&
		     !answer(in->board))) {
			look = &in->next;
			continue;
		}
		if (in->board != co_cluster.board) {
			sources[in->board].ended[sources[in->board].n_ended++] = in->id;
			if (!unanswered++)
				held = 0;
			if (in->m.kind == CO_MESSAGE_SEND)
				held = HELD_MOST;
		}
		*look = in->next;
		free_message(in);
	}
}

/* Give messages to their ranks, execute requests, have data come. */
NOINLINE static bool hand_over(void)
{
	struct co_member *me = co_cluster.me;
	unsigned boards = co_cluster.boards;
	bool any = false;

	for (unsigned i = 0; i < boards; i++)
		any |= ask_for_all(&sources[i]);
	if (co_team_stand_in_ready(me) && co_member_reach(me)) {
		for (unsigned i = 0; i < boards; i++)
			any |= deliver(&sources[i]);
		co_member_let_go(me);
	}
	for (unsigned i = 0; i < boards; i++)
		any |= execute(&sources[i]);
	return any;
}

NOINLINE static bool answer_all(void)
{
	bool any = false;

	for (unsigned i = 0; i < co_cluster.boards && unanswered; i++)
		any |= answer(i);
	return any;
}

bool co_incoming_progress(void)
{
	bool any = came[next_room].came && handle_frames();

	if (undelivered)
		any |= hand_over();
	if (delivered)
		end_received();
	if (unanswered && held++ >= HELD_MOST)
		any |= answer_all();
	return any;
}

/* Has this board answered for all that its ranks have received? */
bool co_incoming_is_done(void)
{
	if (unanswered)
		return false;
	for (const struct incoming *in = delivered; in; in = in->next) {
		if (!co_message_under_way(&in->m))
			return false;
	}
	return true;
}
