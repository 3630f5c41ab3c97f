/* test_rwlock.c - many readers or one writer, in the order of asking. */
#include "faulty.h"
#include "../runtime/comm/sync/mutex.h"
#include "../runtime/core/sched/coroutine.h"
#include "queue.h"

static struct co_rwlock lock;

static intptr_t read_within(void *arg)
{
	int r = co_rwlock_read_until(&lock, (uintptr_t)arg ? co_after_us((uintptr_t)arg) : 0);

	if (r == 0 || r == -EOWNERDEAD)
		co_rwlock_unlock(&lock);
	return r;
}

static intptr_t write_within(void *arg)
{
	int r = co_rwlock_write_until(&lock, (uintptr_t)arg ? co_after_us((uintptr_t)arg) : 0);

	if (r == 0)
		co_rwlock_unlock(&lock);
	return r;
}

TEST(readers_share_and_a_writer_does_not)
{
	const unsigned far = co_harts() - 1;

	CHECK_EQ(co_rwlock_read(&lock), 0);
	CHECK_EQ(co_rwlock_try_read(&lock), 0); /* nobody waits to write */
	CHECK_EQ(co_rwlock_try_write(&lock), -EAGAIN);
	CHECK_EQ(test_join(test_spawn_on(far, read_within, NULL)), 0);
	CHECK_EQ(test_join(test_spawn_on(far, write_within, NULL)), -ETIMEDOUT);
	CHECK_EQ(test_join(test_spawn_on(far, write_within, (void *)300)), -ETIMEDOUT);
	CHECK_EQ(test_join(test_spawn_on(far, read_within, NULL)), 0);
	co_rwlock_unlock(&lock);
	co_rwlock_unlock(&lock);
	CHECK_EQ(co_rwlock_write(&lock), 0);
	CHECK_EQ(co_rwlock_write(&lock), -EDEADLK);
	CHECK_EQ(co_rwlock_read(&lock), -EDEADLK);
	CHECK_EQ(co_rwlock_try_read(&lock), -EDEADLK);
	CHECK_EQ(test_join(test_spawn_on(far, read_within, (void *)300)), -ETIMEDOUT);
	CHECK_EQ(test_join(test_spawn_on(far, write_within, NULL)), -ETIMEDOUT);
	co_rwlock_unlock(&lock);
	CHECK_EQ(test_join(test_spawn_on(far, write_within, NULL)), 0);
}

static struct co_a32 order; /* who is how manieth */

static intptr_t take_turn(void *arg)
{
	intptr_t turn;

	REQUIRE_EQ(arg ? co_rwlock_write(&lock) : co_rwlock_read(&lock), 0);
	turn = co_atomic_add(&order, 1, CO_RELAXED); /* the lock orders it */
	co_rwlock_unlock(&lock);
	return turn;
}

static intptr_t try_to_read(void *arg)
{
	(void)arg;
	return co_rwlock_try_read(&lock);
}

TEST(a_reader_waits_behind_a_writer_that_waits)
{
	struct co *writer, *reader;

	co_atomic_store(&order, 0, CO_RELAXED); /* spawning publishes it */
	CHECK_EQ(co_rwlock_read(&lock), 0);
	writer = test_spawn_on(co_harts() - 1, take_turn, (void *)1);
	queue_await(&lock.no_one, 1);
	CHECK_EQ(test_join(test_spawn_on(0, try_to_read, NULL)), -EAGAIN);
	reader = test_spawn_on(0, take_turn, NULL);
	queue_await(&lock.mutex.queue, 1);
	co_rwlock_unlock(&lock);
	CHECK_EQ(test_join(writer), 0);
	CHECK_EQ(test_join(reader), 1);
}

