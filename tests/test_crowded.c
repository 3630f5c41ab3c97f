/*
 * test_crowded.c - harts that have no coroutine to spare: work that can be done by others or by the
 * caller is, and what cannot says so. And streams that are given too much.
 *
 * Options: --coroutines=64
 */
#include <cohart/dma.h>
#include <cohart/stream.h>

#include "stay.h"

#define N (CO_MOVE_FILL_BYTES + 100)

static unsigned char from[N], to[N];
static struct co_batch crowd;

static int stays(void *arg, struct co_part *p)
{
	return (int)stay(arg);
}

static struct co_parallel workers; /* which stay on a hart, and are to be busy, too */

/* Take all coroutines of compute harts first..last. */
static void fill_harts(unsigned first, unsigned last)
{
	static unsigned harts[512];

	hold();
	for (unsigned i = first; i <= last; i++)
		harts[i - first] = test_compute(i);
	workers = LOOP(stays, last - first + 1, .scope = { harts, last - first + 1 });
	REQUIRE_EQ(co_parallel_start(&workers), 0);
	for (unsigned i = first; i <= last; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(test_compute(i)) };

		while (co_batch_spawn(&crowd, &attr, stay, NULL, NULL) == 0)
			;
	}
}

static void clear_harts(void)
{
	let_go();
	CHECK_EQ(co_batch_join(&crowd), 0);
	CHECK_EQ(co_parallel_wait(&workers), 0);
}

static intptr_t exits(void *arg)
{
	co_exit((intptr_t)arg);
}

TEST(who_exits_leaves_its_place)
{
	const struct co_attr attr = { .on = CO_ON_HART(test_compute(test_computes() - 1)) };
	static struct co_batch batch;

	for (unsigned i = 0; i < 200; i++) {
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, exits, NULL, NULL), 0);
		REQUIRE_EQ(co_batch_join(&batch), 0);
	}
}

static intptr_t moves(void *arg)
{
	CHECK_EQ(co_move_copy(to, from, N), 0);
	CHECK_EQ(memcmp(to, from, N), 0);
	CHECK_EQ(co_move_fill(to + 5, 77, N - 10), 0);
	CHECK(test_filled(to + 5, 77, N - 10) && to[4] == from[4] && to[N - 5] == from[N - 5]);
	return (intptr_t)arg;
}

TEST(what_a_group_cannot_move_its_caller_does)
{
	unsigned last = test_computes() - 1;
	unsigned char *tile = co_spm_alloc(64, 16);

	REQUIRE(tile);
	if (last == 0)
		SKIP("there is one compute hart");
	for (unsigned i = 0; i < N; i++)
		from[i] = (unsigned char)(i * 11 + 1);
	fill_harts(last, last);
	test_join(test_spawn_on(test_compute(0), moves, NULL));
	CHECK_EQ(co_move_broadcast(tile, from, 64), 0);
	CHECK_EQ(co_move_broadcast(tile, co_spm_at(tile, test_compute(0)), 64), 0);
	clear_harts();
	for (unsigned i = 0; i <= last; i++)
		CHECK_EQ(memcmp(co_spm_at(tile, test_compute(i)), from, 64), 0);
	CHECK_EQ(memcmp(tile, from, 64), 0);
	co_spm_free(tile);
}

static int copy_one(void *arg, long task)
{
	to[task] = from[task];
	return 0;
}

TEST(tasks_that_no_hart_can_begin_are_left)
{
	static struct co_tasks t;

	t = (struct co_tasks){ .total = N, .memory = malloc(co_tasks_bytes(N)) };
	REQUIRE(t.memory);
	REQUIRE_EQ(co_tasks_open(&t), 0);
	memset(to, 0, N);
	fill_harts(0, test_computes() - 1);
	CHECK_EQ(co_tasks_run(&t, copy_one, NULL), -ENOBUFS);
	CHECK_EQ(co_tasks_done(&t), 0);
	clear_harts();
	CHECK_EQ(co_tasks_run(&t, copy_one, NULL), 0);
	CHECK_EQ(memcmp(to, from, N), 0);
	CHECK_EQ(co_tasks_close(&t), 0);
	free(t.memory);
}

static long sum;

static int add_up(void *arg, struct co_part *p)
{
	for (long i = p->from[0]; i < p->to[0]; i++)
		*(long *)p->partial += i;
	return 0;
}

static struct co_parallel summing(void)
{
	static const long zero;

	sum = 5;
	return LOOP(add_up, 100, .reduction = { sizeof(sum), &zero, co_sum_long, &sum });
}

TEST_TIDY(a_member_that_cannot_start_ends_the_loop)
{
	static struct co_parallel loop;
	unsigned last = test_computes() - 1;

	if (last == 0)
		SKIP("there is one compute hart");
	fill_harts(last, last);
	loop = summing();
	loop.range[0].upper = 100000;
	CHECK_EQ(co_parallel_for(&loop), -ENOBUFS);
	CHECK_EQ(sum, 5);
	clear_harts();
	loop = summing();
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK_EQ(sum, 5 + 99 * 50);
}

