/*
 * test_mailbox_progress.c - mailboxes are filled while their hart computes (seed C6).
 */
#include "mailbox.h"

enum { WORDS = 4096, MANY = WORDS / 3 };

static uintptr_t storage[WORDS], more[WORDS];
static struct co_mailbox box, other;
static struct co_a32 computing, sent;

/* A loop without a scheduling point, until all is sent, or too long. */
static bool compute(uint32_t until)
{
	uint64_t give_up = co_after_us(20000000);

	co_atomic_store(&computing, 1, CO_RELEASE);
	while (co_atomic_load(&sent, CO_ACQUIRE) < until && co_now() < give_up)
		;
	return co_atomic_load(&sent, CO_RELAXED) >= until;
}

/* The last hart; there must be another one, and an alarm. */
static unsigned receiver(void)
{
	int r = co_mail_progress(false);

	CHECK(r == 0 || r == -ENOTSUP);
	if (r)
		SKIP("this board has no alarms");
	if (co_harts() < 2)
		SKIP("it takes a hart that computes and one that sends");
	co_atomic_store(&computing, 0, CO_RELAXED);
	co_atomic_store(&sent, 0, CO_RELAXED);
	return co_harts() - 1;
}

/* Send the numbers from..from+n-1 in messages of two words, none of which is refused for long. */
static void send_numbers(unsigned hart, unsigned from, unsigned n)
{
	uint64_t deadline = co_after_us(15000000);

	CHECK(test_await(&computing, 1));
	for (unsigned i = from; i < from + n; i++)
		REQUIRE_EQ(co_mail_send_until(hart, RED, (uintptr_t[]){ i, ~(uintptr_t)i }, 2,
					      deadline),
			   0);
}

/* All of them, to one that computes so. */
static void send_all_to(co_fn *fn, void *arg)
{
	unsigned hart = receiver();
	struct co *c = test_spawn_on(hart, fn, arg);

	send_numbers(hart, 0, MANY);
	co_atomic_store(&sent, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 0);
}

static void receive_numbers(unsigned from, unsigned n)
{
	for (unsigned i = from; i < from + n; i++) {
		CHECK_EQ(co_mailbox_recv_until(&box, got, 2, NULL, LONG_ENOUGH), 2);
		CHECK_EQ(got[0], i);
		CHECK_EQ(got[1], ~(uintptr_t)i);
	}
}

static void open_box(bool bound)
{
	if (bound)
		REQUIRE_EQ(co_mail_bind(RED), 0);
	REQUIRE_EQ(co_mailbox_open(&box, RED, storage, WORDS), 0);
	REQUIRE_EQ(co_mail_progress(true), 0);
}

static void close_box(bool bound)
{
	CHECK_EQ(co_mail_progress(false), 0);
	CHECK_EQ(co_mailbox_close(&box), 0);
	if (bound)
		CHECK_EQ(co_mail_unbind(RED), 0);
}

/* arg: is the tag bound? */
static intptr_t computes(void *arg)
{
	open_box(arg != NULL);
	CHECK(compute(1));
	receive_numbers(0, MANY);
	CHECK_EQ(co_mailbox_try_recv(&box, got, 2, NULL), -EAGAIN);
	close_box(arg != NULL);
	return 0;
}

TEST(c6_a_receiver_in_a_long_loop_refuses_no_sender_and_loses_nothing)
{
	send_all_to(computes, NULL);
	send_all_to(computes, "bound");
}

static intptr_t computes_alone(void *arg)
{
	REQUIRE_EQ(co_mailbox_open(&box, RED, storage, WORDS), 0);
	CHECK(compute(1));
	receive_numbers(0, CO_MAIL_WORDS / 2);
	CHECK_EQ(co_mailbox_close(&box), 0);
	return (intptr_t)arg;
}

