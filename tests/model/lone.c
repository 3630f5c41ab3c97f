/*
 * lone.c - the model of a channel's only receiver that waits for 8 bytes: in the berth, where a
 * sender hands over, a close or a cancel ends the wait, and whoever does so has received for it.
 * Its hart naps meanwhile, or, where it has more to look after, parks it.
 */
/* Sources: comm/channel*.c */
/* Sources: core/wait.c core/executor.c core/timer.c */
/* Sources: core/coroutine.c core/end.c core/block.c core/counter.c */
#include <errno.h>

#include <cohart/channel.h>

#include "comm/channel.h"
#include "relacy/machine.h"

#define SLOTS 2
#define UNTOUCHED 77

static struct co_chan chan, back;
static unsigned char memory[2][CO_CHAN_BYTES(sizeof(uint64_t), SLOTS)] __attribute__((aligned(64)));
static unsigned sent, received; /* summed up in after() */
static unsigned parcel[4];      /* what goes with a message */
static bool parks;              /* no hart may nap */

static void make(enum co_chan_mode mode, unsigned slots)
{
	machine_reset(4);
	sent = received = 0;
	parks = false;
	MODEL_CHECK(co_chan_init_as(&chan, memory[0], CO_CHAN_BYTES(sizeof(uint64_t), slots),
				    sizeof(uint64_t), mode, CO_CLAIM_CAS) == 0);
	MODEL_CHECK(co_chan_init_as(&back, memory[1], CO_CHAN_BYTES(sizeof(uint64_t), slots),
				    sizeof(uint64_t), mode, CO_CLAIM_CAS) == 0);
}

static void single1(void)
{
	make(CO_SPSC, 1);
}

static void single2(void)
{
	make(CO_SPSC, 2);
}

static void parked1(void)
{
	single1();
	parks = true;
}

static void parked2(void)
{
	single2();
	parks = true;
}

static void to_one1(void)
{
	make(CO_MPSC, 1);
}

static void to_one2(void)
{
	make(CO_MPSC, 2);
}

static void parked_to_one1(void)
{
	to_one1();
	parks = true;
}

static void parked_to_one2(void)
{
	to_one2();
	parks = true;
}

/* A thread begins; that there seem to be handlers is what keeps its hart from napping. */
static void enter(void)
{
	machine_enter();
	if (!parks)
		return;
	co_executor.handling++;
	co_attend(&co_executor);
}

static int send(unsigned n)
{
	co_plain_store(&parcel[n], 10 * n);
	return co_chan_send_u64(&chan, n);
}

/* The number of what was received; 0: nothing more. */
static unsigned receive(int *r)
{
	uint64_t n = UNTOUCHED;

	*r = co_chan_recv_u64(&chan, &n);
	MODEL_CHECK(*r == 0 ? co_plain_load(&parcel[n]) == 10 * n : n == UNTOUCHED);
	return *r == 0 ? (unsigned)n : 0;
}

static void three(unsigned i)
{
	int r;

	enter();
	for (unsigned n = 1; n <= 3; n++) {
		if (i == 0)
			MODEL_CHECK(receive(&r) == n);
		else
			MODEL_CHECK(send(n) == 0);
	}
}

/* To and fro: each side sleeps in a berth. */
static void round_trips(unsigned i)
{
	uint64_t x = 0;

	enter();
	for (unsigned n = 1; n <= 2; n++) {
		if (i == 0)
			MODEL_CHECK(co_chan_recv_u64(&chan, &x) == 0 && x == n &&
				    co_chan_send_u64(&back, n) == 0);
		else
			MODEL_CHECK(co_chan_send_u64(&chan, n) == 0 &&
				    co_chan_recv_u64(&back, &x) == 0 && x == n);
	}
}

/* The calls of other kinds, at both ends, between those for a word. */
static void mixed(unsigned i)
{
	const uint64_t row[2] = { 2, 3 };
	uint64_t x = 1;
	int r;

	enter();
	if (i) {
		for (unsigned n = 1; n <= 3; n++)
			co_plain_store(&parcel[n], 10 * n);
		MODEL_CHECK(co_chan_send(&chan, &x) == 0);
		MODEL_CHECK(co_chan_send_many(&chan, row, 2, CO_FOREVER) == 2);
		return;
	}
	MODEL_CHECK(receive(&r) == 1);
	MODEL_CHECK(co_chan_recv(&chan, &x) == 0 && x == 2);
	MODEL_CHECK(receive(&r) == 3);
}

