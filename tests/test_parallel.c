/*
 * test_parallel.c - every index is done once, by the members that the schedule names, also with
 * numbers as large as can be; loops that fail, are cancelled or cannot start leave nothing behind.
 *
 * Topologies: 2x(1+3) 1x(1+3+1) 1+1x(1+3)
 */
#include <limits.h>

#include "harness/test.h"

#define SIDE 24

static struct co_a32 seen[SIDE * SIDE * SIDE]; /* how often an index was done */
static struct co_parallel loop;

static const enum co_schedule schedules[] = { CO_STATIC, CO_CYCLIC, CO_DYNAMIC, CO_GUIDED,
					      CO_OWNER };
#define SCHEDULES (sizeof(schedules) / sizeof(*schedules))

static unsigned owner(void *arg, const long *index)
{
	return (unsigned)(index[0] * 7);
}

static bool is_past(long at, const struct co_part *p, unsigned d)
{
	return p->step[d] > 0 ? at >= p->to[d] : at <= p->to[d];
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
		while (d && is_past(at[d - 1] += p->step[d - 1], p, d - 1)) {
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

			wanted &= (step > 0 ? at >= range[d].lower && at < range[d].upper
					    : at <= range[d].lower && at > range[d].upper) &&
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

TEST(each_index_is_done_once)
{
	static const struct {
		unsigned dims;
		struct co_range range[3];
		unsigned block;
	} rows[] = {
		{ 1, { { 0, SIDE, 0 } }, 1 },
		{ 1, { { 3, 20, 4 } }, 2 },
		{ 1, { { 5, 6, 1 } }, 3 },
		{ 2, { { 0, SIDE, 1 }, { 0, SIDE, 1 } }, 1 },
		{ 2, { { 1, SIDE - 1, 3 }, { 2, 23, 5 } }, 4 },
		{ 2, { { 7, 8, 1 }, { 0, SIDE, 1 } }, 5 },
		{ 3, { { 0, SIDE, 1 }, { 0, SIDE, 1 }, { 0, SIDE, 1 } }, 7 },
		{ 3, { { 2, 3, 1 }, { 1, 20, 2 }, { 5, 24, 3 } }, 2 },
		{ 1, { { SIDE - 1, -1, -1 } }, 2 },
		{ 2, { { 20, 1, -4 }, { 0, SIDE, 1 } }, 3 },
		{ 3, { { 0, 5, 1 }, { 9, 2, -3 }, { 23, 22, -7 } }, 1 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		run_all_schedules(rows[i].dims, rows[i].range, rows[i].block);
}

TEST(a_block_may_be_larger_than_the_loop)
{
	static const unsigned blocks[] = { SIDE - 1,         SIDE,        SIDE + 1, INT_MAX,
					   INT_MAX + 1u,     UINT_MAX,    1u << 30, 3u << 30,
					   UINT_MAX / 3 + 1, UINT_MAX - 1 };

	for (unsigned b = 0; b < sizeof(blocks) / sizeof(*blocks); b++)
		run_all_schedules(1, (struct co_range[]){ { 0, SIDE, 1 } }, blocks[b]);
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

/* A part's own size, by its first index. */
static int note_size(void *arg, struct co_part *p)
{
	long *sizes = arg;

	sizes[p->from[0]] = p->to[0] - p->from[0];
	return 0;
}

TEST(guided_blocks_are_half_of_the_rest_in_n_and_none_is_left)
{
	static long sizes[500];
	static const unsigned blocks[] = { 0, 1, 3, 70, 499, UINT_MAX };

	for (long units = 1; units <= 500; units += units < 20 ? 1 : 37) {
		for (unsigned k = 0; k < sizeof(blocks) / sizeof(*blocks); k++) {
			long least = (long)(blocks[k] ? blocks[k] < 500 ? blocks[k] : 500 : 1);
			long at = 0, rest = units, n;

			memset(sizes, 0, sizeof(sizes));
			loop = (struct co_parallel){ .body = note_size,
						     .arg = sizes,
						     .dims = 1,
						     .range = { { 0, units, 1 } },
						     .schedule = CO_GUIDED,
						     .block = blocks[k] };
			REQUIRE_EQ(co_parallel_for(&loop), 0);
			n = (long)loop.n;
			for (long round = 0; at < units; round++) {
				long size = (rest + 2 * n - 1) / (2 * n);

				size = size < least ? least : size;
				for (long i = 0; i < n && at < units; i++, at += size)
					REQUIRE_EQ(sizes[at],
						   size < units - at ? size : units - at);
				rest = units - at;
			}
		}
	}
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

static int count_each(void *arg, struct co_part *p)
{
	CO_EACH(i, p, 0)
	co_atomic_add((struct co_aword *)arg, 1, CO_RELAXED);
	return 0;
}

/* Whole lines of the last dimension, if there are three and more. */
static int takes_whole_lines(void *arg, struct co_part *p)
{
	const struct co_range *last = arg;

	co_atomic_add(&seen[p->from[0] * SIDE + p->from[1]], 1, CO_RELAXED);
	return p->from[2] == last->lower && p->to[2] == last->upper ? 0 : -EDOM;
}

TEST(b1_three_dimensions_are_cut_along_the_second_last_and_never_within_a_line)
{
	static struct co_range last = { 0, 1000, 1 };

	memset(seen, 0, sizeof(seen));
	loop = (struct co_parallel){ .body = takes_whole_lines,
				     .arg = &last,
				     .dims = 3,
				     .range = { { 0, 1, 1 }, { 0, SIDE, 1 }, last } };
	CHECK_EQ(co_parallel_for(&loop), 0);
	/* A single plane: its rows are what is shared out. */
	CHECK(loop.n == test_computes() || loop.n == SIDE);
	CHECK_EQ(co_atomic_load(&seen[0], CO_RELAXED), 1);
}

TEST(e5_a_step_back_may_reach_the_least_number)
{
	static struct co_aword n;

	co_atomic_store(&n, 0, CO_RELAXED);
	loop = (struct co_parallel){ .body = count_each,
				     .arg = &n,
				     .dims = 1,
				     .range = { { LONG_MIN + 5, LONG_MIN + 1, -2 } } };
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(co_atomic_load(&n, CO_RELAXED), 2);
	loop.range[0] = (struct co_range){ 5, 5, -1 };
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(co_atomic_load(&n, CO_RELAXED), 2);
}

/* Indices that each member has done, and calls of its body. */
static struct co_aword units_of[512], calls_of[512];

static int count_own(void *arg, struct co_part *p)
{
	size_t n = 1;

	for (unsigned d = 0; d < loop.dims; d++)
		n *= (size_t)((p->to[d] - p->from[d] - 1) / p->step[d] + 1);
	co_atomic_add(&units_of[p->member], n, CO_RELAXED);
	co_atomic_add(&calls_of[p->member], 1, CO_RELAXED);
	return 0;
}

TEST(static_shares_of_a_plane_differ_by_one_element)
{
	static const struct {
		unsigned dims, unit;
		struct co_range range[3];
	} rows[] = {
		{ 2, 1, { { 0, 7, 1 }, { 0, 31, 1 } } },
		{ 2, 1, { { 0, 501, 1 }, { 3, 24, 2 } } },
		{ 3, 4, { { 0, 3, 1 }, { 0, 17, 1 }, { 0, 4, 1 } } },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t least = SIZE_MAX, most = 0;

		memset(units_of, 0, sizeof(units_of));
		memset(calls_of, 0, sizeof(calls_of));
		loop = (struct co_parallel){ .body = count_own, .dims = rows[i].dims };
		memcpy(loop.range, rows[i].range, sizeof(rows[i].range));
		CHECK_EQ(co_parallel_for(&loop), 0);
		for (unsigned m = 0; m < loop.n; m++) {
			size_t n = co_atomic_load(&units_of[m], CO_RELAXED);

			least = n < least ? n : least;
			most = n > most ? n : most;
			/* What is left of a line, whole lines, a line's begin. */
			CHECK(co_atomic_load(&calls_of[m], CO_RELAXED) <= 2 * rows[i].dims - 1);
		}
		CHECK(most - least <= rows[i].unit);
	}
}

static int never(void *arg, struct co_part *p)
{
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
		loop.dims = 3; /* the others may be any */
		loop.range[0] = loop.range[2] = (struct co_range){ 0, LONG_MAX, 1 };
		CHECK_EQ(co_parallel_for(&loop), 0);
	}
}

TEST(what_makes_no_sense_is_refused)
{
	static const unsigned twice[] = { 0, 0 };
	static unsigned too_far;
	static const long zero;
	static long sum;
	static const struct co_parallel wrong[] = {
		{ .dims = 1, .range = { { 0, 0, 1 } } },
		{ .body = never, .range = { { 0, 0, 1 } } },
		{ .body = never, .dims = CO_DIMS_MAX + 1, .range = { { 0, 0, 1 } } },
		{ .body = never,
		  .dims = 3,
		  .range = { { 0, LONG_MAX, 1 }, { 0, LONG_MAX, 1 }, { 0, LONG_MAX, 1 } } },
		{ .body = never, .dims = 1, .schedule = CO_OWNER },
		{ .body = never, .dims = 1, .schedule = (enum co_schedule)(CO_OWNER + 1) },
		{ .body = never, .dims = 1, .scope = { NULL, 1 } },
		{ .body = never, .dims = 1, .scope = { twice, 0 } },
		{ .body = never, .dims = 1, .scope = { twice, 2 } },
		{ .body = never, .dims = 1, .scope = { &too_far, 1 } },
		{ .body = never, .dims = 1, .reduction = { 8, NULL, co_sum_long, &sum } },
		{ .body = never, .dims = 1, .reduction = { 8, &zero, NULL, &sum } },
		{ .body = never, .dims = 1, .reduction = { 8, &zero, co_sum_long, NULL } },
		{ .body = never,
		  .dims = 1,
		  .reduction = { CO_REDUCTION_BYTES + 1, &zero, co_sum_long, &sum } },
	};

	too_far = co_harts();
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		loop = wrong[i];
		if (!CHECK_EQ(co_parallel_for(&loop), -EINVAL))
			printf("# row %u\n", i);
	}
	/* More than the list has: what follows names harts again. */
	loop = (struct co_parallel){ .body = never, .dims = 1 };
	loop.scope = co_scope_of(CO_ALL_HARTS, 0, CO_ROLE_COMPUTE);
	loop.scope.n = loop.scope.n * 2 + 2;
	CHECK_EQ(co_parallel_for(&loop), -EINVAL);
}

static struct co_a32 on[512];

static int where(void *arg, struct co_part *p)
{
	co_atomic_add(&on[co_hart()], 1, CO_RELAXED);
	return 0;
}

TEST(e3_a_scope_names_the_harts)
{
	unsigned list[2] = { co_harts() - 1, 0 };
	const struct co_group *g = co_group(0);
	unsigned n = co_harts() > 1 ? 2 : 1;

	memset(on, 0, sizeof(on));
	loop = LOOP(where, 4 * 512);
	CHECK_EQ(co_parallel_for(&loop), 0);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&on[h], CO_RELAXED) != 0,
			 (co_hart_role(h) & CO_ROLE_COMPUTE) != 0);
	memset(on, 0, sizeof(on));
	loop.scope = co_scope_here(CO_GROUP, CO_ROLE_COMPUTE);
	CHECK_EQ(co_parallel_for(&loop), g->computes ? 0 : -EINVAL);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&on[h], CO_RELAXED) != 0, h - g->compute < g->computes);
	memset(on, 0, sizeof(on));
	loop.scope = (struct co_scope){ list, n };
	CHECK_EQ(co_parallel_for(&loop), 0);
	for (unsigned h = 0; h < co_harts(); h++)
		CHECK_EQ(co_atomic_load(&on[h], CO_RELAXED), h == 0 || h == list[0]);
}

