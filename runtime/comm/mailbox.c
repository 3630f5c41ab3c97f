/*
 * mailbox.c - messages to a hart's receive queues, and the mailboxes that are filled from there.
 *
 * Sending: whoever gives room back, mostly the receiver, claims it for the sender that has waited
 * longest, and wakes that: no sender is overtaken, or woken in vain. A sender that has begun to
 * wait looks for room in the same way, for the first one there, as does one that gives up.
 *
 * Receiving: a receiver accesses its own hart's memory only. If it finds nothing, it arms its
 * queue, looks again and sleeps; a sender that has put a message looks whether the queue is armed,
 * and posts the queue's arrival message if so. That runs on the receiving hart, at a scheduling
 * point, hands messages to mailboxes, wakes receivers, or arms the queue again while a coroutine
 * waits. While coroutines wait, the queue is armed or some of them have been woken, and these pass
 * on the hints that they do not use.
 *
 * Mailboxes: a hart sorts messages from its queues into its mailboxes, so nothing about these is
 * atomic but the wake-ups. The next message for a full mailbox stays in the queue: that holds back
 * the queue, and in the end its senders.
 */
#include <errno.h>

#include <cohart/mailbox.h>
#include <cohart/spm.h>
#include <hal/mailbox.h>

#include "../core/core.h"
#include "../core/hook.h"
#include "../core/lost.h"
#include "handoff.h"

/* Stands for any queue. */
#define ANY CO_MAIL_QUEUES

/* A message's head, as hal/mailbox.h wants it: size, sender, tag. */
#define HEAD_SENDER_SHIFT 8
#define HEAD_TAG_SHIFT 18

_Static_assert(HAL_MAILBOX_WORDS == CO_MAILQ_WORDS, "both kinds of queues hold the same");
_Static_assert(HAL_MAILBOX_WORDS == CO_MAIL_WORDS, "the page for people says what is true");
_Static_assert(CO_MAIL_TAGGED + 1 == CO_MAIL_QUEUES, "the last queue is the catch-all");
_Static_assert(BOARD_MAX_HARTS <= 1 << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT),
	       "a head names its sender");
_Static_assert(CO_MAIL_TAG_MAX < 1 << (32 - HEAD_TAG_SHIFT), "a head names its tag");

static inline unsigned tag_of(uint32_t head)
{
	return head >> HEAD_TAG_SHIFT;
}

static inline struct co_mail describe_mail(uint32_t head, unsigned queue)
{
	return (struct co_mail){
		.size = HAL_MAILBOX_SIZE(head),
		.sender = head >> HEAD_SENDER_SHIFT &
			  ((1u << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT)) - 1),
		.tag = (uint16_t)tag_of(head),
		.queue = (uint16_t)queue,
	};
}

static inline struct co_mailboxes *mine(void)
{
	return co_mailboxes_of(co_executor.self, co_executor.hart);
}

/* ---- Tags ---- */

#define TAGS (sizeof(uintptr_t) / sizeof(uint16_t)) /* tags in a word */

/* The queue that a tag's messages go to. An unbound queue looks as if bound to -1. */
static inline unsigned route(struct co_mailboxes *box, unsigned tag)
{
	for (unsigned q = 0; q < CO_MAIL_TAGGED; q += TAGS) {
		/* relaxed: a tag is bound before its senders are notified of it. */
		uintptr_t tags = co_atomic_load(&box->tags[q / TAGS], CO_RELAXED);

		for (unsigned i = 0; i < TAGS; i++, tags >>= 16) {
			if ((uint16_t)tags == tag + 1)
				return q + i;
		}
	}
	return CO_MAIL_TAGGED;
}

/* tag is -1 to unbind. */
static void set_tag(struct co_mailboxes *box, unsigned q, int tag)
{
	struct co_aword *word = &box->tags[q / TAGS];
	unsigned shift = q % TAGS * 16;
	/* relaxed: only this hart writes it; see route(). */
	uintptr_t tags = co_atomic_load(word, CO_RELAXED) & ~((uintptr_t)0xffff << shift);

	co_atomic_store(word, tags | (uintptr_t)(tag + 1) << shift, CO_RELAXED);
}

