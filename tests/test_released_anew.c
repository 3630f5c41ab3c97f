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

TEST(what_is_held_and_begun_anew_ends_its_coroutine_by_a_fault)
{
	take_anew_on(0);
	take_anew_on(co_harts() - 1);
}

TEST(nor_does_one_hang_that_faults_with_it)
{
	faults = true;
	take_anew_on(0);
	take_anew_on(co_harts() - 1);
	faults = false;
}
