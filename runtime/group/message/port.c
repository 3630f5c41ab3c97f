/* port.c - the receiver's part of messages: windows, messages that wait at senders, and waits. */
#include "port.h"

#include "../../comm/handoff.h"
#include "../../core/hook.h"
#include "../../core/timeline.h"
#include "../../dma/dma.h"

/* ---- The port ---- */

/* Windows for the partners of a collective, which are a power of two away, and some others. */
static unsigned windows_for(uint32_t ranks)
{
	unsigned n = 1;

	while (ranks >> (n - 1) > 1)
		n++;
	n = n < CO_MESSAGE_FEW_WINDOWS ? CO_MESSAGE_FEW_WINDOWS : n;
	return co_least(co_least(n, CO_MESSAGE_WINDOWS), ranks);
}

struct co_port *co_port_make(struct co_member *m)
{
	size_t each = sizeof(struct co_port_out) + sizeof(unsigned char);
	size_t bytes = sizeof(struct co_port) + m->ranks * each;
	struct co_port *p = co_member_take(m, bytes, bytes);

	if (!p)
		return NULL;
	p->receives_end = &p->receives;
	p->arrived_end = &p->arrived;
	p->kept_end = &p->kept;
	p->may_open = windows_for(m->ranks);
	p->in = (unsigned char *)&p->out[m->ranks];
	p->rank = m->rank;
	for (uint32_t i = 0; i < m->ranks; i++)
		p->out[i].sent = CO_MESSAGE_LINES;
	m->port = p;
	m->serve = co_port_serve;
	/*
	 * seq_cst: before the look; pairs with co_team_break(), which is before it or ends it. With
	 * a timeline no rank is in reach of the fast paths, which note nothing.
	 */
	co_atomic_store(&m->reach, co_executor.trace ? 0 : m->ranks, CO_SEQ_CST);
	if (co_atomic_load(&m->broken, CO_SEQ_CST))
		co_atomic_store(&m->reach, 0, CO_RELAXED);
	return p;
}

/* Open a window for a sender that is heard of for the first time; NULL: no room. */
static struct co_port_window *open_window(struct co_member *m, const struct co_message *s)
{
	struct co_port *p = m->port;
	struct co_port_window *w;

	/* All at once, so that the heap keeps one header; half where there is no room now. */
	for (uint32_t n = p->may_open; !p->room && n; n /= 2) {
		p->room = co_member_take(m, n * sizeof(*w), n * sizeof(*w));
		if (p->room)
			p->may_open = n;
	}
	if (!p->room || p->opened == p->may_open)
		return NULL;
	w = &p->room[p->opened++];
	p->window[p->opened] = w;
	w->rank = s->got.rank;
	w->out = s->list;
	w->next = p->windows ? p->windows->next : w;
	if (p->windows)
		p->windows->next = w;
	else
		p->windows = w;
	p->in[w->rank] = (unsigned char)p->opened;
	w->first = w->seen = CO_MESSAGE_LINES;
	/* relaxed, both: the sender looks here after it has seen that s was fetched. */
	co_atomic_store(&w->out->lines, (uint32_t)((uintptr_t)w->line - (uintptr_t)m), CO_RELAXED);
	co_atomic_store(&w->out->ack.acked, CO_MESSAGE_LINES, CO_RELAXED);
	return w;
}

/* ---- Matching ---- */

/* Find a line. Receives under way come first: lines not yet compared with them are passed over. */
static bool find_line(const struct co_port *p, struct co_port_window *w,
		      const struct co_wanted *wanted, uint32_t *line)
{
	for (uint32_t i = w->first; i - w->first < CO_MESSAGE_LINES; i++) {
		if ((i == w->seen && p->receives) || !co_port_line_ready(w, i))
			break;
		if (co_port_line_fits(w, i, wanted->tag, wanted->context)) {
			*line = i;
			return true;
		}
	}
	return false;
}

/* The receives under way that a message is for; NULL: none. */
static struct co_message **receive_for(struct co_port *p, uint32_t rank, uint32_t tag,
				       uint32_t context)
{
	for (struct co_message **at = &p->receives; *at; at = &(*at)->next) {
		if (((*at)->rank == rank || (*at)->rank == CO_ANY_RANK) &&
		    co_port_fits(tag, context, (*at)->tag, (*at)->context))
			return at;
	}
	return NULL;
}

static inline struct co_message *unlink_at(struct co_message **at, struct co_message ***end)
{
	struct co_message *m = *at;

	*at = m->next;
	if (*end == &m->next)
		*end = at;
	return m;
}

