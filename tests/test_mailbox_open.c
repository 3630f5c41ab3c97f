/* test_mailbox_open.c - any number of mailboxes over the queues, handlers, and select. */
#include "mailbox.h"

/* Any number of mailboxes. */
enum { BOXES = 40 };

static struct co_mailbox box[BOXES];
static uintptr_t storage[BOXES][CO_MAILBOX_WORDS(3, 4)];

TEST(many_mailboxes_share_a_queue)
{
	for (unsigned i = 0; i < BOXES; i++)
		REQUIRE_EQ(
			co_mailbox_open(&box[i], (int)i * 17, storage[i], CO_MAILBOX_WORDS(3, 4)),
			0);
	CHECK_EQ(co_mailbox_open(&box[1], 17, storage[1], 9), -EEXIST);
	CHECK_EQ(co_mail_bind(17), -EEXIST);
	for (unsigned n = 0; n < 4; n++)
		for (unsigned i = 0; i < BOXES; i++)
			CHECK_EQ(co_mail_send(0, (int)i * 17, (uintptr_t[]){ i, n, 3 }, 3), 0);
	CHECK_EQ(co_mailbox_close(&box[3]), -EBUSY);
	for (unsigned i = BOXES; i-- > 0;) {
		for (unsigned n = 0; n < 4; n++) {
			struct co_mail m;

			CHECK_EQ(co_mailbox_recv(&box[i], got, 2, NULL), -EMSGSIZE);
			CHECK_EQ(co_mailbox_recv(&box[i], got, 3, &m), 3);
			CHECK_EQ(got[0], i);
			CHECK_EQ(got[1], n);
			CHECK_EQ(m.tag, i * 17);
		}
		CHECK_EQ(co_mailbox_try_recv(&box[i], got, 3, NULL), -EAGAIN);
		CHECK_EQ(co_mailbox_recv_until(&box[i], got, 3, NULL, 0), -ETIMEDOUT);
		CHECK_EQ(co_mailbox_close(&box[i]), 0);
	}
	check_empty();
}

static uintptr_t seen, refused;

static void add_up(struct co_mailbox *b, const struct co_mail *m)
{
	uintptr_t w[2];

	CHECK(!co_self());
	co_mail_read(m, 1, w, 1);
	*(uintptr_t *)b->arg += w[0];
	/* It cannot wait, not even when it need not. */
	refused += co_mail_send(0, BLUE, w, 1) == -EDEADLK;
	refused += co_mail_recv(CO_MAIL_ANY, w, 2, NULL) == -EDEADLK;
	CHECK_EQ(co_mail_try_send(0, BLUE, w, 1), 0);
}

TEST(a_handler_runs_when_a_message_arrives)
{
	REQUIRE_EQ(co_mail_bind(BLUE), 0);
	for (unsigned bound = 0; bound < 2; bound++) {
		seen = refused = 0;
		if (bound)
			REQUIRE_EQ(co_mail_bind(RED), 0);
		REQUIRE_EQ(co_mailbox_handle(&box[0], RED, add_up, &seen), 0);
		for (uintptr_t i = 1; i <= 50; i++) {
			CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 0, i }, 2), 0);
			/* A scheduling point; with FAULTS=1 it may be a later one. */
			for (unsigned n = 0; n < 100 && (!n || seen != i * (i + 1) / 2); n++)
				co_pause();
			CHECK_EQ(seen, i * (i + 1) / 2);
			CHECK_EQ(co_mail_recv_until(BLUE, got, 1, NULL, LONG_ENOUGH), 1);
			CHECK_EQ(got[0], i);
		}
		CHECK_EQ(refused, 100);
		CHECK_EQ(co_mail_try_recv(CO_MAIL_ANY, got, 1, NULL), -EAGAIN);
		if (bound)
			CHECK_EQ(co_mail_unbind(RED), -EBUSY);
		CHECK_EQ(co_mailbox_close(&box[0]), 0);
		if (bound)
			CHECK_EQ(co_mail_unbind(RED), 0);
	}
	CHECK_EQ(co_mail_unbind(BLUE), 0);
	check_empty();
}

