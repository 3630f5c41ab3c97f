/* test_lost_sync.c - conditions, read-write locks, and what is done once, when a hart is lost. */
#include "loss.h"
#include "queue.h"

/* For all cases: a program's static memory. */
static struct co_rwlock lock;
static struct co_once once;
static struct co_mutex mutex;
static struct co_cond changed;

static intptr_t read_twice(void *arg)
{
	(void)arg;
	REQUIRE_EQ(co_rwlock_read(&lock), 0);
	REQUIRE_EQ(co_rwlock_read(&lock), 0);
	return sleep_on();
}

static intptr_t write_on(void *arg)
{
	(void)arg;
	REQUIRE_EQ(co_rwlock_write(&lock), 0);
	return sleep_on();
}

static intptr_t write_and_leave(void *arg)
{
	int r = co_rwlock_write_until(&lock, LONG_ENOUGH);

	(void)arg;
	if (r == 0 || r == -EOWNERDEAD)
		co_rwlock_unlock(&lock);
	return r;
}

TEST_FAULTY(a_lost_reader_lets_a_writer_in_that_waits)
{
	unsigned hart = hart_to_lose();
	struct co *reader, *writer;

	lock = (struct co_rwlock){ 0 };
	reader = test_spawn_on(hart, read_twice, NULL);
	test_await(&ready, 1);
	writer = test_spawn_on(1, write_and_leave, NULL);
	queue_await(&lock.no_one, 1);
	lose(hart, 1);
	CHECK_EQ(co_join(reader, NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(writer), 0);
}

TEST_FAULTY(one_that_comes_later_gets_the_lock_of_a_lost_writer)
{
	unsigned hart = hart_to_lose();
	struct co *writer;

	lock = (struct co_rwlock){ 0 };
	writer = test_spawn_on(hart, write_on, NULL);
	lose(hart, 1);
	CHECK_EQ(co_join(writer, NULL), -EHOSTDOWN);
	CHECK_EQ(co_rwlock_read_until(&lock, LONG_ENOUGH), -EOWNERDEAD);
	CHECK_EQ(co_rwlock_try_write(&lock), -EAGAIN);
	co_rwlock_unlock(&lock);
	CHECK_EQ(co_rwlock_try_write(&lock), 0);
	co_rwlock_unlock(&lock);
}

/* Between the readers and those behind it. */
static intptr_t wait_to_write(void *arg)
{
	(void)arg;
	is_ready();
	return co_rwlock_write(&lock);
}

static intptr_t read_and_leave(void *arg)
{
	int r = co_rwlock_read_until(&lock, LONG_ENOUGH);

	(void)arg;
	if (r == 0 || r == -EOWNERDEAD)
		co_rwlock_unlock(&lock);
	return r;
}

TEST_FAULTY(readers_behind_a_lost_writer_that_waited_go_on)
{
	unsigned hart = hart_to_lose();
	struct co *writer, *reader;

	lock = (struct co_rwlock){ 0 };
	CHECK_EQ(co_rwlock_read(&lock), 0);
	writer = test_spawn_on(hart, wait_to_write, NULL);
	queue_await(&lock.no_one, 1);
	reader = test_spawn_on(1, read_and_leave, NULL);
	queue_await(&lock.mutex.queue, 1);
	lose(hart, 1);
	CHECK_EQ(co_join(writer, NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(reader), -EOWNERDEAD);
	co_rwlock_unlock(&lock);
}

static void never_back(void)
{
	(void)sleep_on();
}

static intptr_t do_once(void *arg)
{
	(void)arg;
	return co_once(&once, never_back);
}

static struct co_a32 done;

static void count(void)
{
	co_atomic_add(&done, 1, CO_RELAXED);
}

static intptr_t wait_until_done(void *arg)
{
	(void)arg;
	return co_once(&once, count);
}

TEST_FAULTY(what_a_lost_hart_was_to_do_once_is_done_by_the_next)
{
	unsigned hart = hart_to_lose();
	struct co *first, *next;

	once = (struct co_once){ 0 };
	co_atomic_store(&done, 0, CO_RELAXED);
	first = test_spawn_on(hart, do_once, NULL);
	test_await(&ready, 1);
	next = test_spawn_on(1, wait_until_done, NULL);
	queue_await(&once.mutex.queue, 1);
	lose(hart, 1);
	CHECK_EQ(co_join(first, NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(next), 0);
	CHECK_EQ(co_once(&once, count), 0);
	CHECK_EQ(co_atomic_load(&done, CO_RELAXED), 1);
}

static intptr_t wait_for_change(void *arg)
{
	int r = co_mutex_lock(&mutex);

	(void)arg;
	REQUIRE(r == 0);
	r = co_cond_wait_until(&changed, &mutex, LONG_ENOUGH);
	co_mutex_unlock(&mutex);
	return r;
}

static struct co *waiter_on(unsigned hart, uint32_t n)
{
	struct co *c = test_spawn_on(hart, wait_for_change, NULL);

	queue_await(&changed.queue, n);
	return c;
}

TEST_FAULTY(a_signal_is_for_those_that_wait_on_harts_that_are_there)
{
	unsigned hart = hart_to_lose();
	struct co *lost, *there;

	mutex = (struct co_mutex){ 0 };
	changed = (struct co_cond){ 0 };
	lost = waiter_on(hart, 1);
	there = waiter_on(1, 2);
	lose(hart, 0);
	CHECK_EQ(co_join(lost, NULL), -EHOSTDOWN);
	co_cond_signal(&changed);
	CHECK_EQ(test_join(there), 0);
}

TEST_FAULTY(the_next_gets_the_signal_of_one_that_was_lost_before_it_ran)
{
	unsigned hart = hart_to_lose();
	struct co *lost, *there;

	mutex = (struct co_mutex){ 0 };
	changed = (struct co_cond){ 0 };
	lost = waiter_on(hart, 1);
	there = waiter_on(1, 2);
	hold_up(hart);
	co_cond_signal(&changed);
	fault_there(hart);
	let_go_on();
	CHECK_EQ(co_join(lost, NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(there), 0);
}

/* It waits to get the mutex back, which is the next one's. */
TEST_FAULTY(a_mutex_that_a_lost_one_was_to_get_back_is_the_next_ones)
{
	unsigned hart = hart_to_lose();
	struct co *lost;

	mutex = (struct co_mutex){ 0 };
	changed = (struct co_cond){ 0 };
	lost = waiter_on(hart, 1);
	CHECK_EQ(co_mutex_lock(&mutex), 0);
	co_cond_signal(&changed);
	queue_await(&mutex.queue, 1);
	hold_up(hart);
	co_mutex_unlock(&mutex);
	CHECK(co_mutex_owner(&mutex) == lost);
	fault_there(hart);
	let_go_on();
	CHECK_EQ(co_join(lost, NULL), -EHOSTDOWN);
	CHECK_EQ(co_mutex_lock_until(&mutex, LONG_ENOUGH), -EOWNERDEAD);
	co_mutex_unlock(&mutex);
}
