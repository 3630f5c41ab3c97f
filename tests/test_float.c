/* test_float.c - floating-point registers across switches: saved only for those that use them. */
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

#endif
