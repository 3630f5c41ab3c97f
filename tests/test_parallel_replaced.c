/*
 * test_parallel_replaced.c - who goes on with a loop where a hart is lost that was in the middle of
 * it: another hart, nobody, or the lost one itself, which comes back.
 *
 * Topologies: 1x(1+7)
 */
#include <string.h>

#include <cohart/tile.h>

#include "../runtime/core/core.h"
#include "../runtime/core/lost.h"
#include "harness/test.h"

#define MOST 400
#define AT 100 /* where one hangs */

static struct co_parallel loop, outer;
static struct co_a32 times[MOST];
static struct co_a32 hung; /* the hart + 1 that hangs */
static struct co_a32 go;
static unsigned last; /* the last compute hart that is left */
static volatile uintptr_t null;

static intptr_t does(void *arg)
{
	return co_parallel_for(arg);
}

/* Is it the first who comes there? */
static bool is_first(long i)
{
	if (i != AT || co_atomic_load(&hung, CO_RELAXED))
		return false;
	co_atomic_store(&hung, co_hart() + 1, CO_RELEASE); /* paired with test_await() */
	return true;
}

static int hangs(void *arg, struct co_part *p)
{
	(void)arg;
	for (long i = p->from[0]; i < p->to[0]; i++) {
		if (is_first(i))
			while (true)
				hal_cpu_relax();
		co_atomic_add(&times[i], 1, CO_RELAXED);
	}
	return 0;
}

static void set_up(int (*body)(void *, struct co_part *))
{
	memset(times, 0, sizeof(times));
	co_atomic_store(&hung, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	loop = (struct co_parallel){
		.body = body, .dims = 1, .range = { { 0, MOST, 1 } }, .schedule = CO_DYNAMIC
	};
}

/* Is there a hart to lose, and another that computes? */
static bool two_left(void)
{
	unsigned m = test_computes();

	while (m-- && co_hart_lost(test_compute(m)))
		;
	last = test_compute(m);
	return test_computes() - co_harts_lost() >= 2;
}

static void on_last(struct co_parallel *p)
{
	p->scope = CO_SCOPE_LIST;
	p->harts = &last;
	p->n_harts = 1;
}

/* @return what the loop does when the hart that hangs in it is lost; cancelled before that */
static intptr_t lose_one(bool canceled)
{
	struct co *c = test_spawn_on(0, does, &loop);

	REQUIRE(test_await(&hung, 1));
	if (canceled)
		co_parallel_cancel(&loop);
	CHECK(co_hart_lose(co_atomic_load(&hung, CO_ACQUIRE) - 1));
	return test_join(c);
}

static int hangs_then_faults(void *arg, struct co_part *p)
{
	if (p->from[0] == AT && co_atomic_load(&hung, CO_RELAXED))
		*(volatile int *)null = 1;
	return hangs(arg, p);
}

TEST(who_stands_in_may_fault_there_too)
{
	if (!two_left())
		SKIP("there is one compute hart");
	set_up(hangs_then_faults);
	CHECK_EQ(lose_one(false), -EFAULT);
	CHECK_EQ(loop.error_at[0], AT);
}

TEST(of_a_cancelled_loop_nothing_is_done_again)
{
	if (!two_left())
		SKIP("there is one compute hart left");
	set_up(hangs);
	CHECK_EQ(lose_one(true), -ECANCELED);
	CHECK_EQ(co_atomic_load(&times[AT], CO_RELAXED), 0);
}

TEST(a_sum_that_a_lost_hart_has_part_of_is_an_error)
{
	static const long zero;
	static long sum = 5;

	if (!two_left())
		SKIP("there is one compute hart left");
	set_up(hangs);
	loop.reduction = (struct co_reduction){ sizeof(sum), &zero, co_sum_long, &sum };
	CHECK_EQ(lose_one(false), -EHOSTDOWN);
	CHECK_EQ(loop.error_at[0], AT);
	CHECK_EQ(sum, 5);
}

TEST(nobody_stands_in_for_one_who_was_alone)
{
	if (!two_left())
		SKIP("there is one compute hart left");
	set_up(hangs);
	on_last(&loop);
	CHECK_EQ(lose_one(false), -EHOSTDOWN);
	CHECK_EQ(loop.error_at[0], AT);
	CHECK_EQ(co_parallel_for(&loop), -EHOSTDOWN); /* nor does anybody begin */
}

/* Until it is told, or its hart is lost. */
static int stays(void *arg, struct co_part *p)
{
	(void)p;
	co_atomic_store((struct co_a32 *)arg, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&go, CO_RELAXED) && co_sleep_us(1000) == 0)
		;
	return 0;
}

