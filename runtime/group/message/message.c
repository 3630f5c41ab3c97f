/* message.c - sends and receives, that wait or only begin, and probes. */
#include <cohart/spm.h>

#include "../../core/memory/main_heap.h"
#include "../../core/option.h"
#include "../../core/timeline.h"
#include "port.h"

/* ---- Sending by a line ---- */

static inline bool is_broken(const struct co_member *m)
{
	/* relaxed: a wait looks again. */
	return co_atomic_load(&m->broken, CO_RELAXED);
}

/* Is it a rank, are there messages, and is the team whole? */
static inline bool is_in_reach(const struct co_member *m, unsigned rank)
{
	/* relaxed: the port is this member's; a wait looks again whether the team is broken. */
	return rank < co_atomic_load(&m->reach, CO_RELAXED);
}

/* Is there room for a message in a line of the rank's window? Otherwise it has to wait here. */
static inline bool has_room(struct co_port_out *out)
{
	return co_lane_has_room(&out->ack, out->sent, CO_MESSAGE_LINES);
}

/* The line to send the next message by, where there is room; begin to fill it. */
static inline struct co_port_line *address(struct co_port_out *out, uint32_t sent,
					   struct co_member *to, uint32_t tag, uint32_t context,
					   size_t bytes)
{
	/* relaxed: the message that has opened the window has ended. */
	uint32_t lines = co_atomic_load(&out->lines, CO_RELAXED);
	struct co_port_line *l = (struct co_port_line *)((uintptr_t)to + (uintptr_t)(int32_t)lines);

	l += sent % CO_MESSAGE_LINES;
	out->sent = sent + 1;
	l->tag = tag;
	l->context = context;
	l->bytes = (uint32_t)bytes;
	return l;
}

/* Publish it. Returns 0, for tail calls. */
static inline int publish(struct co_port_out *out, struct co_member *to, struct co_port_line *l)
{
	co_lane_publish(&l->ready);
	return co_lane_wake(&out->ack.wake, &to->waiter);
}

static int post_message(struct co_member *me, const struct co_message *s)
{
	struct co_port_out *out = &me->port->out[s->rank];
	struct co_member *to = co_member_at(me, s->rank);
	struct co_port_line *l = address(out, out->sent, to, s->tag, s->context, s->bytes);

	if (s->bytes)
		memcpy(l->data, s->data, s->bytes);
	co_timeline_sent(co_wait_message, l, out->sent - 1, s->bytes);
	return publish(out, to, l);
}

/* ---- Sending messages that are fetched ---- */

/* A kept message; its bytes follow. */
struct co_port_kept {
	struct co_member_block block;
	struct co_port_kept *next;
	struct co_message m;
};

/* s was fetched: its memory is the sender's again. */
static void count_fetched(struct co_message *s)
{
	if (s->list && !--s->list->waiting)
		s->list->sent -= CO_PORT_HELD;
}

/* A send that keeps a copy gives back this many at least, if they were fetched in order. */
#define REAPED 4

/* Look at the `most` oldest kept messages, and give back each that was fetched. */
static void reap(struct co_member *me, size_t most)
{
	struct co_port *p = me->port;

	for (struct co_port_kept **at = &p->kept, *k; most-- && (k = *at);) {
		size_t bytes = sizeof(*k) + k->m.bytes;

		if (co_message_under_way(&k->m)) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		if (!*at)
			p->kept_end = at;
		count_fetched(&k->m);
		p->kept_bytes -= bytes;
		p->kept_near -= co_spm_hart(k) < 0 ? 0 : bytes;
		co_member_give(me, k);
	}
}

/* Tell the receiver by a line where s is. */
static void announce(struct co_member *me, struct co_port_out *out, struct co_member *to,
		     struct co_message *s)
{
	struct co_port_line *l = address(out, out->sent, to, s->tag, s->context, CO_PORT_ANNOUNCES);

	s->list = NULL;
	l->offer = co_port_offer_of(me, s, s->bytes);
	(void)publish(out, to, l);
}

/* Put s on the receiver's list. */
static void enlist(struct co_member *me, struct co_port_out *out, struct co_member *to,
		   struct co_message *s)
{
	s->list = out;
	s->got = (struct co_message_info){ me->rank, s->tag, s->bytes };
	if (!out->waiting++)
		out->sent += CO_PORT_HELD;
	co_port_list(to, s);
}

