/* test_mutex.c - one at a time, in the order of asking. */
#include "harness/test.h"
#include "queue.h"

static struct co_mutex mutex;

TEST(a_free_one_is_taken_at_once)
{
	struct co_mutex m = { 0 };

	CHECK(!co_mutex_owner(&m));
	CHECK_EQ(co_mutex_lock(&m), 0);
	CHECK(co_mutex_owner(&m) == co_self());
	co_mutex_unlock(&m);
	CHECK_EQ(co_mutex_try_lock(&m), 0);
	co_mutex_unlock(&m);
	CHECK_EQ(co_mutex_lock_until(&m, 0), 0); /* need not wait: no deadline counts */
	co_mutex_unlock(&m);
	CHECK(!co_mutex_owner(&m));
}

TEST(it_is_not_recursive)
{
	struct co_mutex m = { 0 };

	CHECK_EQ(co_mutex_lock(&m), 0);
	CHECK_EQ(co_mutex_lock(&m), -EDEADLK);
	CHECK_EQ(co_mutex_lock_until(&m, 0), -EDEADLK);
	CHECK_EQ(co_mutex_try_lock(&m), -EDEADLK);
	co_mutex_unlock(&m);
}

static intptr_t take_within(void *arg)
{
	int r = co_mutex_lock_until(&mutex, (uintptr_t)arg ? co_after_us((uintptr_t)arg) : 0);

	if (r == 0)
		co_mutex_unlock(&mutex);
	return r;
}

static intptr_t try_once(void *arg)
{
	if (co_mutex_try_lock(&mutex))
		return 1;
	co_mutex_unlock(&mutex);
	return 0;
}

TEST(deadlines_end_the_wait_and_nothing_else)
{
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		CHECK_EQ(co_mutex_lock(&mutex), 0);
		CHECK_EQ(test_join(test_spawn_on(h, try_once, NULL)), 1);
		CHECK_EQ(test_join(test_spawn_on(h, take_within, NULL)), -ETIMEDOUT);
		CHECK_EQ(test_join(test_spawn_on(h, take_within, (void *)300)), -ETIMEDOUT);
		CHECK(co_mutex_owner(&mutex) == co_self());
		co_mutex_unlock(&mutex);
		CHECK(!co_mutex_owner(&mutex));
		CHECK_EQ(test_join(test_spawn_on(h, take_within, NULL)), 0);
	}
}

static struct co_a32 order; /* who is how manieth */

static intptr_t take_my_turn(void *arg)
{
	uint32_t turn;
	int r = co_mutex_lock_until(&mutex, LONG_ENOUGH);

	if (r)
		return r;
	turn = co_atomic_add(&order, 1, CO_RELAXED); /* the mutex orders it */
	co_pause();
	co_mutex_unlock(&mutex);
	return (intptr_t)turn;
}

TEST(several_are_unlocked_in_any_order)
{
	static const unsigned orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static struct co_mutex several[3];

	for (unsigned i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		for (unsigned k = 0; k < 3; k++)
			CHECK_EQ(co_mutex_lock(&several[k]), 0);
		for (unsigned k = 0; k < 3; k++) {
			CHECK_EQ(co_mutex_try_lock(&several[orders[i][k]]), -EDEADLK);
			co_mutex_unlock(&several[orders[i][k]]);
		}
	}
	for (unsigned k = 0; k < 3; k++) {
		CHECK_EQ(co_mutex_try_lock(&several[k]), 0);
		co_mutex_unlock(&several[k]);
	}
}

TEST(it_goes_to_the_longest_waiter)
{
	static struct co *c[12];

	co_atomic_store(&order, 0, CO_RELAXED); /* spawning publishes it */
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	for (unsigned i = 0; i < 12; i++) {
		c[i] = test_spawn_on(i * 7 % co_harts(), take_my_turn, NULL);
		queue_await(&mutex.queue, i + 1);
	}
	co_mutex_unlock(&mutex);
	/* It is handed on: who comes now stands behind those who wait. */
	CHECK_EQ(co_mutex_try_lock(&mutex), -EAGAIN);
	for (unsigned i = 0; i < 12; i++)
		CHECK_EQ(test_join(c[i]), i);
	CHECK(!co_mutex_owner(&mutex));
}

TEST(those_who_give_up_leave_their_turn_to_the_next)
{
	struct co *first, *second, *third;

	co_atomic_store(&order, 0, CO_RELAXED); /* spawning publishes it */
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	first = test_spawn_on(co_harts() - 1, take_my_turn, NULL);
	queue_await(&mutex.queue, 1);
	second = test_spawn_on(co_harts() - 1, take_within, (void *)500);
	third = test_spawn_on(0, take_my_turn, NULL);
	CHECK_EQ(test_join(second), -ETIMEDOUT);
	queue_await(&mutex.queue, 2);
	test_cancel(first);
	co_mutex_unlock(&mutex);
	CHECK_EQ(test_join(third), 0);
	CHECK(!co_mutex_owner(&mutex));
}
