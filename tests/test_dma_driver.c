/*
 * test_dma_driver.c - a board's engine behind hal/dma.h, without the runtime: its interrupt ends a
 * sleep and is taken back, a channel is busy until it has been looked at, errors are reported.
 */
#include <hal/dma.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "harness/test.h"

#define ROW 256
#define ROWS 5

static unsigned char from[ROWS * 2 * ROW], to[ROWS * ROW];
static struct hal_dma_copy copy;

static void prepare(void)
{
	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)(i * 13 + i / ROW);
	memset(to, 0, sizeof(to));
	copy = (struct hal_dma_copy){ .to = (uintptr_t)to,
				      .from = (uintptr_t)from,
				      .bytes = ROW,
				      .rows = ROWS,
				      .to_stride = ROW,
				      .from_stride = 2 * ROW };
}

static void check_rows(void)
{
	for (unsigned row = 0; row < ROWS; row++)
		CHECK_EQ(memcmp(to + row * ROW, from + row * 2 * ROW, ROW), 0);
}

/* How often hal_irq_wait() returns in that time, with nothing that should make it. */
static unsigned returns_in(uint64_t ticks)
{
	uint64_t end = hal_time_now() + ticks;
	unsigned returns = 0;

	hal_ipi_clear();
	while (hal_time_now() < end) {
		hal_time_wake_at(end);
		hal_irq_wait();
		returns++;
	}
	return returns;
}

static intptr_t sleep_on_it(void *arg)
{
	uint64_t second = hal_time_hz();
	uint64_t start;
	int r;

	CHECK(returns_in(second / 500) < 20);
	hal_ipi_clear();
	start = hal_time_now();
	r = hal_dma_start(0, &copy);
	for (unsigned row = 0; r == 0 && row < 100; row++) {
		hal_time_wake_at(start + 10 * second);
		hal_irq_wait();
		r = hal_dma_check(0);
		if (r == 0)
			break;
		r = r == -EINPROGRESS ? 0 : r;
	}
	CHECK_EQ(r, 0);
	CHECK(hal_time_now() - start < 5 * second); /* it was not the timer */
	CHECK(returns_in(second / 500) < 20);
	return (intptr_t)arg;
}

static intptr_t ask_too_much(void *arg)
{
	struct hal_dma_copy wrong = copy;
	int r = -EINPROGRESS;

	wrong.to = UINTPTR_MAX - ROW;
	CHECK(hal_dma_start(0, &wrong) < 0);
	wrong = copy;
	wrong.from = 0;
	CHECK_EQ(hal_dma_start(0, &wrong), -EFAULT);
	CHECK_EQ(hal_dma_start(0, &copy), 0);
	CHECK_EQ(hal_dma_start(0, &copy), -EBUSY);
	for (unsigned i = 0; r == -EINPROGRESS && i < 100000; i++)
		r = hal_dma_check(0);
	CHECK_EQ(r, 0);
	return (intptr_t)arg;
}

static void on_its_hart(co_fn *fn)
{
	bool engine = false;
	int hart = co_dma_mover(&engine);

	if (!engine)
		SKIP("this board has no engine");
	prepare();
	test_join(test_spawn_on((unsigned)hart, fn, NULL));
	check_rows();
}

TEST(its_interrupt_ends_a_sleep_and_is_taken_back)
{
	on_its_hart(sleep_on_it);
}

TEST(a_busy_channel_and_bad_addresses_are_refused)
{
	on_its_hart(ask_too_much);
}