/* ---- The messages of a queue: the board's (hal/mailbox.h), or one of lf/mailbox.h ---- */

static inline unsigned hart_of(const struct co_mail_queue *q)
{
	return (unsigned)co_hart_owning(q);
}

static inline unsigned index_of(const struct co_mail_queue *q)
{
	return (unsigned)(q - co_mailboxes_of(co_hart_at(hart_of(q)), hart_of(q))->queue);
}

static inline bool claim_room(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_claim(hart_of(q), index_of(q), n);
	while (co_mailq_room(&q->messages, n)) {
		if (co_mailq_claim(&q->messages, n))
			return true;
	}
	return false;
}

static inline void unclaim_room(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_unclaim(hart_of(q), index_of(q), n);
	else
		co_mailq_unclaim(&q->messages, n);
}

static inline int put_message(struct co_mail_queue *q, uint32_t head, const uintptr_t *words,
			      bool claimed)
{
	if (HAL_MAILBOX_EXISTS())
		return hal_mailbox_put(hart_of(q), index_of(q), head, words, claimed);
	if (!claimed && !co_mailq_claim(&q->messages, HAL_MAILBOX_SIZE(head)))
		return -EAGAIN;
	co_mailq_put(&q->messages, head, words, HAL_MAILBOX_SIZE(head));
	return 0;
}

/* Claim room for the longest waiting sender and end its wait; NULL: no room, or no sender. */
static struct co_waiter *pick_sender(struct co_mail_queue *q)
{
	struct co_handoff h = co_handoff_lock(&q->senders);
	struct co_waiter *w;

	while ((w = h.first)) {
		if (!claim_room(q, w->place)) {
			w = NULL;
			break;
		}
		if (co_handoff_take_first(&h))
			break;
		/* Its wait has just ended otherwise. */
		unclaim_room(q, w->place);
	}
	co_handoff_unlock(&h);
	return w;
}

/* Give free room to waiting senders. Context: any hart. */
static void admit_senders(struct co_mail_queue *q)
{
	struct co_waiter *w;

	while (co_waitq_any(&q->senders) && (w = pick_sender(q)))
		co_wake(w);
}

/* The head of the oldest message; 0: there is none. Here and below: for the receiving hart. */
static inline uint32_t oldest(struct co_mailboxes *box, unsigned q)
{
	return HAL_MAILBOX_EXISTS() ? hal_mailbox_look(q) : co_mailq_look(&box->queue[q].messages);
}

static inline void copy_oldest(struct co_mailboxes *box, unsigned q, unsigned from,
			       uintptr_t *words, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_read(q, from, words, n);
	else
		co_mailq_read(&box->queue[q].messages, from, words, n);
}

/* Drop the oldest message, of n words. */
static inline void drop_oldest(struct co_mailboxes *box, unsigned q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_drop(q);
	else
		co_mailq_drop(&box->queue[q].messages, n);
	if (co_waitq_any(&box->queue[q].senders))
		admit_senders(&box->queue[q]);
}

/* ---- Sending ---- */

/* A message has been put: post the arrival if the receiver has armed the queue. */
static inline void notify_receiver(unsigned hart, struct co_mail_queue *q)
{
	/*
	 * seq_cst: after the message; pairs with listen(). acquire: one sender alone posts, and
	 * the arrival message is free by then; pairs with listen().
	 */
	if (co_atomic_load(&q->armed, CO_SEQ_CST) && co_atomic_swap(&q->armed, 0, CO_ACQUIRE))
		co_post(hart, &q->arrival);
}

/* The hart is lost: wake its senders, which look for that. */
static void turn_senders_away(unsigned hart)
{
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);

	for (unsigned i = 0; i < CO_MAIL_QUEUES; i++) {
		if (co_lost_queue(&box->queue[i].senders))
			co_wake_all(&box->queue[i].senders);
	}
}

CO_HOOKS = { .hart_stopped = turn_senders_away };

