/* test_lost_held.c - what a lost hart's coroutines held or waited for: handed on, or notified. */
#include "../runtime/comm/lf/ring.h"
#include "loss.h"
#include "queue.h"

static struct co_mutex wanted;

/* It waits for it when its hart is lost. */
static intptr_t want(void *arg)
{
	is_ready();
	return co_mutex_lock(&wanted);
}

TEST_FAULTY(a_mutex_of_who_was_woken_and_has_not_run_is_the_next_ones)
{
	unsigned hart = hart_to_lose();
	struct co *c;

	wanted = (struct co_mutex){ 0 };
	REQUIRE_EQ(co_mutex_lock(&wanted), 0);
	c = test_sleeper(hart, want, NULL);
	hold_up(hart);
	co_mutex_unlock(&wanted);
	CHECK(co_mutex_owner(&wanted) == c);
	fault_there(hart);
	let_go_on();
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_mutex_lock_until(&wanted, co_after_us(5000000)), -EOWNERDEAD);
	co_mutex_unlock(&wanted);
}

static struct co_mutex first, last;

static intptr_t hold_two(void *arg)
{
	CHECK_EQ(co_mutex_lock(&first), 0);
	CHECK_EQ(co_mutex_lock(&last), 0);
	return sleep_on();
}

/* Hart 0 does not wait for a lock that nobody opens any more. */
TEST_FAULTY(a_queue_that_stays_locked_does_not_hold_up_the_others)
{
	unsigned hart = hart_to_lose();
	struct co *c = test_spawn_on(hart, hold_two, NULL);

	test_await(&ready, 1);
	queue_lock(&last.queue);
	fault_there(hart);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_mutex_lock_until(&first, co_after_us(5000000)), -EOWNERDEAD);
	co_mutex_unlock(&first);
	queue_unlock(&last.queue);
	CHECK(co_mutex_owner(&last) == c);
}

static struct co_mutex given;

static intptr_t want_given(void *arg)
{
	is_ready();
	return co_mutex_lock(&given);
}

/* It was given the mutex, whose queue is locked: the looks that follow do not wait for it. */
TEST_FAULTY(a_queue_that_stays_locked_is_waited_for_once)
{
	unsigned hart = hart_to_lose();
	uint64_t start, least = CO_FOREVER;
	struct co *c;

	given = (struct co_mutex){ 0 };
	REQUIRE_EQ(co_mutex_lock(&given), 0);
	c = test_sleeper(hart, want_given, NULL);
	hold_up(hart);
	co_mutex_unlock(&given);
	queue_lock(&given.queue);
	/* As if a transfer of its did not end, for the looks of a second. */
	co_atomic_add(&c->transfers, 1, CO_RELAXED);
	fault_there(hart);
	let_go_on();
	CHECK(comes_to_be_gone(hart));
	for (unsigned i = 0; i < 20; i++) {
		start = co_now();
		co_lost_look(true);
		CHECK(!co_lost_queue(&given.queue));
		co_lost_look(false);
		least = co_now() - start < least ? co_now() - start : least;
	}
	CHECK(co_us(least) < CO_LOCKED_US / 2);
	CHECK_EQ(co_join_until(c, NULL, co_after_us(20000000)), -EHOSTDOWN);
	queue_unlock(&given.queue);
}

static struct co_a32 ran;

static void count_run(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	CHECK(c && why == CO_CLEANUP_HOST_DOWN && co_hart() == 0);
	co_atomic_add(&ran, 1, CO_RELEASE);
}

static intptr_t damage_its_list(void *arg)
{
	static struct co_cleanup entry[3];

	for (unsigned i = 0; i < 3; i++)
		co_cleanup_add(&entry[i], count_run);
	entry[1].next = (uintptr_t)(wild + 1);
	return sleep_on();
}

/* Up to the damage, and a line says so. */
TEST_FAULTY(a_damaged_list_of_cleanups_is_gone_through_as_far_as_it_goes)
{
	unsigned hart = hart_to_lose();
	struct co *c = test_spawn_on(hart, damage_its_list, NULL);

	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_atomic_load(&ran, CO_ACQUIRE), 2);
}

/* ---- Channels ---- */

/* An element for which somebody waited who is lost is another's. */
CO_CHANNEL(shared, int, 4);

static intptr_t receive_shared(void *arg)
{
	int n = 0;
	int r;

	is_ready();
	r = co_chan_recv_until(&shared, &n, co_after_us(10000000));
	return r ? r : n;
}

TEST_FAULTY(an_element_goes_to_who_is_left)
{
	unsigned hart = hart_to_lose();
	struct co *c[2];

	c[0] = test_sleeper(hart, receive_shared, NULL);
	c[1] = test_sleeper(1, receive_shared, NULL); /* behind it */
	lose(hart, 2);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_send(&shared, &(int){ 5 }), 0);
	CHECK_EQ(test_join(c[1]), 5);
}

CO_CHANNEL(meets, int, 0);

static intptr_t meet(void *sends)
{
	struct co_chan_end end;
	int n = 7;

	REQUIRE_EQ(co_chan_bind(&meets, CO_CHAN_SENDS | CO_CHAN_RECEIVES, &end), 0);
	is_ready();
	return sends ? co_chan_send(&meets, &n) : co_chan_recv(&meets, &n);
}

static void open_meets(void)
{
	REQUIRE_EQ(co_chan_init_as(&meets, meets_buffer, sizeof(meets_buffer), sizeof(int),
				   CO_RENDEZVOUS, CO_CLAIM_DEFAULT),
		   0);
}

TEST_FAULTY(what_a_lost_sender_offers_is_withdrawn)
{
	unsigned hart = hart_to_lose();
	struct co *c = test_sleeper(hart, meet, (void *)1);
	int n = 5;

	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_recv(&meets, &n), -EPIPE);
	CHECK_EQ(n, 5);
	open_meets();
}

