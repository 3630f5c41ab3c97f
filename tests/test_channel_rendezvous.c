/* test_channel_rendezvous.c - channels without room: a sender and a receiver meet, or both wait. */
#include <cohart/sandbox.h>
#include <cohart/select.h>
#include <cohart/typed.h>
#include <hal/board.h>

#include "../runtime/core/lf/waitq.h"

#include "harness/test.h"

enum { MOST_BYTES = 300, SENDERS = 5, RECEIVERS = 4, EACH = 200 };

CO_CHANNEL(words, uint64_t, 0);
CO_CHANNEL(back, uint64_t, 0);
CO_CHANNEL(ready, int, 8);

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(MOST_BYTES, 0)];
static struct co_chan chan;
static struct co_a32 sent; /* sends that are done */

static void open_sized(size_t bytes)
{
	REQUIRE_EQ(co_chan_init_as(&chan, buffer, CO_CHAN_BYTES(bytes, 0), bytes, CO_RENDEZVOUS,
				   CO_CLAIM_DEFAULT),
		   0);
	co_atomic_store(&sent, 0, CO_RELAXED);
}

static void open_words(void)
{
	open_sized(sizeof(uint64_t));
}

static intptr_t send_word(void *arg)
{
	int r = co_chan_send(&chan, &(uint64_t){ (uintptr_t)arg });

	co_atomic_add(&sent, 1, CO_RELEASE);
	return r;
}

static intptr_t receive_word(void *arg)
{
	uint64_t x = 0;
	int r = co_chan_recv(&chan, &x);

	return r ? r : (intptr_t)x;
}

/* ---- Send and receive ---- */

TEST(a_send_is_done_when_the_element_is_taken)
{
	for (unsigned hart = 0; hart < co_harts(); hart += co_harts() - 1 ? co_harts() - 1 : 1) {
		struct co *c;
		uint64_t x;

		open_words();
		c = test_sleeper(hart, send_word, (void *)7);
		CHECK_EQ(co_atomic_load(&sent, CO_ACQUIRE), 0);
		CHECK_EQ(co_chan_count(&chan), 0);
		CHECK_EQ(co_chan_recv(&chan, &x), 0);
		CHECK_EQ(x, 7);
		CHECK_EQ(test_join(c), 0);
		c = test_sleeper(hart, receive_word, NULL);
		CHECK_EQ(co_chan_send(&chan, &(uint64_t){ 8 }), 0);
		CHECK_EQ(test_join(c), 8);
	}
}

static intptr_t send_bytes(void *arg)
{
	unsigned char elem[MOST_BYTES];

	for (unsigned lap = 0; lap < 2; lap++) {
		memset(elem, (int)((uintptr_t)arg + lap), sizeof(elem));
		CHECK_EQ(co_chan_send(&chan, elem), 0);
	}
	return 0;
}

TEST(elements_of_every_size_arrive_whole)
{
	for (unsigned bytes = 1; bytes <= MOST_BYTES; bytes += bytes < 66 ? 1 : 47) {
		unsigned char elem[MOST_BYTES + 1], want[MOST_BYTES + 1];
		struct co *c;

		open_sized(bytes);
		c = test_spawn_on(co_harts() - 1, send_bytes, (void *)(uintptr_t)bytes);
		for (unsigned lap = 0; lap < 2; lap++) {
			memset(elem, 0, sizeof(elem));
			memset(want, 0, sizeof(want));
			memset(want, (int)(bytes + lap), bytes);
			REQUIRE_EQ(co_chan_recv(&chan, elem), 0);
			CHECK_EQ(memcmp(elem, want, sizeof(elem)), 0);
		}
		CHECK_EQ(test_join(c), 0);
	}
}

static intptr_t send_row(void *arg)
{
	for (uint64_t i = 0; i < EACH; i++)
		REQUIRE_EQ(co_chan_send(&chan, &(uint64_t){ (uintptr_t)arg * EACH + i }), 0);
	return 0;
}

static intptr_t receive_all(void *arg)
{
	uint64_t next[SENDERS] = { 0 }, x;
	intptr_t n = 0;
	int r;

	for (; (r = co_chan_recv(&chan, &x)) == 0; n++) {
		CHECK(x % EACH >= next[x / EACH]);
		next[x / EACH] = x % EACH + 1;
	}
	CHECK_EQ(r, -EPIPE);
	return n;
}

