/*
 * test_lost_locked.c - a hart is lost with a queue locked, or its inbox in disorder: what hart 0
 * can touch goes to others, the rest is left alone.
 *
 * Each case loses the last compute hart that is left, or a few.
 */
#include <cohart/select.h>
#include <hal/guard.h>

#include "../runtime/comm/mailbox/mailbox.h"
#include "../runtime/core/counter.h"
#include "loss.h"
#include "queue.h"

static struct co_a32 ready, in_handler, go;

/* The one to lose; 0: too few are left. */
static unsigned victim(void)
{
	co_atomic_store(&ready, 0, CO_RELAXED);
	co_atomic_store(&in_handler, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	return last_left();
}

static intptr_t sleep_here(void *arg)
{
	(void)arg;
	return sleep_on(&ready);
}

static struct co_waitq *to_lock;

static void fault_with_a_lock(struct co_msg *m)
{
	co_atomic_store(&in_handler, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with lose_it() */
		hal_cpu_relax();
	if (to_lock)
		queue_lock(to_lock);
	fault_in_a_handler(m);
}

/* From here on it runs no coroutine, */
static void hold(unsigned hart, unsigned holders)
{
	static struct co_msg bad[BOARD_MAX_HARTS];

	test_await(&ready, holders);
	co_sleep_us(3000); /* and they wait */
	bad[hart].run = fault_with_a_lock;
	co_post(hart, &bad[hart]);
	test_await(&in_handler, 1);
}

/* and then it is lost, and has that queue. */
static void lose_it(unsigned hart, struct co_waitq *q)
{
	to_lock = q;
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK(comes_to_be_gone(hart));
}

static void lose(unsigned hart, unsigned holders, struct co_waitq *q)
{
	hold(hart, holders);
	lose_it(hart, q);
}

/* ---- Mutexes ---- */

static struct co_mutex first, second, last, wanted;

static intptr_t hold_three(void *arg)
{
	(void)arg;
	CHECK_EQ(co_mutex_lock(&first), 0);
	CHECK_EQ(co_mutex_lock(&second), 0);
	CHECK_EQ(co_mutex_lock(&last), 0);
	return sleep_on(&ready);
}

static intptr_t wait_for_second(void *arg)
{
	int r = co_mutex_lock(&second);

	if (r == 0 || r == -EOWNERDEAD)
		co_mutex_unlock(&second);
	(void)arg;
	return r;
}

TEST(the_mutexes_whose_queues_are_free_are_let_go_of)
{
	unsigned hart = victim();
	struct co *c, *waits;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c = test_spawn_on(hart, hold_three, NULL);
	test_await(&ready, 1);
	waits = test_spawn_on(1, wait_for_second, NULL);
	test_await_sleep(waits); /* a queue that it has locked would be left alone, too */
	lose(hart, 1, &last.queue);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_mutex_lock_until(&first, co_after_us(5000000)), -EOWNERDEAD);
	co_mutex_unlock(&first);
	CHECK_EQ(test_join(waits), -EOWNERDEAD);
	queue_unlock(&last.queue);
	CHECK(!co_mutex_try_lock(&last));
	CHECK(co_mutex_owner(&last) == c);
}

static intptr_t want(void *arg)
{
	(void)arg;
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_mutex_lock(&wanted);
}

TEST(a_mutex_that_it_was_given_and_whose_queue_it_had_stays_its)
{
	unsigned hart = victim();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	REQUIRE_EQ(co_mutex_lock(&wanted), 0);
	c = test_spawn_on(hart, want, NULL);
	for (unsigned i = 0; i < 10000 && !co_waitq_count(&wanted.queue); i++)
		co_sleep_us(1000);
	hold(hart, 1);
	co_mutex_unlock(&wanted);
	CHECK(co_mutex_owner(&wanted) == c);
	lose_it(hart, &wanted.queue);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	queue_unlock(&wanted.queue);
	CHECK(!co_mutex_try_lock(&wanted));
}

/* ---- Channels ---- */

CO_CHANNEL_AS(plain, int, 4, CO_MPMC, CO_CLAIM_DEFAULT);
CO_CHANNEL_AS(another, int, 4, CO_MPMC, CO_CLAIM_DEFAULT);
CO_CHANNEL_AS(tickets, int, 4, CO_MPMC, CO_CLAIM_TICKET);

CO_CHANNEL(free_one, int, 4);

static intptr_t receive_bound(void *arg)
{
	struct co_chan_end end, other;
	int n;

	co_chan_bind(&other, &free_one, CO_CHAN_SENDS);
	co_chan_bind(&end, arg, CO_CHAN_RECEIVES);
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_chan_recv(arg, &n);
}

/* It is not closed, as it would be by its last receiver's end; another one is. */
static void lose_receiver(struct co_chan *chan, struct co_waitq *q)
{
	unsigned hart = victim();
	struct co *c;
	int n;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	REQUIRE_EQ(co_chan_init(&free_one, free_one_buffer, sizeof(free_one_buffer), sizeof(n)), 0);
	c = test_spawn_on(hart, receive_bound, chan);
	lose(hart, 1, q);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	queue_unlock(q);
	CHECK_EQ(co_chan_try_send(chan, &(int){ 5 }), 0);
	CHECK_EQ(co_chan_try_recv(&free_one, &n), -EPIPE);
}

TEST(a_channel_whose_receivers_are_locked_is_left_alone)
{
	lose_receiver(&plain, &plain.receivers);
}

TEST(a_channel_whose_senders_are_locked_is_left_alone)
{
	lose_receiver(&another, &another.senders);
}

TEST(a_store_of_credits_that_is_locked_is_left_alone)
{
	lose_receiver(&tickets, &tickets.elements.queue);
}

/* ---- What has no lock ---- */

CO_CHANNEL_AS(lone, uint64_t, 2, CO_SPSC, CO_CLAIM_DEFAULT);
CO_CHANNEL(left, int, 4);
CO_CHANNEL(right, int, 4);

CO_CHANNEL(early, int, 4);

/* It has chosen before; what it waited by then is another one's now. */
static intptr_t receive_alone(void *arg)
{
	uint64_t n;
	int first_one = 0;
	struct co_case cases[] = { CO_CASE_RECV(&early, &first_one) };

	(void)arg;
	CHECK_EQ(co_select(cases, 1, CO_FOREVER), 0);
	CHECK_EQ(first_one, 9);
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_chan_recv_u64(&lone, &n);
}

static intptr_t choose(void *arg)
{
	struct co_chan_end ends[2];
	int n;
	struct co_case cases[] = { CO_CASE_RECV(&left, &n), CO_CASE_RECV(&right, &n) };

	(void)arg;
	co_chan_bind(&ends[0], &left, CO_CHAN_RECEIVES);
	co_chan_bind(&ends[1], &right, CO_CHAN_RECEIVES);
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_select(cases, 2, CO_FOREVER);
}

/* Nothing is handed to who is no more, and both its ends are counted out. */
TEST(who_waited_alone_and_who_waited_for_several_wait_no_more)
{
	unsigned hart = victim();
	struct co *c[2];
	uint64_t n = 0;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c[0] = test_spawn_on(hart, receive_alone, NULL);
	while (!co_waitq_count(&early.receivers))
		co_yield();
	co_sleep_us(1000);
	CHECK_EQ(co_chan_send(&early, &(int){ 9 }), 0);
	test_await(&ready, 1);
	c[1] = test_spawn_on(hart, choose, NULL);
	lose(hart, 2, NULL);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_try_send(&lone, &(uint64_t){ 1 }), 0);
	CHECK_EQ(co_chan_try_send(&lone, &(uint64_t){ 2 }), 0);
	CHECK_EQ(co_chan_try_send(&lone, &(uint64_t){ 3 }), -EAGAIN);
	CHECK_EQ(co_chan_recv_until(&lone, &n, co_after_us(5000000)), 0);
	CHECK_EQ(n, 1);
	CHECK_EQ(co_waitq_count(&left.receivers), 0);
	CHECK_EQ(co_waitq_count(&right.receivers), 0);
	CHECK_EQ(co_chan_try_send(&left, &n), -EPIPE);
	CHECK_EQ(co_chan_try_send(&right, &n), -EPIPE);
}

