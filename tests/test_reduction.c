/*
 * test_reduction.c - what members have found comes together, in the order of the members.
 *
 * Topologies: 2x(1+3)
 */
#include "harness/test.h"

static struct co_parallel loop;

static unsigned owner(void *arg, const long *index)
{
	return (unsigned)(index[0] * 7);
}

static int add_up(void *arg, struct co_part *p)
{
	long *sum = p->partial;

	for (long i = p->from[0]; i < p->to[0]; i += p->step[0])
		*sum += i;
	return 0;
}

static int add_up_thirds(void *arg, struct co_part *p)
{
	double *sum = p->partial;

	for (long i = p->from[0]; i < p->to[0]; i += p->step[0])
		*sum += 1.0 / (double)(3 * i + 1);
	return 0;
}

TEST(sums_come_together_and_repeat)
{
	static const long zero;
	static const double none;
	static long sum;
	static double thirds, again;

	for (unsigned s = CO_STATIC; s <= CO_OWNER; s++) {
		sum = 5;
		loop = LOOP(add_up, 1000, .schedule = (enum co_schedule)s, .block = 3,
			    .owner = owner, .reduction = { sizeof(sum), &zero, co_sum_long, &sum });
		CHECK_EQ(co_parallel_for(&loop), 0);
		CHECK_EQ(sum, 5 + 999 * 500);
	}
	loop = LOOP(add_up_thirds, 1000, .schedule = CO_CYCLIC,
		    .reduction = { sizeof(none), &none, co_sum_double, &thirds });
	thirds = 0;
	CHECK_EQ(co_parallel_for(&loop), 0);
	loop.reduction.result = &again;
	again = 0;
	CHECK_EQ(co_parallel_for(&loop), 0);
	CHECK(thirds == again && thirds > 3.0 && thirds < 3.6);
}

/* Of 0 to 99, each of -50 to 49 once. */
static long mixed(long i)
{
	return (i * 37 + 11) % 100 - 50;
}

static int choose_double(void *least, struct co_part *p)
{
	double *best = p->partial;

	for (long i = p->from[0]; i < p->to[0]; i++) {
		double d = (double)mixed(i);

		if (least ? d < *best : d > *best)
			*best = d;
	}
	return 0;
}

static int choose_long(void *least, struct co_part *p)
{
	long *best = p->partial;

	for (long i = p->from[0]; i < p->to[0]; i++) {
		if (least ? mixed(i) < *best : mixed(i) > *best)
			*best = mixed(i);
	}
	return 0;
}

/* What is in the result before counts too, as a sum's does. */
TEST(the_least_and_the_greatest_come_together)
{
	static const double low = -1000, high = 1000;
	static const long below = -1000, above = 1000;
	static double d;
	static long n;
	static const struct {
		bool least;
		long before, after;
	} rows[] = { { true, 60, -50 }, { true, -60, -60 }, { false, -60, 49 }, { false, 60, 60 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool least = rows[i].least;

		loop = LOOP(choose_double, 100, .arg = least ? &loop : NULL, .schedule = CO_CYCLIC);
		loop.reduction = (struct co_reduction){ sizeof(d), least ? &high : &low,
							least ? co_min_double : co_max_double, &d };
		d = (double)rows[i].before;
		CHECK_EQ(co_parallel_for(&loop), 0);
		CHECK_EQ((long)d, rows[i].after);
		loop.body = choose_long;
		loop.reduction = (struct co_reduction){ sizeof(n), least ? &above : &below,
							least ? co_min_long : co_max_long, &n };
		n = rows[i].before;
		CHECK_EQ(co_parallel_for(&loop), 0);
		CHECK_EQ(n, rows[i].after);
	}
}
