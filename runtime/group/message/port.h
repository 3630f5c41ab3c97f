/*
 * port.h - a member's side of messages, and the interface between the files of this folder.
 *
 * A port is made by the member's first call. It has an entry for each rank that it may send to, and
 * a window for each rank that it has heard of, as long as there is room. A window's lines are used
 * in turn, as slots of a lane (comm/lf/lane.h), but for one thing: the receiver may take them in
 * another order, and tells the sender how many of the oldest are free.
 *
 * All other messages wait at their sender, and are fetched from there. The sender announces a
 * message by a line if it has one; else it puts the message on the list `to_fetch` of the
 * receiver's member, under the lock of its queue. The receiver moves it to `arrived`, and to the
 * index `passed` if receives pass it over. A sender uses no line to a rank while a listed message
 * to that rank is not known to be fetched: so lines from a sender are older than its listed
 * messages.
 */
#ifndef COHART_GROUP_PORT_H
#define COHART_GROUP_PORT_H

#include <cohart/message.h>

#include "../team/team.h"
#include "index.h"

/* --eager=: main memory for copies of a sender's messages. */
extern unsigned co_message_eager_kib;
#define CO_EAGER_SHARE (~0u) /* a fourth of libc's heap, shared by all harts */

/* A message that waits at its sender. */
struct co_port_offer {
	struct co_message *m;
	const void *data;
	size_t bytes;
	struct co *by;        /* the sender's coroutine */
	struct co_hart *home; /* and its hart; NULL: the sender does not wait for the fetch */
	uintptr_t doorbell;
};

struct co_port_line {
	struct co_a32 ready; /* 1: the message is there; the sender sets, the receiver clears */
	uint32_t tag, context;
	uint32_t bytes; /* CO_PORT_ANNOUNCES: `offer` says where the message is */
	union {
		unsigned char data[CO_MESSAGE_SHORT];
		struct co_port_offer offer;
	};
};

#define CO_PORT_ANNOUNCES UINT32_MAX

_Static_assert(sizeof(struct co_port_line) == CO_LINE, "flag and data travel together");

/* A member's state for sending to one rank. There is one for each rank, so it is small. */
struct co_port_out {
	struct co_a32 lines; /* struct co_port_line, from the receiver's member on; that writes */
	struct co_lane_ack ack; /* the receiver writes, but `wake` is lowered here */
	uint32_t sent;          /* by lines; CO_MESSAGE_LINES at first, so that there is no room */
	uint32_t waiting; /* on the receiver's list, for all that is known here: CO_PORT_HELD */
};

/* Added to `sent` while messages are on the receiver's list, so that there is no room. */
#define CO_PORT_HELD ((uint32_t)1 << 30)

/* Lines from one sender, in the receiver's scratchpad. */
struct co_port_window {
	struct co_member_block block; /* of the first: of them all */
	struct co_port_window *next;
	struct co_port_out *out; /* in the sender's port */
	uint32_t rank;
	uint32_t first; /* the oldest message that was not received */
	uint32_t seen;  /* lines before it were compared with all receives */
	uint32_t marks; /* CO_PORT_TAKEN, CO_PORT_CLAIMED, for `first`; shifted: for later lines */
	alignas(CO_LINE) struct co_port_line line[CO_MESSAGE_LINES];
};

#define CO_PORT_TAKEN ((uint32_t)1)
#define CO_PORT_CLAIMED ((uint32_t)1 << 16)
_Static_assert(CO_MESSAGE_LINES <= 16, "each line has a bit of either kind");

struct co_port {
	struct co_member_block block;
	uint32_t rank;
	uint32_t elsewhere;                          /* messages in `arrived` and `passed` */
	struct co_message *receives, **receives_end; /* under way */
	struct co_message *arrived, **arrived_end;   /* at their senders */
	struct co_index_place *passed;               /* an index of older ones at their senders */
	struct co_port_window *windows;              /* a ring, from the window to look at first */
	unsigned may_open;                           /* windows, at most */
	bool others_first;                           /* whose turn it is: lines, or the rest */
	bool probes;                                 /* a probe waits for `wanted` */
	struct co_wanted wanted;                     /* for reports, too */
	const char *why;                       /* for reports: why it waits; NULL: for a message */
	struct co_port_kept *kept, **kept_end; /* kept messages, the oldest first */
	size_t kept_bytes;                     /* of all kept messages */
	size_t kept_near;                      /* of kept messages in the scratchpad */
	struct co_message own;                 /* of the blocking call */
	unsigned opened;
	struct co_port_window *room;                           /* for may_open of them, or NULL */
	struct co_port_window *window[1 + CO_MESSAGE_WINDOWS]; /* [0] is NULL */
	unsigned char *in;        /* of each rank: the number of its window; 0: none */
	struct co_port_out out[]; /* of each rank; `in` follows */
};

