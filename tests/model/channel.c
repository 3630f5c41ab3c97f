/*
 * channel.c - the model of comm/channel/channel*.c with those who wait: sleepers are woken, a close
 * is heard by all and loses nothing that was sent, and who gives up leaves the channel to the
 * others.
 */
/* Sources: scheduler comm/channel/channel*.c comm/channel/select.c */
#include <cohart/channel.h>
#include <cohart/select.h>

#include "relacy/machine.h"

#define SLOTS 3
#define WORDS 3 /* of an element that is too big for a control block */

static struct co_chan chan, other;
static unsigned char memory[2][CO_CHAN_BYTES(WORDS * sizeof(uint64_t), SLOTS)]
	__attribute__((aligned(64)));
static unsigned words;                  /* of an element of `chan` */
static unsigned sent, received, got[2]; /* summed up in after() */

static void reset_as(enum co_chan_mode mode, enum co_claim claim, unsigned slots, unsigned n)
{
	size_t bytes = n * sizeof(uint64_t);

	machine_reset(4);
	words = n;
	sent = received = got[0] = got[1] = 0;
	MODEL_CHECK(co_chan_init_as(&chan, memory[0], CO_CHAN_BYTES(bytes, slots), bytes, mode,
				    claim) == 0);
	MODEL_CHECK(co_chan_init_as(&other, memory[1], CO_CHAN_BYTES(bytes, slots), bytes, mode,
				    claim) == 0);
}

static void reset(enum co_chan_mode mode, enum co_claim claim, unsigned slots)
{
	reset_as(mode, claim, slots, 1);
}

/* A static channel by default, of which nothing has been used. */
static void reset_usual(bool adds_only, enum co_chan_mode mode)
{
	reset(CO_MPMC, CO_CLAIM_TICKET, 1);
	co_machine.adds_only = adds_only;
	chan = (struct co_chan)CO_CHAN(memory[0], sizeof(uint64_t), 1, mode, CO_CLAIM_DEFAULT);
}

/* As co_chan_send() of a one-word element; a bigger one consists of the same word. */
static int send_words(uint64_t x)
{
	const uint64_t elem[WORDS] = { x, x, x };

	return co_chan_send(&chan, elem);
}

static void send(uint64_t x)
{
	MODEL_CHECK(send_words(x) == 0);
}

/* As co_chan_recv_until() of a one-word element; CO_FOREVER: co_chan_recv(). */
static int receive_words(uint64_t *x, uint64_t deadline)
{
	uint64_t elem[WORDS] = { 0 };
	int r = deadline == CO_FOREVER ? co_chan_recv(&chan, elem)
				       : co_chan_recv_until(&chan, elem, deadline);

	for (unsigned i = 0; i < WORDS; i++)
		MODEL_CHECK(elem[i] == (i < words ? elem[0] : 0));
	*x = elem[0];
	return r;
}

static uint64_t receive(void)
{
	uint64_t x;

	MODEL_CHECK(receive_words(&x, CO_FOREVER) == 0 && x);
	return x;
}

/* A receiver that sleeps, senders that sleep: one slot for four elements. */
static void two_to_one(unsigned i)
{
	if (i == 0) {
		uint64_t last[2] = { 0 };

		for (unsigned n = 0; n < 4; n++) {
			uint64_t x = receive();

			MODEL_CHECK(x % 16 == last[x / 16] + 1);
			last[x / 16] = x % 16;
		}
	} else {
		send((i - 1) * 16 + 1);
		send((i - 1) * 16 + 2);
	}
}

static void one_to_two(unsigned i)
{
	if (i == 0) {
		send(1);
		send(2);
	} else {
		(void)receive();
	}
}

/* A sender's elements come to each receiver in order, by the ring or past it. */
static void three_in_order(unsigned i)
{
	if (i == 0) {
		for (uint64_t x = 1; x <= 3; x++)
			send(x);
	} else if (i == 1) {
		(void)receive();
	} else {
		uint64_t first = receive();

		MODEL_CHECK(first < receive());
	}
}

static void in_order(unsigned i)
{
	for (uint64_t x = 1; x <= 4; x++) {
		if (i == 0)
			send(x);
		else
			MODEL_CHECK(receive() == x);
	}
}

