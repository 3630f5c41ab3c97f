/* test_cxx.cpp - a program in C++17: coroutines, channels, barriers, joins, and what the compiler
 * calls for it. No C++ library is linked; more is in tests/install/. */
#include <cohart/cohart.h>

extern "C" {
#include "harness/test.h"
}

static co_channel<int, 4> numbers;
static co_channel<long, 2> squares;
static co_channel<int, 0> meeting;
CO_CHANNEL(done, unsigned, 8);
CO_BARRIER(step, 3);
CO_TLOCK(lock, 8, 2);
static co_mutex mutex;
static co_a32 in_all;

// What may be sent to what: found out when this is compiled.
template <class C, class V> constexpr auto sends(C *c, V v, int) -> decltype(c->send(v), true)
{
	return true;
}

template <class C, class V> constexpr bool sends(C *, V, long)
{
	return false;
}

static_assert(sends(&numbers, 1, 0) && sends(&squares, 1, 0) && sends(&squares, 1L, 0));
static_assert(!sends(&numbers, 1.5, 0) && !sends(&numbers, 1.5f, 0) && !sends(&numbers, "1", 0));
static_assert(!sends(&numbers, 1LL, 0), "it might not fit");

static intptr_t square_all(void *arg)
{
	int r, x;

	while ((r = numbers.recv(x)) == 0 && (r = squares.send((long)x * x)) == 0)
		;
	return r == -EPIPE ? (intptr_t)arg : r;
}

TEST(typed_channels_carry_values_between_harts)
{
	struct co *c = test_spawn_on(co_harts() - 1, square_all, (void *)7);
	long sum = 0, x;

	for (int i = 1; i <= 100; i++) {
		CHECK_EQ(numbers.send(i), 0);
		CHECK_EQ(squares.recv(x), 0);
		sum += x;
	}
	CHECK_EQ(numbers.count(), 0);
	CHECK(numbers.capacity() > 0 && !numbers.closed());
	numbers.close();
	CHECK(numbers.closed());
	CHECK_EQ(test_join(c), 7);
	CHECK_EQ(sum, 338350);
	CHECK_EQ(numbers.send(1), -EPIPE);
	CHECK_EQ(squares.try_recv(x), -EAGAIN);
	CHECK_EQ(squares.recv_until(x, co_after_us(100)), -ETIMEDOUT);
	CHECK_EQ(squares.try_send(1), 0);
	CHECK_EQ(squares.send_until(2L, LONG_ENOUGH), 0);
	CHECK_EQ(squares.try_send(3), -EAGAIN);
	CHECK_EQ(squares.recv(x), 0);
	CHECK_EQ(x, 1);
}

static intptr_t come_to_meet(void *)
{
	return meeting.send(5);
}

TEST(a_channel_without_room_is_one_where_both_wait)
{
	struct co *c = test_spawn_on(co_harts() - 1, come_to_meet, nullptr);
	int x = 0;

	CHECK_EQ(meeting.recv(x), 0);
	CHECK_EQ(x, 5);
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(meeting.try_send(1), -EAGAIN);
	CHECK_EQ(meeting.try_recv(x), -EAGAIN);
}

static intptr_t take_part(void *arg)
{
	auto me = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < 20; i++) {
		CHECK_EQ(co_mutex_lock(&mutex), 0);
		CHECK_EQ(co_tlock_lock(&lock, me), 0);
		co_atomic_add(&in_all, 1, CO_RELAXED);
		co_tlock_unlock(&lock, me);
		co_mutex_unlock(&mutex);
		CHECK_EQ(co_barrier_wait(&step, me), 0);
		CHECK_EQ(co_atomic_load(&in_all, CO_ACQUIRE), 3 * (i + 1));
		CHECK_EQ(co_barrier_wait(&step, me), 0);
	}
	return co_chan_send(&done, &me);
}

TEST(barriers_locks_and_batches_are_as_in_c)
{
	co_batch batch = {};
	co_attr attr = {};
	intptr_t result[3];
	unsigned seen = 0, me;

	attr.name = "member";
	for (unsigned i = 0; i < 3; i++) {
		attr.on = CO_ON_HART(i % co_harts());
		REQUIRE_EQ(
			co_batch_spawn(&batch, &attr, take_part, (void *)(uintptr_t)i, &result[i]),
			0);
	}
	for (unsigned i = 0; i < 3; i++) {
		co_case cases[] = { CO_CASE_RECV(&done, &me) };

		REQUIRE_EQ(co_select(cases, 1), 0);
		seen |= 1u << me;
	}
	CHECK_EQ(seen, 7);
	CHECK_EQ(co_batch_join(&batch), 0);
	CHECK_EQ(result[0] | result[1] | result[2], 0);
}

TEST(inline_calls_of_headers_are_cxx_too)
{
	CO_STOPWATCH("cxx");
	const co_rows rows = CO_ROWS(4, 2, 8);
	alignas(CO_VECTOR_BYTES) double d[] = { 1, 2, 3, 4 };

	CHECK_EQ(rows.rows, 2);
	co_f64x2_store(d, co_f64x2_load_aligned(d + 2) + co_f64x2_splat(1));
	CHECK_EQ((int)co_f64x2_sum(co_f64x2_load(d)), 9);
	CO_ASSERT(co_self() != nullptr);
}

static co_a32 made;

struct slow {
	int value;
	slow() : value(0)
	{
		co_atomic_add(&made, 1, CO_RELAXED);
		test_sleep_us(1000);
		value = 5;
	}
};

static intptr_t use_static(void *)
{
	static slow s;

	return s.value;
}

TEST(a_static_of_a_function_is_made_once_while_others_wait)
{
	struct co *c[8];

	for (unsigned i = 0; i < 8; i++)
		c[i] = test_spawn_on(i % co_harts(), use_static, nullptr);
	test_join_all(c, 8, 5);
	CHECK_EQ(co_atomic_load(&made, CO_RELAXED), 1);
}

struct in_vain {
	unsigned value;
	explicit in_vain(unsigned tries) : value(tries)
	{
		if (tries == 1)
			co_exit(1);
		if (tries == 2)
			*(volatile int *)0x23458 = 1;
	}
};

static intptr_t try_static(void *arg)
{
	static in_vain s((unsigned)(uintptr_t)arg);

	return (intptr_t)s.value;
}

TEST_FAULTY(the_next_makes_it_if_the_first_ends_before)
{
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, try_static, (void *)1)), 1);
	CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, try_static, (void *)2), nullptr), -EFAULT);
	CHECK_EQ(test_join(test_spawn_on(0, try_static, (void *)3)), 3);
	CHECK_EQ(test_join(test_spawn_on(0, try_static, (void *)4)), 3);
}

TEST(new_and_delete_are_mallocs)
{
	struct alignas(128) wide {
		char bytes[128];
	};
	auto *w = new wide[2];
	auto *n = new int(3);

	CHECK_EQ((uintptr_t)w % 128, 0);
	CHECK_EQ(*n, 3);
	delete n;
	delete[] w;
}