/* ---- Receiving ---- */

/* co_dma_move(), if the bytes are many and the image has transfers. False: the caller copies. */
static inline bool begin_move(struct co_dma **d, void *to, const void *from, size_t bytes,
			      struct co *of)
{
	return bytes >= CO_MESSAGE_MOVED && co_dma_move && co_dma_move(d, to, from, bytes, of);
}

void co_port_copy(void *to, const void *from, size_t bytes)
{
	struct co_dma *d;

	if (begin_move(&d, to, from, bytes, NULL) && (!d || !co_dma_move_end(d)))
		return;
	if (bytes) /* else there may be no data */
		memcpy(to, from, bytes);
}

/*
 * Copy from a sender's memory. While another moves it, m is out of reach: the sender's coroutine
 * stays as long as that reads its memory. False: the team has broken meanwhile.
 */
static bool bring(struct co_member *m, struct co *of, void *to, const void *from, size_t bytes)
{
	struct co_dma *d;
	bool moved = begin_move(&d, to, from, bytes, of);

	if (moved && d) {
		co_member_let_go(m);
		moved = !co_dma_move_end(d);
		if (!co_member_reach(m))
			return false;
	}
	if (!moved && bytes) /* else there may be no data */
		memcpy(to, from, bytes);
	return true;
}

/* The message has been read: its sender may go on. Context: within reach. */
INLINE void tell_sender(struct co_member *sender, const struct co_port_offer *o)
{
	/* seq_cst: the data were read, and before the looks; pairs with co_message_under_way(). */
	co_atomic_store(&o->m->state, CO_MESSAGE_ENDED, CO_SEQ_CST);
	if (!o->home)
		return;
	/* seq_cst: after the state; pairs with co_member_ask(). */
	if (co_atomic_load(&sender->callable, CO_SEQ_CST))
		co_call(o->home, o->doorbell);
	else
		(void)co_wake_one(&sender->queue);
}

void co_port_received(struct co_member *sender, struct co_message *s)
{
	struct co_port_offer o = co_port_offer_of(sender, s, s->bytes);

	tell_sender(sender, &o);
}

/* Fetch a message from its sender. @return 0; -EMSGSIZE; -EOWNERDEAD. Context: within reach. */
static int fetch(struct co_member *m, uint32_t rank, const struct co_port_offer *o, void *data,
		 size_t room)
{
	if (!bring(m, o->by, data, o->data, co_least(o->bytes, room)))
		return -EOWNERDEAD;
	co_timeline_received(co_wait_message, o->m, 0);
	tell_sender(co_member_at(m, rank), o);
	return o->bytes > room ? -EMSGSIZE : 0;
}

/* fetch() of a listed message, s: each word of s that is looked at is a remote read. */
static int fetch_listed(struct co_member *m, struct co_message *s,
			const struct co_message_info *got, void *data, size_t room)
{
	struct co_port_offer o = co_port_offer_of(co_member_at(m, got->rank), s, got->bytes);

	return fetch(m, got->rank, &o, data, room);
}

int co_port_fetch(struct co_member *m, struct co_message *s, void *data, size_t room,
		  struct co_message_info *got)
{
	struct co_message_info info;
	int r;

	if (!co_member_reach(m))
		return -EOWNERDEAD;
	info = s->got;
	r = fetch_listed(m, s, &info, data, room);
	co_member_let_go(m);
	if (got && r != -EOWNERDEAD)
		*got = info;
	return r;
}

static size_t bytes_of(const struct co_port_line *l)
{
	return l->bytes == CO_PORT_ANNOUNCES ? l->offer.bytes : l->bytes;
}

int co_port_take_line(struct co_member *m, struct co_port_window *w, uint32_t i, void *data,
		      size_t room, struct co_message_info *got)
{
	struct co_port_line *l = co_port_line(w, i);
	const struct co_message_info info = { w->rank, l->tag, bytes_of(l) };
	bool announces = l->bytes == CO_PORT_ANNOUNCES;
	struct co_port_offer offer;
	int r = info.bytes > room ? -EMSGSIZE : 0;

	if (announces)
		offer = l->offer;
	else if (info.bytes && room) /* else there may be no data */
		memcpy(data, l->data, co_least(info.bytes, room));
	if (!announces)
		co_timeline_received(co_wait_message, l, i);
	co_port_line_taken(w, i);
	if (announces) {
		if (!co_member_reach(m))
			return -EOWNERDEAD;
		r = fetch(m, info.rank, &offer, data, room);
		co_member_let_go(m);
	}
	if (got && r != -EOWNERDEAD)
		*got = info;
	return r;
}

