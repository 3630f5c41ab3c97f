/* test_link.c - links over homed memory, unhomed memory and mailboxes: one behaviour. */
#include <string.h>

#include "harness/test.h"

#define LONG_ENOUGH co_after_us(20000000) /* a hang is a failure */

enum { KINDS = 3, WORDS = 3, DEPTH = 4, SENDERS = 5, TAG = 200 };

static const enum co_link_kind kinds[KINDS] = { CO_LINK_HOMED, CO_LINK_UNHOMED, CO_LINK_MAILBOX };
static alignas(CO_LINE) unsigned char memory[CO_LINK_BYTES(16, 64, SENDERS)];
static struct co_link the_link;
static struct co_a32 at_work;

static void set_up(enum co_link_kind kind, unsigned words, unsigned depth, unsigned senders)
{
	the_link = (struct co_link){
		.kind = kind,
		.words = (uint16_t)words,
		.depth = (uint16_t)depth,
		.senders = (uint16_t)senders,
		.tag = TAG,
		.memory = kind == CO_LINK_UNHOMED ? memory : NULL,
	};
	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
}

/* Start fn(arg) on a hart and let it get into its wait; either way the result is the same. */
static struct co *start_on(unsigned hart, co_fn *fn, void *arg)
{
	struct co *co;

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	co = test_spawn_on(hart, fn, arg);
	test_await(&at_work, 1);
	co_sleep_us(300);
	return co;
}

/* Send that many messages: {number, i, i * i, ...}. */
static intptr_t send_many(void *arg)
{
	struct co_link_tx *tx;
	uintptr_t w[16];
	int r = co_link_open_tx_until(&the_link, &tx, LONG_ENOUGH);

	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	if (r)
		return r;
	for (uintptr_t i = 0; !r && i < (uintptr_t)arg; i++) {
		for (unsigned k = 0; k < 16; k++)
			w[k] = i + k * 1000;
		r = co_link_send_until(tx, w, LONG_ENOUGH);
	}
	co_link_close_tx(tx);
	return r;
}

TEST(bad_shapes_are_refused)
{
	struct co_link_rx *rx = NULL;

	set_up(CO_LINK_UNHOMED, 1, 1, 1);
	the_link.memory = NULL;
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	the_link.memory = memory + 8;
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	set_up((enum co_link_kind)7, 1, 1, 1);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	set_up(CO_LINK_MAILBOX, CO_MAIL_WORDS + 1, 1, 1);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	set_up(CO_LINK_MAILBOX, 1, CO_MAIL_WORDS + 1, 1);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	set_up(CO_LINK_MAILBOX, 1, CO_MAIL_WORDS / 2 / SENDERS + 1, SENDERS);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	set_up(CO_LINK_MAILBOX, 1, 1, 1);
	the_link.tag = CO_MAIL_TAG_MAX;
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EINVAL);
	set_up(CO_LINK_HOMED, 1000, 1000, 1000);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -ENOMEM);
	CHECK(!rx);
	set_up(CO_LINK_MAILBOX, 1, CO_MAIL_WORDS, 1);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), 0);
	CHECK_EQ(co_link_open_rx(&the_link, &rx), -EBUSY);
	co_link_close_rx(rx);
}

/* Both ends on one hart, one coroutine. */
TEST(at_most_depth_messages_are_under_way)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned depth = 1; depth <= 5; depth++) {
			struct co_link_rx *rx;
			struct co_link_tx *tx;
			uintptr_t w[WORDS] = { 0 };

			set_up(kinds[kind], WORDS, depth, 1);
			REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
			REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
			CHECK_EQ(co_link_try_recv(rx, w), -EAGAIN);
			CHECK_EQ(co_link_recv_until(rx, w, 0), -ETIMEDOUT);
			CHECK_EQ(co_link_recv_until(rx, w, co_after_us(300)), -ETIMEDOUT);
			for (uintptr_t i = 0; i < 20; i++) {
				for (uintptr_t k = 0; k < depth; k++)
					CHECK_EQ(co_link_send(tx, (uintptr_t[]){ i, k, i + k }), 0);
				CHECK_EQ(co_link_try_send(tx, w), -EAGAIN);
				CHECK_EQ(co_link_send_until(tx, w, 0), -ETIMEDOUT);
				for (uintptr_t k = 0; k < depth; k++) {
					CHECK_EQ(co_link_recv(rx, w), 0);
					CHECK(w[0] == i && w[1] == k && w[2] == i + k);
				}
			}
			CHECK_EQ(co_link_send_until(tx, w, co_after_us(300)), 0);
			co_link_close_tx(tx);
			CHECK_EQ(co_link_recv(rx, w), 0);
			CHECK_EQ(co_link_recv(rx, w), -EPIPE);
			CHECK_EQ(co_link_try_recv(rx, w), -EPIPE);
			co_link_close_rx(rx);
		}
	}
}

