/*
 * mailbox.c - which queue a message goes to, who waits, and who is told.
 *
 * Senders that find no room wait at the queue's door, in the receiver's scratchpad. Whoever makes room
 * claims it for the one that has waited longest, and wakes it then: nobody is overtaken, and nobody is
 * woken in vain. A sender that has entered the door looks for room in the same way, for the first one
 * there, as does one that gives up.
 *
 * Receivers wait at home: all they touch is their own hart's. A receiver that finds nothing arms its
 * queue, looks again and sleeps; a sender that has put a message looks whether the queue is armed, and
 * posts the queue's arrival message if so. That one runs on the receiving hart, at a scheduling point,
 * hands what has come to mailboxes (mailbox_open.c), wakes a receiver, or arms the queue again while
 * anybody is to be told. `listening` says that the queue is armed or its arrival on the way, so that
 * the message is never posted twice. While coroutines wait, the queue is listening or one of them has
 * been woken, and that one passes on what it does not use.
 */
#include <errno.h>

#include "handoff.h"
#include "mail.h"

static const char what[] = "message in a mailbox queue";

#define LANES (sizeof(uintptr_t) / sizeof(uint16_t)) /* tags in a word */

_Static_assert(CO_MAIL_WORDS == HAL_MAILBOX_WORDS, "the page for people says what is true");
_Static_assert(CO_MAIL_TAGGED + 1 == CO_MAIL_QUEUES, "the last queue is the catch-all");
_Static_assert(BOARD_MAX_HARTS <= 1 << (HEAD_TAG_SHIFT - HEAD_SENDER_SHIFT),
	       "a head names its sender");
_Static_assert(CO_MAIL_TAG_MAX < 1 << (32 - HEAD_TAG_SHIFT), "a head names its tag");

unsigned co_mail_route(struct co_mailboxes *box, unsigned tag)
{
	for (unsigned q = 0; q < CO_MAIL_TAGGED; q += LANES) {
		/* relaxed: a tag is bound before its senders are told of it. */
		uintptr_t tags = co_atomic_load(&box->tags[q / LANES], CO_RELAXED);

		for (unsigned i = 0; i < LANES; i++, tags >>= 16)
			if ((uint16_t)tags == tag + 1)
				return q + i;
	}
	return CO_MAIL_TAGGED;
}

static void set_lane(struct co_mailboxes *box, unsigned q, uintptr_t value)
{
	struct co_aword *word = &box->tags[q / LANES];
	unsigned shift = q % LANES * 16;
	/* relaxed: its own; see co_mail_route(). */
	uintptr_t tags = co_atomic_load(word, CO_RELAXED);

	tags &= ~((uintptr_t)0xffff << shift);
	co_atomic_store(word, tags | value << shift, CO_RELAXED);
}

/* Does a coroutine wait for a message of the queue? They are all this hart's. */
static bool waited_for(struct co_mailboxes *box, unsigned q)
{
	/* relaxed: its own hart's. */
	return co_atomic_load(&box->receivers[q].waiters, CO_RELAXED) != 0;
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
	if (box->served[q] || waited_for(box, q) ||
	    !hal_mailbox_claim(co_executor.hart, q, CO_MAIL_WORDS))
		return -EBUSY;
	hal_mailbox_unclaim(co_executor.hart, q, CO_MAIL_WORDS);
	set_lane(box, q, 0);
	return 0;
}

/* A message is in the queue: tell its hart if that wants to be told. */
static void tell(unsigned hart, struct co_mail_door *d)
{
	/* seq_cst: after the message was put; pairs with listen(). */
	if (!co_atomic_load(&d->armed, CO_SEQ_CST))
		return;
	/* acq_rel: one sender alone posts, and the message is free by then; pairs with listen(). */
	if (co_atomic_swap(&d->armed, 0, CO_ACQ_REL))
		co_post(hart, &d->arrival);
}

/*
 * The sender that has waited longest, if there is room for it: the room is its own then, and its wait
 * has ended. NULL: nobody, or it needs more.
 */
static struct co_waiter *pick(unsigned hart, unsigned q, struct co_waitq *door)
{
	struct co_waiter *w;

	co_waitq_lock(door);
	while ((w = door->head)) {
		if (!hal_mailbox_claim(hart, q, w->place)) {
			w = NULL;
			break;
		}
		co_waitq_unlink(door, w);
		if (co_token_take(w->token))
			break;
		/* It has just given up. */
		hal_mailbox_unclaim(hart, q, w->place);
	}
	co_waitq_unlock(door);
	return w;
}

void co_mail_admit(unsigned hart, unsigned q)
{
	struct co_waitq *door = &co_hart_at(hart)->mail.door[q].senders;
	struct co_waiter *w;

	while (co_waitq_any(door) && (w = pick(hart, q, door)))
		co_wake(w);
}

static int check(unsigned hart, int tag, unsigned n)
{
	if (hart >= co_machine.harts || (unsigned)tag > CO_MAIL_TAG_MAX || !n)
		return -EINVAL;
	return n > CO_MAIL_WORDS ? -EMSGSIZE : 0;
}

static uint32_t head_of(int tag, unsigned n)
{
	return n | co_executor.hart << HEAD_SENDER_SHIFT | (uint32_t)tag << HEAD_TAG_SHIFT;
}

