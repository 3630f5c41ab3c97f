/* test_mailbox.c - the queues: tags, sizes, room, waiting. */
#include "mailbox.h"

static intptr_t send_to_zero(void *arg)
{
	uintptr_t w[3] = { co_hart(), 2, 3 };

	return co_mail_send(0, RED, w, 3);
}

TEST(a_message_comes_with_its_size_sender_and_tag)
{
	REQUIRE_EQ(co_mail_bind(RED), 0);
	for (unsigned h = 0; h < co_harts(); h++) {
		struct co_mail m;

		CHECK_EQ(test_join(test_spawn_on(h, send_to_zero, NULL)), 0);
		CHECK_EQ(co_mail_recv(RED, got, 3, &m), 3);
		CHECK_EQ(m.size, 3);
		CHECK_EQ(m.sender, h);
		CHECK_EQ(m.tag, RED);
		CHECK_EQ(got[0], h);
		CHECK_EQ(got[2], 3);
	}
	CHECK_EQ(co_mail_unbind(RED), 0);
	check_empty();
}

TEST(what_is_sent_later_comes_later_whoever_sends)
{
	const unsigned n = co_harts();

	for (unsigned first = 0; first < n && first < 8; first++) {
		for (unsigned then = 0; then < n && then < 8; then++) {
			CHECK_EQ(test_join(test_spawn_on(first, send_to_zero, NULL)), 0);
			CHECK_EQ(test_join(test_spawn_on(then, send_to_zero, NULL)), 0);
			CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, got, 3, NULL), 3);
			CHECK_EQ(got[0], first);
			CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, got, 3, NULL), 3);
			CHECK_EQ(got[0], then);
		}
	}
	check_empty();
}

TEST(every_size_arrives_whole)
{
	static uintptr_t in[CO_MAIL_WORDS];

	for (unsigned n = 1; n <= CO_MAIL_WORDS; n++) {
		fill(in, n, n);
		memset(got, 0x55, sizeof(got));
		CHECK_EQ(co_mail_send(0, STRANGE, in, n), 0);
		CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, got, CO_MAIL_WORDS, NULL), n);
		CHECK(filled(got, n, n));
		CHECK_EQ(got[n], (uintptr_t)0x5555555555555555);
	}
}

TEST(a_buffer_that_is_too_small_leaves_the_message)
{
	got[0] = 1;
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 4, 5 }, 2), 0);
	CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, got, 1, NULL), -EMSGSIZE);
	CHECK_EQ(got[0], 1);
	CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, got, 2, NULL), 2);
	CHECK_EQ(got[1], 5);
}

TEST(four_tags_have_a_queue_of_their_own)
{
	CHECK_EQ(co_mail_bind(0), 0);
	CHECK_EQ(co_mail_bind(CO_MAIL_TAG_MAX), 0);
	CHECK_EQ(co_mail_bind(BLUE), 0);
	CHECK_EQ(co_mail_bind(BLUE), -EEXIST);
	CHECK_EQ(co_mail_bind(RED), 0);
	CHECK_EQ(co_mail_bind(GREEN), -EBUSY);
	CHECK_EQ(co_mail_unbind(GREEN), -ENOENT);
	CHECK_EQ(co_mail_unbind(CO_MAIL_OTHER), -ENOENT);
	CHECK_EQ(co_mail_send(0, CO_MAIL_TAG_MAX, (uintptr_t[]){ 6 }, 1), 0);
	CHECK_EQ(co_mail_unbind(CO_MAIL_TAG_MAX), -EBUSY);
	CHECK_EQ(co_mail_recv(CO_MAIL_TAG_MAX, got, 1, NULL), 1);
	CHECK_EQ(co_mail_unbind(CO_MAIL_TAG_MAX), 0);
	CHECK_EQ(co_mail_bind(GREEN), 0);
	CHECK_EQ(co_mail_unbind(0), 0);
	CHECK_EQ(co_mail_unbind(BLUE), 0);
	CHECK_EQ(co_mail_unbind(RED), 0);
	CHECK_EQ(co_mail_unbind(GREEN), 0);
}

