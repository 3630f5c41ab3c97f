/*
 * outgoing.c - messages that ranks of this board send to other boards. All of this runs on hart 0,
 * in calls that do not wait.
 */
#include <hal/uplink.h>

#include "../../core/memory/main_heap.h"
#include "../../group/message/port.h"
#include "frame.h"

/* A message that has been sent, and is not known to be received. */
struct sent {
	struct co_message *m; /* NULL: this entry is free */
	uint32_t turn;        /* how often it was used: a part of the message's id */
	uint32_t board;
	uint32_t tag; /* of the data, where it is `ready` */
	bool ready;   /* its data are to be sent */
};

static struct sent *table;
static uint32_t table_size, table_next; /* entries; where to look for a free one */
static uint32_t n_ready;                /* entries that are ready */
static uint32_t n_data;                 /* long messages whose data are under way */
static struct {
	uint32_t frames, data; /* under way to that board */
} * boards;
static uint32_t frames_most, data_most; /* to a board: a slow one cannot have all of them */

static struct co_message *pending, **pending_end = &pending; /* of ranks, without a frame yet */

static struct frame_room {
	struct frame head;
	unsigned char data[FRAME_DATA];
} * rooms;
static uint32_t rooms_used; /* bits */
#define ROOMS_ALL (((uint32_t)1 << FRAMES) - 1)
static uint32_t kind_of[FRAMES], board_of[FRAMES];

bool co_outgoing_begin(void)
{
	table_size = 64;
	table = co_main_alloc(table_size * sizeof(*table));
	rooms = co_main_alloc(FRAMES * sizeof(*rooms));
	boards = co_main_alloc(co_cluster.boards * sizeof(*boards));
	if (!table || !rooms || !boards)
		return false;
	memset(table, 0, table_size * sizeof(*table));
	memset(boards, 0, co_cluster.boards * sizeof(*boards));
	frames_most = co_cluster_share(FRAMES);
	data_most = co_cluster_share(SLOTS);
	return true;
}

/* ---- Frames ---- */

struct frame *co_outgoing_frame(uint32_t kind, unsigned to)
{
	for (uint32_t i = 0; i < FRAMES && boards[to].frames < frames_most; i++) {
		if (rooms_used & (uint32_t)1 << i)
			continue;
		rooms_used |= (uint32_t)1 << i;
		kind_of[i] = kind;
		rooms[i].head = (struct frame){ .kind = kind, .ranks = co_cluster.here };
		return &rooms[i].head;
	}
	return NULL;
}

void co_outgoing_send(struct frame *f, unsigned to, size_t data_bytes)
{
	struct frame_room *room = co_container_of(f, struct frame_room, head);
	uint32_t i = (uint32_t)(room - rooms);
	struct hal_uplink_descriptor d = { .operation = HAL_UPLINK_SEND,
					   .peer = to,
					   .tag = FRAME_TAG,
					   .address = (uintptr_t)room,
					   .bytes = sizeof(*f) + data_bytes,
					   .request = REQUEST(REQUEST_FRAME_OUT, i) };

	board_of[i] = to;
	boards[to].frames++;
	CO_ASSERT_OWN(!hal_uplink_submit(&d)); /* FRAMES and SLOTS are few enough */
}

void co_outgoing_gone(uint32_t buffer, uint32_t error)
{
	rooms_used &= ~((uint32_t)1 << buffer);
	boards[board_of[buffer]].frames--;
	/* A board that has ended needs no answers. */
	if (error && (error != HAL_UPLINK_ENDED || kind_of[buffer] == FRAME_MESSAGE))
		co_cluster_fail("a message from rank %u to rank %u is lost: board %u %s",
				(unsigned)rooms[buffer].head.message.source,
				(unsigned)rooms[buffer].head.message.dest,
				(unsigned)board_of[buffer],
				error == HAL_UPLINK_ENDED ? "has ended" : "cannot be reached");
}

/* ---- Messages ---- */

/* A free entry of the table, which grows. */
static uint32_t take_entry(void)
{
	struct sent *larger;

	for (uint32_t i = 0; i < table_size; i++) {
		uint32_t at = (table_next + i) % table_size;

		if (!table[at].m) {
			table_next = at + 1;
			return at;
		}
	}
	larger = co_main_alloc(2 * table_size * sizeof(*table));
	if (larger) {
		memcpy(larger, table, table_size * sizeof(*table));
		memset(larger + table_size, 0, table_size * sizeof(*table));
		co_main_free(table);
		table = larger;
		table_next = table_size;
		table_size *= 2;
		return table_next++;
	}
	co_cluster_fail("no memory to note %u messages to other boards: more --mem",
			(unsigned)table_size + 1);
}

