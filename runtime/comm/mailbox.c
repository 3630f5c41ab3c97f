/*
 * mailbox.c - who receives what, and who is told that it has come. Sending is in mailbox_send.c.
 *
 * Receivers wait at home: all they touch is their own hart's. A receiver that finds nothing arms
 * its queue, looks again and sleeps; a sender that has put a message looks whether the queue is
 * armed, and posts the queue's arrival message if so. That one runs on the receiving hart, at a
 * scheduling point, hands what has come to mailboxes (mailbox_open.c), wakes a receiver, or arms
 * the queue again while anybody is to be told. `listening` says that the queue is armed or its
 * arrival on the way, so that the message is never posted twice. While coroutines wait, the queue
 * is listening or one of them has been woken, and that one passes on what it does not use.
 */
#include <errno.h>

#include "mail.h"

static const char what[] = "message in a mailbox queue";

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

/* Does a coroutine wait for a message of the queue? They are all this hart's. */
static bool waited_for(struct co_mailboxes *box, unsigned q)
{
	/* relaxed: its own hart's. */
	return co_waitq_known(&box->receivers[q]);
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
	if (box->served[q] || waited_for(box, q) || !co_mail_claim(&box->door[q], CO_MAIL_WORDS))
		return -EBUSY;
	co_mail_unclaim(&box->door[q], CO_MAIL_WORDS);
	set_lane(box, q, 0);
	return 0;
}

/* Is there a message for co_mail_recv(), once mailboxes have got theirs? */
static bool takeable(struct co_mailboxes *box, unsigned q)
{
	uint32_t head;

	if (box->served[q])
		co_mail_deliver(box, q);
	head = co_mail_look(&box->door[q]);
	return head && !(box->served[q] && co_mail_find(box, co_mail_head_tag(head)));
}

static void arrival(struct co_msg *m);

/* Be told of the next message, and look again. */
static bool listen(struct co_mailboxes *box, unsigned q)
{
	struct co_mail_door *d = &box->door[q];

	if (!(box->listening & 1u << q)) {
		box->listening |= (uint8_t)(1u << q);
		d->arrival.run = arrival;
		/* seq_cst: before the look at the queue; pairs with ring(). */
		co_atomic_store(&d->armed, 1, CO_SEQ_CST);
	}
	return takeable(box, q);
}

void co_mail_serve(struct co_mailboxes *box, unsigned q)
{
	if (takeable(box, q) || listen(box, q))
		co_wake_one(&box->receivers[q]);
}

static void arrival(struct co_msg *m)
{
	struct co_mailboxes *box = co_mail_mine();
	struct co_mail_door *d =
		(struct co_mail_door *)((uintptr_t)m - offsetof(struct co_mail_door, arrival));
	unsigned q = (unsigned)(d - box->door);

	box->listening &= (uint8_t) ~(1u << q);
	if (box->served[q] || waited_for(box, q))
		co_mail_serve(box, q);
}

/* A message has been taken. */
static __attribute__((noinline)) int admit(struct co_mail_door *d, uint32_t head, struct co_mail *m)
{
	co_mail_admit(d);
	if (m)
		*m = co_mail_describe(head, co_mail_index(d));
	return (int)HAL_MAILBOX_SIZE(head);
}

/* The oldest message of a queue that no mailbox shares. */
static int take(struct co_mail_door *d, uintptr_t *words, unsigned max, struct co_mail *m)
{
	uint32_t head = co_mail_get(d, words, max);

	if (!head)
		return -EAGAIN;
	return HAL_MAILBOX_SIZE(head) > max ? -EMSGSIZE : admit(d, head, m);
}

/* The same, once mailboxes have got theirs. */
static __attribute__((noinline)) int take_shared(struct co_mailboxes *box, unsigned q,
						 uintptr_t *words, unsigned max, struct co_mail *m)
{
	int r;

	if (!takeable(box, q))
		return -EAGAIN;
	r = take(&box->door[q], words, max, m);
	if (r >= 0)
		co_mail_serve(box, q); /* messages behind it may be mailboxes' */
	return r;
}

static int take_from(struct co_mailboxes *box, unsigned q, uintptr_t *words, unsigned max,
		     struct co_mail *m)
{
	if (box->served[q])
		return take_shared(box, q, words, max, m);
	return take(&box->door[q], words, max, m);
}

/* The oldest message of each queue in turn. */
static __attribute__((noinline)) int take_any(struct co_mailboxes *box, uintptr_t *words,
					      unsigned max, struct co_mail *m)
{
	unsigned q = box->turn;

	for (unsigned i = 0; i < CO_MAIL_QUEUES; i++) {
		int r = take_from(box, q, words, max, m);

		q = q + 1 == CO_MAIL_QUEUES ? 0 : q + 1;
		if (r != -EAGAIN) {
			box->turn = (uint8_t)q;
			return r;
		}
	}
	return -EAGAIN;
}

/* The queue that `tag` stands for; CO_MAIL_QUEUES: any; or what is wrong. */
static inline int queue_of(struct co_mailboxes *box, int tag)
{
	if ((unsigned)tag <= CO_MAIL_TAG_MAX) {
		unsigned q = co_mail_route(box, (unsigned)tag);

		return q == CO_MAIL_TAGGED ? -ENOENT : (int)q;
	}
	if (tag == CO_MAIL_OTHER)
		return CO_MAIL_TAGGED;
	return tag == CO_MAIL_ANY ? CO_MAIL_QUEUES : -EINVAL;
}

