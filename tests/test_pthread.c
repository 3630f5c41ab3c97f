/* test_pthread.c - POSIX threads: what each call does, and how it fails. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <unistd.h>

#include "faulty.h"

enum { N = 8 };

/* So long from now, by that clock. */
static struct timespec after_ms(clockid_t clock, long ms)
{
	struct timespec t;

	REQUIRE_EQ(clock_gettime(clock, &t), 0);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void *square(void *arg)
{
	intptr_t n = (intptr_t)arg;

	if (n % 2)
		pthread_exit((void *)(n * n));
	return (void *)(n * n);
}

TEST(threads_return_or_exit_and_are_joined)
{
	pthread_t t[N];
	void *result;

	for (intptr_t i = 0; i < N; i++)
		REQUIRE_EQ(pthread_create(&t[i], NULL, square, (void *)i), 0);
	for (intptr_t i = 0; i < N; i++) {
		CHECK_EQ(pthread_join(t[i], &result), 0);
		CHECK_EQ((intptr_t)result, i * i);
	}
	CHECK(pthread_equal(pthread_self(), pthread_self()));
	CHECK_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
}

static void *where(void *arg)
{
	CHECK(arg == NULL || co_stack_bytes() >= (size_t)arg);
	return (void *)(uintptr_t)co_hart();
}

TEST(attributes_say_where_and_on_how_much_stack)
{
	pthread_attr_t a;
	pthread_t t;
	void *result;
	unsigned hart;
	size_t bytes;
	int v;

	REQUIRE_EQ(pthread_attr_init(&a), 0);
	CHECK_EQ(pthread_attr_gethart_np(&a, &hart), EINVAL);
	CHECK_EQ(pthread_attr_sethart_np(&a, co_harts()), EINVAL);
	CHECK_EQ(pthread_attr_setstacksize(&a, 1), EINVAL);
	CHECK_EQ(pthread_attr_setstacksize(&a, 64u << 20), EINVAL);
	CHECK_EQ(pthread_attr_setdetachstate(&a, 9), EINVAL);
	CHECK_EQ(pthread_attr_setschedpolicy(&a, SCHED_FIFO), ENOTSUP);
	CHECK_EQ(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM), 0);
	CHECK(pthread_attr_getdetachstate(&a, &v) == 0 && v == PTHREAD_CREATE_JOINABLE);
	REQUIRE_EQ(pthread_attr_setstacksize(&a, 100000), 0);
	CHECK(pthread_attr_getstacksize(&a, &bytes) == 0 && bytes == 100000);
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		REQUIRE_EQ(pthread_attr_sethart_np(&a, h), 0);
		CHECK(pthread_attr_gethart_np(&a, &hart) == 0 && hart == h);
		REQUIRE_EQ(pthread_create(&t, &a, where, (void *)100000), 0);
		CHECK_EQ(pthread_join(t, &result), 0);
		CHECK_EQ((uintptr_t)result, h);
	}
	CHECK_EQ(pthread_attr_destroy(&a), 0);
}

static sem_t go, done;

static void *post_done(void *arg)
{
	CHECK_EQ(sem_wait(&go), 0);
	CHECK_EQ(sem_post(&done), 0);
	return arg;
}