/* Send a message's frame. False: no buffer is free for its board. */
static bool send_message(struct co_message *m)
{
	uint32_t board = m->rank / co_cluster.here, at;
	struct frame *f = co_outgoing_frame(FRAME_MESSAGE, board);
	struct sent *s;

	if (!f)
		return false;
	at = take_entry();
	s = &table[at];
	*s = (struct sent){ .m = m, .turn = s->turn + 1, .board = board };
	f->message.source = m->got.rank;
	f->message.dest = m->rank;
	f->message.tag = m->tag;
	f->message.context = m->context;
	f->message.bytes = m->bytes;
	f->message.id = (uint64_t)s->turn << 32 | at;
	f->message.waits = m->kind == CO_MESSAGE_SEND;
	f->message.n_ended = co_incoming_riders(board, f->message.ended);
	if (m->bytes <= FRAME_DATA && m->bytes)
		memcpy(f + 1, m->data, m->bytes);
	co_outgoing_send(f, s->board, m->bytes <= FRAME_DATA ? m->bytes : 0);
	return true;
}

/* Move listed messages to `pending`. Context: within reach. */
static void collect(void)
{
	struct co_member *me = co_cluster.me;
	struct co_waiter *first = co_wait_lock(&me->queue);
	struct co_message *m, *next, *oldest = NULL;

	m = (struct co_message *)co_atomic_load(&me->to_fetch, CO_RELAXED); /* locked */
	co_atomic_store(&me->to_fetch, 0, CO_RELAXED);
	co_waitq_unlock(&me->queue, first);
	for (; m; m = next) { /* the newest comes first */
		next = m->next;
		m->next = oldest;
		oldest = m;
	}
	*pending_end = oldest;
	while (*pending_end)
		pending_end = &(*pending_end)->next;
}

void co_outgoing_post(struct co_message *m)
{
	m->own = m; /* no rank waits for its end */
	m->next = NULL;
	*pending_end = m;
	pending_end = &m->next;
}

/* Send the data of long messages that are asked for. */
static bool send_data(void)
{
	bool any = false;

	for (uint32_t i = 0; n_ready && n_data < SLOTS && i < table_size; i++) {
		struct sent *s = &table[i];
		struct hal_uplink_descriptor d;

		if (!s->m || !s->ready || boards[s->board].data == data_most)
			continue;
		d = (struct hal_uplink_descriptor){ .operation = HAL_UPLINK_SEND,
						    .peer = s->board,
						    .tag = s->tag,
						    .address = (uintptr_t)s->m->data,
						    .bytes = s->m->bytes,
						    .request =
							    REQUEST(REQUEST_DATA_OUT, s->board) };
		CO_ASSERT_OWN(!hal_uplink_submit(&d));
		s->ready = false;
		n_ready--;
		n_data++;
		boards[s->board].data++;
		any = true;
	}
	return any;
}

/* Messages to a board keep their order; messages to other boards pass one that waits. */
static bool send_pending(void)
{
	bool any = false;

	for (struct co_message **at = &pending; *at;) {
		struct co_message *m = *at, *next = m->next;

		if (rooms_used == ROOMS_ALL)
			break;
		if (!send_message(m)) {
			at = &m->next;
			continue;
		}
		*at = next;
		if (!next)
			pending_end = at;
		any = true;
	}
	return any;
}

NOINLINE static bool move_on(void)
{
	struct co_member *me = co_cluster.me;
	bool any = false;

	if (!co_team_stand_in_ready(me) || !co_member_reach(me))
		return false;
	if (co_port_has_news(me)) {
		collect();
		any = true;
	}
	any |= send_pending();
	any |= send_data();
	co_member_let_go(me);
	return any;
}

/* Most looks find nothing, and are to cost nothing. */
bool co_outgoing_progress(void)
{
	return (co_port_has_news(co_cluster.me) || pending || n_ready) && move_on();
}

bool co_outgoing_is_done(void)
{
	return !co_port_has_news(co_cluster.me) && !pending;
}

void co_outgoing_data_gone(uint32_t board, uint32_t error)
{
	n_data--;
	boards[board].data--;
	if (error)
		co_cluster_fail("a long message is lost: board %u has ended, or cannot be reached",
				(unsigned)board);
}

/* ---- Answers ---- */

static struct sent *find(uint64_t id, unsigned from)
{
	struct sent *s = &table[(uint32_t)id < table_size ? (uint32_t)id : 0];

	return s->m && s->turn == id >> 32 && s->board == from && (uint32_t)id < table_size ? s
											    : NULL;
}

bool co_outgoing_ready(const struct frame *f, unsigned from)
{
	struct sent *s = find(f->ready.id, from);

	if (!s || s->ready || f->ready.tag - FRAME_TAG - 1 >= SLOTS)
		return false;
	s->ready = true;
	s->tag = f->ready.tag;
	n_ready++;
	return true;
}

bool co_outgoing_ended(const uint64_t *ids, uint32_t n, unsigned from)
{
	struct co_member *me = co_cluster.me;

	for (uint32_t i = 0; i < n; i++) {
		struct sent *s = find(ids[i], from);

		if (!s)
			return false;
		if (s->m->own == s->m) {
			co_main_free(s->m);
		} else if (co_member_reach(me)) {
			co_port_received(co_member_at(me, s->m->got.rank), s->m);
			co_member_let_go(me);
		}
		n_ready -= s->ready; /* it was asked for, and is not needed */
		s->m = NULL;
	}
	return true;
}
