/* leave.c - main returns while coroutines still live. */
#include "../harness/test.h"

CO_CHANNEL(silent, int, 1);

static intptr_t obeys(void *arg)
{
	int x;

	CHECK_EQ(co_chan_recv(&silent, &x), -ECANCELED);
	return 0;
}

static intptr_t ignores(void *arg)
{
	int x;

	while (co_chan_recv(&silent, &x) == -ECANCELED)
		co_pause();
	return 0;
}

static void leave_behind(co_fn *fn, const char *name)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(co_harts() - 1) };

	REQUIRE_EQ(co_spawn(NULL, &attr, fn, NULL), 0);
}

static intptr_t fruit(void *arg)
{
	co_pause();
	return (intptr_t)arg;
}

/* Ends when it is asked to, and starts others until then and after. */
static intptr_t multiplies(void *arg)
{
	const struct co_attr attr = { .name = "fruit", .on = CO_ON_HART(co_harts() - 1) };
	int last = 100;

	while (!co_canceled() || last--) {
		struct co *c;

		if (co_spawn(&c, &attr, fruit, arg) == 0)
			co_detach(c);
		co_pause();
	}
	return 0;
}

TEST(obedient)
{
	leave_behind(obeys, "obedient");
}

TEST(stubborn)
{
	leave_behind(ignores, "stubborn");
}

TEST(fruitful)
{
	for (unsigned i = 0; i < 4; i++)
		leave_behind(multiplies, "fruitful");
	test_sleep_us(1000);
}
