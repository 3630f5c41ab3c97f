/*
 * test_lost_manager.c - calls of hart 0 when the hart is lost that made them, or by way of which
 * they go.
 *
 * Topologies: 2x(1+2) 3x(1+1)
 */
#include <cohart/proxy.h>

#include "loss.h"

#define CALLERS 4

static struct co_a32 go, calls, begun, write_now;

static void wait_in_a_handler(struct co_msg *m)
{
	(void)m;
	while (!co_atomic_load(&go, CO_ACQUIRE))
		hal_cpu_relax();
}

static intptr_t triple(void *arg)
{
	return 3 * *(int *)arg;
}

static intptr_t call(void *arg)
{
	co_atomic_add(&begun, 1, CO_RELEASE);
	return co_proxy_call(triple, arg);
}

TEST(calls_go_on_without_the_manager_they_go_by)
{
	static struct co_msg hold = { .run = wait_in_a_handler };
	static int number[CALLERS] = { 1, 2, 3, 4 };
	struct co *c[CALLERS];
	const struct co_group *g;

	if (co_groups() < 2)
		SKIP("there is one group");
	g = co_group(1);
	co_post(g->manager, &hold);
	for (unsigned i = 0; i < CALLERS; i++) {
		c[i] = test_spawn_on(g->compute, call, &number[i]);
		test_await(&begun, i + 1);
		co_sleep_us(1000);
		if (i == 1)
			fault_there(g->manager); /* two before it, two behind it */
	}
	co_atomic_store(&go, 1, CO_RELEASE); /* paired with wait_in_a_handler() */
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK_EQ(test_join(c[i]), 3 * number[i]);
	REQUIRE(comes_to_be_gone(g->manager));
	CHECK_EQ(test_join(test_spawn_on(g->compute, call, &number[0])), 3);
}

/* Slow: it is at it when its caller's hart is lost, and for a while after that. */
static intptr_t write_late(void *arg)
{
	co_atomic_add(&calls, 1, CO_RELEASE);
	test_await(&write_now, 1);
	co_sleep_us(50000);
	*(int *)arg += 1;
	return 0;
}

static int written;

static intptr_t call_late(void *arg)
{
	(void)arg;
	return co_proxy_call(write_late, &written);
}

TEST(what_hart_0_does_for_a_lost_hart_is_over_before_joins)
{
	unsigned hart = co_harts() - 1;
	struct co *c[2];

	if (co_harts() < 3)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 2; i++)
		c[i] = test_spawn_on(hart, call_late, NULL);
	test_await(&calls, 1);
	fault_there(hart);
	REQUIRE(comes_to_be_gone(hart));
	co_atomic_store(&write_now, 1, CO_RELEASE); /* paired with write_late() */
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
	CHECK_EQ(written, 1);
	co_sleep_us(400000);
	CHECK_EQ(written, 1); /* the other one is not even begun */
	CHECK_EQ(co_atomic_load(&calls, CO_ACQUIRE), 1);
}
