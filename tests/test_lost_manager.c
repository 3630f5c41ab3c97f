/*
 * test_lost_manager.c - what harts do for each other: calls of hart 0 when the hart is lost that
 * made them, or by way of which they go, and transfers when the move hart is lost.
 *
 * Topologies: 2x(1+2) 3x(1+1) 1x(1+2+1) 2x(1+1+1) 1x(1+1+2)
 */
#include <cohart/proxy.h>

#include "loss.h"

/* ---- Transfers ---- */

#define BYTES (1u << 20)
#define MANY 4

static unsigned char source[BYTES], target[BYTES];
static struct co_dma d[MANY];
static bool has_moved; /* the first case has run */
static struct co_counter all;

BODY(copies, co_dma_copy(target, source, BYTES))

static void begin(unsigned i)
{
	d[i] = (struct co_dma){
		.to = target, .from = source, .bytes = BYTES, .running = i ? &all : NULL
	};
	CHECK_EQ(co_dma_start(&d[i]), 0);
}

/* One is under way, one waits for that, and three are in its inbox. */
TEST_FAULTY(who_waits_for_a_mover_that_is_lost_is_notified)
{
	int mover = co_dma_mover(NULL);
	struct co *c;

	if (mover <= 0)
		SKIP("there is no move hart");
	has_moved = true;
	memset(source, 3, sizeof(source));
	hold_up((unsigned)mover);
	begin(0);
	begin(1);
	fault_there((unsigned)mover);
	begin(2);
	begin(3);
	c = test_spawn_on(0, copies, NULL);
	test_sleep_us(2000);
	let_go_on();
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
	if (!has_moved)
		SKIP("there is no move hart");
	for (unsigned i = 0; i < test_computes(); i++)
		CHECK_EQ(test_join(test_spawn_on(test_compute(i), asks, (void *)(uintptr_t)i)), 3);
}

/* ---- Calls of hart 0 ---- */

#define CALLERS 4

static struct co_a32 calls, begun, write_now;

BODY(triple, 3 * *(int *)arg)

static intptr_t call(void *arg)
{
	co_atomic_add(&begun, 1, CO_RELEASE);
	return co_proxy_call(triple, arg);
}

TEST_FAULTY(calls_go_on_without_the_manager_they_go_by)
{
	static int number[CALLERS] = { 1, 2, 3, 4 };
	struct co *c[CALLERS];
	const struct co_group *g;

	if (co_groups() < 2)
		SKIP("there is one group");
	g = co_group(1);
	hold_up(g->manager);
	for (unsigned i = 0; i < CALLERS; i++) {
		c[i] = test_spawn_on(g->compute, call, &number[i]);
		test_await(&begun, i + 1);
		test_sleep_us(1000);
		if (i == 1)
			fault_there(g->manager); /* two before it, two behind it */
	}
	let_go_on();
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
	test_sleep_us(50000);
	*(int *)arg += 1;
	return 0;
}

static int written;

BODY(call_late, co_proxy_call(write_late, &written))

TEST_FAULTY(what_hart_0_does_for_a_lost_hart_is_over_before_joins)
{
	unsigned hart = hart_to_lose();
	struct co *c[2];

	for (unsigned i = 0; i < 2; i++)
		c[i] = test_spawn_on(hart, call_late, NULL);
	test_await(&calls, 1);
	fault_there(hart);
	REQUIRE(comes_to_be_gone(hart));
	co_atomic_store(&write_now, 1, CO_RELEASE); /* paired with write_late() */
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
	CHECK_EQ(written, 1);
	test_sleep_us(400000);
	CHECK_EQ(written, 1); /* the other one is not even begun */
	CHECK_EQ(co_atomic_load(&calls, CO_ACQUIRE), 1);
}
