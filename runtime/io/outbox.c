/*
 * outbox.c - output that nobody waits for: texts, and hart 0's side of it all.
 */
#include <errno.h>
#include <string.h>

#include <cohart/assert.h>
#include <cohart/proxy.h>

#include "outbox.h"

/* How often io_catch_up_last() looks for a link: 64 times without a nap, then once in 20 us. */
#define LAST_LOOKS 1000

struct co_inbox io_mail = { .last = { (uintptr_t)&io_mail.stub } };
struct co_waitq io_work;
_Thread_local struct io_outbox io_outbox;
struct co *io_record_owner;
static const struct io_record *served_now;
static struct co_outlet outlet = { &io_mail.stub };

static intptr_t serve_nothing(void *unused)
{
	(void)unused;
	return 0;
}

/*
 * Where records may begin by now. What is not served yet lies between `served` and next; or, when
 * next has begun anew since, from `served` on, and below next. They are the same only if there is
 * nothing: so next does not begin anew while nothing of the first round is served. A record may run
 * over the end of the ring: there is room for it.
 */
static void look(struct io_outbox *o)
{
	struct co_annex *a = co_annex();
	unsigned char *end = a->outbox + CO_OUTBOX_BYTES;
	/* acquire: what is overwritten from now on has been read; pairs with serve(). */
	uintptr_t served = co_atomic_load(&a->outbox_served, CO_ACQUIRE);

	if (!o->next)
		o->next = a->outbox;
	if (o->next >= end && served && served <= (uintptr_t)o->next)
		o->next = a->outbox;
	o->stop = served > (uintptr_t)o->next ? (unsigned char *)(served - CO_RECORD_BYTES) : end;
}

void io_outbox_wait(void)
{
	struct io_outbox *o = &io_outbox;

	look(o);
	while (!io_outbox_room(o)) {
		/* All that is in the mail is printed before a call is served. */
		co_proxy_call(serve_nothing, NULL);
		look(o);
	}
}

/* Out of line, both: a call in the middle would cost all paths their registers. */
__attribute__((noinline)) static int post_by_nobody(void)
{
	CO_ASSERT(!"a coroutine prints, not a handler");
	return -1;
}

__attribute__((noinline)) static int wake_proxy(int n)
{
	co_wake_one(&io_work);
	return n;
}

int io_outbox_post(uint64_t *end, bool unended, int n)
{
	struct io_outbox *o = &io_outbox;
	struct io_record *r = (struct io_record *)o->next;
	struct co *self = co_executor.current;

	if (!self)
		return post_by_nobody();
	o->next = (unsigned char *)end;
	r->end = (uintptr_t)end;
	r->owner = self;
	self->req.unended = unended;
	co_inbox_push(&io_mail, &r->msg);
	/* Its link is seq_cst, and so is this look; pairs with wait_for_work() in proxy.c. */
	return co_waitq_any(&io_work) ? wake_proxy(n) : n;
}

static void print_text(struct co_msg *m)
{
	const struct io_record *r = (const struct io_record *)m;

	io_console_write((const char *)r->word, r->length);
}

void io_outbox_text(const char *s, size_t bytes)
{
	struct io_record *r = io_outbox_open();
	char *text = (char *)r->word;

	r->msg.run = print_text;
	r->length = bytes;
	memcpy(text, s, bytes);
	io_outbox_post(io_aligned(text + bytes), s[bytes - 1] != '\n', 0);
}

static void served(void)
{
	struct co_annex *a = co_annex_at(io_record_owner->hart);

	io_record_owner = NULL;
	/* release: it is not read any more; pairs with look(). */
	co_atomic_store(&a->outbox_served, served_now->end, CO_RELEASE);
}

static void serve(struct co_msg *m)
{
	served_now = (const struct io_record *)m;
	io_record_owner = served_now->owner;
	m->run(m);
	served();
}

void io_record_release(void)
{
	if (io_record_owner)
		served();
}

static bool mail_empty(void)
{
	/* relaxed: what the caller has heard of, it has heard of by an acquire. */
	return outlet.oldest == &io_mail.stub &&
	       co_atomic_load(&io_mail.last, CO_RELAXED) == (uintptr_t)&io_mail.stub;
}

/*
 * Serve what was in the mail at the beginning, no more: others may go on filling it. Between a
 * record's entry and its link its hart is one instruction away from being done.
 */
static void serve_until(unsigned looks)
{
	/* relaxed: as above. */
	struct co_msg *end = (struct co_msg *)co_atomic_load(&io_mail.last, CO_RELAXED);
	struct co_msg *m = NULL;
	unsigned spins = 0;

	/* The stub is never taken: who is at it has taken all before it. */
	while (m != end && !(end == &io_mail.stub && outlet.oldest == end)) {
		m = co_inbox_take(&io_mail, &outlet);
		if (m) {
			serve(m);
			continue;
		}
		if (looks && spins >= looks)
			return;
		co_spin(&spins);
	}
}

bool io_catch_up(void)
{
	int err = errno;

	if (mail_empty())
		return false;
	serve_until(0);
	errno = err;
	return true;
}

void io_catch_up_last(void)
{
	serve_until(LAST_LOOKS);
}

bool io_mail_waits(void)
{
	return co_inbox_ready(&io_mail, &outlet);
}
