/*
 * rendezvous.c - the model of comm/channel/channel_rendezvous.c: a sender and a receiver meet, none
 * sleeps while there is one to meet, and what is sent is received once, through deadlines, cancels,
 * closes and selects.
 */
/* Sources: scheduler comm/channel/channel*.c comm/channel/select.c */
#include <cohart/channel.h>
#include <cohart/select.h>

#include "relacy/machine.h"

static struct co_chan chan, other;
static unsigned char memory[2][CO_CHAN_BYTES(sizeof(uint64_t), 0)] __attribute__((aligned(64)));
static unsigned sent, received; /* how many, in after() */

static void open_both(unsigned threads)
{
	machine_reset(threads);
	sent = received = 0;
	MODEL_CHECK(co_chan_init_as(&chan, memory[0], sizeof(memory[0]), sizeof(uint64_t),
				    CO_RENDEZVOUS, CO_CLAIM_DEFAULT) == 0);
	MODEL_CHECK(co_chan_init_as(&other, memory[1], sizeof(memory[1]), sizeof(uint64_t),
				    CO_RENDEZVOUS, CO_CLAIM_DEFAULT) == 0);
}

static void as_many(void)
{
	MODEL_CHECK(sent == received);
}

/* It may fail so, or succeed. Returns whether it has. */
static bool send_or(uint64_t x, uint64_t deadline, int error)
{
	int r = co_chan_send_until(&chan, &x, deadline);

	MODEL_CHECK(r == 0 || r == error);
	sent += r == 0;
	return r == 0;
}

static bool receive_or(uint64_t deadline, int error)
{
	uint64_t x = 0;
	int r = co_chan_recv_until(&chan, &x, deadline);

	MODEL_CHECK(r == 0 ? x != 0 : r == error && !x);
	received += r == 0;
	return r == 0;
}

static void send(uint64_t x)
{
	MODEL_CHECK(send_or(x, CO_FOREVER, 0));
}

static void receive(void)
{
	MODEL_CHECK(receive_or(CO_FOREVER, 0));
}

static void one_to_one(unsigned i)
{
	for (unsigned n = 0; n < 2; n++) {
		if (i == 0)
			send(n + 1);
		else
			receive();
	}
}

static void two_to_one(unsigned i)
{
	if (i) {
		send(i);
	} else {
		receive();
		receive();
	}
}

static void one_to_two(unsigned i)
{
	if (i) {
		receive();
	} else {
		send(1);
		send(2);
	}
}

static void two_to_two(unsigned i)
{
	if (i < 2)
		send(i + 1);
	else
		receive();
}

OF_ONE_HART(two_to_one_near, two_to_one, 0, 1)
OF_ONE_HART(one_to_two_near, one_to_two, 0, 1)
OF_ONE_HART(two_to_two_near, two_to_two, 0, 2)

/* A try may come too early; the other side gives up. */
static void try_to_send(unsigned i)
{
	uint64_t x = 1;

	if (i == 0) {
		int r = co_chan_try_send(&chan, &x);

		MODEL_CHECK(r == 0 || r == -EAGAIN);
		sent += r == 0;
	} else {
		machine_hasten();
		(void)receive_or(MACHINE_DEADLINE, -ETIMEDOUT);
	}
}

static void try_to_receive(unsigned i)
{
	uint64_t x;

	if (i == 0) {
		int r = co_chan_try_recv(&chan, &x);

		MODEL_CHECK(r == 0 ? x == 1 : r == -EAGAIN);
		received += r == 0;
	} else {
		machine_hasten();
		(void)send_or(1, MACHINE_DEADLINE, -ETIMEDOUT);
	}
}

/* One that gives up leaves the channel to the other of its side. */
static void late_sender(unsigned i)
{
	if (i == 0) {
		machine_hasten();
		(void)send_or(1, MACHINE_DEADLINE, -ETIMEDOUT);
		co_chan_close(&chan);
	} else if (i == 1) {
		(void)send_or(2, CO_FOREVER, -EPIPE);
	} else {
		while (receive_or(CO_FOREVER, -EPIPE))
			;
	}
}

static void late_receiver(unsigned i)
{
	if (i == 0) {
		machine_hasten();
		(void)receive_or(MACHINE_DEADLINE, -ETIMEDOUT);
		co_chan_close(&chan);
	} else if (i == 1) {
		(void)receive_or(CO_FOREVER, -EPIPE);
	} else {
		while (send_or(1, CO_FOREVER, -EPIPE))
			;
	}
}

