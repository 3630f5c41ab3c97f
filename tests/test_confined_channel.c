/* test_confined_channel.c - channels that have a confined side. */
#include "../runtime/core/memory/slab.h"
#include "../runtime/sandbox/confined.h"
#include "confined.h"

#define SLOTS 8
#define MANY 2000

struct ways {
	alignas(CO_PAGE_BYTES) unsigned char in_buffer[CO_CHAN_BYTES(8, SLOTS)];
	unsigned char out_buffer[CO_CHAN_BYTES(8, SLOTS)];
	struct co_user_end in, out;
	uint64_t sum;
	int why;
};

static alignas(CO_PAGE_BYTES) struct ways ways;
static struct co_chan in, out;

static void init_channel(struct co_chan *c, void *buffer, size_t bytes)
{
	REQUIRE_EQ(co_chan_init_as(c, buffer, bytes, 8, CO_SPSC, CO_CLAIM_DEFAULT), 0);
}

static void init_channels(void)
{
	init_channel(&in, ways.in_buffer, sizeof(ways.in_buffer));
	init_channel(&out, ways.out_buffer, sizeof(ways.out_buffer));
}

static void open_ways(void)
{
	memset(&ways, 0, sizeof(ways));
	init_channels();
	REQUIRE_EQ(co_domain_share(&domain, &ways, sizeof(ways), CO_READ | CO_WRITE), 0);
	REQUIRE_EQ(co_domain_channel(&domain, &in, CO_CHAN_RECEIVES, &ways.in), 0);
	REQUIRE_EQ(co_domain_channel(&domain, &out, CO_CHAN_SENDS, &ways.out), 0);
}

/* As many round trips as there are slots, by tries alone. */
static intptr_t tries(void *arg)
{
	struct ways *s = arg;
	uint64_t v;
	unsigned n = 0;

	while (co_user_try_recv(&s->in, &v) == 0) {
		v *= 2;
		if (co_user_try_send(&s->out, &v))
			return -1;
		n++;
	}
	return (intptr_t)n;
}

TEST_IN_DOMAIN(tries_do_not_trap)
{
	struct co_domain_use before, after;

	open_ways();
	for (unsigned lap = 0; lap < 3; lap++) {
		uint64_t v;

		for (v = 0; v < SLOTS; v++)
			REQUIRE_EQ(co_chan_try_send(&in, &v), 0);
		CHECK_EQ(co_chan_try_send(&in, &v), -EAGAIN);
		co_domain_use(&domain, &before);
		CHECK_EQ(test_join(start(tries, &ways)), SLOTS);
		co_domain_use(&domain, &after);
		CHECK_EQ(after.calls - before.calls, 1); /* its end */
		for (unsigned i = 0; i < SLOTS; i++) {
			REQUIRE_EQ(co_chan_try_recv(&out, &v), 0);
			CHECK_EQ(v, 2 * i);
		}
		CHECK_EQ(co_chan_try_recv(&out, &v), -EAGAIN);
	}
}

static intptr_t doubles(void *arg)
{
	struct ways *s = arg;
	uint64_t v;

	while ((s->why = co_user_recv(&s->in, &v)) == 0) {
		s->sum += v;
		v *= 2;
		s->why = co_user_send(&s->out, &v);
		if (s->why)
			return 1;
	}
	return co_user_close(&s->out);
}

static intptr_t feeds(void *arg)
{
	for (uint64_t v = 0; v < MANY; v++) {
		if (co_chan_send(&in, &(uint64_t){ v }))
			return 1;
	}
	co_chan_close(&in);
	return 0;
}

TEST_IN_DOMAIN(waits_of_both_sides_end)
{
	struct co *confined, *feeder;
	uint64_t v, n = 0;
	int r;

	open_ways();
	confined = start(doubles, &ways);
	feeder = test_spawn_on(0, feeds, NULL);
	while ((r = co_chan_recv(&out, &v)) == 0) {
		if (!CHECK_EQ(v, 2 * n))
			break;
		n++;
	}
	CHECK_EQ(r, -EPIPE);
	CHECK_EQ(n, MANY);
	CHECK_EQ(test_join(feeder), 0);
	CHECK_EQ(test_join(confined), 0);
	CHECK_EQ(ways.why, -EPIPE);
	CHECK_EQ(ways.sum, (uint64_t)MANY * (MANY - 1) / 2);
}

