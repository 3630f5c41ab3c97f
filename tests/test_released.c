/* test_released.c - what a coroutine held that has ended early: let go of, others notified. */
#include "../runtime/core/core.h"
#include "holder.h"
#include "queue.h"

static struct co_mutex one, two;

static intptr_t hold_mutexes(void *arg)
{
	CHECK_EQ(co_mutex_lock(&one), 0);
	CHECK_EQ(co_mutex_lock(&two), 0);
	fault_when_asked();
}

static intptr_t lock_one(void *arg)
{
	int r = co_mutex_lock(&one);

	if (r == 0 || r == -EOWNERDEAD)
		co_mutex_unlock(&one);
	return r;
}

TEST_ON_HARTS(the_next_owner_of_a_mutex_is_notified, on_some_harts_and_a_lost_one)
{
	struct co *c = start_holder(hart, hold_mutexes, NULL);
	struct co *waits = test_spawn_on(hart_beside(), lock_one, NULL);

	test_sleep_us(1000);
	end_holder(c);
	/* A coroutine that waited is notified, and no other; of the other object, the next that
	 * comes. */
	CHECK_EQ(test_join(waits), -EOWNERDEAD);
	CHECK_EQ(lock_one(NULL), 0);
	CHECK_EQ(co_mutex_try_lock(&two), 0);
	co_mutex_unlock(&two);
	CHECK_EQ(co_mutex_lock(&two), -EOWNERDEAD);
	co_mutex_unlock(&two);
	CHECK_EQ(co_mutex_lock(&two), 0);
	co_mutex_unlock(&two);
}

/* A hart that an emulator has put aside in the middle of the queue: that is waited for. */
static void late_queue(unsigned hart)
{
	struct co *c = start_holder(hart, hold_mutexes, NULL);

	queue_lock(&one.queue);
	co_atomic_store(&go, 1, CO_RELEASE);
	test_sleep_us(100000);
	queue_unlock(&one.queue);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(lock_one(NULL), -EOWNERDEAD);
	CHECK_EQ(co_mutex_lock(&two), -EOWNERDEAD);
	co_mutex_unlock(&two);
}

TEST_FAULTY(a_mutex_whose_queue_is_busy_is_let_go_of)
{
	late_queue(far_hart());
}

CO_TLOCK(tlock, 8, 2);

static intptr_t hold_tlock(void *arg)
{
	CHECK_EQ(co_tlock_lock(&tlock, 3), 0);
	fault_when_asked();
}

TEST_ON_HARTS(the_next_owner_of_a_tournament_lock_is_notified, on_some_harts_and_a_lost_one)
{
	end_holder(start_holder(hart, hold_tlock, NULL));
	CHECK_EQ(co_tlock_lock(&tlock, 2), -EOWNERDEAD);
	co_tlock_unlock(&tlock, 2);
	CHECK_EQ(co_tlock_lock(&tlock, 3), 0);
	co_tlock_unlock(&tlock, 3);
	/* The first round's node of the others was not touched. */
	CHECK_EQ(co_tlock_lock(&tlock, 6), 0);
	co_tlock_unlock(&tlock, 6);
}

static void *kept[2]; /* of hart 0, of another */

static intptr_t leave_memory(void *arg)
{
	kept[co_hart() != 0] = co_spm_alloc(64, 16);
	CHECK(kept[co_hart() != 0]);
	return (intptr_t)arg;
}

static intptr_t free_memory(void *arg)
{
	co_spm_free(kept[co_hart() != 0]);
	return (intptr_t)arg;
}

static intptr_t hold_memory(void *arg)
{
	CHECK(co_spm_alloc(48, 16));
	CHECK(co_spm_alloc(100, 256));
	co_spm_free(co_spm_alloc(1000, 64));
	CHECK(co_spm_alloc(1, 1));
	fault_when_asked();
}