/* Let the receiver fetch s. */
static void offer_message(struct co_member *me, struct co_message *s)
{
	struct co_port_out *out = &me->port->out[s->rank];
	struct co_member *to = co_member_at(me, s->rank);

	co_timeline_sent(co_wait_message, s, 0, s->bytes);
	/* relaxed: the line, or the list's lock, publishes it. */
	co_atomic_store(&s->state, CO_MESSAGE_UNDER_WAY, CO_RELAXED);
	if (has_room(out))
		announce(me, out, to, s);
	else
		enlist(me, out, to, s);
}

unsigned co_message_eager_kib = CO_EAGER_SHARE;
CO_OPTION = { "--eager=", &co_message_eager_kib, 1048575, "KiB for messages" };

size_t co_message_kept_most(void)
{
	size_t share = co_main_mine.bytes / 4 / co_machine.harts;
	unsigned kib = co_message_eager_kib;

	return CO_MESSAGE_KEPT_NEAR + (kib == CO_EAGER_SHARE ? share : (size_t)kib * 1024);
}

/* Memory for a copy: of the scratchpad first. NULL: it is too much, or there is no room. */
static struct co_port_kept *take_kept(struct co_member *me, size_t bytes)
{
	struct co_port *p = me->port;
	struct co_port_kept *k = NULL;

	if (bytes <= CO_MESSAGE_KEPT_NEAR - p->kept_near) {
		k = co_member_take(me, bytes, 0);
		p->kept_near += k ? bytes : 0;
	}
	if (!k && bytes <= co_message_kept_most() - p->kept_bytes)
		k = co_member_take_main(me, bytes);
	p->kept_bytes += k ? bytes : 0;
	return k;
}

/* Keep a copy of s and send that. False: it is too much, or there is no room. */
static bool keep(struct co_member *me, const struct co_message *s)
{
	struct co_port *p = me->port;
	struct co_port_kept *k;

	if (s->bytes > CO_MESSAGE_KEPT)
		return false;
	k = take_kept(me, sizeof(*k) + s->bytes);
	if (!k) { /* fetched messages may be behind others */
		reap(me, SIZE_MAX);
		k = take_kept(me, sizeof(*k) + s->bytes);
	}
	if (!k)
		return false;
	k->m = *s;
	k->m.kind = CO_MESSAGE_COPY;
	k->m.data = k + 1;
	co_port_copy(k->m.data, s->data, s->bytes);
	k->next = NULL;
	*p->kept_end = k;
	p->kept_end = &k->next;
	offer_message(me, &k->m);
	return true;
}

/* Offer s, or a copy of data that only this hart can read. */
static int offer_shared(struct co_member *me, struct co_message *s)
{
	s->kind = CO_MESSAGE_SEND;
	s->own = NULL;
	s->data = co_public(s->data, s->bytes);
	if (s->bytes && !co_spm_shared(s->data, s->bytes)) {
		s->own = co_member_take(me, sizeof(struct co_member_block) + s->bytes, 0);
		if (!s->own)
			return -ENOMEM;
		memcpy((struct co_member_block *)s->own + 1, s->data, s->bytes);
		s->data = (struct co_member_block *)s->own + 1;
	}
	offer_message(me, s);
	return 0;
}

/* ---- How one ends ---- */

static void describe(struct co_port *p, const struct co_message *m)
{
	p->wanted = (struct co_wanted){ m->rank, m->tag, m->context };
	p->why = m->kind == CO_MESSAGE_SEND ? "has sent what is not received by" : NULL;
}

/* Nothing is under way with m any more: clean up after it. Returns its result. */
static int end(struct co_member *me, struct co_message *m)
{
	int r = m->kind == CO_MESSAGE_SEND ? 0 : m->error;

	if (m->kind == CO_MESSAGE_SEND) {
		count_fetched(m);
		if (m->own)
			co_member_give(me, m->own);
	}
	co_atomic_store(&m->state, CO_MESSAGE_NONE, CO_RELAXED); /* its own hart's */
	return r;
}

/* Break the team. After that nobody reads from this member's memory. */
static void break_off(struct co_member *me)
{
	co_team_break(me);
	co_await_transfers(me->self);
}

static int broken(struct co_member *me, int r)
{
	if (r == -EOWNERDEAD)
		break_off(me);
	return r;
}

static bool is_over(struct co_member *me, void *m)
{
	(void)me;
	return !co_message_under_way(m);
}