/* Wait until the caller has room for n words. */
static int wait_for_room(unsigned hart, struct co_mail_queue *q, unsigned n, uint64_t deadline)
{
	struct co_waiter *w = co_wait_prepare_as(&q->senders, q, "room in a mailbox queue", n);
	int r;

	admit_senders(q); /* look again; it may admit this sender */
	r = co_handoff_sleep(co_hart_past(hart) ? 0 : deadline);
	if (r != -ECANCELED && co_hart_past(hart))
		r = -EHOSTDOWN;
	if (r) {
		co_waitq_leave(w);
		admit_senders(q); /* the next one may need less */
	}
	return r;
}

static inline int send_message(unsigned hart, int tag, const uintptr_t *words, unsigned n,
			       uint64_t deadline, bool wait)
{
	uint32_t head = n | co_executor.hart << HEAD_SENDER_SHIFT | (uint32_t)tag << HEAD_TAG_SHIFT;
	struct co_mailboxes *box;
	struct co_mail_queue *q;
	int r;

	if (hart >= co_machine.harts || (unsigned)tag > CO_MAIL_TAG_MAX || !n)
		return -EINVAL;
	if (n > CO_MAIL_WORDS)
		return -EMSGSIZE;
	/* A wild pointer faults here, before room is claimed. */
	(void)*(const volatile uintptr_t *)words;
	(void)*(const volatile uintptr_t *)&words[n - 1]; /* at most two pages */
	box = co_mailboxes_of(co_hart_at(hart), hart);
	q = &box->queue[route(box, (unsigned)tag)];
	/* Waiting senders go first; one that is missed arrives at the same moment. */
	r = co_waitq_known(&q->senders) ? -EAGAIN : put_message(q, head, words, false);
	if (r) {
		admit_senders(q); /* the failed claim may have misled a waiting sender */
		if (!wait)
			return co_hart_past(hart) ? -EHOSTDOWN : -EAGAIN;
		r = wait_for_room(hart, q, n, deadline);
		if (r)
			return r;
		(void)put_message(q, head, words, true);
	}
	notify_receiver(hart, q);
	return 0;
}

int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return send_message(hart, tag, words, n, 0, false);
}

int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline)
{
	if (!co_executor.current)
		return -EDEADLK;
	return send_message(hart, tag, words, n, deadline, true);
}

int co_mail_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return co_mail_send_until(hart, tag, words, n, CO_FOREVER);
}

/* ---- Arrivals ---- */

/* The mailbox that is open for a tag on this hart; NULL: none. */
static struct co_mailbox *find_mailbox(struct co_mailboxes *box, unsigned tag)
{
	struct co_mailbox *b = box->open;

	while (b && b->tag != tag)
		b = b->next;
	return b;
}

/* Storage is a ring of words: each message's head, then its words. */
static unsigned place_after(const struct co_mailbox *b, unsigned place, unsigned n)
{
	/* The sum cannot wrap: b->words is less than half of the type's range. */
	return place + n >= b->words ? place + n - b->words : place + n;
}

/* Copy the queue's oldest message into storage; false: it does not fit now. */
static bool store_message(struct co_mailbox *b, unsigned queue, uint32_t head)
{
	struct co_mailboxes *box = mine();
	unsigned n = HAL_MAILBOX_SIZE(head);
	unsigned place = place_after(b, b->first, b->used);
	unsigned run;

	if (b->used + n + 1 > b->words) {
		struct co_mail m = describe_mail(head, queue);

		if (n + 1 > b->words)
			co_panic("mailbox of tag %u: %u words from hart %u, storage for %u", m.tag,
				 n, m.sender, b->words - 1);
		return false;
	}
	b->storage[place] = head;
	place = place_after(b, place, 1);
	run = b->words - place < n ? b->words - place : n;
	copy_oldest(box, queue, 0, &b->storage[place], run);
	if (run < n)
		copy_oldest(box, queue, run, b->storage, n - run);
	b->used += n + 1;
	return true;
}