TEST(a_coroutine_that_is_lost_in_a_part_is_an_error)
{
	static struct co_a32 inside;

	if (!two_left())
		SKIP("there is one compute hart left");
	set_up(hangs);
	on_last(&loop);
	outer = loop; /* it has the worker */
	outer.body = stays;
	outer.arg = &inside;
	REQUIRE_EQ(co_parallel_start(&outer), 0);
	REQUIRE(test_await(&inside, 1));
	CHECK_EQ(lose_one(false), -EHOSTDOWN);
	CHECK_EQ(loop.error_at[0], 0); /* where it was is not known */
	CHECK_EQ(co_parallel_wait(&outer), -EHOSTDOWN);
}

/* It takes no alarm, and goes on when it has long been given up. */
static int comes_back(void *arg, struct co_part *p)
{
	struct co_hart *self = co_executor.self;
	bool first;

	co_executor.self = NULL; /* before anybody hears of it */
	first = is_first(p->from[0]);
	while (first && !co_atomic_load(&go, CO_ACQUIRE))
		hal_cpu_relax();
	co_executor.self = self;
	return first ? 0 : hangs(arg, p);
}

TEST(who_comes_back_to_a_loop_that_others_have_done_stops)
{
	uint64_t end = co_after_us(10000000);
	struct co_hart *h;
	bool once = true;

	if (!two_left())
		SKIP("there is one compute hart left");
	set_up(comes_back);
	CHECK_EQ(lose_one(false), 0);
	for (unsigned i = 0; i < MOST; i++)
		once &= co_atomic_load(&times[i], CO_RELAXED) == 1;
	CHECK(once);
	h = co_hart_at(co_atomic_load(&hung, CO_RELAXED) - 1);
	CHECK(!co_atomic_load(&h->stopped, CO_ACQUIRE));
	co_atomic_store(&go, 1, CO_RELEASE); /* paired with comes_back() */
	while (!co_atomic_load(&h->stopped, CO_ACQUIRE) && co_now() < end)
		CHECK_EQ(co_sleep_us(1000), 0);
	CHECK(co_atomic_load(&h->stopped, CO_ACQUIRE));
	for (unsigned i = 0; i < MOST; i++)
		once &= co_atomic_load(&times[i], CO_RELAXED) == 1;
	CHECK(once);
}

TEST(a_loop_without_room_for_the_list_of_those_who_are_left_says_so)
{
	void **all = NULL, **one;
	size_t bytes;

	if (!co_harts_lost())
		SKIP("no hart is lost");
	while ((bytes = co_spm_largest()) >= sizeof(*all)) {
		one = co_spm_alloc(bytes, 16);
		REQUIRE(one);
		*one = (void *)all;
		all = one;
	}
	set_up(hangs);
	CHECK_EQ(co_parallel_for(&loop), -ENOMEM);
	while (all) {
		one = all;
		all = *one;
		co_spm_free((void *)one);
	}
	co_atomic_store(&hung, 1, CO_RELAXED); /* nobody hangs */
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(co_atomic_load(&times[AT], CO_RELAXED), 1);
}

static unsigned char from[4096], to[4096];

/* @return -EDOM where it finds a zero */
static int copy_tile(void *arg, struct co_block *b)
{
	const unsigned char *in = co_tile_layer(b, 0, 0);

	(void)arg;
	memcpy(co_tile_layer(b, 1, 0), in, (size_t)b->n[0]);
	return memchr(in, 0, (size_t)b->n[0]) ? -EDOM : 0;
}

/* Each of those who are left does what several would have done. */
TEST(tiles_are_done_without_those_who_are_lost)
{
	static struct co_tiles tiles;

	if (!co_harts_lost())
		SKIP("no hart is lost");
	tiles = (struct co_tiles){
		.body = copy_tile,
		.dims = 1,
		.range = { { 0, sizeof(from), 1 } },
		.tile = { 16 },
		.arrays = 2,
		.array = { { .at = from, .size = 1, .extent = { sizeof(from) } },
			   { .at = to,
			     .size = 1,
			     .extent = { sizeof(to) },
			     .access = CO_TILE_OUT } },
	};
	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)(i % 251 + 1);
	CHECK_EQ(co_tiles_run(&tiles), 0);
	CHECK_EQ(memcmp(to, from, sizeof(to)), 0);
	for (unsigned i = 0; i < sizeof(from); i += 16)
		from[i] = 0; /* in each tile */
	CHECK_EQ(co_tiles_run(&tiles), -EDOM);
	CHECK_EQ(tiles.error, -EDOM);
}
