/*
 * test_dma_absent.c - a board whose DMA engine does not answer: harts move memory.
 *
 * Topologies: 1x(1+2+1)
 */
#include <hal/dma.h>

#include "harness/test.h"

#define BYTES (20u << 10)

static unsigned char source[BYTES], target[BYTES];

int hal_dma_init(void)
{
	return -ENODEV;
}

int hal_dma_start(unsigned n, const struct hal_dma_copy *copy)
{
	CHECK(!"nobody asks an engine that does not answer");
	return -ENODEV;
}

int hal_dma_check(unsigned n)
{
	return hal_dma_start(n, NULL);
}

TEST(there_is_no_engine)
{
	bool engine = true;
	int hart = co_dma_mover(&engine);

	CHECK(!engine);
	CHECK(hart < 0 || co_hart_role((unsigned)hart) == CO_ROLE_MOVE);
}

TEST(what_is_to_be_moved_arrives_all_the_same)
{
	for (unsigned i = 0; i < BYTES; i++)
		source[i] = (unsigned char)(i * 7 + i / 251);
	CHECK_EQ(co_dma_copy(target, source, BYTES), 0);
	CHECK_EQ(memcmp(target, source, BYTES), 0);
}
