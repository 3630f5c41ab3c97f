/*
 * mailbox_open.c - any number of mailboxes over the few queues of a hart.
 *
 * Everything here happens on the hart that owns them: messages travel through its queues, and are
 * sorted out of those by its own code, so nothing here is atomic but the wake-ups. A mailbox that
 * is full leaves its next message where it is: that holds back the queue, and the senders in the
 * end.
 */
#include <errno.h>

#include "mail.h"

static struct co_mailbox **chain_of(struct co_mailboxes *box, unsigned tag)
{
	return &box->open[tag % CO_MAIL_CHAINS];
}

struct co_mailbox *co_mail_find(struct co_mailboxes *box, unsigned tag)
{
	struct co_mailbox *b = *chain_of(box, tag);

	while (b && b->tag != tag)
		b = b->next;
	return b;
}

/* Storage is a ring of words: each message's head, then its words. */
static unsigned place_after(const struct co_mailbox *b, unsigned place, unsigned n)
{
	/* Both are at most b->words, which is less than half of the type's range. */
	return place + n >= b->words ? place + n - b->words : place + n;
}

/* Copy the queue's oldest message into storage; false: it does not fit now. */
static bool keep(struct co_mailbox *b, unsigned queue, uint32_t head)
{
	struct co_mail_door *d = &co_mail_mine()->door[queue];
	unsigned n = HAL_MAILBOX_SIZE(head);
	unsigned place = place_after(b, b->first, b->used);
	unsigned run;

	if (b->used + n + 1 > b->words) {
		struct co_mail m = co_mail_describe(head, queue);

		if (n + 1 > b->words)
			co_panic("mailbox of tag %u: %u words from hart %u, storage for %u", m.tag,
				 n, m.sender, b->words - 1);
		return false;
	}
	b->storage[place] = head;
	place = place_after(b, place, 1);
	run = b->words - place < n ? b->words - place : n;
	co_mail_copy(d, 0, &b->storage[place], run);
	if (run < n)
		co_mail_copy(d, run, b->storage, n - run);
	b->used += n + 1;
	return true;
}

static void deliver(struct co_mailboxes *box, unsigned q)
{
	struct co_mailbox *b;
	uint32_t head;

	while ((head = co_mail_look(&box->door[q])) &&
	       (b = co_mail_find(box, co_mail_head_tag(head)))) {
		if (b->fn) {
			struct co_mail m = co_mail_describe(head, q);

			b->fn(b, &m);
		} else if (!keep(b, q, head)) {
			box->stalled |= (uint8_t)(1u << q);
			return;
		}
		co_mail_drop(&box->door[q]);
		co_mail_admit(&box->door[q]);
		co_wake_one(&b->queue);
	}
}

void co_mail_deliver(struct co_mailboxes *box, unsigned q)
{
	struct co *current;
	int err = errno; /* the caller's; handlers have one too */

	/* A handler that receives must not start handlers. */
	if (box->delivering)
		return;
	box->delivering = true;
	current = co_handlers_begin(&co_executor);
	deliver(box, q);
	co_handlers_end(&co_executor, current);
	box->delivering = false;
	errno = err;
}

/* On this hart. It may be memory that nobody has written yet, so it cannot say so itself. */
static bool is_open(const struct co_mailboxes *box, const struct co_mailbox *b)
{
	for (unsigned i = 0; i < CO_MAIL_CHAINS; i++) {
		for (const struct co_mailbox *o = box->open[i]; o; o = o->next) {
			if (o == b)
				return true;
		}
	}
	return false;
}

static int open_for(struct co_mailbox *b, int tag, const struct co_mailbox *how)
{
	struct co_mailboxes *box = co_mail_mine();
	struct co_mailbox **chain;

	CO_ASSERT(!box->delivering);
	if (co_mail_find(box, (unsigned)tag))
		return -EEXIST;
	if (is_open(box, b))
		return -EBUSY;
	chain = chain_of(box, (unsigned)tag);
	*b = *how;
	b->tag = (uint16_t)tag;
	b->hart = (uint16_t)co_executor.hart;
	b->from = (uint16_t)co_mail_route(box, (unsigned)tag);
	b->next = *chain;
	*chain = b;
	box->served[b->from]++;
	co_mail_serve(box, b->from);
	return 0;
}