/* It has been given an element when its hart is lost: the channel closes all the same. */
TEST_FAULTY(what_a_lost_receiver_was_given_is_gone)
{
	unsigned hart = hart_to_lose();
	struct co *c = test_sleeper(hart, meet, NULL);

	hold_up(hart);
	CHECK_EQ(co_chan_send(&meets, &(int){ 1 }), 0);
	fault_there(hart);
	let_go_on();
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_send(&meets, &(int){ 2 }), -EPIPE);
	open_meets();
}

#define BIG 64
static struct co_chan big[2];
static unsigned char big_buffer[2][CO_CHAN_BYTES(BIG, 1)] __attribute__((aligned(8)));

static intptr_t receive_big(void *arg)
{
	unsigned char elem[BIG];

	is_ready();
	return co_chan_recv(arg, elem);
}

/* It was woken for an element, and has not run: the element is the next receiver's. */
TEST_FAULTY(an_element_that_a_lost_receiver_was_woken_for_stays)
{
	unsigned hart = hart_to_lose();
	unsigned char elem[BIG] = { 0 };
	struct co *c[2];

	if (!CO_CLAIM_HAS_CAS)
		SKIP("by tickets it has a credit, which is lost with it");
	elem[0] = 9;
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_EQ(co_chan_init_as(&big[i], big_buffer[i], sizeof(big_buffer[i]), BIG,
					   i ? CO_SPMC : CO_MPMC, CO_CLAIM_CAS),
			   0);
		c[i] = test_sleeper(hart, receive_big, &big[i]);
	}
	hold_up(hart);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_chan_send(&big[i], elem), 0);
	fault_there(hart);
	let_go_on();
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
		for (unsigned k = 0; k < 3; k++) {
			unsigned char got[BIG] = { 0 };

			CHECK_EQ(co_chan_try_recv(&big[i], got), 0);
			CHECK_EQ(got[0], elem[0]);
			CHECK_EQ(co_chan_try_send(&big[i], elem), 0);
		}
	}
}

/* ---- Barriers ---- */

CO_BARRIER(step, 3);

static intptr_t be_a_member(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	int r;

	co_barrier_bind(&step, me);
	CHECK_EQ(co_barrier_wait(&step, me), 0);
	if (!me)
		return sleep_on();
	r = co_barrier_wait(&step, me);
	co_barrier_unbind(&step, me);
	return r;
}

TEST_FAULTY(barriers_of_a_lost_hart_break)
{
	unsigned hart = hart_to_lose();
	struct co *c[3];

	for (unsigned i = 0; i < 3; i++)
		c[i] = test_spawn_on(i ? i % hart : hart, be_a_member, (void *)(uintptr_t)i);
	lose(hart, 1);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(c[1]), -EOWNERDEAD);
	CHECK_EQ(test_join(c[2]), -EOWNERDEAD);
}

BODY(in_all, co_barrier_all())

TEST(the_machines_barriers_break_with_a_hart)
{
	struct co_barrier *b;

	if (!co_harts_lost() || co_machine.groups > 1)
		SKIP("it takes a lost hart, in the only group");
	for (unsigned i = 0; i < co_harts(); i++) {
		if (!co_hart_gone(i))
			CHECK_EQ(test_join(test_spawn_on(i, in_all, NULL)), -EOWNERDEAD);
	}
	CHECK_EQ(co_barrier_group(), -EOWNERDEAD);
	CHECK_EQ(co_barrier_managers(), 0);
	REQUIRE_EQ(co_barrier_of(CO_BARRIER_ALL, &b, NULL), 0);
	CHECK_EQ(co_barrier_mend(b), -EHOSTDOWN);
}

static struct co_batch family;

BODY(never_end, sleep_on())

static intptr_t take_child(void *arg)
{
	struct co_child *one = NULL;
	int r = co_batch_join_any(&family, &one);

	return r ? r : one == arg ? one->status : 1;
}

TEST_FAULTY(a_child_of_a_batch_is_given_as_lost)
{
	static struct co_child child[2];
	unsigned hart = hart_to_lose();
	const struct co_attr there = { .on = CO_ON_HART(hart) };
	struct co_child *one = NULL;
	struct co *taker;

	REQUIRE_EQ(co_batch_spawn_child(&family, &there, never_end, NULL, &child[0]), 0);
	taker = test_sleeper(0, take_child, &child[0]);
	lose(hart, 1);
	CHECK_EQ(test_join(taker), -EHOSTDOWN);
	CHECK_EQ(co_batch_join_any(&family, &one), -ECHILD);
	CHECK_EQ(co_batch_join(&family), -EHOSTDOWN);
}

/* Its record stays as it was, and all others are given; the join of all says it. */
TEST_FAULTY(a_child_whose_batch_a_lost_hart_has_locked_is_not_given)
{
	static struct co_child child;
	unsigned hart = hart_to_lose();
	const struct co_attr there = { .on = CO_ON_HART(hart) };
	struct co_child *one = NULL;

	REQUIRE_EQ(co_batch_spawn_child(&family, &there, never_end, NULL, &child), 0);
	test_await(&ready, 1);
	queue_lock(&family.any);
	lose(hart, 1);
	CHECK(co_atomic_load(&family.last, CO_RELAXED) == 0);
	queue_unlock(&family.any);
	CHECK_EQ(co_batch_try_join_any(&family, &one), -EAGAIN);
	CHECK_EQ(co_batch_join(&family), -EHOSTDOWN);
	CHECK_EQ(co_batch_try_join_any(&family, &one), -ECHILD);
	CHECK_EQ(child.status, -EINPROGRESS);
}