static void five_of_eight_in_order(unsigned i)
{
	if (i == 0) {
		for (uint64_t n = 0, last = 0; n < 8; n++) {
			uint64_t x = receive();

			MODEL_CHECK(x > 16 || x == ++last);
		}
	} else if (i == 1) {
		for (uint64_t x = 1; x <= 5; x++)
			send(x);
	} else {
		for (uint64_t x = 17; x <= 19; x++)
			send(x);
	}
}

static void two_to_two(unsigned i)
{
	if (i < 2)
		send(i + 1);
	else
		(void)receive();
}

/* Rows: several elements by one claim, and one wake-up for them. */
static void rows(unsigned i)
{
	if (i == 0) {
		uint64_t last[2] = { 0 };
		uint64_t x[3];

		for (int n, all = 0; all < 4; all += n) {
			n = co_chan_recv_many(&chan, x, 3);
			MODEL_CHECK(n > 0);
			for (int k = 0; k < n; k++)
				MODEL_CHECK(x[k] % 16 == ++last[x[k] / 16]);
		}
	} else {
		const uint64_t x[2] = { (i - 1) * 16 + 1, (i - 1) * 16 + 2 };

		MODEL_CHECK(co_chan_send_many(&chan, x, 2) == 2);
	}
}

static void row_to_three(unsigned i)
{
	const uint64_t x[3] = { 1, 2, 3 };

	if (i == 0)
		MODEL_CHECK(co_chan_send_many(&chan, x, 3) == 3);
	else
		(void)receive();
}

/* A row that is taken makes room for two who sleep. */
static void row_taken(unsigned i)
{
	machine_enter();
	if (i == 0) {
		uint64_t x[2];

		for (int n, all = 0; all < 4; all += n) {
			n = co_chan_recv_many(&chan, x, 2);
			MODEL_CHECK(n > 0);
		}
	} else {
		send(i);
	}
}

static void row_from_one(unsigned i)
{
	const uint64_t x[3] = { 1, 2, 3 };
	uint64_t y = 0;

	if (i == 0) {
		MODEL_CHECK(co_chan_send_many(&chan, x, 3) == 3);
	} else {
		for (unsigned n = 1; n <= 3; n++) {
			MODEL_CHECK(co_chan_recv(&chan, &y) == 0);
			MODEL_CHECK(y == n);
		}
	}
}

/* A close against a send on the way, and a receiver that sleeps: what was sent is received. */
static void close_it(unsigned i)
{
	uint64_t x;
	int r;

	if (i == 0) {
		while ((r = receive_words(&x, CO_FOREVER)) == 0)
			received++;
		MODEL_CHECK(r == -EPIPE);
	} else if (i == 1) {
		for (unsigned n = 0; n < 2 && (r = send_words(1)) == 0; n++)
			sent++;
		MODEL_CHECK(r == 0 || r == -EPIPE);
	} else {
		co_chan_close(&chan);
	}
}

/* The same with two receivers that sleep. */
static void close_for_two(unsigned i)
{
	uint64_t x = 1;
	int r;

	if (i < 2) {
		while ((r = co_chan_recv(&chan, &x)) == 0)
			;
		MODEL_CHECK(r == -EPIPE);
	} else {
		if (i == 2)
			MODEL_CHECK((r = co_chan_send(&chan, &x)) == 0 || r == -EPIPE);
		if (i == 3)
			co_chan_close(&chan);
	}
}

/* A sender sleeps for room that never comes. */
static void close_full(unsigned i)
{
	uint64_t x = 1;

	if (i == 0)
		MODEL_CHECK(co_chan_send(&chan, &x) == -EPIPE);
	else
		co_chan_close(&chan);
}

/* One waits for this channel or another; the element comes here. */
static void select_one(unsigned i)
{
	if (i == 0) {
		uint64_t x = 0;
		struct co_case cases[] = { CO_CASE_RECV(&other, &x), CO_CASE_RECV(&chan, &x) };

		MODEL_CHECK(co_select(cases, 2) == 1 && cases[1].result == 0 && x == 1);
	} else {
		send(1);
	}
}

