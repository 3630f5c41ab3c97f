/* links.c - an exchange over one link of any depth; any call, deadlines, early closes. */
#include "stress.h"

enum { SENDERS = 12, WORDS = 8, DEPTH = 16 };

static struct state {
	struct co_link link;
	unsigned each;
	unsigned close_after; /* messages; 0: when all is received */
	unsigned got[SENDERS];
	struct co_counter opening;
} states[STRESS_EXCHANGES];

static int send(struct stress_worker *w, struct state *s, struct co_link_tx *tx, unsigned number)
{
	unsigned bytes = s->link.words * sizeof(uintptr_t);
	unsigned way = stress_failed() ? 0 : test_below(&w->random, 4);
	uintptr_t words[WORDS];
	uintptr_t *slot;
	int r;

	stress_fill(words, bytes, stress_id(w->number, number));
	switch (way) {
	case 0:
		return co_link_send(tx, words);
	case 1:
		return co_link_send_until(tx, words, co_after_us(test_below(&w->random, 50)));
	case 2:
		return co_link_try_send(tx, words);
	default:
		r = co_link_reserve(tx, &slot);
		if (r)
			return r;
		for (unsigned i = 0; i < s->link.words; i++)
			slot[i] = words[i];
		co_link_commit(tx);
		return 0;
	}
}

static intptr_t sender(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	struct co_link_tx *tx;
	unsigned sent = 0;
	int r = co_link_open_tx(&s->link, &tx);

	co_counter_done(&s->opening);
	if (r) {
		stress_fail("co_link_open_tx() returned %d", r);
		return r;
	}
	while (sent < s->each) {
		r = send(w, s, tx, sent);
		sent += r == 0;
		if (!stress_again(r))
			break;
		stress_pause(w);
	}
	if (r != -EPIPE || !s->close_after)
		stress_ended("send", r);
	stress_sent(w->exchange, w->number, sent);
	co_link_close_tx(tx);
	return 0;
}

static int receive(struct stress_worker *w, struct state *s, struct co_link_rx *rx,
		   struct stress_view *v)
{
	unsigned bytes = s->link.words * sizeof(uintptr_t);
	unsigned way = stress_failed() ? 0 : test_below(&w->random, 4);
	const uintptr_t *slot;
	uintptr_t words[WORDS];
	int r;

	if (way == 3) {
		r = co_link_peek(rx, &slot);
		if (r >= 0) {
			stress_arrived(v, slot, bytes);
			co_link_release(rx);
		}
		return r;
	}
	if (way == 2)
		r = co_link_try_recv(rx, words);
	else if (way == 1)
		r = co_link_recv_until(rx, words, co_after_us(test_below(&w->random, 50)));
	else
		r = co_link_recv(rx, words);
	if (r >= 0)
		stress_arrived(v, words, bytes);
	return r;
}

static intptr_t receiver(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	struct co_link_rx *rx;
	struct stress_view v;
	unsigned received = 0;
	int r = co_link_open_rx(&s->link, &rx);

	if (r) {
		stress_fail("co_link_open_rx() returned %d", r);
		return r;
	}
	stress_view_open(&v, w);
	do {
		r = receive(w, s, rx, &v);
		received += r >= 0;
		stress_pause(w);
	} while ((received < s->close_after || !s->close_after) && stress_again(r));
	if (r < 0 && r != -EPIPE && !s->close_after)
		stress_fail("a receive returned %d", r);
	for (unsigned i = 0; i < SENDERS; i++)
		s->got[i] = v.next[i];
	stress_view_close(&v);
	(void)!co_counter_wait(&s->opening); /* a sender that comes later would wait for the next */
	co_link_close_rx(rx);
	return 0;
}

void stress_link(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	struct stress_worker *receivers, *all;
	unsigned most = l->workers_max - 1 < SENDERS ? l->workers_max - 1 : SENDERS;
	unsigned words = stress_size(&l->random, WORDS);
	unsigned depth = stress_size(&l->random, DEPTH);
	unsigned senders = stress_size(&l->random, most);
	unsigned quitters = test_below(&l->random, 3) ? 0 : 2;

	s->link = (struct co_link){ .words = (uint16_t)words,
				    .depth = (uint16_t)depth,
				    .senders = (uint16_t)senders };
	s->each = stress_each(l, senders);
	s->close_after = test_below(&l->random, 4) ? 0 : stress_size(&l->random, s->each);
	stress_plan(l, "link, %u words, depth %u; %u senders of %u, %u cancels, close after %u",
		    words, depth, senders, s->each, quitters, s->close_after);
	co_counter_add(&s->opening, senders);
	receivers = stress_start(l, "receiver", receiver, 1);
	all = stress_start(l, "sender", sender, senders);
	(void)!co_counter_wait(&s->opening); /* one that is cancelled before would be missed */
	stress_cancel(l, all, senders, quitters);
	stress_join(all, senders);
	stress_join(receivers, 1);
	/* What came is the beginning of what each sent; the rest was dropped by the close. */
	for (unsigned i = 0; s->close_after && i < senders; i++) {
		STRESS_CHECK(s->got[i] <= co_atomic_load(&l->ledger.sent[i], CO_RELAXED));
		stress_sent(l, i, s->got[i]);
	}
}
