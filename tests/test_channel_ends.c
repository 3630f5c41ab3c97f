/* test_channel_ends.c - ends of channels that a coroutine binds, and unbinds while it lives on. */
#include <cohart/sandbox.h>
#include <hal/board.h>

#include "../runtime/core/core.h"
#include "harness/test.h"

CO_CHANNEL(first, int, 8);
CO_CHANNEL(second, int, 8);
CO_CHANNEL(strange, int, 8);

static void open_all(void)
{
	REQUIRE_EQ(co_chan_init(&first, first_buffer, sizeof(first_buffer), sizeof(int)), 0);
	REQUIRE_EQ(co_chan_init(&second, second_buffer, sizeof(second_buffer), sizeof(int)), 0);
	REQUIRE_EQ(co_chan_init(&strange, strange_buffer, sizeof(strange_buffer), sizeof(int)), 0);
}

static bool is_closed(struct co_chan *c)
{
	return co_chan_try_send(c, &(int){ 1 }) == -EPIPE;
}

/* In another order than they were bound, and each side for itself. */
static intptr_t unbind_in_any_order(void *arg)
{
	struct co_chan_end sends, both, again;

	REQUIRE_EQ(co_chan_bind(&first, CO_CHAN_SENDS, &sends), 0);
	REQUIRE_EQ(co_chan_bind(&second, CO_CHAN_SENDS | CO_CHAN_RECEIVES, &both), 0);
	REQUIRE_EQ(co_chan_bind(&second, CO_CHAN_SENDS, &again), 0);
	CHECK(!is_closed(&first));
	co_chan_unbind(&sends);
	CHECK(is_closed(&first));
	CHECK(!is_closed(&second));
	if (arg) {
		co_chan_unbind(&again); /* one of two who send */
		CHECK(!is_closed(&second));
		co_chan_unbind(&both);
	} else {
		co_chan_unbind(&both); /* the only one who receives */
		CHECK(is_closed(&second));
		co_chan_unbind(&again);
	}
	CHECK(is_closed(&second));
	return 0;
}

TEST(ends_are_unbound_in_any_order)
{
	for (intptr_t i = 0; i < 4; i++) {
		open_all();
		CHECK_EQ(test_join(test_spawn_on(i & 2 ? co_harts() - 1 : 0, unbind_in_any_order,
						 i & 1 ? &first : NULL)),
			 0);
	}
}

/* More slots than an end takes note of, here and where nothing is bound; then the same again. */
static intptr_t hold_many(void *arg)
{
	struct co_chan_end sends, receives;
	struct co_chan_slot here[CO_CHAN_HELD + 2], there;

	REQUIRE_EQ(co_chan_bind(&first, CO_CHAN_SENDS, &sends), 0);
	REQUIRE_EQ(co_chan_bind(&second, CO_CHAN_RECEIVES, &receives), 0);
	for (int lap = 0; lap < 3; lap++) {
		for (int i = 0; i < CO_CHAN_HELD + 2; i++) {
			CHECK_EQ(co_chan_reserve(&first, &here[i]), 0);
			*(int *)here[i].data = 10 * lap + i;
		}
		CHECK_EQ(co_chan_reserve(&strange, &there), 0);
		*(int *)there.data = lap;
		co_chan_commit(&strange, &there);
		for (int i = 0; i < CO_CHAN_HELD + 2; i++)
			co_chan_commit(&first, &here[i]);
		for (int i = 0, x; i < CO_CHAN_HELD + 2; i++) {
			CHECK_EQ(co_chan_try_recv(&first, &x), 0);
			CHECK_EQ(x, 10 * lap + i);
		}
	}
	co_chan_unbind(&sends);
	co_chan_unbind(&receives);
	return 0;
}

/* One on each side: slots are noted as claimed then, whatever a board's channels claim by. */
static void open_for_one(struct co_chan *c, void *buffer, size_t bytes)
{
	REQUIRE_EQ(co_chan_init_as(c, buffer, bytes, sizeof(int), CO_SPSC, CO_CLAIM_DEFAULT), 0);
}

TEST(an_end_may_hold_more_slots_than_are_let_go_of)
{
	for (unsigned i = 0; i < 2; i++) {
		open_all();
		open_for_one(&first, first_buffer, sizeof(first_buffer));
		open_for_one(&strange, strange_buffer, sizeof(strange_buffer));
		CHECK_EQ(test_join(test_spawn_on(i * (co_harts() - 1), hold_many, NULL)), 0);
		for (int lap = 0, x; lap < 3; lap++) {
			CHECK_EQ(co_chan_try_recv(&strange, &x), 0);
			CHECK_EQ(x, lap);
		}
	}
}

static struct co_a32 taken;

static void take_in_a_handler(struct co_msg *m)
{
	struct co_chan_slot s;
	const int *number;
	uint32_t n;

	if (co_chan_try_peek(&first, &s))
		return;
	number = s.data;
	n = (uint32_t)*number;
	co_chan_release(&first, &s);
	co_atomic_store(&taken, n, CO_RELEASE); /* paired with test_await() */
}