TEST(a_reader_awaits_who_is_busy_with_the_queue)
{
	struct co *c;

	if (co_harts() == 1)
		SKIP("another hart is to be busy with it");
	co_atomic_store(&order, 0, CO_RELAXED);
	queue_lock(&lock.mutex.queue);
	c = test_spawn_on(co_harts() - 1, take_turn, NULL);
	test_sleep_us(2000);
	CHECK_EQ(co_atomic_load(&order, CO_RELAXED), 0);
	queue_unlock(&lock.mutex.queue);
	CHECK_EQ(test_join(c), 0);
}

TEST(readers_behind_a_writer_that_gives_up_go_on)
{
	struct co *writer, *reader;

	CHECK_EQ(co_rwlock_read(&lock), 0);
	writer = test_spawn_on(co_harts() - 1, write_within, (void *)20000000);
	queue_await(&lock.no_one, 1);
	reader = test_spawn_on(0, read_within, (void *)20000000);
	queue_await(&lock.mutex.queue, 1);
	co_cancel(writer);
	CHECK_EQ(test_join(reader), 0);
	co_rwlock_unlock(&lock);
	CHECK_EQ(test_join(writer), -ECANCELED);
}

static intptr_t fault_as_writer(void *arg)
{
	REQUIRE_EQ(co_rwlock_write(&lock), 0);
	return faulty(arg);
}

TEST_FAULTY(the_next_is_notified_of_a_writer_that_a_fault_has_ended)
{
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, fault_as_writer, NULL), NULL),
			 -EFAULT);
		CHECK_EQ(i ? co_rwlock_read(&lock) : co_rwlock_write(&lock), -EOWNERDEAD);
		co_rwlock_unlock(&lock);
		CHECK_EQ(co_rwlock_write(&lock), 0);
		co_rwlock_unlock(&lock);
	}
}

/* One that is notified, but gives up for there are readers, leaves it to the next. */
TEST(that_is_not_lost_with_one_that_gives_up)
{
	for (unsigned knows = 0; knows < 2; knows++) {
		struct co *waits;

		CHECK_EQ(co_rwlock_read(&lock), 0);
		if (knows)
			co_mutex_orphan(&lock.mutex);
		waits = test_spawn_on(0, write_within, (void *)20000000);
		queue_await(&lock.no_one, 1);
		if (!knows)
			co_mutex_orphan(&lock.mutex);
		co_cancel(waits);
		CHECK_EQ(test_join(waits), -ECANCELED);
		CHECK_EQ(test_join(test_spawn_on(0, read_within, (void *)20000000)), -EOWNERDEAD);
		co_rwlock_unlock(&lock);
	}
}

TEST(one_that_reads_may_read_again_though_a_writer_waits_but_not_write)
{
	struct co *writer;

	CHECK_EQ(co_rwlock_read(&lock), 0);
	CHECK_EQ(co_rwlock_write(&lock), -EDEADLK);
	writer = test_spawn_on(co_harts() - 1, write_within, (void *)20000000);
	queue_await(&lock.no_one, 1);
	CHECK_EQ(co_rwlock_write(&lock), -EDEADLK);
	CHECK_EQ(co_rwlock_read(&lock), 0);
	CHECK_EQ(co_rwlock_try_read(&lock), 0);
	for (unsigned i = 0; i < 3; i++)
		co_rwlock_unlock(&lock);
	CHECK_EQ(test_join(writer), 0);
}

/* More than one lock, more than once, others between: each is left by itself. */
TEST(shares_of_several_locks_are_left_in_any_order)
{
	static struct co_rwlock others[3];
	static struct co_mutex between;

	for (unsigned i = 0; i < 6; i++)
		CHECK_EQ(co_rwlock_read(&others[i % 3]), 0);
	CHECK_EQ(co_mutex_lock(&between), 0);
	for (unsigned i = 0; i < 3; i++) {
		co_rwlock_unlock(&others[i]);
		CHECK_EQ(co_rwlock_try_write(&others[i]), -EAGAIN);
	}
	co_mutex_unlock(&between);
	for (unsigned i = 3; i--;) {
		co_rwlock_unlock(&others[i]);
		CHECK_EQ(co_rwlock_try_write(&others[i]), 0);
		co_rwlock_unlock(&others[i]);
	}
}

