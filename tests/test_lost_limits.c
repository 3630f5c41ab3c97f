/*
 * test_lost_limits.c - what hart 0 cannot touch of a lost hart's, or may not any more: it leaves it
 * alone, and goes on.
 */
#include <stdlib.h>
#include <string.h>

#include <cohart/event.h>

#include "loss.h"
#include "queue.h"

static struct co_a32 ready, go;

/* The one to lose; 0: too few are left. */
static unsigned victim(void)
{
	co_atomic_store(&ready, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	return last_left();
}

/* ---- In its private scratchpad ---- */

static struct co_mutex *its_own;

static intptr_t hold_its_own(void *arg)
{
	struct co_mutex m = { 0 };

	(void)arg;
	CHECK_EQ(co_mutex_lock(&m), 0);
	its_own = &m;
	co_atomic_add(&ready, 1, CO_RELEASE);
	while (co_sleep_us(1000000) == 0)
		;
	return 0;
}

static intptr_t wait_for_its_own(void *arg)
{
	struct co_event e;

	(void)arg;
	memset(&e, 0, sizeof(e));
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_event_wait(&e);
}

/* That of its neighbour. */
static intptr_t want_its_own(void *arg)
{
	(void)arg;
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_mutex_lock(its_own);
}

TEST(what_others_cannot_read_is_left_alone)
{
	unsigned hart = victim();
	struct co *c[3];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c[0] = test_spawn_on(hart, hold_its_own, NULL);
	c[1] = test_spawn_on(hart, wait_for_its_own, NULL);
	test_await(&ready, 2);
	c[2] = test_spawn_on(hart, want_its_own, NULL);
	test_await(&ready, 3);
	co_sleep_us(2000);
	fault_there(hart);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
}

/* ---- In the middle of a queue ---- */

CO_BARRIER(step, 3);

static intptr_t be_a_member(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	int r;

	co_barrier_bind(&step, me);
	co_atomic_add(&ready, 1, CO_RELEASE);
	while (!me && co_sleep_us(1000000) == 0)
		;
	r = co_barrier_wait_until(&step, me, co_after_us(60000000)); /* so it parks */
	co_barrier_unbind(&step, me);
	return r;
}

static void fault_with_a_lock(struct co_msg *m)
{
	queue_lock(&step.first[1].queue);
	fault_in_a_handler(m);
}

TEST(a_queue_that_stays_locked_does_not_hold_up_the_others)
{
	static struct co_msg bad;
	unsigned hart = victim();
	struct co *c[3];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 3; i++)
		c[i] = test_spawn_on(i ? 1 : hart, be_a_member, (void *)(uintptr_t)i);
	test_await(&ready, 3);
	co_sleep_us(20000);
	bad.run = fault_with_a_lock;
	co_post(hart, &bad);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(c[2]), -EOWNERDEAD);
	queue_unlock(&step.first[1].queue);
	co_wake_one(&step.first[1].queue);
	CHECK_EQ(test_join(c[1]), -EOWNERDEAD);
}

/* ---- In memory that is somebody else's by then ---- */

static intptr_t keep_the_hart(void *arg)
{
	CHECK_EQ(co_mutex_lock(arg), 0);
	co_atomic_store(&ready, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE))
		;
	co_yield(); /* if it takes no alarm, it stops here */
	return 0;
}

static struct co *held_by;
static struct co_mutex *held;

static intptr_t join_and_reuse(void *arg)
{
	int r;

	(void)arg;
	/* Again and again: the hart is marked as lost before what it held is let go of. */
	while ((r = co_join_until(held_by, NULL, co_after_us(50))) == -ETIMEDOUT)
		;
	memset(held, 0x55, sizeof(*held));
	return r;
}

TEST(nothing_is_written_after_the_join)
{
	unsigned hart = victim(), changed = 0;
	struct co *joins;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	held = calloc(1, sizeof(*held));
	REQUIRE(held);
	held_by = test_spawn_on(hart, keep_the_hart, held);
	test_await(&ready, 1);
	joins = test_spawn_on(1, join_and_reuse, NULL);
	CHECK(co_hart_lose(hart));
	CHECK_EQ(test_join(joins), -EHOSTDOWN);
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK(has_stopped(hart)); /* with alarms or without */
	for (unsigned i = 0; i < 4; i++) {
		co_sleep_us(5000);
		co_hart_lose_rest(hart);
	}
	for (unsigned i = 0; i < sizeof(*held); i++)
		changed += ((unsigned char *)held)[i] != 0x55;
	CHECK_EQ(changed, 0);
	free(held);
}