static intptr_t gives_up(void *arg)
{
	struct ways *s = arg;
	uint64_t v = 1;

	s->why = co_user_recv_until(&s->in, &v, co_user_after_us(1000));
	if (s->why == -ETIMEDOUT) {
		do /* until it is full */
			s->why = co_user_send_until(&s->out, &v, co_user_after_us(1000));
		while (!s->why);
	}
	return co_user_send(&s->in, &v);
}

static intptr_t waits(void *arg)
{
	struct ways *s = arg;
	uint64_t v;

	return co_user_recv(&s->in, &v);
}

TEST_IN_DOMAIN(a_wait_ends_by_its_limit_and_by_a_cancel)
{
	struct co *c;

	open_ways();
	CHECK_EQ(test_join(start(gives_up, &ways)), -EINVAL);
	CHECK_EQ(ways.why, -ETIMEDOUT);
	c = start(waits, &ways);
	test_sleep_us(1000);
	test_cancel(c);
}

/* The slot's turn has come already, or the channel is closed: it waits for nothing. */
static intptr_t asks_late(void *arg)
{
	struct ways *s = arg;

	return (int)hal_user_call(CO_USER_AWAIT, s->in.number, 0, CO_RING_FULL, 0);
}

TEST_IN_DOMAIN(a_wait_for_what_has_come_ends_at_once_and_leaves_no_queue)
{
	uint64_t v = 1;

	open_ways();
	REQUIRE_EQ(co_chan_try_send(&in, &v), 0);
	CHECK_EQ(test_join(start(asks_late, &ways)), 0);
	CHECK(!co_waitq_known(&in.receivers) && !co_waitq_known(&in.senders));
	co_chan_close(&in);
	CHECK_EQ(test_join(start(asks_late, &ways)), 0); /* it was sent before */
	CHECK(!co_waitq_known(&in.receivers) && !co_waitq_known(&in.senders));
}

static intptr_t faults_when_fed(void *arg)
{
	struct ways *s = arg;
	uint64_t v;

	if (co_user_recv(&s->in, &v))
		return 1;
	*(volatile unsigned char *)(uintptr_t)s->why = 1; /* which is 0 */
	return 0;
}

TEST_IN_DOMAIN_FAULTY(a_fault_of_the_last_one_closes_what_others_wait_for)
{
	struct co *c;
	uint64_t v = 1;
	struct co_hart *h = co_hart_at(co_harts() - 1);
	uint32_t faults = co_atomic_load(&h->faults, CO_RELAXED);

	open_ways();
	c = start(faults_when_fed, &ways);
	CHECK_EQ(co_chan_send(&in, &(uint64_t){ v }), 0);
	CHECK_EQ(co_chan_recv(&out, &v), -EPIPE);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&h->faults, CO_RELAXED), faults + 1); /* it cleans up without one */
	CHECK_EQ(co_chan_send(&in, &(uint64_t){ v }), -EPIPE);
}

/* A word all over the buffers. */
static intptr_t scribbles(void *arg)
{
	struct ways *s = arg;

	for (unsigned i = 0; i < sizeof(s->out_buffer); i += sizeof(uintptr_t)) {
		*(volatile uintptr_t *)&s->in_buffer[i] = (uintptr_t)s->sum;
		*(volatile uintptr_t *)&s->out_buffer[i] = (uintptr_t)s->sum;
	}
	return 0;
}

