/* test_link_ends.c - one end of a link closes while the other still has something to do. */
#include "harness/test.h"

#define LONG_ENOUGH co_after_us(20000000) /* a hang is a failure */

enum { KINDS = 3, TAG = 200 };

static const enum co_link_kind kinds[KINDS] = { CO_LINK_HOMED, CO_LINK_UNHOMED, CO_LINK_MAILBOX };
static alignas(CO_LINE) unsigned char memory[CO_LINK_BYTES(2, 2, 1)];
static struct co_link the_link;
static struct co_a32 at_work;

static void set_up(enum co_link_kind kind)
{
	the_link = (struct co_link){
		.kind = kind, .words = 2, .depth = 2, .senders = 1, .tag = TAG, .memory = memory
	};
	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
}

static intptr_t closes_when_told(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await(), both times */
	test_await(&at_work, 2);
	co_link_close_rx(rx);
	co_atomic_add(&at_work, 1, CO_RELEASE);
	return (intptr_t)arg;
}

/* Until what the sender has begun is written: its memory goes then. */
TEST(a_receiver_that_closes_waits_for_a_sender_with_a_message_in_hand)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		uintptr_t *out, msg[2] = { 0 };
		struct co_link_tx *tx;
		struct co *c;

		set_up(kinds[kind]);
		c = test_spawn_on(co_harts() - 1, closes_when_told, NULL);
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
		test_await(&at_work, 1);
		REQUIRE_EQ(co_link_reserve(tx, &out), 0);
		co_atomic_add(&at_work, 1, CO_RELEASE);
		co_sleep_us(5000);
		CHECK_EQ(co_atomic_load(&at_work, CO_ACQUIRE), 2);
		out[0] = out[1] = 1;
		co_link_commit(tx);
		test_await(&at_work, 3);
		CHECK_EQ(co_link_send_until(tx, msg, LONG_ENOUGH), -EPIPE);
		co_link_close_tx(tx);
		CHECK_EQ(test_join(c), 0);
	}
}

TEST(a_place_is_free_when_all_that_was_sent_there_has_been_received)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co_link_rx *rx;
		struct co_link_tx *tx;
		uintptr_t msg[2] = { 3, 4 };

		set_up(kinds[kind]);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
		CHECK_EQ(co_link_send(tx, msg), 0);
		co_link_close_tx(tx);
		CHECK_EQ(co_link_open_tx(&the_link, &tx), -EBUSY);
		msg[0] = 0;
		CHECK_EQ(co_link_recv(rx, msg), 0);
		CHECK_EQ(msg[0], 3);
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
		CHECK_EQ(co_link_send(tx, msg), 0);
		CHECK_EQ(co_link_recv(rx, msg), 0);
		co_link_close_tx(tx);
		co_link_close_rx(rx);
	}
}