TEST(many_meet_many)
{
	struct co *s[SENDERS], *r[RECEIVERS];
	intptr_t n = 0;

	open_words();
	for (uintptr_t i = 0; i < RECEIVERS; i++)
		r[i] = test_spawn_on(i % co_harts(), receive_all, NULL);
	for (uintptr_t i = 0; i < SENDERS; i++)
		s[i] = test_spawn_on((i + 2) % co_harts(), send_row, (void *)i);
	test_join_all(s, SENDERS, 0);
	co_chan_close(&chan);
	for (unsigned i = 0; i < RECEIVERS; i++)
		n += test_join(r[i]);
	CHECK_EQ(n, SENDERS * EACH);
}

TEST(rows_go_one_by_one)
{
	uint64_t out[3] = { 4, 5, 6 }, in[3] = { 0 };
	struct co *c;

	open_words();
	CHECK_EQ(co_chan_send_many_until(&chan, out, 3, co_after_us(100)), -ETIMEDOUT);
	c = test_sleeper(co_harts() - 1, receive_word, NULL);
	CHECK_EQ(co_chan_send_many_until(&chan, out, 3, co_after_us(100)), 1);
	CHECK_EQ(test_join(c), 4);
	c = test_sleeper(co_harts() - 1, send_word, (void *)9);
	CHECK_EQ(co_chan_recv_many(&chan, in, 3), 1);
	CHECK_EQ(in[0], 9);
	CHECK_EQ(test_join(c), 0);
}

/* ---- Tries, deadlines, cancels, closes ---- */

TEST(a_try_succeeds_only_if_the_other_side_waits)
{
	uint64_t x = 77;
	struct co *c;

	open_words();
	CHECK_EQ(co_chan_try_send(&chan, &x), -EAGAIN);
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EAGAIN);
	CHECK_EQ(x, 77);
	c = test_sleeper(co_harts() - 1, receive_word, NULL);
	CHECK_EQ(co_chan_try_send(&chan, &(uint64_t){ 5 }), 0);
	CHECK_EQ(test_join(c), 5);
	c = test_sleeper(co_harts() - 1, send_word, (void *)6);
	CHECK_EQ(co_chan_try_recv(&chan, &x), 0);
	CHECK_EQ(x, 6);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EAGAIN);
}

TEST(an_element_goes_with_the_sender_that_gives_up)
{
	uint64_t x = 77;
	struct co *c;

	open_words();
	CHECK_EQ(co_chan_send_until(&chan, &x, co_after_us(200)), -ETIMEDOUT);
	CHECK_EQ(co_chan_send_until(&chan, &x, 0), -ETIMEDOUT);
	CHECK_EQ(co_chan_recv_until(&chan, &x, co_after_us(200)), -ETIMEDOUT);
	c = test_sleeper(co_harts() - 1, send_word, (void *)1);
	test_cancel(c);
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EAGAIN);
	c = test_sleeper(co_harts() - 1, receive_word, NULL);
	test_cancel(c);
	CHECK_EQ(co_chan_try_send(&chan, &x), -EAGAIN);
	CHECK_EQ(x, 77);
}

/* The first of several senders gives up: the next one's element is there for a receiver. */
TEST(the_sender_behind_one_that_gave_up_is_next)
{
	struct co *c[2];
	uint64_t x;

	open_words();
	for (uintptr_t i = 0; i < 2; i++)
		c[i] = test_sleeper(i * (co_harts() - 1), send_word, (void *)(i + 1));
	test_cancel(c[0]);
	CHECK_EQ(co_chan_recv(&chan, &x), 0);
	CHECK_EQ(x, 2);
	CHECK_EQ(test_join(c[1]), 0);
}

/* A cancel and a receiver race for a sender: what was received was sent, and nothing else. */
TEST(a_cancel_neither_loses_nor_doubles)
{
	for (unsigned round = 0; round < 300; round++) {
		uint64_t x = 0;
		struct co *c;
		int r;

		open_words();
		c = test_spawn_on(round % co_harts(), send_word, (void *)3);
		if (round % 3)
			REQUIRE(test_await_sleep(c));
		co_cancel(c);
		r = co_chan_recv_until(&chan, &x, round % 2 ? 0 : co_after_us(20));
		CHECK_EQ(test_join(c) == 0, r == 0);
		CHECK_EQ(x, r ? 0 : 3);
		c = test_spawn_on(round % co_harts(), receive_word, NULL);
		if (round % 3)
			REQUIRE(test_await_sleep(c));
		co_cancel(c);
		r = co_chan_send_until(&chan, &(uint64_t){ 4 }, co_after_us(20));
		CHECK_EQ(test_join(c) == 4, r == 0);
	}
}