TEST_IN_DOMAIN(a_broken_buffer_keeps_nobody_busy)
{
	static const uint64_t bad[] = { UINT64_MAX, 16, 0x11, 1, 3, 17, 0, 0x10000001, INTPTR_MAX };
	unsigned refused = 0;

	open_ways();
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t v = 0;
		struct co_case cases[] = { CO_CASE_RECV(&out, &v) };
		int r, s;

		ways.sum = bad[i];
		CHECK_EQ(test_join(start(scribbles, &ways)), 0);
		r = co_chan_recv_until(&out, &v, co_after_us(200));
		s = co_chan_send_until(&in, &v, co_after_us(200));
		CHECK(r == 0 || r == -ETIMEDOUT || r == -EPROTO);
		CHECK(s == 0 || s == -ETIMEDOUT || s == -EPROTO);
		refused += (r == -EPROTO) + (s == -EPROTO);
		r = co_select_until(cases, 1, co_after_us(200));
		CHECK(r == 0 || r == -ETIMEDOUT);
	}
	CHECK(refused > 0);
	co_chan_close(&in);
	co_chan_close(&out);
}

TEST_IN_DOMAIN(what_cannot_be_a_confined_side_is_refused)
{
	static alignas(CO_LINE) unsigned char outside[CO_CHAN_BYTES(8, 4)];
	static struct co_chan c;
	struct co_user_end e;
	uint64_t v = 0;

	open_ways();
	CHECK_EQ(co_domain_channel(&domain, &in, CO_CHAN_RECEIVES, &e), -EINVAL);
	init_channel(&c, outside, sizeof(outside));
	CHECK_EQ(co_domain_channel(&domain, &c, CO_CHAN_SENDS, &e), -EFAULT);
	CHECK_EQ(co_domain_channel(&domain, NULL, CO_CHAN_SENDS, &e), -EINVAL);
	CHECK_EQ(co_domain_channel(&domain, &c, CO_CHAN_SENDS, NULL), -EINVAL);
	CHECK_EQ(co_domain_channel(&domain, &c, CO_CHAN_SENDS | CO_CHAN_RECEIVES, &e), -EINVAL);
	REQUIRE_EQ(co_chan_init(&c, outside, sizeof(outside), 8), 0);
	CHECK_EQ(co_domain_channel(&domain, &c, CO_CHAN_SENDS, &e), -EINVAL);
	for (unsigned mode = 0; mode < 2; mode++) {
		REQUIRE_EQ(co_chan_init_as(&c, outside, sizeof(outside), 8,
					   mode ? CO_SPMC : CO_MPSC, CO_CLAIM_DEFAULT),
			   0);
		CHECK_EQ(co_domain_channel(&domain, &c, CO_CHAN_SENDS, &e), -EINVAL);
	}
	/* Its stamps are to be written. */
	init_channel(&c, read_only, CO_CHAN_BYTES(8, 4));
	CHECK_EQ(co_domain_channel(&domain, &c, CO_CHAN_SENDS, &e), -EFAULT);
	init_channels();
	REQUIRE_EQ(co_chan_try_send(&out, &v), 0);
	CHECK_EQ(co_domain_channel(&domain, &out, CO_CHAN_RECEIVES, &e), -EINVAL);
}