#define INDICES 100
static long bad_index, sum;

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

static struct co_parallel summing(long bad)
{
	static const long zero;

	bad_index = bad;
	sum = 5;
	return LOOP(add_up, INDICES, .arg = &bad_index,
		    .reduction = { sizeof(sum), &zero, co_sum_long, &sum });
}

static struct co_a32 parts;

/* Parts are rows of three. */
static int fail_in_a_row(void *arg, struct co_part *p)
{
	long row = *(const long *)arg;

	co_atomic_add(&parts, 1, CO_RELAXED);
	CHECK_EQ(p->from[1], -1);
	CHECK_EQ(p->to[1], 2);
	return p->from[0] <= row && row < p->to[0] ? -EDOM : 0;
}

TEST(an_error_ends_the_loop_and_says_where)
{
	static long row = 17;
	const long rows = 100000000;

	for (unsigned s = 1; s < SCHEDULES; s++) {
		co_atomic_store(&parts, 0, CO_RELAXED);
		loop = (struct co_parallel){ .body = fail_in_a_row,
					     .arg = &row,
					     .dims = 2,
					     .schedule = schedules[s],
					     .owner = owner,
					     .range = { { 0, rows, 1 }, { -1, 2, 1 } } };
		CHECK_EQ(co_parallel_for(&loop), -EDOM);
		CHECK(loop.error_at[0] == row || schedules[s] == CO_GUIDED);
		CHECK(loop.error_at[0] <= row);
		CHECK_EQ(loop.error_at[1], -1);
		/* Those who run meanwhile get on, but not to the end. */
		CHECK(co_atomic_load(&parts, CO_RELAXED) < (uint32_t)rows);
	}
}

