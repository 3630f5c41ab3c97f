/*
 * test_parallel_limits.c - loops with numbers as large as can be, and loops that fail, are
 * cancelled or cannot start: nothing is done twice, and nothing of them stays behind.
 *
 * Topologies: 1x(1+4) 1+1x(1+3)
 */
#include <limits.h>
#include <string.h>

#include "harness/test.h"

#define INDICES 100

static struct co_parallel loop;
static struct co_a32 seen[INDICES];

static int note(void *arg, struct co_part *p)
{
	(void)arg;
	for (long i = p->from[0]; i < p->to[0]; i += p->step[0])
		co_atomic_add(&seen[i], 1, CO_RELAXED);
	return 0;
}

TEST(a_block_may_be_larger_than_the_loop)
{
	static const unsigned blocks[] = { INDICES - 1,      INDICES,     INDICES + 1, INT_MAX,
					   INT_MAX + 1u,     UINT_MAX,    1u << 30,    3u << 30,
					   UINT_MAX / 3 + 1, UINT_MAX - 1 };

	for (unsigned b = 0; b < sizeof(blocks) / sizeof(*blocks); b++) {
		for (unsigned s = CO_STATIC; s <= CO_GUIDED; s++) {
			bool once = true;

			memset(seen, 0, sizeof(seen));
			loop = (struct co_parallel){ .body = note,
						     .dims = 1,
						     .range = { { 0, INDICES, 1 } },
						     .schedule = (enum co_schedule)s,
						     .block = blocks[b] };
			CHECK_EQ(co_parallel_for(&loop), 0);
			for (unsigned i = 0; i < INDICES; i++)
				once &= co_atomic_load(&seen[i], CO_RELAXED) == 1;
			CHECK(once);
		}
	}
}

static struct co_a32 firsts[4];

static int first_of(void *arg, struct co_part *p)
{
	unsigned long step = *(const unsigned long *)arg;
	unsigned long at = (unsigned long)p->from[0] - (unsigned long)LONG_MIN;

	CHECK_EQ(at % step, 0);
	REQUIRE(at / step < 4);
	co_atomic_add(&firsts[at / step], 1, CO_RELAXED);
	return 0;
}

TEST(a_range_may_be_all_that_there_is)
{
	static unsigned long step = LONG_MAX / 2 + 1;

	memset(firsts, 0, sizeof(firsts));
	loop = (struct co_parallel){ .body = first_of,
				     .arg = &step,
				     .dims = 1,
				     .range = { { LONG_MIN, LONG_MAX, (long)step } },
				     .schedule = CO_DYNAMIC };
	CHECK_EQ(co_parallel_for(&loop), 0);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(co_atomic_load(&firsts[i], CO_RELAXED), 1);
}

TEST(where_one_dimension_is_empty_the_others_may_be_any)
{
	loop = (struct co_parallel){ .body = note,
				     .dims = 3,
				     .range = { { 0, LONG_MAX, 1 }, { 0, LONG_MAX, 1 } } };
	CHECK_EQ(co_parallel_for(&loop), 0);
}

static int add_up(void *arg, struct co_part *p)
{
	long bad = *(const long *)arg;

	for (long i = p->from[0]; i < p->to[0]; i += p->step[0]) {
		if (i == bad)
			return -EDOM;
		*(long *)p->partial += i;
	}
	return 0;
}

static long bad_index, sum;

static struct co_parallel summing(long bad)
{
	static const long zero;

	bad_index = bad;
	sum = 5;
	return (struct co_parallel){ .body = add_up,
				     .arg = &bad_index,
				     .dims = 1,
				     .range = { { 0, INDICES, 1 } },
				     .reduction = { sizeof(sum), &zero, co_sum_long, &sum } };
}

/* Parts are rows of three. */
static int fail_in_a_row(void *arg, struct co_part *p)
{
	long row = *(const long *)arg;

	CHECK_EQ(p->from[1], -1);
	CHECK_EQ(p->to[1], 2);
	return p->from[0] <= row && row < p->to[0] ? -EDOM : 0;
}

