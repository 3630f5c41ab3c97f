/* test_link.c - links: what one promises, with both ends on a hart and with ends on many. */
#include "harness/test.h"

enum { WORDS = 16, SENDERS = 5 };

static struct co_link the_link;
static struct co_link_rx *rx;
static struct co_link_tx *tx;
static struct co_a32 at_work;

static void set_up(unsigned words, unsigned depth, unsigned senders)
{
	the_link = (struct co_link){
		.words = (uint16_t)words,
		.depth = (uint16_t)depth,
		.senders = (uint16_t)senders,
	};
	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
}

/* Both ends on this hart, of one sender. */
static void set_up_here(unsigned words, unsigned depth)
{
	set_up(words, depth, 1);
	REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
	REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
}

/* Start fn(arg) on the last hart and let it get into its wait; the result is the same if not. */
static struct co *start(co_fn *fn, void *arg)
{
	struct co *co;

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	co = test_spawn_on(co_harts() - 1, fn, arg);
	test_await(&at_work, 1);
	test_sleep_us(300);
	return co;
}

/* Send that many messages: {i, i + 1000, i + 2000, ...}. */
static intptr_t send_many(void *arg)
{
	struct co_link_tx *end;
	uintptr_t w[WORDS];
	int r = co_link_open_tx_until(&the_link, &end, LONG_ENOUGH);

	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	if (r)
		return r;
	for (uintptr_t i = 0; !r && i < (uintptr_t)arg; i++) {
		for (unsigned k = 0; k < WORDS; k++)
			w[k] = i + k * 1000;
		r = co_link_send_until(end, w, LONG_ENOUGH);
	}
	co_link_close_tx(end);
	return r;
}