#ifndef CO_DEBUG /* which ends who leaves one */
CO_CHANNEL(kept, int, 4);
CO_BARRIER(alone, 1);
static struct co_mutex left_locked;

static intptr_t leave_things(void *arg)
{
	struct co_chan_end end;

	(void)arg;
	co_chan_bind(&end, &kept, CO_CHAN_SENDS);
	co_barrier_bind(&alone, 0);
	return co_mutex_lock(&left_locked);
}

TEST(what_an_earlier_owner_of_a_block_has_left_is_not_let_go_of)
{
	unsigned hart = victim();
	struct co *c;
	int n;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	CHECK_EQ(test_join(test_spawn_on(hart, leave_things, NULL)), 0);
	left_locked = (struct co_mutex){ 0 }; /* it may be anything by now */
	c = test_spawn_on(hart, sleep_here, NULL);
	lose(hart, 1, NULL);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_try_send(&kept, &(int){ 1 }), 0);
	CHECK_EQ(co_chan_try_recv(&kept, &n), 0);
	CHECK_EQ(co_barrier_wait(&alone, 0), 0);
	CHECK(!co_mutex_owner(&left_locked));
	CHECK(co_mutex_try_lock(&left_locked));
	co_mutex_unlock(&left_locked);
}
#endif

/* ---- Barriers ---- */

