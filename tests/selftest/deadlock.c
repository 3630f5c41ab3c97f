/* deadlock.c - two coroutines, each waiting for the other to speak first. */
#include "../harness/test.h"

CO_CHANNEL(to_alice, int, 1);
CO_CHANNEL(to_bob, int, 1);

static intptr_t alice(void *arg)
{
	int x;

	(void)arg;
	CHECK_EQ(co_chan_recv(&to_alice, &x), 0);
	CHECK_EQ(co_chan_send(&to_bob, &x), 0);
	return 0;
}

static intptr_t bob(void *arg)
{
	int x;

	(void)arg;
	CHECK_EQ(co_chan_recv(&to_bob, &x), 0);
	CHECK_EQ(co_chan_send(&to_alice, &x), 0);
	return 0;
}

TEST(two_wait_for_each_other)
{
	struct co *a, *b;
	const unsigned last = co_harts() - 1;

	REQUIRE_EQ(co_spawn(&a, &(struct co_attr){ "alice", CO_ON_HART(last), 0 }, alice, NULL), 0);
	REQUIRE_EQ(co_spawn(&b, &(struct co_attr){ "bob", CO_ON_HART(0), 0 }, bob, NULL), 0);
	co_join(a, NULL);
	co_join(b, NULL);
}