/* ---- Streams ---- */

TEST(a_loop_that_cannot_start_does_not_hold_its_stream_back)
{
	static struct co_parallel crowded, next;
	static struct co_stream s;
	static unsigned only;
	static struct co_event clear;

	only = test_compute(0);
	if (only == 0)
		SKIP("hart 0 is the only one");
	REQUIRE_EQ(co_stream_open(&s, "crowded"), 0);
	fill_harts(0, 0);
	crowded = summing();
	crowded.scope = (struct co_scope){ &only, 1 };
	next = crowded;
	CHECK_EQ(co_stream_start(&s, &crowded), 0);
	CHECK_EQ(co_stream_await(&s, &clear), 0);
	CHECK_EQ(co_stream_start(&s, &next), 0);
	CHECK_EQ(co_parallel_wait(&crowded), -ENOBUFS);
	CHECK_EQ(sum, 5);
	clear_harts();
	co_event_set(&clear);
	CHECK_EQ(co_parallel_wait(&next), 0);
	CHECK_EQ(sum, 5 + 99 * 50);
	CHECK_EQ(co_stream_close(&s), -ENOBUFS);
}

static int fails(void *arg, struct co_part *p)
{
	return (int)(intptr_t)arg;
}

static struct co_parallel failing(int error)
{
	return LOOP(fails, 1, .arg = (void *)(intptr_t)error);
}

TEST(a_stream_ends_with_the_first_of_its_errors)
{
	static struct co_parallel p[4];
	static struct co_stream s;
	static const int errors[4] = { 0, -EDOM, -EIO, 0 };

	REQUIRE_EQ(co_stream_open(&s, NULL), 0);
	for (unsigned i = 0; i < 4; i++) {
		p[i] = failing(errors[i]);
		CHECK_EQ(co_stream_start(&s, &p[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(co_parallel_wait(&p[i]), errors[i]);
	p[0].dims = 0;
	CHECK_EQ(co_stream_start(&s, &p[0]), -EINVAL); /* and the stream goes on */
	p[0] = failing(0);
	CHECK_EQ(co_stream_start(&s, &p[0]), 0);
	CHECK_EQ(co_parallel_wait(&p[0]), 0);
	CHECK_EQ(co_stream_close(&s), -EDOM);
}

static struct co_stream stream;
static struct co_parallel much[CO_STREAM_DEPTH + 4];
static struct co_a32 given;

static intptr_t gives_too_much(void *arg)
{
	for (unsigned i = 0; i < CO_STREAM_DEPTH + 4; i++) {
		int r;

		much[i] = failing(0);
		r = co_stream_start(&stream, &much[i]);
		if (r)
			return r;
		co_atomic_add(&given, 1, CO_RELEASE); /* paired with test_await() */
	}
	return 0;
}

/* A stream whose close is cancelled goes on, and is closed again. */
static intptr_t closes_again(void *arg)
{
	static struct co_stream its_own;
	static struct co_event later;
	int r;

	(void)arg;
	REQUIRE_EQ(co_stream_open(&its_own, "again"), 0);
	REQUIRE_EQ(co_stream_await(&its_own, &later), 0);
	CHECK_EQ(co_stream_close(&its_own), -ECANCELED);
	co_event_set(&later);
	while ((r = co_stream_close(&its_own)) == -ECANCELED)
		co_pause();
	return r;
}

TEST(a_stream_whose_close_is_cancelled_is_closed_again)
{
	struct co *c = test_spawn(&(struct co_attr){ .stack = CO_STACK_MAIN }, closes_again, NULL);

	CHECK_EQ(co_sleep_us(2000), 0);
	co_cancel(c);
	CHECK_EQ(test_join(c), 0);
}

TEST(who_is_cancelled_before_a_full_stream_has_not_started_the_loop)
{
	static struct co_event enough;
	struct co *c;
	unsigned n;

	co_atomic_store(&given, 0, CO_RELAXED);
	REQUIRE_EQ(co_stream_open(&stream, "full"), 0);
	CHECK_EQ(co_stream_await(&stream, &enough), 0);
	c = test_spawn_on(co_hart(), gives_too_much, NULL);
	CHECK(test_await(&given, CO_STREAM_DEPTH));
	CHECK_EQ(co_sleep_us(2000), 0);
	test_cancel(c);
	n = co_atomic_load(&given, CO_RELAXED);
	CHECK(n >= CO_STREAM_DEPTH && n < CO_STREAM_DEPTH + 4);
	co_event_set(&enough);
	CHECK_EQ(co_stream_close(&stream), 0);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(co_parallel_wait(&much[i]), 0);
}