TEST(detached_threads_are_gone_by_themselves)
{
	pthread_attr_t a;
	pthread_t t;

	REQUIRE(sem_init(&go, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_EQ(pthread_create(&t, i ? NULL : &a, post_done, NULL), 0);
		if (i)
			CHECK_EQ(pthread_detach(t), 0);
		CHECK_EQ(pthread_detach(t), EINVAL);
		CHECK_EQ(pthread_join(t, NULL), EINVAL);
		sem_post(&go);
		CHECK_EQ(sem_wait(&done), 0);
	}
}

static void *fault(void *arg)
{
	return (void *)faulty(arg);
}

TEST_FAULTY(a_join_of_one_that_faults_says_so)
{
	pthread_t t;

	REQUIRE_EQ(pthread_create(&t, NULL, fault, NULL), 0);
	CHECK_EQ(pthread_join(t, NULL), EFAULT);
}

static void *wait_to_go(void *arg)
{
	return (void *)(intptr_t)sem_wait(&go);
}

TEST(when_there_are_no_more_stacks_create_says_so)
{
	enum { MOST = 6000 };
	static pthread_t t[MOST];
	unsigned n = 0;
	int r = 0;

	REQUIRE(sem_init(&go, 0, 0) == 0);
	while (n < MOST && (r = pthread_create(&t[n], NULL, wait_to_go, NULL)) == 0)
		n++;
	CHECK(n > 32 && r == EAGAIN);
	for (unsigned i = 0; i < n; i++)
		sem_post(&go);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	REQUIRE_EQ(pthread_create(&t[0], NULL, square, NULL), 0);
	CHECK_EQ(pthread_join(t[0], NULL), 0);
}

static struct co *sleeps;

static void *sleep_and_fail(void *arg)
{
	sleeps = co_self();
	sem_post(&done);
	sleep(100);
	CHECK(false); /* so it would go on after the end of the run */
	return arg;
}

TEST(a_thread_whose_sleep_the_end_of_the_run_cuts_off_ends_there)
{
	pthread_t t;

	REQUIRE_EQ(sem_init(&done, 0, 0), 0);
	REQUIRE_EQ(pthread_create(&t, NULL, sleep_and_fail, NULL), 0);
	CHECK_EQ(sem_wait(&done), 0);
	co_cancel(sleeps);
	CHECK_EQ(pthread_join(t, NULL), 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool polled;

static void *poll(void *arg)
{
	bool was = false;

	while (!was) {
		CHECK_EQ(pthread_mutex_lock(&mutex), 0);
		was = polled;
		CHECK_EQ(pthread_mutex_unlock(&mutex), 0);
	}
	return arg;
}

static void *be_polled(void *arg)
{
	CHECK_EQ(pthread_mutex_lock(&mutex), 0);
	polled = true;
	CHECK_EQ(pthread_mutex_unlock(&mutex), 0);
	return arg;
}

/* As programs for preemptive systems do: one that waits in a loop for another of its hart. */
TEST(a_thread_that_polls_with_a_mutex_lets_others_run)
{
	pthread_attr_t a;
	pthread_t t[2];

	polled = false;
	REQUIRE_EQ(pthread_attr_init(&a), 0);
	REQUIRE_EQ(pthread_attr_sethart_np(&a, co_harts() - 1), 0);
	REQUIRE_EQ(pthread_create(&t[0], &a, poll, NULL), 0);
	REQUIRE_EQ(pthread_create(&t[1], &a, be_polled, NULL), 0);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
}

TEST(a_normal_mutex_that_the_caller_has_is_timed_out)
{
	struct timespec soon = after_ms(CLOCK_REALTIME, 2), wrong = { 0, -1 };

	CHECK_EQ(pthread_mutex_lock(&mutex), 0);
	CHECK_EQ(pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
	CHECK_EQ(pthread_mutex_timedlock(&mutex, &wrong), EINVAL);
	CHECK_EQ(pthread_mutex_unlock(&mutex), 0);
}

/* Each of the ways to lock, by another thread. */
static void *lock_others(void *arg)
{
	struct timespec soon = after_ms(CLOCK_REALTIME, 2), wrong = { 0, -1 };
	struct timespec mono = after_ms(CLOCK_MONOTONIC, 2);
	pthread_mutex_t *m = arg;

	CHECK_EQ(pthread_mutex_trylock(m), EBUSY);
	CHECK_EQ(pthread_mutex_timedlock(m, &soon), ETIMEDOUT);
	CHECK_EQ(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &mono), ETIMEDOUT);
	CHECK_EQ(pthread_mutex_timedlock(m, &wrong), EINVAL);
	CHECK_EQ(pthread_mutex_unlock(m), EPERM);
	CHECK_EQ(pthread_mutex_destroy(m), EBUSY);
	return NULL;
}

TEST(mutexes_of_each_type)
{
	static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	pthread_mutex_t *const all[] = { &mutex, &r, &e };
	struct timespec past = { 0, 0 };
	pthread_mutexattr_t a;
	pthread_t t;
	int type;

	for (unsigned i = 0; i < 3; i++) {
		REQUIRE_EQ(pthread_mutexattr_init(&a), 0);
		if (i == 1)
			REQUIRE_EQ(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE), 0);
		if (i == 2)
			REQUIRE_EQ(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK), 0);
		for (unsigned made = 0; made < 2; made++) {
			pthread_mutex_t own, *m = made ? &own : all[i];

			if (made)
				REQUIRE_EQ(pthread_mutex_init(m, &a), 0);
			CHECK_EQ(pthread_mutex_unlock(m), EPERM);
			CHECK_EQ(pthread_mutex_timedlock(m, &past), 0); /* it is free */
			CHECK_EQ(pthread_mutex_lock(m), i == 1 ? 0 : EDEADLK);
			CHECK_EQ(pthread_mutex_trylock(m), i == 1 ? 0 : EBUSY);
			REQUIRE_EQ(pthread_create(&t, NULL, lock_others, m), 0);
			CHECK_EQ(pthread_join(t, NULL), 0);
			for (unsigned n = 0; n < (i == 1 ? 3 : 1); n++)
				CHECK_EQ(pthread_mutex_unlock(m), 0);
			CHECK_EQ(pthread_mutex_destroy(m), 0);
		}
	}
	CHECK(pthread_mutexattr_gettype(&a, &type) == 0 && type == PTHREAD_MUTEX_ERRORCHECK);
	CHECK_EQ(pthread_mutexattr_settype(&a, 9), EINVAL);
	CHECK_EQ(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT), ENOTSUP);
}

