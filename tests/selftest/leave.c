/* leave.c - main returns while coroutines still live. */
#include "../harness/test.h"

CO_CHANNEL(silent, int, 1);

static intptr_t obeys(void *arg)
{
	int x;

	(void)arg;
	CHECK_EQ(co_chan_recv(&silent, &x), -ECANCELED);
	return 0;
}

static intptr_t ignores(void *arg)
{
	int x;

	(void)arg;
	while (co_chan_recv(&silent, &x) == -ECANCELED)
		co_yield();
	return 0;
}

static void leave_behind(co_fn *fn, const char *name)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(co_harts() - 1) };

	REQUIRE_EQ(co_spawn(NULL, &attr, fn, NULL), 0);
}

TEST(obedient)
{
	leave_behind(obeys, "obedient");
}

TEST(stubborn)
{
	leave_behind(ignores, "stubborn");
}