/* Wait for m; -ECANCELED: it goes on. */
static int await(struct co_member *me, struct co_message *m)
{
	int r = 0;

	describe(me->port, m);
	if (co_message_under_way(m))
		r = co_port_await(me, is_over, m);
	me->port->why = NULL;
	return r ? broken(me, r) : end(me, m);
}

/* ---- Sends ---- */

static int check_peer(struct co_member *me, unsigned rank, size_t bytes)
{
	if (is_broken(me))
		return -EOWNERDEAD;
	if ((rank >= me->ranks && rank != CO_ANY_RANK) || bytes > PTRDIFF_MAX)
		return -EINVAL;
	return co_port_of(me) ? 0 : -ENOMEM;
}

/* Send s if that needs no wait. @return 0; -EAGAIN */
static int send_at_once(struct co_member *me, const struct co_message *s, bool sync, bool may_keep)
{
	reap(me, REAPED);
	if (!sync && s->bytes <= CO_MESSAGE_SHORT && has_room(&me->port->out[s->rank]))
		return post_message(me, s);
	return may_keep && keep(me, s) ? 0 : -EAGAIN;
}

static int check_send(struct co_member *me, unsigned to, uint32_t tag, size_t bytes)
{
	return to == CO_ANY_RANK || tag == CO_ANY_TAG ? -EINVAL : check_peer(me, to, bytes);
}

/* A message by the arguments of a call. */
#define MESSAGE(to, of_tag, in_context, from, n)       \
	((struct co_message){ .rank = (to),            \
			      .tag = (of_tag),         \
			      .context = (in_context), \
			      .data = (void *)(from),  \
			      .bytes = (n) })

static NOINLINE int send_and_wait(struct co_member *me, unsigned to, uint32_t tag, uint32_t context,
				  const void *data, size_t bytes, bool sync)
{
	int r = check_send(me, to, tag, bytes);
	struct co_message *own;

	if (r)
		return r;
	own = &me->port->own;
	*own = MESSAGE(to, tag, context, data, bytes);
	r = send_at_once(me, own, sync, !sync);
	if (r != -EAGAIN)
		return r;
	r = offer_shared(me, own);
	if (r)
		return r;
	r = await(me, own);
	if (r == -ECANCELED)
		break_off(me);
	return r;
}

/* Send by a line, at once. If that is not possible, give back kept messages that were fetched. */
int co_message_send(struct co_member *me, unsigned to, uint32_t tag, uint32_t context,
		    const void *data, size_t bytes)
{
	bool word = co_port_is_word(data, bytes);

	if ((word || (bytes <= CO_MESSAGE_SHORT && co_port_is_words(data, bytes))) &&
	    is_in_reach(me, to) && tag != CO_ANY_TAG) {
		struct co_port_out *out = co_port_to(me->port, to);
		uint32_t sent = out->sent;

		if (co_lane_has_room(&out->ack, sent, CO_MESSAGE_LINES)) {
			struct co_member *receiver = co_member_at(me, to);
			struct co_port_line *l = address(out, sent, receiver, tag, context, bytes);

			co_port_copy_words(l->data, data, data, bytes, word);
			return publish(out, receiver, l);
		}
	}
	return send_and_wait(me, to, tag, context, data, bytes, false);
}

int co_message_send_sync(struct co_member *me, unsigned to, uint32_t tag, uint32_t context,
			 const void *data, size_t bytes)
{
	return send_and_wait(me, to, tag, context, data, bytes, true);
}

static int start_send(struct co_member *me, struct co_message *m, bool sync)
{
	int r;

	CO_ASSERT_SHARED(m, sizeof(*m), "a struct co_message");
	r = check_send(me, m->rank, m->tag, m->bytes);
	if (r)
		return r;
	r = send_at_once(me, m, sync,
			 !sync && !co_spm_shared(co_public(m->data, m->bytes), m->bytes));
	return r == -EAGAIN ? offer_shared(me, m) : r;
}

int co_message_send_start(struct co_member *me, unsigned to, uint32_t tag, uint32_t context,
			  const void *data, size_t bytes, struct co_message *m)
{
	/* With a line for the message, a send does not wait. relaxed: its own hart's. */
	if (bytes <= CO_MESSAGE_SHORT && is_in_reach(me, to) &&
	    has_room(co_port_to(me->port, to))) {
		co_atomic_store(&m->state, CO_MESSAGE_NONE, CO_RELAXED);
		return co_message_send(me, to, tag, context, data, bytes);
	}
	*m = MESSAGE(to, tag, context, data, bytes);
	return start_send(me, m, false);
}