TEST(an_error_says_where_in_each_dimension)
{
	static long row = 40;

	loop = (struct co_parallel){ .body = fail_in_a_row,
				     .arg = &row,
				     .dims = 2,
				     .range = { { 0, INDICES * 1000, 1 }, { -1, 2, 1 } },
				     .schedule = CO_DYNAMIC };
	CHECK_EQ(co_parallel_for(&loop), -EDOM);
	CHECK_EQ(loop.error_at[0], row);
	CHECK_EQ(loop.error_at[1], -1);
}

/* What this hart's scratchpad heap has lent. */
static size_t lent(void)
{
	struct co_spm_use use;

	co_spm_use(co_hart(), &use);
	return use.used;
}

TEST(a_loop_that_fails_leaves_the_result_as_it_was)
{
	size_t before = lent();

	loop = summing(17);
	CHECK_EQ(co_parallel_for(&loop), -EDOM);
	CHECK_EQ(sum, 5);
	CHECK_EQ(loop.error, -EDOM);
	CHECK_EQ(lent(), before);
	loop.range[0].upper = 17; /* the same again, without it */
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(sum, 5 + 16 * 17 / 2);
	CHECK_EQ(lent(), before);
}

TEST(partial_results_need_room)
{
	size_t before = lent();
	struct co_spm_use use;
	void *all = NULL;

	co_spm_use(co_hart(), &use);
	for (size_t bytes = use.heap_bytes - use.used; !all && bytes > 64; bytes -= 16)
		all = co_spm_alloc(bytes, 16);
	REQUIRE(all);
	loop = summing(-1);
	loop.reduction.bytes = CO_REDUCTION_BYTES;
	CHECK_EQ(co_parallel_for(&loop), -ENOMEM);
	co_spm_free(all);
	loop.reduction.bytes = CO_REDUCTION_BYTES + 1;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	for (unsigned i = 0; i < 5; i++) {
		loop = summing(-1);
		if (i == 0)
			loop.reduction.identity = NULL;
		else if (i == 1)
			loop.reduction.combine = NULL;
		else if (i == 2)
			loop.reduction.result = NULL;
		else if (i == 3)
			loop.schedule = (enum co_schedule)(CO_OWNER + 1);
		else
			loop.scope = (enum co_scope)(CO_SCOPE_LIST + 1);
		CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	}
	loop = summing(-1);
	loop.range[0].upper = 0; /* nothing to add */
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(sum, 5);
	CHECK_EQ(lent(), before);
}

/* Takes all control blocks of a hart, and its worker, until it is told. */
static struct co_a32 crowd_goes;
static struct co_batch crowd;
static struct co_parallel crowd_loop;

static intptr_t stands_about(void *arg)
{
	(void)arg;
	while (!co_atomic_load(&crowd_goes, CO_RELAXED)) {
		if (co_sleep_us(1000))
			break;
	}
	return 0;
}

static int stays(void *arg, struct co_part *p)
{
	(void)p;
	return (int)stands_about(arg);
}

static void fill_hart(unsigned hart)
{
	static unsigned where;
	const struct co_attr attr = { .on = CO_ON_HART(hart) };

	where = hart;
	co_atomic_store(&crowd_goes, 0, CO_RELAXED);
	crowd_loop = (struct co_parallel){ .body = stays,
					   .dims = 1,
					   .range = { { 0, 1, 1 } },
					   .scope = CO_SCOPE_LIST,
					   .harts = &where,
					   .n_harts = 1 };
	REQUIRE_EQ(co_parallel_start(&crowd_loop), 0);
	while (co_batch_spawn(&crowd, &attr, stands_about, NULL, NULL) == 0)
		;
}

