/*
 * mailbox.c - messages to a hart's receive queues, and the mailboxes that are filled from there.
 *
 * Sending: the hart that gives room back, mostly the receiver, claims it for the sender that has
 * waited longest, and wakes that: no sender is overtaken, or woken in vain. A sender that has begun
 * to wait looks for room in the same way, for the first one there, as does one that gives up.
 *
 * Receiving: a receiver accesses its own hart's memory only. If it finds nothing, it enters its
 * queue's waiters, arms the queue, looks again and sleeps. The sender of the next message disarms
 * the queue and wakes the first of its waiters, and the first of those that wait for a message in
 * any queue. While coroutines wait, the queue is armed or some of them have been woken, and these
 * arm it again for the others.
 *
 * Mailboxes: a hart sorts messages from its queues into its mailboxes, so nothing about these is
 * atomic but the wake-ups. A queue that fills mailboxes is armed for that, too: the sender of the
 * next message posts the queue's arrival message; that runs on the receiving hart, at a scheduling
 * point, and hands messages to mailboxes. The next message for a full mailbox stays in the queue:
 * that holds back the queue, and in the end its senders.
 */
#include <cohart/mailbox.h>
#include <cohart/spm.h>
#include <hal/mailbox.h>

#include "../core/core.h"
#include "../core/hook.h"
#include "../core/lost.h"
#include "handoff.h"

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

static inline struct co_mail describe_mail(uint32_t head)
{
	return (struct co_mail){
		.size = HAL_MAILBOX_SIZE(head),
		.sender = head >> HEAD_SENDER_SHIFT &
			  ((1u << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT)) - 1),
		.tag = (uint16_t)tag_of(head),
	};
}

static inline struct co_mailboxes *mine(void)
{
	return co_mailboxes_of(co_executor.self, co_executor.hart);
}

/* ---- Tags ---- */

#define TAGS (sizeof(uintptr_t) / sizeof(uint16_t)) /* tags in a word */

/* The queue that a tag's messages go to. An unbound queue looks as if bound to -1. */
static inline struct co_mail_queue *route(struct co_mailboxes *box, unsigned tag)
{
	for (unsigned q = 0; q < CO_MAIL_TAGGED; q += TAGS) {
		/* relaxed: a tag is bound before its senders are notified of it. */
		uintptr_t tags = co_atomic_load(&box->tags[q / TAGS], CO_RELAXED);

		for (unsigned i = 0; i < TAGS; i++, tags >>= 16) {
			if ((uint16_t)tags == tag + 1)
				return &box->queue[q + i];
		}
	}
	return &box->queue[CO_MAIL_TAGGED];
}

/* Is it the queue of all tags that have none of their own? */
static inline bool is_other(const struct co_mailboxes *box, const struct co_mail_queue *q)
{
	return q == &box->queue[CO_MAIL_TAGGED];
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
static NOINLINE void admit_senders(struct co_mail_queue *q)
{
	struct co_waiter *w;

	while (co_waitq_any(&q->senders) && (w = pick_sender(q)))
		co_wake(w);
}

/* The head of the oldest message; 0: there is none. Here and below: for the receiving hart. */
static inline uint32_t oldest(struct co_mail_queue *q)
{
	return HAL_MAILBOX_EXISTS() ? hal_mailbox_look(index_of(q)) : co_mailq_look(&q->messages);
}

static inline void copy_oldest(struct co_mail_queue *q, unsigned from, uintptr_t *words, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_read(index_of(q), from, words, n);
	else
		co_mailq_read(&q->messages, from, words, n);
}

/* Drop the oldest message, of n words. */
static inline void drop_oldest(struct co_mail_queue *q, unsigned n)
{
	if (HAL_MAILBOX_EXISTS())
		hal_mailbox_drop(index_of(q));
	else
		co_mailq_drop(&q->messages, n);
	if (co_waitq_any(&q->senders))
		admit_senders(q);
}

/* ---- Sending ---- */

/* What a queue is armed for. */
#define ARMED_TO_WAKE 1u /* receivers */
#define ARMED_TO_POST 2u /* the arrival message, which is not under way */

/* There is a message: wake the first of those that could take it. Their entries are acquired. */
static void wake_receivers(unsigned hart, struct co_mail_queue *q)
{
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);

	if (co_waitq_known(&q->receivers))
		co_wake_known(&q->receivers);
	if (co_waitq_known(&box->any))
		co_wake_known(&box->any);
}