TEST(messages_flow_between_harts)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned depth = 1; depth <= 8; depth += depth) {
			for (unsigned words = 1; words <= 16; words += 5) {
				struct co_link_rx *rx;
				struct co *co;
				uintptr_t w[16];

				set_up(kinds[kind], words, depth, 1);
				co = test_spawn_on(co_harts() - 1, send_many, (void *)100);
				REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
				for (uintptr_t i = 0; i < 100; i++) {
					memset(w, 0x77, sizeof(w));
					REQUIRE_EQ(co_link_recv_until(rx, w, LONG_ENOUGH), 0);
					for (unsigned k = 0; k < 16; k++)
						CHECK_EQ(w[k],
							 k < words ? i + k * 1000
								   : (uintptr_t)0x7777777777777777);
				}
				CHECK_EQ(co_link_recv_until(rx, w, LONG_ENOUGH), -EPIPE);
				CHECK_EQ(test_join(co), 0);
				co_link_close_rx(rx);
			}
		}
	}
}

/* A receiver that takes no part until everybody waits for it. */
TEST(senders_wait_for_room)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co_link_rx *rx;
		struct co *co;
		uintptr_t w[16];

		set_up(kinds[kind], 1, 2, 1);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		co = start_on(co_harts() - 1, send_many, (void *)50);
		for (uintptr_t i = 0; i < 50; i++) {
			REQUIRE_EQ(co_link_recv_until(rx, w, LONG_ENOUGH), 0);
			CHECK_EQ(w[0], i);
			if (i % 10 == 0)
				co_sleep_us(200);
		}
		CHECK_EQ(test_join(co), 0);
		co_link_close_rx(rx);
	}
}

TEST(a_link_is_homed_where_its_ends_are)
{
	struct co_link_rx *rx;
	struct co_link_tx *tx;
	uintptr_t *msg;

	for (unsigned kind = 0; kind < KINDS; kind++) {
		set_up(kinds[kind], 1, 1, 1);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
		CHECK_EQ(co_spm_hart(rx), co_hart());
		CHECK_EQ(co_spm_hart(tx), co_hart());
		REQUIRE_EQ(co_link_reserve(tx, &msg), 0);
		CHECK_EQ(co_spm_hart(msg), kinds[kind] == CO_LINK_UNHOMED ? -1 : (int)co_hart());
		*msg = 1;
		co_link_commit(tx);
		co_link_close_rx(rx);
		CHECK_EQ(co_link_try_send(tx, (uintptr_t[]){ 1 }), -EPIPE);
		CHECK_EQ(co_link_send(tx, (uintptr_t[]){ 1 }), -EPIPE);
		CHECK_EQ(co_link_reserve(tx, &msg), -EPIPE);
		co_link_close_tx(tx);
	}
}

TEST(messages_need_not_be_copied)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co_link_rx *rx;
		struct co_link_tx *tx;

		set_up(kinds[kind], 2, 2, 1);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
		for (uintptr_t i = 0; i < 20; i++) {
			const uintptr_t *in, *again;
			uintptr_t *out;

			CHECK_EQ(co_link_try_peek(rx, &in), -EAGAIN);
			CHECK_EQ(co_link_peek_until(rx, &in, co_after_us(100)), -ETIMEDOUT);
			for (uintptr_t k = 0; k < 2; k++) {
				REQUIRE_EQ(co_link_reserve(tx, &out), 0);
				out[0] = i;
				out[1] = k;
				co_link_commit(tx);
			}
			CHECK_EQ(co_link_try_reserve(tx, &out), -EAGAIN);
			CHECK_EQ(co_link_reserve_until(tx, &out, co_after_us(100)), -ETIMEDOUT);
			for (uintptr_t k = 0; k < 2; k++) {
				REQUIRE_EQ(co_link_peek(rx, &in), 0);
				REQUIRE_EQ(co_link_peek(rx, &again), 0);
				CHECK(in == again && in[0] == i && in[1] == k);
				co_link_release(rx);
			}
		}
		co_link_close_tx(tx);
		co_link_close_rx(rx);
	}
}

