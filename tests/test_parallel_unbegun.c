/*
 * test_parallel_unbegun.c - loops of which a hart is lost before it has begun its share, or in the
 * middle of several indices.
 *
 * Topologies: 1x(1+7)
 */
#include <errno.h>
#include <string.h>

#include <hal/cpu.h>

#include "../runtime/core/lost.h"
#include "../runtime/data/parallel.h"
#include "harness/test.h"

#define MOST 400

static struct co_parallel loop, outer;
static struct co_a32 times[MOST];
static struct co_a32 hung; /* the hart + 1 that does not come back */

static int note(void *arg, struct co_part *p)
{
	(void)arg;
	for (long i = p->from[0]; i < p->to[0]; i++)
		co_atomic_add(&times[i], 1, CO_RELAXED);
	return 0;
}

static bool all_done(void)
{
	bool right = true;

	for (unsigned i = 0; i < MOST; i++)
		right &= co_atomic_load(&times[i], CO_RELAXED) == 1;
	return right;
}

static void set_up(enum co_schedule schedule)
{
	memset(times, 0, sizeof(times));
	co_atomic_store(&hung, 0, CO_RELAXED);
	loop = (struct co_parallel){
		.body = note, .dims = 1, .range = { { 0, MOST, 1 } }, .schedule = schedule
	};
}

static intptr_t does(void *arg)
{
	return co_parallel_for(arg);
}

_Noreturn static intptr_t hang(void *arg)
{
	(void)arg;
	co_atomic_store(&hung, co_hart() + 1, CO_RELEASE); /* paired with test_await() */
	while (true)
		hal_cpu_relax();
}

static unsigned live(void)
{
	return test_computes() - co_harts_lost();
}

/* A compute hart that is left. */
static unsigned last_hart(void)
{
	unsigned m = test_computes() - 1;

	while (co_hart_lost(test_compute(m)))
		m--;
	return test_compute(m);
}

/* A loop is begun while a hart hangs, and then that is lost. @return what the loop does */
static intptr_t begin_beside_a_hart_that_hangs(void)
{
	struct co *c;

	(void)test_spawn_on(last_hart(), hang, NULL);
	REQUIRE(test_await(&hung, 1));
	c = test_spawn_on(0, does, &loop);
	CHECK_EQ(co_sleep_us(10000), 0);
	CHECK(co_hart_lose(co_atomic_load(&hung, CO_RELAXED) - 1));
	return test_join(c);
}

/* The first loop: no hart has a worker yet. */
TEST(blocks_are_done_without_a_hart_that_was_lost_before_its_worker_began)
{
	if (live() < 2)
		SKIP("there is one compute hart");
	set_up(CO_DYNAMIC);
	CHECK_EQ(begin_beside_a_hart_that_hangs(), 0);
	CHECK(all_done());
}

TEST(a_sum_of_which_a_lost_hart_had_not_begun_its_part_is_an_error)
{
	static const long zero;
	static long sum = 5;

	if (live() < 2)
		SKIP("there is one compute hart left");
	set_up(CO_DYNAMIC);
	loop.reduction = (struct co_reduction){ sizeof(sum), &zero, co_sum_long, &sum };
	CHECK_EQ(begin_beside_a_hart_that_hangs(), -EHOSTDOWN);
	CHECK_EQ(sum, 5);
}

TEST(blocks_of_several_are_done_without_a_hart_whose_worker_had_not_begun)
{
	for (unsigned i = 0; i < 2; i++) {
		if (live() < 2)
			SKIP("there is one compute hart left");
		set_up(i ? CO_GUIDED : CO_DYNAMIC);
		loop.block = 7;
		CHECK_EQ(begin_beside_a_hart_that_hangs(), 0);
		CHECK(all_done());
	}
}

TEST(blocks_are_done_without_a_hart_whose_worker_had_not_begun_this_loop)
{
	if (live() < 2)
		SKIP("there is one compute hart left");
	set_up(CO_GUIDED);
	CHECK_EQ(begin_beside_a_hart_that_hangs(), 0);
	CHECK(all_done());
}

static int hangs_on_one(void *arg, struct co_part *p)
{
	(void)p;
	return co_hart() == *(unsigned *)arg ? (int)hang(NULL) : 0;
}