static inline struct co_port_window *co_port_from(const struct co_port *p, uint32_t rank)
{
	return p->window[p->in[(int32_t)rank]]; /* an int, as in co_member_at() */
}

/* CO_MESSAGE_NONE is 0: co_message_idle() */
enum co_message_state { CO_MESSAGE_NONE, CO_MESSAGE_UNDER_WAY, CO_MESSAGE_ENDED };
enum co_message_kind { CO_MESSAGE_RECEIVE, CO_MESSAGE_SEND, CO_MESSAGE_COPY };

/* The offer of m, which waits at its sender: to look at m itself is a remote read for others. */
static inline struct co_port_offer co_port_offer_of(const struct co_member *sender,
						    struct co_message *m, size_t bytes)
{
	struct co_port_offer o = { m, m->data, bytes, .by = sender->self };

	if (m->kind != CO_MESSAGE_COPY) {
		o.home = sender->waiter.at;
		o.doorbell = sender->waiter.doorbell;
	}
	return o;
}

static inline bool co_message_under_way(const struct co_message *m)
{
	/* seq_cst: after co_member_ask(); pairs with tell_sender(), port.c. */
	return co_atomic_load(&m->state, CO_SEQ_CST) == CO_MESSAGE_UNDER_WAY;
}

/* ---- Lines ---- */

/* Does a message have the wanted tag and context? */
static inline bool co_port_fits(uint32_t tag, uint32_t context, uint32_t wanted, uint32_t in)
{
	return (tag == wanted || wanted == CO_ANY_TAG) && context == in;
}

/* Where the caller's messages to a rank are counted. */
static inline struct co_port_out *co_port_to(struct co_port *p, uint32_t rank)
{
	struct co_port_out *out = &p->out[(int32_t)rank];

	__asm__ volatile("" : "+r"(out)); /* one address, not a sum for each word of it */
	return out;
}

static inline struct co_port_line *co_port_line(struct co_port_window *w, uint32_t i)
{
	struct co_port_line *l = &w->line[i % CO_MESSAGE_LINES];

	__asm__ volatile("" : "+r"(l)); /* one address, too */
	return l;
}

static inline bool co_port_line_ready(struct co_port_window *w, uint32_t i)
{
	return co_lane_came(&co_port_line(w, i)->ready);
}

/* Was line i taken or claimed? */
static inline bool co_port_line_marked(const struct co_port_window *w, uint32_t i)
{
	return w->marks >> (i - w->first) & (CO_PORT_TAKEN | CO_PORT_CLAIMED);
}

/* Does line i hold a message with this tag and context that is not taken or claimed? */
static inline bool co_port_line_fits(struct co_port_window *w, uint32_t i, uint32_t tag,
				     uint32_t context)
{
	const struct co_port_line *l = co_port_line(w, i);

	return co_port_line_ready(w, i) && !co_port_line_marked(w, i) &&
	       co_port_fits(l->tag, l->context, tag, context);
}

/* Messages are mostly words, or integers: then the quick ways need no call. */
static inline bool co_port_is_words(const void *data, size_t bytes)
{
	return ((uintptr_t)data | bytes) % sizeof(uint32_t) == 0;
}

/* Most of all they are one word. */
static inline bool co_port_is_word(const void *data, size_t bytes)
{
	return __builtin_expect(
		bytes == sizeof(uintptr_t) && (uintptr_t)data % sizeof(uintptr_t) == 0, 1);
}

/* `data`: `to` or `from`, whichever is not in a line; `word`: it is one. */
static inline void co_port_copy_words(void *to, const void *from, const void *data, size_t bytes,
				      bool word)
{
	if (word) {
		*(uintptr_t *)to = *(const uintptr_t *)from;
	} else if (((uintptr_t)data | bytes) % sizeof(uintptr_t) != 0) {
		const uint32_t *integer = from;

		for (uint32_t *next = to; bytes; bytes -= sizeof(*next))
			*next++ = *integer++;
	} else if (bytes) {
		co_lane_copy(to, from, bytes / sizeof(uintptr_t));
	}
}

/* Clear l, the oldest line, which was read, and tell the sender. */
static inline void co_port_free_first(struct co_port_window *w, struct co_port_line *l)
{
	uint32_t first = w->first;

	co_lane_free(&l->ready);
	w->first = first + 1;
	if (w->seen == first)
		w->seen = first + 1;
	co_lane_credit(&w->out->ack, first + 1);
}

/* Line i was read. */
static inline void co_port_line_taken(struct co_port_window *w, uint32_t i)
{
	w->marks |= CO_PORT_TAKEN << (i - w->first);
	while (w->marks & CO_PORT_TAKEN) {
		co_port_free_first(w, co_port_line(w, w->first));
		w->marks >>= 1; /* a line that is taken is not claimed */
	}
}

