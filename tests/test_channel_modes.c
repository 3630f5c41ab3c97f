/*
 * test_channel_modes.c - every mode with every claim: nothing is lost, doubled or out of order.
 */
#include <string.h>

#include "harness/test.h"

enum { EACH = 300, MOST = 8 };

static const enum co_claim claims[] = {
#ifndef CO_NO_CAS
	CO_CLAIM_CAS,
#endif
	CO_CLAIM_TICKET,
};

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(24, 16)];
static struct co_chan chan;

/* An element that shows when it is torn. */
struct item {
	uint64_t sender, number, sum;
};

static intptr_t send_all(void *arg)
{
	uint64_t me = (uintptr_t)arg;

	for (uint64_t i = 0; i < EACH; i++) {
		struct item it = { me, i, me ^ i };

		if (me % 2 == 0 || chan.tickets) {
			REQUIRE_EQ(co_chan_send(&chan, &it), 0);
		} else { /* in place */
			struct co_chan_slot s;

			REQUIRE_EQ(co_chan_reserve(&chan, &s), 0);
			memcpy(s.data, &it, sizeof(it));
			co_chan_commit(&chan, &s);
		}
	}
	return EACH;
}

static bool comes_after(uint64_t *last, const struct item *it)
{
	bool good = it->sender < MOST && it->sum == (it->sender ^ it->number) &&
		    it->number >= last[it->sender];

	if (good)
		last[it->sender] = it->number + 1;
	return good;
}

static intptr_t receive_all(void *arg)
{
	uint64_t last[MOST] = { 0 };
	intptr_t n = 0;
	bool look = (uintptr_t)arg % 2 && !chan.tickets;

	for (;;) {
		struct item it = { MOST, 0, 0 };
		int r;

		if (look) {
			struct co_chan_slot s;

			r = co_chan_peek(&chan, &s);
			if (r == 0) {
				memcpy(&it, s.data, sizeof(it));
				co_chan_release(&chan, &s);
			}
		} else {
			r = co_chan_recv(&chan, &it);
		}
		if (r == -EPIPE)
			return n;
		REQUIRE_EQ(r, 0);
		REQUIRE(comes_after(last, &it));
		n++;
	}
}

static void exchange(enum co_chan_mode mode, enum co_claim claim, unsigned capacity)
{
	unsigned senders = mode == CO_SPSC || mode == CO_SPMC ? 1 : MOST;
	unsigned receivers = mode == CO_SPSC || mode == CO_MPSC ? 1 : MOST;
	struct co *s[MOST], *r[MOST];
	intptr_t sent = 0, received = 0;

	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(sizeof(struct item), capacity),
				   sizeof(struct item), mode, claim),
		   0);
	for (unsigned i = 0; i < receivers; i++)
		r[i] = test_spawn_on((3 * i + 1) % co_harts(), receive_all, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < senders; i++)
		s[i] = test_spawn_on(5 * i % co_harts(), send_all, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < senders; i++)
		sent += test_join(s[i]);
	co_chan_close(&chan);
	for (unsigned i = 0; i < receivers; i++)
		received += test_join(r[i]);
	CHECK_EQ(received, sent);
	CHECK_EQ(sent, (intptr_t)senders * EACH);
}

TEST(all_modes_and_claims_lose_nothing)
{
	for (unsigned claim = 0; claim < sizeof(claims) / sizeof(*claims); claim++) {
		for (unsigned mode = CO_MPMC; mode <= CO_SPSC; mode++) {
			exchange(mode, claims[claim], 1);
			exchange(mode, claims[claim], 4);
			exchange(mode, claims[claim], 7);
			exchange(mode, claims[claim], 16);
		}
	}
}