int co_mail_try_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	int r = check(hart, tag, n);
	struct co_mail_door *d;
	unsigned q;

	if (r)
		return r;
	q = co_mail_route(&co_hart_at(hart)->mail, (unsigned)tag);
	d = &co_hart_at(hart)->mail.door[q];
	/* relaxed: whoever waits goes first; one that is missed has come at the same moment. */
	if (co_atomic_load(&d->senders.waiters, CO_RELAXED))
		return -EAGAIN;
	r = hal_mailbox_put(hart, q, head_of(tag, n), words, false);
	if (r)
		co_mail_admit(hart, q); /* this try may have misled somebody */
	else
		tell(hart, d);
	return r;
}

static int send_slow(unsigned hart, int tag, const uintptr_t *words, unsigned n, uint64_t deadline)
{
	unsigned q = co_mail_route(&co_hart_at(hart)->mail, (unsigned)tag);
	struct co_mail_door *d = &co_hart_at(hart)->mail.door[q];
	struct co_waiter *w;
	int r;

	co_executor.current->waiter.place = n; /* for pick() */
	w = co_wait_prepare(&d->senders, d, "room in a mailbox queue");
	co_mail_admit(hart, q); /* the look again: it may be this one that gets in */
	r = co_handoff_sleep(w, deadline);
	if (r) {
		co_mail_admit(hart, q); /* the next one may need less */
		return r;
	}
	hal_mailbox_put(hart, q, head_of(tag, n), words, true);
	tell(hart, d);
	return 0;
}

int co_mail_send_until(unsigned hart, int tag, const uintptr_t *words, unsigned n,
		       uint64_t deadline)
{
	int r;

	if (!co_executor.current)
		return -EDEADLK;
	r = co_mail_try_send(hart, tag, words, n);
	return r == -EAGAIN ? send_slow(hart, tag, words, n, deadline) : r;
}

int co_mail_send(unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	return co_mail_send_until(hart, tag, words, n, CO_FOREVER);
}

/* Is there a message for co_mail_recv(), once mailboxes have got theirs? */
static bool takeable(struct co_mailboxes *box, unsigned q)
{
	uint32_t head;

	if (box->served[q])
		co_mail_deliver(box, q);
	head = hal_mailbox_look(q);
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
		/* seq_cst: before the look at the queue; pairs with tell(). */
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

static int take(struct co_mailboxes *box, unsigned q, uintptr_t *words, unsigned max,
		struct co_mail *m)
{
	uint32_t head;

	if (box->served[q] && !takeable(box, q))
		return -EAGAIN;
	head = hal_mailbox_get(q, words, max);
	if (!head)
		return -EAGAIN;
	if (HAL_MAILBOX_SIZE(head) > max)
		return -EMSGSIZE;
	co_mail_admit(co_executor.hart, q);
	if (box->served[q])
		co_mail_serve(box, q); /* messages behind it may be mailboxes' */
	if (m)
		*m = co_mail_describe(head, q);
	return (int)HAL_MAILBOX_SIZE(head);
}

static int take_any(struct co_mailboxes *box, uintptr_t *words, unsigned max, struct co_mail *m)
{
	unsigned q = box->turn;

	for (unsigned i = 0; i < CO_MAIL_QUEUES; i++) {
		int r = take(box, q, words, max, m);

		q = q + 1 == CO_MAIL_QUEUES ? 0 : q + 1;
		if (r != -EAGAIN) {
			box->turn = (uint8_t)q;
			return r;
		}
	}
	return -EAGAIN;
}

/* The queue that `tag` stands for; CO_MAIL_QUEUES: any; or what is wrong. */
static int queue_of(struct co_mailboxes *box, int tag)
{
	unsigned q;

	if (tag == CO_MAIL_OTHER)
		return CO_MAIL_TAGGED;
	if (tag == CO_MAIL_ANY)
		return CO_MAIL_QUEUES;
	if ((unsigned)tag > CO_MAIL_TAG_MAX)
		return -EINVAL;
	q = co_mail_route(box, (unsigned)tag);
	return q == CO_MAIL_TAGGED ? -ENOENT : (int)q;
}

static int take_from(struct co_mailboxes *box, int q, uintptr_t *words, unsigned max,
		     struct co_mail *m)
{
	if (q == CO_MAIL_QUEUES)
		return take_any(box, words, max, m);
	return q < 0 ? q : take(box, (unsigned)q, words, max, m);
}

int co_mail_try_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	struct co_mailboxes *box = co_mail_mine();

	return take_from(box, queue_of(box, tag), words, max, m);
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

static int recv_slow(int tag, uintptr_t *words, unsigned max, struct co_mail *m, uint64_t deadline)
{
	struct co_mailboxes *box = co_mail_mine();
	int from = queue_of(box, tag);
	bool woken = false;
	int r;

	while ((r = take_from(box, from, words, max, m)) == -EAGAIN) {
		int why = from == CO_MAIL_QUEUES ? sleep_on_all(box, deadline)
						 : sleep_on(box, (unsigned)from, woken, deadline);

		if (why) {
			r = take_from(box, from, words, max, m);
			if (r == -EAGAIN)
				r = why;
			break;
		}
		woken = true;
	}
	for (unsigned q = 0; q < CO_MAIL_QUEUES; q++)
		if (from == CO_MAIL_QUEUES || (unsigned)from == q)
			pass_on(box, q);
	return r;
}

int co_mail_recv_until(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
		       uint64_t deadline)
{
	int r;

	if (!co_executor.current)
		return -EDEADLK;
	r = co_mail_try_recv(tag, words, max, m);
	return r == -EAGAIN ? recv_slow(tag, words, max, m, deadline) : r;
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
	int r = take_from(box, from, l->words, l->max, &l->mail);

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