TEST(a_receiver_closes_with_a_message_in_hand)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned senders = 1; senders <= 2; senders++) {
			struct co_link_rx *rx;
			struct co_link_tx *tx;
			const uintptr_t *in;
			uintptr_t *out, msg[2] = { 0 };

			set_up(kinds[kind], 2, 2, senders);
			for (uintptr_t lap = 0; lap < 2; lap++) {
				REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
				REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
				REQUIRE_EQ(co_link_reserve(tx, &out), 0);
				out[0] = lap;
				out[1] = 5;
				co_link_commit(tx);
				REQUIRE(co_link_peek(rx, &in) >= 0);
				CHECK(in[0] == lap && in[1] == 5);
				co_link_close_rx(rx);
				CHECK_EQ(co_link_send_until(tx, msg, co_after_us(1000000)), -EPIPE);
				co_link_close_tx(tx);
			}
		}
	}
}

TEST(a_receiver_takes_from_each_sender_in_turn)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co_link_rx *rx;
		struct co_link_tx *tx[SENDERS + 1];
		unsigned seen[SENDERS] = { 0 };
		uintptr_t w;

		set_up(kinds[kind], 1, 2, SENDERS);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		for (unsigned i = 0; i < SENDERS; i++)
			REQUIRE_EQ(co_link_open_tx(&the_link, &tx[i]), 0);
		CHECK_EQ(co_link_open_tx(&the_link, &tx[SENDERS]), -EBUSY);
		for (uintptr_t k = 0; k < 2; k++)
			for (uintptr_t i = 0; i < SENDERS; i++)
				CHECK_EQ(co_link_try_send(tx[i], &(uintptr_t){ 10 * i + k }), 0);
		for (unsigned n = 0; n < 2 * SENDERS; n++) {
			int from = co_link_recv(rx, &w);

			REQUIRE(from >= 0 && from < SENDERS);
			CHECK_EQ(w, 10 * (unsigned)from + seen[from]);
			seen[from]++;
			CHECK(seen[from] <= n / SENDERS + 1);
		}
		for (unsigned i = 0; i < SENDERS; i++) {
			CHECK_EQ(co_link_try_recv(rx, &w), -EAGAIN);
			co_link_close_tx(tx[i]);
		}
		CHECK_EQ(co_link_try_recv(rx, &w), -EPIPE);
		/* A place that was left is free again. */
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx[0]), 0);
		CHECK_EQ(co_link_try_recv(rx, &w), -EAGAIN);
		CHECK_EQ(co_link_send(tx[0], &(uintptr_t){ 77 }), 0);
		CHECK_EQ(co_link_recv(rx, &w), 0);
		CHECK_EQ(w, 77);
		co_link_close_tx(tx[0]);
		co_link_close_rx(rx);
	}
}

TEST(many_senders_on_many_harts)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co *co[SENDERS];
		struct co_link_rx *rx;
		uintptr_t next[SENDERS] = { 0 };
		uintptr_t w[2];
		int from;

		set_up(kinds[kind], 2, DEPTH, SENDERS);
		for (unsigned i = 0; i < SENDERS; i++)
			co[i] = test_spawn_on(i * co_harts() / SENDERS, send_many, (void *)200);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		while ((from = co_link_recv_until(rx, w, LONG_ENOUGH)) >= 0) {
			REQUIRE(from < SENDERS);
			CHECK_EQ(w[0], next[from]);
			CHECK_EQ(w[1], next[from] + 1000);
			next[from]++;
		}
		CHECK_EQ(from, -EPIPE);
		for (unsigned i = 0; i < SENDERS; i++) {
			CHECK_EQ(test_join(co[i]), 0);
			CHECK_EQ(next[i], 200);
		}
		co_link_close_rx(rx);
	}
}

TEST(a_receiver_that_closes_ends_its_senders_waits)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co *co[SENDERS];
		struct co_link_rx *rx;

		set_up(kinds[kind], 1, 2, SENDERS);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		for (unsigned i = 0; i < SENDERS; i++)
			co[i] = test_spawn_on(i * co_harts() / SENDERS, send_many, (void *)50);
		REQUIRE(test_await(&at_work, SENDERS));
		co_sleep_us(300);
		co_link_close_rx(rx);
		for (unsigned i = 0; i < SENDERS; i++)
			CHECK_EQ(test_join(co[i]), -EPIPE);
	}
}

static intptr_t receive_all(void *arg)
{
	struct co_link_rx *rx;
	uintptr_t w[16];
	intptr_t n = 0;
	int r;

	(void)arg;
	REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	while ((r = co_link_recv_until(rx, w, LONG_ENOUGH)) >= 0)
		n++;
	co_link_close_rx(rx);
	return r == -EPIPE ? n : r;
}