int co_port_look(struct co_member *m, const struct co_found *found, struct co_message_info *info)
{
	struct co_port_window *w = found->window;
	const struct co_port_line *l;

	if (w) {
		l = co_port_line(w, found->line);
		*info = (struct co_message_info){ w->rank, l->tag, bytes_of(l) };
		return 0;
	}
	if (!co_member_reach(m))
		return -EOWNERDEAD;
	*info = (found->at ? *found->at : found->entry->m)->got;
	co_member_let_go(m);
	return 0;
}

int co_port_claim(struct co_member *m, const struct co_found *found, struct co_message_claim *claim)
{
	struct co_port_window *w = found->window;
	int r = co_port_look(m, found, &claim->info);

	if (r)
		return r;
	co_port_turn(m->port, found);
	claim->window = w;
	claim->line = found->line;
	if (w) {
		w->marks |= CO_PORT_CLAIMED << (found->line - w->first);
		return 0;
	}
	if (!co_member_reach(m))
		return -EOWNERDEAD;
	m->port->elsewhere--;
	claim->from = found->at ? unlink_at(found->at, &m->port->arrived_end)
				: co_index_take(m, found->entry);
	co_member_let_go(m);
	return 0;
}

void co_port_queue(struct co_port *p, struct co_message *r)
{
	r->next = NULL;
	*p->receives_end = r;
	p->receives_end = &r->next;
}

bool co_port_withdraw(struct co_port *p, struct co_message *r)
{
	for (struct co_message **at = &p->receives; *at; at = &(*at)->next) {
		if (*at != r)
			continue;
		unlink_at(at, &p->receives_end);
		return true;
	}
	return false;
}

/* A receive has ended. */
static void end_receive(struct co_message *r, int error)
{
	r->error = error;
	co_atomic_store(&r->state, CO_MESSAGE_ENDED, CO_RELAXED); /* its own hart's */
}

/* Compare new lines with the receives under way. @return 0; -EOWNERDEAD */
static int look_at_lines(struct co_member *m, struct co_port_window *w)
{
	struct co_port *p = m->port;

	while (w->seen - w->first < CO_MESSAGE_LINES && co_port_line_ready(w, w->seen)) {
		uint32_t i = w->seen++;
		const struct co_port_line *l = co_port_line(w, i);
		struct co_message **at, *r;
		int e;

		if (co_port_line_marked(w, i))
			continue;
		at = receive_for(p, w->rank, l->tag, l->context);
		if (!at)
			continue;
		r = unlink_at(at, &p->receives_end);
		e = co_port_take_line(m, w, i, r->data, r->bytes, &r->got);
		end_receive(r, e);
		if (e == -EOWNERDEAD)
			return e;
	}
	return 0;
}

int co_port_compare(struct co_member *m)
{
	struct co_port *p = m->port;
	struct co_port_window *w = p->windows;

	/* relaxed: a wait looks again. */
	if (co_atomic_load(&m->broken, CO_RELAXED))
		return -EOWNERDEAD;
	if (w && (p->receives || p->probes)) {
		do {
			int r = look_at_lines(m, w);

			if (r)
				return r;
		} while ((w = w->next) != p->windows);
	}
	return 0;
}

/* A message waits at its sender. @return 0; -EOWNERDEAD, out of reach */
static int look_at(struct co_member *m, struct co_message *s)
{
	const struct co_message_info got = s->got;
	struct co_port *p = m->port;
	struct co_message **at = receive_for(p, got.rank, got.tag, s->context), *r;
	int e;

	if (!co_port_from(p, got.rank) && s->list) /* a stand-in has no lines */
		(void)open_window(m, s);
	if (at) {
		r = unlink_at(at, &p->receives_end);
		e = fetch_listed(m, s, &got, r->data, r->bytes);
		r->got = got;
		end_receive(r, e);
		return e == -EOWNERDEAD ? e : 0;
	}
	s->next = NULL;
	*p->arrived_end = s;
	p->arrived_end = &s->next;
	p->elsewhere++;
	return 0;
}