TEST_TIDY(a_loop_that_fails_leaves_the_result_as_it_was)
{
	loop = summing(17);
	CHECK_EQ(co_parallel_for(&loop), -EDOM);
	CHECK_EQ(sum, 5);
	CHECK_EQ(loop.error, -EDOM);
	loop.range[0].upper = 17; /* the same again, without it */
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(sum, 5 + 16 * 17 / 2);
}

TEST_TIDY(partial_results_need_room)
{
	struct co_spm_use use = test_spm_use(co_hart());
	void *all = NULL;

	for (size_t bytes = use.heap_bytes - use.used; !all && bytes > 64; bytes -= 16)
		all = co_spm_alloc(bytes, 16);
	REQUIRE(all);
	loop = summing(-1);
	loop.reduction.bytes = CO_REDUCTION_BYTES;
	CHECK_EQ(co_parallel_for(&loop), -ENOMEM);
	co_spm_free(all);
	loop = summing(-1);
	loop.range[0].upper = 0; /* nothing to add */
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(sum, 5);
}

static int wait_for_cancel(void *arg, struct co_part *p)
{
	co_atomic_add((struct co_a32 *)arg, 1, CO_RELEASE); /* paired with test_await() */
	return co_sleep_us(100);
}

static intptr_t loops_for_long(void *arg)
{
	static struct co_parallel p;

	p = LOOP(wait_for_cancel, LONG_MAX, .arg = arg, .schedule = CO_DYNAMIC);
	return co_parallel_for(&p);
}

