/*
 * mailbox.c - receiving from a hart's queues, and the mailboxes that are filled from there.
 *
 * A receiver accesses its own hart's memory only. If it finds nothing, it enters its queue's
 * waiters, arms the queue, looks again and sleeps. While coroutines wait, either the queue is
 * armed, or a woken coroutine will arm it again.
 *
 * Mailboxes: a hart sorts messages from its queues into its mailboxes, so nothing about these is
 * atomic but the wake-ups. A queue that fills mailboxes is armed for that, too: the sender of the
 * next message posts the queue's arrival message; that runs on the receiving hart, at a scheduling
 * point, and hands messages to mailboxes. Or a coroutine leads: it waits for a message in one of
 * the mailboxes, is woken by the sender itself, takes its message out of the queue if that is the
 * oldest, and hands out all further messages. The next message for a full mailbox stays in the
 * queue: that holds back the queue, and in the end its senders.
 *
 * Progress (co_mail_progress()): a queue is armed to ring the alarm, too. In the trap the hart
 * hands messages out if it was stopped in the program's own code, and in a coroutine: then none of
 * its coroutines is inside of the runtime but at a wait, so the trap is as good as a call of the
 * runtime at that very place. In the runtime, a library or a handler the alarm comes again a little
 * later. So one party at a time fills mailboxes, without a lock, and senders share one bit more in
 * `armed`. A sender takes the bit and rings; the trap, or a scheduling point that serves the queue,
 * puts it back, then looks. Handlers are not called: they are the program's.
 */
#include <hal/fp.h>

#include "../../core/hook.h"
#include "../../core/memory/slab.h"
#include "../../core/sched/owner.h"
#include "../../core/sched/wait_inline.h"
#include "../../fault/alarm.h"
#include "queue.h"

/* tag is -1 to unbind. */
static void set_tag(struct co_mailboxes *box, unsigned q, int tag)
{
	struct co_aword *word = &box->tags[q / TAGS];
	unsigned shift = q % TAGS * 16;
	/* relaxed: only this hart writes it; see route(). */
	uintptr_t tags = co_atomic_load(word, CO_RELAXED) & ~((uintptr_t)0xffff << shift);

	co_atomic_store(word, tags | (uintptr_t)(tag + 1) << shift, CO_RELAXED);
}

/* ---- Arrivals ---- */

/* Where the note of b is linked; to NULL: b is not open on this hart. */
static struct co_mail_entry **entry_of(struct co_mailboxes *box, const struct co_mailbox *b)
{
	struct co_mail_entry **link = &box->open;

	while (*link && (*link)->box != b)
		link = &(*link)->next;
	return link;
}

/* The mailbox that is open for a tag on this hart; NULL: none. */
static struct co_mailbox *find_mailbox(struct co_mailboxes *box, unsigned tag)
{
	const struct co_mail_entry *e = box->open;

	while (e && e->tag != tag)
		e = e->next;
	return e ? e->box : NULL;
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