/* A message has been put. */
static inline void notify_receiver(unsigned hart, struct co_mail_queue *q)
{
	uint32_t armed;

	/* seq_cst: after the message; pairs with arm(). */
	if (!co_atomic_load(&q->armed, CO_SEQ_CST))
		return;
	/*
	 * acquire: the entries of those that have armed it; and one sender alone posts, when the
	 * arrival message is free. Pairs with arm().
	 */
	armed = co_atomic_swap(&q->armed, 0, CO_ACQUIRE);
	if (armed & ARMED_TO_POST)
		co_post(hart, &q->arrival);
	if (armed & ARMED_TO_WAKE)
		wake_receivers(hart, q);
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

/* There is no room, or others wait for it. A deadline of 0: do not wait. */
static NOINLINE int send_later(struct co_mail_queue *q, uint32_t head, const uintptr_t *words,
			       uint64_t deadline)
{
	unsigned hart = hart_of(q);
	int r;

	admit_senders(q); /* the failed claim may have misled a waiting sender */
	if (!deadline)
		return co_hart_past(hart) ? -EHOSTDOWN : -EAGAIN;
	r = wait_for_room(hart, q, HAL_MAILBOX_SIZE(head), deadline);
	if (r)
		return r;
	(void)put_message(q, head, words, true);
	notify_receiver(hart, q);
	return 0;
}

static inline int send_message(unsigned hart, int tag, const uintptr_t *words, unsigned n,
			       uint64_t deadline)
{
	uint32_t head = n | co_executor.hart << HEAD_SENDER_SHIFT | (uint32_t)tag << HEAD_TAG_SHIFT;
	struct co_mail_queue *q;

	if (hart >= co_machine.harts || (unsigned)tag > CO_MAIL_TAG_MAX || !n)
		return -EINVAL;
	if (n > CO_MAIL_WORDS)
		return -EMSGSIZE;
	/* A wild pointer faults here, before room is claimed. */
	(void)*(const volatile uintptr_t *)words;
	(void)*(const volatile uintptr_t *)&words[n - 1]; /* at most two pages */
	q = route(co_mailboxes_of(co_hart_at(hart), hart), (unsigned)tag);
	/* Waiting senders go first; one that is missed arrives at the same moment. */
	if (co_waitq_known(&q->senders) || put_message(q, head, words, false))
		return send_later(q, head, words, deadline);
	notify_receiver(hart, q);
	return 0;
}

int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return send_message(hart, tag, words, n, 0);
}