TEST(tickets_lend_no_slots)
{
	struct co_chan_slot s = { 0 };

	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 2), 8, CO_MPMC, CO_CLAIM_TICKET),
		   0);
	CHECK_EQ(co_chan_try_reserve(&chan, &s), -ENOTSUP);
	CHECK_EQ(co_chan_peek_until(&chan, &s, co_after_us(100)), -ENOTSUP);
	CHECK(!s.data);
	/* Nor does the other side: a ticket may be for that slot. */
	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 2), 8, CO_MPSC, CO_CLAIM_TICKET),
		   0);
	CHECK_EQ(co_chan_try_peek(&chan, &s), -ENOTSUP);
}

/* Full and empty, tries, deadlines and a close: the same words in every mode. */
static void bounds(enum co_chan_mode mode, enum co_claim claim)
{
	uint64_t x = 0;

	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 4), 8, mode, claim), 0);
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EAGAIN);
	CHECK_EQ(co_chan_recv_until(&chan, &x, co_after_us(100)), -ETIMEDOUT);
	for (uint64_t i = 0; i < 4; i++)
		CHECK_EQ(co_chan_try_send(&chan, &i), 0);
	CHECK_EQ(co_chan_count(&chan), 4);
	CHECK_EQ(co_chan_try_send(&chan, &x), -EAGAIN);
	CHECK_EQ(co_chan_send_until(&chan, &x, co_after_us(100)), -ETIMEDOUT);
	CHECK_EQ(co_chan_recv(&chan, &x), 0);
	CHECK_EQ(x, 0);
	CHECK_EQ(co_chan_send(&chan, &(uint64_t){ 4 }), 0);
	co_chan_close(&chan);
	CHECK_EQ(co_chan_try_send(&chan, &x), -EPIPE);
	CHECK_EQ(co_chan_send(&chan, &x), -EPIPE);
	for (uint64_t i = 1; i < 5; i++) {
		CHECK_EQ(co_chan_recv(&chan, &x), 0);
		CHECK_EQ(x, i);
	}
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EPIPE);
	CHECK_EQ(co_chan_recv(&chan, &x), -EPIPE);
}

TEST(full_empty_and_closed_are_the_same_everywhere)
{
	for (unsigned claim = 0; claim < sizeof(claims) / sizeof(*claims); claim++) {
		for (unsigned mode = CO_MPMC; mode <= CO_SPSC; mode++)
			bounds(mode, claims[claim]);
	}
}

static intptr_t receive_shortly(void *arg)
{
	uint64_t x;
	int r = co_chan_recv_until(&chan, &x, co_after_us((uintptr_t)arg));

	return r ? r : (intptr_t)x;
}

/* Those who gave up leave nothing behind: as many elements arrive as are sent afterwards. */
TEST(waiters_that_gave_up_leave_it_usable)
{
	for (unsigned claim = 0; claim < sizeof(claims) / sizeof(*claims); claim++) {
		struct co *c[MOST];

		REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 2), 8, CO_MPMC,
					   claims[claim]),
			   0);
		for (unsigned i = 0; i < MOST; i++)
			c[i] = test_spawn_on(i % co_harts(), receive_shortly,
					     (void *)(uintptr_t)(100 * i));
		for (unsigned i = 0; i < MOST; i++)
			CHECK_EQ(test_join(c[i]), -ETIMEDOUT);
		for (uint64_t i = 0; i < 6; i++) {
			uint64_t x = 0;

			CHECK_EQ(co_chan_send(&chan, &i), 0);
			CHECK_EQ(co_chan_recv(&chan, &x), 0);
			CHECK_EQ(x, i);
		}
		CHECK_EQ(co_chan_count(&chan), 0);
	}
}

static intptr_t receive_or_cancel(void *arg)
{
	uint64_t x;

	(void)arg;
	return co_chan_recv(&chan, &x);
}

/*
 * A cancel and an element race for a receiver, over and over: the element goes to it or to the
 * next.
 */
