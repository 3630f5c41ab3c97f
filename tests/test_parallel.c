/*
 * test_parallel.c - every index is done once, by the members that the schedule names.
 *
 * Topologies: 2x(1+3) 1x(1+3+1)
 */
#include <limits.h>
#include <string.h>

#include "harness/test.h"

#define SIDE 24

static struct co_a32 seen[SIDE * SIDE * SIDE]; /* how often an index was done */
static struct co_parallel loop;

static const enum co_schedule schedules[] = { CO_STATIC, CO_CYCLIC, CO_DYNAMIC, CO_GUIDED,
					      CO_OWNER };
#define SCHEDULES (sizeof(schedules) / sizeof(*schedules))

static unsigned owner(void *arg, const long *index)
{
	(void)arg;
	return (unsigned)(index[0] * 7);
}

/* Note each index of a part; its dimensions are SIDE wide. */
static int note(void *arg, struct co_part *p)
{
	unsigned dims = *(const unsigned *)arg;
	long at[CO_DIMS_MAX];

	memcpy(at, p->from, sizeof(at));
	for (;;) {
		long place = 0;
		unsigned d = dims;

		for (unsigned i = 0; i < dims; i++)
			place = place * SIDE + at[i];
		co_atomic_add(&seen[place], 1, CO_RELAXED);
		while (d && (at[d - 1] += p->step[d - 1]) >= p->to[d - 1]) {
			d--;
			at[d] = p->from[d];
		}
		if (!d)
			return 0;
	}
}

static void check_seen(unsigned dims, const struct co_range *range)
{
	unsigned places = 1;
	bool right = true;

	for (unsigned d = 0; d < dims; d++)
		places *= SIDE;
	for (unsigned i = 0; i < places; i++) {
		unsigned rest = i;
		bool wanted = true;

		for (unsigned d = dims; d-- > 0; rest /= SIDE) {
			long at = rest % SIDE;
			long step = range[d].step ? range[d].step : 1;

			wanted &= at >= range[d].lower && at < range[d].upper &&
				  (at - range[d].lower) % step == 0;
		}
		right &= co_atomic_load(&seen[i], CO_RELAXED) == wanted;
	}
	CHECK(right);
}

static void run_all_schedules(unsigned dims, const struct co_range *range, unsigned block)
{
	static unsigned n_dims;

	n_dims = dims;
	for (unsigned s = 0; s < SCHEDULES; s++) {
		memset(seen, 0, sizeof(seen));
		loop = (struct co_parallel){ .body = note,
					     .arg = &n_dims,
					     .dims = dims,
					     .schedule = schedules[s],
					     .block = block,
					     .owner = owner };
		memcpy(loop.range, range, dims * sizeof(*range));
		CHECK_EQ(co_parallel_for(&loop), 0);
		check_seen(dims, range);
	}
}

TEST(each_index_is_done_once_in_one_dimension)
{
	run_all_schedules(1, (struct co_range[]){ { 0, SIDE, 0 } }, 1);
	run_all_schedules(1, (struct co_range[]){ { 3, 20, 4 } }, 2);
	run_all_schedules(1, (struct co_range[]){ { 5, 6, 1 } }, 3);
}

TEST(each_index_is_done_once_in_two_dimensions)
{
	run_all_schedules(2, (struct co_range[]){ { 0, SIDE, 1 }, { 0, SIDE, 1 } }, 1);
	run_all_schedules(2, (struct co_range[]){ { 1, SIDE - 1, 3 }, { 2, 23, 5 } }, 4);
	run_all_schedules(2, (struct co_range[]){ { 7, 8, 1 }, { 0, SIDE, 1 } }, 5);
}

TEST(each_index_is_done_once_in_three_dimensions)
{
	run_all_schedules(3, (struct co_range[]){ { 0, SIDE, 1 }, { 0, SIDE, 1 }, { 0, SIDE, 1 } },
			  7);
	run_all_schedules(3, (struct co_range[]){ { 2, 3, 1 }, { 1, 20, 2 }, { 5, 24, 3 } }, 2);
}