/* Before a sleep: the sender is to wake this member so. True: l, the next, is there already. */
static inline bool co_port_ask(struct co_port_window *w, struct co_port_line *l, uint32_t how)
{
	co_lane_ask(&w->out->ack.wake, how);
	return co_lane_came_now(&l->ready);
}

/* Have messages come to fetch, for a member that is about to sleep? */
static inline bool co_port_has_news_now(const struct co_member *m)
{
	/* seq_cst: after `callable`, or the lock; pairs with enlist(), message.c. */
	return co_atomic_load(&m->to_fetch, CO_SEQ_CST) != 0;
}

/* Have messages come to fetch? */
static inline bool co_port_has_news(const struct co_member *m)
{
	/* relaxed: the queue's lock orders later accesses, and a wait looks again. */
	return co_atomic_load(&m->to_fetch, CO_RELAXED) != 0;
}

/* Put s, which is complete, on a member's list of messages to fetch, and wake the member. */
INLINE void co_port_list(struct co_member *to, struct co_message *s)
{
	struct co_waiter *first = co_wait_lock(&to->queue), *w;

	s->next = (struct co_message *)co_atomic_load(&to->to_fetch, CO_RELAXED); /* locked */
	/* seq_cst: before the look whether it is callable; pairs with co_port_has_news_now(). */
	co_atomic_store(&to->to_fetch, (uintptr_t)s, CO_SEQ_CST);
	w = co_waitq_pick_locked(&first);
	co_waitq_unlock(&to->queue, first);
	if (w)
		(void)co_wake_inline(w);
	else
		co_member_call(to);
}

/* ---- port.c ---- */

/*
 * For a stand-in (team.h): s of that member was received, beyond this board. Context: within reach.
 */
void co_port_received(struct co_member *sender, struct co_message *s);

extern const char co_wait_message[]; /* kind of a wait on a port */

/* The member's port; NULL: no room. */
struct co_port *co_port_make(struct co_member *m);
static inline struct co_port *co_port_of(struct co_member *m)
{
	return m->port ?: co_port_make(m);
}

/* Receive line i. @return 0; -EMSGSIZE; -EOWNERDEAD. Not within reach of other members */
int co_port_take_line(struct co_member *m, struct co_port_window *w, uint32_t i, void *data,
		      size_t room, struct co_message_info *got);

/*
 * Receive for the receives under way: compare the lines with them, then collect all messages on the
 * list `to_fetch`. @return 0; -EOWNERDEAD
 */
int co_port_progress(struct co_member *m);
int co_port_compare(struct co_member *m);
int co_port_collect(struct co_member *m);

/* The message that a receive would get: in a line of a window, or at its sender. */
struct co_found {
	struct co_port_window *window; /* NULL: it is at its sender */
	uint32_t line;
	struct co_message **at; /* NULL: it has an `entry` in the index */
	struct co_index_entry *entry;
	bool any; /* of all ranks */
};

/* Give others the next turn, since a found message is taken, not only looked at. */
static inline void co_port_turn(struct co_port *p, const struct co_found *f)
{
	if (!f->any)
		return;
	p->others_first = f->window;
	if (f->window)
		p->windows = f->window->next;
}

/*
 * Look for a message, after co_port_compare(). Of the messages that came since, lines are found
 * here; listed messages are fetched by the next co_port_progress().
 * @return 0; -EAGAIN: not found; -EOWNERDEAD
 */
int co_port_find(struct co_member *m, const struct co_wanted *wanted, struct co_found *found);

/* Copy memory that stays. May wait, if it is much. */
void co_port_copy(void *to, const void *from, size_t bytes);

/* Fetch s, which is in no list any more. @return 0; -EMSGSIZE; -EOWNERDEAD */
int co_port_fetch(struct co_member *m, struct co_message *s, void *data, size_t room,
		  struct co_message_info *got);

/* Describe a found message. @return 0; -EOWNERDEAD */
int co_port_look(struct co_member *m, const struct co_found *found, struct co_message_info *info);

/* Take out a found message; a line is marked as claimed instead. @return 0; -EOWNERDEAD */
int co_port_claim(struct co_member *m, const struct co_found *found,
		  struct co_message_claim *claim);

/* Let a receive wait for its message, or withdraw it; false: it is not under way. */
void co_port_queue(struct co_port *p, struct co_message *r);
bool co_port_withdraw(struct co_port *p, struct co_message *r);

/* Sleep until over(arg), which is looked at after each progress. @return 0, or why not */
int co_port_await(struct co_member *m, bool (*over)(struct co_member *m, void *arg), void *arg);

/* A co_member_serve_fn: in a wait in a collective the receives under way go on. */
int co_port_serve(struct co_member *m, co_lane_ask_fn *ask, void *arg);

#endif