/* What the others are to be compared with. */
TEST(without_progress_a_queue_takes_what_it_has_room_for)
{
	unsigned hart = receiver();
	struct co *c = test_spawn_on(hart, computes_alone, NULL);

	send_numbers(hart, 0, CO_MAIL_WORDS / 2);
	CHECK_EQ(co_mail_try_send(hart, RED, (uintptr_t[]){ 0, 0 }, 2), -EAGAIN);
	CHECK_EQ(co_mail_send_until(hart, RED, (uintptr_t[]){ 0, 0 }, 2, co_after_us(20000)),
		 -ETIMEDOUT);
	co_atomic_store(&sent, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 0);
}

/* Another coroutine waits in the mailbox meanwhile: it leads. */
static intptr_t waits_for_all(void *arg)
{
	receive_numbers(0, MANY);
	return (intptr_t)arg;
}

static intptr_t computes_beside_one_that_waits(void *arg)
{
	struct co *c;

	open_box(false);
	c = test_sleeper(co_hart(), waits_for_all, NULL);
	CHECK(compute(1));
	CHECK_EQ(test_join(c), 0);
	close_box(false);
	return (intptr_t)arg;
}

TEST(one_that_waits_in_the_mailbox_gets_all_after_the_loop)
{
	send_all_to(computes_beside_one_that_waits, NULL);
}

/* A mailbox that is full, and one with a function: they keep what is behind them in the queue. */
static unsigned handled;

static void count_handled(struct co_mailbox *b, const struct co_mail *m)
{
	CHECK(!co_self());
	handled++;
}

static intptr_t computes_with_a_handler(void *arg)
{
	handled = 0;
	REQUIRE_EQ(co_mailbox_handle(&other, BLUE, count_handled, NULL), 0);
	open_box(true);
	CHECK(compute(1));
	CHECK_EQ(handled, 0); /* not in the loop */
	receive_numbers(0, MANY);
	for (unsigned n = 0; n < 100 && handled < 10; n++)
		co_pause();
	CHECK_EQ(handled, 10);
	CHECK_EQ(co_mailbox_close(&other), 0);
	close_box(true);
	return (intptr_t)arg;
}

TEST(handlers_do_not_run_in_the_loop)
{
	unsigned hart = receiver();
	struct co *c = test_spawn_on(hart, computes_with_a_handler, NULL);

	CHECK(test_await(&computing, 1));
	for (unsigned i = 0; i < 10; i++)
		CHECK_EQ(co_mail_send(hart, BLUE, (uintptr_t[]){ i }, 1), 0);
	send_numbers(hart, 0, MANY);
	co_atomic_store(&sent, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 0);
}

/* The mailbox holds that many, its queue the next. */
static intptr_t computes_with_little_room(void *arg)
{
	REQUIRE_EQ(co_mailbox_open(&box, RED, storage, 3 * 100), 0);
	CHECK_EQ(co_mail_progress(true), 0);
	CHECK(compute(1));
	receive_numbers(0, 100 + CO_MAIL_WORDS / 2);
	close_box(false);
	return (intptr_t)arg;
}

TEST(a_mailbox_that_is_full_holds_its_senders_up)
{
	unsigned hart = receiver();
	struct co *c = test_spawn_on(hart, computes_with_little_room, NULL);

	send_numbers(hart, 0, 100 + CO_MAIL_WORDS / 2);
	CHECK_EQ(co_mail_send_until(hart, RED, (uintptr_t[]){ 0, 0 }, 2, co_after_us(20000)),
		 -ETIMEDOUT);
	co_atomic_store(&sent, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 0);
}

