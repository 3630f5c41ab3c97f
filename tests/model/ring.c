/*
 * ring.c - the model of the rings in core/lf/: single, compare-and-swap, tickets.
 * Senders and receivers that do not wait, but try: every element arrives once, whole, in its
 * sender's order, round and round a ring of 1, 2 or 3 slots.
 */
/* Sources: scheduler comm/channel/channel*.c */
#include <cohart/channel.h>

#include "relacy/machine.h"

#define SLOTS 3
#define SENDERS 2
#define EACH 2

static struct co_chan chan;
static unsigned char memory[CO_CHAN_BYTES(sizeof(uint32_t), SLOTS)] __attribute__((aligned(64)));
static bool received[SENDERS][SLOTS];
static struct co_a32 gone;

static void reset(enum co_chan_mode mode, enum co_claim claim, unsigned slots)
{
	machine_reset(4);
	memset(&chan, 0, sizeof(chan));
	memset(received, 0, sizeof(received));
	memset(&gone, 0, sizeof(gone));
	MODEL_CHECK(co_chan_init_as(&chan, memory, CO_CHAN_BYTES(sizeof(uint32_t), slots),
				    sizeof(uint32_t), mode, claim) == 0);
}

static void send(unsigned who, unsigned n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = who * 16 + i;
		int r;

		while ((r = co_chan_try_send(&chan, &x)) == -EAGAIN)
			model_yield();
		MODEL_CHECK(r == 0);
	}
}

static void receive(unsigned n)
{
	int last[SENDERS] = { -1, -1 };

	for (unsigned i = 0; i < n; i++) {
		uint32_t x = ~0u;
		int r;

		while ((r = co_chan_try_recv(&chan, &x)) == -EAGAIN)
			model_yield();
		MODEL_CHECK(r == 0 && x / 16 < SENDERS && x % 16 < SLOTS);
		MODEL_CHECK(!received[x / 16][x % 16] && (int)(x % 16) > last[x / 16]);
		received[x / 16][x % 16] = true;
		last[x / 16] = (int)(x % 16);
	}
}

/* Slots in a row by one step, or one by one where there is no such thing. */
static void send_in_place(unsigned who)
{
	for (uint32_t i = 0; i < EACH; i++) {
		struct co_chan_slot s;
		int r;

		while ((r = co_chan_try_reserve(&chan, &s)) == -EAGAIN)
			model_yield();
		if (r == -ENOTSUP) { /* tickets give out no slots */
			send(who, EACH);
			return;
		}
		MODEL_CHECK(r == 0);
		co_plain_store((uint32_t *)s.data, who * 16 + i);
		co_chan_commit(&chan, &s);
	}
}

static void one_to_one(unsigned i)
{
	if (i == 0)
		receive(EACH);
	else
		send(0, EACH);
}

static void two_to_one(unsigned i)
{
	if (i == 0)
		receive(2 * EACH);
	else if (i == 1)
		send(0, EACH);
	else
		send_in_place(1);
}

static void one_to_two(unsigned i)
{
	if (i == 0)
		send(0, EACH);
	else
		receive(1);
}

static void two_to_two(unsigned i)
{
	if (i < 2)
		send(i, 1);
	else
		receive(1);
}

/* A third looks how many there are: while one sends, the count does not go down... */
static void count_while_sending(unsigned i)
{
	if (i == 0) {
		send(0, SLOTS);
	} else {
		size_t before = co_chan_count(&chan);

		MODEL_CHECK(co_chan_count(&chan) >= before);
	}
}

/* ...and it is not more than can have been sent, less what is known to have been received. */
static void count_behind(unsigned i)
{
	if (i == 0) {
		send(0, SLOTS);
	} else if (i == 1) {
		receive(SLOTS - 1);
		co_atomic_store(&gone, SLOTS - 1, CO_RELEASE);
	} else {
		size_t received_before = co_atomic_load(&gone, CO_ACQUIRE);

		MODEL_CHECK(co_chan_count(&chan) <= SLOTS - received_before);
	}
}

/* While one receives what is there, the count does not go up. */
static void count_while_receiving(unsigned i)
{
	if (i == 0) {
		receive(SLOTS);
	} else {
		size_t before = co_chan_count(&chan);

		MODEL_CHECK(co_chan_count(&chan) <= before);
	}
}

/* Nothing is left over. */
static void empty(void)
{
	uint32_t x;

	machine_enter();
	MODEL_CHECK(co_chan_try_recv(&chan, &x) == -EAGAIN);
	MODEL_CHECK(co_chan_count(&chan) == 0);
}

BEFORE(single1, reset(CO_SPSC, CO_CLAIM_CAS, 1))
BEFORE(single3, reset(CO_SPSC, CO_CLAIM_CAS, 3))
BEFORE(cas1, reset(CO_MPMC, CO_CLAIM_CAS, 1))
BEFORE(cas2, reset(CO_MPMC, CO_CLAIM_CAS, 2))
BEFORE(cas3, reset(CO_MPMC, CO_CLAIM_CAS, 3))
BEFORE(ticket1, reset(CO_MPMC, CO_CLAIM_TICKET, 1))
BEFORE(ticket2, reset(CO_MPMC, CO_CLAIM_TICKET, 2))
BEFORE(ticket3, reset(CO_MPMC, CO_CLAIM_TICKET, 3))
BEFORE(cas_to_one, reset(CO_MPSC, CO_CLAIM_CAS, 1))
BEFORE(one_to_cas, reset(CO_SPMC, CO_CLAIM_CAS, 1))

static void single_full(unsigned threads)
{
	single3(threads);
	machine_enter();
	send(0, SLOTS);
}

const struct model models[] = {
	{ "single, 1 slot", 2, single1, one_to_one, empty, .bound = 3 },
	{ "single, 3 slots", 2, single3, one_to_one, empty, .bound = 3 },
	{ "single, counted while it sends", 2, single3, count_while_sending, .bound = 3 },
	{ "single, counted behind both", 3, single3, count_behind, .bound = 2 },
	{ "single, counted while it receives", 2, single_full, count_while_receiving, .bound = 3 },
	{ "cas, 1 slot, two to one", 3, cas1, two_to_one, empty, .bound = 2 },
	{ "cas, 2 slots, two to one", 3, cas2, two_to_one, empty, .bound = 2 },
	{ "cas, 3 slots, two to one", 3, cas3, two_to_one, empty, .bound = 2 },
	{ "cas, 1 slot, one to two", 3, cas1, one_to_two, empty, .bound = 2 },
	{ "cas, 1 slot, two to two", 4, cas1, two_to_two, empty, .bound = 2 },
	{ "cas to single, 1 slot", 3, cas_to_one, two_to_one, empty, .bound = 2 },
	{ "single to cas, 1 slot", 3, one_to_cas, one_to_two, empty, .bound = 2 },
	{ "tickets, 1 slot, two to one", 3, ticket1, two_to_one, empty, .bound = 2 },
	{ "tickets, 2 slots, two to one", 3, ticket2, two_to_one, empty, .bound = 2 },
	{ "tickets, 3 slots, two to one", 3, ticket3, two_to_one, empty, .bound = 2 },
	{ "tickets, 1 slot, one to two", 3, ticket1, one_to_two, empty, .bound = 2 },
	{ "tickets, 2 slots, two to two", 4, ticket2, two_to_two, empty, .bound = 2 },
	{ 0 },
};