int co_port_collect(struct co_member *m)
{
	struct co_waiter *first = co_wait_lock(&m->queue);
	struct co_message *s, *next, *oldest = NULL;
	int r;

	s = (struct co_message *)co_atomic_load(&m->to_fetch, CO_RELAXED); /* locked */
	co_atomic_store(&m->to_fetch, 0, CO_RELAXED);
	co_waitq_unlock(&m->queue, first);
	r = co_port_compare(m); /* lines from a sender are older than its listed messages */
	if (r)
		return r;
	if (!co_member_reach(m))
		return -EOWNERDEAD;
	for (; s; s = next) {
		next = s->next;
		s->next = oldest;
		oldest = s;
	}
	for (s = oldest; s && !r; s = next) {
		next = s->next;
		r = look_at(m, s);
	}
	co_member_let_go(m);
	return r;
}

int co_port_progress(struct co_member *m)
{
	return co_port_has_news(m) ? co_port_collect(m) : co_port_compare(m);
}

/* ---- Finding ---- */

static bool find_in_windows(struct co_port *p, const struct co_wanted *wanted, struct co_found *f)
{
	struct co_port_window *w = wanted->rank == CO_ANY_RANK ? p->windows
							       : co_port_from(p, wanted->rank);
	struct co_port_window *begin = w;

	if (!w)
		return false;
	do {
		if (find_line(p, w, wanted, &f->line)) {
			f->window = w;
			return true;
		}
		w = w->next;
	} while (wanted->rank == CO_ANY_RANK && w != begin);
	return false;
}

/*
 * May a receive get a message that waits at this rank? A line comes first. Where the receive names
 * its rank, no line fits: co_port_find().
 */
static bool has_its_turn(struct co_port *p, uint32_t rank, const struct co_wanted *wanted)
{
	uint32_t line;

	return wanted->rank != CO_ANY_RANK || !p->in[rank] ||
	       !find_line(p, co_port_from(p, rank), wanted, &line);
}

static bool find_passed(struct co_port *p, const struct co_wanted *wanted, struct co_found *f)
{
	struct co_index_place *oldest = co_index_find(&p->passed, wanted), *place = oldest;

	if (!oldest)
		return false;
	do {
		struct co_index_entry *e = co_index_entry(place);

		if (has_its_turn(p, e->place[0].key.rank, wanted)) {
			*f = (struct co_found){ .entry = e };
			return true;
		}
		place = place->next;
	} while (place != oldest);
	return false;
}

/* Move the oldest of `arrived` to the index. False: no memory, all stays. */
static bool pass_over(struct co_member *m)
{
	struct co_port *p = m->port;
	struct co_message *s = p->arrived;
	const struct co_wanted its = { s->got.rank, s->tag, s->context };

	if (!co_index_add(m, &p->passed, s, &its))
		return false;
	unlink_at(&p->arrived, &p->arrived_end);
	return true;
}

/*
 * Find it in `arrived`. A receive passes over this many messages there; for more, it moves
 * the oldest to the index.
 */
#define PASSED_OVER 8

static bool find_in_list(struct co_member *m, const struct co_wanted *wanted, struct co_found *f)
{
	struct co_port *p = m->port;
	bool room = true;
	unsigned n = 0;

	for (struct co_message **at = &p->arrived; *at; at = &(*at)->next) {
		uint32_t rank = (*at)->got.rank;

		if ((wanted->rank == rank || wanted->rank == CO_ANY_RANK) &&
		    co_port_fits((*at)->tag, (*at)->context, wanted->tag, wanted->context) &&
		    has_its_turn(p, rank, wanted)) {
			*f = (struct co_found){ .at = at };
			return true;
		}
		if (n < PASSED_OVER)
			n++;
		else if (room)
			room = pass_over(m);
	}
	return false;
}

/* The oldest that waits at its sender; of a sender whose lines hold none that is wanted. */
static int find_arrived(struct co_member *m, const struct co_wanted *wanted, struct co_found *f)
{
	struct co_port *p = m->port;
	int r = -EAGAIN;

	if (p->passed && find_passed(p, wanted, f))
		return 0;
	if (!p->arrived)
		return r;
	if (!co_member_reach(m))
		return -EOWNERDEAD;
	if (find_in_list(m, wanted, f))
		r = 0;
	co_member_let_go(m);
	return r;
}

int co_port_find(struct co_member *m, const struct co_wanted *wanted, struct co_found *found)
{
	struct co_port *p = m->port;
	bool any = wanted->rank == CO_ANY_RANK;
	int r = any && p->others_first ? find_arrived(m, wanted, found) : -EAGAIN;

	if (r == -EAGAIN)
		r = find_in_windows(p, wanted, found) ? 0 : find_arrived(m, wanted, found);
	found->any = any;
	return r;
}