/* In calls of the C library and of the runtime, with sums of doubles between: all as if alone. */
static intptr_t computes_by_calls(void *arg)
{
	static char from[600], to[600];
	uint64_t give_up = co_after_us(20000000);
	double sum = 0, want = 0;
	unsigned n = 0;

	REQUIRE_EQ(co_mailbox_open(&other, BLUE, more, WORDS), 0);
	open_box(false);
	co_atomic_store(&computing, 1, CO_RELEASE);
	while (!co_atomic_load(&sent, CO_ACQUIRE) && co_now() < give_up) {
		void *block = co_spm_alloc(64, 16);

		memset(from, (int)n, sizeof(from));
		memcpy(to, from, sizeof(to));
		CHECK(!memcmp(to, from, sizeof(to)));
		co_spm_free(block);
		n = n < 1000 ? n + 1 : 0;
		for (unsigned i = 0; i < 100; i++)
			sum += 0.5 * i;
		want += 2475;
		/* To itself, too: the queue's other side. */
		if (n % 50 == 0)
			CHECK(co_mail_try_send(co_hart(), BLUE, (uintptr_t[]){ n }, 1) <= 0);
	}
	CHECK(sum == want);
	while (co_mailbox_try_recv(&other, got, 1, NULL) == 1)
		;
	receive_numbers(0, MANY);
	while (co_mailbox_try_recv(&other, got, 1, NULL) == 1)
		;
	CHECK_EQ(co_mailbox_close(&other), 0);
	close_box(false);
	return (intptr_t)arg;
}

TEST(a_loop_of_calls_is_stopped_between_them)
{
	send_all_to(computes_by_calls, NULL);
}

/* Two senders, whose messages stay in their order; the receiver takes some in between. */
static intptr_t sends_half(void *arg)
{
	unsigned hart = co_harts() - 1, from = (unsigned)(uintptr_t)arg;

	send_numbers(hart, from, MANY / 2);
	co_atomic_add(&sent, 1, CO_RELEASE);
	return 0;
}

static intptr_t computes_and_receives(void *arg)
{
	unsigned next[2] = { 0, MANY };
	uint64_t give_up = co_after_us(20000000);

	open_box(false);
	for (unsigned n = 0; n < MANY / 2 * 2 && co_now() < give_up; n++) {
		unsigned which;

		(void)compute(co_atomic_load(&sent, CO_RELAXED)); /* a moment */
		REQUIRE_EQ(co_mailbox_recv_until(&box, got, 2, NULL, LONG_ENOUGH), 2);
		which = got[0] >= MANY;
		CHECK_EQ(got[0], next[which]++);
		for (unsigned i = 0; i < 200; i++)
			__asm__ volatile("");
	}
	CHECK_EQ(next[0] + next[1], MANY + MANY / 2 * 2);
	close_box(false);
	return (intptr_t)arg;
}

TEST(messages_of_each_sender_stay_in_order_between_loops)
{
	unsigned hart = receiver();
	struct co *c = test_spawn_on(hart, computes_and_receives, NULL);
	struct co *a = test_spawn_on(0, sends_half, NULL);
	struct co *b = test_spawn_on(hart > 1 ? 1 : 0, sends_half, (void *)(uintptr_t)MANY);

	CHECK_EQ(test_join(a), 0);
	CHECK_EQ(test_join(b), 0);
	CHECK_EQ(test_join(c), 0);
}

static intptr_t receive_all(void *arg)
{
	uint32_t *n = arg;

	open_box(true);
	while (co_mailbox_recv(&box, got, 2, NULL) > 0)
		++*n;
	REQUIRE_EQ(co_mail_progress(false), 0);
	return 0;
}

/* A receiver that has been woken and sleeps again is rung once more, by the next sender alone. */
TEST(a_hart_that_waits_for_mail_is_left_asleep)
{
	static uint32_t n;
	unsigned hart = receiver();
	struct co_a32 *epoch = &co_hart_at(hart)->inbox.epoch;
	struct co *c = test_spawn_on(hart, receive_all, &n);
	uint32_t before;

	n = 0;
	for (unsigned i = 0; i < 3; i++) {
		test_sleep_us(5000);
		REQUIRE_EQ(co_mail_send(hart, RED, (uintptr_t[]){ 1 }, 1), 0);
	}
	test_sleep_us(5000);
	before = co_atomic_load(epoch, CO_RELAXED);
	test_sleep_us(100000);
	CHECK(co_atomic_load(epoch, CO_RELAXED) - before < 20);
	co_cancel(c);
	test_join(c);
	CHECK_EQ(n, 3);
}
