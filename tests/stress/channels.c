/*
 * channels.c - an exchange over one channel: any mode, claim, capacity and size; elements copied,
 * in place, in bulk; with deadlines, cancels, and closes in the middle.
 */
#include "stress.h"

enum { ELEM_MAX = 96, BUFFER_BYTES = 64 << 10, CAPACITY_MAX = 256, BULK = 8 };

static const enum co_claim claims[] = {
#ifndef CO_NO_CAS
	CO_CLAIM_CAS,
#endif
	CO_CLAIM_TICKET,
};

static const char *const mode_names[] = { "MPMC", "MPSC", "SPMC", "SPSC", "rendezvous" };
static const char *const claim_names[] = { "compare-and-swap", "tickets" };

/* What an exchange's channel is, and what is done to it. */
static struct state {
	struct co_chan chan;
	alignas(CO_LINE) unsigned char buffer[BUFFER_BYTES];
	enum co_chan_mode mode;
	enum co_claim claim;
	unsigned elem_size, capacity;
	unsigned senders, receivers;
	unsigned quitters; /* workers of either side that are cancelled */
	unsigned each;     /* messages of a sender */
	bool close_early;
	bool close_late; /* when all has arrived: a receiver that sleeps too long is noticed */
} states[STRESS_EXCHANGES];

static bool one_sender(const struct state *s)
{
	return s->mode == CO_SPSC || s->mode == CO_SPMC;
}

static bool one_receiver(const struct state *s)
{
	return s->mode == CO_SPSC || s->mode == CO_MPSC;
}

static void draw(struct stress_exchange *l, struct state *s)
{
	struct test_random *r = &l->random;
	unsigned side = l->workers_max / 2 < STRESS_SENDERS ? l->workers_max / 2 : STRESS_SENDERS;

	s->mode = (enum co_chan_mode)test_below(r, 5);
	s->claim = claims[test_below(r, sizeof(claims) / sizeof(*claims))];
	s->elem_size = test_below(r, 2) ? 4u << test_below(r, 2) : 3 + stress_size(r, ELEM_MAX - 3);
	s->capacity = stress_size(r, CAPACITY_MAX);
	s->senders = one_sender(s) ? 1 : stress_size(r, side);
	s->receivers = one_receiver(s) ? 1 : stress_size(r, side);
	s->each = stress_each(l, s->senders);
	s->quitters = test_below(r, 3) ? 0 : test_below(r, (s->senders + s->receivers) / 2 + 1);
	s->close_early = test_below(r, 6) == 0;
	s->close_late = !s->close_early && test_below(r, 2);
}

/* As one of two cases, of which the other never comes. */
static int by_select(struct stress_worker *w, struct co_case first)
{
	CO_CHANNEL(nobody, int, 1);
	int none;
	struct co_case cases[] = { first, CO_CASE_RECV(&nobody, &none) };
	int r = co_select_until(cases, 2, stress_deadline(w));

	STRESS_CHECK(r < 1);
	return r < 0 ? r : cases[0].result;
}

/* A number of them at once; how many went in, or the error. */
static int send_bulk(struct stress_worker *w, struct state *s, unsigned first, unsigned left)
{
	unsigned char elems[BULK * ELEM_MAX];
	unsigned n = 1 + test_below(&w->random, left < BULK ? left : BULK);

	for (unsigned i = 0; i < n; i++)
		stress_fill(elems + i * s->elem_size, s->elem_size,
			    stress_id(w->number, first + i));
	return co_chan_send_many_until(&s->chan, elems, n, stress_deadline(w));
}

static int send_in_place(struct stress_worker *w, struct state *s, uint32_t id)
{
	struct co_chan_slot slot;
	int r = test_below(&w->random, 2) ? co_chan_reserve(&s->chan, &slot)
					  : co_chan_try_reserve(&s->chan, &slot);

	if (r == -ENOTSUP) /* tickets and adds give out no slots: another way, next time */
		return -EAGAIN;
	if (r)
		return r;
	stress_fill(slot.data, s->elem_size, id);
	if (test_below(&w->random, 16) == 0)
		co_pause();
	co_chan_commit(&s->chan, &slot);
	return 1;
}

/* Send the next message or messages, in one of many ways: how many, or the error. */
static int send_some(struct stress_worker *w, struct state *s, unsigned number)
{
	unsigned char elem[ELEM_MAX];
	uint32_t id = stress_id(w->number, number);
	unsigned way = stress_failed() ? 0 : test_below(&w->random, 8);
	int r;

	if (way >= 6)
		return send_bulk(w, s, number, s->each - number);
	if (way >= 4)
		return send_in_place(w, s, id);
	stress_fill(elem, s->elem_size, id);
	if (way == 3 && test_below(&w->random, 2))
		r = by_select(w, (struct co_case)CO_CASE_SEND(&s->chan, elem));
	else if (way == 3)
		r = co_chan_try_send(&s->chan, elem);
	else if (way == 2)
		r = co_chan_send_until(&s->chan, elem, co_after_us(test_below(&w->random, 50)));
	else
		r = co_chan_send(&s->chan, elem);
	return r ? r : 1;
}