int co_mailbox_open(struct co_mailbox *b, int tag, uintptr_t *storage, unsigned words)
{
	if (!b || (unsigned)tag > CO_MAIL_TAG_MAX || words < 2 || words > UINT32_MAX / 2)
		return -EINVAL;
	if (!storage || (uintptr_t)storage % sizeof(*storage) ||
	    words > (UINTPTR_MAX - (uintptr_t)storage) / sizeof(*storage))
		return -EINVAL;
	/* What is no memory shows here, and not where messages arrive and nobody runs. */
	storage[0] = storage[words - 1] = 0;
	return open_for(b, tag, &(struct co_mailbox){ .storage = storage, .words = words });
}

int co_mailbox_handle(struct co_mailbox *b, int tag, co_mail_fn *fn, void *arg)
{
	if (!b || (unsigned)tag > CO_MAIL_TAG_MAX || !fn)
		return -EINVAL;
	return open_for(b, tag, &(struct co_mailbox){ .fn = fn, .arg = arg });
}

int co_mailbox_close(struct co_mailbox *b)
{
	struct co_mailboxes *box = co_mail_mine();
	struct co_mailbox **link = chain_of(box, b->tag);

	CO_ASSERT(b->hart == co_executor.hart && !box->delivering);
	/* relaxed: this hart's own coroutines alone wait there. */
	if (b->used || co_waitq_known(&b->queue))
		return -EBUSY;
	while (*link != b) {
		CO_ASSERT(*link); /* it is open */
		link = &(*link)->next;
	}
	*link = b->next;
	b->storage = NULL;
	box->served[b->from]--;
	co_mail_serve(box, b->from);
	return 0;
}

void co_mail_read(const struct co_mail *m, unsigned from, uintptr_t *words, unsigned n)
{
	CO_ASSERT(co_mail_mine()->delivering);
	CO_ASSERT(from <= m->size && n <= m->size - from);
	if (n)
		co_mail_copy(&co_mail_mine()->door[m->queue], from, words, n);
}

int co_mailbox_try_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	struct co_mailboxes *box = co_mail_mine();
	uint32_t head;
	unsigned n;

	CO_ASSERT(b->hart == co_executor.hart && b->storage); /* open, and without a handler */
	if (!b->used)
		co_mail_deliver(box, b->from);
	if (!b->used)
		return -EAGAIN;
	head = (uint32_t)b->storage[b->first];
	n = HAL_MAILBOX_SIZE(head);
	if (n > max)
		return -EMSGSIZE;
	b->first = place_after(b, b->first, 1);
	for (unsigned i = 0; i < n; i++) {
		words[i] = b->storage[b->first];
		b->first = place_after(b, b->first, 1);
	}
	b->used -= n + 1;
	if (box->stalled & 1u << b->from) {
		box->stalled &= (uint8_t) ~(1u << b->from);
		co_mail_serve(box, b->from);
	}
	if (m)
		*m = co_mail_describe(head, b->from);
	return (int)n;
}

int co_mailbox_recv_until(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m,
			  uint64_t deadline)
{
	bool woken = false;
	int r;

	if (!co_executor.current)
		return -EDEADLK;
	while ((r = co_mailbox_try_recv(b, words, max, m)) == -EAGAIN) {
		/*
		 * No look again: what fills the mailbox runs on this hart, and not before the
		 * commit.
		 */
		struct co_waiter *w =
			woken ? co_wait_prepare_front(&b->queue, b, "message in a mailbox")
			      : co_wait_prepare(&b->queue, b, "message in a mailbox");
		int why = co_wait_commit(w, deadline);

		if (why) {
			r = co_mailbox_try_recv(b, words, max, m);
			if (r == -EAGAIN)
				r = why;
			break;
		}
		woken = true;
	}
	/* It may have left the message that it was woken for. */
	if (woken && b->used)
		co_wake_one(&b->queue);
	return r;
}

int co_mailbox_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mailbox_recv_until(b, words, max, m, CO_FOREVER);
}

int co_case_mailbox(struct co_case *c)
{
	struct co_letter *l = c->data;

	return co_mailbox_try_recv(c->object, l->words, l->max, &l->mail);
}

bool co_case_mailbox_came(struct co_case *c)
{
	return ((struct co_mailbox *)c->object)->used != 0;
}
