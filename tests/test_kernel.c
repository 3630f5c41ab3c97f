/* test_kernel.c - kernels in floating point, on all compute harts, interrupted by each other. */
#include "harness/kernel.h"
#include "harness/test.h"

#define TURNS 200
#define PER_HART 3

static void go_on(void)
{
}

static struct {
	uint32_t seed;
	uint64_t undisturbed;
	uint64_t interrupted;
} work[512][PER_HART];

static intptr_t alone(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	for (unsigned k = 0; k < PER_HART; k++)
		work[i][k].undisturbed = kernel_mix(work[i][k].seed, TURNS, go_on);
	return 0;
}

static struct co_a32 all_are_there;

static intptr_t among_others(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg / PER_HART, k = (unsigned)(uintptr_t)arg % PER_HART;

	while (!co_atomic_load(&all_are_there, CO_ACQUIRE)) /* paired with the case's release */
		co_pause();
	work[i][k].interrupted = kernel_mix(work[i][k].seed, TURNS, co_pause);
	return 0;
}

TEST(kernels_keep_their_numbers_across_switches)
{
	static struct co *c[512 * PER_HART];
	struct test_random r = test_random(0);
	unsigned n = test_computes();

	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < PER_HART; k++)
			work[i][k].seed = test_below(&r, 1000000);
		test_join(test_spawn_on(test_compute(i), alone, (void *)(uintptr_t)i));
	}
	for (uintptr_t j = 0; j < n * PER_HART; j++)
		c[j] = test_spawn_on(test_compute((unsigned)j / PER_HART), among_others, (void *)j);
	co_atomic_store(&all_are_there, 1, CO_RELEASE);
	for (unsigned j = 0; j < n * PER_HART; j++)
		test_join(c[j]);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < PER_HART; k++)
			CHECK_EQ(work[i][k].interrupted, work[i][k].undisturbed);
		CHECK(work[i][0].seed == work[i][1].seed ||
		      work[i][0].undisturbed != work[i][1].undisturbed);
	}
}