TEST(messages_are_sorted_by_tag)
{
	static const int sent[] = { STRANGE, BLUE, RED, GREY };
	/* From which queue, and which of those that were sent. */
	static const int taken[][2] = {
		{ RED, 2 }, { BLUE, 1 }, { CO_MAIL_OTHER, 0 }, { CO_MAIL_OTHER, 3 }
	};
	struct co_mail m;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	REQUIRE_EQ(co_mail_bind(BLUE), 0);
	for (uintptr_t i = 0; i < 4; i++)
		CHECK_EQ(co_mail_send(0, sent[i], &i, 1), 0);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_EQ(co_mail_recv(taken[i][0], got, 1, &m), 1);
		CHECK_EQ(got[0], taken[i][1]);
		CHECK_EQ(m.tag, sent[taken[i][1]]);
	}
	CHECK_EQ(co_mail_try_recv(RED, got, 1, &m), -EAGAIN);
	CHECK_EQ(co_mail_unbind(RED), 0);
	CHECK_EQ(co_mail_unbind(BLUE), 0);
	check_empty();
}

TEST(any_takes_from_each_queue_in_turn)
{
	unsigned red = 0;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	for (unsigned i = 0; i < 20; i++) {
		CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ i }, 1), 0);
		CHECK_EQ(co_mail_send(0, STRANGE, (uintptr_t[]){ i }, 1), 0);
	}
	for (unsigned i = 0; i < 40; i++) {
		struct co_mail m;

		CHECK_EQ(co_mail_recv(CO_MAIL_ANY, got, 1, &m), 1);
		red += m.tag == RED;
		CHECK(red >= i / 2 && red <= i / 2 + 1);
	}
	CHECK_EQ(red, 20);
	CHECK_EQ(co_mail_unbind(RED), 0);
}

TEST(a_full_queue_refuses_its_own_senders_alone)
{
	REQUIRE_EQ(co_mail_bind(RED), 0);
	for (unsigned i = 0; i < CO_MAIL_WORDS; i++)
		CHECK_EQ(co_mail_try_send(0, RED, (uintptr_t[]){ i }, 1), 0);
	CHECK_EQ(co_mail_try_send(0, RED, got, 1), -EAGAIN);
	CHECK_EQ(co_mail_send_until(0, RED, got, 1, 0), -ETIMEDOUT);
	CHECK_EQ(co_mail_send_until(0, RED, got, 1, co_after_us(300)), -ETIMEDOUT);
	CHECK_EQ(co_mail_try_send(0, STRANGE, got, 1), 0);
	CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, got, 1, NULL), 1);
	for (unsigned i = 0; i < CO_MAIL_WORDS; i++) {
		CHECK_EQ(co_mail_recv(RED, got, 1, NULL), 1);
		CHECK_EQ(got[0], i);
	}
	CHECK_EQ(co_mail_unbind(RED), 0);
}

static void send_red_whole(void)
{
	fill(got, CO_MAIL_WORDS, 1);
	REQUIRE_EQ(co_mail_bind(RED), 0);
	CHECK_EQ(co_mail_try_send(0, RED, got, CO_MAIL_WORDS), 0);
}

TEST(senders_wait_for_room_first_come_first_served)
{
	/* No two of them fit together: those that get in together may arrive in any order. */
	const unsigned size[] = { 100, 66, 68, 65, 128, 67 };
	struct co *co[6];

	send_red_whole();
	for (unsigned i = 0; i < 6; i++)
		co[i] = start_on(i % co_harts(), send_red, (void *)(uintptr_t)size[i]);
	CHECK_EQ(co_mail_recv(RED, got, CO_MAIL_WORDS, NULL), CO_MAIL_WORDS);
	for (unsigned i = 0; i < 6; i++) {
		CHECK_EQ(co_mail_recv(RED, got, CO_MAIL_WORDS, NULL), size[i]);
		CHECK_EQ(got[size[i] - 1], size[i]);
	}
	test_join_all(co, 6, 0);
	CHECK_EQ(co_mail_unbind(RED), 0);
}

TEST(a_large_message_is_not_overtaken_by_small_ones)
{
	struct co *co;

	send_red_whole();
	co = start_on(co_harts() - 1, send_red, (void *)(uintptr_t)128);
	CHECK_EQ(co_mail_try_send(0, RED, got, 1), -EAGAIN);
	CHECK_EQ(co_mail_recv(RED, got, CO_MAIL_WORDS, NULL), CO_MAIL_WORDS);
	/* The room is that one's who waits, the moment it is free. */
	CHECK_EQ(co_mail_try_send(0, RED, got, 1), -EAGAIN);
	CHECK_EQ(co_mail_recv(RED, got, CO_MAIL_WORDS, NULL), 128);
	CHECK_EQ(test_join(co), 0);
	CHECK_EQ(co_mail_unbind(RED), 0);
}

