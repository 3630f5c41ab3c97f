/* test_wait.c - the one way to wait: no wake-up is lost, none is given twice. */
#include <hal/cpu.h>

#include "../runtime/core/lf/waitq.h"
#include "harness/test.h"

/* The smallest object to wait on, a semaphore: tokens are added and taken, never conjured up. */
struct semaphore {
	struct co_a32 tokens;
	struct co_waitq queue;
};

static bool take(struct semaphore *s)
{
	/* Sequentially consistent: the look that prepare - look - commit asks for. */
	uint32_t n = co_atomic_load(&s->tokens, CO_SEQ_CST);

	while (n > 0) {
		if (co_atomic_cas(&s->tokens, n, n - 1))
			return true;
		n = co_atomic_load(&s->tokens, CO_SEQ_CST);
	}
	return false;
}

static int down_by(int (*commit)(struct co_waiter *, uint64_t), struct semaphore *s,
		   uint64_t deadline)
{
	while (!take(s)) {
		struct co_waiter *w = co_wait_prepare(&s->queue, s, "semaphore");

		if (take(s))
			return co_wait_abandon(w);
		int r = commit(w, deadline);

		if (r)
			return r;
	}
	return 0;
}

static int down(struct semaphore *s, uint64_t deadline)
{
	return down_by(co_wait_commit, s, deadline);
}

static void up(struct semaphore *s)
{
	co_atomic_add(&s->tokens, 1, CO_SEQ_CST); /* before co_wake_one()'s look for waiters */
	co_wake_one(&s->queue);
}

TEST(nobody_waits)
{
	struct co_waitq q = { 0 };

	CHECK(!co_wake_one(&q));
	CHECK_EQ(co_wake_all(&q), 0);
}

TEST(a_deadline_that_has_passed_ends_the_wait)
{
	struct co_waitq q = { 0 };

	CHECK_EQ(co_wait_commit(co_wait_prepare(&q, &q, "test"), 0), -ETIMEDOUT);
	CHECK_EQ(co_wait_commit(co_wait_prepare(&q, &q, "test"), co_after_us(300)), -ETIMEDOUT);
	/* Both have left the queue. */
	CHECK(!co_wake_one(&q));
}

TEST(a_wake_between_prepare_and_commit_is_kept)
{
	struct co_waitq q = { 0 };
	struct co_waiter *w = co_wait_prepare(&q, &q, "test");

	CHECK(co_wake_one(&q));
	CHECK_EQ(co_wait_commit(w, CO_FOREVER), 0);
	CHECK(!co_wake_one(&q));
}

TEST(abandon_leaves_the_queue)
{
	struct co_waitq q = { 0 };

	CHECK_EQ(co_wait_abandon(co_wait_prepare(&q, &q, "test")), 0);
	CHECK(!co_wake_one(&q));
	CHECK_EQ(co_wait_commit(co_wait_prepare(&q, &q, "test"), 0), -ETIMEDOUT);
}

static struct co_waitq queues[2];

static intptr_t fault_in_a_queue(void *arg)
{
	co_wait_prepare(&queues[0], queues, "test");
	return *(volatile intptr_t *)arg;
}

static intptr_t fault_in_two(void *arg)
{
	struct co_wait_any any;

	co_wait_any_begin(&any, queues, "test");
	CHECK(co_wait_any_enter(&any, &queues[0]) && co_wait_any_enter(&any, &queues[1]));
	if (arg == (void *)16)
		co_wake_one(&queues[1]); /* a hint that it will not use */
	return *(volatile intptr_t *)arg;
}

static struct co_a32 step; /* 1: the next has entered, 2: it has been woken */

/* Another hart ends its wait before it sleeps. */
static intptr_t fault_when_woken(void *arg)
{
	uint64_t end = co_after_us(20000000);
	struct co_wait_any any;

	co_wait_any_begin(&any, queues, "test");
	CHECK(co_wait_any_enter(&any, &queues[0]) && co_wait_any_enter(&any, &queues[1]));
	co_atomic_store(&step, 1, CO_SEQ_CST);
	while (co_atomic_load(&step, CO_SEQ_CST) != 2 && co_now() < end)
		;
	return *(volatile intptr_t *)arg;
}

BODY(wait_in_the_second, co_wait_commit(co_wait_prepare(&queues[1], queues, "test"), LONG_ENOUGH))