static struct co_barrier two[2];
static struct co_barrier_member members_of_two[2][2];

static intptr_t be_in_two(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 2; i++)
		co_barrier_bind(&two[i], 1);
	return sleep_on(&ready);
}

TEST(both_barriers_of_a_member_break)
{
	unsigned hart = victim();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(co_barrier_init(&two[i], 2, CO_BARRIER_AUTO, members_of_two[i]), 0);
	c = test_spawn_on(hart, be_in_two, NULL);
	lose(hart, 1, NULL);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_barrier_wait(&two[i], 0), -EOWNERDEAD);
}

/* ---- Its mailbox ---- */

static intptr_t fill_its_mailbox(void *arg)
{
	uintptr_t words[CO_MAIL_WORDS] = { 0 };
	unsigned hart = (unsigned)(uintptr_t)arg;

	while (co_mail_try_send(hart, 9, words, 60) == 0)
		;
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_mail_send(hart, 9, words, 60);
}

TEST(who_waits_at_a_door_that_is_locked_goes_on_waiting)
{
	unsigned hart = victim();
	struct co_mailboxes *box = co_mailboxes_of(co_hart_at(hart), hart);
	struct co_waitq *door = NULL;
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c = test_spawn_on(1, fill_its_mailbox, (void *)(uintptr_t)hart);
	for (unsigned i = 0; i < 10000 && !door; i++) {
		co_sleep_us(1000);
		for (unsigned q = 0; q < CO_MAIL_QUEUES; q++) {
			if (co_waitq_known(&box->queue[q].senders))
				door = &box->queue[q].senders;
		}
	}
	REQUIRE(door);
	test_await_sleep(c); /* who is still about to look would find the hart lost */
	hold(hart, 1);
	lose_it(hart, door);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(100000)), -ETIMEDOUT);
	queue_unlock(door);
	co_cancel(c);
	CHECK_EQ(test_join(c), -ECANCELED);
}

/* ---- Its batch ---- */

/* As the last thing that it did: the batch is over, and may be somebody else's. */
TEST(a_batch_that_was_counted_down_already_is_not_counted_down_again)
{
	static struct co_batch batch;
	unsigned hart = victim();
	const struct co_attr attr = { .on = CO_ON_HART(hart) };

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	REQUIRE_EQ(co_batch_spawn(&batch, &attr, sleep_here, NULL, NULL), 0);
	test_await(&ready, 1);
	co_counter_done(&batch.running);
	lose(hart, 1, NULL);
	co_sleep_us(50000);
	CHECK_EQ(CO_LEFT(co_atomic_load(&batch.running.state, CO_RELAXED)), 0);
	CHECK_EQ(co_batch_join_until(&batch, co_after_us(5000000)), -EHOSTDOWN);
}

/* ---- Its inbox ---- */

static struct co_msg stray;
static bool in_between; /* its address is wrong, not what it says of the next one */

static void fault_with_a_bad_inbox(struct co_msg *m)
{
	co_executor.outlet.oldest = (struct co_msg *)((uintptr_t)&stray + in_between);
	fault_in_a_handler(m);
}

/* It has been written over: its oldest message is nowhere, or what is said to come behind it. */
TEST(an_inbox_that_leads_nowhere_is_left_alone)
{
	if (hal_map_allows(co_executor.map, wild, sizeof(stray), HAL_MAP_READ))
		SKIP("hart 0 has no map that would tell it where memory is");
	for (unsigned i = 0; i < 2; i++) {
		static struct co_msg bad[2];
		unsigned hart = victim();
		struct co *c;

		if (!hart)
			SKIP("it takes a hart to lose and one to look on");
		co_atomic_store(&stray.next, wild, CO_RELAXED);
		in_between = i;
		c = test_spawn_on(hart, sleep_here, NULL);
		test_await(&ready, 1);
		bad[i].run = fault_with_a_bad_inbox;
		co_post(hart, &bad[i]);
		CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
		CHECK(co_hart_gone(hart));
	}
}

TEST(a_second_hart_is_lost_before_hart_0_has_come_round)
{
	unsigned hart = victim(), other = hart;
	struct co *c;

	while (other && (--other == 0 || co_hart_gone(other)))
		;
	if (!hart || other < 2)
		SKIP("it takes two harts to lose and one to look on");
	c = test_spawn_on(other, sleep_here, NULL);
	test_await(&ready, 1);
	CHECK(co_hart_lose(hart));
	CHECK(co_hart_lose(other)); /* hart 0 has not come round since */
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_spawn(NULL, &(struct co_attr){ .on = CO_ON_HART(hart) }, sleep_here, NULL),
		 -EHOSTDOWN);
}