TEST(select_takes_from_tags_mailboxes_and_channels)
{
	CO_CHANNEL(numbers, int, 2);
	uintptr_t w[2];
	int x = 0;

	REQUIRE_EQ(co_mail_bind(RED), 0);
	REQUIRE_EQ(co_mailbox_open(&box[0], GREY, storage[0], 9), 0);
	struct co_mail_desc red = { .tag = RED, .words = w, .max = 2 };
	struct co_mail_desc grey = { .words = w, .max = 2 };
	struct co_case cases[] = { CO_CASE_MAIL(&red), CO_CASE_MAILBOX(&box[0], &grey),
				   CO_CASE_RECV(&numbers, &x) };

	for (uintptr_t i = 0; i < 30; i++) {
		struct co *co = NULL;

		if (i % 2) {
			co = test_spawn_on(co_harts() - 1, send_red, (void *)(i % 4 / 2 + 1));
			CHECK_EQ(co_select_until(cases, 3, LONG_ENOUGH), 0);
			CHECK_EQ(cases[0].result, i % 4 / 2 + 1);
			CHECK_EQ(red.mail.tag, RED);
			CHECK_EQ(test_join(co), 0);
		}
		if (i % 3 == 0)
			CHECK_EQ(co_mail_send(0, GREY, &i, 1), 0);
		else
			CHECK_EQ(co_chan_send(&numbers, &(int){ 5 }), 0);
		co_pause();
		CHECK_EQ(co_select_until(cases, 3, LONG_ENOUGH), i % 3 == 0 ? 1 : 2);
	}
	CHECK_EQ(co_select_until(cases, 3, co_after_us(300)), -ETIMEDOUT);
	struct co_mail_desc any = { .tag = CO_MAIL_ANY, .words = w, .max = 2 };
	struct co_case of_any[] = { CO_CASE_MAIL(&any), CO_CASE_RECV(&numbers, &x) };
	struct co *co = test_spawn_on(co_harts() - 1, send_red, TAG(2));

	CHECK_EQ(co_select_until(of_any, 2, LONG_ENOUGH), 0);
	CHECK_EQ(any.mail.tag, RED);
	CHECK_EQ(test_join(co), 0);
	CHECK_EQ(co_mailbox_close(&box[0]), 0);
	CHECK_EQ(co_mail_unbind(RED), 0);
	check_empty();
}

/* Two sides send more than a queue holds before they receive: mailboxes take it as it comes. */
static uintptr_t room_for_all[2][CO_MAILBOX_WORDS(4, 100)];

static intptr_t send_then_receive(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	const unsigned peer = me ? 0 : co_harts() - 1;
	struct co_mailbox *b = &box[me];

	REQUIRE_EQ(co_mailbox_open(b, RED + (int)me, room_for_all[me], CO_MAILBOX_WORDS(4, 100)),
		   0);
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	REQUIRE(test_await(&at_work, 2));
	for (uintptr_t i = 0; i < 100; i++) {
		uintptr_t w[4] = { i, i, i, i };

		REQUIRE_EQ(co_mail_send_until(peer, RED + 1 - (int)me, w, 4, LONG_ENOUGH), 0);
	}
	for (uintptr_t i = 0; i < 100; i++) {
		uintptr_t w[4];

		REQUIRE_EQ(co_mailbox_recv_until(b, w, 4, NULL, LONG_ENOUGH), 4);
		CHECK_EQ(w[3], i);
	}
	return co_mailbox_close(b);
}

TEST(two_sides_may_send_to_each_other_first)
{
	struct co *other;

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	other = test_spawn_on(co_harts() - 1, send_then_receive, (void *)(uintptr_t)1);
	CHECK_EQ(send_then_receive(NULL), 0);
	CHECK_EQ(test_join(other), 0);
}

static int answers[2];

static void waits_in_vain(struct co_mailbox *b, const struct co_mail *m)
{
	uintptr_t w[1];

	co_waypoint("nobody's");  /* a handler is no coroutine */
	co_mail_read(m, 0, w, 0); /* nothing of it is wanted */
	answers[0] = co_mailbox_recv_until(&box[1], w, 1, NULL, LONG_ENOUGH);
	answers[1] = co_mailbox_try_recv(&box[1], w, 1, NULL);
}

TEST(a_handler_takes_from_a_mailbox_but_does_not_wait_there)
{
	answers[0] = answers[1] = 0;
	REQUIRE_EQ(co_mailbox_handle(&box[0], RED, waits_in_vain, NULL), 0);
	REQUIRE_EQ(co_mailbox_open(&box[1], BLUE, storage[1], CO_MAILBOX_WORDS(3, 4)), 0);
	CHECK_EQ(co_mail_send(0, BLUE, (uintptr_t[]){ 1, 2 }, 1), 0);
	CHECK_EQ(co_mailbox_recv_until(&box[1], got, 1, NULL, LONG_ENOUGH), 1);
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 9 }, 1), 0);
	for (unsigned n = 0; n < 100 && !answers[0]; n++)
		co_pause();
	CHECK_EQ(answers[0], -EDEADLK);
	CHECK_EQ(answers[1], -EAGAIN);
	/* What lies in it is not lost by a close. */
	CHECK_EQ(co_mail_send(0, BLUE, (uintptr_t[]){ 3 }, 1), 0);
	for (unsigned n = 0; n < 100; n++)
		co_pause();
	CHECK_EQ(co_mailbox_close(&box[1]), -EBUSY);
	CHECK_EQ(co_mailbox_try_recv(&box[1], got, 1, NULL), 1);
	CHECK_EQ(got[0], 3);
	CHECK_EQ(co_mailbox_close(&box[1]), 0);
	CHECK_EQ(co_mailbox_close(&box[0]), 0);
	check_empty();
}

