/*
 * test_lost_held.c - what the coroutines of a hart held that is lost: others get it, or are told.
 *
 * Each case loses the last compute hart that is left, by a fault in a handler there.
 */
#include "loss.h"
#include "queue.h"

static struct co_a32 ready; /* coroutines that hold what they are to hold */

static void lose(unsigned hart, unsigned holders)
{
	test_await(&ready, holders);
	co_sleep_us(2000); /* and sleep */
	fault_there(hart);
	CHECK(comes_to_be_gone(hart));
}

/* ---- Mutexes ---- */

static struct co_mutex held, wanted;

static intptr_t hold(void *arg)
{
	(void)arg;
	CHECK_EQ(co_mutex_lock(&held), 0);
	return sleep_on(&ready);
}

/* It waits for it when its hart is lost. */
static intptr_t want(void *arg)
{
	(void)arg;
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_mutex_lock(&wanted);
}

static intptr_t lock_it(void *arg)
{
	struct co_mutex *m = arg;
	int r = co_mutex_lock_until(m, co_after_us(10000000));

	if (r == 0 || r == -EOWNERDEAD)
		co_mutex_unlock(m);
	return r;
}

TEST(mutexes_of_a_lost_hart_go_to_the_next_owner)
{
	unsigned hart = last_left();
	struct co *c[4];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	REQUIRE_EQ(co_mutex_lock(&wanted), 0);
	c[0] = test_spawn_on(hart, hold, NULL);
	c[1] = test_spawn_on(hart, want, NULL);
	test_await(&ready, 2);
	c[2] = test_spawn_on(1, lock_it, &held);
	test_await_sleep(c[2]); /* a queue that it has locked would be left alone; so below */
	lose(hart, 2);
	c[3] = test_spawn_on(1, lock_it, &wanted); /* behind one who is lost */
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(co_join(c[1], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(c[2]), -EOWNERDEAD);
	CHECK_EQ(lock_it(&held), 0);
	co_mutex_unlock(&wanted);
	CHECK_EQ(test_join(c[3]), 0);
}

/* ---- What it was given, and what it was in the middle of ---- */

static struct co_a32 in_handler, go;
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
static void hold_hart(unsigned hart)
{
	static struct co_msg bad[BOARD_MAX_HARTS];

	co_atomic_store(&in_handler, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
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

TEST(a_mutex_of_who_was_woken_and_has_not_run_is_the_next_ones)
{
	unsigned hart = last_left();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	wanted = (struct co_mutex){ 0 };
	REQUIRE_EQ(co_mutex_lock(&wanted), 0);
	c = test_spawn_on(hart, want, NULL);
	test_await_sleep(c);
	hold_hart(hart);
	co_mutex_unlock(&wanted);
	CHECK(co_mutex_owner(&wanted) == c);
	lose_it(hart, NULL);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_mutex_lock_until(&wanted, co_after_us(5000000)), -EOWNERDEAD);
	co_mutex_unlock(&wanted);
}

static struct co_mutex first, last;

static intptr_t hold_two(void *arg)
{
	(void)arg;
	CHECK_EQ(co_mutex_lock(&first), 0);
	CHECK_EQ(co_mutex_lock(&last), 0);
	return sleep_on(&ready);
}

/* Hart 0 does not wait for a lock that nobody opens any more. */
TEST(a_queue_that_stays_locked_does_not_hold_up_the_others)
{
	unsigned hart = last_left();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	c = test_spawn_on(hart, hold_two, NULL);
	test_await(&ready, 1);
	hold_hart(hart);
	lose_it(hart, &last.queue);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_mutex_lock_until(&first, co_after_us(5000000)), -EOWNERDEAD);
	co_mutex_unlock(&first);
	queue_unlock(&last.queue);
	CHECK(co_mutex_owner(&last) == c);
}

static struct co_a32 ran;

static void count_run(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	(void)t;
	CHECK(c && why == CO_CLEANUP_HOST_DOWN && co_hart() == 0);
	co_atomic_add(&ran, 1, CO_RELEASE);
}

static intptr_t damage_its_list(void *arg)
{
	static struct co_cleanup entry[3];

	(void)arg;
	for (unsigned i = 0; i < 3; i++)
		co_cleanup_add(&entry[i], count_run);
	entry[1].next = (struct co_cleanup *)wild;
	return sleep_on(&ready);
}

/* Up to the damage, and a line says so. */
TEST(a_damaged_list_of_cleanups_is_gone_through_as_far_as_it_goes)
{
	unsigned hart = last_left();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	c = test_spawn_on(hart, damage_its_list, NULL);
	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	CHECK_EQ(co_atomic_load(&ran, CO_ACQUIRE), 2);
}

/* ---- Channels ---- */

CO_CHANNEL(numbers, int, 4);
CO_CHANNEL(answers, int, 1);

static intptr_t send_one(void *arg)
{
	struct co_chan_end end;
	struct co_chan_slot slot;

	(void)arg;
	REQUIRE_EQ(co_chan_bind(&end, &numbers, CO_CHAN_SENDS), 0);
	CHECK_EQ(co_chan_send(&numbers, &(int){ 1 }), 0);
	CHECK_EQ(co_chan_reserve(&numbers, &slot), CO_CLAIM_DEFAULT == CO_CLAIM_CAS ? 0 : -ENOTSUP);
	return sleep_on(&ready);
}

/* It waits for an element when its hart is lost. */
static intptr_t receive_one(void *arg)
{
	struct co_chan_end end;
	int n;

	(void)arg;
	REQUIRE_EQ(co_chan_bind(&end, &answers, CO_CHAN_RECEIVES), 0);
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_chan_recv(&answers, &n);
}

TEST(channels_of_a_lost_hart_are_closed)
{
	unsigned hart = last_left();
	struct co_chan_end mine;
	struct co *c[2];
	int n = 0;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	REQUIRE_EQ(co_chan_bind(&mine, &numbers, CO_CHAN_SENDS), 0); /* it is not the only one */
	c[0] = test_spawn_on(hart, send_one, NULL);
	c[1] = test_spawn_on(hart, receive_one, NULL);
	lose(hart, 2);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(co_join(c[1], NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_recv_until(&numbers, &n, co_after_us(10000000)), 0);
	CHECK_EQ(n, 1);
	CHECK_EQ(co_chan_recv_until(&numbers, &n, co_after_us(10000000)), -EPIPE);
	CHECK_EQ(co_chan_send_until(&answers, &n, co_after_us(10000000)), -EPIPE);
	co_chan_unbind(&mine);
}

/* An element for which somebody waited who is lost is another's. */
CO_CHANNEL(shared, int, 4);

static intptr_t receive_shared(void *arg)
{
	int n = 0;
	int r;

	co_atomic_add(&ready, 1, CO_RELEASE);
	r = co_chan_recv_until(&shared, &n, co_after_us(10000000));
	(void)arg;
	return r ? r : n;
}

TEST(an_element_goes_to_who_is_left)
{
	unsigned hart = last_left();
	struct co *c[2];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	c[0] = test_spawn_on(hart, receive_shared, NULL);
	test_await_sleep(c[0]);
	c[1] = test_spawn_on(1, receive_shared, NULL); /* behind it */
	test_await_sleep(c[1]);
	lose(hart, 2);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(co_chan_send(&shared, &(int){ 5 }), 0);
	CHECK_EQ(test_join(c[1]), 5);
}

/* ---- The C library's lock ---- */

extern void __retarget_lock_acquire_recursive(void *l) __attribute__((weak));
extern void __retarget_lock_release_recursive(void *l) __attribute__((weak));
extern int __retarget_lock_try_acquire_recursive(void *l) __attribute__((weak));
extern char __lock___libc_recursive_mutex[] __attribute__((weak));

static intptr_t hold_libc(void *arg)
{
	(void)arg;
	__retarget_lock_acquire_recursive(__lock___libc_recursive_mutex);
	__retarget_lock_acquire_recursive(__lock___libc_recursive_mutex);
	return sleep_on(&ready);
}

static intptr_t want_libc(void *arg)
{
	(void)arg;
	co_atomic_add(&ready, 1, CO_RELEASE);
	__retarget_lock_acquire_recursive(__lock___libc_recursive_mutex);
	__retarget_lock_release_recursive(__lock___libc_recursive_mutex);
	return 7;
}

TEST(the_c_librarys_lock_of_a_lost_hart_is_let_go_of)
{
	unsigned hart = last_left();
	struct co *c[2];

	if (!hart || !__retarget_lock_acquire_recursive)
		SKIP("it takes a hart to lose and one to look on, and a C library with such locks");
	co_atomic_store(&ready, 0, CO_RELAXED);
	c[0] = test_spawn_on(hart, hold_libc, NULL);
	test_await(&ready, 1);
	c[1] = test_spawn_on(1, want_libc, NULL);
	test_await_sleep(c[1]);
	CHECK(!__retarget_lock_try_acquire_recursive(__lock___libc_recursive_mutex));
	lose(hart, 2);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(c[1]), 7);
	CHECK(__retarget_lock_try_acquire_recursive(__lock___libc_recursive_mutex));
	__retarget_lock_release_recursive(__lock___libc_recursive_mutex);
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
		return sleep_on(&ready);
	r = co_barrier_wait(&step, me);
	co_barrier_unbind(&step, me);
	return r;
}

TEST(barriers_of_a_lost_hart_break)
{
	unsigned hart = last_left();
	struct co *c[3];

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	co_atomic_store(&ready, 0, CO_RELAXED);
	for (unsigned i = 0; i < 3; i++)
		c[i] = test_spawn_on(i ? i % hart : hart, be_a_member, (void *)(uintptr_t)i);
	lose(hart, 1);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(c[1]), -EOWNERDEAD);
	CHECK_EQ(test_join(c[2]), -EOWNERDEAD);
}

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
	unsigned hart = last_left();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(co_barrier_init(&two[i], 2, CO_BARRIER_AUTO, members_of_two[i]), 0);
	co_atomic_store(&ready, 0, CO_RELAXED);
	c = test_spawn_on(hart, be_in_two, NULL);
	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_barrier_wait(&two[i], 0), -EOWNERDEAD);
}

static intptr_t in_all(void *arg)
{
	(void)arg;
	return co_barrier_all();
}

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