TEST_IN_DOMAIN(channels_that_are_used_or_seen_by_the_domain_and_ends_that_are_too_many_are_refused)
{
	static alignas(CO_PAGE_BYTES) unsigned char pages[2 * CO_PAGE_BYTES];
	unsigned char *seen = pages + CO_PAGE_BYTES;
	static alignas(CO_PAGE_BYTES) unsigned char more[CO_DOMAIN_BYTES(1, STACK)];
	static struct co_chan chans[CO_DOMAIN_ENDS];
	static struct co_domain other;
	struct co_user_end e;
	uint64_t v = 0;

	open_ways();
	CHECK_EQ(co_domain_channel(NULL, &in, CO_CHAN_RECEIVES, &e), -EINVAL);
	CHECK_EQ(co_domain_channel(&other, &in, CO_CHAN_RECEIVES, &e), -EINVAL);
	REQUIRE_EQ(co_domain_init(&other, more, sizeof(more), 1, STACK), 0);
	REQUIRE_EQ(co_domain_share(&other, seen, CO_PAGE_BYTES, CO_READ), 0);
	REQUIRE_EQ(co_domain_share(&other, &ways, sizeof(ways), CO_READ | CO_WRITE), 0);
	for (unsigned i = 0; i < CO_DOMAIN_ENDS; i++)
		init_channel(&chans[i], ways.in_buffer, sizeof(ways.in_buffer));
	for (unsigned i = 0; i < 2; i++) { /* all of it, and its end alone */
		struct co_chan *at = (void *)(seen - i * CO_LINE);

		*at = chans[0];
		CHECK_EQ(co_domain_channel(&other, at, CO_CHAN_RECEIVES, &e), -EINVAL);
	}
	REQUIRE_EQ(co_chan_try_send(&in, &v), 0);
	REQUIRE_EQ(co_chan_try_recv(&in, &v), 0);
	CHECK_EQ(co_domain_channel(&other, &in, CO_CHAN_RECEIVES, &e), -EINVAL);
	co_chan_close(&out);
	CHECK_EQ(co_domain_channel(&other, &out, CO_CHAN_SENDS, &e), -EINVAL);
	for (unsigned i = 0; i < CO_DOMAIN_ENDS; i++)
		REQUIRE_EQ(co_domain_channel(&other, &chans[i / 2],
					     i % 2 ? CO_CHAN_SENDS : CO_CHAN_RECEIVES, &e),
			   0);
	CHECK_EQ(co_domain_channel(&other, &chans[0], CO_CHAN_SENDS, &e), -EINVAL); /* it has it */
	CHECK_EQ(co_domain_channel(&other, &chans[CO_DOMAIN_ENDS - 1], CO_CHAN_SENDS, &e), -ENOSPC);
	CHECK_EQ(co_domain_end(&other), 0);
}

static intptr_t fills(void *arg)
{
	struct ways *s = arg;
	uint64_t v = 0;
	intptr_t n = 0;

	while (co_user_try_send(&s->out, &v) == 0)
		n++;
	return n;
}

static intptr_t sends_one(void *arg)
{
	struct ways *s = arg;
	uint64_t v = 0;

	return co_user_send(&s->out, &v);
}

TEST_IN_DOMAIN(a_wait_for_room_in_a_closed_channel_fails)
{
	struct co_user_end e;
	struct co *c;

	open_ways();
	CHECK_EQ(test_join(start(fills, &ways)), SLOTS);
	c = start(sends_one, &ways);
	test_sleep_us(1000);
	CHECK_EQ(co_domain_channel(&domain, &in, CO_CHAN_SENDS, &e), -EBUSY);
	co_chan_close(&out);
	CHECK_EQ(test_join(c), -EPIPE);
	CHECK_EQ(test_join(start(sends_one, &ways)), -EPIPE);
}

/* Ends that the program has spoilt, and slots that are none. */
static intptr_t asks_badly(void *arg)
{
	struct ways *s = arg;
	uintptr_t number = s->in.number;
	uint64_t v;

	s->in.ring.stride = 0;
	if (co_user_recv(&s->in, &v) != -EINVAL)
		return 1;
	if ((int)hal_user_call(CO_USER_AWAIT, number, SLOTS, 0, 0) != -EINVAL)
		return 2;
	if ((int)hal_user_call(CO_USER_AWAIT, number, UINTPTR_MAX, 0, 0) != -EINVAL)
		return 3;
	if ((int)hal_user_call(CO_USER_AWAIT, number, 0, CO_RING_WAITED, 0) != -EINVAL)
		return 4;
	if ((int)hal_user_call(CO_USER_AWAIT, number, 0, CO_RING_FULL, (uintptr_t)&in) != -EFAULT)
		return 5;
	if ((int)hal_user_call(CO_USER_AWAIT, number, 0, CO_RING_FULL, (uintptr_t)read_only) !=
	    -ETIMEDOUT) /* a deadline that has passed */
		return 6;
	return (int)hal_user_call(CO_USER_WAKE, number, 0, 0, 0);
}

TEST_IN_DOMAIN(a_wait_for_what_is_no_slot_is_refused)
{
	open_ways();
	CHECK_EQ(test_join(start(asks_badly, &ways)), 0);
}
