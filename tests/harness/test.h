/*
 * test.h - the test harness: a file of cases is an image that prints TAP.
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
 * Each case is a coroutine of its own on hart 0, named after it, with a big stack in main memory.
 * Cases run one after the other in the order of the file. A case must leave nothing behind: it
 * joins what it spawned. What it shares with other harts is static, so that it outlives a REQUIRE
 * that fails.
 *
 * CHECK and its kin work in coroutines of every hart; a failure is printed where it happens and
 * counts for the case that runs. Where no coroutine runs (inbox handlers) it is counted alone.
 *
 * The image's command line: --case=NAME (that case, else all that begin so), --seed=N.
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

#include "random.h"

struct test {
	const char *name;
	void (*run)(void);
	bool by_name; /* alone: it takes long */
	void (*around)(void (*run)(void));
};

#define TEST_STR2(x) #x
#define TEST_STR(x) TEST_STR2(x)

/* A case. The section's name carries the line: the linker sorts by it, the compiler might not. */
#define TEST(id) TEST_CASE(id, false, NULL)

/* One that takes minutes: it is run if its full name is asked for. */
#define TEST_LONG(id) TEST_CASE(id, true, NULL)

/* One that `around`, a function, runs: it is given the case as a function. */
#define TEST_AROUND(id, around) TEST_CASE(id, false, around)

/* One that leaves nothing in the scratchpads' public heaps. */
#define TEST_TIDY(id) TEST_AROUND(id, test_tidy)

#define TEST_IN_SECTION __attribute__((used, aligned(sizeof(void *)), TEST_SECTION))
#define TEST_SECTION section(".tests." TEST_STR(__LINE__))
#define TEST_CASE(id, long_, around_)                                                       \
	static void case_##id(void);                                                        \
	static const struct test registered_##id TEST_IN_SECTION = { #id, case_##id, long_, \
								     around_ };             \
	static void case_##id(void)

/* The function of a coroutine that returns an expression, maybe of its `arg`. */
#define BODY(id, value)                   \
	static intptr_t id(void *arg)     \
	{                                 \
		return (intptr_t)(value); \
	}

/* Note a failure and go on. The value is true if x held. */
#define CHECK(x) test_check((x), #x, __FILE__, __LINE__)
#define CHECK_EQ(got, want) \
	test_check_eq((intmax_t)(got), (intmax_t)(want), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want) test_check_str((got), (want), #got, __FILE__, __LINE__)

/* End the calling coroutine if it does not hold: the case, or one that the case spawned. */
#define REQUIRE(x) (CHECK(x) ? (void)0 : co_exit(TEST_LEFT))
#define REQUIRE_EQ(got, want) (CHECK_EQ(got, want) ? (void)0 : co_exit(TEST_LEFT))

/* What a coroutine that a REQUIRE ended returns. */
#define TEST_LEFT INTPTR_MIN

/* Leave the case: it cannot run here, `reason` (a literal) says why. Context: the case itself. */
#define SKIP(reason) test_skip(reason)

bool test_check(bool holds, const char *what, const char *file, int line);
bool test_check_eq(intmax_t got, intmax_t want, const char *what, const char *file, int line);
bool test_check_str(const char *got, const char *want, const char *what, const char *file,
		    int line);
CO_NORETURN void test_skip(const char *reason);

/*
 * Random numbers for stress tests. A run draws its seed from the clock, or takes --seed=N; the
 * first test_random() of a run prints it. Streams of one seed differ from each other and repeat.
 *
 * Example
 *	struct test_random r = test_random(worker_number);
 *	if (test_next(&r) % 4 == 0)
 *		co_pause();
 */
/* Context: coroutine. */
struct test_random test_random(uint64_t stream);

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
		test_check(held_, __VA_ARGS__);                                       \
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
