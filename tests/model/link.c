/*
 * link.c - the model of links: messages arrive once and in order, each side is woken by the other,
 * and an end that closes is not touched afterwards (its memory is freed in every thread's eyes).
 */
/* Sources: scheduler comm/lane/lane.c comm/link/link.c comm/link/flow.c comm/handoff.c */
#include <cohart/link.h>

#include "relacy/machine.h"

enum { WORDS = 2 };

static struct co_link link;
static struct co_counter moved;
static unsigned messages;

static void reset(unsigned threads, unsigned depth, unsigned senders)
{
	machine_reset(threads);
	machine_expect();
	memset(&moved, 0, sizeof(moved));
	messages = 2;
	link = (struct co_link){
		.words = WORDS,
		.depth = (uint16_t)depth,
		.senders = (uint16_t)senders,
	};
}

BEFORE(homed1, reset(threads, 1, 1))

/* Of two, the second is found when the sender closes, though nobody woke the receiver for it. */
static void homed_three(unsigned threads)
{
	reset(threads, 1, 1);
	messages = 3;
}

BEFORE(homed2, reset(threads, 2, 1))

/* The first wakes a queue, the second is on its way when the wait for the third begins. */
static void homed2_three(unsigned threads)
{
	homed2(threads);
	messages = 3;
}

BEFORE(homed_two, reset(threads, 1, 2))

static void send(struct co_link_tx *tx, uintptr_t number)
{
	uintptr_t msg[WORDS] = { number, ~number };

	MODEL_CHECK(co_link_send(tx, msg) == 0);
}

/* In order from each sender; a number is sender x 16 + 1, 2, ... */
static void receive(struct co_link_rx *rx, uintptr_t last[])
{
	uintptr_t msg[WORDS];

	MODEL_CHECK(co_link_recv(rx, msg) >= 0 && msg[1] == ~msg[0]);
	MODEL_CHECK(msg[0] % 16 == last[msg[0] / 16] + 1);
	last[msg[0] / 16]++;
}

/* The sender closes: the receiver gets all that was sent, then -EPIPE. */
static void sender_closes(unsigned i)
{
	if (i == 0) {
		struct co_link_rx *rx;
		uintptr_t last[MODEL_THREADS] = { 0 };
		uintptr_t msg[WORDS];

		MODEL_CHECK(co_link_open_rx(&link, &rx) == 0);
		for (unsigned n = 0; n < messages * link.senders; n++)
			receive(rx, last);
		MODEL_CHECK(co_link_recv(rx, msg) == -EPIPE);
		co_link_close_rx(rx);
	} else {
		struct co_link_tx *tx;

		MODEL_CHECK(co_link_open_tx(&link, &tx) == 0);
		for (unsigned n = 1; n <= messages; n++)
			send(tx, i * 16 + n);
		co_link_close_tx(tx);
	}
}

/* So many messages, and no more: no end that closes wakes anybody. */
static void no_end(unsigned i)
{
	if (i == 0) {
		struct co_link_rx *rx;
		uintptr_t last[MODEL_THREADS] = { 0 };

		MODEL_CHECK(co_link_open_rx(&link, &rx) == 0);
		for (unsigned n = 0; n < messages * link.senders; n++)
			receive(rx, last);
	} else {
		struct co_link_tx *tx;

		MODEL_CHECK(co_link_open_tx(&link, &tx) == 0);
		for (unsigned n = 1; n <= messages; n++)
			send(tx, i * 16 + n);
	}
}

/* The receiver closes after one message, whatever the sender does. */
static void receiver_closes(unsigned i)
{
	if (i == 0) {
		struct co_link_rx *rx;
		uintptr_t last[MODEL_THREADS] = { 0 };

		MODEL_CHECK(co_link_open_rx(&link, &rx) == 0);
		receive(rx, last);
		co_link_close_rx(rx);
	} else {
		struct co_link_tx *tx;
		uintptr_t msg[WORDS] = { 17, ~(uintptr_t)17 };
		int r;

		MODEL_CHECK(co_link_open_tx(&link, &tx) == 0);
		send(tx, 17);
		msg[0] = 18;
		msg[1] = ~msg[0];
		r = co_link_send(tx, msg);
		MODEL_CHECK(r == 0 || r == -EPIPE);
		co_link_close_tx(tx);
	}
}

static void moving(unsigned threads)
{
	reset(threads, 1, 1);
	co_counter_add(&moved, 1);
}

static int try_two(struct co_link_tx *tx)
{
	int r = 0;

	for (uintptr_t n = 33; !r && n <= 34; n++) {
		uintptr_t msg[WORDS] = { n, ~n };

		r = co_link_send(tx, msg);
	}
	MODEL_CHECK(r == 0 || r == -EPIPE);
	return r;
}

/*
 * A receiver closes, and another hart opens the link anew, while a sender looks for one. There is
 * room for one message: the second can go only when the first has been received.
 */
static void receiver_moves(unsigned i)
{
	if (i == 2) {
		struct co_link_tx *tx;
		int r;

		do {
			MODEL_CHECK(co_link_open_tx(&link, &tx) == 0);
			r = try_two(tx);
			co_link_close_tx(tx);
		} while (r);
	} else {
		struct co_link_rx *rx;
		uintptr_t last[MODEL_THREADS] = { 0 };

		if (i == 1)
			MODEL_CHECK(co_counter_wait(&moved) == 0);
		MODEL_CHECK(co_link_open_rx(&link, &rx) == 0);
		for (unsigned n = 0; n < 2 * i; n++)
			receive(rx, last);
		co_link_close_rx(rx);
		if (i == 0)
			co_counter_done(&moved);
	}
}

const struct model models[] = {
	{ "one under way", 2, homed1, sender_closes, .bound = 1 },
	{ "three messages", 2, homed_three, sender_closes, .bound = 1 },
	{ "two under way", 2, homed2, sender_closes, .bound = 1 },
	{ "two messages", 2, homed2, no_end, .bound = 2 },
	{ "a flag taken late", 2, homed_three, no_end, .bound = 3 },
	{ "three messages, no end", 2, homed2_three, no_end, .bound = 2 },
	{ "two senders, no end", 3, homed_two, no_end, .bound = 1 },
	{ "two senders", 3, homed_two, sender_closes, .bound = 1 },
	{ "the receiver closes", 2, homed1, receiver_closes, .bound = 1 },
	{ "the receiver moves", 3, moving, receiver_moves, .bound = 1 },
	{ 0 },
};