int co_message_send_sync_start(struct co_member *me, unsigned to, uint32_t tag, uint32_t context,
			       const void *data, size_t bytes, struct co_message *m)
{
	*m = MESSAGE(to, tag, context, data, bytes);
	return start_send(me, m, true);
}

/* ---- Receives ---- */

/* Take a found message. @return 0; -EMSGSIZE; -EOWNERDEAD */
static int take_found(struct co_member *me, const struct co_found *f, void *data, size_t room,
		      struct co_message_info *got)
{
	struct co_message_claim claim;
	int r;

	if (f->window) {
		co_port_turn(me->port, f);
		return co_port_take_line(me, f->window, f->line, data, room, got);
	}
	r = co_port_claim(me, f, &claim);
	return r ? r : co_port_fetch(me, claim.from, data, room, got);
}

/* Begin to receive. @return 0; others as co_message_recv(): it has not begun, or ended so */
static int start_receive(struct co_member *me, struct co_message *m)
{
	struct co_wanted wanted = { m->rank, m->tag, m->context };
	struct co_found f;
	int r = check_peer(me, m->rank, m->bytes);

	if (!r)
		r = co_port_compare(me);
	if (r)
		return r;
	r = co_port_find(me, &wanted, &f);
	if (!r)
		r = take_found(me, &f, m->data, m->bytes, &m->got);
	m->kind = CO_MESSAGE_RECEIVE;
	m->error = r;
	if (r != -EAGAIN && r != -EMSGSIZE && r)
		return r;
	/* relaxed: its own hart's. */
	co_atomic_store(&m->state, r == -EAGAIN ? CO_MESSAGE_UNDER_WAY : CO_MESSAGE_ENDED,
			CO_RELAXED);
	if (r == -EAGAIN)
		co_port_queue(me->port, m);
	/* After co_port_queue(): a message for m is fetched at once, and read but once. */
	if (!co_port_has_news(me) || !co_port_collect(me) || r != -EAGAIN)
		return 0;
	(void)co_port_withdraw(me->port, m);
	co_atomic_store(&m->state, CO_MESSAGE_NONE, CO_RELAXED); /* its own hart's */
	return -EOWNERDEAD;
}

static NOINLINE int receive_slowly(struct co_member *me, unsigned from, uint32_t tag,
				   uint32_t context, void *data, size_t room,
				   struct co_message_info *got)
{
	struct co_message *own;
	int r = check_peer(me, from, room);

	if (r)
		return r;
	own = &me->port->own;
	*own = MESSAGE(from, tag, context, data, room);
	r = start_receive(me, own);
	if (r)
		return r;
	r = co_message_under_way(own) ? await(me, own) : end(me, own);
	if (r == -ECANCELED)
		(void)co_port_withdraw(me->port, own);
	else if (got && (!r || r == -EMSGSIZE))
		*got = own->got;
	return r;
}

/* Receive l, a window's oldest line, which has come. False: its tag or context is not wanted. */
INLINE bool take_first(struct co_member *me, struct co_port_window *w, struct co_port_line *l,
		       uint32_t tag, uint32_t context, void *data, size_t room,
		       struct co_message_info *got, int *r)
{
	size_t bytes = l->bytes;
	bool word;

	if (!co_port_fits(l->tag, l->context, tag, context))
		return false;
	word = co_port_is_word(data, bytes);
	if (bytes > room || (!word && !co_port_is_words(data, bytes))) { /* or it tells where */
		*r = co_port_take_line(me, w, w->first, data, room, got);
		return true;
	}
	if (got)
		*got = (struct co_message_info){ w->rank, l->tag, bytes };
	co_port_copy_words(data, l->data, data, bytes, word);
	co_port_free_first(w, l);
	*r = 0;
	return true;
}

struct next_line {
	struct co_member *me;
	struct co_port_window *w;
	struct co_port_line *l; /* the window's oldest */
};

INLINE bool ask_for_next(void *next, uint32_t how)
{
	const struct next_line *n = next;

	return co_member_ask(n->me, how) || co_port_ask(n->w, n->l, how) ||
	       co_port_has_news_now(n->me);
}

/* Go on after the wait for the next line of a window, which has resulted in r. */
INLINE int receive_woken(struct co_member *me, struct co_port_window *w, struct co_port_line *l,
			 uint32_t tag, uint32_t context, void *data, size_t room,
			 struct co_message_info *got, int r)
{
	if (co_member_waited(me, r))
		return r;
	if (co_lane_came(&l->ready) && take_first(me, w, l, tag, context, data, room, got, &r))
		return r;
	return receive_slowly(me, w->rank, tag, context, data, room, got);
}

