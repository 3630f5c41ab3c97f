/*
 * test_lost_mover.c - transfers when the move hart is lost that others have asked for them: who
 * waits is told, and later ones are another's.
 *
 * Topologies: 1x(1+2+1) 2x(1+1+1) 1x(1+1+2)
 */
#include <string.h>

#include "loss.h"

#define BYTES (1u << 20)
#define MANY 4

static unsigned char source[BYTES], target[BYTES];
static struct co_dma d[MANY];
static struct co_counter all;

static struct co_a32 go;

static void wait_in_a_handler(struct co_msg *m)
{
	(void)m;
	while (!co_atomic_load(&go, CO_ACQUIRE))
		hal_cpu_relax();
}

static intptr_t copies(void *arg)
{
	(void)arg;
	return co_dma_copy(target, source, BYTES);
}

static void begin(unsigned i)
{
	d[i] = (struct co_dma){
		.to = target, .from = source, .bytes = BYTES, .running = i ? &all : NULL
	};
	CHECK_EQ(co_dma_start(&d[i]), 0);
}

/* One is under way, one waits for that, and three are in its inbox. */
TEST(who_waits_for_a_mover_that_is_lost_is_told)
{
	static struct co_msg hold = { .run = wait_in_a_handler };
	int mover = co_dma_mover(NULL);
	struct co *c;

	if (mover <= 0)
		SKIP("there is no move hart");
	memset(source, 3, sizeof(source));
	co_post((unsigned)mover, &hold);
	begin(0);
	begin(1);
	fault_there((unsigned)mover);
	begin(2);
	begin(3);
	c = test_spawn_on(0, copies, NULL);
	co_sleep_us(2000);
	co_atomic_store(&go, 1, CO_RELEASE); /* paired with wait_in_a_handler() */
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(co_dma_wait_until(&d[i], co_after_us(10000000)), -EHOSTDOWN);
	CHECK_EQ(test_join(c), -EHOSTDOWN);
	CHECK(co_hart_gone((unsigned)mover));
	CHECK(co_dma_mover(NULL) != mover);
	memset(target, 0, BYTES);
	CHECK_EQ(co_dma_copy(target, source, BYTES), 0);
	CHECK_EQ(target[BYTES - 1], 3);
}

static intptr_t asks(void *arg)
{
	unsigned char *mine = target + (uintptr_t)arg * 4096;

	memset(mine, 0, 4096);
	CHECK_EQ(co_dma_copy(mine, source, 4096), 0);
	return mine[4095];
}

TEST(others_find_out_by_themselves)
{
	if (!co_harts_lost())
		SKIP("no hart is lost");
	for (unsigned i = 0; i < test_computes(); i++)
		CHECK_EQ(test_join(test_spawn_on(test_compute(i), asks, (void *)(uintptr_t)i)), 3);
}