int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline)
{
	if (!co_executor.current)
		return -EDEADLK;
	/* A deadline of 0 has passed, like any other in the past. */
	return send_message(hart, tag, words, n, deadline ? deadline : 1);
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
static bool store_message(struct co_mailbox *b, uint32_t head)
{
	unsigned n = HAL_MAILBOX_SIZE(head);
	unsigned place = place_after(b, b->first, b->used);
	unsigned run;

	if (b->used + n + 1 > b->words) {
		struct co_mail m = describe_mail(head);

		if (n + 1 > b->words)
			co_fail("mailbox of tag %u: %u words from hart %u, storage for %u", m.tag,
				n, m.sender, b->words - 1);
		return false;
	}
	b->storage[place] = head;
	place = place_after(b, place, 1);
	run = b->words - place < n ? b->words - place : n;
	copy_oldest(b->from, 0, &b->storage[place], run);
	if (run < n)
		copy_oldest(b->from, run, b->storage, n - run);
	b->used += n + 1;
	return true;
}

/* Hand the queue's oldest messages to their mailboxes, up to one without mailbox or room. */
static void hand_out(struct co_mailboxes *box, struct co_mail_queue *q)
{
	struct co_mailbox *b;
	uint32_t head;

	while ((head = oldest(q)) && (b = find_mailbox(box, tag_of(head)))) {
		if (b->fn) {
			struct co_mail m = describe_mail(head);

			b->fn(b, &m);
		} else if (!store_message(b, head)) {
			return;
		}
		drop_oldest(q, HAL_MAILBOX_SIZE(head));
		co_wake_one(&b->queue);
	}
}

static void deliver(struct co_mailboxes *box, struct co_mail_queue *q)
{
	struct co *current;
	int err = errno; /* handlers may change it */

	/* A handler that receives must not start handlers. */
	if (box->delivering)
		return;
	box->delivering = q;
	current = co_handlers_begin(&co_executor);
	hand_out(box, q);
	co_handlers_end(&co_executor, current);
	box->delivering = NULL;
	errno = err;
}

/* The head of the oldest message for co_mail_recv(), once mailboxes have got theirs; 0: none. */
static NOINLINE uint32_t takeable_after(struct co_mail_queue *q)
{
	struct co_mailboxes *box = mine();
	uint32_t head;

	deliver(box, q);
	head = oldest(q);
	return head && find_mailbox(box, tag_of(head)) ? 0 : head;
}

static inline uint32_t takeable(struct co_mail_queue *q)
{
	return q->served ? takeable_after(q) : oldest(q);
}

static void message_arrived(struct co_msg *m);

/* The sender of the queue's next message is to notify this hart. The caller then looks at it. */
static inline void arm(struct co_mail_queue *q)
{
	uint32_t what = ARMED_TO_WAKE;

	if (q->served && !q->listening) {
		q->listening = true;
		q->arrival.run = message_arrived;
		what |= ARMED_TO_POST;
	}
	/*
	 * seq_cst: before the look at the queue, and releases the caller's entry and the arrival
	 * message; pairs with notify_receiver().
	 */
	co_atomic_or(&q->armed, what, CO_SEQ_CST);
}

/* Does a coroutine or a mailbox wait for messages of the queue? */
static inline bool is_awaited(struct co_mail_queue *q)
{
	return q->served || co_waitq_known(&q->receivers) || co_waitq_known(&mine()->any);
}

/* Hand out what has arrived, wake receivers for what is left, and arm the queue for more. */
static NOINLINE void serve_queue(struct co_mail_queue *q)
{
	arm(q);
	if (takeable(q))
		wake_receivers(co_executor.hart, q);
}

static void message_arrived(struct co_msg *m)
{
	struct co_mail_queue *q = co_container_of(m, struct co_mail_queue, arrival);

	q->listening = false;
	if (is_awaited(q))
		serve_queue(q);
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
	struct co_mail_queue *q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -EINVAL;
	if (!is_other(box, route(box, (unsigned)tag)) || find_mailbox(box, (unsigned)tag))
		return -EEXIST;
	q = route(box, -1u);
	if (is_other(box, q))
		return -EBUSY;
	set_tag(box, (unsigned)(q - box->queue), tag);
	return 0;
}

int co_mail_unbind(int tag)
{
	struct co_mailboxes *box = mine();
	struct co_mail_queue *q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -ENOENT;
	q = route(box, (unsigned)tag);
	if (is_other(box, q))
		return -ENOENT;
	if (q->served || co_waitq_known(&q->receivers) || !claim_room(q, CO_MAIL_WORDS))
		return -EBUSY;
	unclaim_room(q, CO_MAIL_WORDS);
	set_tag(box, (unsigned)(q - box->queue), -1);
	return 0;
}

/* The queue of a tag that is bound, or of CO_MAIL_OTHER; NULL: it has none. */
static inline struct co_mail_queue *queue_of(struct co_mailboxes *box, int tag)
{
	struct co_mail_queue *q;

	if (tag == CO_MAIL_OTHER)
		return &box->queue[CO_MAIL_TAGGED];
	if ((unsigned)tag > CO_MAIL_TAG_MAX)
		return NULL;
	q = route(box, (unsigned)tag);
	return is_other(box, q) ? NULL : q;
}

/* Take the oldest message of a queue. */
static int take_message(struct co_mail_queue *q, struct co_mail_desc *d)
{
	uint32_t head = takeable(q);
	unsigned n = HAL_MAILBOX_SIZE(head);
	int r = -EMSGSIZE;

	if (!head)
		return -EAGAIN;
	if (n <= d->max) {
		copy_oldest(q, 0, d->words, n);
		drop_oldest(q, n);
		d->mail = describe_mail(head);
		r = (int)n;
	}
	/* The next message, or this one, may be for another receiver, or for a mailbox. */
	if (is_awaited(q))
		serve_queue(q);
	return r;
}

/* The oldest message of each queue in turn. */
static NOINLINE int take_any(struct co_mailboxes *box, struct co_mail_desc *d)
{
	int r = -EAGAIN;

	for (unsigned i = 0; i < CO_MAIL_QUEUES && r == -EAGAIN; i++) {
		r = take_message(&box->queue[box->turn], d);
		box->turn = box->turn + 1 == CO_MAIL_QUEUES ? 0 : box->turn + 1;
	}
	return r;
}

int co_case_mail(struct co_case *c)
{
	struct co_mailboxes *box = mine();
	struct co_mail_desc *d = c->object;
	struct co_mail_queue *q = queue_of(box, d->tag);

	if (q)
		return take_message(q, d);
	if (d->tag == CO_MAIL_ANY)
		return take_any(box, d);
	return (unsigned)d->tag <= CO_MAIL_TAG_MAX ? -ENOENT : -EINVAL;
}

/* Arm the queue and look again. */
static inline bool listen(struct co_mail_queue *q)
{
	arm(q);
	return takeable(q) != 0;
}

bool co_case_mail_came(struct co_case *c)
{
	struct co_mailboxes *box = mine();
	struct co_mail_desc *d = c->object;
	struct co_mail_queue *q = queue_of(box, d->tag);
	bool came = false;

	if (q || d->tag != CO_MAIL_ANY)
		return !q || listen(q);
	for (unsigned i = 0; i < CO_MAIL_QUEUES; i++)
		came |= listen(&box->queue[i]);
	return came;
}

struct co_waitq *co_mail_waiters(int tag)
{
	struct co_mailboxes *box = mine();
	struct co_mail_queue *q = queue_of(box, tag);

	return q ? &q->receivers : &box->any;
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
	how.from = route(box, (unsigned)tag);
	how.next = box->open;
	*b = how;
	box->open = b;
	b->from->served++;
	serve_queue(b->from);
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
	b->from->served--;
	serve_queue(b->from);
	return 0;
}

void co_mail_read(const struct co_mail *m, unsigned from, uintptr_t *words, unsigned n)
{
	CO_ASSERT(mine()->delivering);
	CO_ASSERT(from <= m->size && n <= m->size - from);
	if (n)
		copy_oldest(mine()->delivering, from, words, n);
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
	d->mail = describe_mail(head);
	return (int)n;
}

int co_case_mailbox(struct co_case *c)
{
	struct co_mailbox *b = c->object;
	int r;

	CO_ASSERT(b->hart == co_executor.hart && b->storage); /* open, and without a handler */
	if (!b->used)
		deliver(mine(), b->from);
	if (!b->used)
		return -EAGAIN;
	r = take_stored(b, c->data);
	if (oldest(b->from)) /* it may have been too large */
		serve_queue(b->from);
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