static intptr_t starts_and_is_cancelled(void *arg)
{
	int r;

	loop = LOOP(wait_for_cancel, LONG_MAX, .arg = arg, .schedule = CO_DYNAMIC);
	REQUIRE_EQ(co_parallel_start(&loop), 0);
	CHECK_EQ(co_parallel_wait_until(&loop, 0), -ETIMEDOUT);
	CHECK_EQ(co_parallel_wait(&loop), -ECANCELED);
	CHECK(co_atomic_load(&loop.members.running.state, CO_RELAXED) != 0); /* it goes on */
	co_parallel_cancel(&loop);
	r = co_parallel_wait(&loop);
	CHECK_EQ(co_atomic_load(&loop.members.running.state, CO_RELAXED), 0);
	memset(&loop, 0, sizeof(loop)); /* nobody uses it any more */
	return r;
}

TEST(a_caller_who_is_cancelled_ends_the_loop_and_waits_for_that)
{
	co_fn *const ways[] = { loops_for_long, starts_and_is_cancelled };

	for (unsigned i = 0; i < 2; i++) {
		struct co *c;

		co_atomic_store(&parts, 0, CO_RELAXED);
		c = test_spawn_on(0, ways[i], &parts);
		test_await(&parts, 1);
		test_cancel(c);
	}
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
		p[i] = LOOP(first_of_all, 6, .arg = (void *)(uintptr_t)i);
		REQUIRE_EQ(co_stream_start(&s, &p[i]), 0);
	}
	CHECK_EQ(co_parallel_wait(&p[7]), 0);
	CHECK(co_atomic_load(&ordered, CO_RELAXED) >= 8);
	CHECK_EQ(co_stream_close(&s), 0);
	REQUIRE_EQ(co_atomic_load(&ordered, CO_RELAXED), 20);
	for (unsigned i = 0; i < 20; i++)
		CHECK_EQ(order[i], i);
}

