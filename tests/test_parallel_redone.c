/*
 * test_parallel_redone.c - loops of which a hart is lost, before it has begun its share or in the
 * middle of it: the loop says that it is not done, or, if it asks for that, others do it.
 *
 * Topologies: 1x(1+23)
 */
#include <cohart/cache.h>
#include <cohart/tile.h>
#include <hal/irq.h>

#include "../runtime/fault/give_up.h"
#include "../runtime/loops/parallel.h"
#include "harness/test.h"

#define MOST 400
#define AT 105 /* where one hangs */

static struct co_parallel loop, outer;
static struct co_a32 times[MOST];
static struct co_a32 hung; /* the hart + 1 that hangs */
static struct co_a32 go;
static unsigned last; /* the last compute hart that is left */
static volatile uintptr_t null;

static int note(void *arg, struct co_part *p)
{
	for (long i = p->from[0]; i < p->to[0]; i++)
		co_atomic_add(&times[i], 1, CO_RELAXED);
	return 0;
}

/* How often all have been done, but for those: -1: not equally often. */
static int done(long from, long to)
{
	uint32_t n = co_atomic_load(&times[0], CO_RELAXED);

	for (long i = 0; i < MOST; i++)
		if ((i < from || i >= to) && co_atomic_load(&times[i], CO_RELAXED) != n)
			return -1;
	return (int)n;
}

