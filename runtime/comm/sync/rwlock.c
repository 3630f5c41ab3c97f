/*
 * rwlock.c - all come in through a mutex, in their order: a writer keeps it, and waits until the
 * readers before it have left; a reader counts itself, and lets the next one in.
 */
#include <errno.h>

#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/sync.h>

#include "mutex.h"

/* The caller, who has the mutex with this result, becomes a reader. */
static int come_in(struct co_rwlock *l, int r)
{
	/* relaxed: the mutex orders it for writers. */
	co_atomic_add(&l->readers, 1, CO_RELAXED);
	co_mutex_unlock(&l->mutex);
	return r;
}

static bool has_readers(const struct co_rwlock *l)
{
	/* seq_cst: after the entry in the queue, and acquires what they did; pairs with leave(). */
	return co_atomic_load(&l->readers, CO_SEQ_CST);
}

static void leave(struct co_rwlock *l)
{
	/*
	 * seq_cst: what the reader did, and before the look for a writer; pairs with has_readers().
	 */
	uint32_t before = co_atomic_add(&l->readers, -1u, CO_SEQ_CST);

	CO_ASSERT_THAT(before, "the caller has the read-write lock");
	if (before == 1)
		co_wake_one(&l->no_one);
}

/* The caller has the mutex with this result: wait until it is alone, or give up. */
static int await_no_readers(struct co_rwlock *l, int r, uint64_t deadline)
{
	while (has_readers(l)) {
		struct co_waiter *w = co_wait_prepare(&l->no_one, l, "readers of lock");
		int err = has_readers(l) ? co_wait_commit(w, deadline) : co_wait_abandon(w);

		if (err) {
			if (r)
				co_mutex_orphan(&l->mutex);
			co_mutex_unlock(&l->mutex);
			return err;
		}
	}
	return r;
}

/* Has the caller the mutex after this result? */
static bool has(int r)
{
	return r == 0 || r == -EOWNERDEAD;
}

int co_rwlock_read_until(struct co_rwlock *l, uint64_t deadline)
{
	int r = co_mutex_lock_until(&l->mutex, deadline);

	return has(r) ? come_in(l, r) : r;
}

int co_rwlock_read(struct co_rwlock *l)
{
	return co_rwlock_read_until(l, CO_FOREVER);
}

int co_rwlock_try_read(struct co_rwlock *l)
{
	int r = co_mutex_try_lock(&l->mutex);

	return r ? r : come_in(l, r);
}

int co_rwlock_write_until(struct co_rwlock *l, uint64_t deadline)
{
	int r = co_mutex_lock_until(&l->mutex, deadline);

	return has(r) ? await_no_readers(l, r, deadline) : r;
}

int co_rwlock_write(struct co_rwlock *l)
{
	return co_rwlock_write_until(l, CO_FOREVER);
}

int co_rwlock_try_write(struct co_rwlock *l)
{
	int r = co_mutex_try_lock(&l->mutex);

	if (r == 0 && has_readers(l)) {
		co_mutex_unlock(&l->mutex);
		return -EAGAIN;
	}
	return r;
}

void co_rwlock_unlock(struct co_rwlock *l)
{
	if (co_mutex_owner(&l->mutex) == co_self())
		co_mutex_unlock(&l->mutex);
	else
		leave(l);
}
