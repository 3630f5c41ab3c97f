/*
 * short.c - more coroutines than there is room for: ended ones that nobody has joined, live ones.
 */
#include "../harness/test.h"

enum { MOST = 300 };

static struct co *started[MOST];
static struct co_a32 go, back;

static intptr_t come_back(void *arg)
{
	co_atomic_add(&back, 1, CO_RELAXED);
	return (intptr_t)arg;
}

static intptr_t stay(void *arg)
{
	while (arg && !co_atomic_load(&go, CO_ACQUIRE)) /* paired with the case's release */
		test_sleep_us(1000);
	return (intptr_t)arg;
}

/* Until no more start; all are joined then. Returns how many did. */
static unsigned start_many(const struct co_attr *attr, co_fn *fn)
{
	unsigned n = 0;

	for (; n < MOST && co_spawn(&started[n], attr, fn, &go) == 0; n++) {
		if (fn == come_back)
			test_await(&back, n + 1); /* so all before it have ended */
	}
	test_sleep_us(20000);
	co_atomic_store(&go, 1, CO_RELEASE);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(test_join(started[i]), (intptr_t)&go);
	return n;
}

TEST(ended_ones_are_not_joined)
{
	unsigned n = start_many(&(struct co_attr){ .on = CO_ON_HART(co_harts() - 1) }, come_back);

	printf("# %u were started\n", n);
	CHECK(n >= 64 || co_harts() == 1);
}

TEST(one_hart_has_many)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };

	printf("# %u were started\n", start_many(&attr, stay));
}

TEST(many_live_anywhere)
{
	printf("# %u were started\n", start_many(NULL, stay));
}
