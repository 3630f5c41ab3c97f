/*
 * mailbox_open.c - any number of mailboxes over the few queues of a hart.
 *
 * Everything here happens on the hart that owns them: messages travel through its queues, and are
 * sorted out of those by its own code, so nothing here is atomic but the wake-ups. A mailbox that
 * is full leaves its next message where it is: that holds back the queue, and the senders in the
 * end.
 */
#include "mailbox.h"

struct co_mailbox *co_mail_find(struct co_mailboxes *box, unsigned tag)
{
	struct co_mailbox *b = box->open;

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
static bool store_message(struct co_mailbox *b, unsigned queue, uint32_t head)
{
	struct co_mailboxes *box = co_mail_mine();
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
	co_mail_copy(box, queue, 0, &b->storage[place], run);
	if (run < n)
		co_mail_copy(box, queue, run, b->storage, n - run);
	b->used += n + 1;
	return true;
}

static void hand_out(struct co_mailboxes *box, unsigned q)
{
	struct co_mailbox *b;
	uint32_t head;

	while ((head = co_mail_look(box, q)) && (b = co_mail_find(box, co_mail_head_tag(head)))) {
		if (b->fn) {
			struct co_mail m = co_mail_describe(head, q);

			b->fn(b, &m);
		} else if (!store_message(b, q, head)) {
			box->stalled |= (uint8_t)(1u << q);
			return;
		}
		co_mail_drop(box, q, HAL_MAILBOX_SIZE(head));
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
	hand_out(box, q);
	co_handlers_end(&co_executor, current);
	box->delivering = false;
	errno = err;
}

static int open_for(struct co_mailbox *b, int tag, struct co_mailbox how)
{
	struct co_mailboxes *box = co_mail_mine();

	CO_ASSERT(!box->delivering);
	if (co_mail_find(box, (unsigned)tag))
		return -EEXIST;
	/* *b may be memory that nobody has written yet, so it cannot say so itself. */
	for (struct co_mailbox *o = box->open; o; o = o->next) {
		if (o == b)
			return -EBUSY;
	}
	how.tag = (uint16_t)tag;
	how.hart = (uint16_t)co_executor.hart;
	how.from = (uint16_t)co_mail_route(box, (unsigned)tag);
	how.next = box->open;
	*b = how;
	box->open = b;
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
	struct co_mailboxes *box = co_mail_mine();
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
	co_mail_serve(box, b->from);
	return 0;
}

void co_mail_read(const struct co_mail *m, unsigned from, uintptr_t *words, unsigned n)
{
	CO_ASSERT(co_mail_mine()->delivering);
	CO_ASSERT(from <= m->size && n <= m->size - from);
	if (n)
		co_mail_copy(co_mail_mine(), m->queue, from, words, n);
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
	d->mail = co_mail_describe(head, b->from);
	return (int)n;
}

int co_case_mailbox(struct co_case *c)
{
	struct co_mailboxes *box = co_mail_mine();
	struct co_mailbox *b = c->object;
	int r;

	CO_ASSERT(b->hart == co_executor.hart && b->storage); /* open, and without a handler */
	if (!b->used)
		co_mail_deliver(box, b->from);
	if (!b->used)
		return -EAGAIN;
	r = take_stored(b, c->data);
	if (box->stalled & 1u << b->from) {
		box->stalled &= (uint8_t) ~(1u << b->from);
		co_mail_serve(box, b->from);
	}
	if (b->used)
		co_wake_one(&b->queue); /* the hint may have been for a message that stays */
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

	return co_mail_received(co_case_mailbox(&c), &d, m);
}

int co_mailbox_recv_until(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m,
			  uint64_t deadline)
{
	struct co_mail_desc d = { .words = words, .max = max };
	struct co_case c = CO_CASE_MAILBOX(b, &d);

	return co_mail_received(co_mail_wait(&c, "message in a mailbox", deadline), &d, m);
}

int co_mailbox_recv(struct co_mailbox *b, uintptr_t *words, unsigned max, struct co_mail *m)
{
	return co_mailbox_recv_until(b, words, max, m, CO_FOREVER);
}
