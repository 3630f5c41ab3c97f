/*
 * thread.c - a thread is a coroutine with a record, which it has as a co_local; other coroutines,
 * main()'s too, get one when they ask who they are. Records are in the heap: the thread or the user
 * of its handle, whichever is done last, frees the record.
 */
#include <pthread.h>
#include <stdlib.h>

#include <cohart/debug.h>
#include <cohart/hart.h>
#include <cohart/sync.h>

#include "posix.h"

/* Users of a record; and its handle is being joined, or has been detached. */
enum { RUNNING = 1, HANDLE = 2, CLAIMED = 4 };

struct value {
	void *value;
	uint32_t use; /* of its key */
};

struct co_thread {
	struct co_local local;
	struct co *co; /* to be joined */
	void *(*start)(void *);
	void *arg, *result;
	struct co_a32 users;    /* of the record */
	struct co_counter *all; /* threads that run */
	bool made;              /* by pthread_create() */
	bool exits;             /* by pthread_exit() */
	bool vanishes;          /* with the run */
	int cancel_state, cancel_type;
	struct value *values; /* of keys, PTHREAD_KEYS_MAX; NULL: none yet */
	struct co_thread_cleanup *cleanups;
};

static const char thread_key;

/* Of a rank, or of all. */
static CO_PER_RANK struct co_counter threads;
static CO_PER_RANK struct {
	struct co_a32 use; /* how often it was created or deleted: odd while it is there */
	void (*destructor)(void *);
} keys[PTHREAD_KEYS_MAX];
static struct co_mutex keys_lock;

static struct co_thread *known_self(void)
{
	return (struct co_thread *)co_local_find(&thread_key);
}

static bool is_there(const struct value *v, unsigned key, uint32_t *use)
{
	/* acquire: the destructor; pairs with pthread_key_create(). */
	*use = co_atomic_load(&keys[key].use, CO_ACQUIRE);
	return v && v[key].value && *use % 2 && v[key].use == *use;
}

static bool run_destructors(struct co_thread *t)
{
	bool any = false;
	uint32_t use;

	for (unsigned key = 0; key < PTHREAD_KEYS_MAX; key++) {
		void *value = is_there(t->values, key, &use) ? t->values[key].value : NULL;

		if (!value || !keys[key].destructor)
			continue;
		t->values[key].value = NULL;
		keys[key].destructor(value);
		any = true;
	}
	return any;
}

/* The record's thread has ended. */
static void ended(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	struct co_thread *t = (struct co_thread *)l;
	struct co_counter *all = t->all;

	(void)of;
	if (why == CO_CLEANUP_HOST_DOWN) { /* hart 0 cannot wait for the heap: the record is lost */
		if (t->made)
			co_counter_done(all);
		return;
	}
	if (why == CO_CLEANUP_END && !t->vanishes && (t->made || t->exits)) {
		co_local_add(l, &thread_key, NULL); /* destructors may ask for it */
		for (unsigned i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && run_destructors(t);)
			i++;
		co_cleanup_remove(&l->cleanup);
	}
	if (!t->made && t->exits && co_counter_wait(all))
		t->vanishes = true;
	free(t->values);
	t->values = NULL;
	if (t->made)
		co_counter_done(all);
	/* acq_rel: the handle's user's accesses come first; pairs with pthread_detach(). */
	if (!(co_atomic_and(&t->users, ~RUNNING, CO_ACQ_REL) & HANDLE))
		free(t);
}

static struct co_thread *new_thread(void)
{
	struct co_thread *t = calloc(1, sizeof(*t));

	if (t)
		t->all = co_posix_at(&threads);
	return t;
}

/* The caller's record; NULL: there is no memory for it. */
static struct co_thread *self(void)
{
	struct co_thread *t = known_self();

	if (t || !(t = new_thread()))
		return t;
	co_atomic_store(&t->users, RUNNING, CO_RELAXED); /* it alone uses it */
	co_local_add(&t->local, &thread_key, ended);
	return t;
}

static intptr_t run(void *arg)
{
	struct co_thread *t = arg;

	co_local_add(&t->local, &thread_key, ended);
	t->result = t->start(t->arg);
	return 0;
}

/* Threads of a rank have its static data: they are where it is. */
static int place(const pthread_attr_t *a)
{
	if (co_rank_here() != CO_NO_RANK)
		return CO_ON_HART(co_hart());
	return a && a->co_hart ? CO_ON_HART(a->co_hart - 1) : CO_ON_ANY;
}

POSIX int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict a,
			 void *(*fn)(void *), void *restrict arg)
{
	struct co_attr attr = { .name = "thread", .on = place(a), .stack = CO_STACK_MAIN };
	bool detached = a && a->co_detached;
	struct co_thread *t = new_thread();

	/* Make the caller's record now: later it could get the handle of a joined thread. */
	if (!t || !self()) {
		free(t);
		return EAGAIN;
	}
	if (a && a->co_stack > CO_STACK_MAIN_BYTES)
		attr.stack = CO_STACK_BIG;
	t->made = true;
	t->start = fn;
	t->arg = arg;
	/* relaxed: the spawn publishes it. */
	co_atomic_store(&t->users, RUNNING | (detached ? CLAIMED : HANDLE), CO_RELAXED);
	*thread = t; /* before it may end */
	co_counter_add(t->all, 1);
	if (co_spawn(detached ? NULL : &t->co, &attr, run, t) == 0)
		return 0;
	co_counter_done(t->all);
	free(t);
	return EAGAIN;
}

