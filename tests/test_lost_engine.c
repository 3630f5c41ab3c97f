/*
 * test_lost_engine.c - transfers by an engine when the hart is lost that has begun them, or that
 * looks after the engine, which is one that a test can make as slow as it likes.
 *
 * Topologies: 1x(1+4) 1x(1+3+1)
 */
#include <string.h>

#include <hal/dma.h>

#include "../runtime/core/lost.h"
#include "harness/test.h"

#define CHANNELS 2
#define BYTES 512u
#define MANY 5

static struct {
	struct hal_dma_copy copy;
	struct co_a32 busy;
	uint64_t since;
} channel[CHANNELS];
static struct co_a32 delay_ms; /* of each transfer */
static struct co_a32 ready;

static unsigned char source[BYTES], target[MANY][BYTES];
static struct co_dma d[MANY];

int hal_dma_init(void)
{
	return CHANNELS;
}

int hal_dma_start(unsigned n, const struct hal_dma_copy *copy)
{
	if (co_atomic_swap(&channel[n].busy, 1, CO_RELAXED))
		return -EBUSY;
	channel[n].copy = *copy;
	channel[n].since = co_now();
	return 0;
}

int hal_dma_check(unsigned n)
{
	const struct hal_dma_copy *c = &channel[n].copy;

	if (co_us(co_now() - channel[n].since) / 1000 < co_atomic_load(&delay_ms, CO_RELAXED))
		return -EINPROGRESS;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the contract has numbers */
	memcpy((void *)c->to, (const void *)c->from, c->bytes);
	co_atomic_store(&channel[n].busy, 0, CO_RELAXED);
	return 0;
}

static volatile uintptr_t wild = 0x23458; /* nothing is there on any board */

static void fault_in_a_handler(struct co_msg *m)
{
	(void)m;
	*(volatile int *)wild = 1;
}

static void lose(unsigned hart)
{
	static struct co_msg bad[BOARD_MAX_HARTS];

	bad[hart].run = fault_in_a_handler;
	co_post(hart, &bad[hart]);
}

/* A compute hart to lose; 0: too few are left. */
static unsigned victim(unsigned ms)
{
	unsigned i = test_computes() - 1;

	co_atomic_store(&delay_ms, ms, CO_RELAXED);
	co_atomic_store(&ready, 0, CO_RELAXED);
	memset(source, 7, sizeof(source));
	memset(target, 0, sizeof(target));
	for (unsigned n = 0; n < MANY; n++)
		d[n] = (struct co_dma){ .to = target[n], .from = source, .bytes = BYTES };
	while (i && co_hart_gone(test_compute(i)))
		i--;
	return i ? test_compute(i) : 0;
}

static intptr_t begin_all(void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(co_dma_start(&d[i]), 0);
	co_sleep_us(20000); /* they are under way */
	co_atomic_store(&ready, 1, CO_RELEASE);
	while (co_sleep_us(1000000) == 0)
		;
	return 0;
}

TEST(what_a_lost_hart_had_begun_has_ended_before_joins)
{
	unsigned hart = victim(150);
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c = test_spawn_on(hart, begin_all, (void *)MANY);
	test_await(&ready, 1);
	lose(hart);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < MANY; i++) {
		/* What had not begun does not any more. */
		CHECK_EQ(co_dma_check(&d[i]), i < CHANNELS ? 0 : -EHOSTDOWN);
		CHECK_EQ(target[i][0], i < CHANNELS ? 7 : 0);
	}
}

TEST(one_that_does_not_end_is_told_of_after_a_second)
{
	unsigned hart = victim(100000);
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c = test_spawn_on(hart, begin_all, (void *)1);
	test_await(&ready, 1);
	lose(hart);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(CO_LOST_TRANSFERS_US / 2)), -ETIMEDOUT);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(20 * CO_LOST_TRANSFERS_US)), -EHOSTDOWN);
	CHECK_EQ(co_dma_check(&d[0]), -EINPROGRESS);
	co_atomic_store(&delay_ms, 0, CO_RELAXED);
	CHECK_EQ(co_dma_wait(&d[0]), 0);
}

TEST(hart_0_takes_the_engine_over)
{
	bool engine = false;
	int mover = co_dma_mover(&engine);

	victim(100);
	CHECK(engine);
	if (mover <= 0)
		SKIP("hart 0 has it already");
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(co_dma_start(&d[i]), 0);
	co_sleep_us(20000);
	lose((unsigned)mover);
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_EQ(co_dma_wait_until(&d[i], co_after_us(10000000)), 0);
		CHECK_EQ(target[i][BYTES - 1], 7);
	}
	CHECK(co_hart_gone((unsigned)mover));
	CHECK_EQ(co_dma_mover(&engine), 0);
	CHECK(engine);
	memset(target, 0, sizeof(target));
	co_atomic_store(&delay_ms, 1, CO_RELAXED);
	CHECK_EQ(co_dma_copy(target[0], source, BYTES), 0);
	CHECK_EQ(target[0][BYTES - 1], 7);
}