static void close_it(unsigned i)
{
	if (i == 0)
		(void)send_or(1, CO_FOREVER, -EPIPE);
	else if (i == 1)
		(void)receive_or(CO_FOREVER, -EPIPE);
	else
		co_chan_close(&chan);
}

/* All of one side wait, and none comes. */
static void close_on_senders(unsigned i)
{
	if (i)
		MODEL_CHECK(!send_or(i, CO_FOREVER, -EPIPE));
	else
		co_chan_close(&chan);
}

static void cancelled_sender(unsigned i)
{
	uint64_t x = 1;

	if (i == 0) {
		int r = co_chan_send(&chan, &x);

		MODEL_CHECK(r == 0 || r == -ECANCELED || r == -EPIPE);
		sent += r == 0;
	} else if (i == 1) {
		send(2);
		co_chan_close(&chan);
	} else {
		co_atomic_or(&machine_co(0)->refs, CO_HANDLE, CO_RELAXED);
		co_cancel(machine_co(0));
		while (receive_or(CO_FOREVER, -EPIPE))
			;
	}
}

/* Wait here or there, to send or to receive; which of them. */
static int select_of(bool sends_here, bool sends_there)
{
	uint64_t out = 1, in = 0;
	struct co_case cases[] = { CO_CASE_RECV(&chan, &in), CO_CASE_RECV(&other, &in) };
	int k;

	if (sends_here)
		cases[0] = (struct co_case)CO_CASE_SEND(&chan, &out);
	if (sends_there)
		cases[1] = (struct co_case)CO_CASE_SEND(&other, &out);
	k = co_select(cases, 2);
	MODEL_CHECK(k >= 0 && cases[k].result == 0);
	if (k ? sends_there : sends_here)
		sent++;
	else
		received++, MODEL_CHECK(in == 1);
	return k;
}

static void select_and_sender(unsigned i)
{
	if (i)
		send(1);
	else
		MODEL_CHECK(select_of(false, false) == 0);
}

static void select_and_receiver(unsigned i)
{
	if (i)
		receive();
	else
		MODEL_CHECK(select_of(true, false) == 0);
}

static void select_and_select(unsigned i)
{
	MODEL_CHECK(select_of(i, false) == 0);
}

/* Each sends on one channel and receives on the other: one of the two ways. */
static void select_both_ways(unsigned i)
{
	(void)select_of(i, !i);
}

/* A select and a plain call of the same side, and two to meet. */
static void select_against(unsigned i)
{
	if (i == 0)
		MODEL_CHECK(select_of(true, false) == 0);
	else if (i == 1)
		send(1);
	else
		receive();
}

const struct model models[] = {
	{ "one to one", 2, open_both, one_to_one, as_many, .bound = 3 },
	{ "two to one", 3, open_both, two_to_one, as_many, .bound = 2 },
	{ "one to two", 3, open_both, one_to_two, as_many, .bound = 2 },
	{ "two to two", 4, open_both, two_to_two, as_many, .bound = 1 },
	{ "one and one of its hart to one", 2, open_both, two_to_one_near, as_many, .bound = 2 },
	{ "one to one of its hart and one", 2, open_both, one_to_two_near, as_many, .bound = 2 },
	{ "two to two, two of a hart", 3, open_both, two_to_two_near, as_many, .bound = 1 },
	{ "a try to send", 2, open_both, try_to_send, as_many, .bound = 3 },
	{ "a try to receive", 2, open_both, try_to_receive, as_many, .bound = 3 },
	{ "a late sender", 3, open_both, late_sender, as_many, .bound = 1 },
	{ "a late receiver", 3, open_both, late_receiver, as_many, .bound = 1 },
	{ "a close", 3, open_both, close_it, as_many, .bound = 2 },
	{ "a close on senders", 3, open_both, close_on_senders, as_many, .bound = 2 },
	{ "a cancelled sender", 3, open_both, cancelled_sender, as_many, .bound = 1 },
	{ "select and a sender", 2, open_both, select_and_sender, as_many, .bound = 3 },
	{ "select and a receiver", 2, open_both, select_and_receiver, as_many, .bound = 3 },
	{ "two selects", 2, open_both, select_and_select, as_many, .bound = 3 },
	{ "two selects, both ways", 2, open_both, select_both_ways, as_many, .bound = 2 },
	{ "select against a sender", 4, open_both, select_against, as_many, .bound = 1 },
	{ 0 },
};