/* One waits for either channel, another for this one; each channel gets an element. */
static void select_against(unsigned i)
{
	uint64_t x = 2;

	if (i == 0) {
		struct co_case cases[] = { CO_CASE_RECV(&chan, &x), CO_CASE_RECV(&other, &x) };
		int r = co_select(cases, 2);

		MODEL_CHECK((r == 0 || r == 1) && cases[r].result == 0 && x == 1);
		/* It has taken the other's: give that one another. */
		if (r == 0)
			send(1);
	} else if (i == 1) {
		(void)receive();
	} else {
		x = 1;
		send(1);
		MODEL_CHECK(co_chan_send(&other, &x) == 0);
	}
}

/*
 * A close, a receiver that takes the last element, and one that waits for it, or for another
 * channel: each gets it or learns of the end.
 */
static void close_behind_last(unsigned i)
{
	uint64_t x = 0;
	int r;

	if (i == 2) {
		co_chan_close(&chan);
		return;
	}
	if (i == 0) {
		struct co_case cases[] = { CO_CASE_RECV(&chan, &x), CO_CASE_RECV(&other, &x) };

		MODEL_CHECK(co_select(cases, 2) == 0);
		r = cases[0].result;
	} else {
		r = co_chan_recv(&chan, &x);
	}
	MODEL_CHECK(r == 0 ? x == 3 : r == -EPIPE);
	if (r == 0)
		got[i] = 1;
}

static void one_got_it(void)
{
	MODEL_CHECK(got[0] + got[1] == 1);
}

/* One waits for room here or for an element that never comes. */
static void select_room(unsigned i)
{
	if (i == 0) {
		uint64_t x = 2;
		struct co_case cases[] = { CO_CASE_SEND(&chan, &x), CO_CASE_RECV(&other, &x) };

		MODEL_CHECK(co_select(cases, 2) == 0 && cases[0].result == 0);
	} else {
		MODEL_CHECK(receive() == 3);
	}
}

/* The sender closes its own channel. */
static void send_and_close(unsigned i)
{
	uint64_t x = 1;

	if (i == 0) {
		send(1);
		sent = 1;
		co_chan_close(&chan);
		MODEL_CHECK(co_chan_try_send(&chan, &x) == -EPIPE);
	} else {
		int r;
		unsigned n = 0;

		while ((r = co_chan_recv(&chan, &x)) == 0)
			n++;
		MODEL_CHECK(r == -EPIPE && n <= 1);
		received += n;
	}
}

static void nothing_lost(void)
{
	MODEL_CHECK(sent == received);
}

/* A receiver gives up at its deadline: the element it was meant to have goes to the other. */
static void late_receiver(unsigned i)
{
	if (i == 0) {
		uint64_t x;
		int r;

		machine_hasten();
		r = receive_words(&x, MACHINE_DEADLINE);
		MODEL_CHECK((r == 0 && x) || (r == -ETIMEDOUT && !x));
	} else if (i == 1) {
		(void)receive();
	} else {
		send(1);
		send(2);
	}
}

