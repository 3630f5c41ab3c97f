/*
 * test.h - the words of this tree's tests for cohart/test.h, and what many of them share.
 *
 * Example
 *	TEST(a_full_channel_refuses_more)
 *	{
 *		CO_CHANNEL(c, int, 1);
 *
 *		CHECK_EQ(co_chan_try_send(&c, &(int){ 1 }), 0);
 *		CHECK_EQ(co_chan_try_send(&c, &(int){ 2 }), -EAGAIN);
 *	}
 *
 * A file of cases is an image that prints TAP. A case leaves nothing behind: it joins what it
 * spawned. Data that it shares with other harts is static, so that it outlives a REQUIRE that
 * fails.
 */
#ifndef TESTS_HARNESS_TEST_H
#define TESTS_HARNESS_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>
#include <cohart/test.h>

#include "random.h"

#define TEST(id) CO_TEST(id)

/* A case in which coroutines fault, or a hart is lost. */
#define TEST_FAULTY(id) CO_TEST(id, .faulty = 1)

/* A case that takes minutes: it is run if its full name is asked for. */
#define TEST_LONG(id) CO_TEST(id, .by_name = 1)

/* One that `function` runs: it is given the case as a function. */
#define TEST_AROUND(id, function) CO_TEST(id, .around = function)

/* One that leaves nothing in the scratchpads' public heaps. */
#define TEST_TIDY(id) TEST_AROUND(id, test_tidy)
#define TEST_TIDY_FAULTY(id) CO_TEST(id, .around = test_tidy, .faulty = 1)

/* The function of a coroutine that returns an expression, maybe of its `arg`. */
#define BODY(id, value)                   \
	static intptr_t id(void *arg)     \
	{                                 \
		return (intptr_t)(value); \
	}

#define CHECK CO_CHECK
#define CHECK_EQ CO_CHECK_EQ
#define CHECK_STR CO_CHECK_STR
#define REQUIRE CO_REQUIRE
#define REQUIRE_EQ CO_REQUIRE_EQ
#define TEST_LEFT CO_TEST_LEFT
#define SKIP co_test_skip

/* Has hart 0 M-mode alone, so that PMP ranges stand in for page tables (hal/boards/sifive-u)? */
static inline bool test_hart0_has_no_map(void)
{
	extern const bool hal_machine_hart[] __attribute__((weak)); /* boot/riscv/start.S */

	return hal_machine_hart && hal_machine_hart[0];
}

/* Mostly nothing; now and then others of this hart run, or 30 us go by. Context: coroutine. */
void test_pause(struct test_random *r);

/* The compute harts of the machine, numbered 0..test_computes()-1 through all groups. */
unsigned test_computes(void);
unsigned test_compute(unsigned i);

/* Of what is checked in the harness the place and the text are the caller's: TEST_CALL(text) in its
 * parameters. */
#define TEST_CALLER const char *what, const char *file, int line
#define TEST_CALL(text) text, __FILE__, __LINE__

/* Start fn(arg), on a hart, to be joined; a failure to do so ends the calling coroutine. */
#define test_spawn(...) test_spawn_at(__VA_ARGS__, TEST_CALL("test_spawn(" #__VA_ARGS__ ")"))
#define test_spawn_on(...) \
	test_spawn_on_at(__VA_ARGS__, TEST_CALL("test_spawn_on(" #__VA_ARGS__ ")"))
struct co *test_spawn_at(const struct co_attr *attr, co_fn *fn, void *arg, TEST_CALLER);
struct co *test_spawn_on_at(unsigned hart, co_fn *fn, void *arg, TEST_CALLER);
/* One that sleeps in a wait by now: see test_await_sleep(). */
#define test_sleeper(hart, fn, arg) \
	test_sleeper_at(hart, fn, arg, TEST_CALL("test_sleeper(" #hart ", " #fn ")"))
struct co *test_sleeper_at(unsigned hart, co_fn *fn, void *arg, TEST_CALLER);

/* Join c and return its result; -1 and a noted failure if the join fails. */
#define test_join(c) test_join_at(c, TEST_CALL("test_join(" #c ")"))
intptr_t test_join_at(struct co *c, TEST_CALLER);

/* Cancel c, and join it: that has ended it. */
#define test_cancel(c) test_cancel_at(c, TEST_CALL("test_cancel(" #c ")"))
void test_cancel_at(struct co *c, TEST_CALLER);

/* Join n of them; each returns `want`. */
#define test_join_all(c, n, want) test_join_all_at(c, n, want, TEST_CALL("test_join_all(" #c ")"))
void test_join_all_at(struct co *const *c, unsigned n, intptr_t want, TEST_CALLER);

/*
 * Run fn((void *)i) for all i below n at once, on hart i modulo all harts: each returns `want`.
 * Context: the case.
 */
#define test_spread(fn, n, want) test_spread_at(fn, n, want, TEST_CALL("test_spread(" #fn ")"))
void test_spread_at(co_fn *fn, unsigned n, intptr_t want, TEST_CALLER);

/* Sleep; one that was cancelled is back sooner, and its next wait says so. */
static inline void test_sleep_us(uint64_t us)
{
	(void)!co_sleep_us(us);
}

/* A deadline for what must come. The runner ends a hang before, but on a PC that runs harts seldom.
 */
#define LONG_ENOUGH co_after_us(120000000)

/* Sleep until x holds: pauses would keep hart 0 awake. Too late is a failure, and false. */
#define AWAIT(x) TEST_AWAIT(x, TEST_CALL(#x))
#define TEST_AWAIT(x, ...)                                                            \
	__extension__({                                                               \
		bool held_;                                                           \
		for (uint64_t end_ = LONG_ENOUGH; !(held_ = (x)) && co_now() < end_;) \
			test_sleep_us(50);                                            \
		co_test_check(held_, __VA_ARGS__);                                    \
	})

/* The same until *word is at least n. Acquire: what was written before that. */
#define test_await(word, n) test_await_at(word, n, TEST_CALL("test_await(" #word ", " #n ")"))
static inline bool test_await_at(struct co_a32 *word, uint32_t n, TEST_CALLER)
{
	return TEST_AWAIT(co_atomic_load(word, CO_ACQUIRE) >= n, what, file, line);
}

/*
 * The same until c sleeps in a wait, or has ended. A coroutine in a queue may still be about to
 * look whether it need sleep at all: tests of the order of service want all of them asleep.
 */
#define test_await_sleep(c) test_await_sleep_at(c, TEST_CALL("test_await_sleep(" #c ")"))
bool test_await_sleep_at(const struct co *c, TEST_CALLER);

/* A loop over 0..n-1; its other fields follow. */
#define LOOP(body_, n, ...) \
	((struct co_parallel){ .body = body_, .dims = 1, .range = { { 0, n, 1 } }, __VA_ARGS__ })

/* Does p have that value n times? */
bool test_filled(const void *p, unsigned char value, size_t n);

/* What a hart has of its scratchpad's public heap; bytes that are taken there, of all harts. */
struct co_spm_use test_spm_use(unsigned hart);
size_t test_spm_used(void);

/* Run a case: they are as many soon afterwards, when harts have freed what has ended there had. */
void test_tidy(void (*run)(void));

#endif
