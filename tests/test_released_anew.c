/*
 * test_released_anew.c - a program's bug: it initialises, locks or opens anew what a coroutine
 * holds, which leaves its end list without an end, or without its rest. The coroutine ends by a
 * fault, whose report says why.
 */
#include "faulty.h"

static const struct co_mutex new_mutex;
static struct co_mutex mutex, newer;

static int lock(void)
{
	return co_mutex_lock(&mutex);
}

static int lock_anew(void)
{
	mutex = new_mutex;
	return lock();
}

static int lock_an_older_anew(void)
{
	int r = co_mutex_lock(&newer);

	mutex = new_mutex;
	return r ? r : lock();
}

static int clear_it(void)
{
	mutex = new_mutex;
	return 0;
}

static struct co_rwlock rwlock;

static int write_to(void)
{
	return co_rwlock_write(&rwlock);
}

static int write_anew(void)
{
	memset(&rwlock, 0, sizeof(rwlock));
	return write_to();
}

static struct co_barrier barrier;
static struct co_barrier_member members[2];

static int bind(void)
{
	int r = co_barrier_init(&barrier, 2, CO_BARRIER_CENTRAL, members);

	if (!r)
		co_barrier_bind(&barrier, 0);
	return r;
}

static struct co_local local;

static int add_local(void)
{
	static const char key;

	co_local_add(&local, &key, NULL);
	return 0;
}

/* What is taken, and what is then done to it. */
static const struct anew {
	const char *name;
	int (*take)(void), (*take_anew)(void);
} anew[] = {
	{ "a mutex, locked", lock, lock_anew },
	{ "a mutex, locked below another", lock, lock_an_older_anew },
	{ "a mutex, cleared", lock, clear_it },
	{ "a lock, written", write_to, write_anew },
	{ "a barrier", bind, bind },
	{ "an object that ends with it", add_local, add_local },
};

static bool faults; /* before its end */

static struct co_local theirs; /* in the list of the coroutine that locks the mutex anew */
static struct co_a32 locked, ended, go_on;

static void count_end(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	(void)l, (void)of, (void)why;
	co_atomic_add(&ended, 1, CO_RELEASE);
}

static intptr_t locks_what_another_holds(void *arg)
{
	static const char key;

	(void)arg;
	co_local_add(&theirs, &key, count_end);
	CHECK_EQ(lock_anew(), 0);
	co_atomic_store(&locked, 2, CO_RELEASE);
	test_await(&go_on, 1);
	co_mutex_unlock(&mutex);
	return 0;
}

static intptr_t unlocks_what_another_has(void *arg)
{
	(void)arg;
	CHECK_EQ(lock(), 0);
	co_atomic_store(&locked, 1, CO_RELEASE);
	test_await(&locked, 2);
	co_mutex_unlock(&mutex);
	return 0;
}

/* The list of the first owner leads into the second one's, which is not touched. */
TEST_FAULTY(a_mutex_that_another_locks_anew_ends_its_owner_alone)
{
	struct co *first = test_spawn_on(0, unlocks_what_another_has, NULL), *second;

	test_await(&locked, 1);
	second = test_spawn_on(co_harts() - 1, locks_what_another_holds, NULL);
	CHECK_EQ(co_join(first, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&ended, CO_ACQUIRE), 0);
	CHECK_EQ(co_mutex_owner(&mutex), second);
	co_atomic_store(&go_on, 1, CO_RELEASE);
	CHECK_EQ(test_join(second), 0);
	CHECK_EQ(co_atomic_load(&ended, CO_ACQUIRE), 1);
}

static intptr_t takes_anew(void *arg)
{
	const struct anew *a = arg;

	CHECK_EQ(a->take(), 0);
	CHECK_EQ(a->take_anew(), 0);
	if (faults)
		fault_here();
	return 0;
}

static intptr_t lock_newer(void *arg)
{
	int r = co_mutex_lock_until(&newer, 0);

	(void)arg;
	if (r == 0 || r == -EOWNERDEAD)
		co_mutex_unlock(&newer);
	return r;
}

static void forget_all(void)
{
	mutex = newer = new_mutex;
	memset(&rwlock, 0, sizeof(rwlock));
}

static void take_anew_on(unsigned hart)
{
	for (unsigned i = 0; i < sizeof(anew) / sizeof(*anew); i++) {
		const struct co_attr attr = { .name = anew[i].name, .on = CO_ON_HART(hart) };
		struct co *c = test_spawn(&attr, takes_anew, (void *)(uintptr_t)&anew[i]);

		if (!CHECK_EQ(co_join_until(c, NULL, co_after_us(5000000)), -EFAULT))
			printf("# %s\n", anew[i].name);
		/* The next owner of what it held beside is notified. */
		if (anew[i].take_anew == lock_an_older_anew)
			CHECK_EQ(test_join(test_spawn(NULL, lock_newer, NULL)), -EOWNERDEAD);
		forget_all();
	}
}

TEST_FAULTY(what_is_held_and_begun_anew_ends_its_coroutine_by_a_fault)
{
	take_anew_on(0);
	take_anew_on(co_harts() - 1);
}

TEST_FAULTY(nor_does_one_hang_that_faults_with_it)
{
	faults = true;
	take_anew_on(0);
	take_anew_on(co_harts() - 1);
	faults = false;
}