static int count(void *arg, struct co_part *p)
{
	size_t n = 1;

	for (unsigned d = 0; d < CO_DIMS_MAX; d++)
		n *= (size_t)((p->to[d] - p->from[d] - 1) / p->step[d] + 1);
	co_atomic_add((struct co_aword *)arg, n, CO_RELAXED);
	return 0;
}

TEST(six_dimensions_with_lower_bounds_below_zero)
{
	static struct co_aword n;

	for (unsigned s = 0; s < SCHEDULES; s++) {
		co_atomic_store(&n, 0, CO_RELAXED);
		loop = (struct co_parallel){
			.body = count,
			.arg = &n,
			.dims = 6,
			.schedule = schedules[s],
			.owner = owner,
			.range = { { -1, 1, 1 },
				   { 0, 3, 2 },
				   { LONG_MAX - 3, LONG_MAX, 1 },
				   { LONG_MIN, LONG_MIN + 2, 1 },
				   { -5, 5, 3 },
				   { 0, 2, 9 } },
		};
		CHECK_EQ(co_parallel_for(&loop), 0);
		CHECK_EQ(co_atomic_load(&n, CO_RELAXED), 2 * 2 * 3 * 2 * 4 * 1);
	}
}

static int never(void *arg, struct co_part *p)
{
	(void)arg;
	(void)p;
	CHECK(!"a part of nothing");
	return 0;
}

TEST(an_empty_space_is_done_at_once)
{
	for (unsigned s = 0; s < SCHEDULES; s++) {
		loop = (struct co_parallel){ .body = never,
					     .dims = 2,
					     .schedule = schedules[s],
					     .owner = owner,
					     .range = { { 0, 9, 1 }, { 4, 4, 1 } } };
		CHECK_EQ(co_parallel_for(&loop), 0);
		loop.range[1].upper = -4;
		CHECK_EQ(co_parallel_for(&loop), 0);
	}
}

TEST(what_makes_no_sense_is_refused)
{
	static const unsigned twice[] = { 0, 0 };
	const struct co_parallel good = { .body = never, .dims = 1, .range = { { 0, 0, 1 } } };
	unsigned too_far = co_harts();

	loop = good;
	CHECK_EQ(co_parallel_for(&loop), 0);
	loop.body = NULL;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop = good;
	loop.dims = 0;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop.dims = CO_DIMS_MAX + 1;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop = good;
	loop.range[0].step = -1;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop = good;
	loop.schedule = CO_OWNER;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop = good;
	loop.scope = CO_SCOPE_LIST;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop.harts = twice;
	loop.n_harts = 2;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop.n_harts = 0;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop.harts = &too_far;
	loop.n_harts = 1;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop = good;
	loop.dims = 3;
	for (unsigned d = 0; d < 3; d++)
		loop.range[d] = (struct co_range){ 0, LONG_MAX, 1 };
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
	loop = good;
	loop.reduction.bytes = 8;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
}

static struct co_a32 on[512];

static int where(void *arg, struct co_part *p)
{
	(void)arg;
	(void)p;
	co_atomic_add(&on[co_hart()], 1, CO_RELAXED);
	return 0;
}

TEST(a_scope_names_the_harts)
{
	unsigned list[2] = { co_harts() - 1, 0 };
	const struct co_group *g = co_group(0);
	unsigned n = co_harts() > 1 ? 2 : 1;

	memset(on, 0, sizeof(on));
	loop = (struct co_parallel){ .body = where, .dims = 1, .range = { { 0, 4 * 512, 1 } } };
	CHECK_EQ(co_parallel_for(&loop), 0);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&on[h], CO_RELAXED) != 0,
			 (co_hart_role(h) & CO_ROLE_COMPUTE) != 0);
	memset(on, 0, sizeof(on));
	loop.scope = CO_SCOPE_GROUP;
	CHECK_EQ(co_parallel_for(&loop), g->computes ? 0 : -EINVAL);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&on[h], CO_RELAXED) != 0, h - g->compute < g->computes);
	memset(on, 0, sizeof(on));
	loop.scope = CO_SCOPE_LIST;
	loop.harts = list;
	loop.n_harts = n;
	CHECK_EQ(co_parallel_for(&loop), 0);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&on[h], CO_RELAXED), h == 0 || h == list[0]);
}