/* What a fault ends before the commit waits no more, and passes on what it was woken for. */
TEST_FAULTY(a_fault_before_the_commit_leaves_the_queues)
{
	unsigned hart = co_harts() - 1;
	struct co *c;

	CHECK_EQ(co_join(test_spawn_on(hart, fault_in_a_queue, NULL), NULL), -EFAULT);
	/* More often than a hart has nodes for waits of this kind. */
	for (unsigned i = 0; i < 40; i++)
		CHECK_EQ(co_join(test_spawn_on(hart, fault_in_two, (void *)8), NULL), -EFAULT);
	CHECK(!co_wake_one(&queues[0]));
	CHECK(!co_wake_one(&queues[1]));
	CHECK_EQ(co_join(test_spawn_on(hart, fault_in_two, (void *)16), NULL), -EFAULT);
	CHECK(!co_wake_one(&queues[0]));
	c = test_spawn_on(hart, wait_in_the_second, NULL);
	while (!co_wake_one(&queues[1]))
		co_pause();
	CHECK_EQ(test_join(c), 0);
}

static intptr_t fault_after_an_earlier_wake(void *arg)
{
	struct co_waitq own = { 0 };
	struct co_waiter *w = co_wait_prepare(&own, &own, "test");

	CHECK(co_wake_one(&own));
	CHECK_EQ(co_wait_commit(w, CO_FOREVER), 0);
	return fault_in_a_queue(arg);
}

BODY(wait_in_the_first, co_wait_commit(co_wait_prepare(&queues[0], queues, "test"), LONG_ENOUGH))

TEST_FAULTY(a_fault_before_the_commit_wakes_nobody)
{
	unsigned hart = co_harts() - 1;
	struct co *c = test_spawn_on(hart, wait_in_the_first, NULL);

	REQUIRE(AWAIT(co_waitq_count(&queues[0]) == 1));
	CHECK_EQ(co_join(test_spawn_on(hart, fault_after_an_earlier_wake, NULL), NULL), -EFAULT);
	CHECK_EQ(co_waitq_count(&queues[0]), 1);
	CHECK(co_wake_one(&queues[0]));
	CHECK_EQ(test_join(c), 0);
}

TEST_FAULTY(a_fault_after_the_wake_leaves_the_queues_and_passes_it_on)
{
	struct co *c, *next;

	if (co_harts() == 1)
		SKIP("another hart is to wake");
	c = test_spawn_on(co_harts() - 1, fault_when_woken, (void *)8);
	REQUIRE(AWAIT(co_atomic_load(&step, CO_SEQ_CST) == 1));
	next = test_spawn_on(co_hart(), wait_in_the_second, NULL);
	REQUIRE(AWAIT(co_waitq_count(&queues[1]) == 2));
	CHECK(co_wake_one(&queues[1]));
	co_atomic_store(&step, 2, CO_SEQ_CST);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(test_join(next), 0);
	CHECK_EQ(co_waitq_count(&queues[0]), 0);
	CHECK_EQ(co_waitq_count(&queues[1]), 0);
}

/* Waiters on hart 0 beside the case: they run whenever it sleeps or joins, and in a known order. */
static struct co_waitq line;
static unsigned served[8], count;

static intptr_t stand_in_line(void *arg)
{
	int r = co_wait_commit(co_wait_prepare(&line, &line, "line"), CO_FOREVER);

	served[count++] = (unsigned)(intptr_t)arg;
	return r;
}

static intptr_t jump_the_line(void *arg)
{
	int r = co_wait_commit(co_wait_prepare_front(&line, &line, "line"), CO_FOREVER);

	served[count++] = (unsigned)(intptr_t)arg;
	return r;
}

TEST(the_longest_waiter_is_woken_first)
{
	struct co *c[5];

	count = 0;
	for (intptr_t i = 0; i < 4; i++)
		c[i] = test_spawn_on(0, stand_in_line, (void *)i);
	test_sleep_us(500);
	c[4] = test_spawn_on(0, jump_the_line, (void *)4);
	test_sleep_us(500);
	CHECK_EQ(count, 0);
	for (unsigned i = 0; i < 5; i++) {
		CHECK(co_wake_one(&line));
		test_sleep_us(200);
		CHECK_EQ(count, i + 1);
	}
	CHECK(!co_wake_one(&line));
	CHECK_EQ(served[0], 4);
	for (unsigned i = 1; i < 5; i++)
		CHECK_EQ(served[i], i - 1);
	test_join_all(c, 5, 0);
}

