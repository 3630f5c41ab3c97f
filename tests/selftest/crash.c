/* crash.c - faults on a compute hart; --case= chooses which. */
#include "../harness/test.h"

#define WILD 0x123458 /* nothing is there on any board */

static volatile uintptr_t wild = WILD; /* so that the compiler cannot know */

static __attribute__((noinline)) void scribble(void)
{
	*(volatile uint32_t *)wild = 1;
}

static intptr_t wild_pointer(void *arg)
{
	(void)arg;
	scribble();
	return 0;
}

static __attribute__((noinline)) uint32_t deep(volatile uint32_t *above)
{
	volatile uint32_t here[256] = { *above };

	return *above == WILD ? 0 : deep(here) + here[1]; /* never: the value handed down is 0 */
}

static intptr_t overflow(void *arg)
{
	volatile uint32_t top = 0;

	(void)arg;
	return (intptr_t)deep(&top);
}

static intptr_t assertion(void *arg)
{
	(void)arg;
	CO_ASSERT(wild == 0);
	return 0;
}

static intptr_t call_data(void *arg)
{
	static uint32_t data[16];
	void (*volatile f)(void) = (void (*)(void))(uintptr_t)data;

	(void)arg;
	f();
	return 0;
}

static void crash(co_fn *fn, const char *name)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(co_harts() - 1) };
	struct co *c;

	REQUIRE_EQ(co_spawn(&c, &attr, fn, NULL), 0);
	co_join(c, NULL);
}

TEST(store_through_a_wild_pointer)
{
	crash(wild_pointer, "scribbler");
}

TEST(stack_overflow)
{
	crash(overflow, "digger");
}

TEST(failed_assertion)
{
	crash(assertion, "claimant");
}

TEST(jump_into_data)
{
	crash(call_data, "jumper");
}

TEST(null_pointer_on_the_management_hart)
{
	volatile uintptr_t null = 0;

	*(volatile int *)null = 1;
}