TEST(a_cancel_takes_no_element_along)
{
	for (unsigned round = 0; round < 200; round++) {
		enum co_claim claim = claims[round % (sizeof(claims) / sizeof(*claims))];
		uint64_t x = 0;
		struct co *c;
		intptr_t got;

		REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 2), 8, CO_MPMC, claim),
			   0);
		c = test_spawn_on(round % co_harts(), receive_or_cancel, NULL);
		if (round % 3)
			co_yield();
		co_cancel(c);
		REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ 7 }), 0);
		got = test_join(c);
		CHECK(got == 0 || got == -ECANCELED);
		CHECK_EQ(co_chan_try_recv(&chan, &x), got ? 0 : -EAGAIN);
	}
}

TEST(bulk_moves_all_in_order)
{
	static uint64_t out[40], in[40];
	int n = 0;

	REQUIRE_EQ(
		co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 16), 8, CO_MPMC, CO_CLAIM_DEFAULT),
		0);
	for (unsigned i = 0; i < 40; i++)
		out[i] = i;
	CHECK_EQ(co_chan_send_many(&chan, out, 40, co_after_us(100)), 16);
	CHECK_EQ(co_chan_send_many(&chan, out, 1, co_after_us(100)), -ETIMEDOUT);
	CHECK_EQ(n = co_chan_recv_many(&chan, in, 10, CO_FOREVER), 10);
	CHECK_EQ(n += co_chan_recv_many(&chan, in + n, 30, CO_FOREVER), 16);
	CHECK(memcmp(in, out, 16 * sizeof(*in)) == 0);
	co_chan_close(&chan);
	CHECK_EQ(co_chan_recv_many(&chan, in, 10, CO_FOREVER), -EPIPE);
}

static alignas(CO_LINE) unsigned char back_buffer[CO_CHAN_BYTES(8, 2)];
static struct co_chan back;
static int tried[5];
static uint64_t received;

/* The only one who sends to `chan`, and the only one who receives from `back`. */
static void tries(struct co_mailbox *b, const struct co_mail *m)
{
	uintptr_t w[1];

	(void)b;
	co_mail_read(m, 0, w, 0); /* nothing of it is wanted */
	for (unsigned i = 0; i < 3; i++)
		tried[i] = co_chan_try_send(&chan, &(uint64_t){ 6 + i });
	tried[3] = co_chan_try_recv(&back, &received);
	tried[4] = co_chan_try_recv(&back, &(uint64_t){ 0 });
}

static void use_handler(enum co_chan_mode mode, enum co_claim claim)
{
	uint64_t x = 0;

	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(8, 2), 8, mode, claim), 0);
	REQUIRE_EQ(co_chan_init_as(&back, back_buffer, CO_CHAN_BYTES(8, 2), 8, mode, claim), 0);
	REQUIRE_EQ(co_chan_send(&back, &(uint64_t){ 5 }), 0);
	memset(tried, 1, sizeof(tried));
	received = 0;
	CHECK_EQ(co_mail_send(co_hart(), 77, (uintptr_t[]){ 1 }, 1), 0);
	for (unsigned n = 0; n < 1000 && tried[4] > 0; n++)
		co_yield();
	CHECK_EQ(tried[0], 0);
	CHECK_EQ(tried[1], 0);
	CHECK_EQ(tried[2], -EAGAIN); /* it is full, and nobody waits */
	CHECK_EQ(tried[3], 0);
	CHECK_EQ(received, 5);
	CHECK_EQ(tried[4], -EAGAIN);
	for (uint64_t i = 6; i < 8; i++) {
		CHECK_EQ(co_chan_recv(&chan, &x), 0);
		CHECK_EQ(x, i);
	}
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EAGAIN);
}

TEST(a_message_handler_sends_and_receives_and_does_not_wait)
{
	static struct co_mailbox box;

	REQUIRE_EQ(co_mailbox_handle(&box, 77, tries, NULL), 0);
	for (unsigned claim = 0; claim < sizeof(claims) / sizeof(*claims); claim++) {
		for (unsigned mode = CO_MPMC; mode <= CO_SPSC; mode++)
			use_handler((enum co_chan_mode)mode, claims[claim]);
	}
	CHECK_EQ(co_mailbox_close(&box), 0);
}