static void clear_hart(void)
{
	co_atomic_store(&crowd_goes, 1, CO_RELAXED);
	CHECK_EQ(co_batch_join(&crowd), 0);
	CHECK_EQ(co_parallel_wait(&crowd_loop), 0);
}

TEST(a_member_that_cannot_start_ends_the_loop)
{
	size_t before = lent();
	unsigned last = test_compute(test_computes() - 1);

	if (test_computes() < 2)
		SKIP("there is one compute hart");
	fill_hart(last);
	loop = summing(-1);
	loop.range[0].upper = 100000;
	CHECK_EQ(co_parallel_for(&loop), -EAGAIN);
	CHECK_EQ(sum, 5);
	clear_hart();
	CHECK_EQ(lent(), before);
	loop = summing(-1);
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(sum, 5 + 99 * 50);
}

TEST(a_loop_that_cannot_start_does_not_hold_its_stream_back)
{
	static struct co_parallel crowded, next;
	static struct co_stream s;
	static unsigned only;
	static struct co_event go;

	only = test_compute(0);
	if (only == 0)
		SKIP("hart 0 is the only one");
	REQUIRE_EQ(co_stream_open(&s, "crowded"), 0);
	fill_hart(only);
	crowded = summing(-1);
	crowded.scope = CO_SCOPE_LIST;
	crowded.harts = &only;
	crowded.n_harts = 1;
	next = crowded;
	CHECK_EQ(co_stream_start(&s, &crowded), 0);
	CHECK_EQ(co_stream_await(&s, &go), 0);
	CHECK_EQ(co_stream_start(&s, &next), 0);
	CHECK_EQ(co_parallel_wait(&crowded), -EAGAIN);
	CHECK_EQ(sum, 5);
	clear_hart();
	co_event_set(&go);
	CHECK_EQ(co_parallel_wait(&next), 0);
	CHECK_EQ(sum, 5 + 99 * 50);
	CHECK_EQ(co_stream_close(&s), -EAGAIN);
}

static int naps(void *arg, struct co_part *p)
{
	(void)p;
	co_atomic_add((struct co_a32 *)arg, 1, CO_RELEASE); /* paired with test_await() */
	return co_sleep_us(2000);
}

static struct co_a32 parts;

static intptr_t starts_and_is_cancelled(void *arg)
{
	int r;

	(void)arg;
	loop = (struct co_parallel){ .body = naps,
				     .arg = &parts,
				     .dims = 1,
				     .schedule = CO_DYNAMIC,
				     .range = { { 0, LONG_MAX, 1 } } };
	REQUIRE_EQ(co_parallel_start(&loop), 0);
	CHECK_EQ(co_parallel_wait(&loop), -ECANCELED);
	CHECK(co_atomic_load(&loop.members.running.state, CO_RELAXED) != 0); /* it goes on */
	co_parallel_cancel(&loop);
	r = co_parallel_wait(&loop);
	CHECK_EQ(co_atomic_load(&loop.members.running.state, CO_RELAXED), 0);
	memset(&loop, 0, sizeof(loop)); /* nobody uses it any more */
	return r;
}

TEST(a_cancelled_loop_is_waited_for_by_a_cancelled_caller)
{
	struct co *c;

	co_atomic_store(&parts, 0, CO_RELAXED);
	c = test_spawn_on(0, starts_and_is_cancelled, NULL);
	test_await(&parts, 1);
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
}

static int where(void *arg, struct co_part *p)
{
	(void)arg;
	CHECK_EQ(co_hart_group(co_hart()), 0);
	CHECK_EQ(p->members, co_group(0)->computes);
	return 0;
}

TEST(a_group_without_compute_harts_does_no_loops)
{
	loop = (struct co_parallel){
		.body = where, .dims = 1, .range = { { 0, 1000, 1 } }, .scope = CO_SCOPE_GROUP
	};
	CHECK_EQ(co_parallel_for(&loop), co_group(0)->computes ? 0 : -EINVAL);
}