TEST_ON_HARTS(its_scratchpad_memory_goes_back, on_some_harts)
{
	size_t before;

	/* What another one has got stays, though it had the same control block. */
	test_join(test_spawn_on(hart, leave_memory, NULL));
	before = test_spm_use(hart).used;
	end_holder(start_holder(hart, hold_memory, NULL));
	CHECK_EQ(test_spm_use(hart).used, before);
	test_join(test_spawn_on(hart, free_memory, NULL));
}

static unsigned char big[1 << 16], copy[1 << 16];

static intptr_t hold_transfer(void *arg)
{
	static struct co_dma d;

	d = (struct co_dma){ .to = copy, .from = big, .bytes = sizeof(big) };
	CHECK_EQ(co_dma_start(&d), 0);
	co_atomic_store(&holding, 1, CO_RELEASE);
	fault_here();
}

TEST_ON_HARTS(its_transfers_are_waited_for, on_some_harts)
{
	memset(big, 7, sizeof(big));
	memset(copy, 0, sizeof(copy));
	end_holder(start_holder(hart, hold_transfer, NULL));
	CHECK(copy[0] == 7 && copy[sizeof(copy) - 1] == 7);
}

static struct co_a32 children;

static intptr_t child(void *arg)
{
	test_sleep_us(2000);
	co_atomic_add(&children, 1, CO_RELEASE);
	return (intptr_t)arg;
}

static intptr_t hold_batch(void *arg)
{
	struct co_batch batch = { 0 };
	intptr_t results[4] = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % (far_hart() + 1)) };

		CHECK_EQ(co_batch_spawn(&batch, &attr, child, NULL, &results[i]), 0);
	}
	co_atomic_store(&holding, 1, CO_RELEASE);
	fault_here();
}

TEST_FAULTY(a_stack_that_others_count_down_on_is_kept_until_they_have)
{
	const struct co_attr attr = { .on = CO_ON_HART(far_hart()), .stack = CO_STACK_MAIN };
	struct use before = use_of(far_hart());
	struct co *c;

	co_atomic_store(&children, 0, CO_RELAXED);
	c = test_spawn(&attr, hold_batch, NULL);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&children, CO_ACQUIRE), 4);
	check_use(far_hart(), &before);
}

CO_CHANNEL(numbers, int, 4);
CO_CHANNEL(answers, int, 1);

static intptr_t hold_end(void *arg)
{
	struct co_chan_end end, other;

	REQUIRE_EQ(co_chan_bind(&numbers, CO_CHAN_SENDS, &end), 0);
	REQUIRE_EQ(co_chan_bind(&answers, CO_CHAN_RECEIVES, &other), 0);
	CHECK_EQ(co_chan_send(&numbers, &(int){ 1 }), 0);
	if (arg)
		fault_when_asked();
	co_chan_unbind(&end);
	co_chan_unbind(&other);
	return 0;
}

#ifndef CO_DEBUG
static intptr_t leave_things(void *arg)
{
	struct co_chan_end end;

	REQUIRE_EQ(co_chan_bind(&numbers, CO_CHAN_RECEIVES, &end), 0);
	return co_mutex_lock(arg);
}

/* Deep enough to write over where the other one's were. */
static intptr_t fault_after_it(void *arg)
{
	volatile unsigned char fill[600];

	for (unsigned i = 0; i < sizeof(fill); i++)
		fill[i] = 0x5b;
	fault_here();
}

static void earlier_owner(unsigned hart)
{
	static struct co_mutex left;
	struct co *c;

	REQUIRE_EQ(test_join(test_spawn_on(hart, leave_things, &left)), 0);
	memset(&left, 0x5b, sizeof(left));
	c = test_spawn_on(hart, fault_after_it, NULL);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	for (unsigned i = 0; i < sizeof(left); i++)
		CHECK_EQ(((unsigned char *)&left)[i], 0x5b);
}