/* It reads so many times. */
static intptr_t fault_as_reader(void *arg)
{
	for (intptr_t i = 0; i < (intptr_t)arg; i++)
		REQUIRE_EQ(co_rwlock_read(&lock), 0);
	return faulty(arg);
}

/* What a reader needs of memory stays with its hart, so that reading again and again takes none. */
TEST(a_share_that_was_given_back_is_taken_again)
{
	static struct co_rwlock l;
	uintptr_t share;

	for (int i = 0; i < 2; i++) {
		REQUIRE_EQ(co_rwlock_read(&l), 0);
		if (i)
			CHECK_EQ((uintptr_t)co_self()->cleanups, share);
		share = (uintptr_t)co_self()->cleanups;
		co_rwlock_unlock(&l);
	}
}

TEST_FAULTY(a_reader_that_a_fault_has_ended_has_let_go)
{
	for (intptr_t n = 1; n <= 3; n++) {
		CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, fault_as_reader, (void *)n), NULL),
			 -EFAULT);
		CHECK_EQ(co_rwlock_write_until(&lock, LONG_ENOUGH), 0);
		co_rwlock_unlock(&lock);
	}
}

static struct co_event is_in, now;

static intptr_t read_until_it_faults(void *arg)
{
	REQUIRE_EQ(co_rwlock_read(&lock), 0);
	co_event_set(&is_in);
	REQUIRE_EQ(co_event_wait(&now), 0);
	return faulty(arg);
}

TEST_FAULTY(a_writer_that_waits_for_a_reader_goes_on_when_a_fault_ends_that)
{
	struct co *reader = test_spawn_on(co_harts() - 1, read_until_it_faults, NULL);
	struct co *writer;

	CHECK_EQ(co_event_wait(&is_in), 0);
	writer = test_spawn_on(0, write_within, (void *)20000000);
	queue_await(&lock.no_one, 1);
	co_event_set(&now);
	CHECK_EQ(co_join(reader, NULL), -EFAULT);
	CHECK_EQ(test_join(writer), 0);
}

static struct co_a32 readers_in, writers_in;
static uint32_t written[2]; /* alike, but for a writer */

static intptr_t read_or_write(void *arg)
{
	struct test_random r = test_random((uintptr_t)arg);

	for (unsigned i = 0; i < 100; i++) {
		bool write = test_below(&r, 3) == 0, timed = test_below(&r, 4) == 0;
		uint64_t deadline = timed ? co_after_us(test_below(&r, 60)) : LONG_ENOUGH;
		int got = write ? co_rwlock_write_until(&lock, deadline)
				: co_rwlock_read_until(&lock, deadline);

		REQUIRE(got == 0 || (timed && got == -ETIMEDOUT));
		if (got == 0) {
			struct co_a32 *in = write ? &writers_in : &readers_in;
			uint32_t before = co_atomic_add(in, 1, CO_RELAXED); /* the lock orders it */

			CHECK(!co_atomic_load(write ? &readers_in : &writers_in, CO_RELAXED));
			CHECK(!write || !before);
			CHECK_EQ(written[0], written[1]);
			if (write)
				written[0]++;
			test_pause(&r);
			if (write)
				written[1]++;
			co_atomic_add(in, -1u, CO_RELAXED);
			co_rwlock_unlock(&lock);
		}
		test_pause(&r);
	}
	return 0;
}

TEST(stress_with_readers_and_writers)
{
	test_spread(read_or_write, co_harts() < 4 ? 8 : co_harts() < 32 ? 2 * co_harts() : 64, 0);
	CHECK_EQ(co_rwlock_try_write(&lock), 0);
	co_rwlock_unlock(&lock);
}