/* Wait for the next line of a window in the queue, since the hart has other things to do. */
static NOINLINE int receive_queued(struct co_member *me, struct co_port_window *w, uint32_t tag,
				   uint32_t context, void *data, size_t room,
				   struct co_message_info *got)
{
	struct next_line next = { me, w, co_port_line(w, w->first) };

	return receive_woken(me, w, next.l, tag, context, data, room, got,
			     co_lane_wait_queued(&me->queue, me->port, co_wait_message, CO_FOREVER,
						 ask_for_next, &next));
}

/*
 * Wait for the next line of a window, which most likely holds the wanted message: in no queue, if
 * the hart has nothing else to do; the line's sender, or a rank that has other news, calls. All
 * calls are last, so that nothing is saved for them.
 */
INLINE int receive_next(struct co_member *me, struct co_port *p, struct co_port_window *w,
			struct co_port_line *l, uint32_t tag, uint32_t context, void *data,
			size_t room, struct co_message_info *got)
{
	struct next_line next = { me, w, l };

	p->wanted = (struct co_wanted){ w->rank, tag, context };
	if (!co_lane_wait_called(p, co_wait_message, CO_FOREVER, ask_for_next, &next))
		return receive_queued(me, w, tag, context, data, room, got);
	return receive_woken(me, w, l, tag, context, data, room, got, 0);
}

int co_message_recv(struct co_member *me, unsigned from, uint32_t tag, uint32_t context, void *data,
		    size_t room, struct co_message_info *got)
{
	struct co_port *p = me->port;
	struct co_port_window *w = is_in_reach(me, from) ? co_port_from(p, from) : NULL;
	struct co_port_line *l;
	int r;

	if (!w || p->receives || w->marks)
		return receive_slowly(me, from, tag, context, data, room, got);
	l = co_port_line(w, w->first);
	if (co_lane_came(&l->ready)) {
		if (take_first(me, w, l, tag, context, data, room, got, &r))
			return r;
	} else if (!p->elsewhere) {
		/*
		 * Nothing has come from the sender, as far as is known here: a line that was
		 * compared with receives, and taken by none, would be there.
		 */
		return receive_next(me, p, w, l, tag, context, data, room, got);
	}
	return receive_slowly(me, from, tag, context, data, room, got);
}

int co_message_recv_start(struct co_member *me, unsigned from, uint32_t tag, uint32_t context,
			  void *data, size_t room, struct co_message *m)
{
	*m = MESSAGE(from, tag, context, data, room);
	return start_receive(me, m);
}

/* ---- Tests and waits ---- */

static bool is_none(const struct co_message *m)
{
	return !m || co_message_idle(m);
}

int co_message_test(struct co_member *me, struct co_message *m)
{
	int r;

	if (is_none(m))
		return 0;
	if (!co_message_under_way(m))
		return end(me, m);
	r = co_port_progress(me);
	if (r)
		return broken(me, r);
	if (!co_message_under_way(m))
		return end(me, m);
	reap(me, REAPED);
	co_pause();
	return -EINPROGRESS;
}

int co_message_progress(struct co_member *me)
{
	int r = me->port ? co_port_progress(me) : 0;

	if (r)
		return broken(me, r);
	if (me->port)
		reap(me, SIZE_MAX);
	return 0;
}

bool co_message_ended(const struct co_message *m)
{
	return is_none(m) || !co_message_under_way(m);
}

int co_message_wait(struct co_member *me, struct co_message *m)
{
	if (is_none(m))
		return 0;
	return co_message_under_way(m) ? await(me, m) : end(me, m);
}

int co_message_wait_all(struct co_member *me, struct co_message *const m[], unsigned n)
{
	int first = 0;

	for (unsigned i = 0; i < n; i++) {
		int r = co_message_wait(me, m[i]);

		if (r == -EOWNERDEAD || (r == -ECANCELED && !is_none(m[i])))
			return r;
		first = first ?: r;
	}
	return first;
}

struct several {
	struct co_message *const *m;
	unsigned n, which;
};

static bool one_is_over(struct co_member *me, void *arg)
{
	struct several *s = arg;
	bool none = true;

	(void)me;
	for (s->which = 0; s->which < s->n; s->which++) {
		if (is_none(s->m[s->which]))
			continue;
		if (!co_message_under_way(s->m[s->which]))
			return true;
		none = false;
	}
	return none;
}