TEST(at_most_depth_messages_are_under_way)
{
	for (unsigned depth = 1; depth <= 5; depth++) {
		uintptr_t w[3] = { 0 };

		set_up_here(3, depth);
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

TEST(messages_need_not_be_copied)
{
	set_up_here(2, 2);
	for (uintptr_t i = 0; i < 20; i++) {
		const uintptr_t *in, *again;
		uintptr_t *out, *same;

		CHECK_EQ(co_link_try_peek(rx, &in), -EAGAIN);
		CHECK_EQ(co_link_peek_until(rx, &in, co_after_us(100)), -ETIMEDOUT);
		for (uintptr_t k = 0; k < 2; k++) {
			REQUIRE_EQ(co_link_reserve(tx, &out), 0);
			REQUIRE_EQ(co_link_reserve(tx, &same), 0);
			CHECK(out == same);
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

/* What is reserved or looked at then stays where it is until its end closes, too. */
TEST(each_end_closes_with_a_message_in_hand)
{
	const uintptr_t *in;
	uintptr_t *out, msg[2] = { 0 };

	for (uintptr_t lap = 0; lap < 3; lap++) {
		set_up_here(2, 2);
		CHECK_EQ(co_spm_hart(rx), co_hart());
		CHECK_EQ(co_spm_hart(tx), co_hart());
		REQUIRE_EQ(co_link_reserve(tx, &out), 0);
		CHECK_EQ(co_spm_hart(out), co_hart());
		out[0] = lap;
		out[1] = 5;
		co_link_commit(tx);
		REQUIRE_EQ(co_link_peek(rx, &in), 0);
		CHECK(in[0] == lap && in[1] == 5);
		REQUIRE_EQ(co_link_reserve(tx, &out), 0);
		co_link_close_rx(rx);
		out[0] = out[1] = 6;
		if (lap)
			co_link_commit(tx);
		CHECK_EQ(co_link_try_send(tx, msg), -EPIPE);
		CHECK_EQ(co_link_send_until(tx, msg, LONG_ENOUGH), -EPIPE);
		CHECK_EQ(co_link_reserve(tx, &out), -EPIPE);
		co_link_close_tx(tx);
	}
}

TEST(a_place_is_free_when_all_that_was_sent_there_has_been_received)
{
	uintptr_t msg[2] = { 3, 4 };

	set_up_here(2, 2);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(co_link_send(tx, msg), 0);
		co_link_close_tx(tx);
		CHECK_EQ(co_link_open_tx(&the_link, &tx), -EBUSY);
		msg[0] = 0;
		CHECK_EQ(co_link_recv(rx, msg), 0);
		CHECK_EQ(msg[0], 3);
		REQUIRE_EQ(co_link_open_tx(&the_link, &tx), 0);
		CHECK_EQ(co_link_try_recv(rx, msg), -EAGAIN);
	}
	CHECK_EQ(co_link_send(tx, msg), 0);
	CHECK_EQ(co_link_recv(rx, msg), 0);
	co_link_close_tx(tx);
	co_link_close_rx(rx);
}

TEST(a_receiver_takes_from_each_sender_in_turn)
{
	struct co_link_tx *end[SENDERS + 1];
	unsigned seen[SENDERS] = { 0 };
	uintptr_t w;

	set_up(1, 2, SENDERS);
	REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
	for (unsigned i = 0; i < SENDERS; i++)
		REQUIRE_EQ(co_link_open_tx(&the_link, &end[i]), 0);
	CHECK_EQ(co_link_open_tx(&the_link, &end[SENDERS]), -EBUSY);
	for (uintptr_t k = 0; k < 2; k++)
		for (uintptr_t i = 0; i < SENDERS; i++)
			CHECK_EQ(co_link_try_send(end[i], &(uintptr_t){ 10 * i + k }), 0);
	for (unsigned n = 0; n < 2 * SENDERS; n++) {
		int from = co_link_recv(rx, &w);

		REQUIRE(from >= 0 && from < SENDERS);
		CHECK_EQ(w, 10 * (unsigned)from + seen[from]);
		seen[from]++;
		CHECK(seen[from] <= n / SENDERS + 1);
	}
	for (unsigned i = 0; i < SENDERS; i++) {
		CHECK_EQ(co_link_try_recv(rx, &w), -EAGAIN);
		co_link_close_tx(end[i]);
	}
	CHECK_EQ(co_link_try_recv(rx, &w), -EPIPE);
	co_link_close_rx(rx);
}

TEST(messages_flow_between_harts)
{
	for (unsigned depth = 1; depth <= 8; depth += depth) {
		for (unsigned words = 1; words <= WORDS; words += 5) {
			struct co *co;
			uintptr_t w[WORDS];

			set_up(words, depth, 1);
			co = test_spawn_on(co_harts() - 1, send_many, (void *)100);
			REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
			for (uintptr_t i = 0; i < 100; i++) {
				memset(w, 0x77, sizeof(w));
				REQUIRE_EQ(co_link_recv_until(rx, w, LONG_ENOUGH), 0);
				for (unsigned k = 0; k < WORDS; k++)
					CHECK_EQ(w[k], k < words ? i + k * 1000
								 : (uintptr_t)0x7777777777777777);
			}
			CHECK_EQ(co_link_recv_until(rx, w, LONG_ENOUGH), -EPIPE);
			CHECK_EQ(test_join(co), 0);
			co_link_close_rx(rx);
		}
	}
}

TEST(a_receiver_that_closes_ends_its_senders_waits)
{
	struct co *co[SENDERS];

	set_up(1, 2, SENDERS);
	REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
	for (unsigned i = 0; i < SENDERS; i++)
		co[i] = test_spawn_on(i * co_harts() / SENDERS, send_many, (void *)50);
	REQUIRE(test_await(&at_work, SENDERS));
	test_sleep_us(300);
	co_link_close_rx(rx);
	test_join_all(co, SENDERS, -EPIPE);
}

static intptr_t receive_all(void *arg)
{
	struct co_link_rx *end;
	uintptr_t w;
	int r;

	REQUIRE_EQ(co_link_open_rx(&the_link, &end), 0);
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	do
		r = co_link_recv_until(end, &w, LONG_ENOUGH);
	while (r >= 0);
	co_link_close_rx(end);
	return r;
}

TEST(cancels_leave_a_link_usable)
{
	struct co *co;
	uintptr_t w;

	set_up(1, 2, 1);
	co = start(receive_all, NULL);
	test_cancel(co);
	REQUIRE_EQ(co_link_open_rx(&the_link, &rx), 0);
	co = start(send_many, (void *)5);
	test_cancel(co);
	for (uintptr_t i = 0; i < 2; i++) {
		CHECK_EQ(co_link_recv(rx, &w), 0);
		CHECK_EQ(w, i);
	}
	CHECK_EQ(co_link_recv(rx, &w), -EPIPE);
	co = test_spawn_on(co_harts() - 1, send_many, (void *)5);
	while (co_link_recv_until(rx, &w, LONG_ENOUGH) == -EPIPE)
		co_pause(); /* it has not opened yet */
	for (uintptr_t i = 1; i < 5; i++) {
		CHECK_EQ(co_link_recv_until(rx, &w, LONG_ENOUGH), 0);
		CHECK_EQ(w, i);
	}
	CHECK_EQ(test_join(co), 0);
	co_link_close_rx(rx);
}

static intptr_t open_tx(void *arg)
{
	struct co_link_tx *end;

	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	return co_link_open_tx_until(&the_link, &end, LONG_ENOUGH);
}

TEST(a_sender_waits_for_a_receiver)
{
	struct co *co;

	set_up(1, 2, 1);
	CHECK_EQ(co_link_open_tx_until(&the_link, &tx, 0), -ETIMEDOUT);
	CHECK_EQ(co_link_open_tx_until(&the_link, &tx, co_after_us(300)), -ETIMEDOUT);
	co = start(open_tx, NULL);
	test_cancel(co);
}

static struct co_event go;
static struct co_a32 inside;

static intptr_t open_and_close(void *arg)
{
	struct co_link_rx *end;
	int r;

	REQUIRE_EQ(co_event_wait(&go), 0);
	r = co_link_open_rx(&the_link, &end);
	if (r == 0) {
		CHECK_EQ(co_atomic_add(&inside, 1, CO_SEQ_CST), 0);
		REQUIRE_EQ(co_sleep_us(200), 0);
		co_atomic_add(&inside, (uint32_t)-1, CO_SEQ_CST);
		co_link_close_rx(end);
	}
	return r;
}

/* Two that open the receiving end at once: one has it, the other is notified, or comes later. */
TEST(one_receiver_at_a_time)
{
	set_up(1, 1, 1);
	for (unsigned round = 0; round < 20; round++) {
		struct co *a = test_spawn_on(0, open_and_close, NULL);
		struct co *b = test_spawn_on(co_harts() - 1, open_and_close, NULL);
		intptr_t ra, rb;

		co_event_set(&go);
		ra = test_join(a);
		rb = test_join(b);
		co_event_clear(&go);
		CHECK((ra == 0 && (rb == 0 || rb == -EBUSY)) || (ra == -EBUSY && rb == 0));
	}
}