TEST(a_close_ends_all_waits_and_withdraws_what_is_offered)
{
	struct co *s[3], *r[3];
	uint64_t x = 77;

	open_words();
	for (uintptr_t i = 0; i < 3; i++)
		s[i] = test_sleeper(i % co_harts(), send_word, (void *)i);
	co_chan_close(&chan);
	CHECK_EQ(co_chan_recv(&chan, &x), -EPIPE);
	CHECK_EQ(co_chan_try_recv(&chan, &x), -EPIPE);
	CHECK_EQ(co_chan_send(&chan, &x), -EPIPE);
	CHECK_EQ(co_chan_try_send(&chan, &x), -EPIPE);
	test_join_all(s, 3, -EPIPE);
	CHECK_EQ(x, 77);
	open_words();
	for (unsigned i = 0; i < 3; i++)
		r[i] = test_sleeper(i % co_harts(), receive_word, NULL);
	CHECK_EQ(co_chan_send(&chan, &(uint64_t){ 5 }), 0);
	co_chan_close(&chan);
	CHECK_EQ(test_join(r[0]), 5); /* was sent before */
	test_join_all(r + 1, 2, -EPIPE);
}

TEST(no_slot_is_given_out_where_there_is_no_room)
{
	struct co_chan_slot s = { 0 };

	open_words();
	CHECK_EQ(co_chan_try_reserve(&chan, &s), -ENOTSUP);
	CHECK_EQ(co_chan_peek(&chan, &s), -ENOTSUP);
	CHECK(!s.data);
}

static intptr_t send_counted(void *arg)
{
	struct co_chan_end end;

	REQUIRE_EQ(co_chan_bind(&chan, CO_CHAN_SENDS, &end), 0);
	for (uint64_t i = 1; i <= 3; i++)
		CHECK_EQ(co_chan_send(&chan, &i), 0);
	co_chan_unbind(&end);
	return (intptr_t)arg;
}

TEST(the_last_counted_sender_closes_it)
{
	struct co *c;
	uint64_t x, sum = 0;

	open_words();
	c = test_spawn_on(co_harts() - 1, send_counted, (void *)1);
	while (co_chan_recv_until(&chan, &x, LONG_ENOUGH) == 0)
		sum += x;
	CHECK_EQ(sum, 6);
	CHECK_EQ(test_join(c), 1);
	CHECK_EQ(co_chan_recv(&chan, &x), -EPIPE);
}

typedef char page[CO_PAGE_BYTES];
CO_GUARDED(page, half); /* an element at its end begins there and goes on in a guard page */

static intptr_t fault_in_a_copy(void *sends)
{
	void *elem = &half.it[CO_PAGE_BYTES - 8];
	struct co_chan_end end;

	REQUIRE_EQ(co_chan_bind(&chan, CO_CHAN_SENDS | CO_CHAN_RECEIVES, &end), 0);
	return sends ? co_chan_send(&chan, elem) : co_chan_recv(&chan, elem);
}

static intptr_t receive_bytes(void *arg)
{
	unsigned char elem[64];
	int r = co_chan_recv(&chan, elem);

	return r ? r : elem[63];
}

TEST_FAULTY(a_fault_in_the_middle_of_a_copy_holds_up_nobody)
{
	unsigned char elem[64];
	struct co_chan_end mine;
	struct co *c;

	if (hal_board.is_process)
		SKIP("a fault ends a process");
	for (uintptr_t sends = 0; sends < 2; sends++) {
		open_sized(sizeof(elem));
		REQUIRE_EQ(co_chan_bind(&chan, CO_CHAN_SENDS | CO_CHAN_RECEIVES, &mine), 0);
		c = test_spawn_on(co_harts() - 1, fault_in_a_copy, (void *)sends);
		memset(elem, 3, sizeof(elem));
		if (!sends) /* it has been taken, and is lost with its receiver */
			CHECK_EQ(co_chan_send(&chan, elem), 0);
		CHECK_EQ(co_join(c, NULL), -EFAULT);
		CHECK_EQ(co_chan_try_recv(&chan, elem), -EAGAIN);
		c = test_sleeper(co_harts() - 1, receive_bytes, NULL);
		CHECK_EQ(co_chan_send_until(&chan, elem, LONG_ENOUGH), 0);
		CHECK_EQ(test_join(c), 3);
		co_chan_unbind(&mine);
	}
}