static intptr_t sender(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	unsigned last = s->each;
	unsigned sent = 0;
	int r = 0;

	/* The only sender is the one who may close in the middle. */
	if (s->close_early && one_sender(s))
		last = test_below(&w->random, s->each);
	while (sent < last) {
		r = send_some(w, s, sent);
		if (!stress_again(r))
			break;
		sent += r > 0 ? (unsigned)r : 0;
		stress_pause(w);
	}
	if (r != -EPIPE)
		stress_ended("send", r);
	stress_sent(w->exchange, w->number, sent);
	if (one_sender(s) && !s->close_late)
		co_chan_close(&s->chan);
	return 0;
}

static int recv_in_place(struct stress_worker *w, struct state *s, struct stress_view *v)
{
	struct co_chan_slot slot;
	int r = test_below(&w->random, 2) ? co_chan_peek(&s->chan, &slot)
					  : co_chan_try_peek(&s->chan, &slot);

	if (r == -ENOTSUP)
		return -EAGAIN;
	if (r)
		return r;
	stress_arrived(v, slot.data, s->elem_size);
	if (test_below(&w->random, 16) == 0)
		co_pause();
	co_chan_release(&s->chan, &slot);
	return 1;
}

static int recv_bulk(struct stress_worker *w, struct state *s, struct stress_view *v)
{
	unsigned char elems[BULK * ELEM_MAX];
	int r = co_chan_recv_many_until(&s->chan, elems, 1 + test_below(&w->random, BULK),
					stress_deadline(w));

	for (int i = 0; i < r; i++)
		stress_arrived(v, elems + (unsigned)i * s->elem_size, s->elem_size);
	return r;
}

static int recv_some(struct stress_worker *w, struct state *s, struct stress_view *v)
{
	unsigned char elem[ELEM_MAX];
	unsigned way = stress_failed() ? 0 : test_below(&w->random, 8);
	int r;

	if (way >= 6)
		return recv_bulk(w, s, v);
	if (way >= 4)
		return recv_in_place(w, s, v);
	if (way == 3 && test_below(&w->random, 2))
		r = by_select(w, (struct co_case)CO_CASE_RECV(&s->chan, elem));
	else if (way == 3)
		r = co_chan_try_recv(&s->chan, elem);
	else if (way == 2)
		r = co_chan_recv_until(&s->chan, elem, co_after_us(test_below(&w->random, 50)));
	else
		r = co_chan_recv(&s->chan, elem);
	if (r == 0)
		stress_arrived(v, elem, s->elem_size);
	return r;
}

static intptr_t receiver(void *arg)
{
	struct stress_worker *w = arg;
	struct state *s = &states[w->exchange->index];
	struct stress_view v;
	int r;

	stress_view_open(&v, w);
	do {
		r = recv_some(w, s, &v);
		stress_pause(w);
	} while (stress_again(r));
	if (r != -EPIPE)
		stress_ended("receive", r);
	stress_view_close(&v);
	return 0;
}

/* Cancel workers here and there: of a side with many members all but the first may go. */
static void cancel_some(struct stress_exchange *l, struct state *s, struct stress_worker *senders,
			struct stress_worker *receivers)
{
	for (unsigned i = 0; i < s->quitters; i++) {
		bool of_senders = test_below(&l->random, 2);
		unsigned n = of_senders ? s->senders : s->receivers;

		if (n > 1)
			stress_cancel(l, (of_senders ? senders : receivers) + 1, n - 1, 1);
	}
}

void stress_channel(struct stress_exchange *l)
{
	struct state *s = &states[l->index];
	struct stress_worker *senders, *receivers;
	size_t bytes;
	int r;

	draw(l, s);
	stress_plan(l,
		    "channel %s by %s, %u elements of %u bytes; %u senders of %u, %u receivers,"
		    " %u cancels%s",
		    mode_names[s->mode], claim_names[s->claim], s->capacity, s->elem_size,
		    s->senders, s->each, s->receivers, s->quitters,
		    s->close_early  ? ", an early close"
		    : s->close_late ? ", a late close"
				    : "");
	bytes = CO_CHAN_BYTES(s->elem_size, s->capacity);
	r = co_chan_init_as(&s->chan, s->buffer, bytes, s->elem_size, s->mode, s->claim);
	if (r) {
		stress_fail("co_chan_init_as() returned %d", r);
		return;
	}
	receivers = stress_start(l, "receiver", receiver, s->receivers);
	senders = stress_start(l, "sender", sender, s->senders);
	cancel_some(l, s, senders, receivers);
	if (s->close_early && !one_sender(s)) {
		(void)!co_sleep_us(stress_size(&l->random, 20000));
		co_chan_close(&s->chan);
	}
	stress_join(senders, s->senders);
	if (s->close_late)
		stress_await_all(l);
	/* After a failure all stay where they are: the runtime says where that is. */
	if (!s->close_late || !stress_failed())
		co_chan_close(&s->chan);
	stress_join(receivers, s->receivers);
	STRESS_CHECK(co_chan_count(&s->chan) == 0);
}