/* A sender gives up at its deadline: the room it was meant to have goes to the other. */
static void late_sender(unsigned i)
{
	if (i == 0) {
		uint64_t x = 1;
		int r;

		machine_hasten();
		r = co_chan_send_until(&chan, &x, MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
	} else if (i == 1) {
		send(2);
	} else {
		while (receive() != 2)
			;
	}
}

static void full(enum co_claim claim)
{
	uint64_t x = 3;

	reset(CO_MPMC, claim, 1);
	machine_enter();
	MODEL_CHECK(co_chan_try_send(&chan, &x) == 0);
}

/* The receiver is cancelled; the other one is not. */
static void cancelled_receiver(unsigned i)
{
	if (i == 0) {
		uint64_t x;
		int r = receive_words(&x, CO_FOREVER);

		MODEL_CHECK((r == 0 && x) || (r == -ECANCELED && !x));
	} else if (i == 1) {
		(void)receive();
	} else {
		co_atomic_or(&machine_co(0)->refs, CO_HANDLE, CO_RELAXED);
		send(1);
		co_cancel(machine_co(0));
		send(2);
	}
}

/* Two of these are of one hart: a sender hands over to its own, and the ring runs full there. */
OF_ONE_HART(two_to_one_near, two_to_one, 0, 1)
OF_ONE_HART(one_to_two_near, one_to_two, 0, 1)
OF_ONE_HART(one_to_two_of_one_hart, one_to_two, 1, 2)
OF_ONE_HART(two_of_one_hart_to_one, two_to_one, 1, 2)
OF_ONE_HART(three_in_order_near, three_in_order, 0, 2)
OF_ONE_HART(close_near, close_it, 0, 1)
OF_ONE_HART(late_receiver_near, late_receiver, 0, 2)
OF_ONE_HART(late_receiver_of_one_hart, late_receiver, 0, 1)
OF_ONE_HART(cancelled_receiver_of_one_hart, cancelled_receiver, 0, 1)
OF_ONE_HART(select_against_near, select_against, 0, 2)
OF_ONE_HART(select_against_of_one_hart, select_against, 0, 1)

BEFORE(cas1, reset(CO_MPMC, CO_CLAIM_CAS, 1))
BEFORE(cas2, reset(CO_MPMC, CO_CLAIM_CAS, 2))
BEFORE(cas3, reset(CO_MPMC, CO_CLAIM_CAS, 3))
BEFORE(ticket1, reset(CO_MPMC, CO_CLAIM_TICKET, 1))
BEFORE(ticket2, reset(CO_MPMC, CO_CLAIM_TICKET, 2))
BEFORE(ticket3, reset(CO_MPMC, CO_CLAIM_TICKET, 3))
BEFORE(single1, reset(CO_SPSC, CO_CLAIM_CAS, 1))
BEFORE(single2, reset(CO_SPSC, CO_CLAIM_CAS, 2))
BEFORE(to_one2, reset(CO_MPSC, CO_CLAIM_CAS, 2))
BEFORE(from_one1, reset(CO_SPMC, CO_CLAIM_CAS, 1))
BEFORE(from_one2, reset(CO_SPMC, CO_CLAIM_CAS, 2))
BEFORE(from_one3, reset(CO_SPMC, CO_CLAIM_CAS, 3))

BEFORE(cas1_big, reset_as(CO_MPMC, CO_CLAIM_CAS, 1, WORDS))
BEFORE(cas2_big, reset_as(CO_MPMC, CO_CLAIM_CAS, 2, WORDS))
BEFORE(to_one2_big, reset_as(CO_MPSC, CO_CLAIM_CAS, 2, WORDS))
BEFORE(from_one2_big, reset_as(CO_SPMC, CO_CLAIM_CAS, 2, WORDS))
BEFORE(single2_big, reset_as(CO_SPSC, CO_CLAIM_CAS, 2, WORDS))

BEFORE(usual1, reset_usual(false, CO_MPMC))
BEFORE(usual_adds1, reset_usual(true, CO_MPMC))
BEFORE(usual_to_one, reset_usual(false, CO_MPSC))
BEFORE(usual_adds_to_one, reset_usual(true, CO_MPSC))

BEFORE(cas_full, full(CO_CLAIM_CAS))

static void full_of_2(enum co_claim claim)
{
	uint64_t x = 3;

	reset(CO_MPMC, claim, 2);
	machine_enter();
	MODEL_CHECK(co_chan_try_send(&chan, &x) == 0);
	MODEL_CHECK(co_chan_try_send(&chan, &x) == 0);
}

BEFORE(cas_full_of_2, full_of_2(CO_CLAIM_CAS))
BEFORE(ticket_full_of_2, full_of_2(CO_CLAIM_TICKET))

BEFORE(ticket_full, full(CO_CLAIM_TICKET))

/* A sender that has marked its next slot itself may find it marked when it is free. */
static void select_in_order(unsigned i)
{
	for (uint64_t n = 1; n <= 5; n++) {
		uint64_t x = n;
		struct co_case one = CO_CASE_SEND(&chan, &x);

		if (i == 0)
			MODEL_CHECK(co_select(&one, 1) == 0 && one.result == 0);
		else
			MODEL_CHECK(co_chan_recv(&chan, &x) == 0 && x == n);
	}
}

const struct model models[] = {
	{ "cas, two to one", 3, cas1, two_to_one, .bound = 2 },
	{ "first use, two to one", 3, usual1, two_to_one, .bound = 1 },
	{ "first use, two to two", 4, usual1, two_to_two, .bound = 1 },
	{ "first use, two to an only one", 3, usual_to_one, two_to_one, .bound = 1 },
	{ "first use where some add, two to an only one", 3, usual_adds_to_one, two_to_one,
	  .bound = 1 },
	{ "first use, rows", 3, usual1, rows, .bound = 1 },
	{ "first use, select", 2, usual1, select_one, .bound = 2 },
	{ "first use where some add, two to two", 4, usual_adds1, two_to_two, .bound = 1 },
	{ "cas, one to two", 3, cas1, one_to_two, .bound = 2 },
	{ "cas, three in order", 3, cas2, three_in_order, .bound = 2 },
	{ "single to cas, three in order", 3, from_one2, three_in_order, .bound = 2 },
	{ "cas to single, five of eight in order", 3, to_one2, five_of_eight_in_order, .bound = 2 },
	{ "cas, two to two", 4, cas2, two_to_two, .bound = 1 },
	{ "cas, a close", 3, cas1, close_it, nothing_lost, .bound = 2 },
	{ "cas, a late receiver", 3, cas2, late_receiver, .bound = 1 },
	{ "cas to single, a close", 3, to_one2, close_it, nothing_lost, .bound = 2 },
	{ "cas, a close, two receivers", 4, cas1, close_for_two, .bound = 1 },
	{ "cas, a close, a sender", 2, cas_full, close_full, .bound = 3 },
	{ "cas, select", 2, cas1, select_one, .bound = 3 },
	{ "cas, select against a receiver", 3, cas1, select_against, .bound = 1 },
	{ "cas, select room", 2, cas_full, select_room, .bound = 2 },
	{ "cas, a close behind the last", 3, cas_full, close_behind_last, one_got_it, .bound = 1 },
	{ "cas, a late sender", 3, cas_full, late_sender, .bound = 1 },
	{ "cas, a cancelled receiver", 3, cas2, cancelled_receiver, .bound = 1 },
	{ "cas, rows", 3, cas2, rows, .bound = 2 },
	{ "cas, big, two to one", 3, cas1_big, two_to_one, .bound = 2 },
	{ "cas, big, three in order", 3, cas2_big, three_in_order, .bound = 2 },
	{ "cas, big, two to two", 4, cas2_big, two_to_two, .bound = 1 },
	{ "cas, big, a late receiver", 3, cas2_big, late_receiver, .bound = 1 },
	{ "cas, big, a cancelled receiver", 3, cas2_big, cancelled_receiver, .bound = 1 },
	{ "cas, big, a close", 3, cas1_big, close_it, nothing_lost, .bound = 2 },
	{ "cas to single, big, five of eight", 3, to_one2_big, five_of_eight_in_order, .bound = 2 },
	{ "cas to single, big, a close", 3, to_one2_big, close_it, nothing_lost, .bound = 2 },
	{ "single to cas, big, three in order", 3, from_one2_big, three_in_order, .bound = 2 },
	{ "single, big, in order", 2, single2_big, in_order, .bound = 3 },
	{ "cas, a row to three", 4, cas3, row_to_three, .bound = 1 },
	{ "cas to single, rows", 3, to_one2, rows, .bound = 2 },
	{ "single to cas, a row to three", 4, from_one3, row_to_three, .bound = 1 },
	{ "cas, a row taken from two", 3, cas_full_of_2, row_taken, .bound = 2 },
	{ "tickets, two to one", 3, ticket1, two_to_one, .bound = 2 },
	{ "tickets, one to two", 3, ticket1, one_to_two, .bound = 2 },
	{ "tickets, two to two", 4, ticket2, two_to_two, .bound = 1 },
	{ "tickets, rows", 3, ticket2, rows, .bound = 2 },
	{ "tickets, rows over places without a slot", 3, ticket3, rows, .bound = 2 },
	{ "tickets, a row to three", 4, ticket3, row_to_three, .bound = 1 },
	{ "tickets, a row taken from two", 3, ticket_full_of_2, row_taken, .bound = 2 },
	{ "tickets, a close", 3, ticket1, close_it, nothing_lost, .bound = 2 },
	{ "tickets, a late receiver", 3, ticket2, late_receiver, .bound = 1 },
	{ "tickets, a close, two receivers", 4, ticket1, close_for_two, .bound = 1 },
	{ "tickets, a close, a sender", 2, ticket_full, close_full, .bound = 3 },
	{ "tickets, select", 2, ticket1, select_one, .bound = 3 },
	{ "tickets, select against a receiver", 3, ticket1, select_against, .bound = 1 },
	{ "tickets, select room", 2, ticket_full, select_room, .bound = 2 },
	{ "tickets, a close behind the last", 3, ticket_full, close_behind_last, one_got_it,
	  .bound = 1 },
	{ "tickets, a late sender", 3, ticket_full, late_sender, .bound = 1 },
	{ "tickets, a cancelled receiver", 3, ticket2, cancelled_receiver, .bound = 1 },
	{ "single, selects in order", 2, single2, select_in_order, .bound = 3 },
	{ "single, a row", 2, single2, row_from_one, .bound = 3 },
	{ "single, a row, 1 slot", 2, single1, row_from_one, .bound = 3 },
	{ "single, closed by its sender", 2, single1, send_and_close, nothing_lost, .bound = 3 },
	{ "single to two, closed by its sender", 3, from_one1, send_and_close, nothing_lost,
	  .bound = 2 },
	{ "cas, one of its hart and one to one", 2, cas1, two_to_one_near, .bound = 2 },
	{ "cas, two of a hart to one", 2, cas1, two_of_one_hart_to_one, .bound = 2 },
	{ "cas, one to one of its hart and one", 2, cas1, one_to_two_near, .bound = 2 },
	{ "cas, one to two of a hart", 2, cas1, one_to_two_of_one_hart, .bound = 2 },
	{ "cas, three in order, one of its hart", 2, cas2, three_in_order_near, .bound = 2 },
	{ "cas, a close, two of a hart", 2, cas1, close_near, nothing_lost, .bound = 2 },
	{ "cas, a late receiver, a sender of its hart", 2, cas2, late_receiver_near, .bound = 2 },
	{ "cas, a late receiver, one of its hart", 2, cas2, late_receiver_of_one_hart, .bound = 2 },
	{ "cas, a cancelled receiver, one of its hart", 2, cas2, cancelled_receiver_of_one_hart,
	  .bound = 2 },
	{ "cas, select against a receiver of its hart", 2, cas1, select_against_of_one_hart,
	  .bound = 1 },
	{ "cas, select, a sender of its hart", 2, cas1, select_against_near, .bound = 1 },
	{ "cas, big, one of its hart and one to one", 2, cas1_big, two_to_one_near, .bound = 2 },
	{ "cas, big, one to one of its hart and one", 2, cas1_big, one_to_two_near, .bound = 2 },
	{ "cas, big, a late receiver, a sender of its hart", 2, cas2_big, late_receiver_near,
	  .bound = 2 },
	{ "single to cas, big, in order, one of its hart", 2, from_one2_big, three_in_order_near,
	  .bound = 2 },
	{ "cas to single, a close, two of a hart", 2, to_one2, close_near, nothing_lost,
	  .bound = 2 },
	{ "tickets, one of its hart and one to one", 2, ticket1, two_to_one_near, .bound = 2 },
	{ "tickets, one to two of a hart", 2, ticket1, one_to_two_of_one_hart, .bound = 2 },
	{ "tickets, a close, two of a hart", 2, ticket1, close_near, nothing_lost, .bound = 2 },
	{ "tickets, a late receiver, a sender of its hart", 2, ticket2, late_receiver_near,
	  .bound = 2 },
	{ "tickets, a cancelled receiver, one of its hart", 2, ticket2,
	  cancelled_receiver_of_one_hart, .bound = 2 },
	{ "tickets, select, a sender of its hart", 2, ticket1, select_against_near, .bound = 1 },
	{ 0 },
};