/* Two send, and each one's come in order. */
static void two_to_one(unsigned i)
{
	unsigned last[2] = { 0 };

	enter();
	if (i) {
		for (uint64_t n = 1; n <= 2; n++)
			MODEL_CHECK(co_chan_send_u64(&chan, (i - 1) * 16 + n) == 0);
		return;
	}
	for (unsigned n = 0; n < 4; n++) {
		uint64_t x;

		MODEL_CHECK(co_chan_recv_u64(&chan, &x) == 0);
		MODEL_CHECK(x % 16 == ++last[x / 16]);
	}
}

static void receive_all(void)
{
	int r;

	while (receive(&r))
		received++;
	MODEL_CHECK(r == -EPIPE);
	/* The end is the end, but for what a single sender was sending when another closed. */
	if (receive(&r))
		received++;
	MODEL_CHECK(r == -EPIPE || chan.send_claim == CO_CLAIM_SINGLE);
}

static void closed_by_sender(unsigned i)
{
	enter();
	if (i == 0) {
		receive_all();
	} else {
		MODEL_CHECK(send(1) == 0);
		sent = 1;
		co_chan_close(&chan);
		MODEL_CHECK(send(2) == -EPIPE);
	}
}

/* A third closes: with one sender, an element that is just being sent may be lost. */
static void closed_by_third(unsigned i)
{
	int r;

	enter();
	if (i == 0) {
		receive_all();
	} else if (i == 1) {
		for (unsigned n = 1; n <= 2 && (r = send(n)) == 0; n++)
			sent++;
		MODEL_CHECK(r == 0 || r == -EPIPE);
	} else {
		co_chan_close(&chan);
	}
}

static void nothing_lost(void)
{
	MODEL_CHECK(sent == received);
}

static void nothing_made_up(void)
{
	MODEL_CHECK(sent >= received && sent <= received + 1);
}

/*
 * A mark may be one of an earlier wait, or a sender's: who comes to wake takes the receiver out and
 * finds nothing for it, just when a third closes.
 */
static void woken_for_nothing(unsigned i)
{
	int r;

	enter();
	if (i == 0)
		MODEL_CHECK(receive(&r) == 0 && r == -EPIPE);
	else if (i == 1)
		co_chan_wake_receivers(&chan);
	else
		co_chan_close(&chan);
}

static void cancelled(unsigned i)
{
	uint64_t x;
	int r;

	enter();
	if (i == 0) {
		received = receive(&r);
		MODEL_CHECK(r == 0 || r == -ECANCELED);
		/* What it was not given is there, or comes. */
		while (!received && co_chan_try_recv(&chan, &x) == 0)
			received = (unsigned)x;
	} else if (i == 1) {
		sent = send(1) == 0;
	} else {
		co_atomic_add(&machine_co(0)->refs, 1, CO_RELAXED);
		co_cancel(machine_co(0));
	}
}

/* Cancelled while it sleeps, it may receive by the calls that never wait. */
static void after_cancel(void)
{
	uint64_t x;

	if (!received && co_chan_try_recv(&chan, &x) == 0)
		received = (unsigned)x;
	MODEL_CHECK(received == 1);
}

const struct model models[] = {
	{ "one slot", 2, single1, three, .bound = 3 },
	{ "two slots", 2, single2, three, .bound = 3 },
	{ "round trips", 2, single1, round_trips, .bound = 3 },
	{ "other calls", 2, single2, mixed, .bound = 3 },
	{ "two to one", 3, to_one1, two_to_one, .bound = 2 },
	{ "two to one, two slots", 3, to_one2, two_to_one, .bound = 2 },
	{ "closed by its sender", 2, single1, closed_by_sender, nothing_lost, .bound = 3 },
	{ "closed by a third", 3, single1, closed_by_third, nothing_made_up, .bound = 2 },
	{ "many, closed by a third", 3, to_one2, closed_by_third, nothing_lost, .bound = 2 },
	{ "woken for nothing", 3, single1, woken_for_nothing, .bound = 3 },
	{ "many, woken for nothing", 3, to_one2, woken_for_nothing, .bound = 3 },
	{ "cancelled", 3, single1, cancelled, after_cancel, .bound = 2 },
	{ "parked, one slot", 2, parked1, three, .bound = 3 },
	{ "parked, two slots", 2, parked2, three, .bound = 3 },
	{ "parked, round trips", 2, parked1, round_trips, .bound = 3 },
	{ "parked, other calls", 2, parked2, mixed, .bound = 3 },
	{ "parked, two to one", 3, parked_to_one1, two_to_one, .bound = 2 },
	{ "parked, closed by a third", 3, parked1, closed_by_third, nothing_made_up, .bound = 2 },
	{ "parked, many, closed by a third", 3, parked_to_one2, closed_by_third, nothing_lost,
	  .bound = 2 },
	{ "parked, woken for nothing", 3, parked1, woken_for_nothing, .bound = 3 },
	{ "parked, cancelled", 3, parked1, cancelled, after_cancel, .bound = 2 },
	{ 0 },
};