/* Hand the queue's oldest messages to their mailboxes, up to one without mailbox or room. */
static void hand_out(struct co_mailboxes *box, unsigned q)
{
	struct co_mailbox *b;
	uint32_t head;

	while ((head = oldest(box, q)) && (b = find_mailbox(box, tag_of(head)))) {
		if (b->fn) {
			struct co_mail m = describe_mail(head, q);

			b->fn(b, &m);
		} else if (!store_message(b, q, head)) {
			return;
		}
		drop_oldest(box, q, HAL_MAILBOX_SIZE(head));
		co_wake_one(&b->queue);
	}
}

static void deliver(struct co_mailboxes *box, unsigned q)
{
	struct co *current;
	int err = errno; /* handlers may change it */

	/* A handler that receives must not start handlers. */
	if (box->delivering)
		return;
	box->delivering = true;
	current = co_handlers_begin(&co_executor);
	hand_out(box, q);
	co_handlers_end(&co_executor, current);
	box->delivering = false;
	errno = err;
}

/* The head of the oldest message for co_mail_recv(), once mailboxes have got theirs; 0: none. */
static inline uint32_t takeable(struct co_mailboxes *box, unsigned q)
{
	uint32_t head;

	if (!box->served[q])
		return oldest(box, q);
	deliver(box, q);
	head = oldest(box, q);
	return head && find_mailbox(box, tag_of(head)) ? 0 : head;
}

static void message_arrived(struct co_msg *m);

/* Arm the queue for the next message, and look again. */
static bool listen(struct co_mailboxes *box, unsigned q)
{
	struct co_mail_queue *queue = &box->queue[q];

	if (!queue->listening) {
		queue->listening = true;
		queue->arrival.run = message_arrived;
		/* seq_cst: before the look at the queue; pairs with notify_receiver(). */
		co_atomic_store(&queue->armed, 1, CO_SEQ_CST);
	}
	return takeable(box, q) != 0;
}

/* Does a coroutine or a handler wait for messages of the queue? */
static bool is_awaited(struct co_mailboxes *box, unsigned q)
{
	return box->served[q] || co_waitq_known(&box->receivers[q]) ||
	       co_waitq_known(&box->receivers[ANY]);
}

/* Hand out what has arrived, and arm the queue. */
static void serve_queue(struct co_mailboxes *box, unsigned q)
{
	if (takeable(box, q) || listen(box, q)) {
		co_wake_one(&box->receivers[q]);
		co_wake_one(&box->receivers[ANY]);
	}
}

static void message_arrived(struct co_msg *m)
{
	struct co_mailboxes *box = mine();
	struct co_mail_queue *queue = co_container_of(m, struct co_mail_queue, arrival);
	unsigned q = (unsigned)(queue - box->queue);

	queue->listening = false;
	if (is_awaited(box, q))
		serve_queue(box, q);
}

/* Wait until c's attempt succeeds. @return  its result; -ETIMEDOUT; -ECANCELED; -EDEADLK */
static int receive(struct co_case *c, const char *what, uint64_t deadline)
{
	bool woken = false;
	int why = 0;
	int r;

	if (!co_executor.current)
		return -EDEADLK;
	/* Once more after a deadline or a cancel, since a hint may have come too. */
	while ((r = c->attempt(c)) == -EAGAIN && !why) {
		struct co_waiter *w = woken ? co_wait_prepare_front(c->queue, c->queue, what)
					    : co_wait_prepare(c->queue, c->queue, what);

		why = c->look(c) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
		woken = true;
	}
	return r == -EAGAIN ? why : r;
}

/* The result of a receiving call; fills *m, unless m is NULL. */
static inline int received(int r, const struct co_mail_desc *d, struct co_mail *m)
{
	if (r >= 0 && m)
		*m = d->mail;
	return r;
}

/* ---- Receiving from a queue ---- */

int co_mail_bind(int tag)
{
	struct co_mailboxes *box = mine();
	unsigned q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -EINVAL;
	if (route(box, (unsigned)tag) != CO_MAIL_TAGGED || find_mailbox(box, (unsigned)tag))
		return -EEXIST;
	q = route(box, -1u);
	if (q == CO_MAIL_TAGGED)
		return -EBUSY;
	set_tag(box, q, tag);
	return 0;
}