TEST(all_are_woken_at_once)
{
	struct co *c[4];

	count = 0;
	for (intptr_t i = 0; i < 4; i++)
		c[i] = test_spawn_on(0, stand_in_line, (void *)i);
	test_sleep_us(500);
	CHECK_EQ(co_wake_all(&line), 4);
	test_join_all(c, 4, 0);
	CHECK_EQ(count, 4);
}

TEST(an_abandoned_wake_goes_to_the_next)
{
	struct co_waiter *w;
	struct co *next;

	count = 0;
	w = co_wait_prepare(&line, &line, "line");
	/* Nothing may wait between prepare and abandon: `next` enters on another hart. */
	CHECK_EQ(co_wait_abandon(w), 0);
	next = test_spawn_on(0, stand_in_line, (void *)1);
	test_sleep_us(500);
	w = co_wait_prepare_front(&line, &line, "line");
	CHECK(co_wake_one(&line)); /* it is for us, who do not need it */
	CHECK_EQ(co_wait_abandon(w), 0);
	CHECK_EQ(test_join(next), 0);
	CHECK_EQ(count, 1);
}

/*
 * A wake-up that finds the longest waiter timed out, but not gone yet, is meant for the next.
 * All on one hart, in a fixed order: the case sits out the deadline without giving way, then starts
 * the waker; the join lets the clock end the first wait, and the waker runs before the first one.
 */
BODY(waits_a_moment, co_wait_commit(co_wait_prepare(&line, &line, "line"), *(uint64_t *)arg))

BODY(wakes_one, co_wake_one(&line))

TEST(a_wake_passes_by_one_who_has_timed_out)
{
	static uint64_t deadline;
	struct co *first, *second, *waker;

	deadline = co_after_us(20000);
	count = 0;
	first = test_spawn_on(0, waits_a_moment, &deadline);
	second = test_spawn_on(0, stand_in_line, (void *)2);
	co_pause();
	while (co_now() < deadline)
		;
	waker = test_spawn_on(0, wakes_one, NULL);
	CHECK_EQ(test_join(first), -ETIMEDOUT);
	CHECK_EQ(test_join(waker), true);
	CHECK_EQ(test_join(second), 0);
}

/* The cancel has come during the shielded wait, so the next wait is not begun at all. */
static intptr_t ignores_cancel(void *arg)
{
	CHECK_EQ(down_by(co_wait_commit_shielded, arg, CO_FOREVER), 0);
	return down(arg, co_after_us(1000000));
}

TEST(a_shielded_wait_outlasts_a_cancel)
{
	static struct semaphore s;
	struct co *c = test_spawn_on(co_harts() - 1, ignores_cancel, &s);

	co_cancel(c);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(1000)), -ETIMEDOUT);
	up(&s);
	CHECK_EQ(test_join(c), -ECANCELED);
}

/* A cancel that comes later ends a wait which has begun after the shielded one. */
static intptr_t is_canceled_later(void *arg)
{
	CHECK_EQ(down_by(co_wait_commit_shielded, arg, CO_FOREVER), 0);
	return down(arg, CO_FOREVER);
}

TEST(a_cancel_ends_the_wait_after_a_shielded_one)
{
	static struct semaphore s;
	struct co *c = test_spawn_on(co_harts() - 1, is_canceled_later, &s);

	up(&s);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(1000)), -ETIMEDOUT);
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
}

/* Two harts that wake each other in turn: one lost wake-up and all stands still. */
static struct semaphore ping, pong;

enum { VOLLEYS = 1000 };

static intptr_t answer(void *arg)
{
	for (int i = 0; i < VOLLEYS; i++) {
		if (!CHECK_EQ(down(&ping, CO_FOREVER), 0))
			break;
		up(&pong);
	}
	return 0;
}

TEST(a_ping_pong_never_stops)
{
	struct co *c = test_spawn_on(co_harts() - 1, answer, NULL);

	for (int i = 0; i < VOLLEYS; i++) {
		up(&ping);
		REQUIRE_EQ(down(&pong, CO_FOREVER), 0);
	}
	test_join(c);
	CHECK_EQ(co_atomic_load(&ping.tokens, CO_RELAXED), 0);
	CHECK_EQ(co_atomic_load(&pong.tokens, CO_RELAXED), 0);
}