TEST_FAULTY(what_an_earlier_owner_of_the_block_left_is_not_touched)
{
	earlier_owner(far_hart());
}
#else
BODY(leave_a_mutex, co_mutex_lock(arg))

TEST(one_that_ends_with_a_mutex_is_reported)
{
	static struct co_mutex left;
	struct co *c = test_spawn_on(far_hart(), leave_a_mutex, &left);

	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_mutex_lock(&left), -EOWNERDEAD);
	co_mutex_unlock(&left);
}
#endif

static intptr_t send_answers(void *arg)
{
	int r = 0;

	while (!r)
		r = co_chan_send(&answers, &(int){ 2 });
	return r;
}

TEST_ON_HARTS(the_other_side_of_a_channel_is_notified, on_some_harts_and_a_lost_one)
{
	struct co *c, *waits;
	int n = 0;

	REQUIRE_EQ(co_chan_init(&numbers, numbers_buffer, sizeof(numbers_buffer), sizeof(int)), 0);
	REQUIRE_EQ(co_chan_init(&answers, answers_buffer, sizeof(answers_buffer), sizeof(int)), 0);
	c = start_holder(hart, hold_end, &n);
	/* One who goes while another one is left changes nothing. */
	CHECK_EQ(test_join(test_spawn_on(hart, hold_end, NULL)), 0);
	waits = test_spawn_on(hart_beside(), send_answers, NULL);
	CHECK_EQ(co_chan_recv(&numbers, &n), 0);
	end_holder(c);
	CHECK_EQ(co_chan_recv(&numbers, &n), 0);
	CHECK_EQ(co_chan_recv(&numbers, &n), -EPIPE);
	CHECK_EQ(test_join(waits), -EPIPE);
}

/* It has bound nothing itself. */
static intptr_t count_by_start(void *arg)
{
	CHECK_EQ(co_chan_send(&numbers, &(int){ 1 }), 0);
	fault_when_asked();
}

TEST_ON_HARTS(one_that_was_counted_before_its_start_is_not_any_more, on_some_harts_and_a_lost_one)
{
	const struct co_attr attr = { .on = CO_ON_HART(hart), .sends = CO_SENDS(&numbers) };
	struct co *c;
	int n;

	REQUIRE_EQ(co_chan_init(&numbers, numbers_buffer, sizeof(numbers_buffer), sizeof(int)), 0);
	co_atomic_store(&holding, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	c = test_spawn(&attr, count_by_start, NULL);
	test_await(&holding, 1);
	CHECK_EQ(co_chan_recv(&numbers, &n), 0);
	end_holder(c);
	CHECK_EQ(co_chan_recv(&numbers, &n), -EPIPE);
}

/* Its hart stops before it starts. */
TEST_FAULTY(one_that_counts_and_never_starts_is_lost_all_the_same)
{
	unsigned hart = hart_to_lose();
	struct co_attr attr = { .on = CO_ON_HART(hart), .sends = CO_SENDS(&numbers) };
	struct co *c;
	int n;

	REQUIRE_EQ(co_chan_init(&numbers, numbers_buffer, sizeof(numbers_buffer), sizeof(int)), 0);
	hold_up(hart);
	c = test_spawn(&attr, count_by_start, NULL);
	fault_there(hart);
	/* Its messages are taken in their order: what starts it is another one. */
	let_go_on();
	CHECK_EQ(co_chan_recv(&numbers, &n) == 0 ? co_chan_recv(&numbers, &n) : -EPIPE, -EPIPE);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
}

/* ---- Batches and loops ---- */

static intptr_t one_of_many(void *arg)
{
	if ((intptr_t)arg == 5)
		fault_here();
	return (intptr_t)arg;
}

TEST_FAULTY(a_batch_says_that_one_has_faulted)
{
	static struct co_batch batch;
	static intptr_t results[8];

	for (unsigned i = 0; i < 8; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % (far_hart() + 1)) };

		results[i] = -1;
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, one_of_many, (void *)(uintptr_t)i,
					  &results[i]),
			   0);
	}
	CHECK_EQ(co_batch_join(&batch), -EFAULT);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(results[i], i == 5 ? -1 : (intptr_t)i);
	/* And is good for another use. */
	CHECK_EQ(co_batch_join(&batch), 0);
}