int co_mail_unbind(int tag)
{
	struct co_mailboxes *box = mine();
	unsigned q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -ENOENT;
	q = route(box, (unsigned)tag);
	if (q == CO_MAIL_TAGGED)
		return -ENOENT;
	if (box->served[q] || co_waitq_known(&box->receivers[q]) ||
	    !claim_room(&box->queue[q], CO_MAIL_WORDS))
		return -EBUSY;
	unclaim_room(&box->queue[q], CO_MAIL_WORDS);
	set_tag(box, q, -1);
	return 0;
}

/* The queue of a tag, or ANY, or a negative error. */
static int queue_of(struct co_mailboxes *box, int tag)
{
	if ((unsigned)tag <= CO_MAIL_TAG_MAX) {
		unsigned q = route(box, (unsigned)tag);

		return q == CO_MAIL_TAGGED ? -ENOENT : (int)q;
	}
	if (tag == CO_MAIL_OTHER)
		return CO_MAIL_TAGGED;
	return tag == CO_MAIL_ANY ? ANY : -EINVAL;
}

/* Take the oldest message of a queue. */
static int take_message(struct co_mailboxes *box, unsigned q, struct co_mail_desc *d)
{
	uint32_t head = takeable(box, q);
	unsigned n = HAL_MAILBOX_SIZE(head);
	int r = -EMSGSIZE;

	if (!head)
		return -EAGAIN;
	if (n <= d->max) {
		copy_oldest(box, q, 0, d->words, n);
		drop_oldest(box, q, n);
		d->mail = describe_mail(head, q);
		r = (int)n;
	}
	/* The next message may be for a mailbox, or for another receiver. */
	if (is_awaited(box, q))
		serve_queue(box, q);
	return r;
}

/* The oldest message of each queue in turn. */
static int take_any(struct co_mailboxes *box, struct co_mail_desc *d)
{
	int r = -EAGAIN;

	for (unsigned i = 0; i < CO_MAIL_QUEUES && r == -EAGAIN; i++) {
		r = take_message(box, box->turn, d);
		box->turn = box->turn + 1 == CO_MAIL_QUEUES ? 0 : box->turn + 1;
	}
	return r;
}

int co_case_mail(struct co_case *c)
{
	struct co_mailboxes *box = mine();
	struct co_mail_desc *d = c->object;
	int q = queue_of(box, d->tag);

	if (q < 0)
		return q;
	return q == ANY ? take_any(box, d) : take_message(box, (unsigned)q, d);
}

bool co_case_mail_came(struct co_case *c)
{
	struct co_mailboxes *box = mine();
	int from = queue_of(box, ((struct co_mail_desc *)c->object)->tag);
	bool came = false;

	if (from != ANY)
		return from < 0 || listen(box, (unsigned)from);
	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++)
		came |= listen(box, q);
	return came;
}

struct co_waitq *co_mail_waiters(int tag)
{
	struct co_mailboxes *box = mine();
	int from = queue_of(box, tag);

	return &box->receivers[from < 0 ? CO_MAIL_TAGGED : from];
}

int co_mail_try_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	struct co_mail_desc d = { .tag = tag, .words = words, .max = max };

	return received(co_case_mail(&(struct co_case){ .object = &d }), &d, m);
}

int co_mail_recv_until(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
		       uint64_t deadline)
{
	struct co_mail_desc d = { .tag = tag, .words = words, .max = max };
	struct co_case c = CO_CASE_MAIL(&d);

	return received(receive(&c, "message in a mailbox queue", deadline), &d, m);
}

int co_mail_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mail_recv_until(tag, words, max, m, CO_FOREVER);
}

/* ---- Mailboxes ---- */

static int open_for(struct co_mailbox *b, int tag, struct co_mailbox how)
{
	struct co_mailboxes *box = mine();

	CO_ASSERT(!box->delivering);
	if (find_mailbox(box, (unsigned)tag))
		return -EEXIST;
	/* *b may be uninitialized, so it cannot say itself whether it is open. */
	for (struct co_mailbox *o = box->open; o; o = o->next) {
		if (o == b)
			return -EBUSY;
	}
	how.tag = (uint16_t)tag;
	how.hart = (uint16_t)co_executor.hart;
	how.from = (uint16_t)route(box, (unsigned)tag);
	how.next = box->open;
	*b = how;
	box->open = b;
	box->served[b->from]++;
	serve_queue(box, b->from);
	return 0;
}