static int tried[4];
static uint64_t received;

static void tries(struct co_mailbox *b, const struct co_mail *m)
{
	uintptr_t w[1];

	co_mail_read(m, 0, w, 0); /* nothing of it is wanted */
	tried[0] = co_chan_try_send(&words, &(uint64_t){ 6 });
	tried[1] = co_chan_try_send(&words, &(uint64_t){ 7 });
	tried[2] = co_chan_try_recv(&back, &received);
	tried[3] = co_chan_try_recv(&back, &received);
}

static intptr_t receive_at(void *arg)
{
	uint64_t x = 0;

	CHECK_EQ(co_chan_recv(arg, &x), 0);
	return (intptr_t)x;
}

BODY(send_five_to, co_chan_send(arg, &(uint64_t){ 5 }))

TEST(a_message_handler_meets_what_waits)
{
	static struct co_mailbox box;
	struct co *r = test_sleeper(co_harts() - 1, receive_at, &words);
	struct co *s = test_sleeper(co_harts() - 1, send_five_to, &back);

	REQUIRE_EQ(co_mailbox_handle(&box, 78, tries, NULL), 0);
	memset(tried, 1, sizeof(tried));
	CHECK_EQ(co_mail_send(co_hart(), 78, (uintptr_t[]){ 1 }, 1), 0);
	for (unsigned n = 0; n < 1000 && tried[3] > 0; n++)
		co_pause();
	CHECK_EQ(tried[0], 0);
	CHECK_EQ(tried[1], -EAGAIN);
	CHECK_EQ(tried[2], 0);
	CHECK_EQ(tried[3], -EAGAIN);
	CHECK_EQ(received, 5);
	CHECK_EQ(test_join(r), 6);
	CHECK_EQ(test_join(s), 0);
	CHECK_EQ(co_mailbox_close(&box), 0);
}

CO_CHANNEL_OF(ints, int, 0);

BODY(send_int, co_send(&ints, (int)(intptr_t)arg))

TEST(typed_calls_meet_too)
{
	struct co *c = test_spawn_on(co_harts() - 1, send_int, (void *)42);
	int n = 0;

	CHECK_EQ(co_recv(&ints, &n), 0);
	CHECK_EQ(n, 42);
	CHECK_EQ(co_try_send(&ints, 1), -EAGAIN);
	CHECK_EQ(test_join(c), 0);
}

TEST(a_channel_that_cannot_be_is_refused)
{
	CHECK_EQ(co_chan_init_as(&chan, buffer, 8, 8, CO_RENDEZVOUS, CO_CLAIM_DEFAULT), -EINVAL);
	CHECK_EQ(co_chan_init_as(&chan, buffer, 16, 0, CO_RENDEZVOUS, CO_CLAIM_DEFAULT), -EINVAL);
	CHECK_EQ(co_chan_init_as(&chan, buffer, 64, 8, CO_RENDEZVOUS, CO_CLAIM_TICKET), 0);
}

/* ---- Select ---- */

static intptr_t select_to_send(void *arg)
{
	struct co_case cases[] = { CO_CASE_RECV(&ready, &(int){ 0 }),
				   CO_CASE_SEND(&words, &(uint64_t){ (uintptr_t)arg }) };

	REQUIRE_EQ(co_select(cases, 2), 1);
	return cases[1].result;
}

static intptr_t select_to_receive(void *arg)
{
	uint64_t x = 0;
	struct co_case cases[] = { CO_CASE_RECV(&ready, &(int){ 0 }), CO_CASE_RECV(&words, &x) };

	REQUIRE_EQ(co_select(cases, 2), 1);
	CHECK_EQ(cases[1].result, 0);
	return (intptr_t)x;
}

TEST(a_select_meets_a_plain_call)
{
	struct co *c = test_sleeper(co_harts() - 1, select_to_send, (void *)3);
	uint64_t x;

	CHECK_EQ(co_chan_recv_until(&words, &x, LONG_ENOUGH), 0);
	CHECK_EQ(x, 3);
	CHECK_EQ(test_join(c), 0);
	c = test_sleeper(co_harts() - 1, select_to_receive, NULL);
	CHECK_EQ(co_chan_try_send(&words, &(uint64_t){ 4 }), 0);
	CHECK_EQ(test_join(c), 4);
	c = test_sleeper(co_harts() - 1, send_five_to, &words);
	CHECK_EQ(select_to_receive(NULL), 5);
	CHECK_EQ(test_join(c), 0);
	c = test_sleeper(co_harts() - 1, receive_at, &words);
	CHECK_EQ(select_to_send((void *)6), 0);
	CHECK_EQ(test_join(c), 6);
}