static int fault_at_33(void *arg, struct co_part *part)
{
	for (long i = part->from[0]; i < part->to[0]; i += part->step[0]) {
		if (i == 33)
			fault_here();
	}
	return 0;
}

TEST_FAULTY(a_loop_says_where_it_has_faulted)
{
	static struct co_parallel p;

	p = LOOP(fault_at_33, 64, .schedule = CO_CYCLIC);
	CHECK_EQ(co_parallel_for(&p), -EFAULT);
	CHECK_EQ(p.error_at[0], 33);
}

/* ---- Slots in place ---- */

CO_CHANNEL(slots, int, 4);

/* It commits one, and another one behind one that it holds. */
static intptr_t hold_reserved(void *arg)
{
	struct co_chan_end end;
	struct co_chan_slot s[3];

	REQUIRE_EQ(co_chan_bind(&slots, CO_CHAN_SENDS, &end), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(co_chan_reserve(&slots, &s[i]), 0);
		*(int *)s[i].data = i;
	}
	co_chan_commit(&slots, &s[0]);
	co_chan_commit(&slots, &s[2]);
	fault_when_asked();
}

static intptr_t hold_peeked(void *arg)
{
	struct co_chan_end end;
	struct co_chan_slot s;

	REQUIRE_EQ(co_chan_bind(&slots, CO_CHAN_RECEIVES, &end), 0);
	CHECK_EQ(co_chan_peek(&slots, &s), 0);
	fault_when_asked();
}

static intptr_t receive_all(void *arg)
{
	intptr_t n = 0;
	int e, r;

	while ((r = co_chan_recv_until(&slots, &e, co_after_us(10000000))) == 0)
		n++;
	return r == -EPIPE ? n : r;
}

static void in_place(unsigned hart, enum co_chan_mode mode)
{
	struct co_chan_end mine;
	struct co *c, *waits;

	/* A reserved slot: other senders are notified, and receivers after what comes before. */
	REQUIRE_EQ(co_chan_init_as(&slots, slots_buffer, sizeof(slots_buffer), sizeof(int), mode,
				   CO_CLAIM_DEFAULT),
		   0);
	REQUIRE_EQ(co_chan_bind(&slots, CO_CHAN_SENDS, &mine), 0);
	waits = test_spawn_on(far_hart(), receive_all, NULL);
	end_holder(start_holder(hart, hold_reserved, NULL));
	CHECK_EQ(test_join(waits), 1);
	CHECK_EQ(co_chan_try_send(&slots, &(int){ 7 }), -EPIPE);
	co_chan_unbind(&mine);
	/* What was peeked at: its place is free. */
	REQUIRE_EQ(co_chan_init_as(&slots, slots_buffer, sizeof(slots_buffer), sizeof(int), mode,
				   CO_CLAIM_DEFAULT),
		   0);
	REQUIRE_EQ(co_chan_bind(&slots, CO_CHAN_RECEIVES, &mine), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(co_chan_try_send(&slots, &i), 0);
	c = start_holder(hart, hold_peeked, NULL);
	CHECK_EQ(co_chan_try_send(&slots, &(int){ 4 }), -EAGAIN);
	end_holder(c);
	CHECK_EQ(co_chan_try_send(&slots, &(int){ 4 }), 0);
	co_chan_close(&slots);
	CHECK_EQ(receive_all(NULL), 4);
	co_chan_unbind(&mine);
}

TEST_ON_HARTS(slots_in_place_are_let_go_of, on_some_harts)
{
	in_place(hart, CO_SPSC);
#ifndef CO_NO_CAS
	in_place(hart, CO_MPMC);
#endif
}