int co_mailbox_open(struct co_mailbox *b, int tag, uintptr_t *storage, unsigned words)
{
	if (!b || (unsigned)tag > CO_MAIL_TAG_MAX || words < 2 || words > UINT32_MAX / 2 ||
	    !storage || (uintptr_t)storage % sizeof(*storage) ||
	    words > (UINTPTR_MAX - (uintptr_t)storage) / sizeof(*storage))
		return -EINVAL;
	/* A wild pointer faults here, and not in a handler. */
	storage[0] = storage[words - 1] = 0;
	return open_for(b, tag, (struct co_mailbox){ .storage = storage, .words = words });
}

int co_mailbox_handle(struct co_mailbox *b, int tag, co_mail_fn *fn, void *arg)
{
	if (!b || (unsigned)tag > CO_MAIL_TAG_MAX || !fn)
		return -EINVAL;
	return open_for(b, tag, (struct co_mailbox){ .fn = fn, .arg = arg });
}

int co_mailbox_close(struct co_mailbox *b)
{
	struct co_mailboxes *box = mine();
	struct co_mailbox **link = &box->open;

	CO_ASSERT(b->hart == co_executor.hart && !box->delivering);
	if (b->used || co_waitq_known(&b->queue))
		return -EBUSY;
	while (*link != b) {
		CO_ASSERT(*link); /* it is open */
		link = &(*link)->next;
	}
	*link = b->next;
	b->storage = NULL;
	box->served[b->from]--;
	serve_queue(box, b->from);
	return 0;
}

void co_mail_read(const struct co_mail *m, unsigned from, uintptr_t *words, unsigned n)
{
	CO_ASSERT(mine()->delivering);
	CO_ASSERT(from <= m->size && n <= m->size - from);
	if (n)
		copy_oldest(mine(), m->queue, from, words, n);
}

/* Take the oldest message out of storage, which has one. */
static int take_stored(struct co_mailbox *b, struct co_mail_desc *d)
{
	uint32_t head = (uint32_t)b->storage[b->first];
	unsigned n = HAL_MAILBOX_SIZE(head);

	if (n > d->max)
		return -EMSGSIZE;
	for (unsigned i = 0; i < n; i++) {
		b->first = place_after(b, b->first, 1);
		d->words[i] = b->storage[b->first];
	}
	b->first = place_after(b, b->first, 1);
	b->used -= n + 1;
	d->mail = describe_mail(head, b->from);
	return (int)n;
}

int co_case_mailbox(struct co_case *c)
{
	struct co_mailboxes *box = mine();
	struct co_mailbox *b = c->object;
	int r;

	CO_ASSERT(b->hart == co_executor.hart && b->storage); /* open, and without a handler */
	if (!b->used)
		deliver(box, b->from);
	if (!b->used)
		return -EAGAIN;
	r = take_stored(b, c->data);
	if (oldest(box, b->from)) /* it may have been too large */
		serve_queue(box, b->from);
	if (b->used)
		co_wake_one(&b->queue); /* pass on a hint that may have been for another message */
	return r;
}

bool co_case_mailbox_came(struct co_case *c)
{
	/* What fills it runs on this hart. */
	return ((struct co_mailbox *)c->object)->used != 0;
}

int co_mailbox_try_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	struct co_mail_desc d = { .words = words, .max = max };
	struct co_case c = CO_CASE_MAILBOX(b, &d);

	return received(co_case_mailbox(&c), &d, m);
}

int co_mailbox_recv_until(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m,
			  uint64_t deadline)
{
	struct co_mail_desc d = { .words = words, .max = max };
	struct co_case c = CO_CASE_MAILBOX(b, &d);

	return received(receive(&c, "message in a mailbox", deadline), &d, m);
}

int co_mailbox_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mailbox_recv_until(b, words, max, m, CO_FOREVER);
}
