/*
 * test_parallel_workers.c - loops one after the other, inside each other, and side by side, on
 * harts whose workers are free, busy, or gone.
 *
 * Topologies: 2x(1+3) 1x(1+3+1)
 */
#include "../runtime/core/core.h"
#include "../runtime/io/io.h"
#include "harness/test.h"

#define LOOPS 200

static struct co_parallel loop;
static struct co_aword sum;

static int adds(void *arg, struct co_part *p)
{
	for (long i = p->from[0]; i < p->to[0]; i += p->step[0])
		co_atomic_add(&sum, (uintptr_t)i, CO_RELAXED);
	return 0;
}

TEST(one_loop_after_the_other_finds_the_workers_again)
{
	struct test_random r = test_random(0);

	for (unsigned i = 0; i < LOOPS; i++) {
		long n = test_below(&r, 3 * test_computes() + 2);

		co_atomic_store(&sum, 0, CO_RELAXED);
		loop = LOOP(adds, n, .schedule = (enum co_schedule)test_below(&r, 4),
			    .block = test_below(&r, 4));
		REQUIRE_EQ(co_parallel_for(&loop), 0);
		REQUIRE_EQ(co_atomic_load(&sum, CO_RELAXED), n ? n * (n - 1) / 2 : 0);
		if (test_below(&r, 4) == 0)
			test_sleep_us(test_below(&r, 50)); /* they sleep in another way then */
	}
}

static int names(void *arg, struct co_part *p)
{
	CHECK_STR(co_name(co_self()), loop.name ? loop.name : "parallel");
	CHECK_EQ(errno, 0);
	errno = EDOM;
	return 0;
}

TEST(a_part_has_the_name_of_its_loop_and_an_errno_of_its_own)
{
	static const char *const name[] = { "first", "second", NULL };

	for (unsigned i = 0; i < 3; i++) {
		loop = LOOP(names, 1000, .name = name[i]);
		CHECK_EQ(co_parallel_for(&loop), 0);
	}
}

static int begins_a_line(void *arg, struct co_part *p)
{
	CHECK(!co_io_is_unended(co_self())); /* what the part before has left */
	printf("# half a line; ");
	return 0;
}

TEST(a_line_that_a_part_has_begun_is_out_before_the_next_part)
{
	static unsigned last;

	last = test_compute(test_computes() - 1);
	for (unsigned i = 0; i < 3; i++) {
		loop = LOOP(begins_a_line, 1, .scope = { &last, 1 });
		CHECK_EQ(co_parallel_for(&loop), 0);
	}
	printf("# and the rest\n");
}

/* Loops that one of several launches, each with a sum of its own. */
struct launcher {
	struct co_parallel loop;
	struct co_aword sum;
	uint64_t number;
};
static struct launcher launchers[4];

static int adds_there(void *arg, struct co_part *p)
{
	struct launcher *l = arg;

	for (long i = p->from[0]; i < p->to[0]; i++)
		co_atomic_add(&l->sum, (uintptr_t)i, CO_RELAXED);
	if (p->from[0] % 7 == 0)
		co_pause();
	return 0;
}

static intptr_t launches(void *arg)
{
	struct launcher *l = arg;
	struct test_random r = test_random(l->number);

	for (unsigned i = 0; i < LOOPS / 4; i++) {
		long n = 1 + test_below(&r, 200);

		co_atomic_store(&l->sum, 0, CO_RELAXED);
		l->loop = LOOP(adds_there, n, .arg = l,
			       .schedule = (enum co_schedule)test_below(&r, 4));
		REQUIRE_EQ(co_parallel_for(&l->loop), 0);
		REQUIRE_EQ(co_atomic_load(&l->sum, CO_RELAXED), n * (n - 1) / 2);
	}
	return 0;
}

TEST(loops_of_several_go_on_side_by_side)
{
	struct co *c[4];

	for (unsigned i = 0; i < 4; i++) {
		launchers[i].number = i;
		c[i] = test_spawn_on(i % co_harts(), launches, &launchers[i]);
	}
	test_join_all(c, 4, 0);
}

static struct co_event go;

static int waits(void *arg, struct co_part *p)
{
	return co_event_wait(&go);
}

TEST(who_waits_in_a_loop_does_not_hold_back_another)
{
	static struct co_parallel first;
	static unsigned nested_in;

	nested_in = test_computes();
	memset(&go, 0, sizeof(go));
	first = LOOP(waits, nested_in);
	REQUIRE_EQ(co_parallel_start(&first), 0);
	co_atomic_store(&sum, 0, CO_RELAXED);
	loop = LOOP(adds, 1000);
	for (unsigned i = 0; i < 10; i++)
		CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(co_atomic_load(&sum, CO_RELAXED), 10 * 1000 * 999 / 2);
	co_event_set(&go);
	CHECK_EQ(co_parallel_wait(&first), 0);
}

static struct launcher inner[8];

static int nests(void *arg, struct co_part *p)
{
	struct launcher *l = &inner[p->member];

	co_atomic_store(&l->sum, 0, CO_RELAXED);
	l->loop = LOOP(adds_there, 50, .arg = l);
	CHECK_EQ(co_parallel_for(&l->loop), 0);
	CHECK_EQ(co_atomic_load(&l->sum, CO_RELAXED), 50 * 49 / 2);
	return 0;
}

TEST(a_loop_in_each_part_of_a_loop)
{
	unsigned n = test_computes() < 8 ? test_computes() : 8;

	for (unsigned i = 0; i < 5; i++) {
		loop = LOOP(nests, n);
		CHECK_EQ(co_parallel_for(&loop), 0);
	}
}

#define PARTS 8

static struct co_tiles left_tiles;

static int slow_part(void *arg, struct co_part *part)
{
	test_sleep_us(20000);
	co_atomic_add((struct co_a32 *)arg, 1, CO_RELEASE); /* paired with the case's look */
	return 0;
}

static int slow_block(void *arg, struct co_block *b)
{
	return slow_part(arg, NULL);
}

static intptr_t leave_a_reduction(void *arg)
{
	static const long zero;
	static long into;

	loop = LOOP(slow_part, PARTS, .arg = arg, .schedule = CO_DYNAMIC,
		    .reduction = { sizeof(into), &zero, co_sum_long, &into });
	CHECK_EQ(co_parallel_start(&loop), 0);
	co_panic("it is asked to");
}

static intptr_t leave_tiles(void *arg)
{
	left_tiles = (struct co_tiles){ .body = slow_block,
					.arg = arg,
					.dims = 1,
					.range = { { 0, PARTS, 1 } },
					.tile = { 1 } };
	CHECK_EQ(co_tiles_start(&left_tiles), 0);
	co_panic("it is asked to");
}

/* The loops are static; the members' results and the plan are in the starter's scratchpad. */
TEST_TIDY_FAULTY(what_a_loop_has_in_the_scratchpad_stays_until_its_members_have_ended)
{
	co_fn *const starters[] = { leave_a_reduction, leave_tiles };
	static struct co_a32 parts;

	for (unsigned i = 0; i < 2; i++) {
		co_atomic_store(&parts, 0, CO_RELAXED);
		CHECK_EQ(co_join(test_spawn_on(0, starters[i], &parts), NULL), -EFAULT);
		CHECK_EQ(co_atomic_load(&parts, CO_ACQUIRE), PARTS);
	}
}