static void *fault_in_mutex(void *arg)
{
	CHECK_EQ(pthread_mutex_lock(arg), 0);
	return fault(NULL);
}

TEST_FAULTY(a_mutex_of_one_that_faulted_is_given_on)
{
	pthread_t t;

	REQUIRE_EQ(pthread_create(&t, NULL, fault_in_mutex, &mutex), 0);
	CHECK_EQ(pthread_join(t, NULL), EFAULT);
	CHECK_EQ(pthread_mutex_lock(&mutex), EOWNERDEAD);
	CHECK_EQ(pthread_mutex_consistent(&mutex), 0);
	CHECK_EQ(pthread_mutex_unlock(&mutex), 0);
}

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned turn;

static void *take_turn(void *arg)
{
	unsigned mine = (unsigned)(uintptr_t)arg;

	for (unsigned round = 0; round < 20; round++) {
		CHECK_EQ(pthread_mutex_lock(&recursive), 0);
		CHECK_EQ(pthread_mutex_lock(&recursive), 0); /* waits let go of both */
		while (turn % N != mine)
			CHECK_EQ(pthread_cond_wait(&cond, &recursive), 0);
		turn++;
		CHECK_EQ(pthread_cond_broadcast(&cond), 0);
		CHECK_EQ(pthread_mutex_unlock(&recursive), 0);
		CHECK_EQ(pthread_mutex_unlock(&recursive), 0);
	}
	return NULL;
}

