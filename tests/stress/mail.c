/*
 * mail.c - an exchange over mailboxes: receivers on any harts, each with a bound queue, a mailbox
 * over one, or a mailbox over the catch-all; every sender writes to all of them.
 */
#include "stress.h"

enum { RECEIVERS = 16, WORDS_MAX = 40, STORAGE = 128, TAG = 1000, THROUGH = 1u << 31 };

static struct state {
	unsigned senders, receivers;
	unsigned each;
	unsigned words; /* the largest message */
	struct co_counter opening;
	unsigned hart[RECEIVERS]; /* where they are */
	uintptr_t storage[RECEIVERS][STORAGE];
} states[STRESS_EXCHANGES];

/* Only one receiver of the machine has this tag. */
static int tag_of(const struct stress_exchange *l, unsigned receiver)
{
	return TAG + (int)(l->index * RECEIVERS + receiver);
}

static int send(struct stress_worker *w, unsigned hart, int tag, const uintptr_t *words, unsigned n)
{
	switch (stress_failed() ? 0 : test_below(&w->random, 4)) {
	case 0:
	case 1:
		return co_mail_send(hart, tag, words, n);
	case 2:
		return co_mail_send_until(hart, tag, words, n,
					  co_after_us(test_below(&w->random, 50)));
	default:
		return co_mail_try_send(hart, tag, words, n);
	}
}

static intptr_t sender(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	uintptr_t words[WORDS_MAX];
	unsigned sent = 0;
	int r = 0;

	while (sent < s->each) {
		unsigned to = test_below(&w->random, s->receivers);
		unsigned n = 1 + test_below(&w->random, s->words);

		stress_fill(words, n * sizeof(*words), stress_id(w->number, sent));
		r = send(w, s->hart[to], tag_of(w->exchange, to), words, n);
		sent += r == 0;
		if (!stress_again(r))
			break;
		stress_pause(w);
	}
	stress_ended("send", r);
	stress_sent(w->exchange, w->number, sent);
	return 0;
}

static int receive(struct stress_worker *w, struct co_mailbox *box, int tag, uintptr_t *words,
		   struct co_mail *m)
{
	uint64_t deadline = stress_deadline(w);

	if (deadline != CO_FOREVER && test_below(&w->random, 2))
		return box ? co_mailbox_try_recv(box, words, WORDS_MAX, m)
			   : co_mail_try_recv(tag, words, WORDS_MAX, m);
	if (box)
		return co_mailbox_recv_until(box, words, WORDS_MAX, m, deadline);
	return co_mail_recv_until(tag, words, WORDS_MAX, m, deadline);
}

static void take_all(struct stress_worker *w, struct co_mailbox *box, int tag)
{
	bool through = false;
	uintptr_t words[WORDS_MAX];
	struct stress_view v;

	stress_view_open(&v, w);
	while (!through) {
		struct co_mail m;
		int n = receive(w, box, tag, words, &m);

		if (n < 0 && stress_again(n))
			continue;
		if (n < 0) {
			stress_fail("a receive returned %d", n);
			break;
		}
		STRESS_CHECK(m.tag == tag && m.size == n);
		if (words[0] == THROUGH)
			through = true;
		else
			stress_arrived(&v, words, (unsigned)n * sizeof(*words));
		stress_pause(w);
	}
	stress_view_close(&v);
}

static intptr_t receiver(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	int tag = tag_of(w->exchange, w->number);
	struct co_mailbox box;
	bool bound = test_below(&w->random, 3) && co_mail_bind(tag) == 0;
	bool open = !bound || test_below(&w->random, 2);
	int r = open ? co_mailbox_open(&box, tag, s->storage[w->number], STORAGE) : 0;

	if (r)
		stress_fail("co_mailbox_open() returned %d", r);
	s->hart[w->number] = co_hart();
	co_counter_done(&s->opening);
	if (r)
		return r;
	take_all(w, open ? &box : NULL, tag);
	r = open ? co_mailbox_close(&box) : 0;
	if (r == 0 && bound)
		r = co_mail_unbind(tag); /* also: all room is back */
	if (r)
		stress_fail("closing a mailbox returned %d", r);
	return 0;
}

void stress_mail(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	struct stress_worker *senders, *receivers;
	unsigned side = l->workers_max / 2 < STRESS_SENDERS ? l->workers_max / 2 : STRESS_SENDERS;
	unsigned quitters = test_below(&l->random, 3) ? 0 : 2;

	s->senders = stress_size(&l->random, side);
	s->receivers = stress_size(&l->random, side < RECEIVERS ? side : RECEIVERS);
	s->each = stress_each(l, s->senders);
	s->words = stress_size(&l->random, WORDS_MAX);
	stress_plan(l, "mail of up to %u words; %u senders of %u, %u receivers, %u cancels",
		    s->words, s->senders, s->each, s->receivers, quitters);
	co_counter_add(&s->opening, s->receivers);
	receivers = stress_start(l, "receiver", receiver, s->receivers);
	(void)!co_counter_wait(&s->opening);
	senders = stress_start(l, "sender", sender, s->senders);
	stress_cancel(l, senders, s->senders, quitters);
	stress_join(senders, s->senders);
	/* Not the senders themselves, who may be cancelled. It comes behind all that they sent. */
	for (unsigned i = 0; i < s->receivers; i++) {
		if (co_mail_send(s->hart[i], tag_of(l, i), (uintptr_t[]){ THROUGH }, 1))
			stress_fail("the last message was not sent");
	}
	stress_join(receivers, s->receivers);
}