int co_message_wait_any(struct co_member *me, struct co_message *const m[], unsigned n,
			unsigned *which)
{
	struct several s = { m, n, 0 };
	unsigned first = 0;
	int r = 0;

	while (first < n && is_none(m[first]))
		first++;
	if (first < n && !one_is_over(me, &s)) {
		describe(me->port, m[first]);
		r = co_port_await(me, one_is_over, &s);
		me->port->why = NULL;
	}
	if (r)
		return broken(me, r);
	*which = first < n ? s.which : n;
	return *which < n ? end(me, m[*which]) : 0;
}

int co_message_cancel(struct co_member *me, struct co_message *m)
{
	if (is_none(m) || m->kind == CO_MESSAGE_SEND || !co_port_withdraw(me->port, m))
		return -EBUSY;
	m->error = -ECANCELED;
	co_atomic_store(&m->state, CO_MESSAGE_ENDED, CO_RELAXED); /* its own hart's */
	return 0;
}

/* ---- Probes ---- */

struct probe {
	struct co_wanted wanted;
	struct several others; /* the end of one of them is enough */
	struct co_found found;
	int r;
};

static bool has_found(struct co_member *me, void *arg)
{
	struct probe *p = arg;
	struct several *s = &p->others;

	p->r = co_port_find(me, &p->wanted, &p->found);
	return p->r != -EAGAIN || (one_is_over(me, s) && s->which < s->n);
}

/* Find the message that a receive would get. */
static int find_or_wait(struct co_member *me, struct probe *p, bool wait)
{
	int r = check_peer(me, p->wanted.rank, 0);

	if (!r)
		r = co_port_progress(me);
	if (r || has_found(me, p))
		return r ? r : p->r;
	if (!wait) {
		co_pause();
		return -EAGAIN;
	}
	me->port->wanted = p->wanted;
	me->port->why = "looks for a message from";
	me->port->probes = true;
	r = co_port_await(me, has_found, p);
	me->port->probes = false;
	me->port->why = NULL;
	return r ? r : p->r;
}

/* Describe the message that a receive would get, and leave it where it is. */
static int look_for(struct co_member *me, struct probe *p, bool wait, struct co_message_info *got)
{
	int r = find_or_wait(me, p, wait);

	return r ? r : co_port_look(me, &p->found, got);
}

static int claim_found(struct co_member *me, struct probe *p, bool wait,
		       struct co_message_claim *claim)
{
	int r = find_or_wait(me, p, wait);

	return r ? r : co_port_claim(me, &p->found, claim);
}

int co_message_probe(struct co_member *me, unsigned from, uint32_t tag, uint32_t context,
		     struct co_message_info *got)
{
	return look_for(me, &(struct probe){ .wanted = { from, tag, context } }, true, got);
}

int co_message_try_probe(struct co_member *me, unsigned from, uint32_t tag, uint32_t context,
			 struct co_message_info *got)
{
	return look_for(me, &(struct probe){ .wanted = { from, tag, context } }, false, got);
}

int co_message_probe_or_any(struct co_member *me, unsigned from, uint32_t tag, uint32_t context,
			    struct co_message *const m[], unsigned n)
{
	struct probe p = { .wanted = { from, tag, context }, .others = { m, n, 0 } };
	int r = find_or_wait(me, &p, true);

	return r == -EAGAIN ? 0 : r;
}

int co_message_claim(struct co_member *me, unsigned from, uint32_t tag, uint32_t context,
		     struct co_message_claim *to)
{
	return claim_found(me, &(struct probe){ .wanted = { from, tag, context } }, true, to);
}

int co_message_try_claim(struct co_member *me, unsigned from, uint32_t tag, uint32_t context,
			 struct co_message_claim *to)
{
	return claim_found(me, &(struct probe){ .wanted = { from, tag, context } }, false, to);
}

int co_message_recv_claimed(struct co_member *me, struct co_message_claim *claim, void *data,
			    size_t room)
{
	struct co_port_window *w = claim->window;

	if (is_broken(me))
		return -EOWNERDEAD;
	if (!w)
		return co_port_fetch(me, claim->from, data, room, NULL);
	w->marks &= ~(CO_PORT_CLAIMED << (claim->line - w->first));
	return co_port_take_line(me, w, claim->line, data, room, NULL);
}