static int fail_at_17(void *arg, struct co_part *p)
{
	co_atomic_add((struct co_a32 *)arg, 1, CO_RELAXED);
	return p->from[0] <= 17 && p->to[0] > 17 ? -EIO : 0;
}

TEST(an_error_ends_the_loop_and_says_where)
{
	static struct co_a32 parts;

	for (unsigned s = 1; s < SCHEDULES; s++) {
		co_atomic_store(&parts, 0, CO_RELAXED);
		loop = (struct co_parallel){ .body = fail_at_17,
					     .arg = &parts,
					     .dims = 1,
					     .schedule = schedules[s],
					     .owner = owner,
					     .range = { { 0, 100000000, 1 } } };
		CHECK_EQ(co_parallel_for(&loop), -EIO);
		CHECK(loop.error_at[0] <= 17);
		/* Those who run meanwhile get on, but not to the end. */
		CHECK(co_atomic_load(&parts, CO_RELAXED) < 100000000);
	}
}

static int wait_for_cancel(void *arg, struct co_part *p)
{
	(void)p;
	co_atomic_add((struct co_a32 *)arg, 1, CO_RELEASE); /* paired with test_await() */
	return co_sleep_us(100);
}

TEST(a_cancel_ends_it)
{
	static struct co_a32 parts;

	co_atomic_store(&parts, 0, CO_RELAXED);
	loop = (struct co_parallel){ .body = wait_for_cancel,
				     .arg = &parts,
				     .dims = 1,
				     .schedule = CO_DYNAMIC,
				     .range = { { 0, LONG_MAX, 1 } } };
	REQUIRE_EQ(co_parallel_start(&loop), 0);
	CHECK_EQ(co_parallel_wait_until(&loop, 0), -ETIMEDOUT);
	test_await(&parts, 1);
	co_parallel_cancel(&loop);
	CHECK_EQ(co_parallel_wait(&loop), -ECANCELED);
}

static intptr_t loops_for_long(void *arg)
{
	static struct co_parallel p;

	p = (struct co_parallel){ .body = wait_for_cancel,
				  .arg = arg,
				  .dims = 1,
				  .schedule = CO_DYNAMIC,
				  .range = { { 0, LONG_MAX, 1 } } };
	return co_parallel_for(&p);
}

TEST(a_caller_who_is_cancelled_stops_the_loop)
{
	static struct co_a32 parts;
	struct co *c;

	co_atomic_store(&parts, 0, CO_RELAXED);
	c = test_spawn_on(0, loops_for_long, &parts);
	test_await(&parts, 1);
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
}

static int nest(void *arg, struct co_part *p)
{
	struct co_parallel *inner = arg;

	for (long i = p->from[0]; i < p->to[0]; i++) {
		int r = co_parallel_for(&inner[i]);

		if (r)
			return r;
	}
	return 0;
}

TEST(loops_nest)
{
	static struct co_parallel inner[8];
	static struct co_aword n;

	co_atomic_store(&n, 0, CO_RELAXED);
	for (unsigned i = 0; i < 8; i++)
		inner[i] = (struct co_parallel){
			.body = count, .arg = &n, .dims = 2, .range = { { 0, 10, 1 }, { 0, 10, 1 } }
		};
	loop = (struct co_parallel){
		.body = nest, .arg = inner, .dims = 1, .range = { { 0, 8, 1 } }
	};
	for (unsigned d = 0; d < 8; d++)
		for (unsigned e = 2; e < CO_DIMS_MAX; e++)
			inner[d].range[e] = (struct co_range){ 0, 1, 1 };
	for (unsigned i = 0; i < 8; i++)
		inner[i].dims = CO_DIMS_MAX;
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(co_atomic_load(&n, CO_RELAXED), 800);
}