TEST(two_selects_meet)
{
	for (unsigned order = 0; order < 4; order++) {
		unsigned far = order & 2 ? co_harts() - 1 : 0;
		struct co *first, *second;

		first = test_sleeper(far, order & 1 ? select_to_send : select_to_receive,
				     (void *)9);
		second =
			test_spawn_on(0, order & 1 ? select_to_receive : select_to_send, (void *)9);
		CHECK_EQ(test_join(first), order & 1 ? 0 : 9);
		CHECK_EQ(test_join(second), order & 1 ? 9 : 0);
	}
}

/* It waits while the slot is a receiver's that has not run yet, and another receiver waits. */
TEST(a_select_to_send_is_woken_when_the_slot_is_free)
{
	const uint64_t end = LONG_ENOUGH;
	struct co *r[2], *s;

	if (co_harts() == 1)
		SKIP("it takes a hart that goes on while this one does not");
	r[0] = test_sleeper(0, receive_at, &words);
	r[1] = test_sleeper(co_harts() - 1, receive_at, &words);
	REQUIRE_EQ(co_chan_try_send(&words, &(uint64_t){ 1 }), 0);
	s = test_spawn_on(1, select_to_send, (void *)2);
	while (!co_waitq_waits(&words.senders) && co_now() < end)
		; /* r[0] must not run yet */
	CHECK_EQ(test_join(r[0]), 1);
	CHECK_EQ(test_join(r[1]), 2);
	CHECK_EQ(test_join(s), 0);
}

/* A case that can be done from the select's look on, in which it sends to that select. */
struct late {
	bool changed;
};

static int try_late(struct co_case *c)
{
	const struct late *late = c->data;

	return late->changed ? 0 : -EAGAIN;
}

static bool send_and_look(struct co_case *c)
{
	struct late *late = c->data;

	CHECK_EQ(co_chan_try_send(&words, &(uint64_t){ 8 }), 0);
	late->changed = c->object != NULL;
	return late->changed;
}

static intptr_t send_to_itself(void *changes)
{
	static struct co_waitq nobody;
	struct late late = { false };
	uint64_t x = 0;
	struct co_case cases[] = { CO_CASE_RECV(&words, &x),
				   { try_late, send_and_look, &nobody, changes, &late, 0 } };

	if (!changes)
		co_cancel(co_self());
	CHECK_EQ(co_select(cases, 2), 0);
	CHECK_EQ(cases[0].result, 0);
	return (intptr_t)x;
}

/* Though another case can be done by then, or it is cancelled. */
TEST(a_select_takes_what_it_is_given_before_it_sleeps)
{
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, send_to_itself,
						 i % 2 ? &words : NULL)),
			 8);
}

static intptr_t would_send(void *arg)
{
	struct co_case c = CO_CASE_SEND(&words, arg);

	return c.look(&c);
}

/* Of two selects that wait, the one of the lower address shall try, and the other stays. */
TEST(one_of_two_selects_stays_where_it_is)
{
	const unsigned far = co_harts() - 1;
	uint64_t x = 3;
	struct co *low, *high;

	if (!far)
		SKIP("addresses are those of two harts");
	low = test_sleeper(0, select_to_receive, NULL);
	CHECK_EQ(test_join(test_spawn_on(far, would_send, &x)), false);
	REQUIRE(test_await_sleep(low)); /* it was woken to try, in vain */
	CHECK_EQ(co_chan_send(&words, &x), 0);
	CHECK_EQ(test_join(low), 3);
	high = test_sleeper(far, select_to_receive, NULL);
	CHECK_EQ(would_send(&x), true);
	CHECK_EQ(co_chan_send(&words, &x), 0);
	CHECK_EQ(test_join(high), 3);
}

static struct co_a32 sum_in, sum_out;