TEST(cancels_leave_a_link_usable)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct co_link_rx *rx;
		struct co *co;
		uintptr_t w[16];

		set_up(kinds[kind], 1, 2, 1);
		co = start_on(co_harts() - 1, receive_all, NULL);
		co_cancel(co);
		CHECK_EQ(test_join(co), -ECANCELED);
		REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
		co = start_on(co_harts() - 1, send_many, (void *)5);
		co_cancel(co);
		CHECK_EQ(test_join(co), -ECANCELED);
		CHECK_EQ(co_link_recv(rx, w), 0);
		CHECK_EQ(w[0], 0);
		CHECK_EQ(co_link_recv(rx, w), 0);
		CHECK_EQ(w[0], 1);
		CHECK_EQ(co_link_recv(rx, w), -EPIPE);
		co = test_spawn_on(co_harts() - 1, send_many, (void *)5);
		while (co_link_recv_until(rx, w, LONG_ENOUGH) == -EPIPE)
			co_yield(); /* it has not opened yet */
		for (unsigned i = 1; i < 5; i++) {
			CHECK_EQ(co_link_recv_until(rx, w, LONG_ENOUGH), 0);
			CHECK_EQ(w[0], i);
		}
		CHECK_EQ(test_join(co), 0);
		co_link_close_rx(rx);
	}
}

static intptr_t open_and_give_up(void *arg)
{
	struct co_link_tx *tx;

	(void)arg;
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	return co_link_open_tx_until(&the_link, &tx, LONG_ENOUGH);
}

TEST(a_sender_waits_for_a_receiver)
{
	struct co_link_tx *tx;
	struct co *co;

	set_up(CO_LINK_HOMED, 1, 2, 1);
	CHECK_EQ(co_link_open_tx_until(&the_link, &tx, 0), -ETIMEDOUT);
	CHECK_EQ(co_link_open_tx_until(&the_link, &tx, co_after_us(300)), -ETIMEDOUT);
	co = start_on(co_harts() - 1, open_and_give_up, NULL);
	co_cancel(co);
	CHECK_EQ(test_join(co), -ECANCELED);
}

/* More links over mailboxes than a hart has queues: the others share the catch-all queue. */
enum { MANY = 12 };

static struct co_link many[MANY];

static intptr_t send_along(void *arg)
{
	struct co_link_tx *tx;
	int r = co_link_open_tx_until(arg, &tx, LONG_ENOUGH);

	for (uintptr_t i = 0; !r && i < 60; i++)
		r = co_link_send_until(tx, &i, LONG_ENOUGH);
	if (!r)
		co_link_close_tx(tx);
	return r;
}

TEST(many_links_over_few_queues)
{
	struct co *co[MANY];
	struct co_link_rx *rx[MANY];
	struct co_spm_use use;
	uintptr_t w;

	co_spm_use(0, &use);
	if (use.heap_bytes < 16384)
		SKIP("so many links need 16 KiB of scratchpad heap");
	for (unsigned i = 0; i < MANY; i++) {
		many[i] = (struct co_link){ .kind = CO_LINK_MAILBOX,
					    .depth = 3,
					    .tag = (uint16_t)(500 + 2 * i) };
		REQUIRE_EQ(co_link_open_rx(&many[i], &rx[i]), 0);
		co[i] = test_spawn_on(i % 2 ? co_harts() - 1 : i * co_harts() / MANY, send_along,
				      &many[i]);
	}
	for (uintptr_t k = 0; k < 60; k++) {
		for (unsigned i = 0; i < MANY; i++) {
			REQUIRE_EQ(co_link_recv_until(rx[i], &w, LONG_ENOUGH), 0);
			CHECK_EQ(w, k);
		}
	}
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_EQ(co_link_recv_until(rx[i], &w, LONG_ENOUGH), -EPIPE);
		CHECK_EQ(test_join(co[i]), 0);
		co_link_close_rx(rx[i]);
	}
	/* All queues are free again, and empty. */
	for (int tag = 0; tag < CO_MAIL_TAGGED; tag++)
		CHECK_EQ(co_mail_bind(tag), 0);
	for (int tag = 0; tag < CO_MAIL_TAGGED; tag++)
		CHECK_EQ(co_mail_unbind(tag), 0);
	CHECK_EQ(co_mail_try_recv(CO_MAIL_ANY, &w, 1, NULL), -EAGAIN);
}