/* One joins or detaches it. */
static bool claim(struct co_thread *t)
{
	/* acquire: the record. */
	return !(co_atomic_or(&t->users, CLAIMED, CO_ACQUIRE) & CLAIMED);
}

POSIX int pthread_join(pthread_t t, void **result)
{
	int r;

	if (t == known_self())
		return EDEADLK;
	if (!claim(t))
		return EINVAL;
	r = co_join(t->co, NULL);
	if (r == 0 && result)
		*result = t->result;
	if (r == 0 || r == -EFAULT)
		free(t);
	return co_posix_error(r);
}

POSIX int pthread_detach(pthread_t t)
{
	struct co *co = t->co;

	if (!claim(t))
		return EINVAL;
	/* acq_rel: pairs with ended(). */
	if (!(co_atomic_and(&t->users, ~HANDLE, CO_ACQ_REL) & RUNNING))
		free(t);
	co_detach(co);
	return 0;
}

POSIX pthread_t pthread_self(void)
{
	struct co_thread *t = self();

	CO_ASSERT_THAT(t, "there is memory for the record of a thread");
	return t;
}

POSIX void pthread_exit(void *result)
{
	struct co_thread *t = pthread_self();
	struct co_thread_cleanup *c;

	while ((c = t->cleanups)) {
		t->cleanups = c->next;
		c->fn(c->arg);
	}
	t->result = result;
	t->exits = true;
	co_exit(0);
}

void co_thread_vanish(void)
{
	struct co_thread *t = known_self();

	if (t)
		t->vanishes = true;
	co_exit(0);
}

void co_thread_sleep_ended(void)
{
	struct co_thread *t = known_self();

	if (t && t->made)
		co_thread_vanish();
}

void _pthread_cleanup_push(struct co_thread_cleanup *c)
{
	struct co_thread *t = pthread_self();

	c->next = t->cleanups;
	t->cleanups = c;
}

void _pthread_cleanup_pop(struct co_thread_cleanup *c, int execute)
{
	pthread_self()->cleanups = c->next;
	if (execute)
		c->fn(c->arg);
}

POSIX int pthread_equal(pthread_t one, pthread_t other)
{
	return one == other;
}

/* Nobody forks. */
POSIX int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	(void)before, (void)parent, (void)child;
	return 0;
}

POSIX int pthread_getconcurrency(void)
{
	return 0;
}

POSIX int pthread_setconcurrency(int level)
{
	return level < 0 ? EINVAL : 0;
}

static int exchange(int *kept, int v, int *old)
{
	if (v != 0 && v != 1)
		return EINVAL;
	if (old)
		*old = *kept;
	*kept = v;
	return 0;
}

POSIX int pthread_setcancelstate(int state, int *old)
{
	return exchange(&pthread_self()->cancel_state, state, old);
}

POSIX int pthread_setcanceltype(int type, int *old)
{
	return exchange(&pthread_self()->cancel_type, type, old);
}

POSIX void pthread_testcancel(void)
{
}

/* Change the use of a key that is used or not; returns whether it was so. */
static bool change(unsigned key, bool used, void (*destructor)(void *))
{
	/* relaxed: the lock orders changes. */
	uint32_t use = co_atomic_load(&keys[key].use, CO_RELAXED);

	if (use % 2 != used)
		return false;
	keys[key].destructor = destructor;
	/* release: the destructor; pairs with is_there(). */
	co_atomic_store(&keys[key].use, use + 1, CO_RELEASE);
	return true;
}

POSIX int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int err = co_posix_error(co_mutex_lock(&keys_lock));
	unsigned i = 0;

	if (err && err != EOWNERDEAD)
		return err;
	while (i < PTHREAD_KEYS_MAX && !change(i, false, destructor))
		i++;
	co_mutex_unlock(&keys_lock);
	if (i == PTHREAD_KEYS_MAX)
		return EAGAIN;
	*key = i;
	return 0;
}

POSIX int pthread_key_delete(pthread_key_t key)
{
	int err = co_posix_error(co_mutex_lock(&keys_lock));
	bool was;

	if (err && err != EOWNERDEAD)
		return err;
	was = key < PTHREAD_KEYS_MAX && change(key, true, NULL);
	co_mutex_unlock(&keys_lock);
	return was ? 0 : EINVAL;
}

POSIX void *pthread_getspecific(pthread_key_t key)
{
	const struct co_thread *t = known_self();
	uint32_t use;

	return key < PTHREAD_KEYS_MAX && t && is_there(t->values, key, &use) ? t->values[key].value
									     : NULL;
}

POSIX int pthread_setspecific(pthread_key_t key, const void *value)
{
	struct co_thread *t = self();
	uint32_t use;

	if (key >= PTHREAD_KEYS_MAX || (is_there(NULL, key, &use), !(use % 2)))
		return EINVAL;
	if (t && !t->values)
		t->values = calloc(PTHREAD_KEYS_MAX, sizeof(*t->values));
	if (!t || !t->values)
		return ENOMEM;
	t->values[key] = (struct value){ (void *)(uintptr_t)value, use };
	return 0;
}