static void set_up(co_body_fn *body, enum co_schedule schedule)
{
	memset(times, 0, sizeof(times));
	co_atomic_store(&hung, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	loop = LOOP(body, MOST, .schedule = schedule);
}

static void set_up_to_redo(co_body_fn *body)
{
	set_up(body, CO_DYNAMIC);
	loop.redo = true;
}

BODY(does, co_parallel_for(arg))

/* It never gives way. */
_Noreturn static intptr_t hang(void *arg)
{
	co_atomic_store(&hung, co_hart() + 1, CO_RELEASE); /* paired with test_await() */
	while (true)
		hal_irq_wait();
}

/* The first who comes to AT hangs there. */
static int hangs(void *arg, struct co_part *p)
{
	for (long i = p->from[0]; i < p->to[0]; i++) {
		if (i == AT && !co_atomic_load(&hung, CO_RELAXED))
			hang(NULL);
		note(arg, &(struct co_part){ .from = { i }, .to = { i + 1 } });
	}
	return 0;
}

/* Are there so many compute harts: all but one to lose, and one that goes on? */
static bool left(unsigned n)
{
	unsigned m = test_computes();

	while (m-- && co_hart_lost(test_compute(m)))
		;
	last = test_compute(m);
	return test_computes() - co_harts_lost() >= n;
}

#define NEEDS(n)      \
	if (!left(n)) \
	SKIP("too few compute harts are left")

static void on_last(struct co_parallel *p)
{
	p->scope = (struct co_scope){ &last, 1 };
}

/* @return what the loop does when the hart that hangs in it is lost */
static intptr_t lose_one(void)
{
	struct co *c = test_spawn_on(0, does, &loop);

	REQUIRE(test_await(&hung, 1));
	CHECK(co_hart_lose(co_atomic_load(&hung, CO_ACQUIRE) - 1));
	return test_join(c);
}

/* ---- Not begun ---- */

/* The last hart hangs, before the loop begins or in one around it, which has its worker. */
static intptr_t lose_one_that_has_not_begun(bool in_a_loop)
{
	struct co *c, *o = NULL;

	if (in_a_loop) {
		outer = (struct co_parallel){ .body = hangs,
					      .dims = 1,
					      .range = { { AT, AT + 1, 1 } } };
		on_last(&outer);
		o = test_spawn_on(0, does, &outer);
	} else {
		(void)test_spawn_on(last, hang, NULL);
	}
	REQUIRE(test_await(&hung, 1));
	c = test_spawn_on(0, does, &loop);
	CHECK_EQ(co_sleep_us(10000), 0);
	CHECK(co_hart_lose(last));
	if (o)
		CHECK_EQ(test_join(o), -EHOSTDOWN);
	return test_join(c);
}

TEST_FAULTY(what_a_lost_hart_had_not_begun_is_done_by_others_or_reported)
{
	static const long zero;
	static long sum = 5;
	static const struct {
		enum co_schedule schedule;
		unsigned block;
		bool sum, in_a_loop;
		int result;
	} rows[] = {
		{ CO_DYNAMIC, 0, false, false, 0 }, /* no hart has a worker yet */
		{ CO_STATIC, 0, false, false, -EHOSTDOWN },
		{ CO_DYNAMIC, 7, false, false, 0 },
		{ CO_GUIDED, 7, false, false, 0 },
		{ CO_DYNAMIC, 0, true, false, -EHOSTDOWN },
		{ CO_STATIC, 0, false, true, -EHOSTDOWN },
		{ CO_DYNAMIC, 0, false, true, 0 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		NEEDS(2);
		set_up(note, rows[i].schedule);
		loop.block = rows[i].block;
		if (rows[i].sum)
			loop.reduction =
				(struct co_reduction){ sizeof(sum), &zero, co_sum_long, &sum };
		CHECK_EQ(lose_one_that_has_not_begun(rows[i].in_a_loop), rows[i].result);
		CHECK_EQ(sum, 5);
		if (!rows[i].sum)
			CHECK_EQ(done(0, 0), rows[i].result ? -1 : 1);
	}
}

/* As a start does, between whose looks a hart is lost. */
TEST_FAULTY(a_loop_does_not_begin_on_a_hart_that_is_lost_as_it_begins)
{
	for (unsigned i = 0; i < 2; i++) {
		NEEDS(2);
		set_up(note, CO_STATIC);
		outer = loop;
		CHECK_EQ(does(i ? &loop : &outer), 0); /* the last loop that its worker has done */
		REQUIRE_EQ(co_parallel_check(&loop), 0);
		CHECK(co_hart_lose(last));
		CHECK_EQ(co_parallel_start_members(&loop), -EHOSTDOWN);
		(void)co_parallel_stop(&loop, CO_LOOP_UNSTARTED);
		CHECK_EQ(co_counter_wait(&loop.members.running), 0);
		CHECK_EQ(co_parallel_finish(&loop), -ENOBUFS);
	}
}

/* ---- In the middle ---- */

TEST_FAULTY(a_block_that_a_lost_hart_was_in_is_not_done_again_unasked)
{
	NEEDS(2);
	set_up(hangs, CO_DYNAMIC);
	loop.block = 10;
	CHECK_EQ(lose_one(), -EHOSTDOWN);
	CHECK_EQ(loop.error_at[0], 100);
	for (unsigned i = AT; i < 110; i++)
		CHECK_EQ(co_atomic_load(&times[i], CO_RELAXED), 0);
}

TEST_FAULTY(a_block_that_a_lost_hart_was_in_is_done_again_from_its_beginning)
{
	NEEDS(2);
	set_up_to_redo(hangs);
	loop.block = 10;
	CHECK_EQ(lose_one(), 0);
	CHECK_EQ(done(100, AT), 1);
	for (unsigned i = 100; i < AT; i++)
		CHECK_EQ(co_atomic_load(&times[i], CO_RELAXED), 2);
}

/* A share of its own, a sum or a cache is lost with a hart. */
TEST(a_loop_that_cannot_be_done_again_is_refused_if_it_asks_for_that)
{
	static const struct co_loop_cache cached = CO_LOOP_CACHE(64, 2, 1);
	static const long zero;
	static long sum;

	set_up_to_redo(note);
	loop.cache = &cached;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop.cache = NULL;
	loop.reduction = (struct co_reduction){ sizeof(sum), &zero, co_sum_long, &sum };
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	for (unsigned s = CO_STATIC; s <= CO_OWNER; s++) {
		bool can = s == CO_DYNAMIC || s == CO_GUIDED;

		set_up_to_redo(note);
		loop.schedule = (enum co_schedule)s;
		CHECK_EQ(co_parallel_for(&loop), can ? 0 : -EINVAL);
	}
}

/* What is left of that is done by a third one, which nobody has counted on. */
TEST_FAULTY(a_loop_is_done_though_one_hart_was_lost_in_it_and_another_before)
{
	unsigned other;
	struct co *c;

	NEEDS(3);
	set_up_to_redo(hangs);
	other = last;
	(void)test_spawn_on(other, hang, NULL);
	REQUIRE(test_await(&hung, 1));
	co_atomic_store(&hung, 0, CO_RELAXED);
	c = test_spawn_on(0, does, &loop);
	REQUIRE(test_await(&hung, 1));
	CHECK(co_hart_lose(co_atomic_load(&hung, CO_ACQUIRE) - 1));
	CHECK(co_hart_lose(other));
	CHECK_EQ(test_join(c), 0);
	CHECK_EQ(done(0, 0), 1);
}

static int hangs_then_faults(void *arg, struct co_part *p)
{
	if (p->from[0] == AT && co_atomic_load(&hung, CO_RELAXED))
		*(volatile int *)null = 1;
	return hangs(arg, p);
}

TEST_FAULTY(who_does_it_again_may_fault_there_too)
{
	NEEDS(2);
	set_up_to_redo(hangs_then_faults);
	CHECK_EQ(lose_one(), -EFAULT);
	CHECK_EQ(loop.error_at[0], AT);
}

static int hangs_and_ends_it(void *arg, struct co_part *p)
{
	if (p->from[0] == AT)
		co_parallel_cancel(&loop);
	return hangs(arg, p);
}

TEST_FAULTY(of_a_cancelled_loop_nothing_is_done_again)
{
	NEEDS(2);
	set_up_to_redo(hangs_and_ends_it);
	CHECK_EQ(lose_one(), -ECANCELED);
	CHECK_EQ(co_atomic_load(&times[AT], CO_RELAXED), 0);
}

TEST_FAULTY(what_nobody_else_can_do_is_an_error)
{
	static const long zero;
	static long sum = 5;

	for (unsigned i = 0; i < 3; i++) {
		NEEDS(2);
		set_up(hangs, i ? CO_DYNAMIC : CO_STATIC);
		loop.redo = i == 2;
		if (i == 1)
			loop.reduction =
				(struct co_reduction){ sizeof(sum), &zero, co_sum_long, &sum };
		if (i == 2)
			on_last(&loop);
		CHECK_EQ(lose_one(), -EHOSTDOWN);
		CHECK(i ? loop.error_at[0] == AT : loop.error_at[0] <= AT);
		CHECK_EQ(sum, 5);
	}
	CHECK_EQ(co_parallel_for(&loop), -EHOSTDOWN); /* nor does anybody begin */
}

/* Until it is asked to end, or its hart is lost. */
static int stays(void *arg, struct co_part *p)
{
	co_atomic_store((struct co_a32 *)arg, 1, CO_RELEASE); /* paired with test_await() */
	while (!co_atomic_load(&go, CO_RELAXED) && co_sleep_us(1000) == 0)
		;
	return 0;
}

TEST_FAULTY(a_coroutine_that_is_lost_in_a_part_is_an_error)
{
	static struct co_a32 inside;

	NEEDS(2);
	set_up(hangs, CO_DYNAMIC);
	on_last(&loop);
	outer = loop; /* it has the worker */
	outer.body = stays;
	outer.arg = &inside;
	REQUIRE_EQ(co_parallel_start(&outer), 0);
	REQUIRE(test_await(&inside, 1));
	CHECK_EQ(lose_one(), -EHOSTDOWN);
	CHECK_EQ(loop.error_at[0], 0); /* where it was is not known */
	CHECK_EQ(co_parallel_wait(&outer), -EHOSTDOWN);
}

/* It takes no alarm, and goes on when it has long been given up. */
static int comes_back(void *arg, struct co_part *p)
{
	struct co_hart *self = co_executor.self;
	bool first = p->from[0] == AT && !co_atomic_load(&hung, CO_RELAXED);

	co_executor.self = NULL; /* before anybody hears of it */
	if (first)
		co_atomic_store(&hung, co_hart() + 1, CO_RELEASE);
	while (first && !co_atomic_load(&go, CO_ACQUIRE))
		hal_cpu_relax();
	co_executor.self = self;
	return first ? 0 : note(arg, p);
}

TEST_FAULTY(who_comes_back_to_a_loop_that_others_have_done_stops)
{
	struct co_hart *h;

	NEEDS(2);
	set_up_to_redo(comes_back);
	CHECK_EQ(lose_one(), 0);
	CHECK_EQ(done(0, 0), 1);
	h = co_hart_at(co_atomic_load(&hung, CO_RELAXED) - 1);
	CHECK(!co_atomic_load(&h->stopped, CO_ACQUIRE));
	co_atomic_store(&go, 1, CO_RELEASE); /* paired with comes_back() */
	test_await(&h->stopped, 1);
	CHECK_EQ(done(0, 0), 1);
}

/* ---- Without those that are lost ---- */

TEST(later_loops_do_without_them)
{
	if (!co_harts_lost())
		SKIP("no hart is lost");
	for (unsigned s = CO_STATIC; s <= CO_GUIDED; s++) {
		set_up(note, (enum co_schedule)s);
		CHECK_EQ(co_parallel_for(&loop), 0);
		CHECK_EQ(done(0, 0), 1);
		loop.range[0].upper = 1; /* fewer than there are harts */
		CHECK_EQ(co_parallel_for(&loop), 0);
		CHECK_EQ(co_atomic_load(&times[0], CO_RELAXED), 2);
	}
}

static unsigned char from[4096], to[4096];

/* @return -EDOM where it finds a zero */
static int copy_tile(void *arg, struct co_block *b)
{
	const unsigned char *in = co_tile_layer(b, 0, 0);

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