/* Sends on one channel and receives on the other, whichever can be done. */
static intptr_t exchange(void *arg)
{
	uint64_t out = (uintptr_t)arg, in = 0;
	struct co_case cases[2] = { CO_CASE_SEND(&words, &out), CO_CASE_RECV(&back, &in) };
	int k, r;

	if (out % 2) {
		cases[0] = (struct co_case)CO_CASE_SEND(&back, &out);
		cases[1] = (struct co_case)CO_CASE_RECV(&words, &in);
	}
	for (;;) {
		k = co_select(cases, 2);
		REQUIRE(k >= 0);
		r = cases[k].result;
		if (r)
			return r;
		co_atomic_add(k ? &sum_in : &sum_out, (uint32_t)(k ? in : out), CO_RELAXED);
	}
}

static void stop_exchange(struct co *const *c, unsigned n)
{
	test_sleep_us(20000);
	co_chan_close(&words);
	co_chan_close(&back);
	test_join_all(c, n, -EPIPE);
	CHECK_EQ(co_atomic_load(&sum_in, CO_RELAXED), co_atomic_load(&sum_out, CO_RELAXED));
	CHECK(co_atomic_load(&sum_in, CO_RELAXED) != 0);
	REQUIRE_EQ(co_chan_init_as(&words, words_buffer, sizeof(words_buffer), 8, CO_RENDEZVOUS,
				   CO_CLAIM_DEFAULT),
		   0);
	REQUIRE_EQ(co_chan_init_as(&back, back_buffer, sizeof(back_buffer), 8, CO_RENDEZVOUS,
				   CO_CLAIM_DEFAULT),
		   0);
}

/* Each could send to the other as well as receive: they neither part nor hang. */
TEST(selects_that_could_meet_both_ways_meet_one_way)
{
	struct co *c[6];

	for (unsigned n = 2; n <= 6; n += 2) {
		co_atomic_store(&sum_in, 0, CO_RELAXED);
		co_atomic_store(&sum_out, 0, CO_RELAXED);
		for (uintptr_t i = 0; i < n; i++)
			c[i] = test_spawn_on(i % co_harts(), exchange, (void *)(i + 2));
		stop_exchange(c, n);
	}
}

/* Both ways on one channel: not with itself, but with another one. */
static intptr_t either_way(void *arg)
{
	uint64_t in = 0;
	struct co_case cases[] = { CO_CASE_SEND(&words, &(uint64_t){ 1 }),
				   CO_CASE_RECV(&words, &in) };
	int k = co_select_until(cases, 2, arg ? LONG_ENOUGH : co_after_us(300));

	return k < 0 ? k : (intptr_t)(10 * k + (int)in);
}

TEST(a_select_does_not_meet_itself)
{
	struct co *c[2];

	CHECK_EQ(either_way(NULL), -ETIMEDOUT);
	for (unsigned i = 0; i < 20; i++) {
		intptr_t got;

		c[0] = test_spawn_on(0, either_way, (void *)1);
		c[1] = test_spawn_on(co_harts() - 1, either_way, (void *)1);
		got = test_join(c[0]) + test_join(c[1]);
		CHECK_EQ(got, 11); /* one has received 1 by case 1, the other has sent */
	}
}

/* An element that a select was given is not lost to a deadline, a cancel or another case. */
static intptr_t select_shortly(void *arg)
{
	uint64_t x = 0;
	int n = 0;
	struct co_case cases[] = { CO_CASE_RECV(&words, &x), CO_CASE_RECV(&ready, &n) };
	int k = co_select_until(cases, 2, co_after_us((uintptr_t)arg));

	CHECK(k != 0 || x == 1);
	return k;
}

TEST(what_a_select_is_given_it_takes)
{
	for (unsigned round = 0; round < 200; round++) {
		struct co *c = test_spawn_on(round % co_harts(), select_shortly,
					     (void *)(uintptr_t)(round % 5 ? 30 : 2000));
		int r, n;
		intptr_t k;

		if (round % 2)
			REQUIRE(test_await_sleep(c));
		if (round % 3 == 0)
			REQUIRE_EQ(co_chan_try_send(&ready, &(int){ 1 }), 0);
		if (round % 4 == 0)
			co_cancel(c);
		r = co_chan_send_until(&words, &(uint64_t){ 1 }, co_after_us(20));
		k = test_join(c);
		CHECK_EQ(r == 0, k == 0);
		CHECK(k != 1 || round % 3 == 0);
		if (round % 3 == 0 && k != 1)
			CHECK_EQ(co_chan_try_recv(&ready, &n), 0);
	}
}