TEST(a_cancelled_sender_leaves_its_turn_to_the_next)
{
	struct co *large, *small;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	CHECK_EQ(co_mail_try_send(0, RED, got, 100), 0);
	large = start_on(co_harts() - 1, send_red, (void *)(uintptr_t)100);
	small = start_on(0, send_red, (void *)(uintptr_t)5); /* fits, but it is not its turn */
	test_cancel(large);
	CHECK_EQ(test_join(small), 0);
	CHECK_EQ(co_mail_recv(RED, got, CO_MAIL_WORDS, NULL), 100);
	CHECK_EQ(co_mail_recv(RED, got, CO_MAIL_WORDS, NULL), 5);
	CHECK_EQ(co_mail_unbind(RED), 0);
}

static intptr_t answer(void *arg)
{
	uintptr_t w[2];
	struct co_mail m;
	int r;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	r = co_mail_recv_until(RED, w, 2, &m, LONG_ENOUGH);
	CHECK_EQ(r, 2);
	w[1]++;
	CHECK_EQ(co_mail_send(m.sender, BLUE, w, 2), 0);
	return co_mail_unbind(RED);
}

TEST(a_receiver_waits_for_a_message)
{
	REQUIRE_EQ(co_mail_bind(BLUE), 0);
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 5 + 1) {
		struct co *co = start_on(h, answer, NULL);

		CHECK_EQ(co_mail_send(h, RED, (uintptr_t[]){ h, 5 }, 2), 0);
		CHECK_EQ(co_mail_recv_until(BLUE, got, 2, NULL, LONG_ENOUGH), 2);
		CHECK_EQ(got[0], h);
		CHECK_EQ(got[1], 6);
		CHECK_EQ(test_join(co), 0);
	}
	CHECK_EQ(co_mail_recv_until(BLUE, got, 2, NULL, 0), -ETIMEDOUT);
	CHECK_EQ(co_mail_recv_until(BLUE, got, 2, NULL, co_after_us(300)), -ETIMEDOUT);
	CHECK_EQ(co_mail_recv_until(CO_MAIL_ANY, got, 2, NULL, co_after_us(300)), -ETIMEDOUT);
	CHECK_EQ(co_mail_unbind(BLUE), 0);
	check_empty();
}

/* Wait on hart 0 for a message of the tag that the argument says. */
static intptr_t recv_one(void *arg)
{
	uintptr_t w = 0;
	int r;

	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	r = co_mail_recv_until((int)(intptr_t)arg, &w, 1, NULL, LONG_ENOUGH);
	return r < 0 ? r : (intptr_t)w;
}

TEST(many_receivers_of_a_hart_get_a_message_each)
{
	/* Whom to wait for besides any, and where messages go: two tags, or one. */
	static const int tags[2][3] = { { RED, RED, RED }, { CO_MAIL_OTHER, BLUE, GREY } };
	struct co *co[9];
	intptr_t sum = 0;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 9; i++)
			co[i] = start_on(0, recv_one, TAG(i % 2 ? tags[round][0] : CO_MAIL_ANY));
		for (unsigned i = 0; i < 9; i++)
			CHECK_EQ(co_mail_send(0, tags[round][i % 3 ? 2 : 1],
					      (uintptr_t[]){ 1u << i }, 1),
				 0);
		for (unsigned i = 0; i < 9; i++)
			sum += test_join(co[i]);
		CHECK_EQ(sum, 511 * (round + 1));
	}
	CHECK_EQ(co_mail_unbind(RED), 0);
}

TEST(a_cancelled_receiver_leaves_its_message_to_the_next)
{
	struct co *first, *second, *any;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	first = start_on(0, recv_one, TAG(RED));
	second = start_on(0, recv_one, TAG(RED));
	any = start_on(0, recv_one, TAG(CO_MAIL_ANY));
	CHECK_EQ(co_mail_unbind(RED), -EBUSY);
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 1 }, 1), 0);
	co_cancel(first);
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 2 }, 1), 0);
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 4 }, 1), 0);
	intptr_t a = test_join(first), b = test_join(second), c = test_join(any);

	CHECK(a == 1 || a == -ECANCELED);
	if (a == -ECANCELED)
		CHECK_EQ(co_mail_recv(RED, got, 1, NULL), 1);
	CHECK_EQ((a > 0 ? a : (intptr_t)got[0]) + b + c, 7);
	CHECK_EQ(co_mail_unbind(RED), 0);
}