/* Receives a word into got[]. */
BODY(receive_grey, co_mailbox_recv_until(arg, got, 1, NULL, LONG_ENOUGH))

TEST(a_mailbox_where_somebody_waits_stays_open_and_keeps_his_turn)
{
	uintptr_t taken[1];
	struct co *c;

	REQUIRE_EQ(co_mailbox_open(&box[0], GREY, storage[0], CO_MAILBOX_WORDS(3, 4)), 0);
	c = test_sleeper(0, receive_grey, &box[0]);
	CHECK_EQ(co_mailbox_close(&box[0]), -EBUSY);
	/* It is woken for a message that another one takes before it runs, and waits again. */
	CHECK_EQ(co_mail_send(0, GREY, (uintptr_t[]){ 4 }, 1), 0);
	while (co_mailbox_try_recv(&box[0], taken, 1, NULL) != 1)
		;
	CHECK_EQ(taken[0], 4);
	test_sleep_us(1000);
	CHECK_EQ(co_mailbox_close(&box[0]), -EBUSY);
	CHECK_EQ(co_mail_send(0, GREY, (uintptr_t[]){ 5 }, 1), 0);
	CHECK_EQ(test_join(c), 1);
	CHECK_EQ(got[0], 5);
	CHECK_EQ(co_mailbox_close(&box[0]), 0);
	check_empty();
}

static struct co_a32 served;

static void serve_green(struct co_mailbox *b, const struct co_mail *m)
{
	co_mail_read(m, 0, b->arg, 1);
	co_atomic_add(&served, 1, CO_RELEASE); /* paired with test_await() */
}

/* One message: out of a mailbox, or of the catch-all queue. */
static intptr_t take_one(void *arg)
{
	uintptr_t w[1] = { 0 };
	int r = arg ? co_mailbox_recv_until(arg, w, 1, NULL, LONG_ENOUGH)
		    : co_mail_recv_until(CO_MAIL_OTHER, w, 1, NULL, LONG_ENOUGH);

	co_atomic_add(&served, 1, CO_RELEASE); /* paired with test_await() */
	return r == 1 ? (intptr_t)w[0] : r;
}

/* Three wait for messages of the same queue, then a function takes some, too. */
static intptr_t wait_by_turns(void *arg)
{
	struct co_mailbox *const in[] = { &box[0], &box[1], NULL };
	uintptr_t green = 0;
	struct co *c[3];

	REQUIRE_EQ(co_mailbox_open(in[0], RED, storage[0], CO_MAILBOX_WORDS(1, 2)), 0);
	REQUIRE_EQ(co_mailbox_open(in[1], BLUE, storage[1], CO_MAILBOX_WORDS(1, 2)), 0);
	for (unsigned i = 0; i < 3; i++)
		c[i] = test_sleeper(co_hart(), take_one, in[i]);
	REQUIRE_EQ(co_mailbox_handle(&box[2], GREEN, serve_green, &green), 0);
	co_atomic_store(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(test_join(c[i]), 10 + i);
	CHECK_EQ(green, 20);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_mailbox_close(&box[i]), 0);
	check_empty();
	return 0;
}

TEST(who_waits_first_hands_out_what_comes_for_others)
{
	static const struct {
		int tag;
		uintptr_t word;
	} sent[] = { { GREEN, 20 }, { GREY, 12 }, { BLUE, 11 }, { RED, 10 } };
	struct co *c;

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes both */
	co_atomic_store(&served, 0, CO_RELAXED);
	c = test_spawn_on(co_harts() - 1, wait_by_turns, NULL);
	test_await(&at_work, 1);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_EQ(co_mail_send(co_harts() - 1, sent[i].tag, &sent[i].word, 1), 0);
		test_await(&served, i + 1);
	}
	CHECK_EQ(test_join(c), 0);
}

/* The first of two that wait gives up: what comes then is the other's. After it nobody waits. */
TEST(who_waits_second_is_served_when_the_first_gives_up)
{
	struct co *c;

	REQUIRE_EQ(co_mailbox_open(&box[0], RED, storage[0], CO_MAILBOX_WORDS(1, 2)), 0);
	c = test_spawn_on(0, take_one, &box[0]);
	CHECK_EQ(co_mailbox_recv_until(&box[0], got, 1, NULL, co_after_us(2000)), -ETIMEDOUT);
	test_await_sleep(c);
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 5 }, 1), 0);
	CHECK_EQ(test_join(c), 5);
	CHECK_EQ(co_mail_send(0, RED, (uintptr_t[]){ 6 }, 1), 0);
	CHECK_EQ(co_mailbox_recv_until(&box[0], got, 1, NULL, LONG_ENOUGH), 1);
	CHECK_EQ(got[0], 6);
	CHECK_EQ(co_mailbox_close(&box[0]), 0);
	check_empty();
}