/* All but a queue in this hart's scratchpad that no mailbox shares. */
static __attribute__((noinline)) int
try_recv_slow(struct co_mailboxes *box, int q, uintptr_t *words, unsigned max, struct co_mail *m)
{
	if (q < 0)
		return q;
	if (q == CO_MAIL_QUEUES)
		return take_any(box, words, max, m);
	return take_from(box, (unsigned)q, words, max, m);
}

/* Sleep until a message of the queue may have come. */
static int sleep_on(struct co_mailboxes *box, unsigned q, bool woken, uint64_t deadline)
{
	struct co_waitq *at = &box->receivers[q];
	struct co_waiter *w = woken ? co_wait_prepare_front(at, at, what)
				    : co_wait_prepare(at, at, what);

	return listen(box, q) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
}

static int sleep_on_all(struct co_mailboxes *box, uint64_t deadline)
{
	struct co_waitq *queues[CO_MAIL_QUEUES];
	struct co_wait_any any;
	bool ready = false;
	int r;

	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++)
		queues[q] = &box->receivers[q];
	r = co_wait_any_prepare(&any, queues, CO_MAIL_QUEUES, box->receivers, what);
	if (r)
		return r;
	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++)
		ready |= listen(box, q);
	r = ready ? co_wait_any_abandon(&any) : co_wait_any_commit(&any, deadline);
	return r < 0 ? r : 0;
}

/* This coroutine is through: if a hint came for more than it took, others should know. */
static void pass_on(struct co_mailboxes *box, unsigned q)
{
	if (waited_for(box, q))
		co_mail_serve(box, q);
}

static __attribute__((noinline)) int recv_slow(int tag, uintptr_t *words, unsigned max,
					       struct co_mail *m, uint64_t deadline)
{
	struct co_mailboxes *box = co_mail_mine();
	int from = queue_of(box, tag);
	bool woken = false;
	int r;

	if (from < 0)
		return from;
	while ((r = co_mail_try_recv(tag, words, max, m)) == -EAGAIN) {
		int why = from == CO_MAIL_QUEUES ? sleep_on_all(box, deadline)
						 : sleep_on(box, (unsigned)from, woken, deadline);

		if (why) {
			r = co_mail_try_recv(tag, words, max, m);
			if (r == -EAGAIN)
				r = why;
			break;
		}
		woken = true;
	}
	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++) {
		if (from == CO_MAIL_QUEUES || (unsigned)from == q)
			pass_on(box, q);
	}
	return r;
}

/* All calls are last, so that nothing is saved for them. */
static inline int recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
		       uint64_t deadline, bool wait)
{
	struct co_mailboxes *box = co_mail_mine();
	int q = queue_of(box, tag);
	struct co_mail_door *d;
	uint32_t head;

	if ((unsigned)q >= CO_MAIL_QUEUES || box->served[q] || HAL_MAILBOX_EXISTS())
		return wait ? recv_slow(tag, words, max, m, deadline)
			    : try_recv_slow(box, q, words, max, m);
	d = &box->door[q];
	CO_KEEP(d);
	head = co_mailq_peek(&d->queue);
	if (!head)
		return wait ? recv_slow(tag, words, max, m, deadline) : -EAGAIN;
	if (HAL_MAILBOX_SIZE(head) > max)
		return -EMSGSIZE;
	co_mailq_read(&d->queue, 0, words, HAL_MAILBOX_SIZE(head));
	co_mailq_drop(&d->queue, HAL_MAILBOX_SIZE(head));
	if (m || co_waitq_any(&d->senders))
		return admit(d, head, m);
	return (int)HAL_MAILBOX_SIZE(head);
}

int co_mail_try_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return recv(tag, words, max, m, 0, false);
}

int co_mail_recv_until(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
		       uint64_t deadline)
{
	if (!co_executor.current)
		return -EDEADLK;
	return recv(tag, words, max, m, deadline, true);
}

int co_mail_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mail_recv_until(tag, words, max, m, CO_FOREVER);
}

int co_case_mail(struct co_case *c)
{
	struct co_mailboxes *box = co_mail_mine();
	struct co_letter *l = c->object;
	int from = queue_of(box, l->tag);
	int r = co_mail_try_recv(l->tag, l->words, l->max, &l->mail);

	if (r != -EAGAIN && from >= 0 && from < CO_MAIL_QUEUES)
		pass_on(box, (unsigned)from);
	return r;
}

bool co_case_mail_came(struct co_case *c)
{
	struct co_mailboxes *box = co_mail_mine();
	int from = queue_of(box, ((struct co_letter *)c->object)->tag);

	return from < 0 || listen(box, (unsigned)from);
}

struct co_waitq *co_mail_waiters(int tag)
{
	struct co_mailboxes *box = co_mail_mine();
	int from = queue_of(box, tag);

	CO_ASSERT(tag != CO_MAIL_ANY); /* a case for each tag does that */
	return &box->receivers[from < 0 ? CO_MAIL_TAGGED : from];
}