TEST(conditions_hand_a_turn_around)
{
	pthread_t t[N];

	turn = 0;
	for (uintptr_t i = 0; i < N; i++)
		REQUIRE_EQ(pthread_create(&t[i], NULL, take_turn, (void *)i), 0);
	for (unsigned i = 0; i < N; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(turn, 20 * N);
}

TEST(conditions_time_out_by_either_clock)
{
	pthread_condattr_t a;
	pthread_cond_t c;
	clockid_t clock;
	struct timespec t, wrong = { 0, 1000000000 };

	CHECK_EQ(pthread_cond_wait(&cond, &mutex), EPERM);
	REQUIRE_EQ(pthread_condattr_init(&a), 0);
	CHECK_EQ(pthread_condattr_setclock(&a, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	for (unsigned i = 0; i < 2; i++) {
		clockid_t by = i ? CLOCK_MONOTONIC : CLOCK_REALTIME;

		REQUIRE_EQ(pthread_condattr_setclock(&a, by), 0);
		CHECK(pthread_condattr_getclock(&a, &clock) == 0 && clock == by);
		REQUIRE_EQ(pthread_cond_init(&c, &a), 0);
		REQUIRE_EQ(pthread_mutex_lock(&mutex), 0);
		t = after_ms(by, 3);
		CHECK_EQ(pthread_cond_timedwait(&c, &mutex, &t), ETIMEDOUT);
		t = after_ms(CLOCK_MONOTONIC, 3);
		CHECK_EQ(pthread_cond_clockwait(&c, &mutex, CLOCK_MONOTONIC, &t), ETIMEDOUT);
		CHECK_EQ(pthread_cond_timedwait(&c, &mutex, &wrong), EINVAL);
		CHECK_EQ(pthread_mutex_unlock(&mutex), 0);
		CHECK_EQ(pthread_cond_signal(&c), 0);
		CHECK_EQ(pthread_cond_destroy(&c), 0);
	}
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *lock_rw_others(void *writes)
{
	struct timespec soon = after_ms(CLOCK_REALTIME, 2);

	CHECK_EQ(pthread_rwlock_trywrlock(&rwlock), EBUSY);
	CHECK_EQ(pthread_rwlock_timedwrlock(&rwlock, &soon), ETIMEDOUT);
	CHECK_EQ(pthread_rwlock_tryrdlock(&rwlock), writes ? EBUSY : 0);
	if (writes) {
		CHECK_EQ(pthread_rwlock_timedrdlock(&rwlock, &soon), ETIMEDOUT);
	} else {
		CHECK_EQ(pthread_rwlock_unlock(&rwlock), 0);
	}
	CHECK_EQ(pthread_rwlock_unlock(&rwlock), EPERM);
	CHECK_EQ(pthread_rwlock_destroy(&rwlock), EBUSY);
	return NULL;
}

TEST(read_write_locks)
{
	pthread_t t;

	for (uintptr_t writes = 0; writes < 2; writes++) {
		CHECK_EQ(writes ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_rdlock(&rwlock),
			 0);
		if (writes)
			CHECK_EQ(pthread_rwlock_rdlock(&rwlock), EDEADLK);
		REQUIRE_EQ(pthread_create(&t, NULL, lock_rw_others, (void *)writes), 0);
		CHECK_EQ(pthread_join(t, NULL), 0);
		CHECK_EQ(pthread_rwlock_unlock(&rwlock), 0);
	}
	CHECK_EQ(pthread_rwlock_destroy(&rwlock), 0);
	CHECK_EQ(pthread_rwlock_init(&rwlock, NULL), 0);
}

static void *read_and_fault(void *arg)
{
	CHECK_EQ(pthread_rwlock_rdlock(&rwlock), 0);
	CHECK_EQ(pthread_rwlock_rdlock(&rwlock), 0);
	CHECK_EQ(pthread_rwlock_wrlock(&rwlock), EDEADLK);
	return fault(arg);
}

TEST_FAULTY(a_reader_that_faulted_has_let_go)
{
	pthread_t t;

	REQUIRE_EQ(pthread_create(&t, NULL, read_and_fault, NULL), 0);
	CHECK_EQ(pthread_join(t, NULL), EFAULT);
	CHECK_EQ(pthread_rwlock_trywrlock(&rwlock), 0);
	CHECK_EQ(pthread_rwlock_unlock(&rwlock), 0);
	CHECK_EQ(pthread_rwlock_unlock(&rwlock), EPERM);
}

static pthread_barrier_t barrier;
static struct co_a32 come, serial;

static void *come_to_barrier(void *arg)
{
	for (uint32_t round = 1; round <= 50; round++) {
		int r;

		co_atomic_add(&come, 1, CO_RELAXED); /* the barrier orders it */
		r = pthread_barrier_wait(&barrier);
		CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
		CHECK(co_atomic_load(&come, CO_RELAXED) >= round * N);
		if (r)
			co_atomic_add(&serial, 1, CO_RELAXED);
	}
	return NULL;
}

TEST(barriers_let_all_go_on_and_one_know)
{
	pthread_t t[N];

	CHECK_EQ(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
	REQUIRE_EQ(pthread_barrier_init(&barrier, NULL, N), 0);
	for (unsigned i = 0; i < N; i++)
		REQUIRE_EQ(pthread_create(&t[i], NULL, come_to_barrier, NULL), 0);
	for (unsigned i = 0; i < N; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(co_atomic_load(&serial, CO_RELAXED), 50);
	CHECK_EQ(pthread_barrier_destroy(&barrier), 0);
}

static pthread_spinlock_t spin;
static unsigned counted;

static void *count(void *arg)
{
	for (unsigned i = 0; i < 100; i++) {
		CHECK_EQ(pthread_spin_lock(&spin), 0);
		counted++;
		CHECK_EQ(pthread_spin_unlock(&spin), 0);
	}
	return NULL;
}

TEST(spin_locks)
{
	pthread_t t[N];

	REQUIRE_EQ(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
	for (unsigned i = 0; i < N; i++)
		REQUIRE_EQ(pthread_create(&t[i], NULL, count, NULL), 0);
	for (unsigned i = 0; i < N; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(counted, 100 * N);
	CHECK_EQ(pthread_spin_trylock(&spin), 0);
	CHECK_EQ(pthread_spin_trylock(&spin), EBUSY);
	CHECK_EQ(pthread_spin_unlock(&spin), 0);
	CHECK_EQ(pthread_spin_destroy(&spin), 0);
}

TEST(semaphores)
{
	struct timespec soon = after_ms(CLOCK_REALTIME, 2);
	int value;

	CHECK(sem_init(&go, 0, SEM_VALUE_MAX + 1u) == -1 && errno == EINVAL);
	REQUIRE_EQ(sem_init(&go, 0, 2), 0);
	CHECK(sem_getvalue(&go, &value) == 0 && value == 2);
	CHECK_EQ(sem_wait(&go), 0);
	CHECK_EQ(sem_trywait(&go), 0);
	CHECK(sem_trywait(&go) == -1 && errno == EAGAIN);
	CHECK(sem_timedwait(&go, &soon) == -1 && errno == ETIMEDOUT);
	CHECK_EQ(sem_post(&go), 0);
	CHECK_EQ(sem_timedwait(&go, &soon), 0);
	REQUIRE_EQ(sem_init(&go, 0, SEM_VALUE_MAX), 0);
	CHECK(sem_post(&go) == -1 && errno == EOVERFLOW);
	CHECK_EQ(sem_destroy(&go), 0);
}

static void *wait_for_ever(void *arg)
{
	const struct timespec *until = arg;

	return (void *)(intptr_t)(sem_clockwait(&go, CLOCK_MONOTONIC, until) ? errno : 0);
}

/* The second has 2^64 microseconds and some: were they cut to 64 bits, it would be past. */
TEST(a_deadline_that_is_too_late_for_any_clock_is_never)
{
	static const uint64_t seconds[] = { INT64_MAX, 18446744073710 };
	struct timespec until = { 0 };
	pthread_t t;
	void *result;

	if (sizeof(until.tv_sec) < sizeof(uint64_t))
		SKIP("seconds of 32 bits");
	REQUIRE_EQ(sem_init(&go, 0, 0), 0);
	for (unsigned i = 0; i < 2; i++) {
		until.tv_sec = (time_t)seconds[i];
		REQUIRE_EQ(pthread_create(&t, NULL, wait_for_ever, &until), 0);
		CHECK_EQ(co_sleep_us(20000), 0);
		CHECK_EQ(sem_post(&go), 0);
		CHECK_EQ(pthread_join(t, &result), 0);
		CHECK_EQ((intptr_t)result, 0);
	}
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned times;

static void do_once(void)
{
	times++;
}

static void *call_once(void *arg)
{
	CHECK_EQ(pthread_once(&once, do_once), 0);
	CHECK_EQ(times, 1);
	return arg;
}

TEST(once)
{
	pthread_t t[N];

	for (unsigned i = 0; i < N; i++)
		REQUIRE_EQ(pthread_create(&t[i], NULL, call_once, NULL), 0);
	for (unsigned i = 0; i < N; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
}

static pthread_key_t first, again, unset;
static struct co_a32 destroyed, rounds;

static void destroy_first(void *value)
{
	CHECK(!pthread_getspecific(first));
	co_atomic_add(&destroyed, (uint32_t)(uintptr_t)value, CO_RELAXED); /* joins order it */
	free(malloc(100));                                                 /* it may wait */
}

/* Sets itself anew: POSIX bounds that. */
static void destroy_again(void *value)
{
	co_atomic_add(&rounds, 1, CO_RELAXED);
	CHECK_EQ(pthread_setspecific(again, value), 0);
}

static void *use_keys(void *arg)
{
	CHECK(!pthread_getspecific(first));
	CHECK_EQ(pthread_setspecific(first, arg), 0);
	CHECK_EQ(pthread_setspecific(again, arg), 0);
	CHECK_EQ(pthread_setspecific(unset, NULL), 0);
	co_pause();
	CHECK(pthread_getspecific(first) == arg);
	return NULL;
}

static intptr_t use_keys_natively(void *arg)
{
	use_keys(arg);
	return 0;
}

TEST(keys_and_their_destructors)
{
	pthread_t t[N];
	pthread_key_t old;

	REQUIRE_EQ(pthread_key_create(&first, destroy_first), 0);
	REQUIRE_EQ(pthread_key_create(&again, destroy_again), 0);
	REQUIRE_EQ(pthread_key_create(&unset, destroy_again), 0);
	for (uintptr_t i = 0; i < N; i++)
		REQUIRE_EQ(pthread_create(&t[i], NULL, use_keys, (void *)(i + 1)), 0);
	for (unsigned i = 0; i < N; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(co_atomic_load(&destroyed, CO_RELAXED), N * (N + 1) / 2);
	CHECK_EQ(co_atomic_load(&rounds, CO_RELAXED), N * PTHREAD_DESTRUCTOR_ITERATIONS);
	/* Another coroutine has keys too; that it ends is no end of a thread. */
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, use_keys_natively, (void *)7)), 0);
	CHECK_EQ(co_atomic_load(&destroyed, CO_RELAXED), N * (N + 1) / 2);
	/* A new key has no value, where an old one had. */
	CHECK_EQ(pthread_setspecific(first, "mine"), 0);
	old = first;
	CHECK_EQ(pthread_key_delete(first), 0);
	CHECK_EQ(pthread_key_delete(first), EINVAL);
	CHECK_EQ(pthread_setspecific(first, NULL), EINVAL);
	CHECK(!pthread_getspecific(first));
	REQUIRE_EQ(pthread_key_create(&first, NULL), 0);
	CHECK_EQ(first, old);
	CHECK(!pthread_getspecific(first));
	CHECK(pthread_key_delete(first) + pthread_key_delete(again) + pthread_key_delete(unset) ==
	      0);
	CHECK_EQ(pthread_setspecific(1000, NULL), EINVAL);
}

TEST(keys_end)
{
	pthread_key_t keys[PTHREAD_KEYS_MAX], more;
	unsigned n = 0;

	while (n < PTHREAD_KEYS_MAX && pthread_key_create(&keys[n], NULL) == 0)
		n++;
	CHECK_EQ(n, PTHREAD_KEYS_MAX);
	CHECK_EQ(pthread_key_create(&more, NULL), EAGAIN);
	while (n)
		CHECK_EQ(pthread_key_delete(keys[--n]), 0);
}

static unsigned handled;

static void handle(void *arg)
{
	handled = handled * 10 + (unsigned)(uintptr_t)arg;
}

static void *exit_with_handlers(void *arg)
{
	pthread_cleanup_push(handle, (void *)1);
	pthread_cleanup_push(handle, (void *)2);
	pthread_cleanup_push(handle, (void *)3);
	pthread_cleanup_pop(1);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

TEST(an_exit_calls_the_handlers_of_its_thread)
{
	pthread_t t;

	REQUIRE_EQ(pthread_create(&t, NULL, exit_with_handlers, NULL), 0);
	CHECK_EQ(pthread_join(t, NULL), 0);
	CHECK_EQ(handled, 321);
}
