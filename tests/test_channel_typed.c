/*
 * test_channel_typed.c - channels that know their type. What must not compile: tests/refused.
 */
#include <cohart/typed.h>

#include "harness/test.h"

struct point {
	int x, y;
};

enum colour { RED, GREEN };

union ints CO_CHAN_TYPE(int);

CO_CHANNEL_IN(union ints, ints, int, 4);
CO_CHANNEL_OF(bytes, uint8_t, 4);
CO_CHANNEL_OF(points, struct point, 2);
CO_CHANNEL_OF(doubles, double, 2);
CO_CHANNEL_OF(texts, const char *, 2);
CO_CHANNEL_OF(colours, enum colour, 2);

static intptr_t twice(void *arg)
{
	union ints *c = arg;
	int n;

	CHECK_EQ(co_recv_until(c, &n, LONG_ENOUGH), 0);
	return 2 * n;
}

TEST(values_of_every_kind_go_through)
{
	const struct point here = { 3, 4 };
	struct point p;
	enum colour colour;
	const char *text;
	const long seven = 7;
	uint8_t byte;
	short small = -5;
	double d;
	int n;

	CHECK_EQ(co_send(&ints, 42), 0);
	CHECK_EQ(co_send(&ints, small), 0);
	CHECK_EQ(co_send_until(&ints, (int)seven, LONG_ENOUGH), 0);
	CHECK_EQ(co_try_send(&ints, 'a'), 0);
	CHECK_EQ(co_try_send(&ints, 1), -EAGAIN);
	for (unsigned i = 0; i < 4; i++) {
		static const int want[] = { 42, -5, 7, 'a' };

		CHECK_EQ(co_recv(&ints, &n), 0);
		CHECK_EQ(n, want[i]);
	}
	CHECK_EQ(co_try_recv(&ints, &n), -EAGAIN);
	CHECK_EQ(co_send(&bytes, 200), 0);
	CHECK_EQ(co_recv(&bytes, &byte), 0);
	CHECK_EQ(byte, 200);
	CHECK_EQ(co_send(&points, here), 0);
	CHECK_EQ(co_recv(&points, &p), 0);
	CHECK(p.x == 3 && p.y == 4);
	CHECK_EQ(co_send(&doubles, 0.5), 0);
	CHECK_EQ(co_recv(&doubles, &d), 0);
	CHECK(d == 0.5);
	CHECK_EQ(co_send(&texts, (const char *)"hello"), 0);
	CHECK_EQ(co_recv(&texts, &text), 0);
	CHECK_STR(text, "hello");
	CHECK_EQ(co_send(&colours, GREEN), 0);
	CHECK_EQ(co_recv(&colours, &colour), 0);
	CHECK_EQ(colour, GREEN);
}

TEST(a_value_is_taken_once)
{
	struct co *c = test_spawn_on(co_harts() - 1, twice, &ints);
	int n = 20;

	CHECK_EQ(co_send(&ints, ++n), 0);
	CHECK_EQ(n, 21);
	CHECK_EQ(test_join(c), 42);
	co_chan_close(&ints.chan);
	CHECK_EQ(co_send(&ints, n), -EPIPE);
	CHECK_EQ(co_recv(&ints, &n), -EPIPE);
	CHECK_EQ(n, 21);
}