	if (n + 1 > b->words) { /* it never will */
		b->dropped++;
		return true;
	}
	if (b->used + n + 1 > b->words)
		return false;
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
static void hand_out(struct co_mailboxes *box, struct co_mail_queue *q, bool in_trap)
{
	struct co_mailbox *b;
	uint32_t head;

	while ((head = oldest(q)) && (b = find_mailbox(box, tag_of(head)))) {
		if (in_trap && b->fn) /* the program has been stopped anywhere */
			return;
		if (b->fn) {
			struct co_mail m = describe_mail(head);

			b->fn(b, &m);
		} else if (!store_message(b, head)) {
			return;
		}
		drop_oldest(q, HAL_MAILBOX_SIZE(head));
		if (b != q->leads || !co_wake_one(&q->leader))
			co_wake_one(&b->queue);
	}
}

static void deliver(struct co_mailboxes *box, struct co_mail_queue *q, bool in_trap)
{
	struct co *current;
	int err = errno; /* handlers may change it, and `fp` */
	unsigned long long fp;

	/* A handler that receives must not start handlers. */
	if (box->delivering)
		return;
	fp = hal_fp_begin();
	box->delivering = q;
	current = co_handlers_begin(&co_executor);
	hand_out(box, q, in_trap);
	co_handlers_end(&co_executor, current);
	box->delivering = NULL;
	hal_fp_end(fp);
	errno = err;
}

/* The head of the oldest message for co_mail_recv(), once mailboxes have got theirs; 0: none. */
static NOINLINE uint32_t takeable_after(struct co_mail_queue *q)
{
	struct co_mailboxes *box = mine();
	uint32_t head;

	deliver(box, q, false);
	head = oldest(q);
	return head && find_mailbox(box, tag_of(head)) ? 0 : head;
}

static inline uint32_t takeable(struct co_mail_queue *q)
{
	return q->served ? takeable_after(q) : oldest(q);
}

/* Arm q: the sender of its next message is to notify all in `what`. The caller then looks at q. */
INLINE void arm(struct co_mail_queue *q, uint32_t what)
{
	/* A leader that is just being woken does not count: it will arm the queue, too. */
	if (q->served && (q->handled || !co_waitq_waits(&q->leader)) && !q->listening) {
		q->listening = true;
		what |= ARMED_TO_POST;
	}
	/*
	 * acq_rel: releases the caller's entry and the arrival message, and acquires the message of
	 * a sender that has found nothing armed, for the look; pairs with notify_hart().
	 */
	co_atomic_or(&q->armed, what, CO_ACQ_REL);
}

/* Arm q to notify a leader, by `how`: it waits in b, and delivers from now on. */
INLINE void arm_leader(struct co_mail_queue *q, struct co_mailbox *b, uint32_t how)
{
	uint32_t old;

	q->leads = b;
	/* acq_rel: as in arm(). */
	old = co_atomic_swap(&q->armed, how, CO_ACQ_REL);

	if (old & ARMED_TO_POST)
		q->listening = false;
	if (old & ~ARMED_TO_POST) /* until now, the leader is notified for them */
		co_atomic_or(&q->armed, old & ~ARMED_TO_POST, CO_ACQ_REL);
}

/* Does a coroutine or a mailbox wait for messages of the queue? */
static inline bool is_awaited(struct co_mail_queue *q)
{
	return q->served || co_waitq_known(&q->receivers) || co_waitq_known(&mine()->any);
}

/* Hand messages out to mailboxes, wake receivers for the rest, and arm the queue for more. */
static NOINLINE void serve_queue(struct co_mail_queue *q)
{
	arm(q, ARMED_TO_WAKE | ARMED_FOR_ANY | q->rings);
	if (takeable(q))
		co_mail_wake(q, ARMED_TO_WAKE | ARMED_FOR_ANY);
}

static void message_arrived(struct co_msg *m)
{
	struct co_mail_queue *q = co_container_of(m, struct co_mail_queue, arrival);

	q->listening = false;
	if (is_awaited(q))
		serve_queue(q);
}

/* ---- Progress ---- */

bool co_mail_alarm(bool can)
{
	struct co_mailboxes *box = mine();
	bool again = false;

	for (struct co_mail_queue *q = box->queue; q < box->queue + CO_MAIL_QUEUES; q++) {
		/* relaxed: the alarm has come after the change. */
		if (!q->rings || !q->served ||
		    co_atomic_load(&q->armed, CO_RELAXED) & ARMED_TO_RING)
			continue;
		again |= !can;
		if (can) {
			/* acq_rel: as in arm(). */
			co_atomic_or(&q->armed, ARMED_TO_RING, CO_ACQ_REL);
			deliver(box, q, true);
		}
	}
	return again;
}

int co_mail_progress(bool on)
{
	struct co_mailboxes *box = mine();

	if (!co_alarms())
		return -ENOTSUP;
	for (struct co_mail_queue *q = box->queue; q < box->queue + CO_MAIL_QUEUES; q++) {
		q->rings = on ? ARMED_TO_RING : 0;
		if (q->served)
			serve_queue(q);
	}
	return 0;
}

/* ---- Receiving from a queue ---- */

int co_mail_bind(int tag)
{
	struct co_mailboxes *box = mine();
	struct co_mail_queue *q;

	if (tag < 0 || tag > CO_MAIL_TAG_MAX)
		return -EINVAL;
	if (bound(box, (unsigned)tag) || find_mailbox(box, (unsigned)tag))
		return -EEXIST;
	q = bound(box, -1u);
	if (!q)
		return -EBUSY;
	set_tag(box, (unsigned)(q - box->queue), tag);
	return 0;
}

/* The queue of a tag that is bound, or of CO_MAIL_OTHER; NULL: it has none. */
INLINE struct co_mail_queue *queue_of(struct co_mailboxes *box, int tag)
{
	if ((unsigned)tag <= CO_MAIL_TAG_MAX)
		return bound(box, (unsigned)tag);
	return tag == CO_MAIL_OTHER ? &box->queue[CO_MAIL_TAGGED] : NULL;
}

/* Does a coroutine wait in q? A sender that wakes one may hold the lock of an empty queue still. */
static bool has_waiter(struct co_waitq *q)
{
	struct co_waiter *first;

	if (!co_waitq_known(q))
		return false;
	first = co_wait_lock(q);
	co_waitq_unlock(q, first);
	return first != NULL;
}

int co_mail_unbind(int tag)
{
	struct co_mailboxes *box = mine();
	struct co_mail_queue *q = tag < 0 ? NULL : queue_of(box, tag);

	if (!q)
		return -ENOENT;
	if (q->served || has_waiter(&q->receivers) || !claim_room(q, CO_MAIL_WORDS))
		return -EBUSY;
	unclaim_room(q, CO_MAIL_WORDS);
	set_tag(box, (unsigned)(q - box->queue), -1);
	return 0;
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
	/* The queue's first message may now be for another receiver, or for a mailbox. */
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
static inline bool listen(struct co_mail_queue *q, uint32_t what)
{
	arm(q, what);
	return takeable(q) != 0;
}

bool co_case_mail_came(struct co_case *c)
{
	struct co_mailboxes *box = mine();
	struct co_mail_desc *d = c->object;
	struct co_mail_queue *q = queue_of(box, d->tag);
	bool came = false;

	if (q || d->tag != CO_MAIL_ANY)
		return !q || listen(q, ARMED_TO_WAKE);
	for (unsigned i = 0; i < CO_MAIL_QUEUES; i++)
		came |= listen(&box->queue[i], ARMED_FOR_ANY);
	return came;
}

struct co_waitq *co_mail_waiters(int tag)
{
	struct co_mailboxes *box = mine();
	struct co_mail_queue *q = queue_of(box, tag);

	return q ? &q->receivers : &box->any;
}

/* ---- Mailboxes ---- */

static int open_for(struct co_mailbox *b, int tag, struct co_mailbox how)
{
	struct co_mailboxes *box = mine();
	struct co *users[CO_MAIL_USERS] = { co_executor.current };
	struct co_mail_queue *from = route(box, (unsigned)tag);
	struct co_mail_entry *e;

	CO_ASSERT_THAT(!box->delivering, "a mailbox's function opens and closes no mailbox");
	if (find_mailbox(box, (unsigned)tag))
		return -EEXIST;
	/* *b may be uninitialized, so it cannot say itself whether it is open. */
	if (*entry_of(box, b))
		return -EBUSY;
	if (!co_owner_of(b, &users[1]) || !co_owner_of(how.storage, &users[2]))
		return -EINVAL;
	e = co_spm_keep(sizeof(*e), alignof(struct co_mail_entry));
	if (!e)
		return -ENOMEM;
	how.tag = (uint16_t)tag;
	how.hart = (uint16_t)co_executor.hart;
	how.from = from;
	*b = how;
	e->next = box->open;
	e->box = b;
	e->from = from;
	e->storage = b->storage;
	e->tag = (unsigned)tag;
	e->handled = b->fn;
	co_mail_users_add(e, users);
	box->open = e;
	from->arrival.run = message_arrived;
	from->served++;
	from->handled += e->handled;
	serve_queue(from);
	return 0;
}

/*
 * Find `words` free words in the window's part for mailboxes, beside the mailboxes that are open
 * there. Returns 0; -EINVAL: the window has no part for mailboxes; -ENOMEM.
 */
static NOINLINE int find_storage(unsigned words, uintptr_t **storage)
{
	const struct co_hart *h = co_executor.self;
	const size_t bytes = words * sizeof(**storage);
	uintptr_t at = (uintptr_t)h + h->boxes_at;
	const uintptr_t end = (uintptr_t)h + h->caches_at;
	const struct co_mail_entry *o = mine()->open;

	if (at == end)
		return -EINVAL;
	while (o && at <= end && bytes <= end - at) {
		uintptr_t theirs = (uintptr_t)o->storage;
		uintptr_t theirs_end = theirs + o->box->words * sizeof(*o->storage);

		if (theirs < at + bytes && at < theirs_end) {
			at = theirs_end;
			o = mine()->open;
		} else {
			o = o->next;
		}
	}
	if (at > end || bytes > end - at)
		return -ENOMEM;
	*storage = (uintptr_t *)at;
	return 0;
}

int co_mailbox_open(struct co_mailbox *b, int tag, uintptr_t *storage, unsigned words)
{
	int r;

	if (!b || (unsigned)tag > CO_MAIL_TAG_MAX || words < 2 || words > UINT32_MAX / 2)
		return -EINVAL;
	r = storage ? 0 : find_storage(words, &storage);
	if (r)
		return r;
	if ((uintptr_t)storage % sizeof(*storage) ||
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

void co_mail_take_out(struct co_mail_entry **link)
{
	struct co_mail_entry *e = *link;
	struct co_mail_queue *from = e->from;

	*link = e->next;
	if (from->leads == e->box)
		from->leads = NULL;
	from->served--;
	from->handled -= e->handled;
	co_mail_users_remove(e);
	co_spm_free(e);
	serve_queue(from);
}

int co_mailbox_close(struct co_mailbox *b)
{
	struct co_mailboxes *box = mine();
	struct co_mail_entry **link = entry_of(box, b);

	CO_ASSERT_THAT(!box->delivering, "a mailbox's function opens and closes no mailbox");
	CO_ASSERT_THAT(*link, "a mailbox is closed once, on the hart that has opened it");
	if (b->used || has_waiter(&b->queue) ||
	    (b->from->leads == b && has_waiter(&b->from->leader)))
		return -EBUSY;
	b->storage = NULL;
	co_mail_take_out(link);
	return 0;
}

void co_mail_read(const struct co_mail *m, unsigned from, uintptr_t *words, unsigned n)
{
	CO_ASSERT_THAT(mine()->delivering, "co_mail_read() is called in a mailbox's function");
	CO_ASSERT_THAT(from <= m->size && n <= m->size - from,
		       "co_mail_read() reads words that the message has");
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

	if (!*entry_of(mine(), b) && b->ended) /* else it may lie on a stack that is gone */
		return -EOWNERDEAD;
	CO_ASSERT_THAT(*entry_of(mine(), b) && b->storage,
		       "a mailbox that is received from is open on this hart, and has no function");
	if (!b->used)
		deliver(mine(), b->from, false);
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
	const struct co_mailbox *b = c->object; /* filled on this hart alone */

	return b->used || b->ended;
}

/* ---- Receiving ---- */

#define NOT_YET 1 /* in place of a wait's result: there was none */

static const char from_queue[] = "message in a mailbox queue";
static const char from_box[] = "message in a mailbox";

/* May a coroutine that waits in b lead? Handlers are to run at once, not when a coroutine does. */
INLINE bool may_lead(const struct co_mailbox *b)
{
	return !b->from->handled && !co_waitq_known(&b->queue) && !co_waitq_known(&b->from->leader);
}

/* Wait once: in box or, if box is NULL, in c's queue. */
static int wait_once(struct co_case *c, struct co_mailbox *box, bool again, uint64_t deadline)
{
	struct co_mail_queue *from = box ? box->from : NULL;
	bool leads = box && may_lead(box) && !oldest(from);
	struct co_waitq *in = leads ? &from->leader : c->queue;
	const char *kind = box ? from_box : from_queue;
	struct co_waiter *w = again ? co_wait_prepare_front(in, in, kind)
				    : co_wait_prepare(in, in, kind);
	int why;

	if (!leads)
		return c->look(c) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
	arm_leader(from, box, ARMED_TO_LEAD);
	why = oldest(from) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
	serve_queue(from); /* box may be gone: leave.c */
	return why;
}

/*
 * Receive in box or, if box is NULL, from the queue that is bound to `tag`. The general case, to
 * which the functions below come if theirs is another.
 * @param why  the result of a wait that the caller has had, or NOT_YET; -EAGAIN: do not wait
 */
static NOINLINE int recv_on(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
			    uint64_t deadline, struct co_mailbox *box, int why)
{
	struct co_mail_desc d = { .tag = tag, .words = words, .max = max };
	struct co_case c = CO_CASE_MAILBOX(box, &d);
	bool again = why != NOT_YET;
	int r;

	if (why == -EOWNERDEAD)
		return why;
	if (!box)
		c = (struct co_case)CO_CASE_MAIL(&d);
	else if (again && why != -EAGAIN)
		serve_queue(box->from); /* the caller has led */
	if (!co_executor.current && why != -EAGAIN)
		return -EDEADLK;
	if (!again)
		why = 0;
	/* Once more after a deadline or a cancel, since a hint may have come too. */
	while ((r = c.attempt(&c)) == -EAGAIN && !why) {
		why = wait_once(&c, box, again, deadline);
		if (why == -EOWNERDEAD)
			return why;
		again = true;
	}
	if (r >= 0 && m)
		*m = d.mail;
	return r == -EAGAIN ? why : r;
}

/* Admit senders, and serve q, after a message of n words was taken. Returns n, for tail calls. */
static NOINLINE int after_take(struct co_mail_queue *q, uint32_t n)
{
	co_mail_admit(q);
	if (is_awaited(q))
		serve_queue(q);
	return (int)n;
}

/* The first wait has ended with `why`. Inline: the message it was for, if that is a short one. */
INLINE int recv_woken(struct co_mail_queue *q, int tag, uintptr_t *words, unsigned max,
		      struct co_mail *m, uint64_t deadline, struct co_mailbox *box, int why)
{
	uint32_t head = co_mailq_look(&q->messages);
	uint32_t n = HAL_MAILBOX_SIZE(head);

	if (why || !head || n > max || !co_mailq_front_short(&q->messages, n) ||
	    (box ? box->used || tag_of(head) != box->tag : q->served))
		return recv_on(tag, words, max, m, deadline, box, why);
	co_mailq_fetch(words, co_mailq_front(&q->messages), n);
	if (m)
		*m = describe_mail(head);
	co_mailq_drop(&q->messages, n);
	if (box)
		arm(q, q->rings); /* from now on the arrival message delivers, or the alarm */
	if (co_waitq_any(&q->senders) || (box ? co_mailq_look(&q->messages) != 0 : is_awaited(q)))
		return after_take(q, n);
	return (int)n;
}

/* recv_later() where the hart has other things to do, or the wait has a deadline. */
static NOINLINE int recv_queued(struct co_mail_queue *q, int tag, uintptr_t *words, unsigned max,
				struct co_mail *m, uint64_t deadline, struct co_mailbox *box)
{
	struct co_waitq *in = box ? &q->leader : &q->receivers;
	struct co *self = co_executor.current;
	struct co_waiter *first;
	int why;

	if (!co_waitq_try_lock(in, &first))
		return recv_on(tag, words, max, m, deadline, box, NOT_YET);
	co_wait_begin(self, in, first, in, box ? from_box : from_queue, false, 0);
	if (box)
		arm_leader(q, box, ARMED_TO_LEAD);
	else
		arm(q, ARMED_TO_WAKE);
	why = co_mailq_look(&q->messages) ? co_wait_abandon(&self->waiter)
					  : co_wait_commit_inline(&self->waiter, deadline);
	return recv_woken(q, tag, words, max, m, deadline, box, why);
}

/*
 * Nothing has come, and nobody else waits for messages of q. A wait in box leads: the next sender
 * calls or wakes it instead of posting. All calls are last, so that nothing is saved for them.
 */
INLINE int recv_later(struct co_mail_queue *q, int tag, uintptr_t *words, unsigned max,
		      struct co_mail *m, uint64_t deadline, struct co_mailbox *box)
{
	struct co *self = co_executor.current;
	struct co_hart *h = co_executor.self;

	if (!co_call_may(self, deadline))
		return recv_queued(q, tag, words, max, m, deadline, box);
	co_call_expect(h, self, q, box ? from_box : from_queue);
	if (box)
		arm_leader(q, box, ARMED_TO_CALL);
	else
		arm(q, ARMED_TO_CALL);
	co_call_await(h, self, co_mailq_look(&q->messages) != 0);
	return recv_woken(q, tag, words, max, m, deadline, box, 0);
}

int co_mail_try_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return recv_on(tag, words, max, m, 0, NULL, -EAGAIN);
}

int co_mail_recv_until(int tag, uintptr_t *words, unsigned max, struct co_mail *m,
		       uint64_t deadline)
{
	struct co_mail_queue *q = queue_of(mine(), tag);

	if (HAL_MAILBOX_EXISTS() || !co_executor.current || !q || is_awaited(q))
		return recv_on(tag, words, max, m, deadline, NULL, NOT_YET);
	if (!co_mailq_look(&q->messages))
		return recv_later(q, tag, words, max, m, deadline, NULL);
	return recv_woken(q, tag, words, max, m, deadline, NULL, 0);
}

int co_mail_recv(int tag, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mail_recv_until(tag, words, max, m, CO_FOREVER);
}

int co_mailbox_try_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	CO_ASSERT_THAT(b, "co_mailbox_recv() is given a mailbox");
	return recv_on(0, words, max, m, 0, b, -EAGAIN);
}

int co_mailbox_recv_until(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m,
			  uint64_t deadline)
{
	/* If it is another hart's, not open, or has a handler, co_case_mailbox() asserts. */
	if (b->hart != co_executor.hart || !b->storage || HAL_MAILBOX_EXISTS() ||
	    !co_executor.current || b->used || !may_lead(b) || co_mailq_look(&b->from->messages))
		return recv_on(0, words, max, m, deadline, b, NOT_YET);
	return recv_later(b->from, 0, words, max, m, deadline, b);
}

int co_mailbox_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mailbox_recv_until(b, words, max, m, CO_FOREVER);
}

CO_HOOKS = { .alarm = co_mail_alarm };