/* ---- Waiting ---- */

/* Ask for a line that was not compared; without one the sender has none, either. */
static bool ask_sender(struct co_port_window *w, uint32_t how)
{
	return w->seen - w->first < CO_MESSAGE_LINES &&
	       co_port_ask(w, co_port_line(w, w->seen), how);
}

static bool ask_all(struct co_port *p, uint32_t how)
{
	struct co_port_window *w = p->windows;
	bool came = false;

	if (w) {
		do
			came |= ask_sender(w, how);
		while ((w = w->next) != p->windows);
	}
	return came;
}

/* Ask the senders whose lines this member may wait for. */
static bool ask_wanted(struct co_port *p, uint32_t how)
{
	bool came = false;

	if (p->probes)
		return ask_all(p, how);
	for (const struct co_message *r = p->receives; r; r = r->next) {
		if (r->rank == CO_ANY_RANK)
			return ask_all(p, how);
		if (p->in[r->rank])
			came |= ask_sender(co_port_from(p, r->rank), how);
	}
	return came;
}

const char co_wait_message[] = "message";

struct port_wait {
	struct co_member *m;
	bool (*over)(struct co_member *m, void *arg);
	void *arg;
	co_lane_ask_fn *ask; /* beside the port, or NULL */
	void *ask_arg;
};

static bool ask_for_port(void *wait, uint32_t how)
{
	struct port_wait *w = wait;
	struct co_member *m = w->m;

	return co_member_ask(m, how) || ask_wanted(m->port, how) || co_port_has_news_now(m) ||
	       (w->ask && w->ask(w->ask_arg, how)) || w->over(m, w->arg);
}

/*
 * Sleep once. A look may take as long as there are messages, so this member enters its queue
 * before, and does not look under the queue's lock, for which senders spin.
 */
static int sleep_once(struct port_wait *wait)
{
	struct co_member *m = wait->m;
	const void *object = wait->ask ? (const void *)m->team : m->port;
	const char *kind = wait->ask ? co_wait_collective : co_wait_message;
	struct co_waiter *w;

	if (co_lane_wait_called(object, kind, CO_FOREVER, ask_for_port, wait))
		return 0;
	w = co_wait_prepare_inline(&m->queue, object, kind, false, 0);
	if (!ask_for_port(wait, CO_LANE_QUEUED))
		return co_wait_commit_inline(w, CO_FOREVER);
	(void)co_wait_abandon(w);
	return 0;
}

static bool has_news(struct co_member *m, void *meanwhile)
{
	const struct co_team_meanwhile *w = meanwhile;

	(void)m;
	return w && w->news();
}

/* A wait for a line of a collective, as `ask` says. */
int co_port_serve(struct co_member *m, co_lane_ask_fn *ask, void *arg)
{
	struct port_wait w = { m, has_news, (void *)m->meanwhile, ask, arg };
	int r;

	if (!m->port->receives && !m->meanwhile)
		return -EAGAIN;
	r = co_port_progress(m);
	if (!r && m->meanwhile)
		m->meanwhile->go_on();
	return r ? r : sleep_once(&w);
}

int co_port_await(struct co_member *m, bool (*over)(struct co_member *m, void *arg), void *arg)
{
	struct port_wait w = { m, over, arg, NULL, NULL };
	int r;

	while (!(r = co_port_progress(m)) && !over(m, arg)) {
		r = co_member_waited(m, sleep_once(&w));
		if (r)
			break;
	}
	return r;
}

/* ---- Reports ---- */

static void add_name(struct co_text *t, const char *before, uint32_t n, uint32_t any)
{
	if (n == any)
		co_text_add(t, "%sany", before);
	else
		co_text_add(t, "%s%lu", before, (unsigned long)n);
}

static bool blame_port(const struct co_stuck *w)
{
	const struct co_port *p = (const struct co_port *)w->object;
	struct co_text *t = w->text;

	if (!t || w->kind != co_wait_message)
		return false;
	co_text_add(t, "rank %lu %s", (unsigned long)p->rank, p->why ?: "waits for a message from");
	add_name(t, " rank ", p->wanted.rank, CO_ANY_RANK);
	add_name(t, ", tag ", p->wanted.tag, CO_ANY_TAG);
	co_text_add(t, ", context %lu", (unsigned long)p->wanted.context);
	return true;
}

CO_HOOKS = { .explain = blame_port };