TEST(events_order_two_streams)
{
	static struct co_parallel a, b;
	static struct co_stream s, t;
	static struct co_event done;

	co_atomic_store(&ordered, 0, CO_RELAXED);
	a = LOOP(first_of_all, 3, .arg = (void *)1);
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

/* ---- Shared by coroutines that run already ---- */

#define SHARERS 4
CO_BARRIER(meet, SHARERS);
static struct co_a32 results;

static intptr_t share(void *number)
{
	unsigned self = (unsigned)(uintptr_t)number;

	for (unsigned round = 0; round < 3; round++) {
		int r = co_parallel_share(&loop, self);

		co_atomic_add(&results, r == -ECANCELED, CO_RELAXED);
		CHECK_EQ(co_barrier_wait(&meet, self), 0);
	}
	return 0;
}

TEST(e5_coroutines_that_run_share_a_loop_again_and_again)
{
	for (unsigned s = 0; s < SCHEDULES; s++) {
		for (long size = 0; size < 200; size += 66) {
			static struct co_aword n;

			co_atomic_store(&n, 0, CO_RELAXED);
			loop = (struct co_parallel){ .body = count_each,
						     .arg = &n,
						     .dims = 1,
						     .schedule = schedules[s],
						     .owner = owner,
						     .range = { { size, 0, -1 } } };
			CHECK_EQ(co_parallel_prepare(&loop, SHARERS), 0);
			test_spread(share, SHARERS, 0);
			CHECK_EQ(co_atomic_load(&n, CO_RELAXED), 3 * size);
		}
	}
}

TEST(an_error_ends_a_shared_round_for_all)
{
	static long row = 5;

	co_atomic_store(&results, 0, CO_RELAXED);
	loop = (struct co_parallel){ .body = fail_in_a_row,
				     .arg = &row,
				     .dims = 2,
				     .schedule = CO_DYNAMIC,
				     .range = { { 0, 10000, 1 }, { -1, 2, 1 } } };
	CHECK_EQ(co_parallel_prepare(&loop, SHARERS), 0);
	test_spread(share, SHARERS, 0);
	CHECK(co_atomic_load(&results, CO_RELAXED) >= 3); /* at least that one, in each round */
	CHECK_EQ(loop.error, -EDOM);
	loop.reduction.bytes = 8;
	CHECK_EQ(co_parallel_prepare(&loop, SHARERS), -EINVAL);
	loop.reduction.bytes = 0;
	CHECK_EQ(co_parallel_prepare(&loop, 0), -EINVAL);
}
