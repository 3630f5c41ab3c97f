/* test_signal.c - each that is sent is received once. */
#include "harness/test.h"
#include "queue.h"

enum { MOST = 512 };

static struct co_signal a, b;
static struct co_signal *const either[] = { &a, &b };
static struct co *c[MOST];

TEST(what_is_sent_before_the_wait_is_kept_and_counted)
{
	struct co_signal s = { 0 };

	CHECK_EQ(co_signal_try_wait(&s), -EAGAIN);
	for (unsigned i = 0; i < 3; i++)
		co_signal_send(&s);
	CHECK_EQ(co_signal_count(&s), 3);
	CHECK_EQ(co_signal_wait(&s), 0);
	CHECK_EQ(co_signal_wait_until(&s, 0), 0);
	CHECK_EQ(co_signal_try_wait(&s), 0);
	CHECK_EQ(co_signal_wait_until(&s, 0), -ETIMEDOUT);
	CHECK_EQ(co_signal_wait_until(&s, co_after_us(300)), -ETIMEDOUT);
}

TEST(what_is_dropped_or_broadcast_to_nobody_is_gone)
{
	struct co_signal s = { 0 };

	co_signal_send(&s);
	co_signal_send(&s);
	CHECK_EQ(co_signal_drop(&s), 2);
	CHECK_EQ(co_signal_drop(&s), 0);
	CHECK_EQ(co_signal_broadcast(&s), 0);
	CHECK_EQ(co_signal_count(&s), 0);
	CHECK_EQ(co_signal_try_wait(&s), -EAGAIN);
}

static intptr_t wait_a(void *arg)
{
	uint64_t us = (uintptr_t)arg;

	return co_signal_wait_until(&a, us ? co_after_us(us) : LONG_ENOUGH);
}

static intptr_t wait_either(void *arg)
{
	uint64_t us = (uintptr_t)arg;

	return co_signal_wait_any_until(either, 2, us ? co_after_us(us) : LONG_ENOUGH);
}

TEST(a_broadcast_reaches_all_who_wait)
{
	const unsigned n = co_harts();

	for (unsigned h = 0; h < n; h++)
		c[h] = test_spawn_on(h, h % 2 ? wait_either : wait_a, NULL);
	queue_await(&a.queue, n);
	CHECK_EQ(co_signal_broadcast(&a), n);
	test_join_all(c, n, 0);
	CHECK_EQ(co_signal_count(&a), 0);
}

TEST(one_that_is_sent_goes_to_the_longest_waiter)
{
	for (unsigned i = 0; i < 6; i++) {
		c[i] = test_spawn_on(i * 5 % co_harts(), wait_a, NULL);
		queue_await(&a.queue, i + 1);
	}
	for (unsigned i = 0; i < 6; i++) {
		co_signal_send(&a);
		CHECK_EQ(test_join(c[i]), 0);
		CHECK_EQ(co_waitq_count(&a.queue), 5 - i);
	}
}

TEST(any_of_several_tells_which)
{
	CHECK_EQ(co_signal_wait_any_until(either, 2, 0), -ETIMEDOUT);
	CHECK_EQ(co_signal_wait_any_until(either, 2, co_after_us(300)), -ETIMEDOUT);
	co_signal_send(&b);
	CHECK_EQ(co_signal_wait_any(either, 2), 1);
	co_signal_send(&b);
	co_signal_send(&a);
	CHECK_EQ(co_signal_wait_any(either, 2), 0);
	CHECK_EQ(co_signal_wait_any(either, 2), 1);
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		struct co *co = test_spawn_on(h, wait_either, NULL);

		queue_await(&b.queue, 1);
		co_signal_send(&b);
		CHECK_EQ(test_join(co), 1);
		CHECK_EQ(co_signal_count(&a) + co_signal_count(&b), 0);
	}
}

TEST(those_who_give_up_take_none)
{
	struct co *impatient = test_spawn_on(co_harts() - 1, wait_either, (void *)300);
	struct co *cancelled = test_spawn_on(co_harts() - 1, wait_either, NULL);
	struct co *cancelled_too = test_spawn_on(0, wait_a, NULL);

	CHECK_EQ(test_join(impatient), -ETIMEDOUT);
	queue_await(&a.queue, 2);
	co_cancel(cancelled);
	co_cancel(cancelled_too);
	CHECK_EQ(test_join(cancelled), -ECANCELED);
	CHECK_EQ(test_join(cancelled_too), -ECANCELED);
	co_signal_send(&a);
	co_signal_send(&b);
	CHECK_EQ(co_signal_drop(&a), 1);
	CHECK_EQ(co_signal_drop(&b), 1);
}
