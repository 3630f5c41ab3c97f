/* test_channel_wrap.c - rings whose positions pass the end of a word, as after 2^28 elements. */
#include "../runtime/comm/channel/channel.h"
#include "channel.h"

enum { LAPS = 6, MOST = 8 };

static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(12, MOST)];
static struct co_chan chan;

/* As if it had been in use for so long that `laps` are left to the end of the word. */
static void age(struct co_chan *c, unsigned capacity, unsigned laps)
{
	struct co_ring *r = &c->ring;
	uintptr_t start = -(laps * r->lap);

	for (unsigned i = 0; i < capacity; i++) {
		struct co_aword *stamp = (struct co_aword *)(void *)(r->slots + i * r->stride);

		co_atomic_store(stamp, start, CO_RELAXED); /* nobody else knows it yet */
	}
	co_atomic_add(&r->tail, start, CO_RELAXED);
	co_atomic_add(&r->head, start, CO_RELAXED);
	if (!co_chan_is_single(c, CO_CHAN_SENDER))
		co_atomic_add(&r->put, start, CO_RELAXED);
	if (!co_chan_is_single(c, CO_CHAN_RECEIVER))
		co_atomic_add(&r->took, start, CO_RELAXED);
}

struct item {
	uint32_t number, twice, thrice;
};

static void put(unsigned n)
{
	const struct item it = { n, 2 * n, 3 * n };

	CHECK_EQ(co_chan_try_send(&chan, &it), 0);
}

static void take(unsigned n)
{
	struct item it = { 0 };

	CHECK_EQ(co_chan_try_recv(&chan, &it), 0);
	CHECK(it.number == n && it.twice == 2 * n && it.thrice == 3 * n);
}

/* Fill it, find it full, empty it, find it empty; then move on by one, so that ends shift. */
static void turn(unsigned capacity)
{
	struct item it = { 0 };

	for (unsigned i = 0; i < capacity; i++) {
		CHECK_EQ(co_chan_count(&chan), i);
		put(i);
	}
	CHECK_EQ(co_chan_count(&chan), capacity);
	CHECK_EQ(co_chan_try_send(&chan, &it), -EAGAIN);
	for (unsigned i = 0; i < capacity; i++)
		take(i);
	CHECK_EQ(co_chan_try_recv(&chan, &it), -EAGAIN);
	CHECK_EQ(co_chan_count(&chan), 0);
	put(7);
	take(7);
}

static void try_laps(const struct shape *s, unsigned capacity, unsigned laps)
{
	struct item it;

	open_shape(&chan, buffer, s, sizeof(it), capacity);
	age(&chan, capacity, LAPS / 2);
	for (unsigned i = 0; i < laps; i++)
		turn(capacity);
	put(1);
	co_chan_close(&chan);
	CHECK_EQ(co_chan_try_send(&chan, &it), -EPIPE);
	take(1);
	CHECK_EQ(co_chan_try_recv(&chan, &it), -EPIPE);
}

TEST(positions_wrap)
{
	for (const struct shape *s = shapes; s < shapes + SHAPES; s++)
		for (unsigned capacity = 1; capacity <= MOST; capacity++)
			for (unsigned laps = 0; laps <= LAPS; laps++)
				try_laps(s, capacity, laps);
}

static intptr_t send_many(void *arg)
{
	for (unsigned i = 0; i < (uintptr_t)arg; i++) {
		const struct item it = { i, 2 * i, 3 * i };

		REQUIRE_EQ(co_chan_send(&chan, &it), 0);
	}
	return 0;
}

/* Those who sleep while the word wraps are woken. */
TEST(waiters_are_woken_beyond_the_wrap)
{
	for (unsigned capacity = 1; capacity <= 3; capacity++) {
		const unsigned n = 2 * LAPS * capacity;
		struct co *sender;

		open_shape(&chan, buffer, shapes, sizeof(struct item), capacity);
		age(&chan, capacity, LAPS);
		sender = test_spawn_on(co_harts() - 1, send_many, (void *)(uintptr_t)n);
		for (unsigned i = 0; i < n; i++) {
			struct item it = { 0 };

			REQUIRE_EQ(co_chan_recv(&chan, &it), 0);
			CHECK_EQ(it.number, i);
		}
		test_join(sender);
	}
}
