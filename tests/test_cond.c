/* test_cond.c - condition variables: no wake-up is lost, and the mutex is held again. */
#include "faulty.h"
#include "queue.h"

enum { MOST = 512 };

static struct co_mutex mutex;
static struct co_cond cond;
static uint32_t value; /* the mutex guards it */
static struct co *c[MOST];

static intptr_t wait_for_value(void *arg)
{
	int r = co_mutex_lock(&mutex);

	while (r == 0 && value < (uintptr_t)arg)
		r = co_cond_wait_until(&cond, &mutex, LONG_ENOUGH);
	CHECK(co_mutex_owner(&mutex) == co_self());
	co_mutex_unlock(&mutex);
	return r;
}

static void set_value(uint32_t to)
{
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	value = to;
	co_mutex_unlock(&mutex);
}

TEST(without_a_signal_the_deadline_comes_and_the_mutex_is_held)
{
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	CHECK_EQ(co_cond_wait_until(&cond, &mutex, 0), -ETIMEDOUT);
	CHECK(co_mutex_owner(&mutex) == co_self());
	CHECK_EQ(co_cond_wait_until(&cond, &mutex, co_after_us(300)), -ETIMEDOUT);
	CHECK(co_mutex_owner(&mutex) == co_self());
	co_cond_signal(&cond); /* nobody waits: nothing is kept */
	co_cond_broadcast(&cond);
	CHECK_EQ(co_cond_wait_until(&cond, &mutex, co_after_us(300)), -ETIMEDOUT);
	co_mutex_unlock(&mutex);
}

TEST(a_signal_wakes_one_and_a_broadcast_all)
{
	const unsigned n = co_harts();

	set_value(0);
	for (unsigned h = 0; h < n; h++) {
		c[h] = test_spawn_on(h, wait_for_value, (void *)1);
		queue_await(&cond.queue, h + 1);
	}
	co_cond_signal(&cond); /* it looks, and waits again: as the last one */
	queue_await(&cond.queue, n);
	set_value(1);
	co_cond_signal(&cond);
	/* The second that waited. */
	CHECK_EQ(test_join(c[n > 1]), 0);
	CHECK_EQ(co_waitq_count(&cond.queue), n - 1);
	co_cond_broadcast(&cond);
	for (unsigned h = 0; h < n; h++) {
		if (h != (n > 1))
			CHECK_EQ(test_join(c[h]), 0);
	}
}

TEST(a_cancelled_waiter_waits_for_the_mutex_all_the_same)
{
	struct co *one;

	set_value(0);
	one = test_spawn_on(co_harts() - 1, wait_for_value, (void *)1);
	queue_await(&cond.queue, 1);
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	co_cancel(one);
	queue_await(&mutex.queue, 1);
	co_mutex_unlock(&mutex);
	CHECK_EQ(test_join(one), -ECANCELED);
	CHECK(!co_mutex_owner(&mutex));
}

static intptr_t fault_with_mutex(void *arg)
{
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	co_cond_signal(&cond);
	return faulty(arg);
}

static intptr_t wait_and_fault(void *arg)
{
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	CHECK_EQ(co_cond_wait_until(&cond, &mutex, 0), -ETIMEDOUT);
	return faulty(arg);
}

TEST_FAULTY(one_that_a_fault_ends_after_its_wait_lets_go_of_the_mutex)
{
	CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, wait_and_fault, NULL), NULL), -EFAULT);
	CHECK_EQ(co_mutex_lock_until(&mutex, 0), -EOWNERDEAD);
	co_mutex_unlock(&mutex);
}

TEST_FAULTY(one_that_waits_is_notified_of_an_owner_that_a_fault_has_ended)
{
	struct co *waits, *ends;

	set_value(0);
	waits = test_spawn_on(0, wait_for_value, (void *)1);
	queue_await(&cond.queue, 1);
	ends = test_spawn_on(co_harts() - 1, fault_with_mutex, NULL);
	CHECK_EQ(co_join(ends, NULL), -EFAULT);
	CHECK_EQ(test_join(waits), -EOWNERDEAD);
}

/*
 * A store of a few places: what is put in is taken out, once; with one place and signals alone a
 * wake-up that is lost ends all.
 */
static struct {
	struct co_mutex mutex;
	struct co_cond not_full, not_empty;
	unsigned places, filled, wanted;
	uint32_t put, taken;
	bool all; /* broadcasts */
} store;

static void tell(struct co_cond *who)
{
	if (store.all)
		co_cond_broadcast(who);
	else
		co_cond_signal(who);
}

/* Wait, now and then with a deadline that comes. */
static int wait_a_little(struct co_cond *what, struct test_random *r)
{
	uint64_t deadline = test_below(r, 3) ? LONG_ENOUGH : co_after_us(test_below(r, 60));
	int got = co_cond_wait_until(what, &store.mutex, deadline);

	REQUIRE(got == 0 || got == -ETIMEDOUT);
	return got;
}

static intptr_t put_in(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	for (unsigned i = 0; i < store.wanted; i++) {
		REQUIRE_EQ(co_mutex_lock(&store.mutex), 0);
		while (store.filled == store.places)
			wait_a_little(&store.not_full, &r);
		store.filled++;
		store.put++;
		tell(&store.not_empty);
		co_mutex_unlock(&store.mutex);
		test_pause(&r);
	}
	return 0;
}

static intptr_t take_out(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	for (unsigned i = 0; i < store.wanted; i++) {
		REQUIRE_EQ(co_mutex_lock(&store.mutex), 0);
		while (!store.filled)
			wait_a_little(&store.not_empty, &r);
		store.filled--;
		store.taken++;
		co_mutex_unlock(&store.mutex);
		tell(&store.not_full); /* without the mutex */
		test_pause(&r);
	}
	return 0;
}

TEST(stress_with_a_store)
{
	const unsigned pairs = co_harts() < 4 ? 4 : co_harts() < 16 ? co_harts() : 16;

	for (unsigned round = 0; round < 4; round++) {
		memset(&store, 0, sizeof(store));
		store.places = round & 1 ? 3 : 1;
		store.all = round & 2;
		store.wanted = 100;
		for (unsigned i = 0; i < 2 * pairs; i++)
			c[i] = test_spawn_on(i * 7 % co_harts(), i % 2 ? put_in : take_out,
					     (void *)(uintptr_t)(round * MOST + i));
		test_join_all(c, 2 * pairs, 0);
		CHECK_EQ(store.put, pairs * store.wanted);
		CHECK_EQ(store.taken, store.put);
		CHECK_EQ(store.filled, 0);
		CHECK_EQ(co_waitq_count(&store.not_full.queue), 0);
		CHECK_EQ(co_waitq_count(&store.not_empty.queue), 0);
	}
}