/*
 * Givers and takers on all harts; takers give up after random short times, so that wakes meet
 * deadlines. What was given must all be taken: a wake that a quitter swallows would leave a token
 * and a sleeper behind for ever.
 */
static struct semaphore pool;
static struct co_a32 still_to_take;

enum { GIFTS = 60, WORKERS = 24 };

static intptr_t gives(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	for (int i = 0; i < GIFTS; i++) {
		up(&pool);
		if (test_below(&r, 4) == 0)
			test_sleep_us(test_below(&r, 40));
		else if (test_below(&r, 2))
			co_pause();
	}
	return 0;
}

static intptr_t takes(void *arg)
{
	struct test_random r = test_random(1000 + (uintptr_t)arg);
	intptr_t taken = 0;

	for (;;) {
		/* Relaxed: a count of tickets, each drawn once. */
		uint32_t left = co_atomic_add(&still_to_take, (uint32_t)-1, CO_RELAXED);

		if ((int32_t)left <= 0)
			return taken;
		int result;

		do
			result = down(&pool, test_below(&r, 4) ? co_after_us(test_below(&r, 60))
							       : CO_FOREVER);
		while (result == -ETIMEDOUT);
		if (!CHECK_EQ(result, 0))
			return taken;
		taken++;
	}
}

TEST(wakes_and_deadlines_race)
{
	static struct co *giver[WORKERS], *taker[WORKERS];
	struct test_random r = test_random(99);
	intptr_t taken = 0;

	co_atomic_store(&still_to_take, GIFTS * WORKERS, CO_RELAXED); /* spawning publishes it */
	for (intptr_t i = 0; i < WORKERS; i++) {
		taker[i] = test_spawn_on(test_below(&r, co_harts()), takes, (void *)i);
		giver[i] = test_spawn_on((unsigned)i % co_harts(), gives, (void *)i);
	}
	test_join_all(giver, WORKERS, 0);
	for (unsigned i = 0; i < WORKERS; i++)
		taken += test_join(taker[i]);
	CHECK_EQ(taken, GIFTS * WORKERS);
	CHECK_EQ(co_atomic_load(&pool.tokens, CO_RELAXED), 0);
	CHECK(!co_wake_one(&pool.queue));
}

/*
 * A waiter that is alone arms its wait in place. If it makes somebody of its own hart ready before
 * it commits, and another hart ends its wait in between, it must still go on.
 */
static struct co_waitq early_queue, local_queue;
static struct co_a32 armed_early, woken_early;

static intptr_t sleep_local(void *arg)
{
	struct co_waiter *w = co_wait_prepare(&local_queue, NULL, "a wake here");

	return co_wait_commit(w, CO_FOREVER);
}

static intptr_t arm_early(void *arg)
{
	struct co_waiter *w = co_wait_prepare(&early_queue, NULL, "a wake from elsewhere");

	co_atomic_store(&armed_early, 1, CO_RELEASE);     /* paired with test_await() */
	while (!co_atomic_load(&woken_early, CO_ACQUIRE)) /* paired with the case's store */
		hal_cpu_relax();
	CHECK(co_wake_one(&local_queue));
	return co_wait_commit(w, CO_FOREVER);
}

TEST(a_wake_between_prepare_and_commit_is_not_lost)
{
	unsigned hart = co_harts() - 1;
	struct co *first, *second;

	if (!hart)
		SKIP("it takes two harts");
	co_atomic_store(&armed_early, 0, CO_RELAXED);
	co_atomic_store(&woken_early, 0, CO_RELAXED);
	first = test_spawn_on(hart, sleep_local, NULL);
	while (!co_waitq_known(&local_queue))
		test_sleep_us(100);
	test_sleep_us(1000); /* it is asleep by then, or the case shows nothing */
	second = test_spawn_on(hart, arm_early, NULL);
	test_await(&armed_early, 1);
	CHECK(co_wake_one(&early_queue));
	co_atomic_store(&woken_early, 1, CO_RELEASE);
	CHECK_EQ(test_join(second), 0);
	CHECK_EQ(test_join(first), 0);
}