/* It has no ends, and nobody to let go of what it holds. */
TEST(a_handler_takes_a_slot_in_place)
{
	static struct co_msg m = { .run = take_in_a_handler };

	open_all();
	open_for_one(&first, first_buffer, sizeof(first_buffer));
	CHECK_EQ(co_chan_try_send(&first, &(int){ 7 }), 0);
	co_post(co_harts() - 1, &m);
	test_await(&taken, 7);
	CHECK_EQ(co_chan_try_peek(&first, &(struct co_chan_slot){ 0 }), -EAGAIN);
}

static intptr_t send_one(void *arg)
{
	CHECK_EQ(co_chan_send(&first, &(int){ (int)(intptr_t)arg }), 0);
	if (arg)
		co_exit(0);
	return 0;
}

/* The parent gives its own count up before its children run: they are on its hart, or far away. */
TEST(a_child_counts_before_it_starts)
{
	for (unsigned i = 0; i < 2; i++) {
		struct co_attr attr = { .on = CO_ON_HART(i * (co_harts() - 1)),
					.sends = CO_SENDS(&first) };
		struct co_batch batch = { 0 };
		struct co_chan_end mine;
		struct co *c;
		int sum = 0, n;

		open_all();
		REQUIRE_EQ(co_chan_bind(&first, CO_CHAN_SENDS, &mine), 0);
		c = test_spawn(&attr, send_one, (void *)1);
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, send_one, NULL, NULL), 0);
		attr.name = "named";
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, send_one, (void *)2, NULL), 0);
		co_chan_unbind(&mine);
		while (co_chan_recv_until(&first, &n, LONG_ENOUGH) == 0)
			sum += 10 + n;
		CHECK_EQ(sum, 33);
		CHECK_EQ(test_join(c), 0);
		CHECK_EQ(co_batch_join(&batch), 0);
		CHECK(is_closed(&first));
	}
}

TEST(one_that_does_not_start_changes_no_count)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts()), .sends = CO_SENDS(&first) };
	struct co *c;

	open_all();
	CHECK_EQ(co_spawn(&c, &attr, send_one, NULL), -EINVAL);
	CHECK(!is_closed(&first));
	CHECK_EQ(co_atomic_load(&first.bound_senders, CO_RELAXED), 0);
}

#ifndef CO_DEBUG /* which ends who leaves one */
static intptr_t leave_an_end(void *arg)
{
	struct co_chan_end end;

	REQUIRE_EQ(co_chan_bind(&first, CO_CHAN_SENDS, &end), 0);
	return 0;
}

static intptr_t bind_another(void *arg)
{
	struct co_chan_end end;

	REQUIRE_EQ(co_chan_bind(&second, CO_CHAN_SENDS, &end), 0);
	CHECK(!is_closed(&second));
	co_chan_unbind(&end);
	CHECK(is_closed(&second));
	return 0;
}

/* Its block goes to the next one, who has nothing to do with that. */
TEST(an_end_that_was_left_bound_is_not_the_next_ones)
{
	open_all();
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, leave_an_end, NULL)), 0);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, bind_another, NULL)), 0);
	CHECK(!is_closed(&first));
}
#endif

/* ---- A sender that faults ---- */

typedef char page[CO_PAGE_BYTES];
CO_GUARDED(page, half); /* an element at its end begins there and goes on in a guard page */

static struct co_chan big;

BODY(send_half, co_chan_send(&big, &half.it[CO_PAGE_BYTES - 8]))

static intptr_t receive_in_time(void *arg)
{
	unsigned char elem[64];

	return co_chan_recv_until(&big, elem, co_after_us(100000));
}

/* The slot stays claimed, but a deadline is one. */
TEST_FAULTY(a_fault_in_the_middle_of_a_send_keeps_no_receiver_beyond_its_deadline)
{
	static alignas(8) unsigned char buffer[CO_CHAN_BYTES(64, 2)];

	if (hal_board.is_process)
		SKIP("a fault ends a process");
	if (co_harts() == 1)
		SKIP("to one on its own hart it is copied without a slot");
	for (enum co_chan_mode mode = CO_MPMC; mode <= CO_SPSC; mode++) {
		struct co *receiver;
		intptr_t result = 0;

		REQUIRE_EQ(
			co_chan_init_as(&big, buffer, sizeof(buffer), 64, mode, CO_CLAIM_DEFAULT),
			0);
		/* The sender's hart has a map: hart 0 may have none. */
		receiver = test_sleeper(0, receive_in_time, NULL);
		CHECK_EQ(co_join(test_spawn_on(co_harts() - 1, send_half, NULL), NULL), -EFAULT);
		REQUIRE_EQ(co_join_until(receiver, &result, co_after_us(5000000)), 0);
		CHECK_EQ(result, -ETIMEDOUT);
	}
}
