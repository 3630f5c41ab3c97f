/* test_float.c - floating-point registers across switches: saved only for those that use them. */
#include <fenv.h>
#include <string.h>

#include <cohart/mailbox.h>

#include "harness/test.h"

#ifndef CO_NO_FP

enum { ROUNDS = 50, SUMS = 12 }; /* as many as registers that a callee preserves, or more */

/* All sums live across `give_way`, so that a compiler keeps them in registers. */
static void __attribute__((noinline)) sum_up(double a, void (*give_way)(void), double out[SUMS])
{
	double b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
	double g = a + 6, h = a + 7, i = a + 8, j = a + 9, k = a + 10, l = a + 11;

	for (unsigned n = 0; n < ROUNDS; n++) {
		a += b / 3;
		b += c / 3;
		c += d / 3;
		d += e / 3;
		e += f / 3;
		f += g / 3;
		g += h / 3;
		h += i / 3;
		i += j / 3;
		j += k / 3;
		k += l / 3;
		l += a / 3;
		give_way();
	}
	memcpy(out, (const double[SUMS]){ a, b, c, d, e, f, g, h, i, j, k, l },
	       SUMS * sizeof(*out));
}

static void go_on(void)
{
}

static void yield(void)
{
	co_pause();
}

static void sleep_briefly(void)
{
	CHECK_EQ(co_sleep_us(1), 0);
}

static intptr_t sum_and_check(void *arg, void (*give_way)(void))
{
	double seed = (double)(intptr_t)arg, got[SUMS], expected[SUMS];

	sum_up(seed, give_way, got);
	sum_up(seed, go_on, expected);
	CHECK(memcmp(got, expected, sizeof(expected)) == 0);
	return 0;
}

BODY(yields, sum_and_check(arg, yield))

BODY(sleeps, sum_and_check(arg, sleep_briefly))

static intptr_t counts(void *arg)
{
	for (intptr_t i = 0; i < (intptr_t)arg; i++)
		co_pause();
	return 0;
}

/* Ends in the middle of what others calculate, with registers that it has changed. */
static intptr_t ends(void *arg)
{
	volatile double x = (double)(intptr_t)arg;

	x = x / 3;
	return x > 0;
}

static void run(co_fn *const fn[], unsigned n, unsigned hart)
{
	struct co *c[8];

	for (unsigned i = 0; i < n; i++)
		c[i] = test_spawn_on(hart, fn[i], (void *)(uintptr_t)(i + 1));
	for (unsigned i = 0; i < n; i++)
		test_join(c[i]);
}

TEST(registers_live_on_across_yields)
{
	co_fn *const fn[] = { yields, yields, yields };

	run(fn, 3, co_harts() - 1);
}

TEST(registers_live_on_beside_coroutines_that_use_none)
{
	co_fn *const fn[] = { yields, counts, ends, yields, counts, ends };

	run(fn, 6, co_harts() - 1);
}

TEST(registers_live_on_across_sleeps)
{
	co_fn *const fn[] = { sleeps, ends, sleeps, counts };

	run(fn, 4, co_harts() - 1);
	run(fn, 1, co_harts() - 1); /* alone: in place */
}

/* ---- Rounding mode and flags ---- */

#ifdef FE_UPWARD
static intptr_t mode_and_flags(void *arg)
{
	(void)arg;
	return fegetround() | fetestexcept(FE_ALL_EXCEPT);
}

static void change(void)
{
	CHECK_EQ(fesetround(FE_UPWARD), 0);
	CHECK_EQ(feraiseexcept(FE_OVERFLOW), 0);
}

static intptr_t changes(void *give_way)
{
	change();
	for (unsigned i = 0; give_way && i < 10; i++) {
		test_sleep_us(i % 2 ? 200 : 1);
		CHECK_EQ(fegetround(), FE_UPWARD);
		CHECK(fetestexcept(FE_OVERFLOW));
	}
	return 0;
}

static intptr_t changes_and_faults(void *arg)
{
	change();
	*(volatile int *)arg = 1;
	return 0;
}

static intptr_t looks(void *arg)
{
	volatile double one = 1, three = 3;

	feclearexcept(FE_ALL_EXCEPT);
	for (unsigned i = 0; i < 20; i++) {
		CHECK_EQ(fegetround(), FE_TONEAREST);
		CHECK(!fetestexcept(FE_OVERFLOW));
		CHECK(one / three == 0x1.5555555555555p-2);
		test_sleep_us(100);
	}
	return 0;
}

#define NOT_ON_A_PC()                                       \
	do {                                                \
		if (!strcmp(co_board(), "host"))            \
			SKIP("a PC's contexts share them"); \
	} while (0)

TEST(rounding_mode_and_flags_are_a_coroutines_own)
{
	NOT_ON_A_PC();
	for (unsigned hart = 0; hart < co_harts(); hart += co_harts() - 1) {
		struct co *c[] = { test_spawn_on(hart, changes, &hart),
				   test_spawn_on(hart, looks, NULL) };

		test_join_all(c, 2, 0);
		CHECK_EQ(fegetround(), FE_TONEAREST);
	}
}

TEST_FAULTY(a_coroutine_begins_with_the_default_whoever_ended_before_it)
{
	NOT_ON_A_PC();
	for (unsigned hart = 0; hart < co_harts(); hart += co_harts() - 1) {
		for (unsigned i = 0; i < 4; i++) {
			CHECK_EQ(test_join(test_spawn_on(hart, changes, NULL)), 0);
			CHECK_EQ(test_join(test_spawn_on(hart, mode_and_flags, NULL)),
				 FE_TONEAREST);
			CHECK_EQ(co_join(test_spawn_on(hart, changes_and_faults, (void *)0x23458),
					 NULL),
				 -EFAULT);
			CHECK_EQ(test_join(test_spawn_on(hart, mode_and_flags, NULL)),
				 FE_TONEAREST);
		}
	}
	CHECK_EQ(fegetround(), FE_TONEAREST);
	CHECK(!fetestexcept(FE_OVERFLOW));
}

static int changes_in_a_part(void *arg, struct co_part *p)
{
	CHECK_EQ(mode_and_flags(NULL), FE_TONEAREST);
	change();
	return 0;
}

TEST(a_member_of_a_loop_begins_with_the_default)
{
	static struct co_parallel loop;

	NOT_ON_A_PC();
	for (unsigned i = 0; i < 2; i++) {
		loop = LOOP(changes_in_a_part, (long)test_computes());
		CHECK_EQ(co_parallel_for(&loop), 0);
	}
}

static int mode_behind;

static void changes_and_receives(struct co_mailbox *box, const struct co_mail *m)
{
	uintptr_t word;

	(void)box, (void)m;
	change();
	CHECK(co_mail_try_recv(CO_MAIL_OTHER, &word, 1, NULL) < 0);
	mode_behind = fegetround();
}

TEST(a_handler_that_receives_keeps_its_rounding_mode)
{
	struct co_mailbox box;
	uintptr_t word = 0;

	NOT_ON_A_PC();
	REQUIRE_EQ(co_mailbox_handle(&box, 7, changes_and_receives, NULL), 0);
	CHECK_EQ(co_mail_send(co_hart(), 7, &word, 1), 0);
	test_sleep_us(1);
	CHECK_EQ(mode_behind, FE_UPWARD);
	CHECK_EQ(fegetround(), FE_TONEAREST);
	CHECK_EQ(co_mailbox_close(&box), 0);
}
#endif

#endif
