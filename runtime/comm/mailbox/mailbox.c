/*
 * mailbox.c - who receives what, and who is told that it has come. Sending is in mailbox_send.c.
 *
 * Receivers wait at home: all they touch is their own hart's. A receiver that finds nothing arms
 * its queue, looks again and sleeps; a sender that has put a message looks whether the queue is
 * armed, and posts the queue's arrival message if so. That one runs on the receiving hart, at a
 * scheduling point, hands what has come to mailboxes (mailbox_open.c), wakes receivers, or arms
 * the queue again while anybody is to be told. `listening` says that the queue is armed or its
 * arrival on the way, so that the message is never posted twice. While coroutines wait, the queue
 * is listening or some of them have been woken, and these pass on what they do not use.
 */
#include "mailbox.h"

/* In place of a queue: any. */
#define ANY CO_MAIL_QUEUES

_Static_assert(CO_MAIL_WORDS == HAL_MAILBOX_WORDS, "the page for people says what is true");
_Static_assert(CO_MAIL_TAGGED + 1 == CO_MAIL_QUEUES, "the last queue is the catch-all");

static void set_lane(struct co_mailboxes *box, unsigned q, uintptr_t value)
{
	struct co_aword *word = &box->tags[q / CO_MAIL_LANES];
	unsigned shift = q % CO_MAIL_LANES * 16;
	/* relaxed: its own; see co_mail_route(). */
	uintptr_t tags = co_atomic_load(word, CO_RELAXED);

	tags &= ~((uintptr_t)0xffff << shift);
	co_atomic_store(word, tags | value << shift, CO_RELAXED);
}

/* Is anybody to be told of a message of the queue? */
static bool is_awaited(struct co_mailboxes *box, unsigned q)
{
	return box->served[q] || co_waitq_known(&box->receivers[q]) ||
	       co_waitq_known(&box->receivers[ANY]);
}

int co_mail_bind(int tag)
{
	struct co_mailboxes *box = co_mail_mine();
	unsigned q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -EINVAL;
	if (co_mail_route(box, (unsigned)tag) != CO_MAIL_TAGGED || co_mail_find(box, (unsigned)tag))
		return -EEXIST;
	/* An unbound queue has a lane of 0, as if it were bound to -1. */
	q = co_mail_route(box, -1u);
	if (q == CO_MAIL_TAGGED)
		return -EBUSY;
	set_lane(box, q, (uintptr_t)tag + 1);
	return 0;
}

int co_mail_unbind(int tag)
{
	struct co_mailboxes *box = co_mail_mine();
	unsigned q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -ENOENT;
	q = co_mail_route(box, (unsigned)tag);
	if (q == CO_MAIL_TAGGED)
		return -ENOENT;
	if (box->served[q] || co_waitq_known(&box->receivers[q]) ||
	    !co_mail_claim(&box->queue[q], CO_MAIL_WORDS))
		return -EBUSY;
	co_mail_unclaim(&box->queue[q], CO_MAIL_WORDS);
	set_lane(box, q, 0);
	return 0;
}

/* The head of the oldest message for co_mail_recv(), once mailboxes have got theirs; 0: none. */
static inline uint32_t takeable(struct co_mailboxes *box, unsigned q)
{
	uint32_t head;

	if (!box->served[q])
		return co_mail_look(box, q);
	co_mail_deliver(box, q);
	head = co_mail_look(box, q);
	return head && co_mail_find(box, co_mail_head_tag(head)) ? 0 : head;
}

static void message_arrived(struct co_msg *m);

/* Be told of the next message, and look again. */
static bool listen(struct co_mailboxes *box, unsigned q)
{
	struct co_mail_queue *queue = &box->queue[q];

	if (!(box->listening & 1u << q)) {
		box->listening |= (uint8_t)(1u << q);
		queue->arrival.run = message_arrived;
		/* seq_cst: before the look at the queue; pairs with notify_receiver(). */
		co_atomic_store(&queue->armed, 1, CO_SEQ_CST);
	}
	return takeable(box, q) != 0;
}

void co_mail_serve(struct co_mailboxes *box, unsigned q)
{
	if (takeable(box, q) || listen(box, q)) {
		co_wake_one(&box->receivers[q]);
		co_wake_one(&box->receivers[ANY]);
	}
}

static void message_arrived(struct co_msg *m)
{
	struct co_mailboxes *box = co_mail_mine();
	struct co_mail_queue *queue = co_container_of(m, struct co_mail_queue, arrival);
	unsigned q = (unsigned)(queue - box->queue);

	box->listening &= (uint8_t) ~(1u << q);
	if (is_awaited(box, q))
		co_mail_serve(box, q);
}

/* The queue that `tag` stands for, or ANY, or what is wrong. */
static int queue_of(struct co_mailboxes *box, int tag)
{
	if ((unsigned)tag <= CO_MAIL_TAG_MAX) {
		unsigned q = co_mail_route(box, (unsigned)tag);

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
		co_mail_copy(box, q, 0, d->words, n);
		co_mail_drop(box, q, n);
		d->mail = co_mail_describe(head, q);
		r = (int)n;
	}
	/* A message behind it may be a mailbox's; one that stays is the next receiver's. */
	if (is_awaited(box, q))
		co_mail_serve(box, q);
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

static int take_described(struct co_mail_desc *d)
{
	struct co_mailboxes *box = co_mail_mine();
	int q = queue_of(box, d->tag);

	if (q < 0)
		return q;
	return q == ANY ? take_any(box, d) : take_message(box, (unsigned)q, d);
}

int co_case_mail(struct co_case *c)
{
	return take_described(c->object);
}

bool co_case_mail_came(struct co_case *c)
{
	struct co_mailboxes *box = co_mail_mine();
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
	struct co_mailboxes *box = co_mail_mine();
	int from = queue_of(box, tag);

	return &box->receivers[from < 0 ? CO_MAIL_TAGGED : from];
}

int co_mail_wait(struct co_case *c, const char *what, uint64_t deadline)
{
	bool woken = false;
	int why = 0;
	int r;

	if (!co_executor.current)
		return -EDEADLK;
	/* Once more after a deadline or a cancel: a hint may have come with it. */
	while ((r = c->attempt(c)) == -EAGAIN && !why) {
		struct co_waiter *w = woken ? co_wait_prepare_front(c->queue, c->queue, what)
					    : co_wait_prepare(c->queue, c->queue, what);

		why = c->look(c) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
		woken = true;
	}
	return r == -EAGAIN ? why : r;
}

int co_mail_try_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	struct co_mail_desc d = { .tag = tag, .words = words, .max = max };

	return co_mail_received(take_described(&d), &d, m);
}

int co_mail_recv_until(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
		       uint64_t deadline)
{
	struct co_mail_desc d = { .tag = tag, .words = words, .max = max };
	struct co_case c = CO_CASE_MAIL(&d);

	return co_mail_received(co_mail_wait(&c, "message in a mailbox queue", deadline), &d, m);
}

int co_mail_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mail_recv_until(tag, words, max, m, CO_FOREVER);
}