static unsigned order[32];
static struct co_a32 ordered;

static int first_of_all(void *arg, struct co_part *p)
{
	if (p->from[0] == 0)
		order[co_atomic_add(&ordered, 1, CO_RELAXED)] = (unsigned)(uintptr_t)arg;
	return co_sleep_us(50);
}

TEST(a_stream_keeps_its_order)
{
	static struct co_parallel p[20];
	static struct co_stream s;

	co_atomic_store(&ordered, 0, CO_RELAXED);
	REQUIRE_EQ(co_stream_open(&s, NULL), 0);
	for (unsigned i = 0; i < 20; i++) {
		p[i] = (struct co_parallel){ .body = first_of_all,
					     .arg = (void *)(uintptr_t)i,
					     .dims = 1,
					     .range = { { 0, 6, 1 } } };
		REQUIRE_EQ(co_stream_start(&s, &p[i]), 0);
	}
	CHECK_EQ(co_parallel_wait(&p[7]), 0);
	CHECK(co_atomic_load(&ordered, CO_RELAXED) >= 8);
	CHECK_EQ(co_stream_close(&s), 0);
	REQUIRE_EQ(co_atomic_load(&ordered, CO_RELAXED), 20);
	for (unsigned i = 0; i < 20; i++)
		CHECK_EQ(order[i], i);
}

static int fail(void *arg, struct co_part *p)
{
	(void)arg;
	(void)p;
	return -EDOM;
}

TEST(an_error_in_a_stream_does_not_hold_back_the_rest)
{
	static struct co_parallel bad, good;
	static struct co_aword n;
	static struct co_stream s;

	co_atomic_store(&n, 0, CO_RELAXED);
	bad = (struct co_parallel){ .body = fail, .dims = 1, .range = { { 0, 6, 1 } } };
	good = (struct co_parallel){ .body = count, .arg = &n, .dims = CO_DIMS_MAX };
	for (unsigned d = 0; d < CO_DIMS_MAX; d++)
		good.range[d] = (struct co_range){ 0, 2, 1 };
	REQUIRE_EQ(co_stream_open(&s, NULL), 0);
	CHECK_EQ(co_stream_start(&s, &bad), 0);
	CHECK_EQ(co_stream_start(&s, &good), 0);
	bad.dims = 1;
	CHECK_EQ(co_parallel_wait(&bad), -EDOM);
	CHECK_EQ(co_parallel_wait(&good), 0);
	CHECK_EQ(co_atomic_load(&n, CO_RELAXED), 64);
	CHECK_EQ(co_stream_close(&s), -EDOM);
}

TEST(events_order_two_streams)
{
	static struct co_parallel a, b;
	static struct co_stream s, t;
	static struct co_event done;

	co_atomic_store(&ordered, 0, CO_RELAXED);
	a = (struct co_parallel){
		.body = first_of_all, .arg = (void *)1, .dims = 1, .range = { { 0, 3, 1 } }
	};
	b = a;
	b.arg = (void *)2;
	REQUIRE_EQ(co_stream_open(&s, "first"), 0);
	REQUIRE_EQ(co_stream_open(&t, "second"), 0);
	CHECK_EQ(co_stream_await(&t, &done), 0);
	CHECK_EQ(co_stream_start(&t, &b), 0);
	CHECK_EQ(co_stream_start(&s, &a), 0);
	CHECK_EQ(co_stream_set(&s, &done), 0);
	CHECK_EQ(co_stream_close(&s), 0);
	CHECK_EQ(co_stream_close(&t), 0);
	REQUIRE_EQ(co_atomic_load(&ordered, CO_RELAXED), 2);
	CHECK_EQ(order[0], 1);
	CHECK_EQ(order[1], 2);
}