/* Its worker hangs in a loop, so the next loop has a coroutine there. */
static intptr_t lose_a_coroutine_that_has_not_begun(enum co_schedule schedule)
{
	static unsigned hart;
	struct co *o, *c;

	hart = last_hart();
	set_up(schedule);
	outer = (struct co_parallel){
		.body = hangs_on_one, .arg = &hart, .dims = 1, .range = { { 0, MOST, 1 } }
	};
	o = test_spawn_on(0, does, &outer);
	REQUIRE(test_await(&hung, 1));
	c = test_spawn_on(0, does, &loop);
	CHECK_EQ(co_sleep_us(10000), 0);
	CHECK(co_hart_lose(hart));
	CHECK_EQ(test_join(o), -EHOSTDOWN);
	return test_join(c);
}

TEST(a_share_that_was_not_begun_is_an_error)
{
	if (live() < 2)
		SKIP("there is one compute hart left");
	CHECK_EQ(lose_a_coroutine_that_has_not_begun(CO_STATIC), -EHOSTDOWN);
	CHECK(!all_done());
}

TEST(blocks_are_done_without_a_coroutine_that_had_not_begun)
{
	if (live() < 2)
		SKIP("there is one compute hart left");
	CHECK_EQ(lose_a_coroutine_that_has_not_begun(CO_DYNAMIC), 0);
	CHECK(all_done());
}

TEST(a_share_of_a_worker_that_had_not_begun_is_an_error)
{
	if (live() < 2)
		SKIP("there is one compute hart left");
	set_up(CO_STATIC);
	CHECK_EQ(begin_beside_a_hart_that_hangs(), -EHOSTDOWN);
	CHECK(!all_done());
}

/* The first who comes to the middle of a block of ten hangs there. */
static int hangs_in_the_middle(void *arg, struct co_part *p)
{
	for (long i = p->from[0]; i < p->to[0]; i++) {
		if (i == 105 && !co_atomic_load(&hung, CO_RELAXED))
			hang(NULL);
		note(arg, &(struct co_part){ .from = { i }, .to = { i + 1 } });
	}
	return 0;
}

TEST(a_block_that_a_lost_hart_was_in_is_done_again_from_its_beginning)
{
	struct co *c;

	if (live() < 2)
		SKIP("there is one compute hart left");
	set_up(CO_DYNAMIC);
	loop.body = hangs_in_the_middle;
	loop.block = 10;
	c = test_spawn_on(0, does, &loop);
	REQUIRE(test_await(&hung, 1));
	CHECK(co_hart_lose(co_atomic_load(&hung, CO_ACQUIRE) - 1));
	CHECK_EQ(test_join(c), 0);
	for (unsigned i = 0; i < MOST; i++)
		CHECK_EQ(co_atomic_load(&times[i], CO_RELAXED), i >= 100 && i < 105 ? 2 : 1);
}

/* What is left of that is done by a third one, which nobody has counted on. */
TEST(a_loop_is_done_though_one_hart_was_lost_in_it_and_another_before)
{
	unsigned other;
	struct co *c;

	if (live() < 3)
		SKIP("there are fewer than three compute harts left");
	set_up(CO_DYNAMIC);
	loop.body = hangs_in_the_middle;
	other = last_hart();
	(void)test_spawn_on(other, hang, NULL);
	REQUIRE(test_await(&hung, 1));
	co_atomic_store(&hung, 0, CO_RELAXED);
	c = test_spawn_on(0, does, &loop);
	REQUIRE(test_await(&hung, 1));
	CHECK(co_hart_lose(co_atomic_load(&hung, CO_ACQUIRE) - 1));
	CHECK(co_hart_lose(other));
	CHECK_EQ(test_join(c), 0);
}

/* As co_parallel_launch() does, between whose looks a hart is lost. */
static int start_though_one_is_lost(void)
{
	int r;

	REQUIRE_EQ(co_parallel_check(&loop), 0);
	CHECK(co_hart_lose(last_hart()));
	r = co_parallel_start_members(&loop);
	(void)co_parallel_stop(&loop, CO_LOOP_UNSTARTED);
	CHECK_EQ(co_counter_wait(&loop.members.running), 0);
	CHECK_EQ(co_parallel_finish(&loop), -EAGAIN);
	return r;
}

TEST(a_loop_does_not_begin_on_a_hart_that_is_lost_as_it_begins)
{
	for (unsigned i = 0; i < 2; i++) {
		if (live() < 2)
			SKIP("there is one compute hart left");
		set_up(CO_STATIC);
		outer = loop;
		CHECK_EQ(does(i ? &loop : &outer), 0); /* the last loop that its worker has done */
		CHECK_EQ(start_though_one_is_lost(), -EHOSTDOWN);
	}
}
