/* bench.c - benchmarks, faults that are injected, and a lost hart: tests/ontarget/run. */
#include <cohart/cohart.h>
#include <cohart/test.h>

static volatile unsigned sum;

CO_BENCH(adds_a_hundred)
{
	for (unsigned i = 0; i < 100; i++)
		sum = sum + 1;
}

CO_TEST(memory_is_refused, .faults = "memory=2")
{
	void *p[3];
	unsigned refused = 0;

	for (unsigned i = 0; i < 3; i++) {
		p[i] = co_spm_alloc(64, 8);
		refused += !p[i];
	}
	CO_CHECK_EQ(refused, 1);
	CO_CHECK_EQ(p[1], NULL);
	for (unsigned i = 0; i < 3; i++)
		co_spm_free(p[i]);
}

CO_TEST(a_hart_is_lost, .harts = 2, .timeout_s = 30, .faulty = 1)
{
	const uint64_t until = co_after_us(1000000);

	co_test_lose(1);
	while (!co_hart_gone(1) && co_now() < until)
		CO_REQUIRE_EQ(co_sleep_us(1000), 0);
	CO_CHECK(co_hart_gone(1));
}

CO_TEST(hart_0_is_not_lost, .expects = CO_TEST_PANICS)
{
	co_test_lose(0);
}

CO_TEST(a_hart_that_is_not_there_is_not_lost, .expects = CO_TEST_PANICS)
{
	co_test_lose(co_harts());
}
